//! What can touch what: the cells of surfaces, with the vertices and edges that each looks after.
//!
//! Bodies bring their triangles, strands their segments, colliders with corners the triangles of those.
//! A vertex or an edge is shared by several cells and looked after by the first, so that each pair of
//! features is met once although pairs are found by cells.
//!
//! ```text
//! vertices   those of the model, then the corners of colliders
//! cells      those that can move, then those of colliders
//! ```

use std::collections::BTreeSet;

use super::{Partners, Shape, Touch};
use crate::model::Model;

/// A triangle or a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Its vertices; a segment's first two.
    pub vertices: [u32; 3],
    /// Two or three.
    pub count: u8,
    /// Which of its vertices it looks after, by bits.
    pub own_vertices: u8,
    /// Which of its edges it looks after, by bits: edge `k` goes from vertex `k` to the next.
    pub own_edges: u8,
    /// What it is part of.
    pub group: u32,
}

impl Cell {
    pub fn corners(&self) -> &[u32] {
        &self.vertices[..self.count as usize]
    }

    /// The ends of an edge.
    #[inline(always)]
    pub fn edge(&self, place: usize) -> [u32; 2] {
        [self.vertices[place], self.vertices[next(place)]]
    }

    /// The edges that it looks after, by their places.
    #[inline(always)]
    pub fn own_edges(&self) -> impl Iterator<Item = usize> {
        let bits = self.own_edges;
        (0..3).filter(move |k| bits >> k & 1 == 1)
    }

    /// The vertices that it looks after, by their places.
    #[inline(always)]
    pub fn own_vertices(&self) -> impl Iterator<Item = usize> {
        let bits = self.own_vertices;
        (0..3).filter(move |k| bits >> k & 1 == 1)
    }
}

/// The place in a triangle after another.
#[inline(always)]
pub(super) fn next(place: usize) -> usize {
    if place == 2 { 0 } else { place + 1 }
}

/// A body or a collider.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub touch: Touch,
    /// Whether its cells are segments, whose ends nothing else looks after.
    pub thread: bool,
}

/// The corners of a collider among the vertices.
#[derive(Clone, Debug)]
pub(super) struct Corners {
    pub collider: usize,
    /// In the collider's coordinates \[m\].
    pub local: Vec<[f64; 3]>,
}

/// All that can touch.
#[derive(Clone, Debug, Default)]
pub(super) struct Features {
    /// Vertices of the model; then come points that rigid bodies carry, then corners of colliders.
    pub model: usize,
    /// Which four vertices carry each of those points, and by which weights.
    pub carried: Vec<([u32; 4], [f64; 4])>,
    /// Vertices in all.
    pub vertices: usize,
    /// The distance that each of them keeps from others \[m\]; zero where it does not touch.
    pub radii: Vec<f64>,
    /// What each of them is part of.
    groups_of: Vec<u32>,
    pub cells: Vec<Cell>,
    /// How many cells belong to bodies: the first.
    pub moving: usize,
    pub groups: Vec<Group>,
    pub corners: Vec<Corners>,
    /// Whether any body touches bodies.
    pub among_bodies: bool,
    /// A length of the cells of bodies \[m\]: the mean of their first edges.
    pub size: f64,
}

impl Features {
    pub fn new(model: &Model) -> Self {
        let mut all = Self { model: model.len(), vertices: model.len(), ..Self::default() };
        for body in model.bodies() {
            let Some(mut touch) = body.touch else { continue };
            if let Some(carried) = &body.carried {
                // What is rigid cannot touch itself.
                touch.partners = touch.partners.min(Partners::Bodies);
                let four = [0, 1, 2, 3].map(|k| (body.vertices.start + k) as u32);
                let first = all.vertices as u32;
                all.vertices += carried.weights.len();
                all.carried.extend(carried.weights.iter().map(|w| (four, *w)));
                let cells = carried.triangles.iter().map(|t| (t.map(|v| first + v), 3));
                all.add(cells, Group { touch, thread: false });
                continue;
            }
            let cells = body.triangles.iter().map(|t| (*t, 3));
            let cells = cells.chain(body.segments.iter().map(|s| ([s[0], s[1], s[1]], 2)));
            all.add(cells, Group { touch, thread: body.triangles.is_empty() });
        }
        all.moving = all.cells.len();
        all.among_bodies = model.surfaces_can_touch();
        let mut x = model.rest_positions().to_vec();
        all.append_carried(&mut x);
        for cell in &all.cells {
            let [a, b] = [cell.vertices[0], cell.vertices[1]].map(|v| x[v as usize]);
            all.size += distance(a, b) / all.moving as f64;
        }
        if all.moving > 0 {
            for (index, collider) in model.colliders().iter().enumerate() {
                all.add_corners(index, collider.shape(), collider.touch);
            }
        }
        all.radii = vec![0.0; all.vertices];
        all.groups_of = vec![0; all.vertices];
        for cell in &all.cells {
            let radius = all.groups[cell.group as usize].touch.radius;
            for &v in cell.corners() {
                (all.radii[v as usize], all.groups_of[v as usize]) = (radius, cell.group);
            }
        }
        if !all.among_bodies && all.corners.is_empty() {
            return Self { model: model.len(), vertices: model.len(), ..Self::default() };
        }
        all
    }

    /// Appends where rigid bodies carry their points to where the model's vertices are \[m\].
    pub fn append_carried(&self, x: &mut Vec<[f64; 3]>) {
        for (four, weights) in &self.carried {
            let mut p = [0.0; 3];
            for (&v, w) in four.iter().zip(weights) {
                (0..3).for_each(|c| p[c] += w * x[v as usize][c]);
            }
            x.push(p);
        }
    }

    /// The vertices of the model that make up a vertex: itself, or those that carry it; none where it is a
    /// collider's.
    pub fn parts(&self, vertex: u32) -> ([u32; 4], [f64; 4], usize) {
        let v = vertex as usize;
        if v < self.model {
            return ([vertex; 4], [1.0, 0.0, 0.0, 0.0], 1);
        }
        match self.carried.get(v - self.model) {
            Some((four, weights)) => (*four, *weights, 4),
            None => ([0; 4], [0.0; 4], 0),
        }
    }

    /// The distance that two cells keep \[m\].
    #[inline(always)]
    pub fn gap(&self, cells: [&Cell; 2]) -> f64 {
        let [a, b] = [cells[0].group, cells[1].group].map(|g| &self.groups[g as usize].touch);
        a.radius + b.radius
    }

    /// Whether one of two cells is a thread's.
    #[inline(always)]
    pub fn have_thread(&self, cells: [&Cell; 2]) -> bool {
        cells.iter().any(|cell| self.groups[cell.group as usize].thread)
    }

    /// What a vertex of a cell is part of.
    pub fn group_of(&self, vertex: u32) -> u32 {
        self.groups_of[vertex as usize]
    }

    /// Whether a cell belongs to a collider.
    pub fn is_fixed(&self, cell: usize) -> bool {
        cell >= self.moving
    }

    /// Whether two cells have a vertex in common.
    pub fn share_vertex(&self, cells: [usize; 2]) -> bool {
        let [a, b] = cells.map(|c| &self.cells[c].vertices);
        a.iter().any(|v| b.contains(v))
    }

    fn add_corners(&mut self, collider: usize, shape: &Shape, touch: Touch) {
        let Some(mesh) = shape.corners() else { return };
        let first = self.vertices as u32;
        self.vertices += mesh.positions.len();
        let cells = mesh.triangles.iter().map(|t| (t.map(|v| first + v), 3));
        self.add(cells, Group { touch, thread: false });
        self.corners.push(Corners { collider, local: mesh.positions });
    }

    fn add(&mut self, cells: impl Iterator<Item = ([u32; 3], u8)>, group: Group) {
        let number = self.groups.len() as u32;
        self.groups.push(group);
        let mut vertices = BTreeSet::new();
        let mut edges = BTreeSet::new();
        for (vertices_of, count) in cells {
            let n = count as usize;
            let mut cell =
                Cell { vertices: vertices_of, count, own_vertices: 0, own_edges: 0, group: number };
            for k in 0..n {
                if vertices.insert(vertices_of[k]) {
                    cell.own_vertices |= 1 << k;
                }
            }
            for k in 0..if n == 3 { 3 } else { 1 } {
                let (a, b) = (vertices_of[k], vertices_of[(k + 1) % n]);
                if edges.insert([a.min(b), a.max(b)]) {
                    cell.own_edges |= 1 << k;
                }
            }
            self.cells.push(cell);
        }
    }
}

pub(super) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum::<f64>().sqrt()
}

pub(super) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
