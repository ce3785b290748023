//! Contact material of bodies and colliders: contact distance, friction, restitution and collision filters.

/// Contact material of a body or a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMaterial {
    /// Distance that its surface keeps from others \[m\]: half of its thickness.
    pub radius: f64,
    /// Coulomb's coefficient of friction. A pair of surfaces has the geometric mean of both.
    pub friction: f64,
    /// Coefficient of restitution. A pair of surfaces has the larger of both.
    pub restitution: f64,
    /// Other partners besides colliders.
    pub collides_with: CollidesWith,
    /// Bodies and colliders of the same group do not collide with each other: something else keeps them apart.
    pub collision_group: Option<u32>,
}

/// Partners with which a body collides. Each variant includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CollidesWith {
    /// Colliders.
    Colliders,
    /// Colliders, and other bodies that collide with bodies.
    Bodies,
    /// Colliders, other bodies, and itself.
    Itself,
}

impl ContactMaterial {
    /// Dry cloth of a thickness \[m\] that collides with colliders.
    pub fn of_thickness(thickness: f64) -> Self {
        let partners = CollidesWith::Colliders;
        Self {
            radius: 0.5 * thickness,
            friction: 0.4,
            restitution: 0.0,
            collides_with: partners,
            collision_group: None,
        }
    }

    /// Enables collisions with other bodies and with itself.
    pub fn with_self_collision(self) -> Self {
        Self { collides_with: CollidesWith::Itself, ..self }
    }

    /// Combines the materials of two surfaces in contact.
    pub fn combine(a: &Self, b: &Self) -> Self {
        Self {
            radius: a.radius + b.radius,
            friction: (a.friction * b.friction).sqrt(),
            restitution: a.restitution.max(b.restitution),
            collides_with: a.collides_with.min(b.collides_with),
            collision_group: None,
        }
    }

    /// True if both have the same collision group.
    pub fn share_group(a: &Self, b: &Self) -> bool {
        a.collision_group.is_some() && a.collision_group == b.collision_group
    }

    pub(crate) fn is_valid(&self) -> bool {
        let fine = |v: f64| v >= 0.0 && v.is_finite();
        fine(self.radius)
            && fine(self.friction)
            && fine(self.restitution)
            && self.restitution <= 1.0
    }
}
