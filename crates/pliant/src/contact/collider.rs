//! Colliders: rigid things that stand still or move as prescribed.

use super::Touch;
use super::pose::Pose;
use super::shape::{DistanceField, Shape};
use crate::Error;
use crate::math::{Vec3, cos, sin};
use crate::mesh::TriMesh;
use crate::motion::Motion;

/// Something solid that bodies collide with and that they do not move.
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
    pub(crate) touch: Touch,
}

impl Collider {
    /// A shape whose origin is at a point \[m\].
    pub fn new(shape: Shape, origin: [f64; 3]) -> Self {
        let touch = Touch::of_thickness(0.0);
        let (start, motion) = (Pose::at(origin), Motion::Fixed);
        Self { name: shape.name().to_owned(), shape, start, motion, touch }
    }

    /// Everything below a plane through a point \[m\]; the normal, of any length, points out of it.
    pub fn plane(point: [f64; 3], normal: [f64; 3]) -> Self {
        Self::new(Shape::HalfSpace { normal }, point)
    }

    /// A ball of a radius \[m\] around a center \[m\].
    pub fn sphere(center: [f64; 3], radius: f64) -> Self {
        Self::new(Shape::Ball { radius }, center)
    }

    /// All points nearer than a radius \[m\] to the segment between two points \[m\].
    pub fn capsule(a: [f64; 3], b: [f64; 3], radius: f64) -> Self {
        let half = [0, 1, 2].map(|c| 0.5 * (b[c] - a[c]));
        Self::new(Shape::Capsule { half, radius }, [0, 1, 2].map(|c| a[c] + half[c]))
    }

    /// A box with sides of these lengths \[m\] around a center \[m\].
    pub fn cuboid(center: [f64; 3], sides: [f64; 3]) -> Self {
        Self::new(Shape::Cuboid { half: sides.map(|s| 0.5 * s) }, center)
    }

    /// A triangle mesh. Where it is closed, its inside is solid; an open one keeps everything on the
    /// side where it is.
    pub fn mesh(mesh: &TriMesh) -> Result<Self, Error> {
        Ok(Self::new(Shape::mesh(mesh)?, [0.0; 3]))
    }

    /// The least convex thing that holds some points \[m\].
    pub fn convex(points: &[[f64; 3]]) -> Result<Self, Error> {
        Ok(Self::new(Shape::convex(points)?, [0.0; 3]))
    }

    /// Ground of heights \[m\] over a grid of `columns` points along x with a spacing \[m\], row after row
    /// along z, from a corner \[m\]; everything below is solid.
    pub fn heights(
        corner: [f64; 3],
        spacing: f64,
        columns: usize,
        heights: &[f64],
    ) -> Result<Self, Error> {
        Ok(Self::new(Shape::heights(spacing, columns, heights)?, corner))
    }

    /// A signed distance sampled on a grid whose first point is at a corner \[m\].
    pub fn distance(corner: [f64; 3], field: DistanceField) -> Self {
        Self::new(Shape::Field(field), corner)
    }

    /// The same turned about its origin, around an axis of any length by an angle \[rad\].
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

    /// The same with Coulomb's coefficient of friction: 0.4 unless set.
    pub fn friction(mut self, friction: f64) -> Self {
        self.touch.friction = friction;
        self
    }

    /// The same with the part of an impact's velocity that it gives back: none unless set.
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.touch.restitution = restitution;
        self
    }

    /// The same moving: a path moves its origin, a spin turns it.
    pub fn moving(mut self, motion: Motion) -> Self {
        self.motion = motion;
        self
    }

    /// The same in a family: see [`Touch::family`].
    pub fn family(mut self, family: u32) -> Self {
        self.touch.family = Some(family);
        self
    }

    /// The same with a name, for messages.
    pub fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether it moves.
    pub fn moves(&self) -> bool {
        self.motion != Motion::Fixed
    }

    /// Its surface as triangles where it starts \[m\]; a plane's is a square of one metre.
    pub fn surface_mesh(&self) -> TriMesh {
        let mut mesh = self.shape.surface_mesh(1.0);
        for p in &mut mesh.positions {
            let q = self.start.place(Vec3::of(*p));
            *p = [q.x, q.y, q.z];
        }
        mesh
    }

    /// Where it is at a time \[s\].
    pub fn pose(&self, time: f64) -> Pose {
        self.start.moved(&self.motion, time)
    }

    /// Refuses what has no size, no direction or no number.
    pub(crate) fn validate(&self, index: usize) -> Result<(), Error> {
        let wrong = |problem: &str| {
            Err(Error::Collider { index, name: self.name.clone(), problem: problem.to_owned() })
        };
        let numbers = [self.start.origin.x, self.start.origin.y, self.start.origin.z];
        if numbers.iter().any(|c| !c.is_finite()) {
            return wrong("its position is not finite; give three finite numbers [m]");
        }
        if self.start.axes.iter().any(|a| !a.norm().is_finite()) {
            return wrong("it is turned about no axis; give an axis that is not zero");
        }
        if !self.motion.is_valid() {
            return wrong("its motion is not finite or its times do not increase");
        }
        if !self.touch.is_valid() {
            return wrong("friction must be zero or more and restitution between zero and one");
        }
        self.shape.problem().map_or(Ok(()), wrong)
    }
}
