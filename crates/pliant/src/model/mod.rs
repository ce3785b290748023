//! Model: immutable description of the simulated bodies. A [`ModelBuilder`](crate::ModelBuilder) makes it; the
//! solver is chosen elsewhere.
//!
//! * `mod.rs`: [`Model`], [`BodyInfo`], pinned vertices
//! * `motion.rs`: prescribed motion of pinned vertices and colliders; wind
//! * `contact_material.rs`: contact distance, friction, restitution and collision filters
//! * `collider/`: rigid obstacles, their shapes and poses
//! * `rigid_frame.rs`: rigid bodies as four vertices that carry a surface
//! * `pressure.rs`: gas in closed surfaces
//! * `strain_limit.rs`: the strain limits of one body and their projection
//! * `tearing.rs`: rules by which bodies tear; tears
//! * `blade.rs`: moving blades that cut sheets

pub(crate) mod blade;
pub(crate) mod collider;
pub(crate) mod contact_material;
pub(crate) mod motion;
pub(crate) mod pressure;
pub(crate) mod rigid_frame;
pub(crate) mod strain_limit;
pub(crate) mod tearing;
use std::ops::Range;

use crate::batch::AnyElements;
use crate::linalg::SymmetricMatrix;
use crate::material::damping::Damping;
use crate::math::Scalar;
use crate::model::blade::Blade;
use crate::model::collider::Collider;
use crate::model::contact_material::{CollidesWith, ContactMaterial};
use crate::model::motion::{Motion, Wind};
use crate::model::pressure::Pressure;
use crate::model::rigid_frame::RigidFrame;
use crate::model::strain_limit::BodyLimits;
use crate::model::tearing::Tearing;
use crate::simd::Point;

/// Distribution of the mass of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MassModel {
    /// Concentrated at the vertices: a diagonal matrix. Every solver supports it.
    #[default]
    Lumped,
    /// Distributed by the elements' shape functions. Supported by Projective Dynamics and Newton.
    Consistent,
}

/// A body: vertices that belong together.
#[derive(Clone, Debug)]
pub struct BodyInfo {
    /// Name, for messages and exports.
    pub name: String,
    /// Range of its vertices.
    pub vertices: Range<usize>,
    /// Number of trailing vertices that only carry frames and are not shown: those of a twisting strand.
    pub frame_points: usize,
    /// Vertices created by tears and cuts, in the model's numbering, in the order of their creation.
    pub split_vertices: Vec<u32>,
    /// Triangles of its surface, in the model's numbering.
    pub triangles: Vec<[u32; 3]>,
    /// Segments of a strand, in the model's numbering.
    pub segments: Vec<[u32; 2]>,
    /// Texture coordinates of its vertices, if its mesh has them; those of split vertices come last.
    pub uvs: Option<Vec<[f64; 2]>>,
    /// Damping.
    pub damping: Damping,
    /// Contact material; `None` if the body passes through everything.
    pub contact_material: Option<ContactMaterial>,
    /// Frame of four vertices that carries its surface; `None` if the body is not rigid.
    pub rigid_frame: Option<RigidFrame>,
    /// Gas that fills its closed surface; `None` if it is empty or open.
    pub pressure: Option<Pressure>,
    /// True for a sheet or a net, which blades cut and which can tear.
    pub is_sheet: bool,
    /// Rule by which it tears; `None` if only blades separate it.
    pub tearing: Option<Tearing>,
}

impl BodyInfo {
    /// Iterates over all its vertices, in the model's numbering: original ones, then split ones.
    pub fn all_vertices(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.vertices.clone().chain(self.split_vertices.iter().map(|&v| v as usize))
    }

    /// Iterates over all its vertices except those that only carry frames.
    pub fn visible_vertices(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        let own = self.vertices.start..self.vertices.end - self.frame_points;
        own.chain(self.split_vertices.iter().map(|&v| v as usize))
    }

    /// Position of a vertex of the model in [`BodyInfo::all_vertices`]; `None` if it belongs to another body.
    pub fn local_index(&self, vertex: usize) -> Option<usize> {
        if self.vertices.contains(&vertex) {
            return Some(vertex - self.vertices.start);
        }
        let found = self.split_vertices.binary_search(&u32::try_from(vertex).ok()?).ok()?;
        Some(self.vertices.len() + found)
    }
}

/// A vertex whose motion is prescribed.
#[derive(Clone, Debug)]
pub struct PinnedVertex {
    /// The vertex.
    pub vertex: usize,
    /// Prescribed motion.
    pub motion: Motion,
}

/// Bodies, their elements, and the forces and constraints that act on them. Made by a
/// [`ModelBuilder`](crate::ModelBuilder).
#[derive(Debug)]
pub struct Model {
    pub(crate) positions: Vec<[f64; 3]>,
    pub(crate) rest_positions: Vec<[f64; 3]>,
    pub(crate) velocities: Vec<[f64; 3]>,
    pub(crate) masses: Vec<f64>,
    pub(crate) mass_matrix: Option<SymmetricMatrix>,
    pub(crate) bodies: Vec<BodyInfo>,
    pub(crate) elements: Vec<Box<dyn AnyElements>>,
    pub(crate) strain_limits: Vec<BodyLimits>,
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

    /// True if there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Positions of the vertices at the start \[m\].
    pub fn start_positions(&self) -> &[[f64; 3]] {
        &self.positions
    }

    /// Rest positions of the vertices \[m\].
    pub fn rest_positions(&self) -> &[[f64; 3]] {
        &self.rest_positions
    }

    /// Velocities at the start [m/s].
    pub fn start_velocities(&self) -> &[[f64; 3]] {
        &self.velocities
    }

    /// Masses of the vertices \[kg\], also of pinned ones.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Inverse masses [1/kg], zero for pinned vertices.
    pub fn inverse_masses(&self) -> Vec<f64> {
        let mut inv: Vec<f64> = self.masses.iter().map(|m| 1.0 / m).collect();
        self.pins.iter().for_each(|p| inv[p.vertex] = 0.0);
        inv
    }

    /// Consistent mass matrix \[kg\], one row per vertex, if the model has one.
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

    /// Bodies with strain limits.
    pub fn strain_limits(&self) -> &[BodyLimits] {
        &self.strain_limits
    }

    /// Vertices whose motion is prescribed.
    pub fn pins(&self) -> &[PinnedVertex] {
        &self.pins
    }

    /// Colliders.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Blades that cut through sheets.
    pub fn blades(&self) -> &[Blade] {
        &self.blades
    }

    /// True if the topology can change by itself: a body can tear, or there are blades.
    pub fn can_tear(&self) -> bool {
        !self.blades.is_empty() || self.bodies.iter().any(|b| b.tearing.is_some())
    }

    /// Body to which a vertex belongs.
    pub fn body_of(&self, vertex: usize) -> Option<usize> {
        self.bodies.iter().position(|b| b.local_index(vertex).is_some())
    }

    /// True if any body can collide with a collider, another body or itself.
    pub fn can_collide(&self) -> bool {
        let colliders =
            !self.colliders.is_empty() && self.bodies.iter().any(|b| b.contact_material.is_some());
        colliders || self.surfaces_can_collide()
    }

    /// True if the surface of any body can collide with another's or its own.
    pub(crate) fn surfaces_can_collide(&self) -> bool {
        let has_surface = |b: &&BodyInfo| {
            !b.triangles.is_empty() || !b.segments.is_empty() || b.rigid_frame.is_some()
        };
        let partners =
            |b: &BodyInfo| b.contact_material.map_or(CollidesWith::Colliders, |t| t.collides_with);
        let count =
            |least| self.bodies.iter().filter(has_surface).filter(|b| partners(b) >= least).count();
        count(CollidesWith::Itself) > 0 || count(CollidesWith::Bodies) > 1
    }

    /// Longest side of the box around the visible vertices of a body at rest \[m\].
    pub fn body_size(&self, body: &BodyInfo) -> f64 {
        let side = |axis: usize| {
            let along =
                body.visible_vertices().filter_map(|v| self.rest_positions.get(v)).map(|p| p[axis]);
            let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| {
                (low.min(c), high.max(c))
            });
            high - low
        };
        side(0).max(side(1)).max(side(2)).max(0.0)
    }

    /// Iterates over the rigid bodies.
    pub(crate) fn rigid_bodies(&self) -> impl Iterator<Item = &BodyInfo> {
        self.bodies.iter().filter(|body| body.rigid_frame.is_some())
    }

    /// Projects the vertices of rigid bodies to the nearest rigid pose.
    pub(crate) fn rigidify<S: Scalar>(&self, x: &mut [Point<S>]) {
        for body in &self.bodies {
            if let Some(frame) = &body.rigid_frame {
                frame.rigidify(&mut x[body.vertices.clone()]);
            }
        }
    }

    /// Gravity [m/s²].
    pub fn gravity(&self) -> [f64; 3] {
        self.gravity
    }

    /// Constant forces on the vertices \[N\]; empty if there are none.
    pub fn forces(&self) -> &[[f64; 3]] {
        &self.forces
    }

    /// The wind, if any.
    pub fn wind(&self) -> Option<&Wind> {
        self.wind.as_ref()
    }

    /// Time step of a frame \[s\].
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Length of the bounding box's diagonal at the start \[m\].
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
