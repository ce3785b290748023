//! ModelBuilder: describes a scene, checks it, and builds the model.
//!
//! Every mistake of a user is found here, with the offending index and a remedy; what is built can
//! be simulated.

mod bodies;
mod bounds;
mod reopen;
mod rings;

pub use bodies::Examples;
use bodies::Fastened;

use std::any::Any;

use crate::Error;
use crate::batch::{AnyElements, Elements};
use crate::contact::{Collider, Partners, Touch};
use crate::damping::Damping;
use crate::elements::Pin;
use crate::linalg::SymmetricMatrix;
use crate::model::{BodyInfo, MassModel, Model, PinnedVertex};
use crate::motion::{Motion, Wind};
use crate::simulation::Simulation;
use crate::system::Precision;
use crate::tethers::BodyTethers;

/// A body of a model under construction: which vertices are its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its place among the bodies.
    pub index: usize,
    first: usize,
    count: usize,
    /// The last so many carry frames.
    ghosts: usize,
    corners: Vec<u32>,
}

/// Thickness of surfaces that have none of their own \[m\].
const THIN: f64 = 1e-3;

/// Stands for a vertex that a body does not have; refused when the model is built.
const NO_VERTEX: usize = usize::MAX;

impl Body {
    /// The model's number of this body's vertex `i`.
    pub fn vertex(&self, i: usize) -> usize {
        if i < self.count { self.first + i } else { NO_VERTEX }
    }

    /// The model's numbers of all its vertices.
    pub fn vertices(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }

    /// The model's number of the ghost that carries the frame of segment `i` of a strand that twists: pin
    /// it with both ends of the segment to hold how the strand is turned.
    pub fn frame(&self, i: usize) -> usize {
        if i < self.ghosts { self.first + self.count - self.ghosts + i } else { NO_VERTEX }
    }

    /// The model's numbers of the vertices that are shown: all but those that carry frames.
    pub fn shown(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count - self.ghosts
    }

    /// Where its centre of mass is \[m\].
    pub fn centre<S: Precision>(&self, sim: &Simulation<S>) -> [f64; 3] {
        let masses = &sim.model().masses()[self.vertices()];
        let own = &sim.state().positions[self.vertices()];
        let total: f64 = masses.iter().sum();
        let along = |c: usize| own.iter().zip(masses).map(|(p, m)| p[c].to_f64() * m).sum::<f64>();
        [0, 1, 2].map(|c| along(c) / total)
    }

    /// The model's number of a corner that the mesh generator named.
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
    /// Tied when all pins are known.
    tethers: Vec<BodyTethers>,
    /// What is fastened to rigid bodies.
    fastened: Vec<Fastened>,
    /// How many bodies, the first, have all of their elements: they come from a model.
    complete: usize,
}

impl Default for ModelBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ModelBuilder {
    /// An empty scene.
    pub fn new() -> Self {
        let model = Model {
            positions: Vec::new(),
            rest: Vec::new(),
            velocities: Vec::new(),
            masses: Vec::new(),
            mass_matrix: None,
            bodies: Vec::new(),
            elements: Vec::new(),
            limits: Vec::new(),
            pins: Vec::new(),
            colliders: Vec::new(),
            blades: Vec::new(),
            gravity: [0.0, -9.81, 0.0],
            forces: Vec::new(),
            wind: None,
            time_step: 1.0 / 60.0,
        };
        let (mass_entries, tethers, fastened) = (Vec::new(), Vec::new(), Vec::new());
        let mass_model = MassModel::Lumped;
        Self { model, mass_model, mass_entries, tethers, fastened, complete: 0 }
    }

    /// Adds free vertices with masses \[kg\] and no elements: the ground for elements of your own.
    pub fn points(&mut self, positions: &[[f64; 3]], masses: &[f64]) -> Result<Body, Error> {
        if positions.len() != masses.len() {
            return Err(Error::Quantity {
                name: "points",
                field: "number of masses",
                value: masses.len() as f64,
                remedy: "give one mass for each position",
            });
        }
        Ok(self.body("points", positions, masses, &[], Damping::default()))
    }

    /// Adds elements of any type, by the model's vertex numbers.
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

    /// Adds boxed elements of any type, by the model's vertex numbers.
    pub fn boxed_elements(&mut self, mut elements: Box<dyn AnyElements>) {
        for group in &mut self.model.elements {
            if group.append(elements.as_any_mut()) {
                return;
            }
        }
        self.model.elements.push(elements);
    }

    /// Holds a vertex where it is.
    pub fn pin(&mut self, vertex: usize) {
        self.pin_moving(vertex, Motion::Fixed);
    }

    /// Moves a vertex along a prescribed motion.
    pub fn pin_moving(&mut self, vertex: usize, motion: Motion) {
        // The last word on a vertex counts.
        self.model.pins.retain(|p| p.vertex != vertex);
        self.model.pins.push(PinnedVertex { vertex, motion });
    }

    /// Draws a vertex to a point \[m\] with a spring of a constant [N/m].
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

    /// Adds mass \[kg\] to a vertex: a weight that hangs there.
    pub fn add_mass(&mut self, vertex: usize, mass: f64) -> Result<(), Error> {
        let points = self.model.len();
        if vertex == NO_VERTEX {
            return Err(Error::NoSuchCorner { what: "load" });
        }
        if vertex >= points {
            return Err(Error::NoSuchVertex { what: "a load", vertex, points });
        }
        if !(mass >= 0.0 && mass.is_finite()) {
            let remedy = "give a finite mass of zero or more [kg]";
            return Err(Error::Quantity { name: "load", field: "mass", value: mass, remedy });
        }
        self.model.masses[vertex] += mass;
        self.mass_entries.push((vertex as u32, vertex as u32, mass));
        Ok(())
    }

    /// Sets the wind, which presses on the surfaces of all bodies.
    pub fn wind(&mut self, wind: Wind) {
        self.model.wind = Some(wind);
    }

    /// Adds something solid that all bodies collide with.
    pub fn collider(&mut self, collider: Collider) {
        self.model.colliders.push(collider);
    }

    /// Sets how a body touches others; with none it passes through everything. Unless set, all bodies touch
    /// colliders and each other, and cloth touches itself.
    pub fn touch(&mut self, body: &Body, touch: Option<Touch>) {
        self.model.bodies[body.index].touch = touch;
    }

    /// How a body touches others: as it was set, or as the engine chose.
    pub fn touch_of(&self, body: &Body) -> Option<Touch> {
        self.model.bodies[body.index].touch
    }

    /// Sets the time step of a frame \[s\].
    pub fn time_step(&mut self, dt: f64) {
        self.model.time_step = dt;
    }

    /// Sets how masses act.
    pub fn mass_model(&mut self, mass_model: MassModel) {
        self.mass_model = mass_model;
    }

    /// Names a body, for messages and exports.
    pub fn name(&mut self, body: &Body, name: &str) {
        self.model.bodies[body.index].name = name.to_owned();
    }

    /// Where a body's vertices start \[m\]; change them to start away from rest.
    pub fn positions_mut(&mut self, body: &Body) -> &mut [[f64; 3]] {
        &mut self.model.positions[body.vertices()]
    }

    /// A body's velocities at the start [m/s].
    pub fn velocities_mut(&mut self, body: &Body) -> &mut [[f64; 3]] {
        &mut self.model.velocities[body.vertices()]
    }

    /// Checks everything and builds the model.
    pub fn build(mut self) -> Result<Model, Error> {
        self.check()?;
        self.tie()?;
        self.hold_rigid()?;
        self.fill_balloons()?;
        let mut model = self.model;
        let points = model.len();
        model.elements.retain(|e| !e.is_empty());
        model.elements.iter().try_for_each(|e| e.validate(points))?;
        crate::tear::check_edges(&model)?;
        if !model.forces.is_empty() {
            model.forces.resize(points, [0.0; 3]);
        }
        if self.mass_model == MassModel::Consistent {
            model.mass_matrix =
                Some(SymmetricMatrix::from_triplets(points, self.mass_entries.into_iter()));
        }
        Ok(model)
    }

    /// Adds the tethers, now that it is known what is held.
    fn tie(&mut self) -> Result<(), Error> {
        let mut held = vec![false; self.model.len()];
        self.model.pins.iter().for_each(|p| held[p.vertex] = true);
        for own in std::mem::take(&mut self.tethers) {
            let Some(set) = own.elements(&self.model.rest, &self.model.masses, &held) else {
                let body = self.model.bodies[own.body.index].name.clone();
                return Err(Error::NothingHeld { body });
            };
            self.elements(set);
        }
        Ok(())
    }

    /// Checks all but the elements.
    fn check(&self) -> Result<(), Error> {
        let model = &self.model;
        let points = model.len();
        if points == 0 {
            return Err(Error::EmptyModel);
        }
        finite("position", &model.positions)?;
        finite("rest position", &model.rest)?;
        finite("velocity", &model.velocities)?;
        finite("force", &model.forces)?;
        if let Some(vertex) = model.masses.iter().position(|&m| !(m > 0.0 && m.is_finite())) {
            return Err(Error::Mass { vertex, mass: model.masses[vertex] });
        }
        if let Some(value) = model.gravity.iter().find(|c| !c.is_finite()) {
            let remedy = "give three finite numbers [m/s²]";
            return Err(Error::Quantity { name: "scene", field: "gravity", value: *value, remedy });
        }
        if model.wind.is_some_and(|w| !w.is_valid()) {
            let remedy = "give finite numbers, a positive period and no negative density or drag";
            return Err(Error::Quantity { name: "scene", field: "wind", value: f64::NAN, remedy });
        }
        crate::simulation::check_time_step(model.time_step)?;
        for (index, collider) in model.colliders.iter().enumerate() {
            collider.validate(index)?;
        }
        for (index, blade) in model.blades.iter().enumerate() {
            blade.validate(index)?;
        }
        if self.mass_model == MassModel::Consistent && model.can_tear() {
            return Err(Error::TornMassMatrix);
        }
        for body in &model.bodies {
            if body.touch.is_some_and(|t| !t.is_valid()) {
                return Err(Error::Touch { body: body.name.clone() });
            }
        }
        for pin in &model.pins {
            match pin.vertex {
                NO_VERTEX => return Err(Error::NoSuchCorner { what: "pin" }),
                vertex if vertex >= points => {
                    return Err(Error::NoSuchVertex { what: "a pin", vertex, points });
                }
                vertex if !pin.motion.is_valid() => return Err(Error::BadMotion { vertex }),
                _ => {}
            }
        }
        Ok(())
    }

    fn body(
        &mut self,
        kind: &str,
        positions: &[[f64; 3]],
        masses: &[f64],
        corners: &[u32],
        damping: Damping,
    ) -> Body {
        let (index, first) = (self.model.bodies.len(), self.model.len());
        let (count, ghosts) = (positions.len(), 0);
        let body = Body { index, first, count, ghosts, corners: corners.to_vec() };
        self.model.positions.extend_from_slice(positions);
        self.model.rest.extend_from_slice(positions);
        self.model.velocities.resize(first + positions.len(), [0.0; 3]);
        self.model.masses.extend_from_slice(masses);
        self.model.bodies.push(BodyInfo {
            name: format!("{kind} {index}"),
            vertices: body.vertices(),
            ghosts: 0,
            split: Vec::new(),
            triangles: Vec::new(),
            segments: Vec::new(),
            uvs: None,
            damping,
            touch: Some(Touch { partners: Partners::Bodies, ..Touch::of_thickness(THIN) }),
            carried: None,
            pressure: None,
            sheet: kind == "cloth" || kind == "springs",
            tearing: None,
        });
        if matches!(kind, "rigid" | "animated" | "strand" | "springs" | "points") {
            let diagonal = masses.iter().enumerate();
            self.mass_entries
                .extend(diagonal.map(|(i, &m)| ((first + i) as u32, (first + i) as u32, m)));
        }
        body
    }

    /// The consistent mass of a simplex with `n` vertices: `m (1 + δ) / (n (n + 1))`.
    fn spread_mass(&mut self, body: &Body, vertices: &[u32], mass: f64) {
        let n = vertices.len() as f64;
        let share = mass / (n * (n + 1.0));
        for &i in vertices {
            for &j in vertices.iter().filter(|&&j| j <= i) {
                let m = if i == j { 2.0 * share } else { share };
                self.mass_entries.push((i + body.first as u32, j + body.first as u32, m));
            }
        }
    }

    fn surface(&mut self, body: &Body, triangles: &[[u32; 3]]) {
        let offset = body.first as u32;
        self.model.bodies[body.index].triangles =
            triangles.iter().map(|t| t.map(|v| v + offset)).collect();
    }

    /// Adds elements given in a body's own vertex numbers.
    fn own(&mut self, body: &Body, mut elements: impl AnyElements) {
        elements.shift(body.first as u32);
        self.elements(elements);
    }
}

fn finite(what: &'static str, values: &[[f64; 3]]) -> Result<(), Error> {
    match values.iter().position(|v| v.iter().any(|c| !c.is_finite())) {
        Some(vertex) => Err(Error::VertexNotFinite { what, vertex }),
        None => Ok(()),
    }
}
