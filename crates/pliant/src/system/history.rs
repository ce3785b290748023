//! History: the state before the last substep, which two-step integrators (BDF2) need.
//!
//! It belongs to the state that followed it and is useless for any other: after a change by the user, a
//! rollback of a body, another time step, or a step by another integrator. So each body stores a fingerprint of
//! the state that its history led to. A body whose fingerprint does not match starts without history.

use crate::math::Scalar;
use crate::simd::Point;

/// Positions and velocities before the last substep; empty without history.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct StepHistory<S> {
    /// Positions \[m\].
    pub positions: Vec<Point<S>>,
    /// Velocities [m/s].
    pub velocities: Vec<Point<S>>,
    /// Length of the substep \[s\].
    pub h: f64,
    /// Fingerprint of the state that followed, for each body; zero without history.
    pub fingerprints: Vec<u64>,
}

impl<S: Scalar> StepHistory<S> {
    /// Creates an empty history for a number of bodies.
    pub fn empty(bodies: usize) -> Self {
        let (positions, velocities) = (Vec::new(), Vec::new());
        Self { positions, velocities, h: 0.0, fingerprints: vec![0; bodies] }
    }

    /// True if there is a history.
    pub fn is_available(&self) -> bool {
        !self.positions.is_empty()
    }

    /// Clears the history and keeps its capacity.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.velocities.clear();
        self.fingerprints.fill(0);
        self.h = 0.0;
    }

    /// Reserves memory, so that steps allocate nothing.
    pub fn reserve(&mut self, points: usize) {
        self.positions.reserve(points);
        self.velocities.reserve(points);
    }

    /// Resizes the history to a model. A history of another size matches no state.
    pub fn resize(&mut self, points: usize, bodies: usize) {
        if self.positions.len() != points || self.fingerprints.len() != bodies {
            self.fingerprints.clear();
            self.fingerprints.resize(bodies, 0);
            self.positions.resize(points, Point::default());
            self.velocities.resize(points, Point::default());
        }
    }

    /// True if body `b` with vertices `own`, now at `x` and `v`, came from this history by a substep of `h`
    /// \[s\].
    pub fn matches_state(
        &self,
        b: usize,
        h: f64,
        own: impl Iterator<Item = usize> + Clone,
        x: &[Point<S>],
        v: &[Point<S>],
    ) -> bool {
        self.h == h
            && self.fingerprints[b] != 0
            && self.fingerprints[b] == Self::state_fingerprint(own, x, v)
    }

    /// Hash of the state of a body's vertices; never zero.
    pub fn state_fingerprint(
        own: impl Iterator<Item = usize> + Clone,
        x: &[Point<S>],
        v: &[Point<S>],
    ) -> u64 {
        let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
        for p in own.clone().map(|i| &x[i]).chain(own.map(|i| &v[i])) {
            for c in &p[..3] {
                hash = (hash ^ c.canonical_bits()).wrapping_mul(0xff51_afd7_ed55_8ccd);
                hash ^= hash >> 32;
            }
        }
        hash | 1
    }

    /// Resets a body's history to rest at `x`; it no longer matches any state.
    pub fn reset_body(&mut self, body: usize, own: impl Iterator<Item = usize>, x: &[Point<S>]) {
        if self.positions.len() == x.len() && body < self.fingerprints.len() {
            for i in own {
                self.positions[i] = x[i];
                self.velocities[i] = Point::default();
            }
            self.fingerprints[body] = 0;
        }
    }
}
