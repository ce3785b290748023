//! Batches: elements of one type, type-erased once for all of them.
//!
//! [`Elements`] is the description in double precision that a model stores: vertices, weights and rest data. [`Batch`]
//! holds the same data in the precision and layout of a simulation: structure of arrays, packed, coloured. Solvers see
//! [`AnyBatch`], with one virtual call per sweep and none per element.

mod cluster;
mod constraint_params;
mod elements;
mod examples;
mod families;
mod hessian_blocks;
mod kernels;
mod packed;
mod precision;
mod scalar_eval;
mod vertex_stencils;

pub use crate::batch::cluster::{Cluster, ClusterForm, ClusterProjection, Clusters};
pub use crate::batch::elements::{AnyElements, ElementRemap, Elements};
pub use crate::batch::examples::BodyExamples;
pub use crate::batch::families::{
    ConstraintBatch, EnergyBatch, PlasticBatch, ProjectiveBatch, SweepBatch, VertexBatch,
};
pub use crate::batch::hessian_blocks::{BlockSlot, HessianBlocks};
pub use crate::batch::packed::Batch;
pub use crate::batch::vertex_stencils::{VERTEX_BLOCK_LEN, VertexStencils};
pub use precision::ElementPrecision;

use crate::element::Direction;
use crate::math::{Scalar, Vec3};

/// Rest shape and masses from which a batch is built.
#[derive(Clone, Copy, Debug)]
pub struct RestState<'a> {
    /// Rest positions \[m\].
    pub positions: &'a [[f64; 3]],
    /// Inverse masses [1/kg]; zero for pinned vertices.
    pub inv_mass: &'a [f64],
}

impl RestState<'_> {
    /// The positions and inverse masses of an element's vertices.
    fn of<const N: usize>(&self, vertices: &[u32; N]) -> ([Vec3<f64>; N], [f64; N]) {
        let (mut x, mut inv_mass) = ([Vec3::zero(); N], [0.0; N]);
        for k in 0..N {
            let v = vertices[k] as usize;
            (x[k], inv_mass[k]) = (Vec3::of(self.positions[v]), self.inv_mass[v]);
        }
        (x, inv_mass)
    }
}

/// Callback that receives an entry (row, column, value) of a symmetric matrix, lower or upper, each once.
pub type AddEntry<'a> = &'a mut dyn FnMut(u32, u32, f64);

/// One linearised constraint of an element, or one mode of its geometric stiffness.
#[derive(Clone, Copy, Debug)]
pub struct ConstraintRow<'a> {
    /// Index of the element in the batch, in the order of [`ConstraintBatch::list_rows`].
    pub element: usize,
    /// The value `C`; zero for a geometric stiffness.
    pub value: f64,
    /// The inverse of the weight or the stiffness; zero for a hard constraint.
    pub compliance: f64,
    /// The derivative with respect to each of the element's vertices.
    pub gradient: &'a [Vec3<f64>],
    /// True for an inequality, which acts only where the value is below zero.
    pub unilateral: bool,
    /// Direction of the multiplier in the element's dual variable; none for a geometric stiffness.
    pub direction: Option<&'a Direction>,
    /// Index of the first number of the element's dual variable.
    pub dual_offset: usize,
}

/// The compliance of a weight: `1/w`, or zero for weights above `hard_above`; none for a weight of zero.
pub(crate) fn compliance_of(weight: f64, hard_above: f64) -> Option<f64> {
    let compliance = if weight > hard_above { 0.0 } else { 1.0 / weight };
    (weight > 0.0 && compliance.is_finite()).then_some(compliance)
}

/// A batch of elements as solvers see it: one trait for each family of solvers. Sweeps run in an order that depends only
/// on the scene.
pub trait AnyBatch<S: Scalar>:
    SweepBatch<S>
    + ProjectiveBatch<S>
    + PlasticBatch<S>
    + EnergyBatch<S>
    + ConstraintBatch<S>
    + VertexBatch<S>
    + Send
    + Sync
{
    /// The name of the element type.
    fn name(&self) -> &'static str;
    /// Number of elements.
    fn len(&self) -> usize;
    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Memory held, in bytes.
    fn bytes(&self) -> usize;
    /// Sets time-dependent elements to `time` \[s\].
    fn set_time(&mut self, time: f64) {
        let _ = time;
    }
}
