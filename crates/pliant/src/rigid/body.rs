//! Rigid body of an articulation: mass, inertia, initial pose and velocity, contact points with the ground.

use crate::Error;
use crate::math::Vec3;
use crate::rigid::pose::{Pose, array, normalised};

/// Rigid body about its centre of mass, in its principal axes of inertia.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBody {
    /// Mass \[kg\].
    pub mass: f64,
    /// Moments of inertia about the body's own axes \[kg m²\].
    pub inertia: [f64; 3],
    /// Initial pose.
    pub pose: Pose,
    /// Initial velocity of the centre of mass \[m/s\].
    pub velocity: [f64; 3],
    /// Initial angular velocity in the world's axes \[rad/s\].
    pub angular_velocity: [f64; 3],
    /// Contact points with the ground in the body's axes \[m\], each the centre of a sphere of
    /// `contact_radius`.
    pub contact_points: Vec<[f64; 3]>,
    /// Radius of the spheres around the contact points \[m\].
    pub contact_radius: f64,
}

impl RigidBody {
    /// Creates a body of given mass \[kg\] and moments of inertia \[kg m²\], at the origin, without contact
    /// points.
    pub fn new(mass: f64, inertia: [f64; 3]) -> Self {
        let (pose, velocity, spin) = (Pose::default(), [0.0; 3], [0.0; 3]);
        Self {
            mass,
            inertia,
            pose,
            velocity,
            angular_velocity: spin,
            contact_points: Vec::new(),
            contact_radius: 0.0,
        }
    }

    /// Creates a ball of given radius \[m\] and mass \[kg\].
    pub fn ball(radius: f64, mass: f64) -> Self {
        let feelers = vec![[0.0; 3]];
        Self {
            contact_points: feelers,
            contact_radius: radius,
            ..Self::new(mass, [0.4 * mass * radius * radius; 3])
        }
    }

    /// Creates a block with the given sides \[m\] along the axes, and mass \[kg\].
    pub fn block(sides: [f64; 3], mass: f64) -> Self {
        let [x, y, z] = sides.map(|s| s * s);
        let inertia = [y + z, z + x, x + y].map(|s| mass * s / 12.0);
        let corner =
            |k: usize, c: usize| if k >> c & 1 == 1 { 0.5 * sides[c] } else { -0.5 * sides[c] };
        let feelers = (0..8).map(|k| [0, 1, 2].map(|c| corner(k, c))).collect();
        Self { contact_points: feelers, ..Self::new(mass, inertia) }
    }

    /// Creates a rod with round ends along `span` \[m\], from the middle of one end to that of the other, of
    /// given radius \[m\] and mass \[kg\]. Its inertia is that of the cylinder of the same length. Its first
    /// axis points along it.
    pub fn capsule(span: [f64; 3], radius: f64, mass: f64) -> Self {
        let direction = Vec3::<f64>::of(span);
        let length = direction.norm();
        let round = 0.5 * mass * radius * radius;
        let across = mass * (3.0 * radius * radius + length * length) / 12.0;
        let half = 0.5 * length;
        let feelers = vec![[-half, 0.0, 0.0], [half, 0.0, 0.0]];
        let mut body = Self {
            contact_points: feelers,
            contact_radius: radius,
            ..Self::new(mass, [round, across, across])
        };
        if length > 0.0 {
            // Rotation from x to the direction: the quaternion halfway between them.
            let d = direction.scale(1.0 / length);
            let q = [1.0 + d.x, 0.0, -d.z, d.y];
            body.pose.orientation =
                if d.x > -1.0 + 1e-12 { normalised(q) } else { [0.0, 0.0, 1.0, 0.0] };
        }
        body
    }

    /// Places the centre of the body at a point \[m\].
    pub fn at(mut self, position: [f64; 3]) -> Self {
        self.pose.position = position;
        self
    }

    /// Rotates the body by a rotation vector \[rad\] about its centre.
    pub fn rotated(mut self, turn: [f64; 3]) -> Self {
        self.pose = self.pose.moved([0.0; 3], turn);
        self
    }

    /// Sets the initial velocity \[m/s\] and angular velocity \[rad/s\].
    pub fn with_velocity(mut self, velocity: [f64; 3], spin: [f64; 3]) -> Self {
        (self.velocity, self.angular_velocity) = (velocity, spin);
        self
    }

    /// Angular momentum about the centre of mass \[kg m²/s\].
    pub(super) fn angular_momentum(&self) -> [f64; 3] {
        let w = self.pose.rotate_to_local(Vec3::of(self.angular_velocity));
        let [a, b, c] = self.inertia;
        array(self.pose.rotation().mul_vec(Vec3::new(a * w.x, b * w.y, c * w.z)))
    }

    pub(super) fn validate(&self) -> Result<(), Error> {
        let name = "rigid body";
        let invalid = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        let positive = |v: f64| v > 0.0 && v.is_finite();
        if !positive(self.mass) {
            return invalid("mass", self.mass, "it must be positive and finite [kg]");
        }
        if let Some(value) = self.inertia.iter().find(|i| !positive(**i)) {
            return invalid(
                "inertia",
                *value,
                "moments of inertia must be positive and finite [kg m²]",
            );
        }
        let [a, b, c] = self.inertia;
        let slack = 1.0 + 1e-9;
        if a > slack * (b + c) || b > slack * (c + a) || c > slack * (a + b) {
            return invalid(
                "inertia",
                a.max(b).max(c),
                "no moment of inertia can exceed the sum of the other two",
            );
        }
        let numbers = self.pose.position.iter().chain(&self.velocity).chain(&self.angular_velocity);
        if let Some(value) =
            numbers.chain(self.contact_points.iter().flatten()).find(|v| !v.is_finite())
        {
            return invalid(
                "position, velocity, angular velocity or contact point",
                *value,
                "it must be finite",
            );
        }
        let length: f64 = self.pose.orientation.iter().map(|q| q * q).sum();
        if !((length - 1.0).abs() < 1e-6) {
            return invalid("length of the orientation quaternion", length.sqrt(), "it must be 1");
        }
        if !(self.contact_radius >= 0.0 && self.contact_radius.is_finite()) {
            return invalid(
                "contact radius",
                self.contact_radius,
                "it must be finite and not negative [m]",
            );
        }
        Ok(())
    }
}
