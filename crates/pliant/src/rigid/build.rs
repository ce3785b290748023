//! Builder of articulations: describes bodies and joints, checks them, and builds the [`Articulation`].

use crate::Error;
use crate::rigid::articulation::{Articulation, ArticulationSettings};
use crate::rigid::body::RigidBody;
use crate::rigid::joint::Joint;

/// Bodies and joints of an articulation to be built. Gravity is 9.81 m/s² downwards (−y) by default.
#[derive(Clone, Debug)]
pub struct ArticulationBuilder {
    pub(super) bodies: Vec<RigidBody>,
    pub(super) joints: Vec<Joint>,
    pub(super) gravity: [f64; 3],
    pub(super) ground: Option<f64>,
    pub(super) settings: ArticulationSettings,
}

impl Default for ArticulationBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ArticulationBuilder {
    /// Creates an empty builder.
    pub fn new() -> Self {
        Self {
            bodies: Vec::new(),
            joints: Vec::new(),
            gravity: [0.0, -9.81, 0.0],
            ground: None,
            settings: ArticulationSettings::default(),
        }
    }

    /// Adds a body. Returns its index.
    pub fn body(&mut self, body: RigidBody) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    /// Adds a joint, for the initial poses of its bodies. Returns its index.
    pub fn joint(&mut self, joint: Joint) -> usize {
        self.joints.push(joint);
        self.joints.len() - 1
    }

    /// Sets gravity \[m/s²\].
    pub fn gravity(&mut self, gravity: [f64; 3]) {
        self.gravity = gravity;
    }

    /// Sets the height \[m\] of a frictionless ground: the bodies' contact points stay above it.
    pub fn ground(&mut self, height: f64) {
        self.ground = Some(height);
    }

    /// Sets the settings of the solver.
    pub fn settings(&mut self, settings: ArticulationSettings) {
        self.settings = settings;
    }

    /// Checks everything and builds the articulation.
    pub fn build(self) -> Result<Articulation, Error> {
        if self.bodies.is_empty() {
            let (name, remedy) = ("articulation", "add at least one body");
            return Err(Error::Quantity { name, field: "number of bodies", value: 0.0, remedy });
        }
        self.bodies.iter().try_for_each(RigidBody::validate)?;
        self.joints.iter().try_for_each(|j| j.validate(self.bodies.len()))?;
        let numbers = self.gravity.iter().chain(&self.ground);
        if let Some(value) = numbers.into_iter().find(|v| !v.is_finite()) {
            let (name, field, value) = ("articulation", "gravity or ground", *value);
            return Err(Error::Quantity { name, field, value, remedy: "it must be finite" });
        }
        self.settings.validate()?;
        Articulation::new(self)
    }
}
