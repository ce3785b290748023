//! Which elements a torn body is made of.
//!
//! An element stands on vertices of the whole model; what it acts on is the material between them. Its
//! images are the present vertices that the same material has now:
//!
//! | element | rule |
//! |---|---|
//! | on one vertex, on an edge or a triangle of the surface | an image in each triangle that it is part of; equal ones count once. Several share the weight by the triangles' areas at rest |
//! | a spring between two vertices that share a neighbour | the same, along triangles at the common neighbour |
//! | a longer one: a tether | gone with the first split of its body, since the way it measures is another |
//! | on more vertices: a bending angle, a ring, a volume | stays where each of its vertices has one image in its triangles, goes where the tear runs through it |
//! | with both ends of a broken edge | gone |
//! | that reaches into another body | stays with the vertices that keep their numbers |
//!
//! Limits of strain follow the same rules. So an edge along a tear keeps half of its spring on each side, and
//! the energy at the instant of a tear loses only what was across it.

use crate::batch::{AnyElements, Rewiring};
use crate::strain_limit::BodyLimits;
use crate::torn::{Sheet, Topology};

/// Elements and limits of a torn model, and what they came from.
pub(crate) struct Rewired {
    pub elements: Vec<Box<dyn AnyElements>>,
    pub limits: Vec<BodyLimits>,
    /// Of each group: the group of the whole model, and the element there of each.
    pub sources: Vec<(usize, Vec<u32>)>,
    /// Elements without an image.
    pub removed: usize,
}

/// The images of one element, with the area that each stands for.
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

    /// Adds an image, or its area to the same one.
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
    /// All elements and limits on the present vertices.
    pub fn rewired(&self) -> Rewired {
        let whole = self.whole();
        let mut all =
            Rewired { elements: Vec::new(), limits: Vec::new(), sources: Vec::new(), removed: 0 };
        let mut images = Images::default();
        for (group, set) in whole.elements.iter().enumerate() {
            let mut plan = Rewiring::default();
            let mut sources = Vec::with_capacity(set.len());
            for e in 0..set.len() {
                let vertices = set.vertices(e);
                if vertices.is_empty() {
                    continue;
                }
                self.images(vertices, &mut images);
                let total: f64 = images.areas.iter().sum();
                let count = images.areas.len() as f64;
                all.removed += usize::from(images.areas.is_empty());
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
                all.elements.push(set.rewired(&plan));
                all.sources.push((group, sources));
            }
        }
        all.limits = whole.limits.iter().map(|l| self.rewired_limits(l, &mut images)).collect();
        all
    }

    fn rewired_limits(&self, whole: &BodyLimits, images: &mut Images) -> BodyLimits {
        let (mut edges, mut triangles) = (Vec::new(), Vec::new());
        for (edge, length) in &whole.edges {
            self.images(edge, images);
            edges.extend(images.vertices.chunks_exact(2).map(|v| ([v[0], v[1]], *length)));
        }
        for (triangle, area) in &whole.triangles {
            self.images(triangle, images);
            let list = images.vertices.chunks_exact(3);
            triangles.extend(list.map(|v| ([v[0], v[1], v[2]], *area)));
        }
        BodyLimits { limit: whole.limit, edges, triangles }
    }

    /// The images of an edge of a body.
    pub fn pair_images(&self, body: usize, edge: [u32; 2], out: &mut Vec<[u32; 2]>) {
        let mut images = Images::default();
        if self.sheet(body).is_some() {
            self.images(&edge, &mut images);
        }
        out.extend(images.vertices.chunks_exact(2).map(|v| [v[0], v[1]]));
    }

    /// Finds the images of an element on these vertices of the whole model.
    fn images(&self, vertices: &[u32], images: &mut Images) {
        images.clear();
        if self.is_broken(vertices) {
            return;
        }
        let bodies = &self.whole().bodies;
        let body = bodies.partition_point(|b| b.vertices.end <= vertices[0] as usize);
        let own = |v: &u32| bodies[body].vertices.contains(&(*v as usize));
        let sheet = self.sheet(body).filter(|s| s.is_split() && vertices.iter().all(own));
        let parted = |s: &Sheet| vertices.iter().any(|&v| s.is_parted(v));
        match (sheet, vertices) {
            (Some(sheet), &[a, b]) if is_long(sheet, a, b) => {}
            (Some(sheet), _) if parted(sheet) => {
                in_triangles(sheet, vertices, images);
                if images.areas.is_empty() {
                    match vertices {
                        &[a, b] => along_neighbours(sheet, a, b, images),
                        [_, _, ..] => in_patch(sheet, vertices, images),
                        _ => {}
                    }
                }
            }
            _ => images.add(vertices, 1.0),
        }
    }

    /// Whether an element has both ends of a broken edge.
    fn is_broken(&self, vertices: &[u32]) -> bool {
        if self.broken().is_empty() {
            return false;
        }
        if vertices.len() > 16 {
            return self.broken().iter().any(|e| e.iter().all(|v| vertices.contains(v)));
        }
        vertices.iter().enumerate().any(|(i, &p)| {
            vertices[..i].iter().any(|&q| self.broken().contains(&[p.min(q), p.max(q)]))
        })
    }
}

/// Images in the triangles that have all of the vertices.
fn in_triangles(sheet: &Sheet, vertices: &[u32], images: &mut Images) {
    if vertices.len() > 3 {
        return;
    }
    let mut image = [0; 3];
    for &t in sheet.home(vertices[0]) {
        let t = t as usize;
        let (whole, now) = (sheet.whole_corners(t), sheet.corners(t));
        let place = |v: &u32| whole.iter().position(|w| w == v);
        if vertices.iter().all(|v| place(v).is_some()) {
            for (to, v) in image.iter_mut().zip(vertices) {
                *to = place(v).map_or(0, |k| now[k]);
            }
            images.add(&image[..vertices.len()], sheet.rest_area(t));
        }
    }
}

/// The present number of a vertex in a triangle that has it.
fn seen_from(sheet: &Sheet, triangle: u32, vertex: u32) -> Option<u32> {
    let k = sheet.whole_corners(triangle as usize).iter().position(|&w| w == vertex)?;
    Some(sheet.corners(triangle as usize)[k])
}

/// The vertices that two vertices are both joined to, with the triangles that join them.
fn joints(sheet: &Sheet, a: u32, b: u32) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
    sheet.home(a).iter().flat_map(move |&s| {
        sheet.home(b).iter().flat_map(move |&t| {
            let theirs = sheet.whole_corners(t as usize);
            let common = move |m: &u32| *m != a && *m != b && theirs.contains(m);
            sheet.whole_corners(s as usize).into_iter().filter(common).map(move |m| (m, s, t))
        })
    })
}

/// Whether two vertices share no triangle and no neighbour.
fn is_long(sheet: &Sheet, a: u32, b: u32) -> bool {
    let together = sheet.home(a).iter().any(|&t| sheet.whole_corners(t as usize).contains(&b));
    !together && joints(sheet, a, b).next().is_none()
}

/// Images of a spring along triangles at a common neighbour.
fn along_neighbours(sheet: &Sheet, a: u32, b: u32, images: &mut Images) {
    for (middle, s, t) in joints(sheet, a, b) {
        let joined = seen_from(sheet, s, middle) == seen_from(sheet, t, middle);
        if let (true, Some(a), Some(b)) = (joined, seen_from(sheet, s, a), seen_from(sheet, t, b)) {
            images.add(&[a, b], sheet.rest_area(s as usize) + sheet.rest_area(t as usize));
        }
    }
}

/// The image in the triangles whose corners all belong to the element, if each vertex has just one there.
fn in_patch(sheet: &Sheet, vertices: &[u32], images: &mut Images) {
    let mut sorted = vertices.to_vec();
    sorted.sort_unstable();
    let inside =
        |t: &u32| sheet.whole_corners(*t as usize).iter().all(|v| sorted.binary_search(v).is_ok());
    let mut image = Vec::with_capacity(vertices.len());
    for &v in vertices {
        let mut seen =
            sheet.home(v).iter().filter(|t| inside(t)).filter_map(|&t| seen_from(sheet, t, v));
        let Some(first) = seen.next() else { return };
        if seen.any(|other| other != first) {
            return;
        }
        image.push(first);
    }
    images.add(&image, 1.0);
}
