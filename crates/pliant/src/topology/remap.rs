//! Elements of a split model: the images of the original elements on the current vertices.
//!
//! An element acts on the material between its vertices of the original model. Its images are the current
//! vertices of the same material:
//!
//! | element | rule |
//! |---|---|
//! | vertex, edge or triangle of the surface | an image in each triangle that contains it, without duplicates (1) |
//! | spring between two vertices with a common neighbour | the same, along triangles at the common neighbour |
//! | longer spring: a tether | removed at the first split of its body, since its path has changed |
//! | more vertices: bending angle, ring, volume | kept if each vertex has one image in its triangles (2) |
//! | both ends of a broken edge | removed |
//! | reaches into another body | stays with the vertices that keep their numbers |
//!
//! (1) Several images share the weight in proportion to the triangles' rest areas. (2) Removed if the tear runs
//! through the element.
//!
//! Strain limits follow the same rules. So an edge along a tear keeps half of its spring on each side, and the
//! energy at the instant of a tear loses only the part across it.

use crate::batch::{AnyElements, ElementRemap};
use crate::model::strain_limit::BodyLimits;
use crate::topology::split::Topology;
use crate::topology::split::surface::SurfaceTopology;

/// Elements and strain limits of a split model, and their origins.
pub(crate) struct RemappedElements {
    pub elements: Vec<Box<dyn AnyElements>>,
    pub limits: Vec<BodyLimits>,
    /// For each group: the group of the original model and, for each element, its index there.
    pub element_origins: Vec<(usize, Vec<u32>)>,
    /// Number of elements without an image.
    pub removed_elements: usize,
}

/// Images of one element, with the area of each.
#[derive(Default)]
struct Images {
    vertices: Vec<u32>,
    areas: Vec<f64>,
}

impl Images {
    fn clear(&mut self) {
        self.vertices.clear();
        self.areas.clear();
    }

    /// Adds an image, or its area to an equal image.
    fn add(&mut self, image: &[u32], area: f64) {
        let known = self.vertices.chunks_exact(image.len()).position(|v| v == image);
        match known {
            Some(i) => self.areas[i] += area,
            None => {
                self.vertices.extend_from_slice(image);
                self.areas.push(area);
            }
        }
    }
}

impl Topology {
    /// Returns all elements and strain limits on the current vertices.
    pub fn remapped_elements(&self) -> RemappedElements {
        let original = self.original_model();
        let mut all = RemappedElements {
            elements: Vec::new(),
            limits: Vec::new(),
            element_origins: Vec::new(),
            removed_elements: 0,
        };
        let mut images = Images::default();
        for (group, set) in original.elements.iter().enumerate() {
            let mut plan = ElementRemap::default();
            let mut sources = Vec::with_capacity(set.len());
            for e in 0..set.len() {
                let vertices = set.vertices(e);
                if vertices.is_empty() {
                    continue;
                }
                self.images(vertices, &mut images);
                let total: f64 = images.areas.iter().sum();
                let count = images.areas.len() as f64;
                all.removed_elements += usize::from(images.areas.is_empty());
                let list = images.vertices.chunks_exact(vertices.len()).zip(&images.areas);
                for (image, area) in list {
                    let share = match count {
                        1.0 => 1.0,
                        _ if total > 0.0 => area / total,
                        _ => 1.0 / count,
                    };
                    plan.push(e, image, share);
                    sources.push(e as u32);
                }
            }
            if !sources.is_empty() {
                all.elements.push(set.remapped(&plan));
                all.element_origins.push((group, sources));
            }
        }
        all.limits =
            original.strain_limits.iter().map(|l| self.remapped_limits(l, &mut images)).collect();
        all
    }

    fn remapped_limits(&self, original: &BodyLimits, images: &mut Images) -> BodyLimits {
        let (mut edges, mut triangles) = (Vec::new(), Vec::new());
        for (edge, length) in &original.edges {
            self.images(edge, images);
            edges.extend(images.vertices.chunks_exact(2).map(|v| ([v[0], v[1]], *length)));
        }
        for (triangle, area) in &original.triangles {
            self.images(triangle, images);
            let list = images.vertices.chunks_exact(3);
            triangles.extend(list.map(|v| ([v[0], v[1], v[2]], *area)));
        }
        BodyLimits { limit: original.limit, edges, triangles }
    }

    /// Adds the images of an edge of a body to `out`.
    pub fn edge_images(&self, body: usize, edge: [u32; 2], out: &mut Vec<[u32; 2]>) {
        let mut images = Images::default();
        if self.surface(body).is_some() {
            self.images(&edge, &mut images);
        }
        out.extend(images.vertices.chunks_exact(2).map(|v| [v[0], v[1]]));
    }

    /// Finds the images of an element on these vertices of the original model.
    fn images(&self, vertices: &[u32], images: &mut Images) {
        images.clear();
        if self.has_broken_edge(vertices) {
            return;
        }
        let bodies = &self.original_model().bodies;
        let body = bodies.partition_point(|b| b.vertices.end <= vertices[0] as usize);
        let own = |v: &u32| bodies[body].vertices.contains(&(*v as usize));
        let sheet = self.surface(body).filter(|s| s.any_split() && vertices.iter().all(own));
        let parted = |s: &SurfaceTopology| vertices.iter().any(|&v| s.has_split(v));
        match (sheet, vertices) {
            (Some(sheet), &[a, b]) if is_long_range(sheet, a, b) => {}
            (Some(sheet), _) if parted(sheet) => {
                images_in_triangles(sheet, vertices, images);
                if images.areas.is_empty() {
                    match vertices {
                        &[a, b] => images_via_neighbours(sheet, a, b, images),
                        [_, _, ..] => images_in_patch(sheet, vertices, images),
                        _ => {}
                    }
                }
            }
            _ => images.add(vertices, 1.0),
        }
    }

    /// True if an element contains both ends of a broken edge.
    fn has_broken_edge(&self, vertices: &[u32]) -> bool {
        if self.broken_edges().is_empty() {
            return false;
        }
        if vertices.len() > 16 {
            return self.broken_edges().iter().any(|e| e.iter().all(|v| vertices.contains(v)));
        }
        vertices.iter().enumerate().any(|(i, &p)| {
            vertices[..i].iter().any(|&q| self.broken_edges().contains(&[p.min(q), p.max(q)]))
        })
    }
}

/// Finds the images in the triangles that contain all of the vertices.
fn images_in_triangles(sheet: &SurfaceTopology, vertices: &[u32], images: &mut Images) {
    if vertices.len() > 3 {
        return;
    }
    let mut image = [0; 3];
    for &t in sheet.original_fan(vertices[0]) {
        let t = t as usize;
        let (original, now) = (sheet.original_triangle(t), sheet.triangle(t));
        let place = |v: &u32| original.iter().position(|w| w == v);
        if vertices.iter().all(|v| place(v).is_some()) {
            for (to, v) in image.iter_mut().zip(vertices) {
                *to = place(v).map_or(0, |k| now[k]);
            }
            images.add(&image[..vertices.len()], sheet.rest_area(t));
        }
    }
}

/// Current number of a vertex in a triangle; `None` if the triangle does not contain it.
fn vertex_in_triangle(sheet: &SurfaceTopology, triangle: u32, vertex: u32) -> Option<u32> {
    let k = sheet.original_triangle(triangle as usize).iter().position(|&w| w == vertex)?;
    Some(sheet.triangle(triangle as usize)[k])
}

/// Iterates over the common neighbours of two vertices, with the triangles that connect them.
fn common_neighbours(
    sheet: &SurfaceTopology,
    a: u32,
    b: u32,
) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
    sheet.original_fan(a).iter().flat_map(move |&s| {
        sheet.original_fan(b).iter().flat_map(move |&t| {
            let theirs = sheet.original_triangle(t as usize);
            let common = move |m: &u32| *m != a && *m != b && theirs.contains(m);
            sheet.original_triangle(s as usize).into_iter().filter(common).map(move |m| (m, s, t))
        })
    })
}

/// True if two vertices share no triangle and no neighbour.
fn is_long_range(sheet: &SurfaceTopology, a: u32, b: u32) -> bool {
    let together =
        sheet.original_fan(a).iter().any(|&t| sheet.original_triangle(t as usize).contains(&b));
    !together && common_neighbours(sheet, a, b).next().is_none()
}

/// Finds the images of a spring along triangles at a common neighbour.
fn images_via_neighbours(sheet: &SurfaceTopology, a: u32, b: u32, images: &mut Images) {
    for (middle, s, t) in common_neighbours(sheet, a, b) {
        let joined = vertex_in_triangle(sheet, s, middle) == vertex_in_triangle(sheet, t, middle);
        if let (true, Some(a), Some(b)) =
            (joined, vertex_in_triangle(sheet, s, a), vertex_in_triangle(sheet, t, b))
        {
            images.add(&[a, b], sheet.rest_area(s as usize) + sheet.rest_area(t as usize));
        }
    }
}

/// Finds the image in the triangles whose vertices all belong to the element, if each vertex has just one
/// there.
fn images_in_patch(sheet: &SurfaceTopology, vertices: &[u32], images: &mut Images) {
    let mut sorted = vertices.to_vec();
    sorted.sort_unstable();
    let inside = |t: &u32| {
        sheet.original_triangle(*t as usize).iter().all(|v| sorted.binary_search(v).is_ok())
    };
    let mut image = Vec::with_capacity(vertices.len());
    for &v in vertices {
        let mut seen = sheet
            .original_fan(v)
            .iter()
            .filter(|t| inside(t))
            .filter_map(|&t| vertex_in_triangle(sheet, t, v));
        let Some(first) = seen.next() else { return };
        if seen.any(|other| other != first) {
            return;
        }
        image.push(first);
    }
    images.add(&image, 1.0);
}
