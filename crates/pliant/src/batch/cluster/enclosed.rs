//! Enclosed volumes in the precision of a simulation, evaluated one after another in double precision.
//!
//! The Hessian of `w/2 C²` is `w ∇C ∇Cᵀ + w C ∇²C`. The first part couples every vertex of a surface with
//! every other; it is given as a vector ([`AnyBatch::coupling`]), the second as entries along edges. What
//! Projective Dynamics minimises is the energy itself: a projection onto `C = 0` would have to be bounded by
//! `w |∇C|² I`, which a surface of thousands of vertices could not move under.

use std::sync::Mutex;

use super::Clusters;
use super::batch::{add, corners_by_color, position};
use crate::batch::scales::per_iteration;
use crate::batch::{
    AnyBatch, CORNER_NUMBERS, ConstraintRow, Corners, RestState, Stamp, compliance_of,
};
use crate::damping::Damping;
use crate::element::{Block, Direction};
use crate::elements::EnclosedVolume;
use crate::math::{Scalar, Vec3};
use crate::parallel::Exec;
use crate::simd::Point;

/// The part of the squared gradient at rest that is added where corrections divide by it: the gradient
/// vanishes on a surface that is flat.
const SLACK: f64 = 1e-3;

/// Room for the largest surface, so that a sweep allocates nothing.
struct Scratch {
    x: Vec<Vec3<f64>>,
    g: Vec<Vec3<f64>>,
    /// Whether each vertex is one of those that move at once.
    moves: Vec<bool>,
    /// A bound on what its neighbours among them do to it.
    bend: Vec<f64>,
}

pub(super) struct EnclosedBatch {
    set: Clusters<EnclosedVolume>,
    /// The factor of each at the present time.
    factor: Vec<f64>,
    /// `Σ m⁻¹|∇C|²` at rest.
    gain: Vec<f64>,
    /// What is added to that.
    slack: Vec<f64>,
    scratch: Mutex<Scratch>,
}

impl EnclosedBatch {
    /// Lays out surfaces against a rest shape.
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
            slack.push(SLACK * slope * mean);
        }
        let scratch = Scratch { x: room(), g: room(), moves: vec![false; n], bend: vec![0.0; n] };
        let factor = set.clusters.iter().map(|c| c.factor(0.0)).collect();
        Self { set: set.clone(), factor, gain, slack, scratch: Mutex::new(scratch) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Scratch> {
        // The scratch is rewritten for every surface.
        self.scratch.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// `C` of surface `e` at `x`; fills its positions and its gradient.
    fn look<S: Scalar>(&self, e: usize, x: &[Point<S>], room: &mut Scratch) -> f64 {
        let vertices = &self.set.vertices[e];
        let n = vertices.len();
        for (to, &v) in room.x.iter_mut().zip(vertices) {
            *to = wide(position(x, v));
        }
        let ratio = self.set.clusters[e].evaluate(&room.x[..n], &mut room.g[..n]);
        ratio - self.factor[e]
    }

    /// Calls `f(e, vertices, C, ∇C)` for every surface at `x`, in order.
    fn each<S: Scalar>(&self, x: &[Point<S>], mut f: impl FnMut(usize, &[u32], f64, &[Vec3<f64>])) {
        let mut room = self.lock();
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let c = self.look(e, x, &mut room);
            f(e, vertices, c, &room.g[..vertices.len()]);
        }
    }

    /// `Σ m⁻¹|∇C|²` with what is added to it, to divide by.
    fn response<S: Scalar>(&self, e: usize, x: &[Point<S>], g: &[Vec3<f64>]) -> f64 {
        let own = self.set.vertices[e].iter().zip(g);
        let sum: f64 = own.map(|(&v, g)| x[v as usize][3].to_f64() * g.norm_squared()).sum();
        (sum + self.slack[e]).max(f64::MIN_POSITIVE)
    }

    /// Adds the force `−w C ∇C` to `y`.
    fn push<S: Scalar>(&self, x: &[Point<S>], y: &mut [Point<S>]) {
        self.each(x, |e, vertices, c, g| {
            let s = -(c * self.set.weights[e]);
            vertices.iter().zip(g).for_each(|(&v, g)| add(y, v, narrow(g.scale(s))));
        });
    }

    fn energies<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        let mut sum = 0.0;
        self.each(x, |e, _, c, _| sum += 0.5 * self.set.weights[e] * c * c);
        sum
    }
}

fn wide<S: Scalar>(v: Vec3<S>) -> Vec3<f64> {
    Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())
}

fn narrow<S: Scalar>(v: Vec3<f64>) -> Vec3<S> {
    Vec3::new(S::from_f64(v.x), S::from_f64(v.y), S::from_f64(v.z))
}

impl<S: Scalar> AnyBatch<S> for EnclosedBatch {
    fn name(&self) -> &'static str {
        super::ENCLOSED
    }
    fn len(&self) -> usize {
        self.set.clusters.len()
    }
    fn constraints(&self) -> usize {
        self.set.clusters.len()
    }
    fn multipliers(&self) -> usize {
        self.set.clusters.len()
    }
    fn bytes(&self) -> usize {
        let vertices: usize = self.set.vertices.iter().map(|v| 4 * v.len()).sum();
        let triangles: usize = self.set.clusters.iter().map(EnclosedVolume::bytes).sum();
        vertices + triangles + 40 * self.set.clusters.len() + 57 * self.lock().x.len()
    }
    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S> {
        let of = |e: usize| {
            let rate = self.gain[e] * self.set.weights[e];
            S::from_f64(per_iteration(self.set.stiffness[e], rate, h, iterations))
        };
        (0..self.gain.len()).map(of).collect()
    }
    fn damping(&self, h: f64) -> Option<Vec<S>> {
        let of = |c: &f64| S::from_f64(Damping::fraction(*c, h));
        let any = self.set.damping.iter().any(|&c| c != 0.0);
        any.then(|| self.set.damping.iter().map(of).collect())
    }
    fn rates(&self) -> Vec<S> {
        self.gain.iter().zip(&self.set.weights).map(|(g, w)| S::from_f64(g * w)).collect()
    }
    fn set_time(&mut self, time: f64) {
        for (factor, element) in self.factor.iter_mut().zip(&self.set.clusters) {
            *factor = element.factor(time);
        }
    }

    fn relax(&self, _: &Exec, x: &mut [Point<S>], stiffness: &[S]) {
        let mut room = self.lock();
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let c = self.look(e, x, &mut room);
            let g = &room.g[..vertices.len()];
            let s = c * stiffness[e].to_f64() / self.response(e, x, g);
            for (&v, g) in vertices.iter().zip(g) {
                let w = x[v as usize][3].to_f64();
                add(x, v, narrow(g.scale(-(s * w))));
            }
        }
    }

    fn relax_compliant(&self, _: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]) {
        let mut room = self.lock();
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let c = self.look(e, x, &mut room);
            let g = &room.g[..vertices.len()];
            let kappa = self.set.weights[e] * h2.to_f64();
            let before = lambda[e].to_f64();
            let step = (-(c * kappa) - before) / (self.response(e, x, g) * kappa + 1.0);
            lambda[e] = S::from_f64(before + step);
            for (&v, g) in vertices.iter().zip(g) {
                let w = x[v as usize][3].to_f64();
                add(x, v, narrow(g.scale(step * w)));
            }
        }
    }

    fn correct(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>], scale: &[S], count: bool) {
        self.each(x, |e, vertices, c, g| {
            let s = c * scale[e].to_f64() / self.response(e, x, g);
            for (&v, g) in vertices.iter().zip(g) {
                add(y, v, narrow(g.scale(-(s * x[v as usize][3].to_f64()))));
                y[v as usize][3] += if count { S::from_f64(1.0) } else { scale[e] };
            }
        });
    }

    fn pull(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.push(x, y);
    }
    fn is_bounded(&self) -> bool {
        false
    }
    fn force(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.push(x, y);
    }

    fn damp(&self, _: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]) {
        self.each(x, |e, vertices, _, g| {
            let own = vertices.iter().zip(g);
            let along: f64 = own.map(|(&i, g)| g.dot(wide(position(v, i)))).sum();
            let s = fraction[e].to_f64() * along / self.response(e, x, g);
            for (&i, g) in vertices.iter().zip(g) {
                add(v, i, narrow(g.scale(-(s * x[i as usize][3].to_f64()))));
            }
        });
    }

    fn energy(&self, _: &Exec, x: &[Point<S>]) -> f64 {
        self.energies(x)
    }
    fn distance(&self, _: &Exec, x: &[Point<S>]) -> f64 {
        self.energies(x)
    }

    /// Nothing: what there is of curvature is the coupling, and what bends it has no bound at rest.
    fn stamp(&self, _: Stamp) {}

    /// The entries of `w C ∇²C`. Of that, no part is definite on its own.
    fn hessian(&self, x: &[Point<S>], definite: bool, add: Stamp) {
        let mut room = self.lock();
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let c = self.look(e, x, &mut room);
            let scale = if definite { 0.0 } else { self.set.weights[e] * c };
            self.set.clusters[e].curvature(&room.x[..vertices.len()], &mut |i, j, a| {
                let (p, q, a) = (3 * vertices[i], 3 * vertices[j], a.scale(scale));
                // The matrix of a ×, without its diagonal of zeros.
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

    fn couplings(&self) -> usize {
        self.set.clusters.len()
    }

    fn coupling(&self, which: usize, x: &[Point<S>], add: &mut dyn FnMut(u32, Vec3<f64>)) {
        let mut room = self.lock();
        self.look(which, x, &mut room);
        let root = self.set.weights[which].sqrt();
        let own = self.set.vertices[which].iter().zip(&room.g);
        own.for_each(|(&v, g)| add(v, g.scale(root)));
    }

    fn duals(&self) -> usize {
        1
    }

    fn list_rows(&self, _: bool, list: &mut dyn FnMut(&[u32], usize)) {
        self.set.vertices.iter().for_each(|vertices| list(vertices, 1));
    }

    /// One row each. Without geometric stiffness: every mode would be a row over the whole surface.
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
                one_sided,
                direction,
                dual,
            });
        });
    }

    fn corners(&self, color: &[u32], colors: usize) -> Vec<Corners> {
        corners_by_color(&self.set.vertices, color, colors, S::PACK)
    }

    /// Many vertices of a surface share a colour. Their blocks bound the energy of all moving at once:
    /// `(Σ g_k·d_k)² ≤ Σ|g_k|² Σ(ĝ_k·d_k)²` with `ĝ_k` the direction of `g_k`, which leaves a vertex free
    /// to move along the surface. `∇²_kk V` is zero, so only neighbours of one colour bend each other.
    fn corner_blocks(&self, _: &Exec, x: &[Point<S>], corners: &Corners, out: &mut [S]) {
        let mut room = self.lock();
        let mut i = 0;
        while i < corners.slot.len() {
            // The entries of one surface follow one another.
            let e = corners.slot[i] as usize;
            let run = i..i + corners.slot[i..].iter().take_while(|&&s| s as usize == e).count();
            let c = self.look(e, x, &mut room);
            let w = self.set.weights[e];
            let Scratch { x: at, g, moves, bend } = &mut *room;
            let n = self.set.vertices[e].len();
            moves[..n].fill(false);
            bend[..n].fill(0.0);
            let mut moving = 0.0;
            for j in run.clone().filter(|&j| corners.vertex[j] != Corners::PADDING) {
                let k = corners.corner[j] as usize;
                moves[k] = true;
                moving += g[k].norm_squared();
            }
            self.set.clusters[e].curvature(&at[..n], &mut |p, q, a| {
                if moves[p] && moves[q] {
                    let norm = a.norm();
                    bend[p] += norm;
                    bend[q] += norm;
                }
            });
            for j in run.clone() {
                let k = corners.corner[j] as usize;
                let square = g[k].norm_squared();
                let along = if square > 0.0 { moving / square } else { 0.0 };
                let block = Block::outer(along, g[k]).plus(Block::isotropic(c.abs() * bend[k]));
                let (force, b) = (g[k].scale(-(c * w)), block.scale(w).m);
                let numbers = [force.x, force.y, force.z, b[0], b[1], b[2], b[3], b[4], b[5]];
                let place = Corners::place(j, S::PACK);
                for q in 0..CORNER_NUMBERS {
                    out[place + q * S::PACK] = S::from_f64(numbers[q]);
                }
            }
            i = run.end;
        }
    }
}
