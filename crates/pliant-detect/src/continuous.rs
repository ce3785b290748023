//! Continuous tests: when do two moving features first touch?
//!
//! All points move on straight lines at constant speed, from `start` at `t = 0` to `end` at
//! `t = 1`. Two features touch when their distance is at most `thickness`. The tests promise:
//!
//! 1. **Nothing is missed.** If the features touch at any time in \[0, 1\], the answer is a time not
//!    later than the first touch. Rounding is accounted for.
//! 2. **Not much too early.** At the time of the answer the distance is at most
//!    `thickness + 1e-6 reach`, where `reach` is the greatest distance between a point of one
//!    feature and a point of the other, at the start or the end. So the only false alarms are
//!    passes closer than that.
//! 3. A time above zero leaves the features apart by more than `thickness`: whoever stops there
//!    has not touched.
//!
//! # Method
//!
//! Both promises are about the differences `w` between a point of one feature and a point of the
//! other (three for vertex–triangle, four for edge–edge): the features are as far apart as the
//! convex hull of the `w` is from the origin. Motions that are common to both drop out.
//!
//! Let `n` be a vector not longer than one. While `n·w > thickness` for each `w`, nothing touches.
//! For a fixed `n` these are linear functions of time, so one division says until when the plane
//! separates. That is conservative advancement (Mirtich 1996) with a plane instead of a speed, and
//! never slower than the additive steps of Li, Kaufman and Jiang ("Codimensional incremental
//! potential contact", 2021), as the speed of approach along `n` is at most the whole speed.
//!
//! A plane that stands still separates turning features for short times only. So a longer step
//! from `a` to `b` is tried as well, with a plane that turns from `n_a` to `n_b`:
//!
//! ```text
//! n(t)·w(t) = (1−τ)² n_a·w_a + 2τ(1−τ) ½(n_a·w_b + n_b·w_a) + τ² n_b·w_b,    τ = (t−a)/(b−a)
//! ```
//!
//! is at least the least of its three coefficients (it is a Bernstein polynomial), and `n(t)`, being
//! between two unit vectors, is not longer than one. The length of the step comes from Newton's
//! method on the distance. It need not be good for the promises to hold, and neither need the
//! directions `n`, which come from [`crate::closest`]: only the inequalities decide, and these are
//! asked for with a margin of 256 roundings of the size of the `w`.
//!
//! Each step makes headway of at least `1e-6 reach` over the greatest relative speed. After
//! [`STEPS`] directions the time reached is the answer, which is early but safe (no query of the
//! tests has come near).

use crate::closest::{between_edges, to_edge, to_triangle};
use crate::vector::{Vector, dot, lerp, scale, sub};

/// Directions that are looked at before a query gives the time it has reached.
pub const STEPS: usize = 1000;

/// How close to touching, relative to the reach, counts as touching.
const GAP: f64 = 1e-6;

/// What the rounding of the inequalities is at most, relative to the reach along an axis.
const MARGIN: f64 = 256.0 * f64::EPSILON;

/// When a vertex and a vertex first touch, if they do. See the [module](self) for what is promised;
/// `thickness` in \[m\].
pub fn vertex_vertex(start: &[[f64; 3]; 2], end: &[[f64; 3]; 2], thickness: f64) -> Option<f64> {
    let differences = |x: &[Vector; 2]| [sub(x[0], x[1])];
    Motion::new(differences(start), differences(end), |w| ([1.0], w[0])).first_touch(thickness)
}

/// When a vertex (the first point) and an edge first touch, if they do. See the [module](self) for
/// what is promised; `thickness` in \[m\].
pub fn vertex_edge(start: &[[f64; 3]; 3], end: &[[f64; 3]; 3], thickness: f64) -> Option<f64> {
    let differences = |x: &[Vector; 3]| [sub(x[0], x[1]), sub(x[0], x[2])];
    let closest = |w: &[Vector; 2]| {
        let (t, offset) = to_edge(w[0], sub(w[0], w[1]));
        ([1.0 - t, t], offset)
    };
    Motion::new(differences(start), differences(end), closest).first_touch(thickness)
}

/// When a vertex (the first point) and a triangle first touch, if they do. See the [module](self)
/// for what is promised; `thickness` in \[m\].
///
/// ```
/// use pliant_detect::continuous::vertex_triangle;
///
/// let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let with = |p: [f64; 3]| [p, triangle[0], triangle[1], triangle[2]];
/// let time = vertex_triangle(&with([0.2, 0.2, 3.0]), &with([0.2, 0.2, -1.0]), 0.0).unwrap();
/// assert!(time <= 0.75 && time > 0.7499);
/// ```
pub fn vertex_triangle(start: &[[f64; 3]; 4], end: &[[f64; 3]; 4], thickness: f64) -> Option<f64> {
    let differences = |x: &[Vector; 4]| [sub(x[0], x[1]), sub(x[0], x[2]), sub(x[0], x[3])];
    let closest = |w: &[Vector; 3]| to_triangle(w[0], sub(w[0], w[1]), sub(w[0], w[2]));
    Motion::new(differences(start), differences(end), closest).first_touch(thickness)
}

/// When an edge (the first two points) and an edge first touch, if they do. See the
/// [module](self) for what is promised; `thickness` in \[m\].
pub fn edge_edge(start: &[[f64; 3]; 4], end: &[[f64; 3]; 4], thickness: f64) -> Option<f64> {
    let differences =
        |x: &[Vector; 4]| [sub(x[0], x[2]), sub(x[0], x[3]), sub(x[1], x[2]), sub(x[1], x[3])];
    let closest = |w: &[Vector; 4]| {
        let (s, t, offset) = between_edges(w[0], sub(w[2], w[0]), sub(w[0], w[1]));
        ([(1.0 - s) * (1.0 - t), (1.0 - s) * t, s * (1.0 - t), s * t], offset)
    };
    Motion::new(differences(start), differences(end), closest).first_touch(thickness)
}

/// The differences of the points of two features, at the start and at the end.
struct Motion<const K: usize, F> {
    start: [Vector; K],
    end: [Vector; K],
    /// The point of the hull of the differences that is closest to the origin, and its weights.
    closest: F,
}

/// The differences at one time, and the direction in which the features are apart then.
struct Instant<const K: usize> {
    time: f64,
    w: [Vector; K],
    weights: [f64; K],
    /// Of unit length, or zero.
    direction: Vector,
    distance: f64,
}

impl<const K: usize, F: Fn(&[Vector; K]) -> ([f64; K], Vector)> Motion<K, F> {
    fn new(start: [Vector; K], end: [Vector; K], closest: F) -> Self {
        Self { start, end, closest }
    }

    fn first_touch(&self, thickness: f64) -> Option<f64> {
        let reach = self.start.iter().chain(&self.end).flatten().fold(0.0, |m: f64, x| {
            // Not `max`: it would forget a NaN.
            if x.abs() <= m { m } else { x.abs() }
        });
        let apart = thickness * (1.0 + 16.0 * f64::EPSILON) + MARGIN * reach;
        if self.boxes_apart(apart) {
            return None;
        }
        let close = thickness + GAP * reach;

        let mut now = self.at(0.0);
        let mut looked = 1;
        // A NaN touches, too: that is the safe answer.
        while now.distance > apart && looked < STEPS {
            let still = self.until(&now, apart);
            if still >= 1.0 {
                return None;
            }
            if now.distance <= close {
                return Some(still.max(now.time));
            }
            // A longer step with a turning plane, shorter again until it separates.
            let mut length = self.newton(&now, 0.5 * (apart + close)).min(1.0 - now.time);
            let mut next = None;
            while now.time + length > still && looked < STEPS {
                let then = self.at(if length < 1.0 - now.time { now.time + length } else { 1.0 });
                looked += 1;
                if turning_plane_separates(&now, &then, apart) {
                    if then.time >= 1.0 {
                        return None;
                    }
                    next = Some(then);
                    break;
                }
                length *= 0.5;
            }
            // No headway at all: times are this close together.
            if next.is_none() && still <= now.time {
                return Some(now.time);
            }
            now = next.unwrap_or_else(|| self.at(still));
            looked += 1;
        }
        Some(now.time)
    }

    /// Whether a plane perpendicular to an axis separates during the whole motion.
    fn boxes_apart(&self, apart: f64) -> bool {
        (0..3).any(|axis| {
            let mut all = self.start.iter().chain(&self.end).map(|w| w[axis]);
            if self.start[0][axis] > 0.0 { all.all(|x| x > apart) } else { all.all(|x| x < -apart) }
        })
    }

    fn at(&self, time: f64) -> Instant<K> {
        let mut w = self.start;
        for k in 0..K {
            w[k] = lerp(self.start[k], self.end[k], time);
        }
        let (weights, point) = (self.closest)(&w);
        let distance = dot(point, point).sqrt();
        let direction = if distance > 0.0 { scale(point, 1.0 / distance) } else { [0.0; 3] };
        Instant { time, w, weights, direction, distance }
    }

    /// The time until which the plane of this instant separates; beyond one if it does so to the
    /// end.
    fn until(&self, now: &Instant<K>, apart: f64) -> f64 {
        let mut fraction = 2.0_f64;
        for k in 0..K {
            let here = dot(now.direction, now.w[k]);
            let end = dot(now.direction, self.end[k]);
            if !(here > apart) {
                return now.time;
            }
            if !(end > apart) {
                fraction = fraction.min((here - apart) / (here - end));
            }
        }
        if fraction > 1.0 { 2.0 } else { now.time + (1.0 - now.time) * fraction }
    }

    /// How long it takes the closest points to come as near as `near`, going on as they do now.
    fn newton(&self, now: &Instant<K>, near: f64) -> f64 {
        let mut approach = 0.0;
        for k in 0..K {
            approach += now.weights[k] * dot(now.direction, sub(self.start[k], self.end[k]));
        }
        if approach > 0.0 { (now.distance - near) / approach } else { 1.0 }
    }
}

/// Whether a plane that turns from the direction of one instant to that of a later one separates
/// in between.
fn turning_plane_separates<const K: usize>(a: &Instant<K>, b: &Instant<K>, apart: f64) -> bool {
    (0..K).all(|k| {
        let first = dot(a.direction, a.w[k]);
        let middle = 0.5 * (dot(a.direction, b.w[k]) + dot(b.direction, a.w[k]));
        let last = dot(b.direction, b.w[k]);
        first > apart && middle > apart && last > apart
    })
}
