//! Batches: elements of one type, type-erased once for all of them.
//!
//! [`Elements`] is the description, in double precision, that a model keeps: which element on
//! which vertices with which weight. [`Batch`] is the same in the precision and layout of a
//! simulation: structure of arrays, packed, coloured. Solvers see [`AnyBatch`], one virtual call
//! per sweep and none per element.

mod cluster;
mod corners;
mod elements;
mod kernels;
mod packed;

pub use cluster::{Cluster, Clusters};
pub use corners::{CORNER_NUMBERS, Corners};
pub use elements::{AnyElements, Elements};
pub use packed::Batch;

use crate::math::Scalar;
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

/// Receives entry (row, column, value) of a symmetric matrix, lower or upper, each once.
pub type Stamp<'a> = &'a mut dyn FnMut(u32, u32, f64);

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
    /// Number of slots: what the per-slot arrays below must hold.
    fn slots(&self) -> usize;
    /// Memory held, in bytes.
    fn bytes(&self) -> usize;

    /// The stiffness of each slot for one of `iterations` PBD iterations over a step `h` \[s\].
    ///
    /// Of a user's `k` it is `k' = 1 − (1 − k)^(1/n)`, Position Based Dynamics §3.3. Without one it
    /// is the fraction of a lone constraint that an implicit Euler step corrects,
    /// `g w h² / (g w h² + 1)` with `g = Σ m⁻¹|∇C|²` at rest, in each iteration: a stiff material
    /// is then as stiff as the iterations allow.
    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S>;
    /// `g w` of each slot: the squared frequency of a lone constraint [1/s²].
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
    /// Adds the force `−∇E` \[N\] to `y`.
    fn force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]);
    /// The fraction of relative velocity that each slot loses over `h` \[s\]; none if none does.
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
    /// The corners at the vertices of each of `colors` colours; vertices of other colours have none.
    fn corners(&self, color: &[u32], colors: usize) -> Vec<Corners>;
    /// The force on each corner and its block of the Hessian, definite or bounded from above: of
    /// each entry [`CORNER_NUMBERS`] numbers in `out`, a pack of each at a time.
    fn corner_blocks(&self, exec: &Exec, x: &[Point<S>], corners: &Corners, out: &mut [S]);
}
