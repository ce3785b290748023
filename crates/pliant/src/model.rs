//! Model: what is simulated. Immutable once built; the solver is chosen elsewhere.

use std::ops::Range;

use crate::batch::AnyElements;
use crate::contact::{Collider, Partners, Touch};
use crate::damping::Damping;
use crate::linalg::SymmetricMatrix;
use crate::motion::{Motion, Wind};
use crate::pressure::Pressure;
use crate::strain_limit::BodyLimits;

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
    /// Its surface, by the model's vertex numbers.
    pub triangles: Vec<[u32; 3]>,
    /// Its segments, by the model's vertex numbers: those of a strand.
    pub segments: Vec<[u32; 2]>,
    /// Texture coordinates of its vertices, where its mesh has them.
    pub uvs: Option<Vec<[f64; 2]>>,
    /// How it loses energy.
    pub damping: Damping,
    /// How it touches others; none where it passes through everything.
    pub touch: Option<Touch>,
    /// What its closed surface is filled with; none where it is empty or open.
    pub pressure: Option<Pressure>,
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

    /// Whether anything in it can touch anything.
    pub fn can_touch(&self) -> bool {
        let solid = !self.colliders.is_empty();
        let touches = |t: Touch| solid || t.partners >= Partners::Bodies;
        self.bodies.iter().any(|b| b.touch.is_some_and(touches))
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
