//! Batch of clusters in the precision of a simulation, evaluated sequentially.

use std::sync::Mutex;

use crate::batch::cluster::curvature::Curvature;
use crate::batch::cluster::{Cluster, Clusters};
use crate::batch::packed::assemble_dense;
use crate::batch::{
    AddEntry, AnyBatch, ConstraintBatch, ConstraintRow, EnergyBatch, PlasticBatch, ProjectiveBatch,
    RestState, SweepBatch, VERTEX_BLOCK_LEN, VertexBatch, VertexStencils, compliance_of,
};
use crate::element::{Block, ConstraintKind, FINITE_DIFFERENCE_STEP};
use crate::math::{Scalar, Vec3};
use crate::parallel::Exec;
use crate::simd::Point;

/// Scratch memory for the largest cluster, so that a sweep allocates nothing.
struct Scratch<S> {
    x: Vec<Vec3<S>>,
    g: Vec<Vec3<S>>,
    d: Vec<Vec3<S>>,
}

impl<S: Scalar> Scratch<S> {
    fn new(n: usize) -> Self {
        Self { x: vec![Vec3::zero(); n], g: vec![Vec3::zero(); n], d: vec![Vec3::zero(); n] }
    }
}

pub(super) struct ClusterBatch<S, C> {
    set: Clusters<C>,
    /// `|∇C|²` at rest: the projective weight for a weight of one.
    projective_weight: Vec<f64>,
    rest_inv_effective_mass: Vec<f64>,
    scratch: Mutex<Scratch<S>>,
    curvature: Mutex<Curvature>,
}

impl<S: Scalar, C: Cluster> ClusterBatch<S, C> {
    /// Builds the batch of clusters for a rest state.
    pub fn new(set: &Clusters<C>, rest: RestState) -> Self {
        let longest = set.vertices.iter().map(Vec::len).max().unwrap_or(0);
        let mut batch = Self {
            set: set.clone(),
            projective_weight: Vec::new(),
            rest_inv_effective_mass: Vec::new(),
            scratch: Mutex::new(Scratch::new(longest)),
            curvature: Mutex::default(),
        };
        for (c, vertices) in set.clusters.iter().zip(&set.vertices) {
            let x: Vec<Vec3<f64>> =
                vertices.iter().map(|&v| Vec3::of(rest.positions[v as usize])).collect();
            let mut g = vec![Vec3::zero(); x.len()];
            c.evaluate(&x, &mut g);
            let slope: f64 = g.iter().map(|v| v.norm_squared()).sum();
            let gain =
                g.iter().zip(vertices).map(|(g, &v)| rest.inv_mass[v as usize] * g.norm_squared());
            batch.projective_weight.push(if slope > 0.0 && slope.is_finite() {
                slope
            } else {
                1.0
            });
            batch.rest_inv_effective_mass.push(gain.sum());
        }
        batch
    }

    /// Calls `f(e, vertices, C, ∇C)` for every cluster at `x(vertex)`, in order.
    fn each(
        &self,
        mut x: impl FnMut(u32) -> Vec3<S>,
        mut f: impl FnMut(usize, &[u32], S, &[Vec3<S>]),
    ) {
        let mut scratch = self.lock();
        let scratch = &mut *scratch;
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let n = vertices.len();
            for (to, &v) in scratch.x.iter_mut().zip(vertices) {
                *to = x(v);
            }
            let c = self.set.clusters[e].evaluate(&scratch.x[..n], &mut scratch.g[..n]);
            f(e, vertices, c, &scratch.g[..n]);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Scratch<S>> {
        // A poisoned lock only means that a user's constraint panicked; the scratch is overwritten anyway.
        self.scratch.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The violation of a constraint: `C`, or its negative part for an inequality.
    fn violation(c: S) -> S {
        if C::KIND == ConstraintKind::Inequality { c.min(S::default()) } else { c }
    }

    /// The projection of Projective Dynamics: calls `f(e, vertices, p − y, ½|p − y|²)`.
    fn project(&self, x: &[Point<S>], mut f: impl FnMut(usize, &[u32], &[Vec3<S>], S)) {
        let mut scratch = self.lock();
        let Scratch { x: at, g, d } = &mut *scratch;
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let n = vertices.len();
            d[..n].fill(Vec3::zero());
            let mut square = S::default();
            for _ in 0..3 {
                let mut along = S::default();
                for (k, &v) in vertices.iter().enumerate() {
                    at[k] = position(x, v) + d[k];
                }
                let c = Self::violation(self.set.clusters[e].evaluate(&at[..n], &mut g[..n]));
                let mut slope = S::default();
                for k in 0..n {
                    along += g[k].dot(d[k]);
                    slope += g[k].norm_squared();
                }
                let s = (along - c).div_or_zero(slope, S::from_f64(S::TINY));
                square = S::default();
                for k in 0..n {
                    d[k] = g[k].scale(s);
                    square += d[k].norm_squared();
                }
            }
            f(e, vertices, &d[..n], square * S::from_f64(0.5));
        }
    }
}

pub(super) fn position<S: Scalar>(x: &[Point<S>], v: u32) -> Vec3<S> {
    let p = x[v as usize];
    Vec3::new(p[0], p[1], p[2])
}

pub(super) fn add<S: Scalar>(y: &mut [Point<S>], v: u32, d: Vec3<S>) {
    let p = &mut y[v as usize];
    p[0] += d.x;
    p[1] += d.y;
    p[2] += d.z;
}

fn inv_effective_mass<S: Scalar>(x: &[Point<S>], vertices: &[u32], g: &[Vec3<S>]) -> S {
    let mut sum = S::default();
    for (k, &v) in vertices.iter().enumerate() {
        sum += x[v as usize][3] * g[k].norm_squared();
    }
    sum
}

impl<S: Scalar, C: Cluster> AnyBatch<S> for ClusterBatch<S, C> {
    fn name(&self) -> &'static str {
        C::NAME
    }
    fn len(&self) -> usize {
        self.set.clusters.len()
    }
    fn bytes(&self) -> usize {
        self.set.vertices.iter().map(|v| 4 * v.len()).sum::<usize>() + 24 * self.len()
    }
}

impl<S: Scalar, C: Cluster> SweepBatch<S> for ClusterBatch<S, C> {
    fn constraints(&self) -> usize {
        self.set.clusters.len()
    }
    fn multipliers(&self) -> usize {
        self.set.clusters.len()
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
        let Scratch { x: at, g, .. } = &mut *scratch;
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let n = vertices.len();
            for (k, &v) in vertices.iter().enumerate() {
                at[k] = position(x, v);
            }
            let c = self.set.clusters[e].evaluate(&at[..n], &mut g[..n]);
            let c = Self::violation(c);
            let s = (c * stiffness[e])
                .div_or_zero(inv_effective_mass(x, vertices, g), S::from_f64(S::TINY));
            for (k, &v) in vertices.iter().enumerate() {
                let w = x[v as usize][3];
                add(x, v, g[k].scale(-(s * w)));
            }
        }
    }
    fn relax_compliant(&self, _: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]) {
        let mut scratch = self.lock();
        let Scratch { x: at, g, .. } = &mut *scratch;
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let n = vertices.len();
            for (k, &v) in vertices.iter().enumerate() {
                at[k] = position(x, v);
            }
            let c = self.set.clusters[e].evaluate(&at[..n], &mut g[..n]);
            let kappa = S::from_f64(self.set.weights[e]) * h2;
            let mut step = (-(c * kappa) - lambda[e])
                / (inv_effective_mass(x, vertices, g) * kappa + S::from_f64(1.0));
            if C::KIND == ConstraintKind::Inequality {
                // The multiplier of an inequality only pushes.
                step = (lambda[e] + step).max(S::default()) - lambda[e];
            }
            lambda[e] += step;
            for (k, &v) in vertices.iter().enumerate() {
                let w = x[v as usize][3];
                add(x, v, g[k].scale(step * w));
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
        self.each(
            |v| position(x, v),
            |e, vertices, c, g| {
                let s = (Self::violation(c) * scale[e])
                    .div_or_zero(inv_effective_mass(x, vertices, g), S::from_f64(S::TINY));
                for (k, &v) in vertices.iter().enumerate() {
                    add(y, v, g[k].scale(-(s * x[v as usize][3])));
                    y[v as usize][3] += if count { S::from_f64(1.0) } else { scale[e] };
                }
            },
        );
    }
    fn damp(&self, _: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]) {
        self.each(
            |i| position(x, i),
            |e, vertices, c, g| {
                if C::KIND == ConstraintKind::Inequality && c >= S::default() {
                    return;
                }
                let mut along = S::default();
                for (k, &i) in vertices.iter().enumerate() {
                    along += g[k].dot(position(v, i));
                }
                let s = (fraction[e] * along)
                    .div_or_zero(inv_effective_mass(x, vertices, g), S::from_f64(S::TINY));
                for (k, &i) in vertices.iter().enumerate() {
                    add(v, i, g[k].scale(-(s * x[i as usize][3])));
                }
            },
        );
    }
}

impl<S: Scalar, C: Cluster> ProjectiveBatch<S> for ClusterBatch<S, C> {
    fn add_projective_force(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.project(x, |e, vertices, d, _| {
            let w = S::from_f64(self.set.weights[e] * self.projective_weight[e]);
            vertices.iter().zip(d).for_each(|(&v, d)| add(y, v, d.scale(w)));
        });
    }
    fn projective_energy_is_exact(&self) -> bool {
        false
    }
    fn projective_energy(&self, _: &Exec, x: &[Point<S>]) -> f64 {
        let mut sum = 0.0;
        self.project(x, |e, _, _, half_square| {
            sum += self.set.weights[e] * self.projective_weight[e] * half_square.to_f64();
        });
        sum
    }
    fn assemble_laplacian(&self, add: AddEntry) {
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let w = self.set.weights[e] * self.projective_weight[e];
            let mean = 1.0 / vertices.len() as f64;
            for &i in vertices {
                for &j in vertices {
                    if i >= j {
                        add(i, j, w * (if i == j { 1.0 } else { 0.0 } - mean));
                    }
                }
            }
        }
    }
}

impl<S: Scalar, C: Cluster> PlasticBatch<S> for ClusterBatch<S, C> {}

impl<S: Scalar, C: Cluster> EnergyBatch<S> for ClusterBatch<S, C> {
    fn force(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.each(
            |v| position(x, v),
            |e, vertices, c, g| {
                let s = -(Self::violation(c) * S::from_f64(self.set.weights[e]));
                vertices.iter().zip(g).for_each(|(&v, g)| add(y, v, g.scale(s)));
            },
        );
    }
    fn energy(&self, _: &Exec, x: &[Point<S>]) -> f64 {
        let mut sum = 0.0;
        self.each(
            |v| position(x, v),
            |e, _, c, _| {
                let c = Self::violation(c).to_f64();
                sum += 0.5 * self.set.weights[e] * c * c;
            },
        );
        sum
    }
    fn hessian(&self, x: &[Point<S>], definite: bool, add: AddEntry) {
        let mut room = self.curvature.lock().unwrap_or_else(|e| e.into_inner());
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            room.x.clear();
            room.x.extend(vertices.iter().map(|&v| {
                let p = position(x, v);
                Vec3::new(p.x.to_f64(), p.y.to_f64(), p.z.to_f64())
            }));
            let h = room.hessian(&self.set.clusters[e], definite);
            assemble_dense(vertices, self.set.weights[e], h, add);
        }
    }
}

impl<S: Scalar, C: Cluster> ConstraintBatch<S> for ClusterBatch<S, C> {
    fn duals(&self) -> usize {
        1
    }
    fn list_rows(&self, geometric: bool, list: &mut dyn FnMut(&[u32], usize)) {
        for vertices in &self.set.vertices {
            let stiff = geometric && vertices.len() <= MAX_GEOMETRIC_STIFFNESS_VERTICES;
            list(vertices, if stiff { 3 * vertices.len() } else { 1 });
        }
    }
    fn constraint_rows(
        &self,
        x: &[Point<S>],
        duals: Option<&[f64]>,
        hard_above: f64,
        add: &mut dyn FnMut(&ConstraintRow),
    ) {
        let mut room = self.curvature.lock().unwrap_or_else(|e| e.into_inner());
        let direction = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        for (element, vertices) in self.set.vertices.iter().enumerate() {
            let weight = self.set.weights[element];
            let Some(compliance) = compliance_of(weight, hard_above) else { continue };
            room.x.clear();
            room.x.extend(vertices.iter().map(|&v| {
                let p = position(x, v);
                Vec3::new(p.x.to_f64(), p.y.to_f64(), p.z.to_f64())
            }));
            let Curvature { x: at, g, .. } = &mut *room;
            g.resize(at.len(), Vec3::zero());
            let value = self.set.clusters[element].evaluate(at, g);
            add(&ConstraintRow {
                element,
                value,
                compliance,
                gradient: g,
                unilateral: C::KIND == ConstraintKind::Inequality,
                direction: Some(&direction),
                dual_offset: 0,
            });
            let lambda = duals.map_or(0.0, |d| d[element]);
            if lambda == 0.0
                || !lambda.is_finite()
                || vertices.len() > MAX_GEOMETRIC_STIFFNESS_VERTICES
            {
                continue;
            }
            room.stiffness(&self.set.clusters[element], lambda, &mut |stiffness, gradient| {
                add(&ConstraintRow {
                    element,
                    value: 0.0,
                    compliance: 1.0 / stiffness,
                    gradient,
                    unilateral: false,
                    direction: None,
                    dual_offset: 0,
                });
            });
        }
    }
}

impl<S: Scalar, C: Cluster> VertexBatch<S> for ClusterBatch<S, C> {
    fn vertex_stencils(&self, color: &[u32], colors: usize) -> Vec<VertexStencils> {
        VertexStencils::by_color(&self.set.vertices, color, colors, S::PACK)
    }
    /// Vertices of a large cluster may share a colour. Their blocks then bound the energy when all of them move at
    /// once: `(Σ g_k·d_k)² ≤ Σ|g_k|² Σ|d_k|²`.
    fn vertex_blocks(&self, _: &Exec, x: &[Point<S>], corners: &VertexStencils, out: &mut [S]) {
        let mut scratch = self.lock();
        let Scratch { x: at, g, d } = &mut *scratch;
        let mut i = 0;
        while i < corners.slot.len() {
            // The entries of one cluster are consecutive.
            let slot = corners.slot[i];
            let same = corners.slot[i..].iter().take_while(|&&s| s == slot).count();
            let (cluster, vertices) =
                (&self.set.clusters[slot as usize], &self.set.vertices[slot as usize]);
            let n = vertices.len();
            for (to, &v) in at.iter_mut().zip(vertices) {
                *to = position(x, v);
            }
            let c = cluster.evaluate(&at[..n], &mut g[..n]);
            let mut w = S::from_f64(self.set.weights[slot as usize]);
            if C::KIND == ConstraintKind::Inequality && c >= S::default() {
                w = S::default();
            }
            let run = i..i + same;
            let mut moving = S::default();
            let mut count = 0;
            for j in run.clone().filter(|&j| corners.vertex[j] != VertexStencils::PADDING) {
                moving += g[corners.local_vertex[j] as usize].norm_squared();
                count += 1;
            }
            for j in run {
                let k = corners.local_vertex[j] as usize;
                // A vertex that is alone in its colour includes the rotation of its gradient.
                let block = if count == 1 {
                    let bent = c.abs() * hessian_norm(cluster, &mut at[..n], k, g[k], &mut d[..n]);
                    Block::outer(S::from_f64(1.0), g[k]).plus(Block::isotropic(bent))
                } else {
                    Block::isotropic(moving)
                };
                let force = g[k].scale(-(c * w));
                let b = block.scale(w).m;
                let numbers = [force.x, force.y, force.z, b[0], b[1], b[2], b[3], b[4], b[5]];
                let place = VertexStencils::output_index(j, S::PACK);
                for q in 0..VERTEX_BLOCK_LEN {
                    out[place + q * S::PACK] = numbers[q];
                }
            }
            i += same;
        }
    }
}

/// Change of the gradient with respect to vertex `k`, now `g`, as that vertex moves: the norm of `∇²C` by forward
/// differences.
fn hessian_norm<S: Scalar, C: Cluster>(
    cluster: &C,
    x: &mut [Vec3<S>],
    k: usize,
    g: Vec3<S>,
    room: &mut [Vec3<S>],
) -> S {
    let mut square = S::from_f64(1e-18);
    for v in x.iter() {
        square = square.max((*v - x[0]).norm_squared());
    }
    let step = square.sqrt() * S::from_f64(FINITE_DIFFERENCE_STEP);
    let home = x[k];
    let mut sum = S::default();
    for axis in 0..3 {
        match axis {
            0 => x[k].x += step,
            1 => x[k].y += step,
            _ => x[k].z += step,
        }
        cluster.evaluate(x, room);
        x[k] = home;
        sum += (room[k] - g).norm_squared();
    }
    sum.sqrt().div_or_zero(step, S::from_f64(S::TINY))
}

/// Clusters with more vertices have no geometric stiffness: each mode would be a row over all of them.
const MAX_GEOMETRIC_STIFFNESS_VERTICES: usize = 16;
