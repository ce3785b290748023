//! Elements of one type, as stored in a model.

use std::any::Any;
use std::fmt::Debug;

use crate::Error;
use crate::batch::{AnyBatch, Batch, RestState, scalar_eval as single};
use crate::element::SolverForms;
use crate::element::{
    ByConstraint, ByEnergy, ByProjection, ConstraintGroup, Hyperelastic, Projective,
};
use crate::math::Vec3;

/// Elements of one type: their vertices, weights and rest data. Created by [`Elements::projective`],
/// [`Elements::constraint`] or [`Elements::hyperelastic`], filled by [`Elements::push`].
pub struct Elements<F, const N: usize, const K: usize> {
    pub(super) parameters: Vec<[f64; K]>,
    pub(super) vertices: Vec<[u32; N]>,
    pub(super) weights: Vec<f64>,
    /// PBD stiffness of each element; NaN if derived from the weight.
    pub(super) stiffness: Vec<f64>,
    /// Damping rate of relative velocity along each constraint [1/s].
    pub(super) damping: Vec<f64>,
    forms: std::marker::PhantomData<F>,
}

/// A plan for copying elements of a set: source element, new vertices and share of the weight of each copy.
#[derive(Clone, Debug, Default)]
pub struct ElementRemap {
    sources: Vec<u32>,
    shares: Vec<f64>,
    vertices: Vec<u32>,
    /// End of each copy's vertices.
    ends: Vec<usize>,
}

impl ElementRemap {
    /// Adds a copy of the element `source` on the given vertices, as many as the element has.
    pub fn push(&mut self, source: usize, vertices: &[u32], share: f64) {
        self.sources.push(source as u32);
        self.shares.push(share);
        self.vertices.extend_from_slice(vertices);
        self.ends.push(self.vertices.len());
    }

    /// Iterates over the copies: source, vertices, share.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[u32], f64)> + '_ {
        (0..self.sources.len()).map(|i| {
            let start = if i == 0 { 0 } else { self.ends[i - 1] };
            (self.sources[i] as usize, &self.vertices[start..self.ends[i]], self.shares[i])
        })
    }
}

/// Elements of any type.
pub trait AnyElements: Any + Debug + Send + Sync {
    /// The name of the element type.
    fn name(&self) -> &'static str;
    /// Number of elements.
    fn len(&self) -> usize;
    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The vertices of an element.
    fn vertices(&self, element: usize) -> &[u32];
    /// The weight of an element.
    fn weight(&self, element: usize) -> f64;
    /// Adds `offset` to all vertex indices: from a body's numbering to the model's.
    fn offset_vertices(&mut self, offset: u32);
    /// Moves all elements of `other` into this set if they are of the same type; returns true if it did.
    fn append(&mut self, other: &mut dyn Any) -> bool;
    /// Returns `self` for downcasting.
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// Returns copies of some elements on other vertices, with shares of their weights and everything else unchanged.
    fn remapped(&self, plan: &ElementRemap) -> Box<dyn AnyElements>;
    /// True if a translation of all its vertices changes an element: the element can then change the momentum of its
    /// body. `rest` holds the rest positions \[m\] of all vertices.
    fn exerts_net_force(&self, element: usize, rest: &[[f64; 3]]) -> bool;
    /// Checks indices, weights and rest data against a model of `points` vertices.
    fn validate(&self, points: usize) -> Result<(), Error>;
    /// Builds the batch in single precision.
    fn batch_f32(&self, rest: RestState) -> Box<dyn AnyBatch<f32>>;
    /// Builds the batch in double precision.
    fn batch_f64(&self, rest: RestState) -> Box<dyn AnyBatch<f64>>;
}

impl<E, const D: usize, const N: usize, const K: usize> Elements<ByProjection<E, D>, N, K>
where
    E: Projective<N, D, K>,
{
    /// Makes an empty set of a type in projective form.
    pub fn projective() -> Self {
        Self::empty()
    }

    /// Adds an element with its energy weight `w` (`E = w/2 ‖A x − p‖²`).
    pub fn push(&mut self, vertices: [u32; N], weight: f64, element: E) {
        self.push_parameters(vertices, weight, element.parameters());
    }
}

impl<E, const M: usize, const N: usize, const K: usize> Elements<ByConstraint<E, M>, N, K>
where
    E: ConstraintGroup<N, M, K>,
{
    /// Makes an empty set of a type in scalar form: one constraint, or a group.
    pub fn constraint() -> Self {
        Self::empty()
    }

    /// Adds an element with its energy weight `w` (`E = w/2 C²`, or the weighted sum over the group).
    pub fn push(&mut self, vertices: [u32; N], weight: f64, element: E) {
        self.push_parameters(vertices, weight, element.parameters());
    }
}

impl<E, const D: usize, const N: usize, const K: usize> Elements<ByEnergy<E, D>, N, K>
where
    E: Hyperelastic<N, D, K>,
{
    /// Makes an empty set of a type given by an energy.
    pub fn hyperelastic() -> Self {
        Self::empty()
    }

    /// Adds an element with its energy weight `w` (`E = w Ψ`).
    pub fn push(&mut self, vertices: [u32; N], weight: f64, element: E) {
        self.push_parameters(vertices, weight, element.parameters());
    }
}

impl<F, const N: usize, const K: usize> Elements<F, N, K> {
    fn empty() -> Self {
        Self {
            parameters: Vec::new(),
            vertices: Vec::new(),
            weights: Vec::new(),
            stiffness: Vec::new(),
            damping: Vec::new(),
            forms: std::marker::PhantomData,
        }
    }

    /// See [`AnyElements::remapped`].
    pub(super) fn remapped_copy(&self, plan: &ElementRemap) -> Self {
        let mut to = Self::empty();
        for (e, vertices, share) in plan.iter() {
            let weight = if share == 1.0 { self.weights[e] } else { share * self.weights[e] };
            let vertices = std::array::from_fn(|k| vertices[k]);
            to.push_parameters(vertices, weight, self.parameters[e]);
            to.stiffness[to.weights.len() - 1] = self.stiffness[e];
            to.damping[to.weights.len() - 1] = self.damping[e];
        }
        to
    }

    fn push_parameters(&mut self, vertices: [u32; N], weight: f64, parameters: [f64; K]) {
        self.vertices.push(vertices);
        self.weights.push(weight);
        self.parameters.push(parameters);
        self.stiffness.push(f64::NAN);
        self.damping.push(0.0);
    }

    /// Validates everything; errors name an element of this name.
    pub(super) fn validate_as(&self, name: &'static str, points: usize) -> Result<(), Error> {
        for e in 0..self.vertices.len() {
            validate_element(name, e, &self.vertices[e], self.weights[e], points)?;
            if let Some(q) = self.parameters[e].iter().position(|p| !p.is_finite()) {
                return Err(Error::ElementRestData { name, element: e, parameter: q });
            }
            validate_stiffness(name, self.stiffness[e])?;
            validate_damping(name, self.damping[e])?;
        }
        Ok(())
    }

    /// The rest data of an element.
    pub(super) fn rest_data(&self, element: usize) -> &[f64; K] {
        &self.parameters[element]
    }

    /// Sets the stiffness `k` in 0…1 that PBD uses for all elements added so far, instead of one derived from their
    /// weights.
    pub fn pbd_stiffness(mut self, k: Option<f64>) -> Self {
        self.stiffness.fill(k.unwrap_or(f64::NAN));
        self
    }

    /// Sets the rate [1/s] at which relative velocities are damped along all constraints added so far.
    pub fn damping(mut self, rate: f64) -> Self {
        self.damping.fill(rate);
        self
    }
}

impl<F, const N: usize, const K: usize> Clone for Elements<F, N, K> {
    fn clone(&self) -> Self {
        Self {
            parameters: self.parameters.clone(),
            vertices: self.vertices.clone(),
            weights: self.weights.clone(),
            stiffness: self.stiffness.clone(),
            damping: self.damping.clone(),
            forms: std::marker::PhantomData,
        }
    }
}

impl<F: SolverForms<N, K>, const N: usize, const K: usize> Debug for Elements<F, N, K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} × {}", self.vertices.len(), F::NAME)
    }
}

impl<F: SolverForms<N, K>, const N: usize, const K: usize> AnyElements for Elements<F, N, K> {
    fn name(&self) -> &'static str {
        F::NAME
    }

    fn len(&self) -> usize {
        self.vertices.len()
    }

    fn vertices(&self, element: usize) -> &[u32] {
        &self.vertices[element]
    }

    fn weight(&self, element: usize) -> f64 {
        self.weights[element]
    }

    fn offset_vertices(&mut self, offset: u32) {
        self.vertices.iter_mut().flatten().for_each(|v| *v += offset);
    }

    fn append(&mut self, other: &mut dyn Any) -> bool {
        let Some(other) = other.downcast_mut::<Self>() else { return false };
        self.parameters.append(&mut other.parameters);
        self.vertices.append(&mut other.vertices);
        self.weights.append(&mut other.weights);
        self.stiffness.append(&mut other.stiffness);
        self.damping.append(&mut other.damping);
        true
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn remapped(&self, plan: &ElementRemap) -> Box<dyn AnyElements> {
        Box::new(self.remapped_copy(plan))
    }

    fn exerts_net_force(&self, element: usize, rest: &[[f64; 3]]) -> bool {
        let own = &self.parameters[element];
        let x = self.vertices[element].map(|v| Vec3::of(rest[v as usize]));
        let x = std::array::from_fn(|k| x[k] + asymmetric_offset(k, &x));
        (0..F::CONSTRAINTS).any(|which| {
            let rows = single::quadratic::<F, N, K>(which, own);
            let sums: f64 = rows.iter().map(|row| row.iter().sum::<f64>().abs()).sum();
            let size: f64 = rows.iter().flatten().map(|q| q.abs()).sum();
            sums > 1e-6 * size || has_net_force(&single::constraint::<F, N, K>(which, own, &x).1)
        })
    }

    fn validate(&self, points: usize) -> Result<(), Error> {
        self.validate_as(F::NAME, points)
    }

    fn batch_f32(&self, rest: RestState) -> Box<dyn AnyBatch<f32>> {
        Box::new(Batch::<f32, F, N, K>::new(self, rest))
    }

    fn batch_f64(&self, rest: RestState) -> Box<dyn AnyBatch<f64>> {
        Box::new(Batch::<f64, F, N, K>::new(self, rest))
    }
}

/// A displacement of vertex `k` of an element that breaks every symmetry.
pub(super) fn asymmetric_offset(k: usize, x: &[Vec3<f64>]) -> Vec3<f64> {
    let size = x.iter().map(|v| (*v - x[0]).norm()).fold(0.0, f64::max);
    let step = if size > 0.0 { 0.1 * size } else { 0.1 };
    let turn = |by: usize| ((k * by + 3) % 11) as f64 / 11.0 - 0.4;
    Vec3::of([turn(5), turn(7), turn(2)]).scale(step)
}

/// True if corrections along these gradients would not sum to zero.
pub(super) fn has_net_force(gradient: &[Vec3<f64>]) -> bool {
    let sum = gradient.iter().fold(Vec3::zero(), |a, g| a + *g);
    !(sum.norm() <= 1e-6 * gradient.iter().map(|g| g.norm()).sum::<f64>())
}

/// Checks that indices are in range and distinct, and that the weight is finite and not negative.
pub(super) fn validate_element(
    name: &'static str,
    element: usize,
    vertices: &[u32],
    weight: f64,
    points: usize,
) -> Result<(), Error> {
    for (k, &vertex) in vertices.iter().enumerate() {
        if vertex as usize >= points {
            return Err(Error::ElementIndex { name, element, vertex, points });
        }
        if vertices[..k].contains(&vertex) {
            return Err(Error::ElementRepeatedIndex { name, element, vertex });
        }
    }
    if !(weight.is_finite() && weight >= 0.0) {
        return Err(Error::ElementWeight { name, element, weight });
    }
    Ok(())
}

/// Checks that a PBD stiffness lies in 0…1.
pub(super) fn validate_stiffness(name: &'static str, k: f64) -> Result<(), Error> {
    if k.is_nan() || (0.0..=1.0).contains(&k) {
        Ok(())
    } else {
        Err(Error::PbdStiffness { name, k })
    }
}

/// Checks that a damping rate is finite and not negative: damping never adds energy.
pub(super) fn validate_damping(name: &'static str, value: f64) -> Result<(), Error> {
    if value >= 0.0 && value.is_finite() {
        return Ok(());
    }
    let remedy = "it must be finite and not negative [1/s]";
    Err(Error::Quantity { name, field: "damping", value, remedy })
}
