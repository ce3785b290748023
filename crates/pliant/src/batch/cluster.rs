//! Constraints over any number of vertices.
//!
//! A [`Cluster`] is one scalar constraint on a list of vertices of its own length: a vertex's
//! large one-ring, the enclosed volume of a whole mesh. It is evaluated with scalar arithmetic,
//! one after another in order, and derives the same faces as the packed elements.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Mutex;

use super::elements::{
    astray, gives_momentum, validate_damping, validate_element, validate_stiffness,
};
use super::packed::{per_iteration, stamp_dense};
use super::{
    AnyBatch, AnyElements, CORNER_NUMBERS, ConstraintRow, Corners, RestState, Stamp, compliance_of,
};
use crate::Error;
use crate::damping::Damping;
use crate::element::{Block, DIFFERENCE, Kind};
use crate::math::eigen::{eigen_symmetric, project_psd_in};
use crate::math::{Scalar, Vec3};
use crate::parallel::Exec;
use crate::simd::Point;

/// A scalar constraint on any number of vertices. `E = w/2 C²`.
pub trait Cluster: Clone + Debug + Send + Sync + 'static {
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// Equality or inequality.
    const KIND: Kind = Kind::Equality;
    /// The value `C(x)`; writes its gradient with respect to each vertex. `x` and `gradient` have
    /// one entry for each vertex of the cluster.
    fn evaluate<S: Scalar>(&self, x: &[Vec3<S>], gradient: &mut [Vec3<S>]) -> S;
    /// Whether the rest data is finite and fits that many vertices.
    fn is_valid(&self, vertices: usize) -> bool {
        let _ = vertices;
        true
    }
}

/// Clusters of one type: which, where, how strong.
#[derive(Clone)]
pub struct Clusters<C> {
    clusters: Vec<C>,
    vertices: Vec<Vec<u32>>,
    weights: Vec<f64>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
}

impl<C: Cluster> Default for Clusters<C> {
    fn default() -> Self {
        Self {
            clusters: Vec::new(),
            vertices: Vec::new(),
            weights: Vec::new(),
            stiffness: Vec::new(),
            damping: Vec::new(),
        }
    }
}

impl<C: Cluster> Clusters<C> {
    /// No clusters yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a cluster with its energy weight `w`.
    pub fn push(&mut self, vertices: Vec<u32>, weight: f64, cluster: C) {
        self.vertices.push(vertices);
        self.weights.push(weight);
        self.clusters.push(cluster);
        self.stiffness.push(f64::NAN);
        self.damping.push(0.0);
    }

    /// Sets the stiffness `k` in 0…1 that PBD uses for all clusters so far, instead of one derived
    /// from their weights.
    pub fn pbd_stiffness(mut self, k: Option<f64>) -> Self {
        self.stiffness.fill(k.unwrap_or(f64::NAN));
        self
    }

    /// Sets the rate [1/s] at which relative velocities along all constraints so far fade.
    pub fn damping(mut self, rate: f64) -> Self {
        self.damping.fill(rate);
        self
    }

    fn batch<S: Scalar>(&self, rest: RestState) -> ClusterBatch<S, C> {
        let longest = self.vertices.iter().map(Vec::len).max().unwrap_or(0);
        let mut batch = ClusterBatch {
            set: self.clone(),
            projective: Vec::new(),
            gain: Vec::new(),
            scratch: Mutex::new(Scratch::new(longest)),
            curvature: Mutex::default(),
        };
        for (c, vertices) in self.clusters.iter().zip(&self.vertices) {
            let x: Vec<Vec3<f64>> =
                vertices.iter().map(|&v| Vec3::of(rest.positions[v as usize])).collect();
            let mut g = vec![Vec3::zero(); x.len()];
            c.evaluate(&x, &mut g);
            let slope: f64 = g.iter().map(|v| v.norm_squared()).sum();
            let gain =
                g.iter().zip(vertices).map(|(g, &v)| rest.inv_mass[v as usize] * g.norm_squared());
            batch.projective.push(if slope > 0.0 && slope.is_finite() { slope } else { 1.0 });
            batch.gain.push(gain.sum());
        }
        batch
    }
}

impl<C: Cluster> Debug for Clusters<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} × {}", self.clusters.len(), C::NAME)
    }
}

impl<C: Cluster> AnyElements for Clusters<C> {
    fn name(&self) -> &'static str {
        C::NAME
    }
    fn len(&self) -> usize {
        self.clusters.len()
    }
    fn vertices(&self, element: usize) -> &[u32] {
        &self.vertices[element]
    }
    fn weight(&self, element: usize) -> f64 {
        self.weights[element]
    }
    fn shift(&mut self, offset: u32) {
        self.vertices.iter_mut().flatten().for_each(|v| *v += offset);
    }
    fn anchors(&self, element: usize, rest: &[[f64; 3]]) -> bool {
        let x: Vec<_> =
            self.vertices[element].iter().map(|&v| Vec3::of(rest[v as usize])).collect();
        let x: Vec<Vec3<f64>> = (0..x.len()).map(|k| x[k] + astray(k, &x)).collect();
        let mut gradient = vec![Vec3::zero(); x.len()];
        self.clusters[element].evaluate(&x, &mut gradient);
        gives_momentum(&gradient)
    }
    fn validate(&self, points: usize) -> Result<(), Error> {
        for (e, vertices) in self.vertices.iter().enumerate() {
            validate_element(C::NAME, e, vertices, self.weights[e], points)?;
            if !self.clusters[e].is_valid(vertices.len()) {
                return Err(Error::ElementRestData { name: C::NAME, element: e, parameter: 0 });
            }
            validate_stiffness(C::NAME, self.stiffness[e])?;
            validate_damping(C::NAME, self.damping[e])?;
        }
        Ok(())
    }
    fn append(&mut self, other: &mut dyn Any) -> bool {
        let Some(other) = other.downcast_mut::<Self>() else { return false };
        self.clusters.append(&mut other.clusters);
        self.vertices.append(&mut other.vertices);
        self.weights.append(&mut other.weights);
        self.stiffness.append(&mut other.stiffness);
        self.damping.append(&mut other.damping);
        true
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn batch_f32(&self, rest: RestState) -> Box<dyn AnyBatch<f32>> {
        Box::new(self.batch::<f32>(rest))
    }
    fn batch_f64(&self, rest: RestState) -> Box<dyn AnyBatch<f64>> {
        Box::new(self.batch::<f64>(rest))
    }
}

/// Room for the largest cluster, so that a sweep allocates nothing.
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

struct ClusterBatch<S, C> {
    set: Clusters<C>,
    /// `|∇C|²` at rest: the projective weight for a weight of one.
    projective: Vec<f64>,
    gain: Vec<f64>,
    scratch: Mutex<Scratch<S>>,
    curvature: Mutex<Curvature>,
}

impl<S: Scalar, C: Cluster> ClusterBatch<S, C> {
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
        // A poisoned lock only means that a user's constraint panicked; the scratch is rewritten.
        self.scratch.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The part of `C` that is to be corrected.
    fn violation(c: S) -> S {
        if C::KIND == Kind::Inequality { c.min(S::default()) } else { c }
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

fn position<S: Scalar>(x: &[Point<S>], v: u32) -> Vec3<S> {
    let p = x[v as usize];
    Vec3::new(p[0], p[1], p[2])
}

fn add<S: Scalar>(y: &mut [Point<S>], v: u32, d: Vec3<S>) {
    let p = &mut y[v as usize];
    p[0] += d.x;
    p[1] += d.y;
    p[2] += d.z;
}

fn response<S: Scalar>(x: &[Point<S>], vertices: &[u32], g: &[Vec3<S>]) -> S {
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
    fn constraints(&self) -> usize {
        self.set.clusters.len()
    }
    fn multipliers(&self) -> usize {
        self.set.clusters.len()
    }
    fn bytes(&self) -> usize {
        self.set.vertices.iter().map(|v| 4 * v.len()).sum::<usize>() + 24 * self.len()
    }
    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S> {
        let of = |e: usize| {
            let rate = self.gain[e] * self.set.weights[e];
            S::from_f64(per_iteration(self.set.stiffness[e], rate, h, iterations))
        };
        (0..self.len()).map(of).collect()
    }
    fn damping(&self, h: f64) -> Option<Vec<S>> {
        let of = |c: &f64| S::from_f64(Damping::fraction(*c, h));
        let any = self.set.damping.iter().any(|&c| c != 0.0);
        any.then(|| self.set.damping.iter().map(of).collect())
    }
    fn rates(&self) -> Vec<S> {
        self.gain.iter().zip(&self.set.weights).map(|(g, w)| S::from_f64(g * w)).collect()
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
            let s = (c * stiffness[e]).div_or_zero(response(x, vertices, g), S::from_f64(S::TINY));
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
            let mut step =
                (-(c * kappa) - lambda[e]) / (response(x, vertices, g) * kappa + S::from_f64(1.0));
            if C::KIND == Kind::Inequality {
                // The multiplier only pushes.
                step = (lambda[e] + step).max(S::default()) - lambda[e];
            }
            lambda[e] += step;
            for (k, &v) in vertices.iter().enumerate() {
                let w = x[v as usize][3];
                add(x, v, g[k].scale(step * w));
            }
        }
    }

    fn correct(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>], scale: &[S], count: bool) {
        self.each(
            |v| position(x, v),
            |e, vertices, c, g| {
                let s = (Self::violation(c) * scale[e])
                    .div_or_zero(response(x, vertices, g), S::from_f64(S::TINY));
                for (k, &v) in vertices.iter().enumerate() {
                    add(y, v, g[k].scale(-(s * x[v as usize][3])));
                    y[v as usize][3] += if count { S::from_f64(1.0) } else { scale[e] };
                }
            },
        );
    }

    fn pull(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.project(x, |e, vertices, d, _| {
            let w = S::from_f64(self.set.weights[e] * self.projective[e]);
            vertices.iter().zip(d).for_each(|(&v, d)| add(y, v, d.scale(w)));
        });
    }

    fn force(&self, _: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.each(
            |v| position(x, v),
            |e, vertices, c, g| {
                let s = -(Self::violation(c) * S::from_f64(self.set.weights[e]));
                vertices.iter().zip(g).for_each(|(&v, g)| add(y, v, g.scale(s)));
            },
        );
    }

    fn damp(&self, _: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]) {
        self.each(
            |i| position(x, i),
            |e, vertices, c, g| {
                if C::KIND == Kind::Inequality && c >= S::default() {
                    return;
                }
                let mut along = S::default();
                for (k, &i) in vertices.iter().enumerate() {
                    along += g[k].dot(position(v, i));
                }
                let s = (fraction[e] * along)
                    .div_or_zero(response(x, vertices, g), S::from_f64(S::TINY));
                for (k, &i) in vertices.iter().enumerate() {
                    add(v, i, g[k].scale(-(s * x[i as usize][3])));
                }
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

    fn distance(&self, _: &Exec, x: &[Point<S>]) -> f64 {
        let mut sum = 0.0;
        self.project(x, |e, _, _, half_square| {
            sum += self.set.weights[e] * self.projective[e] * half_square.to_f64();
        });
        sum
    }

    fn stamp(&self, add: Stamp) {
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            let w = self.set.weights[e] * self.projective[e];
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

    fn hessian(&self, x: &[Point<S>], definite: bool, add: Stamp) {
        let mut room = self.curvature.lock().unwrap_or_else(|e| e.into_inner());
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            room.x.clear();
            room.x.extend(vertices.iter().map(|&v| {
                let p = position(x, v);
                Vec3::new(p.x.to_f64(), p.y.to_f64(), p.z.to_f64())
            }));
            let h = room.hessian(&self.set.clusters[e], definite);
            stamp_dense(vertices, self.set.weights[e], h, add);
        }
    }

    fn duals(&self) -> usize {
        1
    }

    fn list_rows(&self, geometric: bool, list: &mut dyn FnMut(&[u32], usize)) {
        for vertices in &self.set.vertices {
            let stiff = geometric && vertices.len() <= LARGEST_STIFF;
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
                one_sided: C::KIND == Kind::Inequality,
                direction: Some(&direction),
            });
            let lambda = duals.map_or(0.0, |d| d[element]);
            if lambda == 0.0 || !lambda.is_finite() || vertices.len() > LARGEST_STIFF {
                continue;
            }
            room.stiffness(&self.set.clusters[element], lambda, &mut |stiffness, gradient| {
                add(&ConstraintRow {
                    element,
                    value: 0.0,
                    compliance: 1.0 / stiffness,
                    gradient,
                    one_sided: false,
                    direction: None,
                });
            });
        }
    }

    fn corners(&self, color: &[u32], colors: usize) -> Vec<Corners> {
        let mut entries = vec![Vec::new(); colors];
        for (e, vertices) in self.set.vertices.iter().enumerate() {
            for (k, &v) in vertices.iter().enumerate() {
                if let Some(list) = entries.get_mut(color[v as usize] as usize) {
                    list.push([e as u32, k as u32, v]);
                }
            }
        }
        let of = |list: &Vec<[u32; 3]>| {
            let mut corners = Corners::default();
            corners.push_padded(list, S::PACK);
            corners
        };
        entries.iter().map(of).collect()
    }

    /// Vertices of a large cluster may share a colour. Their blocks then bound the energy of all
    /// moving at once: `(Σ g_k·d_k)² ≤ Σ|g_k|² Σ|d_k|²`.
    fn corner_blocks(&self, _: &Exec, x: &[Point<S>], corners: &Corners, out: &mut [S]) {
        let mut scratch = self.lock();
        let Scratch { x: at, g, d } = &mut *scratch;
        let mut i = 0;
        while i < corners.slot.len() {
            // The entries of one cluster follow one another.
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
            if C::KIND == Kind::Inequality && c >= S::default() {
                w = S::default();
            }
            let run = i..i + same;
            let mut moving = S::default();
            let mut count = 0;
            for j in run.clone().filter(|&j| corners.vertex[j] != Corners::PADDING) {
                moving += g[corners.corner[j] as usize].norm_squared();
                count += 1;
            }
            for j in run {
                let k = corners.corner[j] as usize;
                // Alone in its colour the gradient's turning is measured.
                let block = if count == 1 {
                    let bent = c.abs() * bend(cluster, &mut at[..n], k, g[k], &mut d[..n]);
                    Block::outer(S::from_f64(1.0), g[k]).plus(Block::isotropic(bent))
                } else {
                    Block::isotropic(moving)
                };
                let force = g[k].scale(-(c * w));
                let b = block.scale(w).m;
                let numbers = [force.x, force.y, force.z, b[0], b[1], b[2], b[3], b[4], b[5]];
                let place = Corners::place(j, S::PACK);
                for q in 0..CORNER_NUMBERS {
                    out[place + q * S::PACK] = numbers[q];
                }
            }
            i += same;
        }
    }
}

/// How much the gradient with respect to vertex `k`, now `g`, turns as that vertex moves: the norm of
/// `∇²C` by forward differences.
fn bend<S: Scalar, C: Cluster>(
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
    let step = square.sqrt() * S::from_f64(DIFFERENCE);
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

/// Clusters beyond this many vertices have no geometric stiffness: each mode would be a row over all
/// of them.
const LARGEST_STIFF: usize = 16;

/// Clusters beyond this many vertices keep the Gauss–Newton part of their Hessian alone: the
/// curvature would cost the cube of their size.
const LARGE: usize = 64;

/// Room for the Hessian of a cluster. It grows to the largest once, when first asked for one.
#[derive(Default)]
struct Curvature {
    x: Vec<Vec3<f64>>,
    g: Vec<Vec3<f64>>,
    plus: Vec<Vec3<f64>>,
    minus: Vec<Vec3<f64>>,
    h: Vec<f64>,
    eigen: Vec<f64>,
}

impl Curvature {
    /// `∇C ∇Cᵀ + C ∇²C` at `x`, the curvature by central differences of the gradient.
    fn hessian<C: Cluster>(&mut self, cluster: &C, definite: bool) -> &[f64] {
        let Self { x, g, plus, minus, h, eigen } = self;
        let n = 3 * x.len();
        for list in [&mut *g, plus, minus] {
            list.resize(x.len(), Vec3::zero());
        }
        let c = cluster.evaluate(x, g);
        h.clear();
        if C::KIND == Kind::Inequality && c >= 0.0 {
            h.resize(n * n, 0.0);
            return h;
        }
        let flat = |i: usize| [g[i / 3].x, g[i / 3].y, g[i / 3].z][i % 3];
        h.extend((0..n * n).map(|i| flat(i / n) * flat(i % n)));
        if x.len() > LARGE {
            return h;
        }
        let size = x.iter().map(|v| (*v - x[0]).norm()).fold(0.0, f64::max).max(1e-9);
        let step = 1e-5 * size;
        for column in 0..n {
            let home = x[column / 3];
            let mut axis = [0.0; 3];
            axis[column % 3] = step;
            for (sign, to) in [(1.0, &mut *plus), (-1.0, &mut *minus)] {
                x[column / 3] = home + Vec3::of(axis).scale(sign);
                cluster.evaluate(x, to);
            }
            x[column / 3] = home;
            for row in 0..x.len() {
                let d = (plus[row] - minus[row]).scale(0.5 * c / step);
                for (i, value) in [d.x, d.y, d.z].into_iter().enumerate() {
                    // Halves into both triangles keep the matrix symmetric.
                    h[(3 * row + i) * n + column] += 0.5 * value;
                    h[column * n + 3 * row + i] += 0.5 * value;
                }
            }
        }
        if definite {
            eigen.resize(2 * n * n, 0.0);
            project_psd_in(h, n, eigen);
        }
        h
    }

    /// The positive modes of `−λ ∇²C` at `x`, the curvature by central differences of the gradient.
    fn stiffness<C: Cluster>(
        &mut self,
        cluster: &C,
        lambda: f64,
        add: &mut dyn FnMut(f64, &[Vec3<f64>]),
    ) {
        let Self { x, g, plus, minus, h, eigen } = self;
        let n = 3 * x.len();
        for list in [&mut *plus, minus] {
            list.resize(x.len(), Vec3::zero());
        }
        h.clear();
        h.resize(n * n, 0.0);
        eigen.clear();
        eigen.resize(n * n, 0.0);
        let size = x.iter().map(|v| (*v - x[0]).norm()).fold(0.0, f64::max).max(1e-9);
        let step = 1e-5 * size;
        for column in 0..n {
            let home = x[column / 3];
            let mut axis = [0.0; 3];
            axis[column % 3] = step;
            for (sign, to) in [(1.0, &mut *plus), (-1.0, &mut *minus)] {
                x[column / 3] = home + Vec3::of(axis).scale(sign);
                cluster.evaluate(x, to);
            }
            x[column / 3] = home;
            for row in 0..x.len() {
                let d = (plus[row] - minus[row]).scale(-0.25 * lambda / step);
                for (i, value) in [d.x, d.y, d.z].into_iter().enumerate() {
                    h[(3 * row + i) * n + column] += value;
                    h[column * n + 3 * row + i] += value;
                }
            }
        }
        if h.iter().any(|c| !c.is_finite()) {
            return;
        }
        eigen_symmetric(h, eigen, n);
        // The error of the differences is no stiffness.
        let least = 1e-7 * (0..n).map(|mode| h[mode * (n + 1)].abs()).fold(0.0, f64::max);
        for mode in 0..n {
            if h[mode * n + mode] > least {
                let q = &eigen[mode * n..(mode + 1) * n];
                for (g, q) in g.iter_mut().zip(q.chunks_exact(3)) {
                    *g = Vec3::new(q[0], q[1], q[2]);
                }
                add(h[mode * n + mode], g);
            }
        }
    }
}
