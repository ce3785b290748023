//! Batch of enclosed volumes, evaluated sequentially in double precision for simulations of either precision.
//!
//! The Hessian of `w/2 C²` is `w ∇C ∇Cᵀ + w C ∇²C`. The first part couples every vertex of a surface with every other;
//! it is given as a vector ([`EnergyBatch::rank_one_term`]), the second as entries along edges. Projective Dynamics
//! minimises the energy itself: a projection onto `C = 0` would have to be bounded by `w |∇C|² I`, with which a surface
//! of thousands of vertices could hardly move.

use std::sync::Mutex;

use crate::batch::cluster::Clusters;
use crate::batch::cluster::batch::{add, position};
use crate::batch::{
    AddEntry, AnyBatch, ConstraintBatch, ConstraintRow, EnergyBatch, PlasticBatch, ProjectiveBatch,
    RestState, SweepBatch, VERTEX_BLOCK_LEN, VertexBatch, VertexStencils, compliance_of,
};
use crate::element::{Block, Direction};
use crate::elements::EnclosedVolume;
use crate::math::{Scalar, Vec3};
use crate::parallel::Exec;
use crate::simd::Point;

/// Fraction of the squared gradient at rest that is added where corrections divide by the squared gradient, because the
/// gradient vanishes on a flat surface.
const GRADIENT_REGULARIZATION: f64 = 1e-3;

/// Scratch memory for the largest surface, so that a sweep allocates nothing.
struct Scratch {
    x: Vec<Vec3<f64>>,
    g: Vec<Vec3<f64>>,
    /// True for each vertex that moves in the present colour.
    is_moving: Vec<bool>,
    /// For each vertex, a bound on the curvature terms with neighbours that move at the same time.
    curvature_bound: Vec<f64>,
}

pub(super) struct EnclosedBatch {
    set: Clusters<EnclosedVolume>,
    /// The factor of each surface at the current time.
    factor: Vec<f64>,
    /// `Σ m⁻¹|∇C|²` at rest.
    rest_inv_effective_mass: Vec<f64>,
    /// The regularisation added to `Σ m⁻¹|∇C|²`.
    regularization: Vec<f64>,
    scratch: Mutex<Scratch>,
}

impl EnclosedBatch {
    /// Builds the batch of surfaces for a rest state.
    pub fn new(set: &Clusters<EnclosedVolume>, rest: RestState) -> Self {
        let n = set.vertices.iter().map(Vec::len).max().unwrap_or(0);
        let room = || vec![Vec3::zero(); n];
        let (mut gain, mut slack) = (Vec::new(), Vec::new());
        for (element, vertices) in set.clusters.iter().zip(&set.vertices) {
            let x: Vec<_> =
                vertices.iter().map(|&v| Vec3::of(rest.positions[v as usize])).collect();
            let mut g = vec![Vec3::zero(); x.len()];
            element.evaluate(&x, &mut g);
            let inv_mass = || vertices.iter().map(|&v| rest.inv_mass[v as usize]);
            let slope: f64 = g.iter().map(|g| g.norm_squared()).sum();
            let mean = inv_mass().sum::<f64>() / vertices.len() as f64;
            gain.push(inv_mass().zip(&g).map(|(w, g)| w * g.norm_squared()).sum());
            slack.push(GRADIENT_REGULARIZATION * slope * mean);
        }
        let scratch = Scratch {
            x: room(),
            g: room(),
            is_moving: vec![false; n],
            curvature_bound: vec![0.0; n],
        };
        let factor = set.clusters.iter().map(|c| c.factor(0.0)).collect();
        Self {
            set: set.clone(),
            factor,
            rest_inv_effective_mass: gain,
            regularization: slack,
            scratch: Mutex::new(scratch),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Scratch> {
        // The scratch is overwritten for every surface.
        self.scratch.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Returns `C` of surface `e` at `x`; fills the scratch with its positions and its gradient.
    fn evaluate_surface<S: Scalar>(&self, e: usize, x: &[Point<S>], room: &mut Scratch) -> f64 {
        let vertices = &self.set.vertices[e];
        let n = vertices.len();
        for (to, &v) in room.x.iter_mut().zip(vertices) {
            *to = to_f64(position(x, v));
        }
        let ratio = self.set.clusters[e].evaluate(&room.x[..n], &mut room.g[..n]);
        ratio - self.factor[e]
    }

    /// Calls `f(e, vertices, C, ∇C)` for every surface at `x`, in order.
    fn each<S: Scalar>(&self, x: &[Point<S>], mut f: impl FnMut(usize, &[u32], f64, &[Vec3<f64>])) {
        let mut room = self.lock();
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let c = self.evaluate_surface(e, x, &mut room);
            f(e, vertices, c, &room.g[..vertices.len()]);
        }
    }

    /// The regularised `Σ m⁻¹|∇C|²`, to divide by.
    fn inv_effective_mass<S: Scalar>(&self, e: usize, x: &[Point<S>], g: &[Vec3<f64>]) -> f64 {
        let own = self.set.vertices[e].iter().zip(g);
        let sum: f64 = own.map(|(&v, g)| x[v as usize][3].to_f64() * g.norm_squared()).sum();
        (sum + self.regularization[e]).max(f64::MIN_POSITIVE)
    }

    /// Adds the force `−w C ∇C` to `y`.
    fn add_force<S: Scalar>(&self, x: &[Point<S>], y: &mut [Point<S>]) {
        self.each(x, |e, vertices, c, g| {
            let s = -(c * self.set.weights[e]);
            vertices.iter().zip(g).for_each(|(&v, g)| add(y, v, from_f64(g.scale(s))));
        });
    }

    fn total_energy<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        let mut sum = 0.0;
        self.each(x, |e, _, c, _| sum += 0.5 * self.set.weights[e] * c * c);
        sum
    }
}

fn to_f64<S: Scalar>(v: Vec3<S>) -> Vec3<f64> {
    Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())
}

fn from_f64<S: Scalar>(v: Vec3<f64>) -> Vec3<S> {
    Vec3::new(S::from_f64(v.x), S::from_f64(v.y), S::from_f64(v.z))
}

impl<S: Scalar> AnyBatch<S> for EnclosedBatch {
    fn name(&self) -> &'static str {
        crate::batch::cluster::ENCLOSED_VOLUME_NAME
    }
    fn len(&self) -> usize {
        self.set.clusters.len()
    }
    fn bytes(&self) -> usize {
        let vertices: usize = self.set.vertices.iter().map(|v| 4 * v.len()).sum();
        let triangles: usize = self.set.clusters.iter().map(EnclosedVolume::bytes).sum();
        vertices + triangles + 40 * self.set.clusters.len() + 57 * self.lock().x.len()
    }
    fn set_time(&mut self, time: f64) {
        for (factor, element) in self.factor.iter_mut().zip(&self.set.clusters) {
            *factor = element.factor(time);
        }
    }
}

impl<S: Scalar> SweepBatch<S> for EnclosedBatch {
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
        let mut room = self.lock();
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let c = self.evaluate_surface(e, x, &mut room);
            let g = &room.g[..vertices.len()];
            let s = c * stiffness[e].to_f64() / self.inv_effective_mass(e, x, g);
            for (&v, g) in vertices.iter().zip(g) {
                let w = x[v as usize][3].to_f64();
                add(x, v, from_f64(g.scale(-(s * w))));
            }
        }
    }
    fn relax_compliant(&self, _: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]) {
        let mut room = self.lock();
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let c = self.evaluate_surface(e, x, &mut room);
            let g = &room.g[..vertices.len()];
            let kappa = self.set.weights[e] * h2.to_f64();
            let before = lambda[e].to_f64();
            let step = (-(c * kappa) - before) / (self.inv_effective_mass(e, x, g) * kappa + 1.0);
            lambda[e] = S::from_f64(before + step);
            for (&v, g) in vertices.iter().zip(g) {
                let w = x[v as usize][3].to_f64();
                add(x, v, from_f64(g.scale(step * w)));
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
        self.each(x, |e, vertices, c, g| {
            let s = c * scale[e].to_f64() / self.inv_effective_mass(e, x, g);
            for (&v, g) in vertices.iter().zip(g) {
                add(y, v, from_f64(g.scale(-(s * x[v as usize][3].to_f64()))));
                y[v as usize][3] += if count { S::from_f64(1.0) } else { scale[e] };
            }
        });
    }
    fn damp(&self, _: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]) {
        self.each(x, |e, vertices, _, g| {
            let own = vertices.iter().zip(g);
            let along: f64 = own.map(|(&i, g)| g.dot(to_f64(position(v, i)))).sum();
            let s = fraction[e].to_f64() * along / self.inv_effective_mass(e, x, g);
            for (&i, g) in vertices.iter().zip(g) {
                add(v, i, from_f64(g.scale(-(s * x[i as usize][3].to_f64()))));
            }
        });
    }
}

impl<S: Scalar> ProjectiveBatch<S> for EnclosedBatch {
    fn add_projective_force(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.add_force(x, y);
    }
    fn is_bounded(&self) -> bool {
        false
    }
    fn projective_energy(&self, _: &Exec, x: &[Point<S>]) -> f64 {
        self.total_energy(x)
    }
    /// Adds nothing: the Gauss–Newton part is the rank-one term, and the curvature has no bound at rest.
    fn assemble_laplacian(&self, _: AddEntry) {}
}

impl<S: Scalar> PlasticBatch<S> for EnclosedBatch {}

impl<S: Scalar> EnergyBatch<S> for EnclosedBatch {
    fn force(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.add_force(x, y);
    }
    fn energy(&self, _: &Exec, x: &[Point<S>]) -> f64 {
        self.total_energy(x)
    }
    /// Adds the entries of `w C ∇²C`. No part of it is definite on its own.
    fn hessian(&self, x: &[Point<S>], definite: bool, add: AddEntry) {
        let mut room = self.lock();
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let c = self.evaluate_surface(e, x, &mut room);
            let scale = if definite { 0.0 } else { self.set.weights[e] * c };
            self.set.clusters[e].curvature(&room.x[..vertices.len()], &mut |i, j, a| {
                let (p, q, a) = (3 * vertices[i], 3 * vertices[j], a.scale(scale));
                // The matrix of `v ↦ a × v`, without its zero diagonal.
                for (r, s, value) in [
                    (0, 1, -a.z),
                    (0, 2, a.y),
                    (1, 0, a.z),
                    (1, 2, -a.x),
                    (2, 0, -a.y),
                    (2, 1, a.x),
                ] {
                    let (row, column) = (p + r, q + s);
                    add(row.max(column), row.min(column), value);
                }
            });
        }
    }
    fn rank_one_term_count(&self) -> usize {
        self.set.clusters.len()
    }
    fn rank_one_term(&self, which: usize, x: &[Point<S>], add: &mut dyn FnMut(u32, Vec3<f64>)) {
        let mut room = self.lock();
        self.evaluate_surface(which, x, &mut room);
        let root = self.set.weights[which].sqrt();
        let own = self.set.vertices[which].iter().zip(&room.g);
        own.for_each(|(&v, g)| add(v, g.scale(root)));
    }
}

impl<S: Scalar> ConstraintBatch<S> for EnclosedBatch {
    fn duals(&self) -> usize {
        1
    }
    fn list_rows(&self, _: bool, list: &mut dyn FnMut(&[u32], usize)) {
        self.set.vertices.iter().for_each(|vertices| list(vertices, 1));
    }
    /// One row each, without geometric stiffness: every mode would be a row over the whole surface.
    fn constraint_rows(
        &self,
        x: &[Point<S>],
        _: Option<&[f64]>,
        hard_above: f64,
        add: &mut dyn FnMut(&ConstraintRow),
    ) {
        const ONLY: Direction = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        self.each(x, |element, _, value, gradient| {
            let Some(compliance) = compliance_of(self.set.weights[element], hard_above) else {
                return;
            };
            let (one_sided, direction, dual) = (false, Some(&ONLY), 0);
            add(&ConstraintRow {
                element,
                value,
                compliance,
                gradient,
                unilateral: one_sided,
                direction,
                dual_offset: dual,
            });
        });
    }
}

impl<S: Scalar> VertexBatch<S> for EnclosedBatch {
    fn vertex_stencils(&self, color: &[u32], colors: usize) -> Vec<VertexStencils> {
        VertexStencils::by_color(&self.set.vertices, color, colors, S::PACK)
    }
    /// Many vertices of a surface share a colour. Their blocks bound the energy when all of them move at once:
    /// `(Σ g_k·d_k)² ≤ Σ|g_k|² Σ(ĝ_k·d_k)²` with `ĝ_k` the direction of `g_k`, which leaves a vertex free to move along
    /// the surface. `∇²_kk V` is zero, so only neighbours of the same colour add curvature.
    fn vertex_blocks(&self, _: &Exec, x: &[Point<S>], corners: &VertexStencils, out: &mut [S]) {
        let mut room = self.lock();
        let mut i = 0;
        while i < corners.slot.len() {
            // The entries of one surface are consecutive.
            let e = corners.slot[i] as usize;
            let run = i..i + corners.slot[i..].iter().take_while(|&&s| s as usize == e).count();
            let c = self.evaluate_surface(e, x, &mut room);
            let w = self.set.weights[e];
            let Scratch { x: at, g, is_moving, curvature_bound: bend } = &mut *room;
            let n = self.set.vertices[e].len();
            is_moving[..n].fill(false);
            bend[..n].fill(0.0);
            let mut moving = 0.0;
            for j in run.clone().filter(|&j| corners.vertex[j] != VertexStencils::PADDING) {
                let k = corners.local_vertex[j] as usize;
                is_moving[k] = true;
                moving += g[k].norm_squared();
            }
            self.set.clusters[e].curvature(&at[..n], &mut |p, q, a| {
                if is_moving[p] && is_moving[q] {
                    let norm = a.norm();
                    bend[p] += norm;
                    bend[q] += norm;
                }
            });
            for j in run.clone() {
                let k = corners.local_vertex[j] as usize;
                let square = g[k].norm_squared();
                let along = if square > 0.0 { moving / square } else { 0.0 };
                let block = Block::outer(along, g[k]).plus(Block::isotropic(c.abs() * bend[k]));
                let (force, b) = (g[k].scale(-(c * w)), block.scale(w).m);
                let numbers = [force.x, force.y, force.z, b[0], b[1], b[2], b[3], b[4], b[5]];
                let place = VertexStencils::output_index(j, S::PACK);
                for q in 0..VERTEX_BLOCK_LEN {
                    out[place + q * S::PACK] = S::from_f64(numbers[q]);
                }
            }
            i = run.end;
        }
    }
}
