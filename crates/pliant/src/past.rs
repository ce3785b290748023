//! Past: the state of the substep before the last, which integrators of two steps need.
//!
//! It belongs to a present state and is worth nothing with another: after a change by the user, a
//! body that was set back, another time step or a step by another integrator. So each body carries
//! a print of the present that its past led to; a body whose print does not fit starts anew.

use crate::math::Scalar;
use crate::simd::Point;

/// Positions and velocities before the last substep; empty where there was none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Past<S> {
    /// Positions \[m\].
    pub positions: Vec<Point<S>>,
    /// Velocities [m/s].
    pub velocities: Vec<Point<S>>,
    /// The substep \[s\].
    pub h: f64,
    /// For each body the print of the state that followed; zero where there is none.
    pub prints: Vec<u64>,
}

impl<S: Scalar> Past<S> {
    /// None, with room for bodies.
    pub fn none(bodies: usize) -> Self {
        let (positions, velocities) = (Vec::new(), Vec::new());
        Self { positions, velocities, h: 0.0, prints: vec![0; bodies] }
    }

    /// Whether there is any.
    pub fn is_there(&self) -> bool {
        !self.positions.is_empty()
    }

    /// Drops it; the room stays.
    pub fn forget(&mut self) {
        self.positions.clear();
        self.velocities.clear();
        self.prints.fill(0);
        self.h = 0.0;
    }

    /// Reserves room, so that steps allocate nothing.
    pub fn reserve(&mut self, points: usize) {
        self.positions.reserve(points);
        self.velocities.reserve(points);
    }

    /// Makes it fit a model; what is new belongs to nothing.
    pub fn make_room(&mut self, points: usize, bodies: usize) {
        if self.positions.len() != points || self.prints.len() != bodies {
            self.prints.clear();
            self.prints.resize(bodies, 0);
            self.positions.resize(points, Point::default());
            self.velocities.resize(points, Point::default());
        }
    }

    /// Whether body `b` of vertices `own`, now at `x` and `v`, got there from this past by a substep `h`
    /// \[s\].
    pub fn belongs(
        &self,
        b: usize,
        h: f64,
        own: impl Iterator<Item = usize> + Clone,
        x: &[Point<S>],
        v: &[Point<S>],
    ) -> bool {
        self.h == h && self.prints[b] != 0 && self.prints[b] == Self::print(own, x, v)
    }

    /// A number that tells the state of a body's vertices from others; never zero.
    pub fn print(own: impl Iterator<Item = usize> + Clone, x: &[Point<S>], v: &[Point<S>]) -> u64 {
        let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
        for p in own.clone().map(|i| &x[i]).chain(own.map(|i| &v[i])) {
            for c in &p[..3] {
                hash = (hash ^ c.canonical_bits()).wrapping_mul(0xff51_afd7_ed55_8ccd);
                hash ^= hash >> 32;
            }
        }
        hash | 1
    }

    /// Puts a body's past to rest at `x`: it no longer belongs to anything.
    pub fn set_back(&mut self, body: usize, own: impl Iterator<Item = usize>, x: &[Point<S>]) {
        if self.positions.len() == x.len() && body < self.prints.len() {
            for i in own {
                self.positions[i] = x[i];
                self.velocities[i] = Point::default();
            }
            self.prints[body] = 0;
        }
    }
}
