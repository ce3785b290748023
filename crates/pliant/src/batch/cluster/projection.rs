//! Batch of cluster projections in the precision of a simulation, evaluated sequentially.

use std::sync::Mutex;

use crate::batch::cluster::batch::{add, position};
use crate::batch::cluster::{ClusterForm, ClusterProjection, Clusters};
use crate::batch::{
    AddEntry, AnyBatch, ConstraintBatch, ConstraintRow, EnergyBatch, PlasticBatch, ProjectiveBatch,
    RestState, SweepBatch, VERTEX_BLOCK_LEN, VertexBatch, VertexStencils, compliance_of,
};
use crate::element::Direction;
use crate::math::{Scalar, Vec3};
use crate::parallel::Exec;
use crate::simd::Point;

/// Scratch memory for the largest cluster, so that a sweep allocates nothing.
struct Scratch<S> {
    /// Positions about the centre.
    y: Vec<Vec3<S>>,
    /// Displacements from `y` to the admissible positions, `p − y`.
    residual: Vec<Vec3<S>>,
    rows: Rows,
    curvature: Curvature,
}

/// Scratch memory for the Hessian of a cluster. It is allocated at the first use and grows to the largest cluster.
#[derive(Default)]
struct Curvature {
    /// Positions about the centre.
    y: Vec<Vec3<f64>>,
    /// Outer products to subtract, three numbers for each vertex.
    rows: Vec<f64>,
}

/// Scratch memory for the rows of constrained dynamics. It is allocated at the first use and grows to the largest
/// cluster.
#[derive(Default)]
struct Rows {
    residual: Vec<Vec3<f64>>,
    gradient: Vec<Vec3<f64>>,
    /// Displacements of the positions, times `√μ`, under rotation of the cluster: up to three orthonormal modes, stored
    /// one after another.
    rotation_modes: Vec<Vec3<f64>>,
}

pub(super) struct ProjectionBatch<S, C> {
    set: Clusters<C>,
    /// Start of each cluster's multipliers.
    multiplier_start: Vec<usize>,
    /// `Σ m⁻¹|∇C|²` at rest, averaged over all directions.
    rest_inv_effective_mass: Vec<f64>,
    scratch: Mutex<Scratch<S>>,
}

impl<S: Scalar, C: ClusterProjection + ClusterForm> ProjectionBatch<S, C> {
    /// Builds the batch of clusters for a rest state.
    pub fn new(set: &Clusters<C>, rest: RestState) -> Self {
        let longest = set.vertices.iter().map(Vec::len).max().unwrap_or(0);
        let room = || vec![Vec3::zero(); longest];
        let mut first = vec![0];
        let mut gain = Vec::new();
        for (vertices, cluster) in set.vertices.iter().zip(&set.clusters) {
            first.push(first[first.len() - 1] + 3 * vertices.len());
            // The squared gradients μ_k² |d_k|²/C², with the same |d_k|² everywhere.
            let shares = cluster.shares();
            let sum: f64 =
                vertices.iter().zip(shares).map(|(&v, w)| rest.inv_mass[v as usize] * w * w).sum();
            gain.push(sum);
        }
        let scratch = Mutex::new(Scratch {
            y: room(),
            residual: room(),
            rows: Rows::default(),
            curvature: Curvature::default(),
        });
        Self { set: set.clone(), multiplier_start: first, rest_inv_effective_mass: gain, scratch }
    }

    /// Calls `f(e, vertices, shares, p − y)` for every cluster at `x`, in order.
    fn each(&self, x: &[Point<S>], mut f: impl FnMut(usize, &[u32], &[f64], &[Vec3<S>])) {
        let mut scratch = self.lock();
        for e in 0..self.set.clusters.len() {
            let n = self.project_cluster(e, x, &mut scratch);
            f(e, &self.set.vertices[e], self.set.clusters[e].shares(), &scratch.residual[..n]);
        }
    }

    /// Computes `p − y` of cluster `e` at `x`; returns the number of its vertices.
    fn project_cluster(
        &self,
        e: usize,
        x: &[Point<S>],
        Scratch { y, residual: to, .. }: &mut Scratch<S>,
    ) -> usize {
        let (vertices, cluster) = (&self.set.vertices[e], &self.set.clusters[e]);
        let n = vertices.len();
        // Relative to the first vertex, so that a position far from the origin loses no precision.
        let home = position(x, vertices[0]);
        let mut centre = Vec3::zero();
        for ((y, &v), &w) in y.iter_mut().zip(vertices).zip(cluster.shares()) {
            *y = position(x, v) - home;
            centre += y.scale(S::from_f64(w));
        }
        y[..n].iter_mut().for_each(|y| *y -= centre);
        cluster.project(&y[..n], &mut to[..n]);
        for (to, &y) in to[..n].iter_mut().zip(y.iter()) {
            *to -= y;
        }
        n
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Scratch<S>> {
        // The scratch is overwritten for every cluster.
        self.scratch.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// `Σ μ_k |d_k|²`, the square of the constraint's value `C`, and `C² Σ m_k⁻¹ |∇_k C|²`.
fn weighted_squares<S: Scalar>(
    x: &[Point<S>],
    vertices: &[u32],
    shares: &[f64],
    d: &[Vec3<S>],
) -> [S; 2] {
    let mut sums = [S::default(); 2];
    for (k, &v) in vertices.iter().enumerate() {
        let share = S::from_f64(shares[k]);
        let part = share * d[k].norm_squared();
        sums[0] += part;
        sums[1] += x[v as usize][3] * share * part;
    }
    sums
}

impl<S: Scalar, C: ClusterProjection + ClusterForm> AnyBatch<S> for ProjectionBatch<S, C> {
    fn name(&self) -> &'static str {
        <C as ClusterProjection>::NAME
    }
    fn len(&self) -> usize {
        self.set.clusters.len()
    }
    fn bytes(&self) -> usize {
        // Vertices, shares and rest positions.
        self.set.vertices.iter().map(|v| 36 * v.len()).sum::<usize>() + 32 * self.len()
    }
}

impl<S: Scalar, C: ClusterProjection + ClusterForm> SweepBatch<S> for ProjectionBatch<S, C> {
    fn constraints(&self) -> usize {
        self.set.clusters.len()
    }
    fn multipliers(&self) -> usize {
        self.multiplier_start[self.set.clusters.len()]
    }
    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S> {
        self.set.iteration_stiffness(&self.rest_inv_effective_mass, h, iterations)
    }
    fn damping(&self, h: f64) -> Option<Vec<S>> {
        self.set.damping_fractions(h)
    }
    fn squared_frequencies(&self) -> Vec<S> {
        self.set.squared_frequencies(&self.rest_inv_effective_mass)
    }
    fn relax(&self, _: &Exec, x: &mut [Point<S>], stiffness: &[S]) {
        let mut scratch = self.lock();
        for e in 0..self.set.clusters.len() {
            let n = self.project_cluster(e, x, &mut scratch);
            let (vertices, shares) = (&self.set.vertices[e], self.set.clusters[e].shares());
            let d = &scratch.residual[..n];
            let [square, response] = weighted_squares(x, vertices, shares, d);
            let s = (square * stiffness[e]).div_or_zero(response, S::from_f64(S::TINY));
            for (k, &v) in vertices.iter().enumerate() {
                let w = x[v as usize][3] * S::from_f64(shares[k]);
                add(x, v, d[k].scale(s * w));
            }
        }
    }
    /// As for packed elements in projective form (`element/by_projection.rs`), in the coordinates
    /// `√μ_k y_k`, in which the energy is a plain square.
    fn relax_compliant(&self, _: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]) {
        let mut scratch = self.lock();
        for e in 0..self.set.clusters.len() {
            let n = self.project_cluster(e, x, &mut scratch);
            let (vertices, shares) = (&self.set.vertices[e], self.set.clusters[e].shares());
            let lambda = &mut lambda[self.multiplier_start[e]..self.multiplier_start[e + 1]];
            let kappa = S::from_f64(self.set.weights[e]) * h2;
            let one = S::from_f64(1.0);
            let scale = one / (one + kappa);
            let Scratch { y: q, residual: to, .. } = &mut *scratch;
            let mut square = S::default();
            let mut mean = Vec3::zero();
            for k in 0..n {
                let root = S::from_f64(shares[k].sqrt());
                let before = Vec3::new(lambda[3 * k], lambda[3 * k + 1], lambda[3 * k + 2]);
                q[k] = (before - to[k].scale(kappa * root)).scale(scale);
                square += q[k].norm_squared();
                mean += q[k].scale(root);
            }
            // The displacement direction of each vertex, Aᵀq, which sums to zero.
            let mut across = S::default();
            for (k, &v) in vertices.iter().enumerate() {
                let (share, root) = (S::from_f64(shares[k]), S::from_f64(shares[k].sqrt()));
                to[k] = q[k].scale(root) - mean.scale(share);
                across += x[v as usize][3] * to[k].norm_squared();
            }
            let step = square.div_or_zero(square + kappa * across, S::from_f64(S::TINY));
            let step = -(step * (one + kappa));
            for (k, &v) in vertices.iter().enumerate() {
                let change = q[k].scale(step);
                lambda[3 * k] += change.x;
                lambda[3 * k + 1] += change.y;
                lambda[3 * k + 2] += change.z;
                let w = x[v as usize][3];
                add(x, v, to[k].scale(step * w));
            }
        }
    }
    fn add_jacobi_correction(
        &self,
        _: &Exec,
        x: &[Point<S>],
        y: &mut [Point<S>],
        scale: &[S],
        count: bool,
    ) {
        self.each(x, |e, vertices, shares, d| {
            let [square, response] = weighted_squares(x, vertices, shares, d);
            let s = (square * scale[e]).div_or_zero(response, S::from_f64(S::TINY));
            for (k, &v) in vertices.iter().enumerate() {
                add(y, v, d[k].scale(s * x[v as usize][3] * S::from_f64(shares[k])));
                y[v as usize][3] += if count { S::from_f64(1.0) } else { scale[e] };
            }
        });
    }
    fn damp(&self, _: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]) {
        self.each(x, |e, vertices, shares, d| {
            let [_, response] = weighted_squares(x, vertices, shares, d);
            let mut along = S::default();
            for (k, &i) in vertices.iter().enumerate() {
                along += d[k].dot(position(v, i)) * S::from_f64(shares[k]);
            }
            let s = (fraction[e] * along).div_or_zero(response, S::from_f64(S::TINY));
            for (k, &i) in vertices.iter().enumerate() {
                let w = x[i as usize][3] * S::from_f64(shares[k]);
                add(v, i, d[k].scale(-(s * w)));
            }
        });
    }
}

impl<S: Scalar, C: ClusterProjection + ClusterForm> ProjectiveBatch<S> for ProjectionBatch<S, C> {
    fn add_projective_force(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.each(x, |e, vertices, shares, d| {
            for (k, &v) in vertices.iter().enumerate() {
                add(y, v, d[k].scale(S::from_f64(self.set.weights[e] * shares[k])));
            }
        });
    }
    fn projective_energy(&self, _: &Exec, x: &[Point<S>]) -> f64 {
        let mut sum = 0.0;
        self.each(x, |e, vertices, shares, d| {
            let [square, _] = weighted_squares(x, vertices, shares, d);
            sum += 0.5 * self.set.weights[e] * square.to_f64();
        });
        sum
    }
    fn assemble_laplacian(&self, add: AddEntry) {
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let shares = self.set.clusters[e].shares();
            for (i, &vi) in vertices.iter().enumerate() {
                for (j, &vj) in vertices.iter().enumerate() {
                    if vi >= vj {
                        let own = if i == j { shares[i] } else { 0.0 };
                        add(vi, vj, self.set.weights[e] * (own - shares[i] * shares[j]));
                    }
                }
            }
        }
    }
}

impl<S: Scalar, C: ClusterProjection + ClusterForm> PlasticBatch<S> for ProjectionBatch<S, C> {}

impl<S: Scalar, C: ClusterProjection + ClusterForm> EnergyBatch<S> for ProjectionBatch<S, C> {
    fn force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.add_projective_force(exec, x, y);
    }
    fn energy(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        self.projective_energy(exec, x)
    }
    /// Adds `A (I − Σ b bᵀ) Aᵀ` in the coordinates of the positions: the rows `b` of the cluster sum to zero when
    /// weighted by `√μ`, so that the centre adds nothing to them.
    fn hessian(&self, x: &[Point<S>], definite: bool, add: AddEntry) {
        let mut scratch = self.lock();
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let (weight, shares) = (self.set.weights[e], self.set.clusters[e].shares());
            let n = self.project_cluster(e, x, &mut scratch);
            let Scratch { y, curvature: Curvature { y: wide, rows }, .. } = &mut *scratch;
            wide.clear();
            wide.extend(y[..n].iter().map(to_f64));
            self.set.clusters[e].curvature(wide, definite, rows);
            for row in rows.chunks_exact_mut(3 * n) {
                for (b, share) in row.chunks_exact_mut(3).zip(shares) {
                    b.iter_mut().for_each(|b| *b *= share.sqrt());
                }
            }
            for (i, &vi) in vertices.iter().enumerate() {
                for (j, &vj) in vertices.iter().enumerate().filter(|(_, vj)| vi >= **vj) {
                    let own = if i == j { shares[i] } else { 0.0 };
                    let isotropic = own - shares[i] * shares[j];
                    for (c, d) in (0..9).map(|k| (k / 3, k % 3)) {
                        if i == j && c < d {
                            continue;
                        }
                        let turned: f64 =
                            rows.chunks_exact(3 * n).map(|b| b[3 * i + c] * b[3 * j + d]).sum();
                        let value = if c == d { isotropic - turned } else { -turned };
                        add(3 * vi + c as u32, 3 * vj + d as u32, weight * value);
                    }
                }
            }
        }
    }
}

impl<S: Scalar, C: ClusterProjection + ClusterForm> ConstraintBatch<S> for ProjectionBatch<S, C> {
    fn duals(&self) -> usize {
        3 * self.set.vertices.iter().map(Vec::len).max().unwrap_or(0)
    }
    fn list_rows(&self, _: bool, list: &mut dyn FnMut(&[u32], usize)) {
        self.set.vertices.iter().for_each(|v| list(v, 3 * v.len()));
    }
    /// Adds a row for each coordinate of each vertex, `√μ_k (y_k − p_k)`, without the components along rotations of the
    /// cluster, because the projection rotates with it.
    fn constraint_rows(
        &self,
        x: &[Point<S>],
        _: Option<&[f64]>,
        hard_above: f64,
        add: &mut dyn FnMut(&ConstraintRow),
    ) {
        let mut scratch = self.lock();
        for element in 0..self.set.clusters.len() {
            let weight = self.set.weights[element];
            let Some(compliance) = compliance_of(weight, hard_above) else { continue };
            let n = self.project_cluster(element, x, &mut scratch);
            let Scratch { y, residual: to, rows, .. } = &mut *scratch;
            let shares = self.set.clusters[element].shares();
            rows.prepare(&y[..n], &to[..n], shares);
            let Rows { residual: lack, gradient, rotation_modes: turns } = rows;
            for k in 0..n {
                for (c, axis) in AXES.iter().enumerate() {
                    // Row (k, c) of the projection across the turns, then of diag(√μ)(I − 1μᵀ).
                    let mut along = Vec3::zero();
                    for j in 0..n {
                        gradient[j] = if j == k { Vec3::of(*axis) } else { Vec3::zero() };
                        for turn in turns.chunks_exact(n) {
                            gradient[j] -= turn[j].scale(coordinate(turn[k], c));
                        }
                        gradient[j] = gradient[j].scale(shares[j].sqrt());
                        along += gradient[j];
                    }
                    for j in 0..n {
                        gradient[j] -= along.scale(shares[j]);
                    }
                    add(&ConstraintRow {
                        element,
                        value: -coordinate(lack[k], c) * shares[k].sqrt(),
                        compliance,
                        gradient,
                        unilateral: false,
                        direction: Some(&UNIT[c]),
                        dual_offset: 3 * k,
                    });
                }
            }
        }
    }
}

impl<S: Scalar, C: ClusterProjection + ClusterForm> VertexBatch<S> for ProjectionBatch<S, C> {
    fn vertex_stencils(&self, color: &[u32], colors: usize) -> Vec<VertexStencils> {
        VertexStencils::by_color(&self.set.vertices, color, colors, S::PACK)
    }
    /// `w μ_k I` bounds the energy for any number of vertices of a cluster that move at once.
    fn vertex_blocks(&self, _: &Exec, x: &[Point<S>], corners: &VertexStencils, out: &mut [S]) {
        let mut scratch = self.lock();
        let mut last = None;
        for at in 0..corners.slot.len() {
            let (slot, k) = (corners.slot[at] as usize, corners.local_vertex[at] as usize);
            // The entries of one cluster are consecutive.
            if last != Some(slot) {
                self.project_cluster(slot, x, &mut scratch);
                last = Some(slot);
            }
            let share = self.set.clusters[slot].shares()[k];
            let w = S::from_f64(self.set.weights[slot] * share);
            let (f, zero) = (scratch.residual[k].scale(w), S::default());
            let place = VertexStencils::output_index(at, S::PACK);
            let numbers = [f.x, f.y, f.z, w, w, w, zero, zero, zero];
            for q in 0..VERTEX_BLOCK_LEN {
                out[place + q * S::PACK] = numbers[q];
            }
        }
    }
}

/// The axes as directions of a dual variable.
const UNIT: [Direction; 3] = [
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
];
const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn coordinate(v: Vec3<f64>, c: usize) -> f64 {
    [v.x, v.y, v.z][c]
}

fn to_f64<S: Scalar>(v: &Vec3<S>) -> Vec3<f64> {
    Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())
}

impl Rows {
    /// Fills all fields for a cluster with positions `y` about its centre and residual `to`.
    fn prepare<S: Scalar>(&mut self, y: &[Vec3<S>], to: &[Vec3<S>], shares: &[f64]) {
        self.residual.clear();
        self.residual.extend(to.iter().map(to_f64));
        self.gradient.clear();
        self.gradient.resize(y.len(), Vec3::zero());
        self.rotation_modes.clear();
        for axis in AXES {
            let start = self.rotation_modes.len();
            for ((y, lack), w) in y.iter().zip(&self.residual).zip(shares) {
                let moved = Vec3::of(axis).cross(to_f64(y) + *lack);
                self.rotation_modes.push(moved.scale(w.sqrt()));
            }
            let (others, mode) = self.rotation_modes.split_at_mut(start);
            let whole = dot(mode, mode);
            for other in others.chunks_exact(y.len()) {
                let along = dot(mode, other);
                mode.iter_mut().zip(other).for_each(|(m, o)| *m -= o.scale(along));
            }
            let left = dot(mode, mode);
            if left > 1e-9 * whole {
                mode.iter_mut().for_each(|m| *m = m.scale(1.0 / left.sqrt()));
            } else {
                // A line does not change under rotation about itself.
                self.rotation_modes.truncate(start);
            }
        }
    }
}

fn dot(a: &[Vec3<f64>], b: &[Vec3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).sum()
}
