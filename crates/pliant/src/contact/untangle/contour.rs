//! Resolution of existing intersections by intersection contour minimization.
//!
//! Surfaces that intersect do not tell which side a vertex belongs on. But from the point at which an edge crosses a
//! triangle, the intersection contour of both surfaces continues into the faces beside the edge, and it gets shorter if
//! the edge moves along it (after Volino and Magnenat-Thalmann 2006: "Resolving surface collisions through intersection contour
//! minimization"). With the edge's direction `e`, the triangle's normal `n` and the direction `r` of the contour into
//! a face, a displacement `d` of the edge relative to the triangle shortens the contour by
//!
//! ```text
//! r·d − (r·e)(n·d)/(n·e)
//! ```
//!
//! so the edge moves along `r − (r·e)/(n·e) n`, summed over its faces, and the triangle the opposite way. In the
//! interior of a flat sheet the contributions of the two faces cancel and nothing moves; at the boundary the contour is
//! drawn out. Between two bodies, all edges of one contour move in the average direction of the contour: a corner is
//! drawn out as a whole. Meanwhile the intersecting features are exempt from CCD.
//!
//! The result is a list of separation constraints. Each is a contact that requires a displacement in that direction
//! instead of a distance, so every solver weighs it against the forces that hold the surfaces, and no surface is thrown
//! back.

use std::cmp::Ordering;

use pliant_detect::intersect::EdgeTriangle;

use crate::contact::broad_phase::primitives::Features;
use crate::contact::solver::constraint::{ContactConstraint, MAX_VERTICES};
use crate::math::{Scalar, Vec3};
use crate::mesh::components::UnionFind;
use crate::simd::Point;

/// Displacement of an edge relative to a triangle in one step, as a fraction of the mean edge length.
const SEPARATION_STEP_FRACTION: f64 = 0.3;
/// A vector shorter than this fraction of its nominal length has no usable direction.
const MIN_RELATIVE_LENGTH: f64 = 1e-9;

/// State for resolving intersections.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct Untangler {
    /// Vertex opposite to each edge, keyed by the vertices of the edge, the smaller first; sorted.
    opposite: Vec<([u32; 2], u32)>,
    /// Gradient of each intersection, with its contour and its sign there.
    gradients: Vec<ContourGradient>,
    separations: Vec<SeparationConstraint>,
}

/// Constraint that draws an edge out of a triangle.
#[derive(Clone, Debug)]
struct SeparationConstraint {
    /// Vertices that take part, with their coefficients.
    terms: Vec<(u32, f64)>,
    /// Direction of the edge's motion relative to the triangle, and its speed [m/s].
    normal: Vec3<f64>,
    speed: f64,
}

/// Direction in which an edge moves relative to a triangle to shorten the contour.
#[derive(Clone, Copy, Debug)]
struct ContourGradient {
    direction: Vec3<f64>,
    /// Parameter of the intersection point along the edge, and its barycentric coordinates in the triangle.
    edge_parameter: f64,
    barycentric: [f64; 3],
    /// Representative vertex of the contour.
    contour: u32,
    /// One if the edge belongs to the first of two bodies, minus one if to the second; zero within one body.
    body_sign: f64,
}

impl Untangler {
    pub fn new(features: &Features) -> Self {
        let mut opposite = Vec::new();
        for cell in features.primitives.iter().filter(|cell| cell.vertex_count == 3) {
            let [a, b, c] = cell.vertices;
            for ([a, b], c) in [([a, b], c), ([b, c], a), ([c, a], b)] {
                opposite.push(([a.min(b), a.max(b)], c));
            }
        }
        opposite.sort_unstable();
        Self { opposite, ..Self::default() }
    }

    /// Computes separation constraints for the intersections at the positions `x` of all vertices, to act within
    /// `time` \[s\].
    pub fn update(
        &mut self,
        features: &Features,
        intersections: &[EdgeTriangle],
        x: &[[f64; 3]],
        time: f64,
    ) {
        self.compute_gradients(features, intersections, x);
        self.separations.clear();
        let stride = SEPARATION_STEP_FRACTION * features.mean_edge_length / time;
        for (crossing, gradient) in intersections.iter().zip(&self.gradients) {
            let length = gradient.direction.norm();
            if !(length > 0.0) {
                continue;
            }
            let cell = &features.primitives[crossing.triangle as usize];
            let [a, b] = crossing.edge;
            let edge = [(a, 1.0 - gradient.edge_parameter), (b, gradient.edge_parameter)];
            let [p, q, r] = [0, 1, 2].map(|k| (cell.vertices[k], -gradient.barycentric[k]));
            let mut terms = Vec::with_capacity(MAX_VERTICES);
            for (vertex, weight) in edge.into_iter().chain([p, q, r]) {
                let (vertices, shares, count) = features.vertex_stencil(vertex);
                terms
                    .extend(vertices.iter().zip(shares).take(count).map(|(&v, s)| (v, weight * s)));
            }
            let normal = gradient.direction.scale(1.0 / length);
            self.separations.push(SeparationConstraint { terms, normal, speed: stride * length });
        }
    }

    /// Discards all separation constraints.
    pub fn clear(&mut self) {
        self.separations.clear();
    }

    /// Appends the separation constraints for a substep of `h` \[s\] that starts at `x`.
    pub fn append_constraints<S: Scalar>(
        &self,
        x: &[Point<S>],
        h: f64,
        list: &mut Vec<ContactConstraint>,
    ) {
        for separation in &self.separations {
            let contact =
                ContactConstraint::new(separation.terms.iter().copied(), separation.normal, 0.0);
            let anchor = contact.combine(x);
            let stride = separation.speed * h;
            let offset = separation.normal.dot(anchor) + stride;
            // No distance is required, so none is missing.
            let whole = f64::NEG_INFINITY;
            list.push(ContactConstraint {
                anchor,
                offset,
                full_offset: whole,
                min_distance: stride,
                ..contact
            });
        }
    }

    /// Computes the gradient of each intersection; between two bodies, the common direction of each contour.
    fn compute_gradients(
        &mut self,
        features: &Features,
        intersections: &[EdgeTriangle],
        all: &[[f64; 3]],
    ) {
        let at = |v: u32| Vec3::<f64>::of(all[v as usize]);
        let mut sets = UnionFind::new(features.vertex_count);
        let mut gradients = std::mem::take(&mut self.gradients);
        gradients.clear();
        for crossing in intersections {
            let cell = &features.primitives[crossing.triangle as usize];
            let [a, b] = crossing.edge;
            [b].iter().chain(cell.vertices()).for_each(|&v| sets.union(a, v));
            let nothing = (Vec3::zero(), 0.5, [1.0 / 3.0; 3]);
            let (direction, along, weights) =
                self.contour_gradient(crossing, cell.vertices.map(at), at).unwrap_or(nothing);
            let side = match features.group_of(a).cmp(&cell.group) {
                Ordering::Less => 1.0,
                Ordering::Equal => 0.0,
                Ordering::Greater => -1.0,
            };
            gradients.push(ContourGradient {
                direction,
                edge_parameter: along,
                barycentric: weights,
                contour: a,
                body_sign: side,
            });
        }
        let mut lines: Vec<(u32, Vec3<f64>)> = Vec::new();
        for gradient in &mut gradients {
            gradient.contour = sets.find(gradient.contour);
            lines.push((gradient.contour, gradient.direction.scale(gradient.body_sign)));
        }
        lines.sort_by_key(|line| line.0);
        let sums: Vec<(u32, Vec3<f64>)> = lines
            .chunk_by(|a, b| a.0 == b.0)
            .map(|own| (own[0].0, own.iter().fold(Vec3::zero(), |sum, w| sum + w.1)))
            .collect();
        for gradient in gradients.iter_mut().filter(|gradient| gradient.body_sign != 0.0) {
            if let Ok(i) = sums.binary_search_by_key(&gradient.contour, |s| s.0)
                && let Some(way) = unit(sums[i].1)
            {
                gradient.direction = way.scale(gradient.body_sign);
            }
        }
        self.gradients = gradients;
    }

    /// Returns the direction, at most of unit length, in which an edge moves relative to a triangle, the parameter of
    /// the intersection point along the edge, and its barycentric coordinates in the triangle.
    fn contour_gradient(
        &self,
        crossing: &EdgeTriangle,
        [p, q, r]: [Vec3<f64>; 3],
        at: impl Fn(u32) -> Vec3<f64>,
    ) -> Option<(Vec3<f64>, f64, [f64; 3])> {
        let [a, b] = crossing.edge.map(&at);
        let area = (q - p).cross(r - p);
        let n = unit(area)?;
        let e = unit(b - a)?;
        let (above, below) = (n.dot(a - p), n.dot(b - p));
        let slope = n.dot(e);
        let along = if above == below { 0.5 } else { (above / (above - below)).clamp(0.0, 1.0) };
        let meet = a + (b - a).scale(along);
        let part = |s: Vec3<f64>, t: Vec3<f64>| {
            (n.dot((s - meet).cross(t - meet)) / area.norm()).clamp(0.0, 1.0)
        };
        let weights = [part(q, r), part(r, p), part(p, q)];
        let key = crossing.edge;
        let first = self.opposite.partition_point(|o| o.0 < key);
        let mut direction = Vec3::zero();
        for (_, corner) in self.opposite[first..].iter().take_while(|o| o.0 == key) {
            let inward = at(*corner) - a;
            let inward = inward - e.scale(e.dot(inward));
            let Some(line) = unit(n.cross(e.cross(inward))) else { continue };
            let line = if line.dot(inward) < 0.0 { line.scale(-1.0) } else { line };
            let tilt = if slope.abs() > MIN_RELATIVE_LENGTH { line.dot(e) / slope } else { 0.0 };
            direction += line - n.scale(tilt);
        }
        let length = direction.norm();
        (length > MIN_RELATIVE_LENGTH && length.is_finite())
            .then(|| (direction.scale(1.0 / length.max(1.0)), along, weights))
    }
}

fn unit(v: Vec3<f64>) -> Option<Vec3<f64>> {
    let length = v.norm();
    (length > 0.0 && length.is_finite()).then(|| v.scale(1.0 / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradient is the direction in which the contour shortens fastest, by finite differences.
    #[test]
    fn contour_gradient_shortens_the_contour() {
        // A face with the edge 0–1 and the vertex 2, crossed by a wide triangle.
        let face = [[-0.3, -0.7, 0.4], [0.5, 0.8, -0.2], [1.2, -0.4, 0.9]].map(Vec3::<f64>::of);
        let wide = [[-9.0, 0.1, -8.0], [9.0, -0.2, -8.0], [0.0, 0.3, 12.0]].map(Vec3::<f64>::of);
        let own = Untangler { opposite: vec![([0, 1], 2)], ..Untangler::default() };
        let crossing = EdgeTriangle { edge: [0, 1], triangle: 0 };
        let (direction, along, weights) =
            own.contour_gradient(&crossing, wide, |v| face[v as usize]).expect("they cross");
        let meet = face[0] + (face[1] - face[0]).scale(along);
        let other: Vec3<f64> = (0..3).fold(Vec3::zero(), |sum, k| sum + wide[k].scale(weights[k]));
        assert!((meet - other).norm() < 1e-12, "{meet:?} {other:?}");
        // The end of the contour at the edge, if only the edge moves.
        let n = unit((wide[1] - wide[0]).cross(wide[2] - wide[0])).expect("a plane");
        let end = |d: Vec3<f64>| {
            let [a, b] = [face[0] + d, face[1] + d];
            let (above, below) = (n.dot(a - wide[0]), n.dot(b - wide[0]));
            a + (b - a).scale(above / (above - below))
        };
        let inward = (face[2] - meet) - n.scale(n.dot(face[2] - meet));
        let normal = (face[1] - face[0]).cross(face[2] - face[0]);
        let line = unit(n.cross(normal)).expect("a line");
        let line = if line.dot(inward) < 0.0 { line.scale(-1.0) } else { line };
        let shorter = |d: Vec3<f64>| line.dot(end(d) - end(d.scale(-1.0))) / 2e-6;
        let slope = Vec3::new(
            shorter(Vec3::new(1e-6, 0.0, 0.0)),
            shorter(Vec3::new(0.0, 1e-6, 0.0)),
            shorter(Vec3::new(0.0, 0.0, 1e-6)),
        );
        let way = slope.scale(1.0 / slope.norm().max(1.0));
        assert!((way - direction).norm() < 1e-6, "{way:?} {direction:?}");
    }
}
