//! Blades: edges that move through sheets and sever what they pass.
//!
//! Two triangles that share an edge hang together along a short way: from a point of one through a point of
//! the edge to a point of the other. A blade severs them where it crosses that way. The ways through a sheet
//! that lead from one side of the blade's path to the other all cross it, so a path right across leaves two
//! parts; one that ends within leaves a cut that ends within. The cut runs along the edges next to the path:
//! triangles are not divided.
//!
//! Both move: each point of the sheet, and each point of the blade, straight and evenly over a step. They
//! are in a plane at the roots of a cubic,
//!
//! ```text
//! det(q − p, b₀ − p, b₁ − p)(t) = 0,    p, q the way's ends, b₀ and b₁ the blade's
//! ```
//!
//! and cross where the meeting point is within both. The points of triangles and edges are chosen off their
//! middles, so that blades along lines of symmetry do not meet them.

use crate::Error;
use crate::build::ModelBuilder;
use crate::math::Vec3;
use crate::motion::Motion;
use crate::simd::Point;
use crate::system::Precision;
use crate::tear::{Tear, point};
use crate::torn::{Sheet, Topology};

/// A straight edge that cuts through sheets and nets with triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Blade {
    /// Its ends at time zero \[m\].
    pub ends: [[f64; 3]; 2],
    /// How it moves. Along a path the first end follows it and the second keeps its distance.
    pub motion: Motion,
}

impl Blade {
    /// A blade with these ends \[m\] that moves so.
    pub fn new(ends: [[f64; 3]; 2], motion: Motion) -> Self {
        Self { ends, motion }
    }

    /// Where its ends are at `time` \[s\].
    pub fn at(&self, time: f64) -> [[f64; 3]; 2] {
        let [a, b] = self.ends;
        let first = self.motion.at(a, time);
        let second = match &self.motion {
            Motion::Path(_) => [0, 1, 2].map(|c| first[c] + b[c] - a[c]),
            _ => self.motion.at(b, time),
        };
        [first, second]
    }

    pub(crate) fn validate(&self, index: usize) -> Result<(), Error> {
        let finite = self.ends.iter().flatten().all(|c| c.is_finite());
        if finite && self.motion.is_valid() && self.ends[0] != self.ends[1] {
            return Ok(());
        }
        Err(Error::Blade { index })
    }
}

impl ModelBuilder {
    /// Adds a blade, which cuts all sheets and nets with triangles that it moves through.
    pub fn blade(&mut self, blade: Blade) {
        self.model.blades.push(blade);
    }
}

/// The point of a triangle, by its corners; and of an edge, from its lower vertex.
const WITHIN: [f64; 3] = [0.31, 0.33, 0.36];
const ALONG: f64 = 0.489;

type Line = [Vec3<f64>; 2];

/// Two ends at the start of a step and at its end.
#[derive(Clone, Copy, Debug)]
struct Moving {
    start: Line,
    end: Line,
}

impl Moving {
    fn at(&self, t: f64) -> Line {
        [0, 1].map(|i| self.start[i] + (self.end[i] - self.start[i]).scale(t))
    }

    /// Whether the boxes around both motions are apart.
    fn is_apart(&self, other: &Self) -> bool {
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
    /// Lists what a blade severs on its way from one place to another, while the sheets move from `before`
    /// to `after`.
    pub(crate) fn cut<S: Precision>(
        &self,
        blade: [[[f64; 3]; 2]; 2],
        before: &[Point<S>],
        after: &[Point<S>],
        tears: &mut Vec<Tear>,
    ) {
        let [start, end] = blade.map(|ends| ends.map(Vec3::of));
        let blade = Moving { start, end };
        for body in 0..self.whole().bodies().len() {
            let Some(sheet) = self.sheet(body) else { continue };
            for side in 0..sheet.sides() {
                let crossed = sheet.neighbours(side).any(|other| {
                    side < other
                        && [side, other]
                            .iter()
                            .any(|&s| crosses(&way(sheet, s, before, after), &blade))
                });
                if crossed {
                    let (triangle, side) = (side / 3, side % 3);
                    tears.push(Tear::Sever { body: body as u32, triangle, side });
                }
            }
        }
    }
}

/// The way from the point of a triangle to that of one of its sides.
fn way<S: Precision>(sheet: &Sheet, side: u32, before: &[Point<S>], after: &[Point<S>]) -> Moving {
    let corners = sheet.corners(side as usize / 3);
    let mut ends = sheet.ends(side);
    ends.sort_unstable();
    let line = |x: &[Point<S>]| {
        let at = |v: u32| point(&x[v as usize]);
        let [a, b, c] = corners.map(at);
        let within = a.scale(WITHIN[0]) + b.scale(WITHIN[1]) + c.scale(WITHIN[2]);
        [within, at(ends[0]).scale(1.0 - ALONG) + at(ends[1]).scale(ALONG)]
    };
    Moving { start: line(before), end: line(after) }
}

/// Whether two moving lines meet.
fn crosses(way: &Moving, blade: &Moving) -> bool {
    if way.is_apart(blade) {
        return false;
    }
    let volume = |t: f64| {
        let ([p, q], [a, b]) = (way.at(t), blade.at(t));
        (q - p).cross(a - p).dot(b - p)
    };
    roots(volume).into_iter().flatten().any(|t| meet(way.at(t), blade.at(t)))
}

/// Where a cubic that is given by its values crosses zero in 0…1.
fn roots(f: impl Fn(f64) -> f64) -> [Option<f64>; 3] {
    // Power coefficients from four values.
    let [a, b, c, d] = [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0].map(&f);
    let c1 = -5.5 * a + 9.0 * b - 4.5 * c + d;
    let c2 = 9.0 * a - 22.5 * b + 18.0 * c - 4.5 * d;
    let c3 = -4.5 * a + 13.5 * b - 13.5 * c + 4.5 * d;
    // It is monotone between the zeros of its derivative.
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
        // Zero counts as positive, so that a root at a joint is found once.
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

/// Whether two lines in a plane have a point in common.
fn meet([p, q]: Line, [a, b]: Line) -> bool {
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

    fn line(a: [f64; 3], b: [f64; 3]) -> Line {
        [Vec3::of(a), Vec3::of(b)]
    }

    #[test]
    fn a_line_that_passes_through_another_crosses_it() {
        let still = line([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
        let way = Moving { start: still, end: still };
        let upright = |x: f64, z: f64| line([x, -1.0, z], [x, 1.0, z]);
        let moves = |x| Moving { start: upright(x, -0.3), end: upright(x, 0.7) };
        assert!(crosses(&way, &moves(0.25)) && crosses(&way, &moves(0.75)));
        assert!(!crosses(&way, &moves(1.01)) && !crosses(&way, &moves(-0.01)));
        let short = Moving { start: upright(0.5, -0.3), end: upright(0.5, -0.1) };
        assert!(!crosses(&way, &short));
        // A blade at rest cuts what moves through it.
        let at_rest = Moving { start: upright(0.5, 0.0), end: upright(0.5, 0.0) };
        let by = |z: f64| line([0.0, 0.0, z], [1.0, 0.0, z]);
        assert!(crosses(&Moving { start: by(-0.2), end: by(0.1) }, &at_rest));
    }

    #[test]
    fn all_roots_of_a_cubic_are_found() {
        let found = roots(|t| (t - 0.2) * (t - 0.5) * (t - 0.9));
        let expected = [0.2, 0.5, 0.9];
        for (found, expected) in found.iter().zip(expected) {
            assert!((found.unwrap() - expected).abs() < 1e-12);
        }
        assert_eq!(roots(|_| 1.0), [None; 3]);
        let one: Vec<f64> = roots(|t| t - 0.25).into_iter().flatten().collect();
        assert!(one.len() == 1 && (one[0] - 0.25).abs() < 1e-12);
    }
}
