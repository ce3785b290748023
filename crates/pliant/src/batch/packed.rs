//! Elements with a fixed number of vertices: packed, coloured, and swept with SIMD and threads.

use std::marker::PhantomData;

use crate::batch::constraint_params::{ConstraintParams, UserParams};
use crate::batch::kernels::{
    Gradient, GradientOutput, Kernel, KernelData, ProjectiveForce, Relax, RelaxCompliant,
};
use crate::batch::scalar_eval as single;
use crate::batch::scalar_eval::LinearizationRequest;
use crate::batch::vertex_stencils as corners;
use crate::batch::vertex_stencils::VertexStencils;
use crate::batch::{
    AddEntry, AnyBatch, ConstraintBatch, ConstraintRow, Elements, EnergyBatch, HessianBlocks,
    PlasticBatch, ProjectiveBatch, RestState, SweepBatch, VertexBatch,
};
use crate::element::{MAX_CONSTRAINTS, MAX_VERTICES, SolverForms};
use crate::math::{Scalar, Vec3};
use crate::parallel::{
    AccumulateKernel, Exec, Stencils, sweep_accumulate, sweep_in_place, sweep_sum,
};
use crate::simd::{Point, lanes_of};

/// Elements of one type in the precision and layout of a simulation.
pub struct Batch<S, F, const N: usize, const K: usize> {
    stencils: Stencils<N>,
    parameters: Vec<S>,
    constraint_params: ConstraintParams<S>,
    forms: PhantomData<F>,
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> Batch<S, F, N, K> {
    const LANES: usize = lanes_of::<S>(N);

    /// Index of the first rest datum of a slot.
    fn rest_index(slot: usize) -> usize {
        slot / Self::LANES * (K * Self::LANES) + slot % Self::LANES
    }

    /// Index of number `m` of the plastic state of a slot.
    fn plastic_state_index(slot: usize, m: usize) -> usize {
        Self::rest_index(slot) + (K - F::PLASTIC_STATE_LEN + m) * Self::LANES
    }

    /// Index of a constraint of a slot, in arrays of one number per constraint.
    fn constraint_index(slot: usize, which: usize) -> usize {
        (slot / Self::LANES * F::CONSTRAINTS + which) * Self::LANES + slot % Self::LANES
    }

    /// Length of arrays of one number per constraint.
    fn constraints(&self) -> usize {
        self.stencils.slots() * F::CONSTRAINTS
    }

    /// Packs and colours the elements.
    pub fn new(elements: &Elements<F, N, K>, rest: RestState) -> Self {
        let stencils = Stencils::new(rest.positions.len(), &elements.vertices, Self::LANES);
        let slots = stencils.slots();
        let mut parameters = vec![S::default(); slots * K];
        let Elements { stiffness, damping, .. } = elements;
        let mut scales = ConstraintParams::new(
            slots * F::CONSTRAINTS,
            stiffness,
            damping,
            F::GRADIENT_CAN_VANISH,
        );
        for (slot, &e) in stencils.elements().iter().enumerate() {
            let e = e as usize;
            let own = &elements.parameters[e];
            let at = Self::rest_index(slot);
            for q in 0..K {
                parameters[at + q * Self::LANES] = S::from_f64(own[q]);
            }
            let (x, inv_mass) = rest.of(&stencils.vertices(slot));
            for which in 0..F::CONSTRAINTS {
                let known = single::linearize_at_rest::<F, N, K>(which, own, &x, &inv_mass);
                scales.set(
                    Self::constraint_index(slot, which),
                    UserParams::of_element(elements, e),
                    &known,
                );
            }
        }
        Self { stencils, parameters, constraint_params: scales.finish(), forms: PhantomData }
    }

    fn data<'a>(&'a self, scale: &'a [S]) -> KernelData<'a, S, F> {
        assert!(scale.len() >= self.constraints());
        KernelData {
            parameters: &self.parameters,
            scale,
            rest_gradient_squared: &self.constraint_params.rest_gradient_squared,
            forms: PhantomData,
        }
    }

    /// Replaces number `q` of the rest data of every element.
    pub(super) fn set_rest(&mut self, q: usize, value: S) {
        for pack in self.parameters.chunks_exact_mut(K * Self::LANES) {
            pack[q * Self::LANES..(q + 1) * Self::LANES].fill(value);
        }
    }

    /// Sums, over all elements, a kernel that reads their weights.
    pub(super) fn sum<'a, T: AccumulateKernel<S, N>>(
        &'a self,
        exec: &Exec,
        x: &[Point<S>],
        kernel: impl FnOnce(KernelData<'a, S, F>) -> T,
    ) -> f64 {
        sweep_sum(exec, &self.stencils, x, &kernel(self.data(&self.constraint_params.weight)))
    }

    /// The rest data of a slot in double precision.
    fn rest(&self, slot: usize) -> [f64; K] {
        let mut rest = [0.0; K];
        single::load_f64(&self.parameters[Self::rest_index(slot)..], Self::LANES, &mut rest);
        rest
    }
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> AnyBatch<S>
    for Batch<S, F, N, K>
{
    fn name(&self) -> &'static str {
        F::NAME
    }
    fn len(&self) -> usize {
        self.stencils.len()
    }
    fn bytes(&self) -> usize {
        let numbers = self.parameters.len() + self.constraint_params.value_count();
        self.stencils.bytes() + numbers * size_of::<S>()
    }
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> SweepBatch<S>
    for Batch<S, F, N, K>
{
    fn constraints(&self) -> usize {
        self.constraints()
    }
    fn multipliers(&self) -> usize {
        self.stencils.slots() * F::MULTIPLIERS
    }
    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S> {
        self.constraint_params.stiffness(h, iterations)
    }
    fn damping(&self, h: f64) -> Option<Vec<S>> {
        self.constraint_params.damping(h)
    }
    fn squared_frequencies(&self) -> Vec<S> {
        self.constraint_params.squared_frequencies()
    }
    fn relax(&self, exec: &Exec, x: &mut [Point<S>], stiffness: &[S]) {
        sweep_in_place(
            exec,
            &self.stencils,
            x,
            &mut [],
            &Kernel::<_, K>(Relax(self.data(stiffness))),
        );
    }
    fn relax_compliant(&self, exec: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]) {
        let kernel =
            Kernel::<_, K>(RelaxCompliant { data: self.data(&self.constraint_params.weight), h2 });
        sweep_in_place(exec, &self.stencils, x, lambda, &kernel);
    }
    fn add_jacobi_correction(
        &self,
        exec: &Exec,
        x: &[Point<S>],
        y: &mut [Point<S>],
        scale: &[S],
        count: bool,
    ) {
        let answer = GradientOutput::JacobiCorrection { count_elements: count };
        let kernel = Kernel::<_, K>(Gradient { data: self.data(scale), output: answer });
        sweep_accumulate(exec, &self.stencils, x, y, &kernel);
    }
    fn damp(&self, exec: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]) {
        let kernel =
            Kernel::<_, K>(Gradient { data: self.data(fraction), output: GradientOutput::Damping });
        sweep_accumulate(exec, &self.stencils, x, v, &kernel);
    }
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> ProjectiveBatch<S>
    for Batch<S, F, N, K>
{
    fn add_projective_force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.add_projective_force_weighted(exec, x, y, self.constraint_params.projective_weight());
    }
    fn add_projective_force_weighted(
        &self,
        exec: &Exec,
        x: &[Point<S>],
        y: &mut [Point<S>],
        weights: &[S],
    ) {
        let kernel = Kernel::<_, K>(ProjectiveForce(self.data(weights)));
        sweep_accumulate(exec, &self.stencils, x, y, &kernel);
    }
    fn disabled_near_inversion(&self) -> bool {
        F::DISABLED_NEAR_INVERSION
    }
    fn is_bounded(&self) -> bool {
        F::BOUNDED
    }
    fn mark_inverted(&self, x: &[Point<S>], marked: &mut [bool]) -> bool {
        let mut any = false;
        if !F::DISABLED_NEAR_INVERSION {
            return any;
        }
        for slot in self.stencils.element_slots() {
            let v = self.stencils.vertices(slot);
            if F::is_inverted(&self.rest(slot), &single::positions(x, &v)) {
                v.iter().for_each(|&v| marked[v as usize] = true);
                any = true;
            }
        }
        any
    }
    fn masked_weights(&self, marked: &[bool], weights: &mut [S]) {
        weights.copy_from_slice(self.constraint_params.projective_weight());
        // Padding lanes repeat other elements and must stay identical to them.
        for slot in 0..self.stencils.slots() {
            if self.stencils.vertices(slot).iter().any(|&v| marked[v as usize]) {
                for which in 0..F::CONSTRAINTS {
                    weights[Self::constraint_index(slot, which)] = S::default();
                }
            }
        }
    }
    fn projective_energy_is_exact(&self) -> bool {
        F::PROJECTIVE_ENERGY_IS_EXACT
    }
    fn projective_energy(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        self.projective_energy_weighted(exec, x, self.constraint_params.projective_weight())
    }
    fn projective_energy_weighted(&self, exec: &Exec, x: &[Point<S>], weights: &[S]) -> f64 {
        let kernel = Kernel::<_, K>(ProjectiveForce(self.data(weights)));
        sweep_sum(exec, &self.stencils, x, &kernel)
    }
    fn assemble_laplacian(&self, add: AddEntry) {
        for slot in self.stencils.element_slots() {
            let v = self.stencils.vertices(slot);
            for which in 0..F::CONSTRAINTS {
                let q = single::quadratic::<F, N, K>(which, &self.rest(slot));
                let w = self.constraint_params.projective_weight()
                    [Self::constraint_index(slot, which)]
                .to_f64();
                single::assemble_per_vertex(&v, w, q.as_flattened(), add);
            }
        }
    }
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> PlasticBatch<S>
    for Batch<S, F, N, K>
{
    fn plastic_state_len(&self) -> usize {
        self.len() * F::PLASTIC_STATE_LEN
    }
    fn store_plastic_state(&self, plastic_state: &mut [S]) {
        for (slot, &e) in self.stencils.elements().iter().enumerate() {
            for m in 0..F::PLASTIC_STATE_LEN {
                plastic_state[e as usize * F::PLASTIC_STATE_LEN + m] =
                    self.parameters[Self::plastic_state_index(slot, m)];
            }
        }
    }
    fn load_plastic_state(&mut self, plastic_state: &[S]) {
        for (slot, &e) in self.stencils.elements().iter().enumerate() {
            for m in 0..F::PLASTIC_STATE_LEN {
                self.parameters[Self::plastic_state_index(slot, m)] =
                    plastic_state[e as usize * F::PLASTIC_STATE_LEN + m];
            }
        }
    }
    fn update_plasticity(&mut self, x: &[Point<S>], h: f64) {
        if F::PLASTIC_STATE_LEN == 0 {
            return;
        }
        // Padding lanes repeat other elements, and their plastic state evolves likewise.
        for slot in 0..self.stencils.slots() {
            let at = Self::rest_index(slot);
            let mut rest = std::array::from_fn(|q| self.parameters[at + q * Self::LANES]);
            let x = self.stencils.vertices(slot).map(|v| {
                let p = x[v as usize];
                Vec3::new(p[0], p[1], p[2])
            });
            F::update_plasticity(&mut rest, &x, S::from_f64(h));
            for m in 0..F::PLASTIC_STATE_LEN {
                self.parameters[Self::plastic_state_index(slot, m)] =
                    rest[K - F::PLASTIC_STATE_LEN + m];
            }
        }
    }
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> EnergyBatch<S>
    for Batch<S, F, N, K>
{
    fn force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        if F::PROJECTIVE_ENERGY_IS_EXACT {
            return self.add_projective_force(exec, x, y);
        }
        let data = self.data(&self.constraint_params.weight);
        let kernel = Kernel::<_, K>(Gradient { data, output: GradientOutput::Force });
        sweep_accumulate(exec, &self.stencils, x, y, &kernel);
    }
    fn energy(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        if F::PROJECTIVE_ENERGY_IS_EXACT {
            return self.projective_energy(exec, x);
        }
        let data = self.data(&self.constraint_params.weight);
        let kernel = Kernel::<_, K>(Gradient { data, output: GradientOutput::Energy });
        sweep_sum(exec, &self.stencils, x, &kernel)
    }
    fn hessian(&self, x: &[Point<S>], definite: bool, add: AddEntry) {
        const { assert!(N <= MAX_VERTICES, "an element of more vertices is a Cluster") };
        let mut room = [0.0; 9 * MAX_VERTICES * MAX_VERTICES];
        let h = &mut room[..9 * N * N];
        for slot in self.stencils.element_slots() {
            let v = self.stencils.vertices(slot);
            let at = single::positions(x, &v);
            for which in 0..F::CONSTRAINTS {
                F::hessian(which, &self.rest(slot), &at, definite, h);
                assemble_dense(
                    &v,
                    self.constraint_params.weight[Self::constraint_index(slot, which)].to_f64(),
                    h,
                    add,
                );
            }
        }
    }
    fn list_hessian_blocks(&self, list: &mut dyn FnMut(&[u32])) -> bool {
        for slot in self.stencils.element_slots() {
            let v = self.stencils.vertices(slot);
            (0..F::CONSTRAINTS).for_each(|_| list(&v));
        }
        true
    }
    fn add_hessian_blocks(&self, x: &[Point<S>], definite: bool, to: &mut HessianBlocks) {
        let mut room = [[0.0; 9]; MAX_VERTICES * (MAX_VERTICES + 1) / 2];
        let blocks = &mut room[..N * (N + 1) / 2];
        for slot in self.stencils.element_slots() {
            let v = self.stencils.vertices_in(slot, Self::LANES);
            let (rest, at) = (self.rest(slot), single::positions(x, &v));
            for which in 0..F::CONSTRAINTS {
                let weight =
                    self.constraint_params.weight[Self::constraint_index(slot, which)].to_f64();
                F::hessian_blocks(which, &rest, &at, definite, blocks);
                to.add(&v, weight, blocks);
            }
        }
    }
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> ConstraintBatch<S>
    for Batch<S, F, N, K>
{
    fn duals(&self) -> usize {
        F::duals()
    }
    fn list_rows(&self, geometric: bool, list: &mut dyn FnMut(&[u32], usize)) {
        for slot in self.stencils.element_slots() {
            list(&self.stencils.vertices(slot), F::max_rows(geometric));
        }
    }
    fn constraint_rows(
        &self,
        x: &[Point<S>],
        duals: Option<&[f64]>,
        hard_above: f64,
        add: &mut dyn FnMut(&ConstraintRow),
    ) {
        for (element, slot) in self.stencils.element_slots().enumerate() {
            let at = single::positions(x, &self.stencils.vertices(slot));
            let mut weights = [0.0; MAX_CONSTRAINTS];
            let own = &self.constraint_params.weight[Self::constraint_index(slot, 0)..];
            single::load_f64(own, Self::LANES, &mut weights[..F::CONSTRAINTS]);
            let duals = duals.map(|d| &d[element * F::duals()..(element + 1) * F::duals()]);
            let own = LinearizationRequest { element, weights, duals, hard_above };
            single::constraint_rows::<F, N, K>(&own, &self.rest(slot), &at, add);
        }
    }
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> VertexBatch<S>
    for Batch<S, F, N, K>
{
    fn vertex_stencils(&self, color: &[u32], colors: usize) -> Vec<VertexStencils> {
        corners::by_color::<S, N>(&self.stencils, color, colors)
    }
    fn vertex_blocks(&self, exec: &Exec, x: &[Point<S>], corners: &VertexStencils, out: &mut [S]) {
        let data = self.data(&self.constraint_params.weight);
        corners::Evaluate { stencils: &self.stencils, data, vertex_stencils: corners }
            .run(exec, x, out);
    }
}

/// The lower triangle of a dense element matrix, three rows per vertex.
pub(super) fn assemble_dense(vertices: &[u32], weight: f64, h: &[f64], add: AddEntry) {
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
