//! Colliders: rigid obstacles, fixed or with prescribed motion.
//!
//! * `mod.rs`: [`Collider`], a shape with a pose, a motion and a contact material
//! * `pose.rs`: rotation and translation
//! * `shape/`: shapes, one file each, with their signed distances and the constructors of their colliders

pub(crate) mod pose;
pub(crate) mod shape;
use crate::Error;
use crate::math::{Vec3, cos, sin};
use crate::mesh::TriMesh;
use crate::model::collider::pose::Pose;
use crate::model::collider::shape::Shape;
use crate::model::contact_material::ContactMaterial;
use crate::model::motion::Motion;

/// Solid obstacle with which bodies collide and which they do not move.
///
/// ```
/// use pliant::prelude::*;
///
/// # fn main() -> Result<(), pliant::Error> {
/// let mut scene = ModelBuilder::new();
/// scene.cloth(Grid::square(8).size(1.0), Fabric::cotton())?;
/// scene.collider(Collider::sphere([0.5, -0.4, 0.5], 0.3).friction(0.6));
/// scene.collider(Collider::plane([0.0, -1.0, 0.0], [0.0, 1.0, 0.0]));
/// let mut sim = Simulation::new(scene.build()?, Xpbd::default())?;
/// for _ in 0..60 {
///     sim.step();
/// }
/// assert!(sim.report().contacts.colliders > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Collider {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    pub(crate) start: Pose,
    pub(crate) motion: Motion,
    pub(crate) contact_material: ContactMaterial,
}

impl Collider {
    /// Creates a collider from a shape with its origin at a point \[m\].
    pub fn new(shape: Shape, origin: [f64; 3]) -> Self {
        let contact_material = ContactMaterial::of_thickness(0.0);
        let (start, motion) = (Pose::from_translation(origin), Motion::Fixed);
        Self { name: shape.name().to_owned(), shape, start, motion, contact_material }
    }

    /// Rotates the collider about its origin, around an axis of any length by an angle \[rad\].
    pub fn turned(mut self, axis: [f64; 3], angle: f64) -> Self {
        let axis = Vec3::<f64>::of(axis);
        let k = axis.scale(1.0 / axis.norm());
        let (s, c) = (sin(angle), cos(angle));
        self.start.axes = self
            .start
            .axes
            .map(|a| a.scale(c) + k.cross(a).scale(s) + k.scale(k.dot(a) * (1.0 - c)));
        self
    }

    /// Sets Coulomb's coefficient of friction; 0.4 by default.
    pub fn friction(mut self, friction: f64) -> Self {
        self.contact_material.friction = friction;
        self
    }

    /// Sets the coefficient of restitution; zero by default.
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.contact_material.restitution = restitution;
        self
    }

    /// Sets the motion: a path moves its origin, a spin rotates it.
    pub fn moving(mut self, motion: Motion) -> Self {
        self.motion = motion;
        self
    }

    /// Sets the collision group: see [`ContactMaterial::collision_group`].
    pub fn collision_group(mut self, group: u32) -> Self {
        self.contact_material.collision_group = Some(group);
        self
    }

    /// Sets the name, for messages.
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Origin of the shape at the start \[m\].
    pub fn origin(&self) -> [f64; 3] {
        [self.start.origin.x, self.start.origin.y, self.start.origin.z]
    }

    /// Shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// True if it moves.
    pub fn is_moving(&self) -> bool {
        self.motion != Motion::Fixed
    }

    /// Returns its surface at the start as triangles \[m\]; that of a plane is a square of one metre.
    pub fn surface_mesh(&self) -> TriMesh {
        let mut mesh = self.shape.surface_mesh(1.0);
        for p in &mut mesh.positions {
            let q = self.start.transform_point(Vec3::of(*p));
            *p = [q.x, q.y, q.z];
        }
        mesh
    }

    /// Pose at a time \[s\].
    pub fn pose(&self, time: f64) -> Pose {
        self.start.after_motion(&self.motion, time)
    }

    /// Returns an error for a shape without size, an axis without direction, or values out of range.
    pub(crate) fn validate(&self, index: usize) -> Result<(), Error> {
        let invalid = |problem: &str| {
            Err(Error::Collider { index, name: self.name.clone(), problem: problem.to_owned() })
        };
        if self.origin().iter().any(|c| !c.is_finite()) {
            return invalid("the position is not finite; use three finite numbers [m]");
        }
        if self.start.axes.iter().any(|a| !a.norm().is_finite()) {
            return invalid("the rotation axis is zero; use a non-zero axis");
        }
        if !self.motion.is_valid() {
            return invalid(
                "the motion is invalid; it must have finite numbers, increasing times and a \
                 non-zero axis",
            );
        }
        if !self.contact_material.is_valid() {
            return invalid(
                "the contact material is invalid; friction must not be negative and restitution \
                 must be between 0 and 1",
            );
        }
        self.shape.problem().map_or(Ok(()), invalid)
    }
}
