//! Batches: elements of one type, type-erased once for all of them.
//!
//! [`Elements`] is the description in double precision that a model stores: vertices, weights and rest data. [`Batch`]
//! holds the same data in the precision and layout of a simulation: structure of arrays, packed, coloured. Solvers see
//! [`AnyBatch`], with one virtual call per sweep and none per element.

mod cluster;
mod constraint_params;
mod elements;
mod examples;
mod kernels;
mod packed;
mod precision;
mod scalar_eval;
mod vertex_stencils;

pub use crate::batch::cluster::{Cluster, ClusterForm, ClusterProjection, Clusters};
pub use crate::batch::elements::{AnyElements, ElementRemap, Elements};
pub use crate::batch::examples::BodyExamples;
pub use crate::batch::packed::Batch;
pub use crate::batch::vertex_stencils::{VERTEX_BLOCK_LEN, VertexStencils};
pub use precision::ElementPrecision;

use crate::element::Direction;
use crate::math::{Scalar, Vec3};
use crate::parallel::Exec;
use crate::simd::Point;

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
    /// Index of the element in the batch, in the order of [`AnyBatch::list_rows`].
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

/// A batch of elements as solvers see it. Sweeps run in an order that depends only on the scene.
pub trait AnyBatch<S: Scalar>: Send + Sync {
    /// The name of the element type.
    fn name(&self) -> &'static str;
    /// Number of elements.
    fn len(&self) -> usize;
    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Length of the arrays below that hold one number for each constraint, including padding lanes.
    fn constraints(&self) -> usize;
    /// Length of the array of XPBD's multipliers.
    fn multipliers(&self) -> usize;
    /// Memory held, in bytes.
    fn bytes(&self) -> usize;

    /// The stiffness of each constraint for one of `iterations` PBD iterations over a step `h` \[s\].
    ///
    /// For a user's `k` it is `k' = 1 − (1 − k)^(1/n)`, Position Based Dynamics §3.3. Otherwise it is the fraction of a
    /// lone constraint's error that an implicit Euler step corrects, `g w h² / (g w h² + 1)` with `g = Σ m⁻¹|∇C|²` at
    /// rest, in each iteration: a stiff material is then as stiff as the iterations allow.
    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S>;
    /// `g w` of each constraint: the squared frequency of a lone constraint [1/s²].
    fn squared_frequencies(&self) -> Vec<S>;

    /// One Gauss–Seidel sweep of PBD.
    fn relax(&self, exec: &Exec, x: &mut [Point<S>], stiffness: &[S]);
    /// One Gauss–Seidel sweep of XPBD with multipliers `lambda`, over a squared step `h2` \[s²\].
    fn relax_compliant(&self, exec: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]);
    /// Adds each element's correction times `scale` to `y`, and to the fourth number of each point of `y` the count of
    /// elements or the sum of `scale`.
    fn add_jacobi_correction(
        &self,
        exec: &Exec,
        x: &[Point<S>],
        y: &mut [Point<S>],
        scale: &[S],
        count: bool,
    );
    /// Adds `w Aᵀ(p − A x)` to `y`.
    fn add_projective_force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]);
    /// True if the projective force is disabled near inverted elements.
    fn disabled_near_inversion(&self) -> bool {
        false
    }
    /// True if the entries of the global matrix bound the curvature of the projective energy.
    fn is_bounded(&self) -> bool {
        true
    }
    /// Marks the vertices of inverted elements; returns true if there are any.
    fn mark_inverted(&self, x: &[Point<S>], marked: &mut [bool]) -> bool {
        let _ = (x, marked);
        false
    }
    /// Writes the projective weight of each constraint, zero for elements with a marked vertex.
    fn masked_weights(&self, marked: &[bool], weights: &mut [S]) {
        let _ = (marked, weights);
    }
    /// As [`AnyBatch::add_projective_force`], with these weights.
    fn add_projective_force_weighted(
        &self,
        exec: &Exec,
        x: &[Point<S>],
        y: &mut [Point<S>],
        weights: &[S],
    ) {
        let _ = weights;
        self.add_projective_force(exec, x, y);
    }
    /// As [`AnyBatch::projective_energy`], with these weights.
    fn projective_energy_weighted(&self, exec: &Exec, x: &[Point<S>], weights: &[S]) -> f64 {
        let _ = weights;
        self.projective_energy(exec, x)
    }
    /// Number of values of plastic state.
    fn plastic_state_len(&self) -> usize {
        0
    }
    /// Copies the plastic state to `memory`.
    fn store_plastic_state(&self, memory: &mut [S]) {
        let _ = memory;
    }
    /// Replaces the plastic state.
    fn load_plastic_state(&mut self, memory: &[S]) {
        let _ = memory;
    }
    /// Updates the plastic state for a time `h` \[s\] at `x`.
    fn update_plasticity(&mut self, x: &[Point<S>], h: f64) {
        let _ = (x, h);
    }
    /// Sets time-dependent elements to `time` \[s\].
    fn set_time(&mut self, time: f64) {
        let _ = time;
    }
    /// Adds the force `−∇E` \[N\] to `y`.
    fn force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]);
    /// The fraction of relative velocity that each constraint loses over `h` \[s\]; none if none does.
    fn damping(&self, h: f64) -> Option<Vec<S>>;
    /// Removes a fraction of the relative velocity along each constraint from `v`.
    fn damp(&self, exec: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]);
    /// The elastic energy \[J\].
    fn energy(&self, exec: &Exec, x: &[Point<S>]) -> f64;
    /// The energy that Projective Dynamics minimises \[J\]; differs for scalar constraints.
    fn projective_energy(&self, exec: &Exec, x: &[Point<S>]) -> f64;
    /// The entries `w AᵀA` of the global matrix, lower triangle, per vertex.
    fn assemble_laplacian(&self, add: AddEntry);
    /// The entries of `∇²E`, lower triangle, three rows per vertex.
    fn hessian(&self, x: &[Point<S>], definite: bool, add: AddEntry);
    /// Number of terms `u uᵀ` that the Hessian, and likewise the global matrix, has in addition to its entries: terms
    /// that couple too many vertices to be entries.
    fn rank_one_term_count(&self) -> usize {
        0
    }
    /// Computes the vector `u` of such a term at `x`: calls `add(vertex, u_vertex)` for each of its vertices.
    fn rank_one_term(&self, which: usize, x: &[Point<S>], add: &mut dyn FnMut(u32, Vec3<f64>)) {
        let _ = (which, x, add);
    }

    /// Number of values of each element's dual variable.
    fn duals(&self) -> usize;
    /// Lists each element's vertices and its largest number of rows, in the order of [`AnyBatch::constraint_rows`].
    fn list_rows(&self, geometric: bool, list: &mut dyn FnMut(&[u32], usize));
    /// Computes the elements' linearised constraints at `x`, in double precision, and, if dual variables are given
    /// ([`AnyBatch::duals`] numbers for each element), their geometric stiffness. Elements with a weight above
    /// `hard_above` have zero compliance; those of weight zero have no rows.
    fn constraint_rows(
        &self,
        x: &[Point<S>],
        duals: Option<&[f64]>,
        hard_above: f64,
        add: &mut dyn FnMut(&ConstraintRow),
    );
    /// Returns the vertex stencils of each of `colors` colours. Vertices of other colours have none.
    fn vertex_stencils(&self, color: &[u32], colors: usize) -> Vec<VertexStencils>;
    /// Computes the force on the vertex of each stencil and its block of the Hessian, definite or bounded from above:
    /// [`VERTEX_BLOCK_LEN`] numbers for each entry in `out`, each number of a whole pack at a time.
    fn vertex_blocks(&self, exec: &Exec, x: &[Point<S>], corners: &VertexStencils, out: &mut [S]);
}
