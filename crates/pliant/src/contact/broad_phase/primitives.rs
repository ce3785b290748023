//! Collision primitives: triangles and segments of surfaces, with the vertices and edges that each owns.
//!
//! Bodies contribute their triangles, strands their segments, colliders with vertices the triangles of their meshes.
//! A vertex or an edge is shared by several primitives and owned by the first one, so each pair of features is tested
//! once although pairs are found by primitives.
//!
//! ```text
//! vertices     the model's, then points carried by rigid bodies, then vertices of colliders
//! primitives   those of bodies, then those of colliders
//! ```

use std::collections::BTreeSet;

use crate::mesh::measure::distance;
use crate::model::Model;
use crate::model::collider::shape::Shape;
use crate::model::contact_material::{CollidesWith, ContactMaterial};

/// A triangle or a segment.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct Primitive {
    /// Vertices; of a segment the first two.
    pub vertices: [u32; 3],
    /// Number of vertices: two or three.
    pub vertex_count: u8,
    /// Bit mask of the owned vertices.
    pub own_vertices: u8,
    /// Bit mask of the owned edges: edge `k` goes from vertex `k` to the next.
    pub own_edges: u8,
    /// Index of its surface group.
    pub group: u32,
}

impl Primitive {
    pub fn vertices(&self) -> &[u32] {
        &self.vertices[..self.vertex_count as usize]
    }

    /// Returns the ends of an edge.
    #[inline(always)]
    pub fn edge(&self, place: usize) -> [u32; 2] {
        [self.vertices[place], self.vertices[next(place)]]
    }

    /// Iterates over the owned edges, as local indices.
    #[inline(always)]
    pub fn own_edges(&self) -> impl Iterator<Item = usize> {
        let bits = self.own_edges;
        (0..3).filter(move |k| bits >> k & 1 == 1)
    }

    /// Iterates over the owned vertices, as local indices.
    #[inline(always)]
    pub fn own_vertices(&self) -> impl Iterator<Item = usize> {
        let bits = self.own_vertices;
        (0..3).filter(move |k| bits >> k & 1 == 1)
    }
}

/// Returns the local vertex index that follows another in a triangle.
#[inline(always)]
pub(in crate::contact) fn next(place: usize) -> usize {
    if place == 2 { 0 } else { place + 1 }
}

/// Surface of a body or a collider.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct SurfaceGroup {
    pub contact_material: ContactMaterial,
    /// True if its primitives are segments, whose ends no triangle covers.
    pub is_strand: bool,
}

/// Vertices of a collider's mesh.
#[derive(Clone, Debug)]
pub(in crate::contact) struct ColliderVertices {
    pub collider: usize,
    /// Positions in the collider's coordinates \[m\].
    pub local: Vec<[f64; 3]>,
}

/// All features that can collide.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Features {
    /// Number of vertices of the model; points carried by rigid bodies and vertices of colliders follow.
    pub model_vertex_count: usize,
    /// The four vertices that carry each of those points, with their weights.
    pub rigid_points: Vec<([u32; 4], [f64; 4])>,
    /// Total number of vertices.
    pub vertex_count: usize,
    /// Contact radius of each vertex \[m\]; zero for vertices without contact.
    pub radii: Vec<f64>,
    /// Surface group of each vertex.
    vertex_groups: Vec<u32>,
    pub primitives: Vec<Primitive>,
    /// Number of primitives of bodies, which come first.
    pub body_primitive_count: usize,
    pub groups: Vec<SurfaceGroup>,
    pub collider_vertices: Vec<ColliderVertices>,
    /// True if bodies collide with bodies.
    pub bodies_collide: bool,
    /// Mean length of the first edges of bodies' primitives \[m\].
    pub mean_edge_length: f64,
}

impl Features {
    pub fn new(model: &Model) -> Self {
        let mut all =
            Self { model_vertex_count: model.len(), vertex_count: model.len(), ..Self::default() };
        for body in model.bodies() {
            let Some(mut material) = body.contact_material else { continue };
            if let Some(frame) = &body.rigid_frame {
                // A rigid body cannot touch itself.
                material.collides_with = material.collides_with.min(CollidesWith::Bodies);
                let four = [0, 1, 2, 3].map(|k| (body.vertices.start + k) as u32);
                let first = all.vertex_count as u32;
                all.vertex_count += frame.weights.len();
                all.rigid_points.extend(frame.weights.iter().map(|w| (four, *w)));
                let cells = frame.triangles.iter().map(|t| (t.map(|v| first + v), 3));
                all.add_group(cells, SurfaceGroup { contact_material: material, is_strand: false });
                continue;
            }
            let cells = body.triangles.iter().map(|t| (*t, 3));
            let cells = cells.chain(body.segments.iter().map(|s| ([s[0], s[1], s[1]], 2)));
            all.add_group(
                cells,
                SurfaceGroup { contact_material: material, is_strand: body.triangles.is_empty() },
            );
        }
        all.body_primitive_count = all.primitives.len();
        all.bodies_collide = model.surfaces_can_collide();
        let mut x = model.rest_positions().to_vec();
        all.append_rigid_points(&mut x);
        for cell in &all.primitives {
            let [a, b] = [cell.vertices[0], cell.vertices[1]].map(|v| x[v as usize]);
            all.mean_edge_length += distance(a, b) / all.body_primitive_count as f64;
        }
        if all.body_primitive_count > 0 {
            for (index, collider) in model.colliders().iter().enumerate() {
                all.add_collider(index, collider.shape(), collider.contact_material);
            }
        }
        all.radii = vec![0.0; all.vertex_count];
        all.vertex_groups = vec![0; all.vertex_count];
        for cell in &all.primitives {
            let radius = all.groups[cell.group as usize].contact_material.radius;
            for &v in cell.vertices() {
                (all.radii[v as usize], all.vertex_groups[v as usize]) = (radius, cell.group);
            }
        }
        if !all.bodies_collide && all.collider_vertices.is_empty() {
            return Self {
                model_vertex_count: model.len(),
                vertex_count: model.len(),
                ..Self::default()
            };
        }
        all
    }

    /// Appends the positions of points carried by rigid bodies to the positions of the model's vertices \[m\].
    pub fn append_rigid_points(&self, x: &mut Vec<[f64; 3]>) {
        for (four, weights) in &self.rigid_points {
            let mut p = [0.0; 3];
            for (&v, w) in four.iter().zip(weights) {
                (0..3).for_each(|c| p[c] += w * x[v as usize][c]);
            }
            x.push(p);
        }
    }

    /// Returns the model's vertices that define a vertex, their weights and their number: the vertex itself, the four
    /// that carry it, or none for a collider's vertex.
    pub fn vertex_stencil(&self, vertex: u32) -> ([u32; 4], [f64; 4], usize) {
        let v = vertex as usize;
        if v < self.model_vertex_count {
            return ([vertex; 4], [1.0, 0.0, 0.0, 0.0], 1);
        }
        match self.rigid_points.get(v - self.model_vertex_count) {
            Some((four, weights)) => (*four, *weights, 4),
            None => ([0; 4], [0.0; 4], 0),
        }
    }

    /// Returns the minimum distance of two primitives \[m\].
    #[inline(always)]
    pub fn min_distance(&self, cells: [&Primitive; 2]) -> f64 {
        let [a, b] =
            [cells[0].group, cells[1].group].map(|g| &self.groups[g as usize].contact_material);
        a.radius + b.radius
    }

    /// Returns true if one of two primitives belongs to a thread.
    #[inline(always)]
    pub fn has_strand(&self, cells: [&Primitive; 2]) -> bool {
        cells.iter().any(|cell| self.groups[cell.group as usize].is_strand)
    }

    /// Returns the surface group of a vertex.
    pub fn group_of(&self, vertex: u32) -> u32 {
        self.vertex_groups[vertex as usize]
    }

    /// Returns true if a primitive belongs to a collider.
    pub fn is_collider(&self, cell: usize) -> bool {
        cell >= self.body_primitive_count
    }

    /// Returns true if two primitives share a vertex.
    pub fn share_vertex(&self, cells: [usize; 2]) -> bool {
        let [a, b] = cells.map(|c| &self.primitives[c].vertices);
        a.iter().any(|v| b.contains(v))
    }

    fn add_collider(&mut self, collider: usize, shape: &Shape, material: ContactMaterial) {
        let Some(mesh) = shape.collision_mesh() else { return };
        let first = self.vertex_count as u32;
        self.vertex_count += mesh.positions.len();
        let cells = mesh.triangles.iter().map(|t| (t.map(|v| first + v), 3));
        self.add_group(cells, SurfaceGroup { contact_material: material, is_strand: false });
        self.collider_vertices.push(ColliderVertices { collider, local: mesh.positions });
    }

    fn add_group(&mut self, cells: impl Iterator<Item = ([u32; 3], u8)>, group: SurfaceGroup) {
        let number = self.groups.len() as u32;
        self.groups.push(group);
        let mut vertices = BTreeSet::new();
        let mut edges = BTreeSet::new();
        for (vertices_of, count) in cells {
            let n = count as usize;
            let mut cell = Primitive {
                vertices: vertices_of,
                vertex_count: count,
                own_vertices: 0,
                own_edges: 0,
                group: number,
            };
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
            self.primitives.push(cell);
        }
    }
}
