//! Constraints over any number of vertices.
//!
//! A [`Cluster`] is one scalar constraint on a list of vertices of its own length: a vertex's
//! large one-ring. A [`ClusterProjection`] is one projection of
//! all their positions about their centre: a shape to be matched. The volume inside a whole mesh is the
//! third kind ([`EnclosedVolume`]): its matrices are sparse but for a vector. All are evaluated with scalar
//! arithmetic, one after another in order, and derive the same faces as the packed elements.

mod batch;
mod curvature;
mod enclosed;
mod projection;

use std::any::Any;
use std::fmt::Debug;

use super::elements::{
    astray, gives_momentum, validate_damping, validate_element, validate_stiffness,
};
use super::{AnyBatch, AnyElements, RestState, Rewiring};
use crate::Error;
use crate::element::Kind;
use crate::elements::{EnclosedVolume, ShapeMatching};
use crate::math::{Scalar, Vec3};
use batch::ClusterBatch;
use enclosed::EnclosedBatch;
use projection::ProjectionBatch;

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

/// A projection of any number of vertices about their centre `x̄ = Σ μ_k x_k`:
/// `E = w/2 Σ μ_k |y_k − p_k|²` with `y_k = x_k − x̄`.
pub trait ClusterProjection: Clone + Debug + Send + Sync + 'static {
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// The share `μ_k` of each vertex: positive, one together.
    fn shares(&self) -> &[f64];
    /// The admissible positions about the centre that are nearest to `y` by these shares. Turned
    /// positions must stay admissible, and those nearest have their centre at zero.
    fn project<S: Scalar>(&self, y: &[Vec3<S>], p: &mut [Vec3<S>]);
    /// Whether the rest data is finite and fits that many vertices.
    fn is_valid(&self, vertices: usize) -> bool;
}

/// What [`Clusters`] can be made of: a [`Cluster`], or the engine's own [`ClusterProjection`]s.
pub trait ClusterForm: Clone + Debug + Send + Sync + 'static {
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// Whether the rest data is finite and fits that many vertices.
    fn is_valid(&self, vertices: usize) -> bool;
    /// Whether it can give momentum to what it is part of, tried out at `x`.
    fn anchors(&self, x: &[Vec3<f64>]) -> bool;
    /// Clusters in the precision of a simulation.
    fn batch<S: Scalar>(set: &Clusters<Self>, rest: RestState) -> Box<dyn AnyBatch<S>>;
}

impl<C: Cluster> ClusterForm for C {
    const NAME: &'static str = C::NAME;

    fn is_valid(&self, vertices: usize) -> bool {
        Cluster::is_valid(self, vertices)
    }
    fn anchors(&self, x: &[Vec3<f64>]) -> bool {
        let mut gradient = vec![Vec3::zero(); x.len()];
        self.evaluate(x, &mut gradient);
        gives_momentum(&gradient)
    }
    fn batch<S: Scalar>(set: &Clusters<Self>, rest: RestState) -> Box<dyn AnyBatch<S>> {
        Box::new(ClusterBatch::<S, C>::new(set, rest))
    }
}

impl ClusterForm for ShapeMatching {
    const NAME: &'static str = <Self as ClusterProjection>::NAME;

    fn is_valid(&self, vertices: usize) -> bool {
        ClusterProjection::is_valid(self, vertices)
    }
    /// Never: positions count from their centre.
    fn anchors(&self, _: &[Vec3<f64>]) -> bool {
        false
    }
    fn batch<S: Scalar>(set: &Clusters<Self>, rest: RestState) -> Box<dyn AnyBatch<S>> {
        Box::new(ProjectionBatch::<S, Self>::new(set, rest))
    }
}

/// The name of enclosed volumes in scene files and reports.
const ENCLOSED: &str = "enclosed_volume";

impl ClusterForm for EnclosedVolume {
    const NAME: &'static str = ENCLOSED;

    fn is_valid(&self, vertices: usize) -> bool {
        EnclosedVolume::is_valid(self, vertices)
    }
    /// Never: the surface is closed.
    fn anchors(&self, _: &[Vec3<f64>]) -> bool {
        false
    }
    fn batch<S: Scalar>(set: &Clusters<Self>, rest: RestState) -> Box<dyn AnyBatch<S>> {
        Box::new(EnclosedBatch::new(set, rest))
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

impl<C: ClusterForm> Default for Clusters<C> {
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

impl<C: ClusterForm> Clusters<C> {
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

    /// The same with a rate for each cluster.
    pub(crate) fn damping_each(mut self, rates: Vec<f64>) -> Self {
        self.damping = rates;
        self
    }
}

impl<C: ClusterForm> Debug for Clusters<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} × {}", self.clusters.len(), C::NAME)
    }
}

impl<C: ClusterForm> AnyElements for Clusters<C> {
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
        self.clusters[element].anchors(&x)
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
    fn rewired(&self, plan: &Rewiring) -> Box<dyn AnyElements> {
        let mut to = Self::default();
        for (e, vertices, share) in plan.iter() {
            to.push(vertices.to_vec(), share * self.weights[e], self.clusters[e].clone());
            to.stiffness[to.weights.len() - 1] = self.stiffness[e];
            to.damping[to.weights.len() - 1] = self.damping[e];
        }
        Box::new(to)
    }
    fn batch_f32(&self, rest: RestState) -> Box<dyn AnyBatch<f32>> {
        C::batch(self, rest)
    }
    fn batch_f64(&self, rest: RestState) -> Box<dyn AnyBatch<f64>> {
        C::batch(self, rest)
    }
}
