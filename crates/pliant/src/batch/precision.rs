//! Precision of the elements: the point at which a model's elements become batches of `f32` or `f64`.

use super::{AnyBatch, AnyElements, RestState};
use crate::math::Scalar;

/// Precision that elements are laid out in: `f32` or `f64`.
///
/// Its method is compiled once for each, in this crate, not again in every program that names it.
pub trait ElementPrecision: Scalar {
    /// Lays out a model's elements as batches.
    fn batches(elements: &[Box<dyn AnyElements>], rest: RestState) -> Vec<Box<dyn AnyBatch<Self>>>;
}

impl ElementPrecision for f32 {
    fn batches(elements: &[Box<dyn AnyElements>], rest: RestState) -> Vec<Box<dyn AnyBatch<f32>>> {
        elements.iter().map(|e| e.batch_f32(rest)).collect()
    }
}

impl ElementPrecision for f64 {
    fn batches(elements: &[Box<dyn AnyElements>], rest: RestState) -> Vec<Box<dyn AnyBatch<f64>>> {
        elements.iter().map(|e| e.batch_f64(rest)).collect()
    }
}
