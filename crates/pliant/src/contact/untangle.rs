//! Taking surfaces apart that cross each other already.
//!
//! Where surfaces cross, nothing tells which side a vertex belongs on. But where an edge crosses a triangle,
//! the line along which both surfaces cross goes on into the faces beside the edge, and it gets shorter if
//! the edge moves along it (after Volino and Magnenat-Thalmann 2006: "Resolving surface collisions through
//! intersection contour minimization"). With the edge's direction `e`, the triangle's normal `n` and the
//! direction `r` of the line into a face, a motion `d` of the edge against the triangle makes it shorter by
//!
//! ```text
//! r·d − (r·e)(n·d)/(n·e)
//! ```
//!
//! so the edge goes along `r − (r·e)/(n·e) n`, summed over its faces, and the triangle the other way. In the
//! middle of a flat sheet the two faces want opposite things and nothing moves; at the rim the line is drawn
//! out. Where two bodies cross, all along one line goes the way that its ends want on average: a corner is drawn
//! out as a whole. Meanwhile what has to do with it may pass.
//!
//! What draws is a contact like others, which asks for a stride in that direction instead of a distance: so every
//! solver weighs it against what holds the surfaces, and none throws them back.

use std::cmp::Ordering;

use pliant_detect::intersect::EdgeTriangle;

use super::features::Features;
use super::half_space::{Contact, MOST};
use crate::math::{Scalar, Vec3};
use crate::mesh::components::Sets;
use crate::simd::Point;

/// How far an edge and a triangle move against each other in a step, as a part of the size of cells.
const STRIDE: f64 = 0.3;
/// What is less than this of its length is a direction no more.
const TINY: f64 = 1e-9;

/// What is needed to take surfaces apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Untangler {
    /// The corners opposite to each edge, by its vertices, the smaller first.
    opposite: Vec<([u32; 2], u32)>,
    /// Where each crossing wants to go, which line it is part of, and which way it counts there.
    wishes: Vec<Wish>,
    draws: Vec<Draw>,
}

/// What draws an edge out of a triangle.
#[derive(Clone, Debug)]
struct Draw {
    /// The vertices that take part.
    terms: Vec<(u32, f64)>,
    /// Where the edge should go against the triangle, and how fast [m/s].
    normal: Vec3<f64>,
    speed: f64,
}

/// Where an edge should go against a triangle.
#[derive(Clone, Copy, Debug)]
struct Wish {
    pull: Vec3<f64>,
    /// Where on the edge they meet, and by which weights in the triangle.
    along: f64,
    weights: [f64; 3],
    /// A vertex that stands for the line.
    line: u32,
    /// One where the edge belongs to the first of two bodies, minus one to the second; zero in one body.
    side: f64,
}

impl Untangler {
    pub fn new(features: &Features) -> Self {
        let mut opposite = Vec::new();
        for cell in features.cells.iter().filter(|cell| cell.count == 3) {
            let [a, b, c] = cell.vertices;
            for ([a, b], c) in [([a, b], c), ([b, c], a), ([c, a], b)] {
                opposite.push(([a.min(b), a.max(b)], c));
            }
        }
        opposite.sort_unstable();
        Self { opposite, ..Self::default() }
    }

    /// What draws surfaces apart that cross at `x`, where all vertices are, within a time \[s\].
    pub fn look(
        &mut self,
        features: &Features,
        crossings: &[EdgeTriangle],
        x: &[[f64; 3]],
        time: f64,
    ) {
        self.wish(features, crossings, x);
        self.draws.clear();
        let stride = STRIDE * features.size / time;
        for (crossing, wish) in crossings.iter().zip(&self.wishes) {
            let length = wish.pull.norm();
            if !(length > 0.0) {
                continue;
            }
            let cell = &features.cells[crossing.triangle as usize];
            let [a, b] = crossing.edge;
            let edge = [(a, 1.0 - wish.along), (b, wish.along)];
            let [p, q, r] = [0, 1, 2].map(|k| (cell.vertices[k], -wish.weights[k]));
            let mut terms = Vec::with_capacity(MOST);
            for (vertex, weight) in edge.into_iter().chain([p, q, r]) {
                let (vertices, shares, count) = features.parts(vertex);
                terms
                    .extend(vertices.iter().zip(shares).take(count).map(|(&v, s)| (v, weight * s)));
            }
            let normal = wish.pull.scale(1.0 / length);
            self.draws.push(Draw { terms, normal, speed: stride * length });
        }
    }

    /// Forgets what crosses.
    pub fn forget(&mut self) {
        self.draws.clear();
    }

    /// Appends contacts that draw apart what crosses, over a substep of `h` \[s\] that starts at `x`.
    pub fn draw<S: Scalar>(&self, x: &[Point<S>], h: f64, list: &mut Vec<Contact>) {
        for draw in &self.draws {
            let contact = Contact::new(draw.terms.iter().copied(), draw.normal, 0.0);
            let anchor = contact.combine(x);
            let stride = draw.speed * h;
            let offset = draw.normal.dot(anchor) + stride;
            // It asks for no distance, so that none is missing.
            let whole = f64::NEG_INFINITY;
            list.push(Contact { anchor, offset, whole, gap: stride, ..contact });
        }
    }

    /// What each crossing wants, and all of one line.
    fn wish(&mut self, features: &Features, crossings: &[EdgeTriangle], all: &[[f64; 3]]) {
        let at = |v: u32| Vec3::<f64>::of(all[v as usize]);
        let mut sets = Sets::new(features.vertices);
        let mut wishes = std::mem::take(&mut self.wishes);
        wishes.clear();
        for crossing in crossings {
            let cell = &features.cells[crossing.triangle as usize];
            let [a, b] = crossing.edge;
            [b].iter().chain(cell.corners()).for_each(|&v| sets.join(a, v));
            let nothing = (Vec3::zero(), 0.5, [1.0 / 3.0; 3]);
            let (pull, along, weights) =
                self.pull(crossing, cell.vertices.map(at), at).unwrap_or(nothing);
            let side = match features.group_of(a).cmp(&cell.group) {
                Ordering::Less => 1.0,
                Ordering::Equal => 0.0,
                Ordering::Greater => -1.0,
            };
            wishes.push(Wish { pull, along, weights, line: a, side });
        }
        let mut lines: Vec<(u32, Vec3<f64>)> = Vec::new();
        for wish in &mut wishes {
            wish.line = sets.root(wish.line);
            lines.push((wish.line, wish.pull.scale(wish.side)));
        }
        lines.sort_by_key(|line| line.0);
        let sums: Vec<(u32, Vec3<f64>)> = lines
            .chunk_by(|a, b| a.0 == b.0)
            .map(|own| (own[0].0, own.iter().fold(Vec3::zero(), |sum, w| sum + w.1)))
            .collect();
        for wish in wishes.iter_mut().filter(|wish| wish.side != 0.0) {
            if let Ok(i) = sums.binary_search_by_key(&wish.line, |s| s.0)
                && let Some(way) = unit(sums[i].1)
            {
                wish.pull = way.scale(wish.side);
            }
        }
        self.wishes = wishes;
    }

    /// Where an edge should go against a triangle, at most as far as one; where on the edge they meet, and by
    /// which weights in the triangle.
    fn pull(
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
        let mut pull = Vec3::zero();
        for (_, corner) in self.opposite[first..].iter().take_while(|o| o.0 == key) {
            let inward = at(*corner) - a;
            let inward = inward - e.scale(e.dot(inward));
            let Some(line) = unit(n.cross(e.cross(inward))) else { continue };
            let line = if line.dot(inward) < 0.0 { line.scale(-1.0) } else { line };
            let tilt = if slope.abs() > TINY { line.dot(e) / slope } else { 0.0 };
            pull += line - n.scale(tilt);
        }
        let length = pull.norm();
        (length > TINY && length.is_finite())
            .then(|| (pull.scale(1.0 / length.max(1.0)), along, weights))
    }
}

fn unit(v: Vec3<f64>) -> Option<Vec3<f64>> {
    let length = v.norm();
    (length > 0.0 && length.is_finite()).then(|| v.scale(1.0 / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pull is the direction in which the line gets shorter the fastest, by differences.
    #[test]
    fn the_pull_shortens_the_line() {
        // A face with the edge 0–1 and the corner 2, crossed by a wide triangle.
        let face = [[-0.3, -0.7, 0.4], [0.5, 0.8, -0.2], [1.2, -0.4, 0.9]].map(Vec3::<f64>::of);
        let wide = [[-9.0, 0.1, -8.0], [9.0, -0.2, -8.0], [0.0, 0.3, 12.0]].map(Vec3::<f64>::of);
        let own = Untangler { opposite: vec![([0, 1], 2)], ..Untangler::default() };
        let crossing = EdgeTriangle { edge: [0, 1], triangle: 0 };
        let (pull, along, weights) =
            own.pull(&crossing, wide, |v| face[v as usize]).expect("they cross");
        let meet = face[0] + (face[1] - face[0]).scale(along);
        let other: Vec3<f64> = (0..3).fold(Vec3::zero(), |sum, k| sum + wide[k].scale(weights[k]));
        assert!((meet - other).norm() < 1e-12, "{meet:?} {other:?}");
        // The end of the line at the edge, where the edge is moved and nothing else.
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
        assert!((way - pull).norm() < 1e-6, "{way:?} {pull:?}");
    }
}
