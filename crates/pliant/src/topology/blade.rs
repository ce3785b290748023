//! Cutting: selection of the edges of a sheet that a moving blade cuts.
//!
//! Two triangles that share an edge are connected by two short segments: from a point of one to a point of the
//! edge, and on to a point of the other. A blade separates them if it crosses one of the segments. Every chain
//! of segments from one side of the blade's path to the other crosses the path, so a path right across a sheet
//! leaves two pieces, and a path that ends inside leaves a cut that ends inside. The cut follows the edges next
//! to the path: triangles are not divided.
//!
//! Each point of the sheet and of the blade moves in a straight line at constant speed over a step. A segment
//! and the blade are coplanar at the roots of a cubic,
//!
//! ```text
//! det(q − p, b₀ − p, b₁ − p)(t) = 0,    p, q the ends of the segment, b₀ and b₁ those of the blade
//! ```
//!
//! and cross if the point of intersection is within both. The points of triangles and edges are chosen off
//! their middles, so that blades along lines of symmetry do not meet them.

use crate::batch::ElementPrecision;
use crate::math::Vec3;
use crate::model::tearing::Tear;
use crate::simd::Point;
use crate::topology::split::Topology;
use crate::topology::split::surface::SurfaceTopology;
use crate::topology::tear::point;

/// Barycentric weights of the point of a triangle; fraction along an edge, from its lower vertex, of the point
/// of an edge.
const TRIANGLE_POINT_WEIGHTS: [f64; 3] = [0.31, 0.33, 0.36];
const EDGE_POINT_FRACTION: f64 = 0.489;

type Segment = [Vec3<f64>; 2];

/// Segment that moves linearly over a step: its ends at the start and at the end.
#[derive(Clone, Copy, Debug)]
struct MovingSegment {
    start: Segment,
    end: Segment,
}

impl MovingSegment {
    fn at(&self, t: f64) -> Segment {
        [0, 1].map(|i| self.start[i] + (self.end[i] - self.start[i]).scale(t))
    }

    /// True if the bounding boxes of both motions are disjoint.
    fn boxes_are_disjoint(&self, other: &Self) -> bool {
        let points = |m: &Self| [m.start[0], m.start[1], m.end[0], m.end[1]];
        let range = |m: &Self, c: fn(&Vec3<f64>) -> f64| {
            points(m).iter().map(c).fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)))
        };
        let axes: [fn(&Vec3<f64>) -> f64; 3] = [|p| p.x, |p| p.y, |p| p.z];
        axes.into_iter().any(|c| {
            let ((l, h), (m, n)) = (range(self, c), range(other, c));
            !(l <= n && m <= h)
        })
    }
}

impl Topology {
    /// Adds the edges to `tears` that a blade cuts on its motion from one position to another, while the sheets
    /// move from `before` to `after`.
    pub(crate) fn find_cuts<S: ElementPrecision>(
        &self,
        blade: [[[f64; 3]; 2]; 2],
        before: &[Point<S>],
        after: &[Point<S>],
        tears: &mut Vec<Tear>,
    ) {
        let [start, end] = blade.map(|ends| ends.map(Vec3::of));
        let blade = MovingSegment { start, end };
        for body in 0..self.original_model().bodies().len() {
            let Some(sheet) = self.surface(body) else { continue };
            for side in 0..sheet.half_edge_count() {
                let crossed = sheet.twins(side).any(|other| {
                    side < other
                        && [side, other].iter().any(|&s| {
                            moving_segments_cross(
                                &connecting_segment(sheet, s, before, after),
                                &blade,
                            )
                        })
                });
                if crossed {
                    let (triangle, side) = (side / 3, side % 3);
                    tears.push(Tear::SplitEdge { body: body as u32, triangle, side });
                }
            }
        }
    }
}

/// Returns the segment from the point of a triangle to that of one of its sides.
fn connecting_segment<S: ElementPrecision>(
    sheet: &SurfaceTopology,
    side: u32,
    before: &[Point<S>],
    after: &[Point<S>],
) -> MovingSegment {
    let corners = sheet.triangle(side as usize / 3);
    let mut ends = sheet.half_edge_vertices(side);
    ends.sort_unstable();
    let line = |x: &[Point<S>]| {
        let at = |v: u32| point(&x[v as usize]);
        let [a, b, c] = corners.map(at);
        let within = a.scale(TRIANGLE_POINT_WEIGHTS[0])
            + b.scale(TRIANGLE_POINT_WEIGHTS[1])
            + c.scale(TRIANGLE_POINT_WEIGHTS[2]);
        [
            within,
            at(ends[0]).scale(1.0 - EDGE_POINT_FRACTION) + at(ends[1]).scale(EDGE_POINT_FRACTION),
        ]
    };
    MovingSegment { start: line(before), end: line(after) }
}

/// True if two moving segments meet.
fn moving_segments_cross(path: &MovingSegment, blade: &MovingSegment) -> bool {
    if path.boxes_are_disjoint(blade) {
        return false;
    }
    let volume = |t: f64| {
        let ([p, q], [a, b]) = (path.at(t), blade.at(t));
        (q - p).cross(a - p).dot(b - p)
    };
    cubic_roots(volume).into_iter().flatten().any(|t| segments_intersect(path.at(t), blade.at(t)))
}

/// Returns the zero crossings in 0…1 of a cubic given by its values.
fn cubic_roots(f: impl Fn(f64) -> f64) -> [Option<f64>; 3] {
    // Power coefficients from four values.
    let [a, b, c, d] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(&f);
    let c1 = -5.5 * a + 9.0 * b - 4.5 * c + d;
    let c2 = 9.0 * a - 22.5 * b + 18.0 * c - 4.5 * d;
    let c3 = -4.5 * a + 13.5 * b - 13.5 * c + 4.5 * d;
    // The cubic is monotone between the zeros of its derivative.
    let mut turns = [0.0, 1.0, 1.0, 1.0];
    let square = c2 * c2 - 3.0 * c1 * c3;
    if square > 0.0 {
        let q = -(c2 + square.sqrt().copysign(c2));
        let mut pair = [q / (3.0 * c3), c1 / q].map(|t| if t > 0.0 && t < 1.0 { t } else { 1.0 });
        pair.sort_by(f64::total_cmp);
        (turns[1], turns[2]) = (pair[0], pair[1]);
    }
    let mut found = [None; 3];
    for (k, root) in found.iter_mut().enumerate() {
        let (mut low, mut high) = (turns[k], turns[k + 1]);
        // Zero counts as positive, so that a root at the end of an interval is found once.
        let sign = |t: f64| f(t) >= 0.0;
        let first = sign(low);
        if !(low < high) || first == sign(high) {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if sign(middle) == first { low = middle } else { high = middle }
        }
        *root = Some(high);
    }
    found
}

/// True if two coplanar segments intersect.
fn segments_intersect([p, q]: Segment, [a, b]: Segment) -> bool {
    let (u, v, w) = (q - p, b - a, a - p);
    let normal = u.cross(v);
    let square = normal.norm_squared();
    if !(square > 0.0) {
        return false;
    }
    let s = w.cross(v).dot(normal) / square;
    let t = w.cross(u).dot(normal) / square;
    (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(a: [f64; 3], b: [f64; 3]) -> Segment {
        [Vec3::of(a), Vec3::of(b)]
    }

    #[test]
    fn a_line_that_passes_through_another_crosses_it() {
        let still = line([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let path = MovingSegment { start: still, end: still };
        let upright = |x: f64, z: f64| line([x, -1.0, z], [x, 1.0, z]);
        let segment = |x| MovingSegment { start: upright(x, -0.3), end: upright(x, 0.7) };
        assert!(
            moving_segments_cross(&path, &segment(0.25))
                && moving_segments_cross(&path, &segment(0.75))
        );
        assert!(
            !moving_segments_cross(&path, &segment(1.01))
                && !moving_segments_cross(&path, &segment(-0.01))
        );
        let short = MovingSegment { start: upright(0.5, -0.3), end: upright(0.5, -0.1) };
        assert!(!moving_segments_cross(&path, &short));
        // A blade at rest cuts a segment that moves through it.
        let at_rest = MovingSegment { start: upright(0.5, 0.0), end: upright(0.5, 0.0) };
        let by = |z: f64| line([0.0, 0.0, z], [1.0, 0.0, z]);
        assert!(moving_segments_cross(&MovingSegment { start: by(-0.2), end: by(0.1) }, &at_rest));
    }

    #[test]
    fn all_roots_of_a_cubic_are_found() {
        let found = cubic_roots(|t| (t - 0.2) * (t - 0.5) * (t - 0.9));
        let expected = [0.2, 0.5, 0.9];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found.unwrap() - expected).abs() < 1e-12);
        }
        assert_eq!(cubic_roots(|_| 1.0), [None; 3]);
        let one: Vec<f64> = cubic_roots(|t| t - 0.25).into_iter().flatten().collect();
        assert!(one.len() == 1 && (one[0] - 0.25).abs() < 1e-12);
    }
}
