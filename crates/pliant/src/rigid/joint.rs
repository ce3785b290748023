//! Joints between two bodies, or a body and the world: types, parameters, and their form in the bodies' axes.

use crate::Error;
use crate::math::Vec3;
use crate::rigid::body::RigidBody;
use crate::rigid::pose::{Pose, array, perpendicular};

/// Type of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Ball joint: a point of one body coincides with a point of the other.
    Ball {
        /// Largest angle \[rad\] between the two axes; `None` if unlimited.
        cone: Option<f64>,
    },
    /// Hinge: a ball joint that rotates about one axis only.
    Hinge {
        /// Least and largest angle \[rad\] of the second body relative to the first, from their initial poses;
        /// the range is less than one turn.
        limits: Option<[f64; 2]>,
    },
    /// Distance joint: two points at a fixed distance.
    Distance {
        /// Distance \[m\].
        length: f64,
    },
}

/// Joint. It is described in the world's axes for the initial poses of the bodies, and stored in the bodies'
/// axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Type.
    pub kind: JointKind,
    /// Indices of the bodies; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// Anchors, in the world \[m\].
    pub anchors: [[f64; 3]; 2],
    /// Axis of a hinge or a cone, a direction in the world.
    pub axis: [f64; 3],
    /// Inverse stiffness of its rows: \[m/N\], and \[rad/(N m)\] for angles. Zero is a hard joint.
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

    /// Ball joint between two bodies, or a body and the world, at a point of the world \[m\].
    pub fn ball(a: Option<usize>, b: Option<usize>, at: [f64; 3]) -> Self {
        Self::new(JointKind::Ball { cone: None }, [a, b], [at; 2], [0.0, 1.0, 0.0])
    }

    /// Ball joint at a point \[m\] that limits the angle \[rad\] between the two axes, both initially along
    /// `axis`.
    pub fn cone(
        a: Option<usize>,
        b: Option<usize>,
        at: [f64; 3],
        axis: [f64; 3],
        angle: f64,
    ) -> Self {
        Self::new(JointKind::Ball { cone: Some(angle) }, [a, b], [at; 2], axis)
    }

    /// Hinge at a point \[m\] about an axis of the world.
    pub fn hinge(a: Option<usize>, b: Option<usize>, at: [f64; 3], axis: [f64; 3]) -> Self {
        Self::new(JointKind::Hinge { limits: None }, [a, b], [at; 2], axis)
    }

    /// Distance joint that keeps two points of the world \[m\] at their current distance.
    pub fn distance(a: Option<usize>, b: Option<usize>, from: [f64; 3], to: [f64; 3]) -> Self {
        let length = (Vec3::<f64>::of(to) - Vec3::of(from)).norm();
        Self::new(JointKind::Distance { length }, [a, b], [from, to], [0.0, 1.0, 0.0])
    }

    /// Sets the limits \[rad\] of a hinge: the angle of the second body relative to the first, from the start,
    /// positive about the axis.
    pub fn limits(mut self, least: f64, largest: f64) -> Self {
        if let JointKind::Hinge { limits } = &mut self.kind {
            *limits = Some([least, largest]);
        }
        self
    }

    /// Sets the compliance: \[m/N\], and \[rad/(N m)\] for angles.
    pub fn with_compliance(mut self, compliance: f64) -> Self {
        self.compliance = compliance;
        self
    }

    pub(super) fn validate(&self, bodies: usize) -> Result<(), Error> {
        let name = "joint";
        let invalid = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        for body in self.bodies.into_iter().flatten() {
            if body >= bodies {
                return Err(Error::NoSuchBody { what: "a joint", body, bodies });
            }
        }
        match self.bodies {
            [None, None] => return Err(Error::JointWithoutBody),
            [a, b] if a == b => {
                let value = a.unwrap_or(0) as f64;
                return invalid("second body", value, "a joint must connect two different bodies");
            }
            _ => {}
        }
        if let Some(value) = self.anchors.iter().flatten().find(|v| !v.is_finite()) {
            return invalid("anchor", *value, "it must be finite [m]");
        }
        if !(self.compliance >= 0.0 && self.compliance.is_finite()) {
            return invalid(
                "compliance",
                self.compliance,
                "it must be finite and not negative; 0 is rigid",
            );
        }
        let axis = Vec3::<f64>::of(self.axis).norm();
        if !(axis > 0.0 && axis.is_finite()) {
            return invalid("length of the axis", axis, "it must be positive and finite");
        }
        let pi = std::f64::consts::PI;
        match self.kind {
            JointKind::Ball { cone: Some(angle) } if !(angle > 0.0 && angle <= pi) => {
                invalid("cone", angle, "it must be above 0 and at most π [rad]")
            }
            JointKind::Hinge { limits: Some([least, largest]) }
                if !(least <= 0.0 && largest >= 0.0 && largest - least < 2.0 * pi) =>
            {
                let value = if least <= 0.0 { largest } else { least };
                invalid("limit", value, "the range must contain 0 and be less than 2π [rad]")
            }
            JointKind::Distance { length } if !(length > 0.0 && length.is_finite()) => invalid(
                "length",
                length,
                "it must be positive [m]; move the anchors apart or use a ball joint",
            ),
            _ => Ok(()),
        }
    }
}

/// Joint in the axes of its bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalJoint {
    pub kind: JointKind,
    pub bodies: [Option<usize>; 2],
    pub anchors: [[f64; 3]; 2],
    /// Axis, and a direction perpendicular to it, in each body.
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
            anchors: [0, 1].map(|s| poses[s].to_local(joint.anchors[s])),
            axes: poses.map(|p| array(p.rotate_to_local(axis))),
            across: poses.map(|p| array(p.rotate_to_local(perpendicular(axis)))),
            compliance: joint.compliance,
        }
    }

    /// Number of constraint rows.
    pub fn row_count(&self) -> usize {
        match self.kind {
            JointKind::Ball { cone } => 3 + usize::from(cone.is_some()),
            JointKind::Hinge { limits } => 5 + 2 * usize::from(limits.is_some()),
            JointKind::Distance { .. } => 1,
        }
    }

    /// Largest number of modes of geometric stiffness. For ball joints and hinges, six of the twelve are zero:
    /// those along displacements.
    pub fn max_stiffness_rows(&self) -> usize {
        if let JointKind::Distance { .. } = self.kind { 12 } else { 6 }
    }
}
