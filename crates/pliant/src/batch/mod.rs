//! Batches: elements of one type, type-erased once for all of them.
//!
//! [`Elements`] is the description, in double precision, that a model keeps: which element on
//! which vertices with which weight. [`Batch`] is the same in the precision and layout of a
//! simulation: structure of arrays, packed, coloured. Solvers see [`AnyBatch`], one virtual call
//! per sweep and none per element.

mod cluster;
mod corners;
mod elements;
mod examples;
mod kernels;
mod packed;
mod scales;
mod single;

pub use cluster::{Cluster, ClusterForm, ClusterProjection, Clusters};
pub use corners::{CORNER_NUMBERS, Corners};
pub use elements::{AnyElements, Elements, Rewiring};
pub use examples::BodyExamples;
pub use packed::Batch;

use crate::element::Direction;
use crate::math::{Scalar, Vec3};
use crate::parallel::Exec;
use crate::simd::Point;

/// What a batch is built against: the rest shape and the masses.
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

/// Receives entry (row, column, value) of a symmetric matrix, lower or upper, each once.
pub type Stamp<'a> = &'a mut dyn FnMut(u32, u32, f64);

/// One linearised constraint of an element, or one mode of its geometric stiffness.
#[derive(Clone, Copy, Debug)]
pub struct ConstraintRow<'a> {
    /// Which element of the batch, in the order of [`AnyBatch::list_rows`].
    pub element: usize,
    /// The value `C`; zero for a stiffness.
    pub value: f64,
    /// The inverse of the weight or the stiffness; zero for a hard constraint.
    pub compliance: f64,
    /// The derivative by each of the element's vertices.
    pub gradient: &'a [Vec3<f64>],
    /// Whether the constraint only keeps the value from going below zero.
    pub one_sided: bool,
    /// Which part of the dual variable the multiplier is, from its number `dual` on; none for a
    /// stiffness.
    pub direction: Option<&'a Direction>,
    /// The first number of the dual variable that the direction speaks of.
    pub dual: usize,
}

/// The compliance of a weight: `1/w`, or zero where it is heavier than `hard_above`; none where the
/// weight is nothing.
pub(crate) fn compliance_of(weight: f64, hard_above: f64) -> Option<f64> {
    let compliance = if weight > hard_above { 0.0 } else { 1.0 / weight };
    (weight > 0.0 && compliance.is_finite()).then_some(compliance)
}

/// A batch of elements as solvers see it. Sweeps run in an order fixed by the scene.
pub trait AnyBatch<S: Scalar>: Send + Sync {
    /// The name of the element.
    fn name(&self) -> &'static str;
    /// Number of elements.
    fn len(&self) -> usize;
    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Length of the arrays below that hold one number for each constraint, with room for lanes
    /// that are not filled.
    fn constraints(&self) -> usize;
    /// Length of the array of XPBD's multipliers.
    fn multipliers(&self) -> usize;
    /// Memory held, in bytes.
    fn bytes(&self) -> usize;

    /// The stiffness of each constraint for one of `iterations` PBD iterations over a step `h` \[s\].
    ///
    /// Of a user's `k` it is `k' = 1 − (1 − k)^(1/n)`, Position Based Dynamics §3.3. Without one it
    /// is the fraction of a lone constraint that an implicit Euler step corrects,
    /// `g w h² / (g w h² + 1)` with `g = Σ m⁻¹|∇C|²` at rest, in each iteration: a stiff material
    /// is then as stiff as the iterations allow.
    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S>;
    /// `g w` of each constraint: the squared frequency of a lone constraint [1/s²].
    fn rates(&self) -> Vec<S>;

    /// One Gauss–Seidel sweep of PBD.
    fn relax(&self, exec: &Exec, x: &mut [Point<S>], stiffness: &[S]);
    /// One Gauss–Seidel sweep of XPBD with multipliers `lambda`, over a squared step `h2` \[s²\].
    fn relax_compliant(&self, exec: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]);
    /// Adds each element's correction times `scale` to `y`, and to the spare of `y` the count of
    /// elements or the sum of `scale`.
    fn correct(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>], scale: &[S], count: bool);
    /// Adds `w Aᵀ(p − A x)` to `y`.
    fn pull(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]);
    /// Whether its pull rests beside elements that are inside out.
    fn yields(&self) -> bool {
        false
    }
    /// Whether its entries of the global matrix bound the curvature of what its pull minimises.
    fn is_bounded(&self) -> bool {
        true
    }
    /// Marks the vertices of elements that are inside out; says whether there are any.
    fn mark_inverted(&self, x: &[Point<S>], marked: &mut [bool]) -> bool {
        let _ = (x, marked);
        false
    }
    /// The weights of the pull for each constraint, zero for elements with a marked vertex.
    fn weights_beside(&self, marked: &[bool], weights: &mut [S]) {
        let _ = (marked, weights);
    }
    /// As [`AnyBatch::pull`], with these weights.
    fn pull_weighted(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>], weights: &[S]) {
        let _ = weights;
        self.pull(exec, x, y);
    }
    /// As [`AnyBatch::distance`], with these weights.
    fn distance_weighted(&self, exec: &Exec, x: &[Point<S>], weights: &[S]) -> f64 {
        let _ = weights;
        self.distance(exec, x)
    }
    /// Numbers that the elements remember of what happened to them.
    fn memory(&self) -> usize {
        0
    }
    /// Copies what the elements remember to `memory`.
    fn recall(&self, memory: &mut [S]) {
        let _ = memory;
    }
    /// Replaces what the elements remember.
    fn remember(&mut self, memory: &[S]) {
        let _ = memory;
    }
    /// Lets the material flow for a time `h` \[s\] at `x`.
    fn flow(&mut self, x: &[Point<S>], h: f64) {
        let _ = (x, h);
    }
    /// Lets elements that change over time be as they are at `time` \[s\].
    fn set_time(&mut self, time: f64) {
        let _ = time;
    }
    /// Adds the force `−∇E` \[N\] to `y`.
    fn force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]);
    /// The fraction of relative velocity that each constraint loses over `h` \[s\]; none if none does.
    fn damping(&self, h: f64) -> Option<Vec<S>>;
    /// Takes a fraction of the relative velocity along each constraint out of `v`.
    fn damp(&self, exec: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]);
    /// The elastic energy \[J\].
    fn energy(&self, exec: &Exec, x: &[Point<S>]) -> f64;
    /// The energy that Projective Dynamics minimises \[J\]; differs for scalar constraints.
    fn distance(&self, exec: &Exec, x: &[Point<S>]) -> f64;
    /// The entries `w AᵀA` of the global matrix, lower triangle, per vertex.
    fn stamp(&self, add: Stamp);
    /// The entries of `∇²E`, lower triangle, three rows per vertex.
    fn hessian(&self, x: &[Point<S>], definite: bool, add: Stamp);
    /// How many terms `u uᵀ` the Hessian has beside its entries, and the global matrix beside its own:
    /// those that couple too many vertices to be entries.
    fn couplings(&self) -> usize {
        0
    }
    /// The vector `u` of such a term at `x`: calls `add(vertex, u_vertex)` for each of its vertices.
    fn coupling(&self, which: usize, x: &[Point<S>], add: &mut dyn FnMut(u32, Vec3<f64>)) {
        let _ = (which, x, add);
    }

    /// Numbers of the dual variable of each element.
    fn duals(&self) -> usize;
    /// Lists each element's vertices and how many rows it has at most, in the order of
    /// [`AnyBatch::constraint_rows`].
    fn list_rows(&self, geometric: bool, list: &mut dyn FnMut(&[u32], usize));
    /// The elements' linearised constraints at `x`, in double precision. With dual variables,
    /// [`AnyBatch::duals`] numbers for each element, also their geometric stiffness. Elements
    /// heavier than `hard_above` have no compliance; those of weight zero have no rows.
    fn constraint_rows(
        &self,
        x: &[Point<S>],
        duals: Option<&[f64]>,
        hard_above: f64,
        add: &mut dyn FnMut(&ConstraintRow),
    );
    /// The corners at the vertices of each of `colors` colours; vertices of other colours have none.
    fn corners(&self, color: &[u32], colors: usize) -> Vec<Corners>;
    /// The force on each corner and its block of the Hessian, definite or bounded from above: of
    /// each entry [`CORNER_NUMBERS`] numbers in `out`, a pack of each at a time.
    fn corner_blocks(&self, exec: &Exec, x: &[Point<S>], corners: &Corners, out: &mut [S]);
}
