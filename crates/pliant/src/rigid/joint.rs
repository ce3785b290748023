//! Joints between two bodies, or a body and the world.

use super::body::RigidBody;
use super::pose::{Pose, across, array};
use crate::Error;
use crate::math::Vec3;

/// What a joint holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// A point of one body on a point of the other.
    Ball {
        /// The largest angle \[rad\] between the two axes; none for a free ball.
        cone: Option<f64>,
    },
    /// A ball that turns about one axis only.
    Hinge {
        /// The least and the largest angle \[rad\] of the second body against the first, from where
        /// they start, within a turn.
        limits: Option<[f64; 2]>,
    },
    /// Two points at a fixed distance.
    Distance {
        /// The distance \[m\].
        length: f64,
    },
}

/// A joint. Made in the world's axes for the poses that the bodies start in; kept in the bodies'.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// What it holds.
    pub kind: JointKind,
    /// The bodies by number; none is the world.
    pub bodies: [Option<usize>; 2],
    /// The points it holds, in the world \[m\].
    pub anchors: [[f64; 3]; 2],
    /// The axis of a hinge or a cone, in the world; a direction.
    pub axis: [f64; 3],
    /// Inverse stiffness along its rows: \[m/N\], and \[rad/(N m)\] for angles. Zero is hard.
    pub compliance: f64,
}

impl Joint {
    fn new(
        kind: JointKind,
        bodies: [Option<usize>; 2],
        anchors: [[f64; 3]; 2],
        axis: [f64; 3],
    ) -> Self {
        Self { kind, bodies, anchors, axis, compliance: 0.0 }
    }

    /// Two bodies, or a body and the world, hold on to each other at a point of the world \[m\].
    pub fn ball(a: Option<usize>, b: Option<usize>, at: [f64; 3]) -> Self {
        Self::new(JointKind::Ball { cone: None }, [a, b], [at; 2], [0.0, 1.0, 0.0])
    }

    /// A ball at a point \[m\] of which the two axes, now both along `axis`, may part by an angle
    /// \[rad\].
    pub fn cone(
        a: Option<usize>,
        b: Option<usize>,
        at: [f64; 3],
        axis: [f64; 3],
        angle: f64,
    ) -> Self {
        Self::new(JointKind::Ball { cone: Some(angle) }, [a, b], [at; 2], axis)
    }

    /// A hinge at a point \[m\] about an axis of the world.
    pub fn hinge(a: Option<usize>, b: Option<usize>, at: [f64; 3], axis: [f64; 3]) -> Self {
        Self::new(JointKind::Hinge { limits: None }, [a, b], [at; 2], axis)
    }

    /// Two points of the world \[m\] stay as far apart as they are.
    pub fn distance(a: Option<usize>, b: Option<usize>, from: [f64; 3], to: [f64; 3]) -> Self {
        let length = (Vec3::<f64>::of(to) - Vec3::of(from)).norm();
        Self::new(JointKind::Distance { length }, [a, b], [from, to], [0.0, 1.0, 0.0])
    }

    /// The same hinge with limits \[rad\] of the second body's angle against the first, from the
    /// start, positive about the axis.
    pub fn limits(mut self, least: f64, largest: f64) -> Self {
        if let JointKind::Hinge { limits } = &mut self.kind {
            *limits = Some([least, largest]);
        }
        self
    }

    /// The same joint with a compliance: \[m/N\], and \[rad/(N m)\] for angles.
    pub fn compliant(mut self, compliance: f64) -> Self {
        self.compliance = compliance;
        self
    }

    pub(super) fn check(&self, bodies: usize) -> Result<(), Error> {
        let name = "joint";
        let bad = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        for body in self.bodies.into_iter().flatten() {
            if body >= bodies {
                return Err(Error::NoSuchBody { what: "a joint", body, bodies });
            }
        }
        match self.bodies {
            [None, None] => return Err(Error::JointOfNothing),
            [a, b] if a == b => {
                let value = a.unwrap_or(0) as f64;
                return bad("second body", value, "join two different bodies");
            }
            _ => {}
        }
        if let Some(value) = self.anchors.iter().flatten().find(|v| !v.is_finite()) {
            return bad("anchor", *value, "give finite points [m]");
        }
        if !(self.compliance >= 0.0 && self.compliance.is_finite()) {
            return bad("compliance", self.compliance, "give zero for a hard joint, or more");
        }
        let axis = Vec3::<f64>::of(self.axis).norm();
        if !(axis > 0.0 && axis.is_finite()) {
            return bad("axis's length", axis, "give a direction");
        }
        let pi = std::f64::consts::PI;
        match self.kind {
            JointKind::Ball { cone: Some(angle) } if !(angle > 0.0 && angle <= pi) => {
                bad("cone", angle, "give an angle above 0 and up to π [rad]")
            }
            JointKind::Hinge { limits: Some([least, largest]) }
                if !(least <= 0.0 && largest >= 0.0 && largest - least < 2.0 * pi) =>
            {
                let value = if least <= 0.0 { largest } else { least };
                bad("limits", value, "give a range around 0 of less than a turn [rad]")
            }
            JointKind::Distance { length } if !(length > 0.0 && length.is_finite()) => {
                bad("length", length, "move its points apart, or use a ball")
            }
            _ => Ok(()),
        }
    }
}

/// A joint in the axes of its bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalJoint {
    pub kind: JointKind,
    pub bodies: [Option<usize>; 2],
    pub anchors: [[f64; 3]; 2],
    /// The axis, and a direction across it, in each body.
    pub axes: [[f64; 3]; 2],
    pub across: [[f64; 3]; 2],
    pub compliance: f64,
}

impl LocalJoint {
    pub fn new(joint: &Joint, bodies: &[RigidBody]) -> Self {
        let poses = joint.bodies.map(|b| b.map_or(Pose::default(), |b| bodies[b].pose));
        let axis = Vec3::<f64>::of(joint.axis);
        let axis = axis.scale(1.0 / axis.norm());
        Self {
            kind: joint.kind,
            bodies: joint.bodies,
            anchors: [0, 1].map(|s| poses[s].unplace(joint.anchors[s])),
            axes: poses.map(|p| array(p.unturn(axis))),
            across: poses.map(|p| array(p.unturn(across(axis)))),
            compliance: joint.compliance,
        }
    }

    /// Constraint rows.
    pub fn rows(&self) -> usize {
        match self.kind {
            JointKind::Ball { cone } => 3 + usize::from(cone.is_some()),
            JointKind::Hinge { limits } => 5 + 2 * usize::from(limits.is_some()),
            JointKind::Distance { .. } => 1,
        }
    }

    /// Modes of geometric stiffness, at most: of twelve, those along displacements of a ball are
    /// nothing.
    pub fn stiffnesses(&self) -> usize {
        if let JointKind::Distance { .. } = self.kind { 12 } else { 6 }
    }
}
