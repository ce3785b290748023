//! The numbers that a batch holds for each constraint, whatever the elements are.

use super::Elements;
use super::single::AtRest;
use crate::damping::Damping;
use crate::math::{Scalar, pow};

/// One number for each constraint of each slot, ordered as the kernels read them.
pub struct Scales<S> {
    /// The weight.
    pub weight: Vec<S>,
    /// Where the projective energy weighs differently (scalar constraints).
    projective_weight: Option<Vec<S>>,
    /// `Σ m⁻¹|∇C|²` at rest.
    gain: Vec<S>,
    /// `|∇C|²` at rest, where it can vanish elsewhere; else empty.
    pub slope: Vec<S>,
    /// The user's stiffness for PBD; NaN where it follows from the weight.
    stiffness: Option<Vec<S>>,
    /// Damping rate [1/s], where any is not zero.
    damping: Option<Vec<S>>,
}

/// What a user gave one element: the weight, PBD's stiffness or NaN, the rate of damping [1/s].
#[derive(Clone, Copy)]
pub struct Given {
    weight: f64,
    stiffness: f64,
    damping: f64,
}

impl Given {
    /// What was given element `e`.
    pub fn to<F, const N: usize, const K: usize>(elements: &Elements<F, N, K>, e: usize) -> Self {
        let Elements { weights, stiffness, damping, .. } = elements;
        Self { weight: weights[e], stiffness: stiffness[e], damping: damping[e] }
    }
}

impl<S: Scalar> Scales<S> {
    /// Room for `count` constraints of elements with these stiffnesses and rates of damping; with a
    /// slope where the gradient can vanish.
    pub fn new(count: usize, stiffness: &[f64], damping: &[f64], vanishes: bool) -> Self {
        let zero = || vec![S::default(); count];
        Self {
            weight: zero(),
            projective_weight: Some(zero()),
            gain: zero(),
            slope: if vanishes { zero() } else { Vec::new() },
            // Most scenes set neither, and then hold nothing.
            stiffness: stiffness.iter().any(|k| !k.is_nan()).then(zero),
            damping: damping.iter().any(|&c| c != 0.0).then(zero),
        }
    }

    /// Writes the numbers of the constraint at `at`.
    pub fn set(&mut self, at: usize, given: Given, known: &AtRest) {
        let w = given.weight * known.share;
        self.weight[at] = S::from_f64(w);
        if let Some(projective) = &mut self.projective_weight {
            projective[at] = S::from_f64(w * known.projective_weight);
        }
        self.gain[at] = S::from_f64(known.gain);
        if let Some(slope) = known.slope {
            self.slope[at] = S::from_f64(slope);
        }
        if let Some(k) = &mut self.stiffness {
            k[at] = S::from_f64(shared_stiffness(given.stiffness, known.share));
        }
        if let Some(c) = &mut self.damping {
            c[at] = S::from_f64(given.damping);
        }
    }

    /// Drops what is held twice, when all is written.
    pub fn finish(mut self) -> Self {
        self.projective_weight = self.projective_weight.filter(|p| *p != self.weight);
        self
    }

    /// The weight of the projective energy.
    pub fn projective_weight(&self) -> &[S] {
        self.projective_weight.as_deref().unwrap_or(&self.weight)
    }

    /// See [`AnyBatch::stiffness`](super::AnyBatch::stiffness).
    pub fn stiffness(&self, h: f64, iterations: usize) -> Vec<S> {
        let of = |at: usize| {
            let k = self.stiffness.as_ref().map_or(f64::NAN, |k| k[at].to_f64());
            let rate = self.gain[at].to_f64() * self.weight[at].to_f64();
            S::from_f64(per_iteration(k, rate, h, iterations))
        };
        (0..self.weight.len()).map(of).collect()
    }

    /// See [`AnyBatch::damping`](super::AnyBatch::damping).
    pub fn damping(&self, h: f64) -> Option<Vec<S>> {
        let of = |c: &S| S::from_f64(Damping::fraction(c.to_f64(), h));
        self.damping.as_ref().map(|d| d.iter().map(of).collect())
    }

    /// See [`AnyBatch::rates`](super::AnyBatch::rates).
    pub fn rates(&self) -> Vec<S> {
        let of = |(&gain, &weight): (&S, &S)| S::from_f64(gain.to_f64() * weight.to_f64());
        self.gain.iter().zip(&self.weight).map(of).collect()
    }

    /// How many numbers these are.
    pub fn numbers(&self) -> usize {
        let optional = [&self.projective_weight, &self.stiffness, &self.damping];
        let optional: usize = optional.into_iter().flatten().map(Vec::len).sum();
        self.weight.len() + self.gain.len() + self.slope.len() + optional
    }
}

/// The part of a user's stiffness that a constraint has, one at most; NaN where there is none.
fn shared_stiffness(k: f64, share: f64) -> f64 {
    if k.is_nan() { k } else { (k * share).min(1.0) }
}

/// PBD's stiffness of one iteration: from the user's `k` by the paper's formula, or where that is
/// NaN, from the squared frequency `g w`.
pub fn per_iteration(k: f64, rate: f64, h: f64, iterations: usize) -> f64 {
    if k.is_nan() {
        // As 1 − 1/(1 + a): it stays 1 where `a` is so large that a/(a + 1) would be ∞/∞.
        return 1.0 - 1.0 / (rate * h * h + 1.0);
    }
    if k >= 1.0 { 1.0 } else { 1.0 - pow(1.0 - k, 1.0 / iterations.max(1) as f64) }
}
