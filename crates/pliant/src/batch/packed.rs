//! Elements with a fixed number of vertices: packed, coloured, swept in lanes and threads.

use std::marker::PhantomData;

use super::corners::{self, Corners};
use super::kernels::{Answer, Compliant, Data, Gradient, Kernel, Pull, Relax};
use super::scales::{Given, Scales};
use super::single::{self, Linearised};
use super::{AnyBatch, ConstraintRow, Elements, RestState, Stamp};
use crate::element::{Faces, MOST_CONSTRAINTS};
use crate::math::{Scalar, Vec3};
use crate::parallel::{Exec, Onto, Stencils, sum_onto, update, update_onto};
use crate::simd::{Point, lanes_of};

/// Vertices of a packed element, at most.
const MOST: usize = 9;

/// Elements of one type in the precision and layout of a simulation.
pub struct Batch<S, F, const N: usize, const K: usize> {
    stencils: Stencils<N>,
    parameters: Vec<S>,
    scales: Scales<S>,
    faces: PhantomData<F>,
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Batch<S, F, N, K> {
    const LANES: usize = lanes_of::<S>(N);

    /// Where the first number of a slot's rest data is.
    fn at(slot: usize) -> usize {
        slot / Self::LANES * (K * Self::LANES) + slot % Self::LANES
    }

    /// Where number `m` of what the element in a slot remembers is.
    fn memory_at(slot: usize, m: usize) -> usize {
        Self::at(slot) + (K - F::MEMORY + m) * Self::LANES
    }

    /// Where the number of a constraint of a slot is, in arrays of one number for each.
    fn constraint_at(slot: usize, which: usize) -> usize {
        (slot / Self::LANES * F::CONSTRAINTS + which) * Self::LANES + slot % Self::LANES
    }

    /// Length of arrays of one number for each constraint.
    fn constraints(&self) -> usize {
        self.stencils.slots() * F::CONSTRAINTS
    }

    /// Packs and colours the elements.
    pub fn new(elements: &Elements<F, N, K>, rest: RestState) -> Self {
        let stencils = Stencils::new(rest.positions.len(), &elements.vertices, Self::LANES);
        let slots = stencils.slots();
        let mut parameters = vec![S::default(); slots * K];
        let Elements { stiffness, damping, .. } = elements;
        let mut scales = Scales::new(slots * F::CONSTRAINTS, stiffness, damping, F::VANISHES);
        for (slot, &e) in stencils.elements().iter().enumerate() {
            let e = e as usize;
            let own = &elements.parameters[e];
            let at = Self::at(slot);
            for q in 0..K {
                parameters[at + q * Self::LANES] = S::from_f64(own[q]);
            }
            let (x, inv_mass) = rest.of(&stencils.vertices(slot));
            for which in 0..F::CONSTRAINTS {
                let known = single::at_rest::<F, N, K>(which, own, &x, &inv_mass);
                scales.set(Self::constraint_at(slot, which), Given::to(elements, e), &known);
            }
        }
        Self { stencils, parameters, scales: scales.finish(), faces: PhantomData }
    }

    fn data<'a>(&'a self, scale: &'a [S]) -> Data<'a, S, F> {
        assert!(scale.len() >= self.constraints());
        Data { parameters: &self.parameters, scale, slope: &self.scales.slope, faces: PhantomData }
    }

    /// Replaces number `q` of the rest data of every element.
    pub(super) fn set_rest(&mut self, q: usize, value: S) {
        for pack in self.parameters.chunks_exact_mut(K * Self::LANES) {
            pack[q * Self::LANES..(q + 1) * Self::LANES].fill(value);
        }
    }

    /// The sum over all elements of a kernel that reads their weights.
    pub(super) fn sum<'a, T: Onto<S, N>>(
        &'a self,
        exec: &Exec,
        x: &[Point<S>],
        kernel: impl FnOnce(Data<'a, S, F>) -> T,
    ) -> f64 {
        sum_onto(exec, &self.stencils, x, &kernel(self.data(&self.scales.weight)))
    }

    /// The rest data of a slot in double precision.
    fn rest(&self, slot: usize) -> [f64; K] {
        let mut rest = [0.0; K];
        single::widen(&self.parameters[Self::at(slot)..], Self::LANES, &mut rest);
        rest
    }
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> AnyBatch<S> for Batch<S, F, N, K> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn len(&self) -> usize {
        self.stencils.len()
    }

    fn constraints(&self) -> usize {
        self.constraints()
    }

    fn multipliers(&self) -> usize {
        self.stencils.slots() * F::MULTIPLIERS
    }

    fn bytes(&self) -> usize {
        let numbers = self.parameters.len() + self.scales.numbers();
        self.stencils.bytes() + numbers * size_of::<S>()
    }

    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S> {
        self.scales.stiffness(h, iterations)
    }

    fn damping(&self, h: f64) -> Option<Vec<S>> {
        self.scales.damping(h)
    }

    fn rates(&self) -> Vec<S> {
        self.scales.rates()
    }

    fn relax(&self, exec: &Exec, x: &mut [Point<S>], stiffness: &[S]) {
        update(exec, &self.stencils, x, &mut [], &Kernel::<_, K>(Relax(self.data(stiffness))));
    }

    fn relax_compliant(&self, exec: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]) {
        let kernel = Kernel::<_, K>(Compliant { data: self.data(&self.scales.weight), h2 });
        update(exec, &self.stencils, x, lambda, &kernel);
    }

    fn correct(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>], scale: &[S], count: bool) {
        let answer = Answer::Correct { count_elements: count };
        let kernel = Kernel::<_, K>(Gradient { data: self.data(scale), answer });
        update_onto(exec, &self.stencils, x, y, &kernel);
    }

    fn pull(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.pull_weighted(exec, x, y, self.scales.projective_weight());
    }

    fn pull_weighted(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>], weights: &[S]) {
        let kernel = Kernel::<_, K>(Pull(self.data(weights)));
        update_onto(exec, &self.stencils, x, y, &kernel);
    }

    fn memory(&self) -> usize {
        self.len() * F::MEMORY
    }

    fn recall(&self, memory: &mut [S]) {
        for (slot, &e) in self.stencils.elements().iter().enumerate() {
            for m in 0..F::MEMORY {
                memory[e as usize * F::MEMORY + m] = self.parameters[Self::memory_at(slot, m)];
            }
        }
    }

    fn remember(&mut self, memory: &[S]) {
        for (slot, &e) in self.stencils.elements().iter().enumerate() {
            for m in 0..F::MEMORY {
                self.parameters[Self::memory_at(slot, m)] = memory[e as usize * F::MEMORY + m];
            }
        }
    }

    fn flow(&mut self, x: &[Point<S>], h: f64) {
        if F::MEMORY == 0 {
            return;
        }
        // Lanes that are not filled repeat others, and flow like them.
        for slot in 0..self.stencils.slots() {
            let at = Self::at(slot);
            let mut rest = std::array::from_fn(|q| self.parameters[at + q * Self::LANES]);
            let x = self.stencils.vertices(slot).map(|v| {
                let p = x[v as usize];
                Vec3::new(p[0], p[1], p[2])
            });
            F::flow(&mut rest, &x, S::from_f64(h));
            for m in 0..F::MEMORY {
                self.parameters[Self::memory_at(slot, m)] = rest[K - F::MEMORY + m];
            }
        }
    }

    fn yields(&self) -> bool {
        F::YIELDS
    }

    fn is_bounded(&self) -> bool {
        F::BOUNDED
    }

    fn mark_inverted(&self, x: &[Point<S>], marked: &mut [bool]) -> bool {
        let mut any = false;
        if !F::YIELDS {
            return any;
        }
        for slot in self.stencils.filled() {
            let v = self.stencils.vertices(slot);
            if F::is_inverted(&self.rest(slot), &single::positions(x, &v)) {
                v.iter().for_each(|&v| marked[v as usize] = true);
                any = true;
            }
        }
        any
    }

    fn weights_beside(&self, marked: &[bool], weights: &mut [S]) {
        weights.copy_from_slice(self.scales.projective_weight());
        // Lanes that are not filled repeat others and must stay like them.
        for slot in 0..self.stencils.slots() {
            if self.stencils.vertices(slot).iter().any(|&v| marked[v as usize]) {
                for which in 0..F::CONSTRAINTS {
                    weights[Self::constraint_at(slot, which)] = S::default();
                }
            }
        }
    }

    fn force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        if F::PULL_IS_FORCE {
            return self.pull(exec, x, y);
        }
        let data = self.data(&self.scales.weight);
        let kernel = Kernel::<_, K>(Gradient { data, answer: Answer::Force });
        update_onto(exec, &self.stencils, x, y, &kernel);
    }

    fn damp(&self, exec: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]) {
        let kernel = Kernel::<_, K>(Gradient { data: self.data(fraction), answer: Answer::Damp });
        update_onto(exec, &self.stencils, x, v, &kernel);
    }

    fn energy(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        if F::PULL_IS_FORCE {
            return self.distance(exec, x);
        }
        let data = self.data(&self.scales.weight);
        let kernel = Kernel::<_, K>(Gradient { data, answer: Answer::Energy });
        sum_onto(exec, &self.stencils, x, &kernel)
    }

    fn distance(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        self.distance_weighted(exec, x, self.scales.projective_weight())
    }

    fn distance_weighted(&self, exec: &Exec, x: &[Point<S>], weights: &[S]) -> f64 {
        let kernel = Kernel::<_, K>(Pull(self.data(weights)));
        sum_onto(exec, &self.stencils, x, &kernel)
    }

    fn stamp(&self, add: Stamp) {
        for slot in self.stencils.filled() {
            let v = self.stencils.vertices(slot);
            for which in 0..F::CONSTRAINTS {
                let q = single::quadratic::<F, N, K>(which, &self.rest(slot));
                let w = self.scales.projective_weight()[Self::constraint_at(slot, which)].to_f64();
                single::stamp_square(&v, w, q.as_flattened(), add);
            }
        }
    }

    fn hessian(&self, x: &[Point<S>], definite: bool, add: Stamp) {
        const { assert!(N <= MOST, "an element of more vertices is a Cluster") };
        let mut room = [0.0; 9 * MOST * MOST];
        let h = &mut room[..9 * N * N];
        for slot in self.stencils.filled() {
            let v = self.stencils.vertices(slot);
            let at = single::positions(x, &v);
            for which in 0..F::CONSTRAINTS {
                F::hessian(which, &self.rest(slot), &at, definite, h);
                stamp_dense(
                    &v,
                    self.scales.weight[Self::constraint_at(slot, which)].to_f64(),
                    h,
                    add,
                );
            }
        }
    }

    fn duals(&self) -> usize {
        F::duals()
    }

    fn list_rows(&self, geometric: bool, list: &mut dyn FnMut(&[u32], usize)) {
        for slot in self.stencils.filled() {
            list(&self.stencils.vertices(slot), F::most_rows(geometric));
        }
    }

    fn constraint_rows(
        &self,
        x: &[Point<S>],
        duals: Option<&[f64]>,
        hard_above: f64,
        add: &mut dyn FnMut(&ConstraintRow),
    ) {
        for (element, slot) in self.stencils.filled().enumerate() {
            let at = single::positions(x, &self.stencils.vertices(slot));
            let mut weights = [0.0; MOST_CONSTRAINTS];
            let own = &self.scales.weight[Self::constraint_at(slot, 0)..];
            single::widen(own, Self::LANES, &mut weights[..F::CONSTRAINTS]);
            let duals = duals.map(|d| &d[element * F::duals()..(element + 1) * F::duals()]);
            let own = Linearised { element, weights, duals, hard_above };
            single::rows::<F, N, K>(&own, &self.rest(slot), &at, add);
        }
    }

    fn corners(&self, color: &[u32], colors: usize) -> Vec<Corners> {
        corners::by_color::<S, N>(&self.stencils, color, colors)
    }

    fn corner_blocks(&self, exec: &Exec, x: &[Point<S>], corners: &Corners, out: &mut [S]) {
        let data = self.data(&self.scales.weight);
        corners::Evaluate { stencils: &self.stencils, data, corners }.run(exec, x, out);
    }
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
