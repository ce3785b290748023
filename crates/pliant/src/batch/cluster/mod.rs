//! Constraints over any number of vertices.
//!
//! A [`Cluster`] is one scalar constraint on a list of vertices of any length, such as the large one-ring of a vertex.
//! A [`ClusterProjection`] is one projection of all its positions about their centre: a shape to be matched. The volume
//! inside a closed mesh is the third kind ([`EnclosedVolume`]): its matrices are sparse except for one vector. All are
//! evaluated sequentially with scalar arithmetic and provide the same solver forms as the packed elements.

mod batch;
mod curvature;
mod enclosed;
mod projection;

use std::any::Any;
use std::fmt::Debug;

use crate::Error;
use crate::batch::cluster::batch::ClusterBatch;
use crate::batch::cluster::enclosed::EnclosedBatch;
use crate::batch::cluster::projection::ProjectionBatch;
use crate::batch::constraint_params::iteration_stiffness;
use crate::batch::elements::{
    asymmetric_offset, has_net_force, validate_damping, validate_element, validate_stiffness,
};
use crate::batch::{AnyBatch, AnyElements, ElementRemap, RestState};
use crate::element::ConstraintKind;
use crate::elements::{EnclosedVolume, ShapeMatching};
use crate::math::{Scalar, Vec3, decay_fraction};

/// A scalar constraint on any number of vertices. `E = w/2 C²`.
pub trait Cluster: Clone + Debug + Send + Sync + 'static {
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// Equality or inequality.
    const KIND: ConstraintKind = ConstraintKind::Equality;
    /// Returns the value `C(x)` and writes its gradient with respect to each vertex. `x` and `gradient` have one entry
    /// for each vertex of the cluster.
    fn evaluate<S: Scalar>(&self, x: &[Vec3<S>], gradient: &mut [Vec3<S>]) -> S;
    /// True if the rest data is finite and matches that number of vertices.
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
    /// The share `μ_k` of each vertex: positive, with a sum of one.
    fn shares(&self) -> &[f64];
    /// Computes the admissible positions about the centre that are nearest to `y`, weighted by the shares. The
    /// admissible set must be invariant under rotation, and the result must have its centre at zero.
    fn project<S: Scalar>(&self, y: &[Vec3<S>], p: &mut [Vec3<S>]);
    /// Writes rows `b` of three numbers for each vertex, one after another, such that the Hessian of
    /// `½ Σ μ_k |y_k − p_k|²` in the coordinates `√μ_k y_k` is `I − Σ b bᵀ`. With `definite`, only its positive
    /// semi-definite part.
    ///
    /// The default writes none: the Hessian with the projection held constant, which bounds it from above.
    fn curvature(&self, y: &[Vec3<f64>], definite: bool, rows: &mut Vec<f64>) {
        let _ = (y, definite);
        rows.clear();
    }
    /// True if the rest data is finite and matches that number of vertices.
    fn is_valid(&self, vertices: usize) -> bool;
}

/// A type that [`Clusters`] can hold: a [`Cluster`], or one of the engine's own [`ClusterProjection`]s.
pub trait ClusterForm: Clone + Debug + Send + Sync + 'static {
    /// The element's name in scene files and reports.
    const NAME: &'static str;
    /// True if the rest data is finite and matches that number of vertices.
    fn is_valid(&self, vertices: usize) -> bool;
    /// True if the cluster can change the momentum of its body; tested at `x`.
    fn exerts_net_force(&self, x: &[Vec3<f64>]) -> bool;
    /// Builds the batch in the precision of a simulation.
    fn batch<S: Scalar>(set: &Clusters<Self>, rest: RestState) -> Box<dyn AnyBatch<S>>;
}

impl<C: Cluster> ClusterForm for C {
    const NAME: &'static str = C::NAME;

    fn is_valid(&self, vertices: usize) -> bool {
        Cluster::is_valid(self, vertices)
    }
    fn exerts_net_force(&self, x: &[Vec3<f64>]) -> bool {
        let mut gradient = vec![Vec3::zero(); x.len()];
        self.evaluate(x, &mut gradient);
        has_net_force(&gradient)
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
    /// Always false: positions are relative to their centre.
    fn exerts_net_force(&self, _: &[Vec3<f64>]) -> bool {
        false
    }
    fn batch<S: Scalar>(set: &Clusters<Self>, rest: RestState) -> Box<dyn AnyBatch<S>> {
        Box::new(ProjectionBatch::<S, Self>::new(set, rest))
    }
}

/// The name of enclosed volumes in scene files and reports.
const ENCLOSED_VOLUME_NAME: &str = "enclosed_volume";

impl ClusterForm for EnclosedVolume {
    const NAME: &'static str = ENCLOSED_VOLUME_NAME;

    fn is_valid(&self, vertices: usize) -> bool {
        EnclosedVolume::is_valid(self, vertices)
    }
    /// Always false: the surface is closed.
    fn exerts_net_force(&self, _: &[Vec3<f64>]) -> bool {
        false
    }
    fn batch<S: Scalar>(set: &Clusters<Self>, rest: RestState) -> Box<dyn AnyBatch<S>> {
        Box::new(EnclosedBatch::new(set, rest))
    }
}

/// Clusters of one type: their vertices, weights and rest data.
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
    /// Makes an empty set.
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

    /// Sets the stiffness `k` in 0…1 that PBD uses for all clusters added so far, instead of one derived from their
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

    /// Sets a separate damping rate for each cluster.
    pub(crate) fn damping_each(mut self, rates: Vec<f64>) -> Self {
        self.damping = rates;
        self
    }

    /// Fraction of each constraint that an iteration of PBD corrects.
    fn iteration_stiffness<S: Scalar>(
        &self,
        rest_inv_effective_mass: &[f64],
        h: f64,
        iterations: usize,
    ) -> Vec<S> {
        let of = |e: usize| {
            let rate = rest_inv_effective_mass[e] * self.weights[e];
            S::from_f64(iteration_stiffness(self.stiffness[e], rate, h, iterations))
        };
        (0..self.clusters.len()).map(of).collect()
    }

    /// Fraction of each constraint's relative velocity that damping removes in a substep; `None` without damping.
    fn damping_fractions<S: Scalar>(&self, h: f64) -> Option<Vec<S>> {
        let of = |&rate: &f64| S::from_f64(decay_fraction(rate, h));
        let any = self.damping.iter().any(|&rate| rate != 0.0);
        any.then(|| self.damping.iter().map(of).collect())
    }

    /// Squared frequency of each constraint at rest [1/s²].
    fn squared_frequencies<S: Scalar>(&self, rest_inv_effective_mass: &[f64]) -> Vec<S> {
        let pairs = rest_inv_effective_mass.iter().zip(&self.weights);
        pairs.map(|(g, w)| S::from_f64(g * w)).collect()
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
    fn offset_vertices(&mut self, offset: u32) {
        self.vertices.iter_mut().flatten().for_each(|v| *v += offset);
    }
    fn exerts_net_force(&self, element: usize, rest: &[[f64; 3]]) -> bool {
        let x: Vec<_> =
            self.vertices[element].iter().map(|&v| Vec3::of(rest[v as usize])).collect();
        let x: Vec<Vec3<f64>> = (0..x.len()).map(|k| x[k] + asymmetric_offset(k, &x)).collect();
        self.clusters[element].exerts_net_force(&x)
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
    fn remapped(&self, plan: &ElementRemap) -> Box<dyn AnyElements> {
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
