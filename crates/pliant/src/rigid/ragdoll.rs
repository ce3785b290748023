//! Ragdoll: fifteen bodies with the masses of the segments of an adult, connected by cone joints and hinges.
//!
//! ```text
//!              head
//!                |  neck (cone)
//!   hand-lower-upper-[chest]-upper-lower-hand      shoulders, wrists (cones), elbows (hinges)
//!                |  waist (cone)
//!             [pelvis]
//!             /      \      hips (cones)
//!          thigh    thigh
//!            |        |     knees (hinges)
//!          shin     shin
//!            |        |     ankles (hinges)
//!          foot     foot
//! ```
//!
//! Mass shares of the segments: Winter, Biomechanics and Motor Control of Human Movement, 2009, table 4.1,
//! rounded.

use crate::rigid::body::RigidBody;
use crate::rigid::build::ArticulationBuilder;
use crate::rigid::joint::Joint;

/// Standing person with the arms held out sideways, along x, facing +z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ragdoll {
    /// Height \[m\].
    pub height: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Position of the soles \[m\].
    pub position: [f64; 3],
    /// Inverse stiffness of all joints; zero is hard.
    pub compliance: f64,
}

impl Default for Ragdoll {
    fn default() -> Self {
        Self { height: 1.75, mass: 70.0, position: [0.0; 3], compliance: 0.0 }
    }
}

/// Indices of a ragdoll's bodies and joints, and points at which a hand can be attached. Left is +x.
#[derive(Clone, Debug, PartialEq)]
pub struct RagdollBodies {
    /// All bodies: pelvis, chest, head, then for each side upper arm, forearm, hand, thigh, shin, foot.
    pub all: Vec<usize>,
    /// Hands, left and right.
    pub hands: [usize; 2],
    /// Finger tips, left and right \[m\].
    pub fingers: [[f64; 3]; 2],
    /// Joints, with their names.
    pub joints: Vec<(&'static str, usize)>,
}

/// Limb: both ends and the radius relative to the height, and the share of the mass.
struct Limb {
    from: [f64; 3],
    to: [f64; 3],
    radius: f64,
    share: f64,
}

impl Ragdoll {
    /// Adds the ragdoll to a scene.
    pub fn add(&self, scene: &mut ArticulationBuilder) -> RagdollBodies {
        let mut out = RagdollBodies {
            all: Vec::new(),
            hands: [0; 2],
            fingers: [[0.0; 3]; 2],
            joints: Vec::new(),
        };
        let part = |from, to, radius, share| Limb { from, to, radius, share };
        let pelvis = self.add_limb(scene, part([-0.05, 0.53, 0.0], [0.05, 0.53, 0.0], 0.07, 0.142));
        let chest = self.add_limb(scene, part([0.0, 0.62, 0.0], [0.0, 0.78, 0.0], 0.08, 0.355));
        let head = self.add_limb(scene, part([0.0, 0.89, 0.0], [0.0, 0.95, 0.0], 0.055, 0.081));
        out.all.extend([pelvis, chest, head]);
        let up = [0.0, 1.0, 0.0];
        let mut join = |name, scene: &mut ArticulationBuilder, joint: Joint| {
            out.joints.push((name, scene.joint(joint.with_compliance(self.compliance))));
        };
        join(
            "waist",
            scene,
            Joint::cone(Some(pelvis), Some(chest), self.to_world([0.0, 0.58, 0.0]), up, 0.5),
        );
        join(
            "neck",
            scene,
            Joint::cone(Some(chest), Some(head), self.to_world([0.0, 0.84, 0.0]), up, 0.7),
        );
        for (side, s) in [1.0, -1.0].into_iter().enumerate() {
            let arm = |x: f64| [s * x, 0.80, 0.0];
            let leg = |y: f64| [s * 0.055, y, 0.0];
            let upper = self.add_limb(scene, part(arm(0.12), arm(0.27), 0.026, 0.028));
            let fore = self.add_limb(scene, part(arm(0.30), arm(0.43), 0.021, 0.016));
            let hand = self.add_limb(scene, part(arm(0.46), arm(0.52), 0.017, 0.006));
            let thigh = self.add_limb(scene, part(leg(0.50), leg(0.30), 0.043, 0.100));
            let shin = self.add_limb(scene, part(leg(0.27), leg(0.07), 0.031, 0.0465));
            let toes = [s * 0.055, 0.02, 0.10];
            let foot = self.add_limb(scene, part([s * 0.055, 0.02, 0.0], toes, 0.02, 0.0145));
            out.all.extend([upper, fore, hand, thigh, shin, foot]);
            out.hands[side] = hand;
            out.fingers[side] = self.to_world(arm(0.54));
            let aside = [s, 0.0, 0.0];
            let at = |p: [f64; 3]| self.to_world(p);
            let cone =
                |a, b, p: [f64; 3], axis, angle| Joint::cone(Some(a), Some(b), at(p), axis, angle);
            let hinge = |a, b, p: [f64; 3], axis| Joint::hinge(Some(a), Some(b), at(p), axis);
            join("shoulder", scene, cone(chest, upper, arm(0.10), aside, 1.6));
            // The forearm folds forward (+z): about +y to the left it turns the other way.
            join("elbow", scene, hinge(upper, fore, arm(0.285), [0.0, -s, 0.0]).limits(0.0, 2.5));
            join("wrist", scene, cone(fore, hand, arm(0.445), aside, 1.0));
            join("hip", scene, cone(pelvis, thigh, leg(0.52), [0.0, -1.0, 0.0], 1.4));
            // The shin folds backwards (−z): about +x.
            join("knee", scene, hinge(thigh, shin, leg(0.285), [1.0, 0.0, 0.0]).limits(0.0, 2.5));
            join("ankle", scene, hinge(shin, foot, leg(0.04), [1.0, 0.0, 0.0]).limits(-0.6, 0.6));
        }
        out
    }

    fn to_world(self, p: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|c| self.position[c] + self.height * p[c])
    }

    fn add_limb(&self, scene: &mut ArticulationBuilder, p: Limb) -> usize {
        let (from, to) = (self.to_world(p.from), self.to_world(p.to));
        let span = [0, 1, 2].map(|c| to[c] - from[c]);
        let middle = [0, 1, 2].map(|c| 0.5 * (from[c] + to[c]));
        let body = RigidBody::capsule(span, self.height * p.radius, self.mass * p.share);
        scene.body(body.at(middle))
    }
}
