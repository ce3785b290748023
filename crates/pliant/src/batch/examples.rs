//! Example-based elements that share their weights over a body: the global coupling of Projective
//! Dynamics §5.3.
//!
//! Before each sweep the weights are fitted to the positions: in turns, every element takes its
//! nearest rotation, and the weights solve one small least-squares problem over all of them. They are
//! a function of the positions alone, as a projection is, so nothing of them is state; and because
//! the energy is least in them, its gradient is that of the elements with the weights held.

use std::any::Any;
use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard};

use super::kernels::{Data, Kernel};
use super::{
    AnyBatch, AnyElements, Batch, ConstraintRow, Corners, Elements, RestState, Rewiring, Stamp,
};
use crate::Error;
use crate::element::{ByProjection, Projective};
use crate::elements::tet_example::{MOST_EXAMPLES, TetExample, fall, given_weight, overlap};
use crate::math::{Scalar, Vec3};
use crate::parallel::{Exec, Onto};
use crate::simd::{Pack, Point};

type Faces = ByProjection<TetExample, 3>;

/// The element's name in reports.
const NAME: &str = "body_examples";
/// Turns over rotations and weights, at most.
const TURNS: usize = 40;

/// The elements of one body that follow examples together.
#[derive(Clone)]
pub struct BodyExamples {
    elements: Elements<Faces, 4, 41>,
    ranges: [[f64; 2]; MOST_EXAMPLES],
}

impl BodyExamples {
    /// No elements yet.
    pub fn new() -> Self {
        Self { elements: Elements::projective(), ranges: [[0.0; 2]; MOST_EXAMPLES] }
    }

    /// Adds an element with its energy weight `w`. All have the range of weights of the last one.
    pub fn push(&mut self, vertices: [u32; 4], weight: f64, element: TetExample) {
        self.ranges = element.ranges;
        self.elements.push(vertices, weight, element);
    }

    /// Sets the stiffness `k` in 0…1 that PBD uses for all elements so far.
    pub fn pbd_stiffness(self, k: Option<f64>) -> Self {
        Self { elements: self.elements.pbd_stiffness(k), ..self }
    }

    /// Sets the rate [1/s] at which relative velocities along all constraints so far fade.
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
    fn shift(&mut self, offset: u32) {
        self.elements.shift(offset);
    }
    /// Never: each body has weights of its own.
    fn append(&mut self, _: &mut dyn Any) -> bool {
        false
    }
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn rewired(&self, plan: &Rewiring) -> Box<dyn AnyElements> {
        Box::new(Self { elements: self.elements.copies(plan), ranges: self.ranges })
    }
    fn anchors(&self, element: usize, rest: &[[f64; 3]]) -> bool {
        self.elements.anchors(element, rest)
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
    /// The elements, with the weights of the last fit written into them.
    inner: Mutex<Batch<S, Faces, 4, 41>>,
    /// `Σ w ⟨S_i − I, S_j − I⟩`: the matrix of the least-squares problem.
    overlap: [[f64; MOST_EXAMPLES]; MOST_EXAMPLES],
    ranges: [[f64; 2]; MOST_EXAMPLES],
}

impl<S: Scalar> ExampleBatch<S> {
    fn new(set: &BodyExamples, rest: RestState) -> Self {
        let inner = Batch::new(&set.elements, rest);
        let mut sum = [[0.0; MOST_EXAMPLES]; MOST_EXAMPLES];
        for e in 0..set.elements.len() {
            let (rest, w) = (set.elements.rest_data(e), set.elements.weight(e));
            for i in 0..MOST_EXAMPLES {
                for j in 0..MOST_EXAMPLES {
                    sum[i][j] += w * overlap(i, j, rest);
                }
            }
        }
        Self { inner: Mutex::new(inner), overlap: sum, ranges: set.ranges }
    }

    fn inner(&self) -> MutexGuard<'_, Batch<S, Faces, 4, 41>> {
        // A poisoned lock cannot hold anything but weights, which the next fit replaces.
        self.inner.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The elements with the weights that fit `x` best.
    fn fitted(&self, exec: &Exec, x: &[Point<S>]) -> MutexGuard<'_, Batch<S, Faces, 4, 41>> {
        let mut inner = self.inner();
        let mut weights: [f64; MOST_EXAMPLES] =
            std::array::from_fn(|i| 0.0_f64.max(self.ranges[i][0]).min(self.ranges[i][1]));
        let used = (0..MOST_EXAMPLES).filter(|&i| self.overlap[i][i] > 0.0).count();
        for _ in 0..TURNS {
            for (i, &w) in weights.iter().enumerate() {
                given_weight(i).iter().for_each(|&q| inner.set_rest(q, S::from_f64(w)));
            }
            let mut falls = [0.0; MOST_EXAMPLES];
            for (which, fall) in falls.iter_mut().enumerate().take(used) {
                *fall = inner.sum(exec, x, |data| Kernel(Fall { data, which }));
            }
            if !self.descend(&mut weights, falls) {
                break;
            }
        }
        inner
    }

    /// Moves the weights to the least of the quadratic with this fall, within their ranges; says
    /// whether they moved.
    fn descend(&self, weights: &mut [f64; MOST_EXAMPLES], falls: [f64; MOST_EXAMPLES]) -> bool {
        let before = *weights;
        for _ in 0..100 {
            for i in 0..MOST_EXAMPLES {
                if !(self.overlap[i][i] > 0.0) {
                    continue;
                }
                let so_far: f64 =
                    (0..MOST_EXAMPLES).map(|j| self.overlap[i][j] * (weights[j] - before[j])).sum();
                let step = (falls[i] - so_far) / self.overlap[i][i];
                if step.is_finite() {
                    weights[i] = (weights[i] + step).max(self.ranges[i][0]).min(self.ranges[i][1]);
                }
            }
        }
        let moved = (0..MOST_EXAMPLES).map(|i| (weights[i] - before[i]).abs()).fold(0.0, f64::max);
        moved > 4.0 * S::EPSILON
    }
}

/// What a unit of one example would lower, weighted.
struct Fall<'a, S> {
    data: Data<'a, S, Faces>,
    which: usize,
}

impl<S: Scalar> Onto<S, 4> for Kernel<Fall<'_, S>, 41> {
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
        fall(self.0.which, &rest, &y) * self.0.data.scale::<R, 4, 41>(slot, 0)
    }
}

impl<S: Scalar> AnyBatch<S> for ExampleBatch<S> {
    fn name(&self) -> &'static str {
        NAME
    }
    fn len(&self) -> usize {
        self.inner().len()
    }
    fn constraints(&self) -> usize {
        AnyBatch::constraints(&*self.inner())
    }
    fn multipliers(&self) -> usize {
        self.inner().multipliers()
    }
    fn bytes(&self) -> usize {
        self.inner().bytes()
    }
    fn stiffness(&self, h: f64, iterations: usize) -> Vec<S> {
        self.inner().stiffness(h, iterations)
    }
    fn rates(&self) -> Vec<S> {
        self.inner().rates()
    }
    fn relax(&self, exec: &Exec, x: &mut [Point<S>], stiffness: &[S]) {
        self.fitted(exec, x).relax(exec, x, stiffness);
    }
    fn relax_compliant(&self, exec: &Exec, x: &mut [Point<S>], h2: S, lambda: &mut [S]) {
        self.fitted(exec, x).relax_compliant(exec, x, h2, lambda);
    }
    fn correct(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>], scale: &[S], count: bool) {
        self.fitted(exec, x).correct(exec, x, y, scale, count);
    }
    fn pull(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.fitted(exec, x).pull(exec, x, y);
    }
    fn force(&self, exec: &Exec, x: &[Point<S>], y: &mut [Point<S>]) {
        self.fitted(exec, x).force(exec, x, y);
    }
    fn damping(&self, h: f64) -> Option<Vec<S>> {
        self.inner().damping(h)
    }
    fn damp(&self, exec: &Exec, x: &[Point<S>], v: &mut [Point<S>], fraction: &[S]) {
        self.fitted(exec, x).damp(exec, x, v, fraction);
    }
    fn energy(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        self.fitted(exec, x).energy(exec, x)
    }
    fn distance(&self, exec: &Exec, x: &[Point<S>]) -> f64 {
        self.fitted(exec, x).distance(exec, x)
    }
    fn stamp(&self, add: Stamp) {
        self.inner().stamp(add);
    }
    fn hessian(&self, x: &[Point<S>], definite: bool, add: Stamp) {
        self.fitted(&Exec::serial(), x).hessian(x, definite, add);
    }
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
    fn corners(&self, color: &[u32], colors: usize) -> Vec<Corners> {
        self.inner().corners(color, colors)
    }
    fn corner_blocks(&self, exec: &Exec, x: &[Point<S>], corners: &Corners, out: &mut [S]) {
        self.fitted(exec, x).corner_blocks(exec, x, corners, out);
    }
}
