//! Constraint rows of joints: values, derivatives by the bodies' velocities, and geometric stiffness.
//!
//! A body's displacement is `(d, θ)`, a translation and a rotation vector in the world's axes. A point at the
//! arm `r` from the centre moves by `d + θ × r + ½ θ × (θ × r) + …`. The geometric stiffness comes from the
//! last term: a force `f` on that point resists rotation with the stiffness
//!
//! ```text
//! K = (r·f) I − ½ (r fᵀ + f rᵀ)
//! ```
//!
//! The rows of a ball joint act at the midpoint of its two anchors, so that action and reaction have no net
//! torque, however far the joint has drifted.

use crate::math::eigen::eigen_symmetric;
use crate::math::{Vec3, acos, atan2};
use crate::rigid::joint::{JointKind, LocalJoint};
use crate::rigid::pose::Pose;

/// Constraint row over the translation and rotation of the first body, then of the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointRow {
    pub value: f64,
    pub gradient: [Vec3<f64>; 4],
    pub one_sided: bool,
}

/// Vectors of a joint in the world.
pub(super) struct JointFrame {
    /// Anchors \[m\], and arms from the centres to the points at which the rows act.
    pub anchors: [Vec3<f64>; 2],
    arms: [Vec3<f64>; 2],
    axes: [Vec3<f64>; 2],
    across: [Vec3<f64>; 2],
}

impl JointFrame {
    pub fn new(joint: &LocalJoint, pose: impl Fn(usize) -> Pose) -> Self {
        let poses = joint.bodies.map(|b| b.map_or(Pose::default(), &pose));
        let rotations = poses.map(|p| p.rotation());
        let anchors = [0, 1].map(|s| Vec3::<f64>::of(poses[s].to_world(joint.anchors[s])));
        let middle = (anchors[0] + anchors[1]).scale(0.5);
        let world_anchors = match joint.kind {
            JointKind::Distance { .. } => anchors,
            _ => [middle; 2],
        };
        Self {
            anchors,
            arms: [0, 1].map(|s| world_anchors[s] - Vec3::of(poses[s].position)),
            axes: [0, 1].map(|s| rotations[s].mul_vec(Vec3::of(joint.axes[s]))),
            across: [0, 1].map(|s| rotations[s].mul_vec(Vec3::of(joint.across[s]))),
        }
    }

    /// Two directions perpendicular to the axis of the second body.
    fn perpendicular_axes(&self) -> [Vec3<f64>; 2] {
        [self.across[1], self.axes[1].cross(self.across[1])]
    }

    /// Angle of the second body relative to the first about the axis \[rad\], the value nearest to `around`.
    pub fn angle(&self, around: f64) -> f64 {
        let [u, v] = self.across;
        let angle = atan2(self.axes[0].dot(u.cross(v)), u.dot(v));
        let turns = ((angle - around) / std::f64::consts::TAU).round();
        angle - turns * std::f64::consts::TAU
    }

    /// Angle between the two axes \[rad\], and the direction about which it increases.
    pub fn swing_angle(&self) -> (f64, Vec3<f64>) {
        let n = self.axes[0].cross(self.axes[1]);
        let sine = n.norm();
        let n = n.scale(if sine > 1e-12 { 1.0 / sine } else { 0.0 });
        (acos(self.axes[0].dot(self.axes[1]).clamp(-1.0, 1.0)), n)
    }

    /// Unit vector from the second anchor to the first, and their distance \[m\].
    fn separation(&self) -> (Vec3<f64>, f64) {
        let d = self.anchors[0] - self.anchors[1];
        let length = d.norm();
        let n = if length > 0.0 { d.scale(1.0 / length) } else { Vec3::new(0.0, 1.0, 0.0) };
        (n, length)
    }
}

/// Row of a force along `n` between the two anchors.
fn force_row(frame: &JointFrame, n: Vec3<f64>) -> [Vec3<f64>; 4] {
    [n, frame.arms[0].cross(n), -n, -frame.arms[1].cross(n)]
}

/// Row of a torque along `n` between the two bodies, positive on the first.
fn torque_row(n: Vec3<f64>) -> [Vec3<f64>; 4] {
    [Vec3::zero(), n, Vec3::zero(), -n]
}

/// Calls `add` for the constraint rows of a joint, in a fixed order.
pub(super) fn constraint_rows(
    joint: &LocalJoint,
    frame: &JointFrame,
    add: &mut dyn FnMut(JointRow),
) {
    let equality = |value, gradient| JointRow { value, gradient, one_sided: false };
    let one_sided = |value, gradient| JointRow { value, gradient, one_sided: true };
    if let JointKind::Distance { length } = joint.kind {
        let (n, now) = frame.separation();
        return add(equality(now - length, force_row(frame, n)));
    }
    let gap = frame.anchors[0] - frame.anchors[1];
    for axis in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
        let n = Vec3::of(axis);
        add(equality(gap.dot(n), force_row(frame, n)));
    }
    match joint.kind {
        JointKind::Ball { cone: Some(largest) } => {
            let (angle, n) = frame.swing_angle();
            add(one_sided(largest - angle, torque_row(n)));
        }
        JointKind::Hinge { limits } => {
            let a = frame.axes[0];
            for side in frame.perpendicular_axes() {
                add(equality(a.dot(side), torque_row(a.cross(side))));
            }
            if let Some([least, largest]) = limits {
                let angle = frame.angle(0.5 * (least + largest));
                add(one_sided(angle - least, torque_row(-a)));
                add(one_sided(largest - angle, torque_row(a)));
            }
        }
        _ => {}
    }
}

/// Calls `add(κ, g)` for the positive modes of the geometric stiffness of a joint whose constraint
/// rows have the multipliers `lambda`.
pub(super) fn stiffness_rows(
    joint: &LocalJoint,
    frame: &JointFrame,
    lambda: &[f64],
    add: &mut dyn FnMut(f64, [Vec3<f64>; 4]),
) {
    let mut k = [[0.0; 12]; 12];
    if let JointKind::Distance { .. } = joint.kind {
        let (n, length) = frame.separation();
        if !(length > 0.0) {
            return;
        }
        // −λ B (I − n nᵀ) Bᵀ / l, with two directions perpendicular to the line.
        let first = crate::rigid::pose::perpendicular(n);
        for side in [first, n.cross(first)] {
            let row = flat(&force_row(frame, side));
            for i in 0..12 {
                for j in 0..12 {
                    k[i][j] -= lambda[0] / length * row[i] * row[j];
                }
            }
        }
        add_arm_stiffness(&mut k, 3, frame.arms[0], n.scale(lambda[0]));
        add_arm_stiffness(&mut k, 9, frame.arms[1], n.scale(-lambda[0]));
    } else {
        let force = Vec3::new(lambda[0], lambda[1], lambda[2]);
        add_arm_stiffness(&mut k, 3, frame.arms[0], force);
        add_arm_stiffness(&mut k, 9, frame.arms[1], -force);
        if let JointKind::Hinge { .. } = joint.kind {
            for (side, &l) in frame.perpendicular_axes().into_iter().zip(&lambda[3..5]) {
                add_axis_stiffness(&mut k, frame.axes[0], side, l);
            }
        }
    }
    // The world does not rotate.
    for i in (0..12).filter(|&i| joint.bodies[i / 6].is_none()) {
        (0..12).for_each(|j| (k[i][j], k[j][i]) = (0.0, 0.0));
    }
    positive_modes(&k, add);
}

fn flat(row: &[Vec3<f64>; 4]) -> [f64; 12] {
    std::array::from_fn(|i| [row[i / 3].x, row[i / 3].y, row[i / 3].z][i % 3])
}

/// Adds the rotational stiffness of a force `f` at an arm `r`, at rows and columns `at..at + 3`.
fn add_arm_stiffness(k: &mut [[f64; 12]; 12], at: usize, r: Vec3<f64>, f: Vec3<f64>) {
    let (r, f) = ([r.x, r.y, r.z], [f.x, f.y, f.z]);
    let dot = r[0] * f[0] + r[1] * f[1] + r[2] * f[2];
    for i in 0..3 {
        for j in 0..3 {
            let identity = if i == j { dot } else { 0.0 };
            k[at + i][at + j] += identity - 0.5 * (r[i] * f[j] + f[i] * r[j]);
        }
    }
}

/// Adds the stiffness of a multiplier of `a·b = 0`, with `a` in the first body and `b` in the second.
fn add_axis_stiffness(k: &mut [[f64; 12]; 12], a: Vec3<f64>, b: Vec3<f64>, lambda: f64) {
    add_arm_stiffness(k, 3, a, b.scale(lambda));
    add_arm_stiffness(k, 9, b, a.scale(lambda));
    let (a, b) = ([a.x, a.y, a.z], [b.x, b.y, b.z]);
    let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for i in 0..3 {
        for j in 0..3 {
            // θ₁ᵀ ((a·b) I − b aᵀ) θ₂ is the mixed term of (R₁ a)·(R₂ b).
            let mixed = -lambda * (if i == j { dot } else { 0.0 } - b[i] * a[j]);
            k[3 + i][9 + j] += mixed;
            k[9 + j][3 + i] += mixed;
        }
    }
}

fn positive_modes(k: &[[f64; 12]; 12], add: &mut dyn FnMut(f64, [Vec3<f64>; 4])) {
    let mut a = [0.0; 144];
    let mut v = [0.0; 144];
    for i in 0..12 {
        a[12 * i..12 * (i + 1)].copy_from_slice(&k[i]);
    }
    if a.iter().any(|c| !c.is_finite()) {
        return;
    }
    eigen_symmetric(&mut a, &mut v, 12);
    let largest = (0..12).map(|m| a[13 * m].abs()).fold(0.0, f64::max);
    for mode in 0..12 {
        if a[13 * mode] > 1e-12 * largest {
            let q = &v[12 * mode..12 * (mode + 1)];
            let part = |p: usize| Vec3::new(q[3 * p], q[3 * p + 1], q[3 * p + 2]);
            add(a[13 * mode], [part(0), part(1), part(2), part(3)]);
        }
    }
}
