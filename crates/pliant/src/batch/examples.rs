//! Example-based elements that share their weights over a body: the global coupling of Projective Dynamics §5.3.
//!
//! Before each sweep the weights are fitted to the positions by alternation: every element computes its nearest
//! rotation, then the weights solve one small least-squares problem over all elements. The weights are a function of
//! the positions alone, as a projection is, so they are not part of the state. Because the weights minimise the energy,
//! its gradient is that of the elements with the weights held constant.

use std::any::Any;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard};

use crate::Error;
use crate::batch::kernels::{Kernel, KernelData};
use crate::batch::{
    AddEntry, AnyBatch, AnyElements, Batch, ConstraintBatch, ConstraintRow, ElementRemap, Elements,
    EnergyBatch, HessianBlocks, PlasticBatch, ProjectiveBatch, RestState, SweepBatch, VertexBatch,
    VertexStencils,
};
use crate::element::{ByProjection, Projective};
use crate::elements::tet_example::{
    MAX_EXAMPLES, TetExample, overlap, weight_descent, weight_range_indices,
};
use crate::math::{Scalar, Vec3};
use crate::parallel::{AccumulateKernel, Exec};
use crate::simd::{Pack, Point};

type ExampleForms = ByProjection<TetExample, 3>;

/// The element's name in reports.
const NAME: &str = "body_examples";
/// Largest number of alternations between rotations and weights.
const MAX_ALTERNATIONS: usize = 40;

/// The elements of one body that share their example weights.
#[derive(Clone)]
pub struct BodyExamples {
    elements: Elements<ExampleForms, 4, 41>,
    ranges: [[f64; 2]; MAX_EXAMPLES],
}

impl BodyExamples {
    /// Makes an empty set.
    pub fn new() -> Self {
        Self { elements: Elements::projective(), ranges: [[0.0; 2]; MAX_EXAMPLES] }
    }

    /// Adds an element with its energy weight `w`. The range of weights of the last element applies to all.
    pub fn push(&mut self, vertices: [u32; 4], weight: f64, element: TetExample) {
        self.ranges = element.ranges;
        self.elements.push(vertices, weight, element);
    }

    /// Sets the stiffness `k` in 0…1 that PBD uses for all elements added so far.
    pub fn pbd_stiffness(self, k: Option<f64>) -> Self {
        Self { elements: self.elements.pbd_stiffness(k), ..self }
    }

    /// Sets the rate [1/s] at which relative velocities are damped along all constraints added so far.
    pub fn damping(self, rate: f64) -> Self {
        Self { elements: self.elements.damping(rate), ..self }
    }
}

impl Default for BodyExamples {
    fn default() -> Self {
        Self::new()
    }
}

impl Debug for BodyExamples {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} × {NAME}", self.elements.len())
    }
}

impl AnyElements for BodyExamples {
    fn name(&self) -> &'static str {
        NAME
    }
    fn len(&self) -> usize {
        self.elements.len()
    }
    fn vertices(&self, element: usize) -> &[u32] {
        self.elements.vertices(element)
    }
    fn weight(&self, element: usize) -> f64 {
        self.elements.weight(element)
    }
    fn offset_vertices(&mut self, offset: u32) {
        self.elements.offset_vertices(offset);
    }
    /// Always false: each body has its own weights.
    fn append(&mut self, _: &mut dyn Any) -> bool {
        false
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn remapped(&self, plan: &ElementRemap) -> Box<dyn AnyElements> {
        Box::new(Self { elements: self.elements.remapped_copy(plan), ranges: self.ranges })
    }
    fn exerts_net_force(&self, element: usize, rest: &[[f64; 3]]) -> bool {
        self.elements.exerts_net_force(element, rest)
    }
    fn validate(&self, points: usize) -> Result<(), Error> {
        self.elements.validate_as(NAME, points)
    }
    fn batch_f32(&self, rest: RestState) -> Box<dyn AnyBatch<f32>> {
        Box::new(ExampleBatch::<f32>::new(self, rest))
    }
    fn batch_f64(&self, rest: RestState) -> Box<dyn AnyBatch<f64>> {
        Box::new(ExampleBatch::<f64>::new(self, rest))
    }
}

struct ExampleBatch<S> {
    /// The elements, with the weights of the last fit in their rest data.
    inner: Mutex<Batch<S, ExampleForms, 4, 41>>,
    /// `Σ w ⟨S_i − I, S_j − I⟩`: the matrix of the least-squares problem.
    overlap: [[f64; MAX_EXAMPLES]; MAX_EXAMPLES],
    ranges: [[f64; 2]; MAX_EXAMPLES],
}

impl<S: Scalar> ExampleBatch<S> {
    fn new(set: &BodyExamples, rest: RestState) -> Self {
        let inner = Batch::new(&set.elements, rest);
        let mut sum = [[0.0; MAX_EXAMPLES]; MAX_EXAMPLES];
        for e in 0..set.elements.len() {
            let (rest, w) = (set.elements.rest_data(e), set.elements.weight(e));
            for i in 0..MAX_EXAMPLES {
                for j in 0..MAX_EXAMPLES {
                    sum[i][j] += w * overlap(i, j, rest);
                }
            }
        }
        Self { inner: Mutex::new(inner), overlap: sum, ranges: set.ranges }
    }

    fn inner(&self) -> MutexGuard<'_, Batch<S, ExampleForms, 4, 41>> {
        // A poisoned lock can only hold outdated weights, which the next fit replaces.
        self.inner.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Returns the elements with the weights that fit `x` best.
    fn fitted(&self, exec: &Exec, x: &[Point<S>]) -> MutexGuard<'_, Batch<S, ExampleForms, 4, 41>> {
        let mut inner = self.inner();
        let mut weights: [f64; MAX_EXAMPLES] =
            std::array::from_fn(|i| 0.0_f64.max(self.ranges[i][0]).min(self.ranges[i][1]));
        let used = (0..MAX_EXAMPLES).filter(|&i| self.overlap[i][i] > 0.0).count();
        for _ in 0..MAX_ALTERNATIONS {
            for (i, &w) in weights.iter().enumerate() {
                weight_range_indices(i).iter().for_each(|&q| inner.set_rest(q, S::from_f64(w)));
            }
            let mut slopes = [0.0; MAX_EXAMPLES];
            for (which, slope) in slopes.iter_mut().enumerate().take(used) {
                *slope = inner.sum(exec, x, |data| Kernel(WeightDescent { data, which }));
            }
            if !self.descend(&mut weights, slopes) {
                break;
            }
        }
        inner
    }

    /// Moves the weights to the minimum of the quadratic with these slopes, within their ranges; returns true if they
    /// moved.
    fn descend(&self, weights: &mut [f64; MAX_EXAMPLES], slopes: [f64; MAX_EXAMPLES]) -> bool {
        let before = *weights;
        for _ in 0..100 {
            for i in 0..MAX_EXAMPLES {
                if !(self.overlap[i][i] > 0.0) {
                    continue;
                }
                let so_far: f64 =
                    (0..MAX_EXAMPLES).map(|j| self.overlap[i][j] * (weights[j] - before[j])).sum();
                let step = (slopes[i] - so_far) / self.overlap[i][i];
                if step.is_finite() {
                    weights[i] = (weights[i] + step).max(self.ranges[i][0]).min(self.ranges[i][1]);
                }
            }
        }
        let moved = (0..MAX_EXAMPLES).map(|i| (weights[i] - before[i]).abs()).fold(0.0, f64::max);
        moved > 4.0 * S::EPSILON
    }
}

/// Kernel for the weighted decrease of the energy per unit of one example's weight.
struct WeightDescent<'a, S> {
    data: KernelData<'a, S, ExampleForms>,
    which: usize,
}

impl<S: Scalar> AccumulateKernel<S, 4> for Kernel<WeightDescent<'_, S>, 41> {
    type Unit = Self;

    const COST_NS: usize = 20;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(
        &self,
        slot: usize,
        x: &[[R; 4]; 4],
        _: &mut [[R; 4]; 4],
        _: bool,
    ) -> R {
        let rest = self.0.data.rest::<R, 4, 41>(slot);
        let a = <TetExample as Projective<4, 3, 41>>::matrix(&rest);
        let mut y = [Vec3::zero(); 3];
        for d in 0..3 {
            for k in 0..4 {
                y[d] += Vec3::new(x[k][0], x[k][1], x[k][2]).scale(a[d][k]);
            }
        }
        weight_descent(self.0.which, &rest, &y) * self.0.data.scale::<R, 4, 41>(slot, 0)
    }
}

impl<S: Scalar> AnyBatch<S> for ExampleBatch<S> {
    fn name(&self) -> &'static str {
        NAME
    }
    fn len(&self) -> usize {
        self.inner().len()
    }
    fn bytes(&self) -> usize {
        self.inner().bytes()
    }
}

impl<S: Scalar> SweepBatch<S> for ExampleBatch<S> {
    fn constraints(&self) -> usize {
        SweepBatch::constraints(&*self.inner())
    }
    fn multipliers(&self) -> usize {
        self.inner().multipliers()
    }
    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S> {
        self.inner().stiffness(h, iterations)
    }
    fn squared_frequencies(&self) -> Vec<S> {
        self.inner().squared_frequencies()
    }
    fn relax(&self, exec: &Exec, x: &mut [Point<S>], stiffness: &[S]) {
        self.fitted(exec, x).relax(exec, x, stiffness);
    }
    fn relax_compliant(&self, exec: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]) {
        self.fitted(exec, x).relax_compliant(exec, x, h2, lambda);
    }
    fn add_jacobi_correction(
        &self,
        exec: &Exec,
        x: &[Point<S>],
        y: &mut [Point<S>],
        scale: &[S],
        count: bool,
    ) {
        self.fitted(exec, x).add_jacobi_correction(exec, x, y, scale, count);
    }
    fn damping(&self, h: f64) -> Option<Vec<S>> {
        self.inner().damping(h)
    }
    fn damp(&self, exec: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]) {
        self.fitted(exec, x).damp(exec, x, v, fraction);
    }
}

impl<S: Scalar> ProjectiveBatch<S> for ExampleBatch<S> {
    fn add_projective_force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.fitted(exec, x).add_projective_force(exec, x, y);
    }
    fn projective_energy(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        self.fitted(exec, x).projective_energy(exec, x)
    }
    fn assemble_laplacian(&self, add: AddEntry) {
        self.inner().assemble_laplacian(add);
    }
}

impl<S: Scalar> PlasticBatch<S> for ExampleBatch<S> {}

impl<S: Scalar> EnergyBatch<S> for ExampleBatch<S> {
    fn force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.fitted(exec, x).force(exec, x, y);
    }
    fn energy(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        self.fitted(exec, x).energy(exec, x)
    }
    fn hessian(&self, x: &[Point<S>], definite: bool, add: AddEntry) {
        self.fitted(&Exec::serial(), x).hessian(x, definite, add);
    }
    fn list_hessian_blocks(&self, list: &mut dyn FnMut(&[u32])) -> bool {
        self.inner().list_hessian_blocks(list)
    }
    fn add_hessian_blocks(&self, x: &[Point<S>], definite: bool, to: &mut HessianBlocks) {
        self.fitted(&Exec::serial(), x).add_hessian_blocks(x, definite, to);
    }
}

impl<S: Scalar> ConstraintBatch<S> for ExampleBatch<S> {
    fn duals(&self) -> usize {
        self.inner().duals()
    }
    fn list_rows(&self, geometric: bool, list: &mut dyn FnMut(&[u32], usize)) {
        self.inner().list_rows(geometric, list);
    }
    fn constraint_rows(
        &self,
        x: &[Point<S>],
        duals: Option<&[f64]>,
        hard_above: f64,
        add: &mut dyn FnMut(&ConstraintRow),
    ) {
        self.fitted(&Exec::serial(), x).constraint_rows(x, duals, hard_above, add);
    }
}

impl<S: Scalar> VertexBatch<S> for ExampleBatch<S> {
    fn vertex_stencils(&self, color: &[u32], colors: usize) -> Vec<VertexStencils> {
        self.inner().vertex_stencils(color, colors)
    }
    fn vertex_blocks(&self, exec: &Exec, x: &[Point<S>], corners: &VertexStencils, out: &mut [S]) {
        self.fitted(exec, x).vertex_blocks(exec, x, corners, out);
    }
}
