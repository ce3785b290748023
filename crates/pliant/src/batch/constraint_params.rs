//! Per-constraint parameters of a batch, independent of the element type.

use crate::batch::Elements;
use crate::batch::scalar_eval::RestLinearization;
use crate::math::decay_fraction;
use crate::math::{Scalar, pow};

/// One number for each constraint of each slot, ordered as the kernels read them.
pub struct ConstraintParams<S> {
    /// The weight.
    pub weight: Vec<S>,
    /// The projective weight, if it differs from the weight (scalar constraints).
    projective_weight: Option<Vec<S>>,
    /// `Σ m⁻¹|∇C|²` at rest.
    rest_inv_effective_mass: Vec<S>,
    /// `|∇C|²` at rest, for elements whose gradient can vanish; else empty.
    pub rest_gradient_squared: Vec<S>,
    /// The user's stiffness for PBD; NaN for constraints that derive it from the weight.
    stiffness: Option<Vec<S>>,
    /// Damping rate [1/s]; none if all are zero.
    damping: Option<Vec<S>>,
}

/// User parameters of one element: the weight, the PBD stiffness or NaN, the damping rate [1/s].
#[derive(Clone, Copy)]
pub struct UserParams {
    weight: f64,
    stiffness: f64,
    damping: f64,
}

impl UserParams {
    /// Returns the user parameters of element `e`.
    pub fn of_element<F, const N: usize, const K: usize>(
        elements: &Elements<F, N, K>,
        e: usize,
    ) -> Self {
        let Elements { weights, stiffness, damping, .. } = elements;
        Self { weight: weights[e], stiffness: stiffness[e], damping: damping[e] }
    }
}

impl<S: Scalar> ConstraintParams<S> {
    /// Allocates `count` constraints for elements with these stiffnesses and damping rates; with `|∇C|²` at rest if the
    /// gradient can vanish.
    pub fn new(count: usize, stiffness: &[f64], damping: &[f64], vanishes: bool) -> Self {
        let zero = || vec![S::default(); count];
        Self {
            weight: zero(),
            projective_weight: Some(zero()),
            rest_inv_effective_mass: zero(),
            rest_gradient_squared: if vanishes { zero() } else { Vec::new() },
            // Most scenes set neither, and then nothing is allocated.
            stiffness: stiffness.iter().any(|k| !k.is_nan()).then(zero),
            damping: damping.iter().any(|&c| c != 0.0).then(zero),
        }
    }

    /// Writes the parameters of the constraint at `at`.
    pub fn set(&mut self, at: usize, given: UserParams, known: &RestLinearization) {
        let w = given.weight * known.share;
        self.weight[at] = S::from_f64(w);
        if let Some(projective) = &mut self.projective_weight {
            projective[at] = S::from_f64(w * known.projective_weight);
        }
        self.rest_inv_effective_mass[at] = S::from_f64(known.rest_inv_effective_mass);
        if let Some(slope) = known.rest_gradient_squared {
            self.rest_gradient_squared[at] = S::from_f64(slope);
        }
        if let Some(k) = &mut self.stiffness {
            k[at] = S::from_f64(shared_stiffness(given.stiffness, known.share));
        }
        if let Some(c) = &mut self.damping {
            c[at] = S::from_f64(given.damping);
        }
    }

    /// Drops a projective weight that equals the weight, once all parameters are written.
    pub fn finish(mut self) -> Self {
        self.projective_weight = self.projective_weight.filter(|p| *p != self.weight);
        self
    }

    /// The weight of the projective energy.
    pub fn projective_weight(&self) -> &[S] {
        self.projective_weight.as_deref().unwrap_or(&self.weight)
    }

    /// See [`SweepBatch::stiffness`](crate::batch::SweepBatch::stiffness).
    pub fn stiffness(&self, h: f64, iterations: usize) -> Vec<S> {
        let of = |at: usize| {
            let k = self.stiffness.as_ref().map_or(f64::NAN, |k| k[at].to_f64());
            let rate = self.rest_inv_effective_mass[at].to_f64() * self.weight[at].to_f64();
            S::from_f64(iteration_stiffness(k, rate, h, iterations))
        };
        (0..self.weight.len()).map(of).collect()
    }

    /// See [`SweepBatch::damping`](crate::batch::SweepBatch::damping).
    pub fn damping(&self, h: f64) -> Option<Vec<S>> {
        let of = |c: &S| S::from_f64(decay_fraction(c.to_f64(), h));
        self.damping.as_ref().map(|d| d.iter().map(of).collect())
    }

    /// See [`SweepBatch::squared_frequencies`](crate::batch::SweepBatch::squared_frequencies).
    pub fn squared_frequencies(&self) -> Vec<S> {
        let of = |(&gain, &weight): (&S, &S)| S::from_f64(gain.to_f64() * weight.to_f64());
        self.rest_inv_effective_mass.iter().zip(&self.weight).map(of).collect()
    }

    /// Number of values stored.
    pub fn value_count(&self) -> usize {
        let optional = [&self.projective_weight, &self.stiffness, &self.damping];
        let optional: usize = optional.into_iter().flatten().map(Vec::len).sum();
        self.weight.len()
            + self.rest_inv_effective_mass.len()
            + self.rest_gradient_squared.len()
            + optional
    }
}

/// A constraint's share of the user's stiffness, at most one; NaN if the user gave none.
fn shared_stiffness(k: f64, share: f64) -> f64 {
    if k.is_nan() { k } else { (k * share).min(1.0) }
}

/// PBD stiffness of one iteration: from the user's `k` by the paper's formula or, if that is NaN, from the squared
/// frequency `g w`.
pub fn iteration_stiffness(k: f64, rate: f64, h: f64, iterations: usize) -> f64 {
    if k.is_nan() {
        // Written as 1 − 1/(1 + a): it stays 1 where `a` is so large that a/(a + 1) would be ∞/∞.
        return 1.0 - 1.0 / (rate * h * h + 1.0);
    }
    if k >= 1.0 { 1.0 } else { 1.0 - pow(1.0 - k, 1.0 / iterations.max(1) as f64) }
}
