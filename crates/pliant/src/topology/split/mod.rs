//! Topology of a simulation: an original model and the tears in it.
//!
//! A sheet is a list of triangles connected along half-edges. A tear separates a half-edge from its twins. A
//! vertex whose triangles are no longer connected around it splits: the part with the lowest triangle keeps the
//! number, the other gets a new one after all others. So every vertex always has one connected fan of triangles
//! (unless it was built with more), old numbers stay valid, and the same tears in the same order give the same
//! model, whatever produced them.
//!
//! ```text
//! masses, forces   shared in proportion to the triangles' rest areas; the sum is kept to the bit
//! velocities, UVs  copied                                  (so momentum is kept)
//! pins             both copies are pinned
//! elements         `remap.rs`
//! gas              leaks at once: a surface that has opened encloses nothing
//! ```
//!
//! `surface.rs` holds the half-edges of one body.

pub(crate) mod surface;
use crate::topology::split::surface::SurfaceTopology;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::Error;
use crate::mesh::measure::distance;
use crate::model::tearing::{Tear, TearMode};
use crate::model::{BodyInfo, Model, PinnedVertex};
use crate::topology::remap::RemappedElements;
use crate::topology::tear::TearCandidate;

/// Edge of a body in tear mode [`TearMode::Break`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct BreakableEdge {
    pub body: u32,
    /// Current vertices.
    pub ends: [u32; 2],
    /// Vertices of the original model, ascending.
    pub original: [u32; 2],
    /// Rest length \[m\].
    pub length: f64,
}

/// Split of a vertex; the new vertex's number follows from its position in the list.
#[derive(Clone, Copy, Debug)]
struct VertexSplit {
    body: usize,
    from: u32,
    /// Share of the mass that the new vertex takes.
    share: f64,
}

/// The original model and all tears in it.
#[derive(Debug)]
pub(crate) struct Topology {
    original_model: Arc<Model>,
    surfaces: Vec<Option<SurfaceTopology>>,
    tears: Vec<Tear>,
    splits: Vec<VertexSplit>,
    /// Vertex of the original model from which each split vertex stems.
    original_vertices: Vec<u32>,
    broken_edges: BTreeSet<[u32; 2]>,
    breakable_edges: Vec<BreakableEdge>,
    /// Edges stretched beyond their limit; kept to reuse its memory.
    pub(crate) candidates: Vec<TearCandidate>,
}

/// Model with tears, and the origins of its elements.
pub(crate) struct SplitModel {
    pub model: Model,
    /// For each group of elements: the group of the original model and, for each element, its index there.
    pub element_origins: Vec<(usize, Vec<u32>)>,
    /// Number of elements of the original model that were removed.
    pub removed_elements: usize,
}

impl Topology {
    /// Creates a topology without tears.
    pub fn new(original: Arc<Model>) -> Self {
        let sheet =
            |b: &BodyInfo| b.is_sheet.then(|| SurfaceTopology::new(b, &original.rest_positions));
        let sheets = original.bodies.iter().map(sheet).collect();
        let mut own = Self {
            surfaces: sheets,
            tears: Vec::new(),
            splits: Vec::new(),
            original_vertices: Vec::new(),
            broken_edges: BTreeSet::new(),
            breakable_edges: Vec::new(),
            candidates: Vec::new(),
            original_model: original,
        };
        own.update_breakable_edges();
        own
    }

    /// Creates a topology with these tears.
    pub fn with_tears(original: Arc<Model>, tears: &[Tear]) -> Result<Self, Error> {
        let mut own = Self::new(original);
        for &tear in tears {
            if !own.apply(tear) {
                let reason = "it has a tear that is impossible in this model";
                return Err(Error::Snapshot { reason });
            }
        }
        own.update_breakable_edges();
        Ok(own)
    }

    /// The model without tears.
    pub fn original_model(&self) -> &Arc<Model> {
        &self.original_model
    }

    /// All tears, in order.
    pub fn tears(&self) -> &[Tear] {
        &self.tears
    }

    /// Number of new vertices so far.
    pub fn split_count(&self) -> usize {
        self.splits.len()
    }

    /// Surface of a body; `None` if it cannot be torn or cut.
    pub fn surface(&self, body: usize) -> Option<&SurfaceTopology> {
        self.surfaces.get(body)?.as_ref()
    }

    /// Edges that can break.
    pub fn breakable_edges(&self) -> &[BreakableEdge] {
        &self.breakable_edges
    }

    /// One of the edges that can break.
    pub fn breakable_edge(&self, key: usize) -> &BreakableEdge {
        &self.breakable_edges[key]
    }

    /// Iterates over the vertices from which new ones were split, in the order of the new numbers.
    pub fn split_parents(&self) -> impl Iterator<Item = usize> + '_ {
        self.splits.iter().map(|s| s.from as usize)
    }

    /// Vertex of the original model from which a current vertex stems.
    pub fn original_vertex(&self, vertex: usize) -> usize {
        let split = vertex.checked_sub(self.original_model.len());
        split.and_then(|i| self.original_vertices.get(i)).map_or(vertex, |&v| v as usize)
    }

    /// Broken edges of the original model.
    pub fn broken_edges(&self) -> &BTreeSet<[u32; 2]> {
        &self.broken_edges
    }

    /// Applies a tear. Returns false if it had been applied before or is impossible.
    pub fn apply(&mut self, tear: Tear) -> bool {
        let done = match tear {
            Tear::SplitEdge { body, triangle, side } => {
                self.split_edge(body as usize, triangle, side)
            }
            Tear::BreakEdge { body, edge } => self.break_edge(body as usize, edge),
        };
        if done {
            self.tears.push(tear);
        }
        done
    }

    fn split_edge(&mut self, body: usize, triangle: u32, side: u32) -> bool {
        let Some(sheet) = self.surfaces.get_mut(body).and_then(Option::as_mut) else {
            return false;
        };
        if triangle as usize >= sheet.original_triangles.len() || side > 2 {
            return false;
        }
        let side = 3 * triangle + side;
        if sheet.twins(side).next().is_none() {
            return false;
        }
        sheet.split_half_edges[side as usize] = true;
        for end in sheet.half_edge_vertices(side) {
            let next = (self.original_model.len() + self.splits.len()) as u32;
            if let Some(share) = sheet.split_vertex(end, side, next) {
                let root = (end as usize).checked_sub(self.original_model.len());
                self.original_vertices.push(root.map_or(end, |i| self.original_vertices[i]));
                self.splits.push(VertexSplit { body, from: end, share });
            }
        }
        true
    }

    fn break_edge(&mut self, body: usize, edge: [u32; 2]) -> bool {
        let Some(sheet) = self.surfaces.get_mut(body).and_then(Option::as_mut) else {
            return false;
        };
        let inside = edge.iter().all(|&v| sheet.vertices.contains(&(v as usize)));
        if !inside || edge[0] >= edge[1] || !self.broken_edges.insert(edge) {
            return false;
        }
        for &t in &sheet.original_vertex_triangles[edge[0] as usize - sheet.vertices.start] {
            if sheet.original_triangles[t as usize].contains(&edge[1]) {
                sheet.removed[t as usize] = true;
                sheet.any_removed = true;
            }
        }
        true
    }

    /// Updates the list of the edges that can break.
    fn update_breakable_edges(&mut self) {
        self.breakable_edges.clear();
        let mut edges: BTreeSet<[u32; 2]> = BTreeSet::new();
        for (b, info) in self.original_model.bodies.iter().enumerate() {
            if info.tearing.is_none_or(|t| t.mode != TearMode::Break) {
                continue;
            }
            for set in &self.original_model.elements {
                for e in 0..set.len() {
                    let &[p, q] = set.vertices(e) else { continue };
                    let own = |v: u32| info.vertices.contains(&(v as usize));
                    let pair = [p.min(q), p.max(q)];
                    if own(p) && own(q) && !self.broken_edges.contains(&pair) {
                        edges.insert(pair);
                    }
                }
            }
            for &original_edge in &edges {
                let length = distance(
                    self.original_model.rest_positions[original_edge[0] as usize],
                    self.original_model.rest_positions[original_edge[1] as usize],
                );
                let mut images = Vec::new();
                self.edge_images(b, original_edge, &mut images);
                let all = images.into_iter().map(|ends| BreakableEdge {
                    body: b as u32,
                    ends,
                    original: original_edge,
                    length,
                });
                self.breakable_edges.extend(all.filter(|w| w.length > 0.0));
            }
            edges.clear();
        }
    }

    /// Builds the model with all tears.
    pub fn split_model(&mut self) -> SplitModel {
        self.update_breakable_edges();
        let original = &self.original_model;
        let copies = |list: &[[f64; 3]]| {
            let mut list = list.to_vec();
            self.splits.iter().for_each(|s| list.push(list[s.from as usize]));
            list
        };
        let mut masses = original.masses.clone();
        let mut forces = original.forces.clone();
        let mut pins = original.pins.clone();
        let mut bodies = original.bodies.clone();
        for split in &self.splits {
            let (from, new) = (split.from as usize, masses.len());
            let (old_mass, new_mass) = split_exactly(masses[from], split.share);
            masses[from] = old_mass;
            masses.push(new_mass);
            if !forces.is_empty() {
                let parts = forces[from].map(|f| split_exactly(f, split.share));
                forces[from] = parts.map(|p| p.0);
                forces.push(parts.map(|p| p.1));
            }
            if let Some(pin) = pins.iter().find(|p| p.vertex == from) {
                let motion = pin.motion.clone();
                pins.push(PinnedVertex { vertex: new, motion });
            }
            let info = &mut bodies[split.body];
            let place = info.local_index(from).unwrap_or(0);
            if let Some(uvs) = &mut info.uvs {
                uvs.push(uvs[place]);
            }
            info.split_vertices.push(new as u32);
        }
        for (info, sheet) in bodies.iter_mut().zip(&self.surfaces) {
            let Some(sheet) = sheet else { continue };
            let all = sheet.triangles.iter().zip(&sheet.removed);
            info.triangles = all.filter(|(_, gone)| !**gone).map(|(t, _)| *t).collect();
            if sheet.any_split() || sheet.any_removed {
                info.pressure = None;
            }
        }
        let RemappedElements { elements, limits, element_origins, removed_elements } =
            self.remapped_elements();
        let model = Model {
            positions: copies(&original.positions),
            rest_positions: copies(&original.rest_positions),
            velocities: copies(&original.velocities),
            masses,
            mass_matrix: None,
            bodies,
            elements,
            strain_limits: limits,
            pins,
            colliders: original.colliders.clone(),
            blades: original.blades.clone(),
            gravity: original.gravity,
            forces,
            wind: original.wind,
            time_step: original.time_step,
        };
        SplitModel { model, element_origins, removed_elements }
    }
}

/// Splits a quantity in two parts, of which the second is about `share`. Their sum is the quantity to the bit:
/// the larger part is rounded, and then the difference is exact.
fn split_exactly(total: f64, share: f64) -> (f64, f64) {
    if share > 0.5 {
        let new = total * share;
        (total - new, new)
    } else {
        let old = total * (1.0 - share);
        (old, total - old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_sum_to_the_whole_to_the_bit() {
        for i in 1..1000 {
            let (total, share) = (0.1 + 0.37 * i as f64, i as f64 / 1001.0);
            let (a, b) = split_exactly(total, share);
            assert_eq!(a + b, total);
            assert!(a > 0.0 && b > 0.0);
        }
    }
}
