//! How bodies touch: how far they keep from others, how they rub, and what they touch at all.

/// How a body touches others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Distance that its surface keeps from others \[m\]: half of its thickness.
    pub radius: f64,
    /// Coulomb's coefficient of friction. Two surfaces rub with the geometric mean of both.
    pub friction: f64,
    /// The part of an impact's velocity that is given back; of two surfaces the larger counts.
    pub restitution: f64,
    /// What it touches besides colliders.
    pub partners: Partners,
    /// Bodies and colliders of the same family pass through each other: something else keeps them apart.
    pub family: Option<u32>,
}

/// What a body touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Partners {
    /// Colliders.
    Colliders,
    /// Those, and other bodies that touch bodies.
    Bodies,
    /// Those, and itself.
    Itself,
}

impl Touch {
    /// Dry cloth of a thickness \[m\] that touches colliders.
    pub fn of_thickness(thickness: f64) -> Self {
        let partners = Partners::Colliders;
        Self { radius: 0.5 * thickness, friction: 0.4, restitution: 0.0, partners, family: None }
    }

    /// The same touching other bodies, and itself.
    pub fn everything(self) -> Self {
        Self { partners: Partners::Itself, ..self }
    }

    /// How two surfaces touch.
    pub fn between(a: &Self, b: &Self) -> Self {
        Self {
            radius: a.radius + b.radius,
            friction: (a.friction * b.friction).sqrt(),
            restitution: a.restitution.max(b.restitution),
            partners: a.partners.min(b.partners),
            family: None,
        }
    }

    /// Whether two are of one family.
    pub fn are_family(a: &Self, b: &Self) -> bool {
        a.family.is_some() && a.family == b.family
    }

    pub(crate) fn is_valid(&self) -> bool {
        let fine = |v: f64| v >= 0.0 && v.is_finite();
        fine(self.radius)
            && fine(self.friction)
            && fine(self.restitution)
            && self.restitution <= 1.0
    }
}
