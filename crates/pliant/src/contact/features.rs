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

    /// The edges that it looks after.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let edges = if self.count == 3 { 3 } else { 1 };
        (0..edges)
            .filter(|k| self.own_edges >> k & 1 == 1)
            .map(|k| [self.vertices[k], self.vertices[(k + 1) % self.count as usize]])
    }

    /// The vertices that it looks after.
    pub fn vertices(&self) -> impl Iterator<Item = u32> + '_ {
        let own = |(k, _): &(usize, &u32)| self.own_vertices >> k & 1 == 1;
        self.corners().iter().enumerate().filter(own).map(|(_, &v)| v)
    }
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
    /// Vertices of the model; those of colliders come after them.
    pub model: usize,
    /// Vertices in all.
    pub vertices: usize,
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
            let Some(touch) = body.touch else { continue };
            let cells = body.triangles.iter().map(|t| (*t, 3));
            let cells = cells.chain(body.segments.iter().map(|s| ([s[0], s[1], s[1]], 2)));
            all.add(cells, Group { touch, thread: body.triangles.is_empty() });
        }
        all.moving = all.cells.len();
        all.among_bodies = all.groups.iter().any(|g| g.touch.partners >= Partners::Bodies);
        let x = model.rest_positions();
        for cell in &all.cells {
            let [a, b] = [cell.vertices[0], cell.vertices[1]].map(|v| x[v as usize]);
            all.size += distance(a, b) / all.moving as f64;
        }
        if all.moving > 0 {
            for (index, collider) in model.colliders().iter().enumerate() {
                all.add_corners(index, collider.shape(), collider.touch);
            }
        }
        if !all.among_bodies && all.corners.is_empty() {
            return Self { model: model.len(), vertices: model.len(), ..Self::default() };
        }
        all
    }

    /// Whether a cell belongs to a collider.
    pub fn is_fixed(&self, cell: usize) -> bool {
        cell >= self.moving
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

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum::<f64>().sqrt()
}
