//! `ModelBuilder`: describes a scene, validates it, and builds the model.
//!
//! All user errors are detected here, with the offending index and a remedy. Every model that is built can be
//! simulated.

mod bodies;
mod bounds;
mod elements;
pub(crate) mod from_model;
pub(crate) mod pressure;
mod rings;
pub(crate) mod tearing;
pub(crate) mod tethers;
pub(crate) mod validate;

pub use crate::build::bodies::Examples;
use crate::build::bodies::RigidAttachment;

use std::any::Any;

use crate::Error;
use crate::batch::{AnyElements, Elements};
use crate::build::tethers::BodyTethers;
use crate::elements::Pin;
use crate::linalg::SymmetricMatrix;
use crate::material::damping::Damping;
use crate::model::collider::Collider;
use crate::model::contact_material::{CollidesWith, ContactMaterial};
use crate::model::motion::{Motion, Wind};
use crate::model::{BodyInfo, MassModel, Model, PinnedVertex};

/// A handle to a body of a model under construction: its index and its range of vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Index among the bodies.
    pub index: usize,
    first: usize,
    count: usize,
    /// Number of vertices, at the end of the range, that carry frames.
    frame_points: usize,
    corners: Vec<u32>,
}

/// Default thickness of surfaces \[m\].
const DEFAULT_THICKNESS: f64 = 1e-3;

/// Placeholder for a vertex that a body does not have; rejected when the model is built.
const NO_VERTEX: usize = usize::MAX;

impl Body {
    /// The model's index of this body's vertex `i`.
    pub fn vertex(&self, i: usize) -> usize {
        if i < self.count { self.first + i } else { NO_VERTEX }
    }

    /// The model's indices of all vertices of the body.
    pub fn vertices(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }

    /// The model's index of the frame point of segment `i` of a strand with twist: pin it together with both ends of
    /// the segment to fix the rotation of the strand.
    pub fn frame_point(&self, i: usize) -> usize {
        if i < self.frame_points {
            self.first + self.count - self.frame_points + i
        } else {
            NO_VERTEX
        }
    }

    /// The model's indices of the visible vertices: all but the frame points.
    pub fn visible_vertices(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count - self.frame_points
    }

    /// The model's index of a corner named by the mesh generator.
    pub fn corner(&self, i: usize) -> usize {
        self.corners.get(i).map_or(NO_VERTEX, |&c| self.first + c as usize)
    }
}

/// Describes a scene: bodies, pins, forces. The solver is chosen later.
///
/// Gravity is 9.81 m/s² downwards (−y) and the time step 1/60 s unless set.
#[derive(Debug)]
pub struct ModelBuilder {
    pub(crate) model: Model,
    mass_model: MassModel,
    /// Entries of the consistent mass matrix \[kg\].
    mass_entries: Vec<(u32, u32, f64)>,
    /// Tethers, built once all pins are known.
    tethers: Vec<BodyTethers>,
    /// Vertices attached to rigid bodies.
    rigid_attachments: Vec<RigidAttachment>,
    /// Number of leading bodies whose elements exist already: they come from a model.
    prebuilt_bodies: usize,
}

impl Default for ModelBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ModelBuilder {
    /// Makes an empty scene.
    pub fn new() -> Self {
        let model = Model {
            positions: Vec::new(),
            rest_positions: Vec::new(),
            velocities: Vec::new(),
            masses: Vec::new(),
            mass_matrix: None,
            bodies: Vec::new(),
            elements: Vec::new(),
            strain_limits: Vec::new(),
            pins: Vec::new(),
            colliders: Vec::new(),
            blades: Vec::new(),
            gravity: [0.0, -9.81, 0.0],
            forces: Vec::new(),
            wind: None,
            time_step: 1.0 / 60.0,
        };
        let (mass_entries, tethers, rigid_attachments) = (Vec::new(), Vec::new(), Vec::new());
        let mass_model = MassModel::Lumped;
        Self { model, mass_model, mass_entries, tethers, rigid_attachments, prebuilt_bodies: 0 }
    }

    /// Adds free vertices with masses \[kg\] and no elements, as the basis for custom elements.
    pub fn points(&mut self, positions: &[[f64; 3]], masses: &[f64]) -> Result<Body, Error> {
        if positions.len() != masses.len() {
            return Err(Error::Quantity {
                name: "points",
                field: "number of masses",
                value: masses.len() as f64,
                remedy: "there must be one mass per position",
            });
        }
        Ok(self.add_body("points", positions, masses, &[], Damping::default()))
    }

    /// Adds elements of any type, by the model's vertex indices.
    pub fn elements(&mut self, mut elements: impl AnyElements) {
        if elements.is_empty() {
            return;
        }
        for group in &mut self.model.elements {
            let any: &mut dyn Any = elements.as_any_mut();
            if group.append(any) {
                return;
            }
        }
        self.model.elements.push(Box::new(elements));
    }

    /// Adds boxed elements of any type, by the model's vertex indices.
    pub fn boxed_elements(&mut self, mut elements: Box<dyn AnyElements>) {
        for group in &mut self.model.elements {
            if group.append(elements.as_any_mut()) {
                return;
            }
        }
        self.model.elements.push(elements);
    }

    /// Pins a vertex at its position.
    pub fn pin(&mut self, vertex: usize) {
        self.pin_moving(vertex, Motion::Fixed);
    }

    /// Moves a vertex along a prescribed motion (a kinematic pin).
    pub fn pin_moving(&mut self, vertex: usize, motion: Motion) {
        // The last call for a vertex takes effect.
        self.model.pins.retain(|p| p.vertex != vertex);
        self.model.pins.push(PinnedVertex { vertex, motion });
    }

    /// Attaches a vertex to a point \[m\] with a spring of the given constant [N/m].
    pub fn attach(&mut self, vertex: usize, target: [f64; 3], constant: f64) {
        let mut set = Elements::projective();
        let index = u32::try_from(vertex).unwrap_or(u32::MAX);
        set.push([index], constant, Pin { target });
        self.elements(set);
    }

    /// Sets gravity [m/s²].
    pub fn gravity(&mut self, gravity: [f64; 3]) {
        self.model.gravity = gravity;
    }

    /// Adds a constant force \[N\] to a vertex.
    pub fn force(&mut self, vertex: usize, force: [f64; 3]) -> Result<(), Error> {
        let points = self.model.len();
        if vertex == NO_VERTEX {
            return Err(Error::NoSuchCorner { what: "force" });
        }
        if vertex >= points {
            return Err(Error::NoSuchVertex { what: "a force", vertex, points });
        }
        self.model.forces.resize(points, [0.0; 3]);
        for c in 0..3 {
            self.model.forces[vertex][c] += force[c];
        }
        Ok(())
    }

    /// Adds mass \[kg\] to a vertex, such as a hanging weight.
    pub fn add_mass(&mut self, vertex: usize, mass: f64) -> Result<(), Error> {
        let points = self.model.len();
        if vertex == NO_VERTEX {
            return Err(Error::NoSuchCorner { what: "added mass" });
        }
        if vertex >= points {
            return Err(Error::NoSuchVertex { what: "an added mass", vertex, points });
        }
        if !(mass >= 0.0 && mass.is_finite()) {
            let remedy = "it must be finite and not negative [kg]";
            return Err(Error::Quantity {
                name: "vertex",
                field: "added mass",
                value: mass,
                remedy,
            });
        }
        self.model.masses[vertex] += mass;
        self.mass_entries.push((vertex as u32, vertex as u32, mass));
        Ok(())
    }

    /// Sets the wind, which exerts pressure on the surfaces of all bodies.
    pub fn wind(&mut self, wind: Wind) {
        self.model.wind = Some(wind);
    }

    /// Adds a collider that all bodies collide with.
    pub fn collider(&mut self, collider: Collider) {
        self.model.colliders.push(collider);
    }

    /// Sets the contact material of a body; with none it passes through everything. By default all bodies collide with
    /// colliders and with each other, and cloth collides with itself.
    pub fn contact_material(&mut self, body: &Body, material: Option<ContactMaterial>) {
        self.model.bodies[body.index].contact_material = material;
    }

    /// The contact material of a body: as set, or the default.
    pub fn contact_material_of(&self, body: &Body) -> Option<ContactMaterial> {
        self.model.bodies[body.index].contact_material
    }

    /// Sets the time step of a frame \[s\].
    pub fn time_step(&mut self, dt: f64) {
        self.model.time_step = dt;
    }

    /// Sets the mass model.
    pub fn mass_model(&mut self, mass_model: MassModel) {
        self.mass_model = mass_model;
    }

    /// Names a body, for messages and exports.
    pub fn name(&mut self, body: &Body, name: &str) {
        self.model.bodies[body.index].name = name.to_owned();
    }

    /// The initial positions of a body's vertices \[m\]; change them to start away from rest.
    pub fn positions_mut(&mut self, body: &Body) -> &mut [[f64; 3]] {
        &mut self.model.positions[body.vertices()]
    }

    /// The initial velocities of a body's vertices [m/s].
    pub fn velocities_mut(&mut self, body: &Body) -> &mut [[f64; 3]] {
        &mut self.model.velocities[body.vertices()]
    }

    /// Validates everything and builds the model.
    pub fn build(mut self) -> Result<Model, Error> {
        self.validate()?;
        self.add_tethers()?;
        self.attach_rigid_vertices()?;
        self.add_pressure_elements()?;
        let mut model = self.model;
        let points = model.len();
        model.elements.retain(|e| !e.is_empty());
        model.elements.iter().try_for_each(|e| e.validate(points))?;
        tearing::validate_breakable_edges(&model)?;
        if !model.forces.is_empty() {
            model.forces.resize(points, [0.0; 3]);
        }
        if self.mass_model == MassModel::Consistent {
            model.mass_matrix =
                Some(SymmetricMatrix::from_triplets(points, self.mass_entries.into_iter()));
        }
        Ok(model)
    }

    /// Adds the tethers, once all pins are known.
    fn add_tethers(&mut self) -> Result<(), Error> {
        let mut is_pinned = vec![false; self.model.len()];
        self.model.pins.iter().for_each(|p| is_pinned[p.vertex] = true);
        for own in std::mem::take(&mut self.tethers) {
            let Some(set) =
                own.elements(&self.model.rest_positions, &self.model.masses, &is_pinned)
            else {
                let body = self.model.bodies[own.body.index].name.clone();
                return Err(Error::NoPinnedVertex { body });
            };
            self.elements(set);
        }
        Ok(())
    }

    /// Validates everything except the elements.
    fn validate(&self) -> Result<(), Error> {
        let model = &self.model;
        let points = model.len();
        if points == 0 {
            return Err(Error::EmptyModel);
        }
        require_finite("position", &model.positions)?;
        require_finite("rest position", &model.rest_positions)?;
        require_finite("velocity", &model.velocities)?;
        require_finite("force", &model.forces)?;
        if let Some(vertex) = model.masses.iter().position(|&m| !(m > 0.0 && m.is_finite())) {
            return Err(Error::NonPositiveMass { vertex, mass: model.masses[vertex] });
        }
        if let Some(value) = model.gravity.iter().find(|c| !c.is_finite()) {
            let remedy = "it must be finite [m/s²]";
            return Err(Error::Quantity { name: "scene", field: "gravity", value: *value, remedy });
        }
        if model.wind.is_some_and(|w| !w.is_valid()) {
            return Err(Error::InvalidWind);
        }
        validate::check_time_step(model.time_step)?;
        for (index, collider) in model.colliders.iter().enumerate() {
            collider.validate(index)?;
        }
        for (index, blade) in model.blades.iter().enumerate() {
            blade.validate(index)?;
        }
        if self.mass_model == MassModel::Consistent && model.can_tear() {
            return Err(Error::TearingNeedsLumpedMass);
        }
        for body in &model.bodies {
            if body.contact_material.is_some_and(|t| !t.is_valid()) {
                return Err(Error::ContactMaterial { body: body.name.clone() });
            }
        }
        for pin in &model.pins {
            match pin.vertex {
                NO_VERTEX => return Err(Error::NoSuchCorner { what: "pin" }),
                vertex if vertex >= points => {
                    return Err(Error::NoSuchVertex { what: "a pin", vertex, points });
                }
                vertex if !pin.motion.is_valid() => return Err(Error::InvalidMotion { vertex }),
                _ => {}
            }
        }
        Ok(())
    }

    fn add_body(
        &mut self,
        kind: &str,
        positions: &[[f64; 3]],
        masses: &[f64],
        corners: &[u32],
        damping: Damping,
    ) -> Body {
        let (index, first) = (self.model.bodies.len(), self.model.len());
        let (count, frame_points) = (positions.len(), 0);
        let body = Body { index, first, count, frame_points, corners: corners.to_vec() };
        self.model.positions.extend_from_slice(positions);
        self.model.rest_positions.extend_from_slice(positions);
        self.model.velocities.resize(first + positions.len(), [0.0; 3]);
        self.model.masses.extend_from_slice(masses);
        self.model.bodies.push(BodyInfo {
            name: format!("{kind} {index}"),
            vertices: body.vertices(),
            frame_points: 0,
            split_vertices: Vec::new(),
            triangles: Vec::new(),
            segments: Vec::new(),
            uvs: None,
            damping,
            contact_material: Some(ContactMaterial {
                collides_with: CollidesWith::Bodies,
                ..ContactMaterial::of_thickness(DEFAULT_THICKNESS)
            }),
            rigid_frame: None,
            pressure: None,
            is_sheet: kind == "cloth" || kind == "springs",
            tearing: None,
        });
        if matches!(kind, "rigid" | "animated" | "strand" | "springs" | "points") {
            let diagonal = masses.iter().enumerate();
            self.mass_entries
                .extend(diagonal.map(|(i, &m)| ((first + i) as u32, (first + i) as u32, m)));
        }
        body
    }

    /// Adds the consistent mass of a simplex with `n` vertices: `m (1 + δ) / (n (n + 1))`.
    fn add_consistent_mass(&mut self, body: &Body, vertices: &[u32], mass: f64) {
        let n = vertices.len() as f64;
        let share = mass / (n * (n + 1.0));
        for &i in vertices {
            for &j in vertices.iter().filter(|&&j| j <= i) {
                let m = if i == j { 2.0 * share } else { share };
                self.mass_entries.push((i + body.first as u32, j + body.first as u32, m));
            }
        }
    }

    fn set_surface(&mut self, body: &Body, triangles: &[[u32; 3]]) {
        let offset = body.first as u32;
        self.model.bodies[body.index].triangles =
            triangles.iter().map(|t| t.map(|v| v + offset)).collect();
    }

    /// Adds elements given in a body's own vertex indices.
    fn add_body_elements(&mut self, body: &Body, mut elements: impl AnyElements) {
        elements.offset_vertices(body.first as u32);
        self.elements(elements);
    }
}

fn require_finite(what: &'static str, values: &[[f64; 3]]) -> Result<(), Error> {
    match values.iter().position(|v| v.iter().any(|c| !c.is_finite())) {
        Some(vertex) => Err(Error::VertexNotFinite { what, vertex }),
        None => Ok(()),
    }
}
