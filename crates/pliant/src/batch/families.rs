//! Operations of a batch for each family of solvers, one trait each.

use crate::batch::{AddEntry, ConstraintRow, HessianBlocks, VertexStencils};
use crate::math::{Scalar, Vec3};
use crate::parallel::Exec;
use crate::simd::Point;

/// Sweeps over constraints: PBD, XPBD, hierarchical PBD, and damping along constraints.
pub trait SweepBatch<S: Scalar> {
    /// Length of the arrays below that hold one number for each constraint, including padding lanes.
    fn constraints(&self) -> usize;
    /// Length of the array of XPBD's multipliers.
    fn multipliers(&self) -> usize;
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
    /// The fraction of relative velocity that each constraint loses over `h` \[s\]; none if none does.
    fn damping(&self, h: f64) -> Option<Vec<S>>;
    /// Removes a fraction of the relative velocity along each constraint from `v`.
    fn damp(&self, exec: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]);
}

/// Local projections and the global matrix: Projective Dynamics and mass-spring systems.
pub trait ProjectiveBatch<S: Scalar> {
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
    /// True if the energy that Projective Dynamics minimises is the element's own.
    fn projective_energy_is_exact(&self) -> bool {
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
    /// As [`ProjectiveBatch::add_projective_force`], with these weights.
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
    /// As [`ProjectiveBatch::projective_energy`], with these weights.
    fn projective_energy_weighted(&self, exec: &Exec, x: &[Point<S>], weights: &[S]) -> f64 {
        let _ = weights;
        self.projective_energy(exec, x)
    }
    /// The energy that Projective Dynamics minimises \[J\]; differs for scalar constraints.
    fn projective_energy(&self, exec: &Exec, x: &[Point<S>]) -> f64;
    /// The entries `w AᵀA` of the global matrix, lower triangle, per vertex.
    fn assemble_laplacian(&self, add: AddEntry);
}

/// Plastic state, which most elements do not have.
pub trait PlasticBatch<S: Scalar> {
    /// Number of values of plastic state.
    fn plastic_state_len(&self) -> usize {
        0
    }
    /// Copies the plastic state to `plastic_state`.
    fn store_plastic_state(&self, plastic_state: &mut [S]) {
        let _ = plastic_state;
    }
    /// Replaces the plastic state.
    fn load_plastic_state(&mut self, plastic_state: &[S]) {
        let _ = plastic_state;
    }
    /// Updates the plastic state for a time `h` \[s\] at `x`.
    fn update_plasticity(&mut self, x: &[Point<S>], h: f64) {
        let _ = (x, h);
    }
}

/// Energy and its derivatives: Newton's method, explicit integration, reports.
pub trait EnergyBatch<S: Scalar> {
    /// Adds the force `−∇E` \[N\] to `y`.
    fn force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]);
    /// The elastic energy \[J\].
    fn energy(&self, exec: &Exec, x: &[Point<S>]) -> f64;
    /// The entries of `∇²E`, lower triangle, three rows per vertex.
    fn hessian(&self, x: &[Point<S>], definite: bool, add: AddEntry);
    /// Calls `list` with the vertices of each element in the order of [`EnergyBatch::add_hessian_blocks`]. Returns false
    /// if the batch has no blocks, only [entries](EnergyBatch::hessian).
    fn list_hessian_blocks(&self, list: &mut dyn FnMut(&[u32])) -> bool {
        let _ = list;
        false
    }
    /// Adds `∇²E` to a matrix, in blocks of three rows and columns.
    fn add_hessian_blocks(&self, x: &[Point<S>], definite: bool, to: &mut HessianBlocks) {
        let _ = (x, definite, to);
    }
    /// Number of terms `u uᵀ` that the Hessian, and likewise the global matrix, has in addition to its entries: terms
    /// that couple too many vertices to be entries.
    fn rank_one_term_count(&self) -> usize {
        0
    }
    /// Computes the vector `u` of such a term at `x`: calls `add(vertex, u_vertex)` for each of its vertices.
    fn rank_one_term(&self, which: usize, x: &[Point<S>], add: &mut dyn FnMut(u32, Vec3<f64>)) {
        let _ = (which, x, add);
    }
}

/// Linearised constraints with multipliers: constrained dynamics.
pub trait ConstraintBatch<S: Scalar> {
    /// Number of values of each element's dual variable.
    fn duals(&self) -> usize;
    /// Lists each element's vertices and its largest number of rows, in the order of [`ConstraintBatch::constraint_rows`].
    fn list_rows(&self, geometric: bool, list: &mut dyn FnMut(&[u32], usize));
    /// Computes the elements' linearised constraints at `x`, in double precision, and, if dual variables are given
    /// ([`ConstraintBatch::duals`] numbers for each element), their geometric stiffness. Elements with a weight above
    /// `hard_above` have zero compliance; those of weight zero have no rows.
    fn constraint_rows(
        &self,
        x: &[Point<S>],
        duals: Option<&[f64]>,
        hard_above: f64,
        add: &mut dyn FnMut(&ConstraintRow),
    );
}

/// Force and Hessian block of single vertices: vertex block descent.
pub trait VertexBatch<S: Scalar> {
    /// Returns the vertex stencils of each of `colors` colours. Vertices of other colours have none.
    fn vertex_stencils(&self, color: &[u32], colors: usize) -> Vec<VertexStencils>;
    /// Computes the force on the vertex of each stencil and its block of the Hessian, definite or bounded from above:
    /// [`VERTEX_BLOCK_LEN`](crate::batch::VERTEX_BLOCK_LEN) numbers for each entry in `out`, each number of a whole pack at a time.
    fn vertex_blocks(&self, exec: &Exec, x: &[Point<S>], corners: &VertexStencils, out: &mut [S]);
}
