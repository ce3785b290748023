//! Model: what is simulated. Immutable once built; the solver is chosen elsewhere.

use std::ops::Range;

use crate::batch::AnyElements;
use crate::blade::Blade;
use crate::contact::{Collider, Partners, Touch};
use crate::damping::Damping;
use crate::linalg::SymmetricMatrix;
use crate::math::Scalar;
use crate::motion::{Motion, Wind};
use crate::pressure::Pressure;
use crate::rigid_body::Carried;
use crate::simd::Point;
use crate::strain_limit::BodyLimits;
use crate::tear::Tearing;

/// How the mass of a body acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassModel {
    /// All at the vertices: a diagonal matrix. Every solver takes it.
    #[default]
    Lumped,
    /// Spread by the elements' shape functions. For Projective Dynamics and Newton.
    Consistent,
}

/// A body: vertices that belong together.
#[derive(Clone, Debug)]
pub struct BodyInfo {
    /// Its name, for messages and exports.
    pub name: String,
    /// Its vertices.
    pub vertices: Range<usize>,
    /// How many of them, the last ones, only carry frames and are not shown: a twisting strand's.
    pub ghosts: usize,
    /// Its vertices that came by tears and cuts, by the model's numbers, in the order in which they came.
    pub split: Vec<u32>,
    /// Its surface, by the model's vertex numbers.
    pub triangles: Vec<[u32; 3]>,
    /// Its segments, by the model's vertex numbers: those of a strand.
    pub segments: Vec<[u32; 2]>,
    /// Texture coordinates of its vertices, where its mesh has them; those of split ones come last.
    pub uvs: Option<Vec<[f64; 2]>>,
    /// How it loses energy.
    pub damping: Damping,
    /// How it touches others; none where it passes through everything.
    pub touch: Option<Touch>,
    /// How its four vertices carry its surface, where it is rigid.
    pub carried: Option<Carried>,
    /// What its closed surface is filled with; none where it is empty or open.
    pub pressure: Option<Pressure>,
    /// Whether it is a sheet or a net, which blades cut and which can tear.
    pub sheet: bool,
    /// When it tears; none where it only gives way to blades.
    pub tearing: Option<Tearing>,
}

impl BodyInfo {
    /// All its vertices, by the model's numbers: those that it was described with, then split ones.
    pub fn all(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.vertices.clone().chain(self.split.iter().map(|&v| v as usize))
    }

    /// The same without those that only carry frames.
    pub fn shown(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let own = self.vertices.start..self.vertices.end - self.ghosts;
        own.chain(self.split.iter().map(|&v| v as usize))
    }

    /// The place of one of the model's vertices among [`BodyInfo::all`]; none where it is another's.
    pub fn place(&self, vertex: usize) -> Option<usize> {
        if self.vertices.contains(&vertex) {
            return Some(vertex - self.vertices.start);
        }
        let found = self.split.binary_search(&u32::try_from(vertex).ok()?).ok()?;
        Some(self.vertices.len() + found)
    }
}

/// A vertex whose motion is prescribed.
#[derive(Clone, Debug)]
pub struct PinnedVertex {
    /// The vertex.
    pub vertex: usize,
    /// How it moves.
    pub motion: Motion,
}

/// What is simulated: bodies, their elements, what acts on them. Made by a
/// [`ModelBuilder`](crate::ModelBuilder).
#[derive(Debug)]
pub struct Model {
    pub(crate) positions: Vec<[f64; 3]>,
    pub(crate) rest: Vec<[f64; 3]>,
    pub(crate) velocities: Vec<[f64; 3]>,
    pub(crate) masses: Vec<f64>,
    pub(crate) mass_matrix: Option<SymmetricMatrix>,
    pub(crate) bodies: Vec<BodyInfo>,
    pub(crate) elements: Vec<Box<dyn AnyElements>>,
    pub(crate) limits: Vec<BodyLimits>,
    pub(crate) pins: Vec<PinnedVertex>,
    pub(crate) colliders: Vec<Collider>,
    pub(crate) blades: Vec<Blade>,
    pub(crate) gravity: [f64; 3],
    pub(crate) forces: Vec<[f64; 3]>,
    pub(crate) wind: Option<Wind>,
    pub(crate) time_step: f64,
}

impl Model {
    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Where the vertices start \[m\].
    pub fn start_positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    /// Where the vertices are at rest \[m\].
    pub fn rest_positions(&self) -> &[[f64; 3]] {
        &self.rest
    }

    /// Velocities at the start [m/s].
    pub fn start_velocities(&self) -> &[[f64; 3]] {
        &self.velocities
    }

    /// Masses at the vertices \[kg\], also of pinned ones.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Inverse masses [1/kg], zero where pinned.
    pub fn inverse_masses(&self) -> Vec<f64> {
        let mut inv: Vec<f64> = self.masses.iter().map(|m| 1.0 / m).collect();
        self.pins.iter().for_each(|p| inv[p.vertex] = 0.0);
        inv
    }

    /// The consistent mass matrix \[kg\], one row per vertex, where the model asked for one.
    pub fn mass_matrix(&self) -> Option<&SymmetricMatrix> {
        self.mass_matrix.as_ref()
    }

    /// The bodies, in the order in which they were added.
    pub fn bodies(&self) -> &[BodyInfo] {
        &self.bodies
    }

    /// The elements, grouped by type.
    pub fn elements(&self) -> &[Box<dyn AnyElements>] {
        &self.elements
    }

    /// The bodies that may stretch only so far.
    pub fn strain_limits(&self) -> &[BodyLimits] {
        &self.limits
    }

    /// The vertices whose motion is prescribed.
    pub fn pins(&self) -> &[PinnedVertex] {
        &self.pins
    }

    /// What bodies collide with.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// What cuts through sheets.
    pub fn blades(&self) -> &[Blade] {
        &self.blades
    }

    /// Whether its topology can change by itself: bodies that tear, or blades.
    pub fn can_tear(&self) -> bool {
        !self.blades.is_empty() || self.bodies.iter().any(|b| b.tearing.is_some())
    }

    /// Which body a vertex belongs to.
    pub fn body_of(&self, vertex: usize) -> Option<usize> {
        self.bodies.iter().position(|b| b.place(vertex).is_some())
    }

    /// Whether anything in it can touch anything.
    pub fn can_touch(&self) -> bool {
        let colliders = !self.colliders.is_empty() && self.bodies.iter().any(|b| b.touch.is_some());
        colliders || self.surfaces_can_touch()
    }

    /// Whether the surface of any body can touch another's, or its own.
    pub(crate) fn surfaces_can_touch(&self) -> bool {
        let has_surface = |b: &&BodyInfo| {
            !b.triangles.is_empty() || !b.segments.is_empty() || b.carried.is_some()
        };
        let partners = |b: &BodyInfo| b.touch.map_or(Partners::Colliders, |t| t.partners);
        let count =
            |least| self.bodies.iter().filter(has_surface).filter(|b| partners(b) >= least).count();
        count(Partners::Itself) > 0 || count(Partners::Bodies) > 1
    }

    /// The rigid ones among the bodies.
    pub(crate) fn rigid_bodies(&self) -> impl Iterator<Item = &BodyInfo> {
        self.bodies.iter().filter(|body| body.carried.is_some())
    }

    /// Sets the vertices of rigid bodies to the nearest rigid places.
    pub(crate) fn rigidify<S: Scalar>(&self, x: &mut [Point<S>]) {
        for body in &self.bodies {
            if let Some(carried) = &body.carried {
                carried.rigidify(&mut x[body.vertices.clone()]);
            }
        }
    }

    /// Gravity [m/s²].
    pub fn gravity(&self) -> [f64; 3] {
        self.gravity
    }

    /// Constant forces on the vertices \[N\]; empty where there are none.
    pub fn forces(&self) -> &[[f64; 3]] {
        &self.forces
    }

    /// The wind, if any.
    pub fn wind(&self) -> Option<&Wind> {
        self.wind.as_ref()
    }

    /// The time step of a frame \[s\].
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Size of the bounding box's diagonal at the start \[m\].
    pub fn extent(&self) -> f64 {
        let mut low = [f64::INFINITY; 3];
        let mut high = [f64::NEG_INFINITY; 3];
        for p in &self.positions {
            for c in 0..3 {
                low[c] = low[c].min(p[c]);
                high[c] = high[c].max(p[c]);
            }
        }
        let d = [0, 1, 2].map(|c| (high[c] - low[c]).max(0.0));
        (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
    }
}
