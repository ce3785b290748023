//! The topology of a simulation: a whole model and the tears in it.
//!
//! A sheet is a list of triangles that hang together along sides. A tear severs a side. A vertex whose
//! triangles no longer hang together around it falls apart: the part with the lowest triangle keeps the
//! number, the other gets a new one after all others. So every vertex is always one fan of triangles (unless
//! it was described as more), old numbers stay valid, and the same tears in the same order give the same
//! model, whoever made them.
//!
//! ```text
//! masses, forces   shared by the triangles' areas at rest; the sum is kept to the bit
//! velocities, UVs  copied                                  (so momentum is kept)
//! pins             both parts are held
//! elements         `rewire.rs`
//! gas              leaks at once: a surface that has opened encloses nothing
//! ```

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::Error;
use crate::mesh::measure::{distance, triangle_area};
use crate::model::{BodyInfo, Model, PinnedVertex};
use crate::rewire::Rewired;
use crate::tear::{Candidate, Tear, TearMode};

/// One body's triangles and what hangs together.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    /// The body's own vertices, as described.
    own: std::ops::Range<usize>,
    /// Corners by the whole model's numbers.
    whole: Vec<[u32; 3]>,
    /// Corners by the present ones.
    corners: Vec<[u32; 3]>,
    /// The next side of the same edge, in a ring; of a border itself.
    ring: Vec<u32>,
    severed: Vec<bool>,
    /// Triangles with a broken edge.
    gone: Vec<bool>,
    /// Areas of triangles and lengths of sides at rest \[m², m\].
    area: Vec<f64>,
    length: Vec<f64>,
    /// Triangles at each vertex, split ones last; and as they were when all was whole.
    at: Vec<Vec<u32>>,
    home: Vec<Vec<u32>>,
    /// Vertices that came by splitting, ascending.
    split: Vec<u32>,
    /// Whether each vertex of the whole has split.
    parted: Vec<bool>,
    any_gone: bool,
}

impl Sheet {
    fn new(info: &BodyInfo, rest: &[[f64; 3]]) -> Self {
        let whole = info.triangles.clone();
        let first = info.vertices.start as u32;
        let at = |v: u32| rest[v as usize];
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * whole.len());
        let mut length = Vec::with_capacity(3 * whole.len());
        let mut home = vec![Vec::new(); info.vertices.len()];
        for (t, triangle) in whole.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                sides.push(([a.min(b), a.max(b)], (3 * t + k) as u32));
                length.push(distance(at(a), at(b)));
                home[(triangle[k] - first) as usize].push(t as u32);
            }
        }
        sides.sort_unstable();
        let mut ring = vec![0; sides.len()];
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            for (i, (_, side)) in group.iter().enumerate() {
                ring[*side as usize] = group[(i + 1) % group.len()].1;
            }
        }
        Self {
            own: info.vertices.clone(),
            corners: whole.clone(),
            severed: vec![false; ring.len()],
            gone: vec![false; whole.len()],
            area: whole.iter().map(|t| triangle_area(t.map(at))).collect(),
            length,
            at: home.clone(),
            split: Vec::new(),
            parted: vec![false; home.len()],
            any_gone: false,
            home,
            whole,
            ring,
        }
    }

    /// How many sides there are.
    pub fn sides(&self) -> u32 {
        self.ring.len() as u32
    }

    /// Whether a side stands for its edge, of all that share it; never where the triangle is gone.
    pub fn is_first(&self, side: u32) -> bool {
        !self.gone[side as usize / 3] && self.neighbours(side).all(|n| side < n)
    }

    /// The other sides that hang together with a side.
    pub fn neighbours(&self, side: u32) -> impl Iterator<Item = u32> + '_ {
        let severed = self.severed[side as usize];
        let mut next = self.ring[side as usize];
        std::iter::from_fn(move || {
            while next != side && !severed {
                let found = next;
                next = self.ring[next as usize];
                if !self.severed[found as usize] {
                    return Some(found);
                }
            }
            None
        })
    }

    /// The present vertices of a side.
    pub fn ends(&self, side: u32) -> [u32; 2] {
        let (corners, k) = (&self.corners[side as usize / 3], side as usize % 3);
        [corners[k], corners[(k + 1) % 3]]
    }

    /// The length of a side at rest \[m\].
    pub fn rest_length(&self, side: u32) -> f64 {
        self.length[side as usize]
    }

    /// The area of a triangle at rest \[m²\].
    pub fn rest_area(&self, triangle: usize) -> f64 {
        self.area[triangle]
    }

    /// The present corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [u32; 3] {
        self.corners[triangle]
    }

    /// The corners of a triangle by the whole model's numbers.
    pub fn whole_corners(&self, triangle: usize) -> [u32; 3] {
        self.whole[triangle]
    }

    /// Whether a triangle has a broken edge.
    pub fn is_gone(&self, triangle: usize) -> bool {
        self.gone[triangle]
    }

    /// The triangles at a present vertex.
    pub fn fan(&self, vertex: u32) -> &[u32] {
        self.place(vertex).map_or(&[], |p| &self.at[p])
    }

    /// The triangles that a vertex of the whole model had.
    pub fn home(&self, vertex: u32) -> &[u32] {
        &self.home[vertex as usize - self.own.start]
    }

    /// Whether a vertex of the whole model has split.
    pub fn is_parted(&self, vertex: u32) -> bool {
        self.parted[vertex as usize - self.own.start]
    }

    /// Whether any vertex has split.
    pub fn is_split(&self) -> bool {
        !self.split.is_empty()
    }

    /// Whether a present vertex has a side that no other triangle hangs together with.
    pub fn is_at_border(&self, vertex: u32) -> bool {
        self.fan(vertex).iter().any(|t| {
            (0..3).map(|k| 3 * t + k).any(|side| {
                self.ends(side).contains(&vertex) && self.neighbours(side).next().is_none()
            })
        })
    }

    fn place(&self, vertex: u32) -> Option<usize> {
        let v = vertex as usize;
        if self.own.contains(&v) {
            return Some(v - self.own.start);
        }
        self.split.binary_search(&vertex).ok().map(|i| self.own.len() + i)
    }

    /// The triangles around a vertex that hang together with one of them.
    fn around(&self, vertex: u32, triangle: u32) -> Vec<u32> {
        let mut part = vec![triangle];
        let mut looked = 0;
        while let Some(&t) = part.get(looked) {
            looked += 1;
            for side in (0..3).map(|k| 3 * t + k).filter(|&s| self.ends(s).contains(&vertex)) {
                for n in self.neighbours(side).map(|n| n / 3) {
                    if !part.contains(&n) {
                        part.push(n);
                    }
                }
            }
        }
        part
    }

    /// Lets a vertex fall apart if one of its triangles no longer hangs together with the others. Gives the
    /// share of the area that the new vertex `next` takes.
    fn fall_apart(&mut self, vertex: u32, side: u32, next: u32) -> Option<f64> {
        let place = self.place(vertex)?;
        let part = self.around(vertex, side / 3);
        // The triangles across the side may still hang together around the vertex.
        let mut other = self.ring[side as usize];
        while other != side {
            if part.contains(&(other / 3)) {
                return None;
            }
            other = self.ring[other as usize];
        }
        let (mut moved, mut kept): (Vec<u32>, Vec<u32>) =
            self.at[place].iter().partition(|t| part.contains(t));
        if kept.is_empty() || moved.is_empty() {
            return None;
        }
        if moved[0] < kept[0] {
            std::mem::swap(&mut moved, &mut kept);
        }
        let area = |list: &[u32]| list.iter().map(|&t| self.area[t as usize]).sum::<f64>();
        let (new, old) = (area(&moved), area(&kept));
        for &t in &moved {
            for k in 0..3 {
                if self.corners[t as usize][k] == vertex {
                    let origin = self.whole[t as usize][k] as usize - self.own.start;
                    self.parted[origin] = true;
                    self.corners[t as usize][k] = next;
                }
            }
        }
        self.at[place] = kept;
        self.at.push(moved);
        self.split.push(next);
        let share = new / (new + old);
        Some(if share > 0.0 && share < 1.0 { share } else { 0.5 })
    }
}

/// An edge of a body whose edges break.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watched {
    pub body: u32,
    /// Its present vertices.
    pub ends: [u32; 2],
    /// Those of the whole model, ascending.
    pub whole: [u32; 2],
    /// Length at rest \[m\].
    pub length: f64,
}

/// A vertex that fell apart; the new one's number follows from its place in the list.
#[derive(Clone, Copy, Debug)]
struct Split {
    body: usize,
    from: u32,
    /// The part of the mass that the new one takes.
    share: f64,
}

/// The whole model and all tears in it.
#[derive(Debug)]
pub(crate) struct Topology {
    whole: Arc<Model>,
    sheets: Vec<Option<Sheet>>,
    tears: Vec<Tear>,
    splits: Vec<Split>,
    /// The vertex of the whole model that each split one came from.
    origin: Vec<u32>,
    broken: BTreeSet<[u32; 2]>,
    watched: Vec<Watched>,
    /// Room for what is stretched too far.
    pub(crate) found: Vec<Candidate>,
}

/// A model with tears, and where its elements came from.
pub(crate) struct Torn {
    pub model: Model,
    /// Of each group of elements: the group of the whole model, and the element there of each.
    pub sources: Vec<(usize, Vec<u32>)>,
    /// Elements of the whole model that are no more.
    pub removed: usize,
}

impl Topology {
    /// No tears yet.
    pub fn new(whole: Arc<Model>) -> Self {
        let sheet = |b: &BodyInfo| b.sheet.then(|| Sheet::new(b, &whole.rest));
        let sheets = whole.bodies.iter().map(sheet).collect();
        let mut own = Self {
            sheets,
            tears: Vec::new(),
            splits: Vec::new(),
            origin: Vec::new(),
            broken: BTreeSet::new(),
            watched: Vec::new(),
            found: Vec::new(),
            whole,
        };
        own.watch();
        own
    }

    /// A topology with these tears.
    pub fn with(whole: Arc<Model>, tears: &[Tear]) -> Result<Self, Error> {
        let mut own = Self::new(whole);
        for &tear in tears {
            if !own.apply(tear) {
                let reason = "it has a tear that this model cannot have";
                return Err(Error::Snapshot { reason });
            }
        }
        own.watch();
        Ok(own)
    }

    /// The model without tears.
    pub fn whole(&self) -> &Arc<Model> {
        &self.whole
    }

    /// All tears, in their order.
    pub fn tears(&self) -> &[Tear] {
        &self.tears
    }

    /// New vertices so far.
    pub fn splits(&self) -> usize {
        self.splits.len()
    }

    /// The triangles of a body, where it can tear or be cut.
    pub fn sheet(&self, body: usize) -> Option<&Sheet> {
        self.sheets.get(body)?.as_ref()
    }

    /// Edges that may break.
    pub fn watched_edges(&self) -> &[Watched] {
        &self.watched
    }

    /// One of them.
    pub fn watched(&self, key: usize) -> &Watched {
        &self.watched[key]
    }

    /// The vertex that a split one splits from, in the order of their numbers.
    pub fn parents(&self) -> impl Iterator<Item = usize> + '_ {
        self.splits.iter().map(|s| s.from as usize)
    }

    /// The vertex of the whole model that a present one came from.
    pub fn origin(&self, vertex: usize) -> usize {
        let split = vertex.checked_sub(self.whole.len());
        split.and_then(|i| self.origin.get(i)).map_or(vertex, |&v| v as usize)
    }

    /// Whether an edge of the whole model is broken.
    pub fn broken(&self) -> &BTreeSet<[u32; 2]> {
        &self.broken
    }

    /// Lets something give way; says whether it did: not where it had already, or cannot.
    pub fn apply(&mut self, tear: Tear) -> bool {
        let done = match tear {
            Tear::Sever { body, triangle, side } => self.sever(body as usize, triangle, side),
            Tear::Break { body, edge } => self.snap(body as usize, edge),
        };
        if done {
            self.tears.push(tear);
        }
        done
    }

    fn sever(&mut self, body: usize, triangle: u32, side: u32) -> bool {
        let Some(sheet) = self.sheets.get_mut(body).and_then(Option::as_mut) else { return false };
        if triangle as usize >= sheet.whole.len() || side > 2 {
            return false;
        }
        let side = 3 * triangle + side;
        if sheet.neighbours(side).next().is_none() {
            return false;
        }
        sheet.severed[side as usize] = true;
        for end in sheet.ends(side) {
            let next = (self.whole.len() + self.splits.len()) as u32;
            if let Some(share) = sheet.fall_apart(end, side, next) {
                let root = (end as usize).checked_sub(self.whole.len());
                self.origin.push(root.map_or(end, |i| self.origin[i]));
                self.splits.push(Split { body, from: end, share });
            }
        }
        true
    }

    fn snap(&mut self, body: usize, edge: [u32; 2]) -> bool {
        let Some(sheet) = self.sheets.get_mut(body).and_then(Option::as_mut) else { return false };
        let inside = edge.iter().all(|&v| sheet.own.contains(&(v as usize)));
        if !inside || edge[0] >= edge[1] || !self.broken.insert(edge) {
            return false;
        }
        for &t in &sheet.home[edge[0] as usize - sheet.own.start] {
            if sheet.whole[t as usize].contains(&edge[1]) {
                sheet.gone[t as usize] = true;
                sheet.any_gone = true;
            }
        }
        true
    }

    /// Lists the edges that may break, as they are now.
    fn watch(&mut self) {
        self.watched.clear();
        let mut seen: BTreeSet<[u32; 2]> = BTreeSet::new();
        for (b, info) in self.whole.bodies.iter().enumerate() {
            if info.tearing.is_none_or(|t| t.mode != TearMode::Break) {
                continue;
            }
            for set in &self.whole.elements {
                for e in 0..set.len() {
                    let &[p, q] = set.vertices(e) else { continue };
                    let own = |v: u32| info.vertices.contains(&(v as usize));
                    let pair = [p.min(q), p.max(q)];
                    if own(p) && own(q) && !self.broken.contains(&pair) {
                        seen.insert(pair);
                    }
                }
            }
            for &whole in &seen {
                let length = distance(
                    self.whole.rest[whole[0] as usize],
                    self.whole.rest[whole[1] as usize],
                );
                let mut images = Vec::new();
                self.pair_images(b, whole, &mut images);
                let all =
                    images.into_iter().map(|ends| Watched { body: b as u32, ends, whole, length });
                self.watched.extend(all.filter(|w| w.length > 0.0));
            }
            seen.clear();
        }
    }

    /// The model with all tears.
    pub fn torn(&mut self) -> Torn {
        self.watch();
        let whole = &self.whole;
        let copies = |list: &[[f64; 3]]| {
            let mut list = list.to_vec();
            self.splits.iter().for_each(|s| list.push(list[s.from as usize]));
            list
        };
        let mut masses = whole.masses.clone();
        let mut forces = whole.forces.clone();
        let mut pins = whole.pins.clone();
        let mut bodies = whole.bodies.clone();
        for split in &self.splits {
            let (from, new) = (split.from as usize, masses.len());
            let (old_mass, new_mass) = shared(masses[from], split.share);
            masses[from] = old_mass;
            masses.push(new_mass);
            if !forces.is_empty() {
                let parts = forces[from].map(|f| shared(f, split.share));
                forces[from] = parts.map(|p| p.0);
                forces.push(parts.map(|p| p.1));
            }
            if let Some(pin) = pins.iter().find(|p| p.vertex == from) {
                let motion = pin.motion.clone();
                pins.push(PinnedVertex { vertex: new, motion });
            }
            let info = &mut bodies[split.body];
            let place = info.place(from).unwrap_or(0);
            if let Some(uvs) = &mut info.uvs {
                uvs.push(uvs[place]);
            }
            info.split.push(new as u32);
        }
        for (info, sheet) in bodies.iter_mut().zip(&self.sheets) {
            let Some(sheet) = sheet else { continue };
            let all = sheet.corners.iter().zip(&sheet.gone);
            info.triangles = all.filter(|(_, gone)| !**gone).map(|(t, _)| *t).collect();
            if sheet.is_split() || sheet.any_gone {
                info.pressure = None;
            }
        }
        let Rewired { elements, limits, sources, removed } = self.rewired();
        let model = Model {
            positions: copies(&whole.positions),
            rest: copies(&whole.rest),
            velocities: copies(&whole.velocities),
            masses,
            mass_matrix: None,
            bodies,
            elements,
            limits,
            pins,
            colliders: whole.colliders.clone(),
            blades: whole.blades.clone(),
            gravity: whole.gravity,
            forces,
            wind: whole.wind,
            time_step: whole.time_step,
        };
        Torn { model, sources, removed }
    }
}

/// A quantity in two parts, of which the second is about `share`. Their sum is the quantity to the bit: the
/// larger part is rounded, and then the difference is exact.
fn shared(whole: f64, share: f64) -> (f64, f64) {
    if share > 0.5 {
        let new = whole * share;
        (whole - new, new)
    } else {
        let old = whole * (1.0 - share);
        (old, whole - old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_sum_to_the_whole_to_the_bit() {
        for i in 1..1000 {
            let (whole, share) = (0.1 + 0.37 * i as f64, i as f64 / 1001.0);
            let (a, b) = shared(whole, share);
            assert_eq!(a + b, whole);
            assert!(a > 0.0 && b > 0.0);
        }
    }
}
