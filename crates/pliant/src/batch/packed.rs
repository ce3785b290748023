//! Elements with a fixed number of vertices: packed, coloured, swept in lanes and threads.

use std::marker::PhantomData;

use super::corners::{self, Corners};
use super::kernels::{
    Compliant, Correct, Damp, Data, Distance, Energy, Force, Kernel, Pull, Relax,
};
use super::{AnyBatch, Elements, RestState, Stamp};
use crate::damping::Damping;
use crate::element::Faces;
use crate::math::{Scalar, Vec3, pow};
use crate::parallel::{Exec, Stencils, reduce, update, update_onto};
use crate::simd::{Point, lanes_of};

/// Vertices of a packed element, at most.
const MOST: usize = 9;

/// Elements of one type in the precision and layout of a simulation.
pub struct Batch<S, F, const N: usize, const K: usize> {
    stencils: Stencils<N>,
    parameters: Vec<S>,
    weight: Vec<S>,
    /// Where the projective energy weighs differently (scalar constraints).
    projective_weight: Option<Vec<S>>,
    /// `Σ m⁻¹|∇C|²` at rest.
    gain: Vec<S>,
    /// The user's stiffness for PBD of each slot; NaN where it follows from the weight.
    stiffness: Option<Vec<S>>,
    /// Damping rate of each slot [1/s], where any is not zero.
    damping: Option<Vec<S>>,
    faces: PhantomData<F>,
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Batch<S, F, N, K> {
    const LANES: usize = lanes_of::<S>(N);

    /// Where the first number of a slot's rest data is.
    fn at(slot: usize) -> usize {
        slot / Self::LANES * (K * Self::LANES) + slot % Self::LANES
    }

    /// Packs and colours the elements.
    pub fn new(elements: &Elements<F, N, K>, rest: RestState) -> Self {
        let stencils = Stencils::new(rest.positions.len(), &elements.vertices, Self::LANES);
        let slots = stencils.slots();
        let mut parameters = vec![S::default(); slots * K];
        let mut weight = Vec::with_capacity(slots);
        let mut projective = Vec::with_capacity(slots);
        let mut gain = Vec::with_capacity(slots);
        for (slot, &e) in stencils.elements().iter().enumerate() {
            let own = &elements.parameters[e as usize];
            let at = Self::at(slot);
            for q in 0..K {
                parameters[at + q * Self::LANES] = S::from_f64(own[q]);
            }
            let vertices = stencils.vertices(slot);
            let x = vertices.map(|v| Vec3::of(rest.positions[v as usize]));
            let inv_mass = vertices.map(|v| rest.inv_mass[v as usize]);
            let w = elements.weights[e as usize];
            weight.push(S::from_f64(w));
            projective.push(S::from_f64(w * F::projective_weight(own, &x)));
            gain.push(S::from_f64(F::gain(own, &x, &inv_mass)));
        }
        // Most scenes set neither, and then hold nothing.
        let by_slot = |values: &[f64], set: fn(f64) -> bool| {
            let of = |&e: &u32| S::from_f64(values[e as usize]);
            values.iter().any(|&v| set(v)).then(|| stencils.elements().iter().map(of).collect())
        };
        let projective_weight = (projective != weight).then_some(projective);
        let (stiffness, damping) = (
            by_slot(&elements.stiffness, |k| !k.is_nan()),
            by_slot(&elements.damping, |c| c != 0.0),
        );
        Self {
            stencils,
            parameters,
            weight,
            projective_weight,
            gain,
            stiffness,
            damping,
            faces: PhantomData,
        }
    }

    fn data<'a>(&'a self, scale: &'a [S]) -> Data<'a, S, F> {
        assert!(scale.len() >= self.stencils.slots());
        Data { parameters: &self.parameters, scale, faces: PhantomData }
    }

    fn projective_weight(&self) -> &[S] {
        self.projective_weight.as_deref().unwrap_or(&self.weight)
    }

    /// The rest data of a slot in double precision.
    fn rest(&self, slot: usize) -> [f64; K] {
        let at = Self::at(slot);
        std::array::from_fn(|q| self.parameters[at + q * Self::LANES].to_f64())
    }
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> AnyBatch<S> for Batch<S, F, N, K> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn len(&self) -> usize {
        self.stencils.len()
    }

    fn slots(&self) -> usize {
        self.stencils.slots()
    }

    fn bytes(&self) -> usize {
        let numbers = self.parameters.len()
            + self.weight.len()
            + self.gain.len()
            + self.projective_weight.as_ref().map_or(0, Vec::len)
            + self.stiffness.as_ref().map_or(0, Vec::len)
            + self.damping.as_ref().map_or(0, Vec::len);
        self.stencils.bytes() + numbers * size_of::<S>()
    }

    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S> {
        let of = |slot: usize| {
            let k = self.stiffness.as_ref().map_or(f64::NAN, |k| k[slot].to_f64());
            let rate = self.gain[slot].to_f64() * self.weight[slot].to_f64();
            S::from_f64(per_iteration(k, rate, h, iterations))
        };
        (0..self.slots()).map(of).collect()
    }

    fn damping(&self, h: f64) -> Option<Vec<S>> {
        let of = |c: &S| S::from_f64(Damping::fraction(c.to_f64(), h));
        self.damping.as_ref().map(|d| d.iter().map(of).collect())
    }

    fn rates(&self) -> Vec<S> {
        let of = |(&gain, &weight): (&S, &S)| S::from_f64(gain.to_f64() * weight.to_f64());
        self.gain.iter().zip(&self.weight).map(of).collect()
    }

    fn relax(&self, exec: &Exec, x: &mut [Point<S>], stiffness: &[S]) {
        update(exec, &self.stencils, x, &mut [], &Kernel::<_, K>(Relax(self.data(stiffness))));
    }

    fn relax_compliant(&self, exec: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]) {
        let kernel = Kernel::<_, K>(Compliant { data: self.data(&self.weight), h2 });
        update(exec, &self.stencils, x, lambda, &kernel);
    }

    fn correct(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>], scale: &[S], count: bool) {
        let kernel = Kernel::<_, K>(Correct { data: self.data(scale), count_elements: count });
        update_onto(exec, &self.stencils, x, y, &kernel);
    }

    fn pull(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        let kernel = Kernel::<_, K>(Pull(self.data(self.projective_weight())));
        update_onto(exec, &self.stencils, x, y, &kernel);
    }

    fn force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        if F::PULL_IS_FORCE {
            return self.pull(exec, x, y);
        }
        let kernel = Kernel::<_, K>(Force(self.data(&self.weight)));
        update_onto(exec, &self.stencils, x, y, &kernel);
    }

    fn damp(&self, exec: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]) {
        let kernel = Kernel::<_, K>(Damp(self.data(fraction)));
        update_onto(exec, &self.stencils, x, v, &kernel);
    }

    fn energy(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        if F::PULL_IS_FORCE {
            return self.distance(exec, x);
        }
        reduce(exec, &self.stencils, x, &Kernel::<_, K>(Energy(self.data(&self.weight))))
    }

    fn distance(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        let kernel = Kernel::<_, K>(Distance(self.data(self.projective_weight())));
        reduce(exec, &self.stencils, x, &kernel)
    }

    fn stamp(&self, add: Stamp) {
        for slot in self.stencils.filled() {
            let v = self.stencils.vertices(slot);
            let q = F::quadratic(&self.rest(slot));
            let w = self.projective_weight()[slot].to_f64();
            for i in 0..N {
                for j in 0..N {
                    if v[i] >= v[j] {
                        add(v[i], v[j], w * q[i][j]);
                    }
                }
            }
        }
    }

    fn hessian(&self, x: &[Point<S>], definite: bool, add: Stamp) {
        const { assert!(N <= MOST, "an element of more vertices is a Cluster") };
        let mut room = [0.0; 9 * MOST * MOST];
        let h = &mut room[..9 * N * N];
        for slot in self.stencils.filled() {
            let v = self.stencils.vertices(slot);
            let at = v.map(|v| {
                let p = x[v as usize];
                Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())
            });
            F::hessian(&self.rest(slot), &at, definite, h);
            stamp_dense(&v, self.weight[slot].to_f64(), h, add);
        }
    }

    fn corners(&self, color: &[u32], colors: usize) -> Vec<Corners> {
        corners::by_color::<S, N>(&self.stencils, color, colors)
    }

    fn corner_blocks(&self, exec: &Exec, x: &[Point<S>], corners: &Corners, out: &mut [S]) {
        let data = self.data(&self.weight);
        corners::Evaluate { stencils: &self.stencils, data, corners }.run(exec, x, out);
    }
}

/// PBD's stiffness of one iteration: from the user's `k` by the paper's formula, or where that is
/// NaN, from the squared frequency `g w`.
pub(super) fn per_iteration(k: f64, rate: f64, h: f64, iterations: usize) -> f64 {
    if k.is_nan() {
        // As 1 − 1/(1 + a): it stays 1 where `a` is so large that a/(a + 1) would be ∞/∞.
        return 1.0 - 1.0 / (rate * h * h + 1.0);
    }
    if k >= 1.0 { 1.0 } else { 1.0 - pow(1.0 - k, 1.0 / iterations.max(1) as f64) }
}

/// The lower triangle of a dense element matrix, three rows per vertex.
pub(super) fn stamp_dense(vertices: &[u32], weight: f64, h: &[f64], add: Stamp) {
    let n = 3 * vertices.len();
    for (p, &vp) in vertices.iter().enumerate() {
        for (q, &vq) in vertices.iter().enumerate() {
            for i in 0..3 {
                for j in 0..3 {
                    let (row, column) = (3 * vp + i as u32, 3 * vq + j as u32);
                    if row >= column {
                        add(row, column, weight * h[(3 * p + i) * n + 3 * q + j]);
                    }
                }
            }
        }
    }
}
