//! Articulation: rigid bodies and joints in motion; [`Articulation::step`] advances them.

use crate::Error;
use crate::linalg::{Saddle, SaddleMethod};
use crate::math::Vec3;
use crate::rigid::body::RigidBody;
use crate::rigid::build::ArticulationBuilder;
use crate::rigid::joint::{JointKind, LocalJoint};
use crate::rigid::joint_rows::{JointFrame, constraint_rows, stiffness_rows};
use crate::rigid::pose::{Pose, array};

/// Settings of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArticulationSettings {
    /// Linearisations per step. One is the lecture's method. The joints of a ragdoll that hangs from a hand at
    /// thirty steps a second then separate by 24 mm, with two linearisations by 0.4 mm, with five by 3 µm.
    pub iterations: usize,
    /// True to include the geometric stiffness, by which loaded joints resist rotation within a step.
    pub geometric_stiffness: bool,
    /// Method for the linear systems.
    pub method: SaddleMethod,
    /// Largest speed \[m/s\], for angles \[rad/s\], at which the error of a hard joint, limit or the ground is
    /// corrected. The correction of a step stays in the velocities: without a bound, a bad step would throw the
    /// bodies.
    pub max_recovery_speed: f64,
}

impl Default for ArticulationSettings {
    fn default() -> Self {
        Self {
            iterations: 5,
            geometric_stiffness: true,
            method: SaddleMethod::PrimalDual,
            max_recovery_speed: 2.0,
        }
    }
}

impl ArticulationSettings {
    pub(super) fn validate(&self) -> Result<(), Error> {
        let name = "articulation";
        let invalid = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        if self.iterations == 0 {
            return invalid("number of iterations", 0.0, "it must be at least 1");
        }
        if !(self.max_recovery_speed > 0.0) {
            return invalid("recovery speed", self.max_recovery_speed, "it must be positive [m/s]");
        }
        match self.method {
            SaddleMethod::SchurCg { tolerance } if !(tolerance > 0.0 && tolerance < 1.0) => {
                invalid("tolerance of the linear solver", tolerance, "it must be between 0 and 1")
            }
            _ => Ok(()),
        }
    }
}

/// Report of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArticulationReport {
    /// True if the active set of limits and ground contacts converged in every iteration.
    pub active_set_converged: bool,
    /// Relative residual of the last linear system.
    pub residual: f64,
    /// True if the result was not finite, so that all bodies were rolled back and stopped.
    pub rolled_back: bool,
}

/// State of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BodyState {
    pub pose: Pose,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: [f64; 3],
    /// Angular momentum about the centre of mass, in the world's axes \[kg m²/s\].
    pub angular_momentum: [f64; 3],
}

/// Contact point of a body with the ground.
#[derive(Clone, Copy, Debug)]
struct GroundContact {
    body: usize,
    point: [f64; 3],
    radius: f64,
}

/// Rigid bodies and joints in motion. Made by an [`ArticulationBuilder`].
pub struct Articulation {
    mass: Vec<f64>,
    inertia: Vec<[f64; 3]>,
    joints: Vec<LocalJoint>,
    /// First row of each joint, and the first row of the ground contacts.
    first_rows: Vec<usize>,
    ground_contacts: Vec<GroundContact>,
    gravity: [f64; 3],
    ground: f64,
    settings: ArticulationSettings,
    pub(super) state: Vec<BodyState>,
    /// Multipliers of the constraint rows of all joints, in order.
    pub(super) multipliers: Vec<f64>,
    pub(super) steps: u64,
    pub(super) time: f64,
    saddle: Saddle,
    /// For each body: the velocity at which the next iteration linearises, the velocity without joint forces,
    /// and the pose at which its inertia is evaluated.
    velocities: Vec<[[f64; 3]; 2]>,
    free_velocities: Vec<[[f64; 3]; 2]>,
    midpoint_poses: Vec<Pose>,
    end_poses: Vec<Pose>,
    last_valid: Vec<BodyState>,
}

impl Articulation {
    pub(super) fn new(scene: ArticulationBuilder) -> Result<Self, Error> {
        let bodies = &scene.bodies;
        let joints: Vec<LocalJoint> =
            scene.joints.iter().map(|j| LocalJoint::new(j, bodies)).collect();
        let columns = |body: usize| (6 * body as u32..6 * body as u32 + 6).collect::<Vec<u32>>();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        let mut first = Vec::new();
        for joint in &joints {
            first.push(rows.len());
            let both: Vec<u32> = joint.bodies.iter().flatten().flat_map(|&b| columns(b)).collect();
            let stiff =
                if scene.settings.geometric_stiffness { joint.max_stiffness_rows() } else { 0 };
            rows.extend((0..joint.row_count() + stiff).map(|_| both.clone()));
        }
        first.push(rows.len());
        let mut feelers = Vec::new();
        if scene.ground.is_some() {
            for (body, b) in bodies.iter().enumerate() {
                for &point in &b.contact_points {
                    feelers.push(GroundContact { body, point, radius: b.contact_radius });
                    rows.push(columns(body));
                }
            }
        }
        let state: Vec<BodyState> = bodies.iter().map(initial_state).collect();
        let n = bodies.len();
        Ok(Self {
            mass: bodies.iter().map(|b| b.mass).collect(),
            inertia: bodies.iter().map(|b| b.inertia).collect(),
            multipliers: vec![0.0; joints.iter().map(LocalJoint::row_count).sum()],
            joints,
            first_rows: first,
            ground_contacts: feelers,
            gravity: scene.gravity,
            ground: scene.ground.unwrap_or(f64::NEG_INFINITY),
            settings: scene.settings,
            saddle: Saddle::new(6 * n, &rows, scene.settings.method)?,
            velocities: vec![[[0.0; 3]; 2]; n],
            free_velocities: vec![[[0.0; 3]; 2]; n],
            midpoint_poses: vec![Pose::default(); n],
            end_poses: vec![Pose::default(); n],
            last_valid: state.clone(),
            state,
            steps: 0,
            time: 0.0,
        })
    }

    /// Advances by `h` \[s\]. Never fails: a result that is not finite is rolled back and reported. A step that
    /// is not positive and finite does nothing.
    pub fn step(&mut self, h: f64) -> ArticulationReport {
        let mut report = ArticulationReport { active_set_converged: true, ..Default::default() };
        if !(h > 0.0 && h.is_finite()) {
            return report;
        }
        self.last_valid.copy_from_slice(&self.state);
        self.predict(h);
        for _ in 0..self.settings.iterations {
            self.linearise(h);
            let solved = self.saddle.solve();
            report.active_set_converged &= solved.active_set_converged;
            report.residual = solved.residual;
            self.update_velocities(h);
            self.store_multipliers();
        }
        self.finish();
        if self.state.iter().any(|s| !is_finite(s)) {
            self.state.copy_from_slice(&self.last_valid);
            for s in &mut self.state {
                (s.velocity, s.angular_momentum) = ([0.0; 3], [0.0; 3]);
            }
            self.multipliers.fill(0.0);
            report.rolled_back = true;
        }
        self.steps = self.steps.wrapping_add(1);
        self.time += h;
        report
    }

    /// Predicts velocities without joints, and the poses half a step ahead.
    fn predict(&mut self, h: f64) {
        for (i, s) in self.state.iter().enumerate() {
            let velocity = [0, 1, 2].map(|c| s.velocity[c] + h * self.gravity[c]);
            // Angular velocity half a step ahead, which is more accurate than that at the start.
            let now = angular_velocity_of(&s.pose, self.inertia[i], s.angular_momentum);
            let mut middle = s.pose.moved([0.0; 3], now.map(|w| 0.5 * h * w));
            let ahead = angular_velocity_of(&middle, self.inertia[i], s.angular_momentum);
            middle = s.pose.moved([0.0; 3], ahead.map(|w| 0.5 * h * w));
            self.free_velocities[i] =
                [velocity, angular_velocity_of(&middle, self.inertia[i], s.angular_momentum)];
            self.midpoint_poses[i] = middle;
            self.end_poses[i] = s.pose;
            self.velocities[i] = [[0.0; 3]; 2];
        }
    }

    /// Square roots of a body's inverse mass and of its inverse inertia along its axes.
    fn inverse_roots(&self, body: usize) -> (f64, [f64; 3]) {
        (1.0 / self.mass[body].sqrt(), self.inertia[body].map(|i| 1.0 / i.sqrt()))
    }

    /// Fills the system with the rows at the current poses, in coordinates `z = √M (v − v_at)`.
    fn linearise(&mut self, h: f64) {
        self.saddle.clear();
        let most = self.settings.max_recovery_speed * h;
        let mut multiplier = 0;
        for j in 0..self.joints.len() {
            let joint = self.joints[j];
            let frame = JointFrame::new(&joint, |b| self.end_poses[b]);
            let mut row = self.first_rows[j];
            constraint_rows(&joint, &frame, &mut |r| {
                self.fill(row, joint.bodies, &r.gradient, h);
                let most = if joint.compliance > 0.0 { f64::INFINITY } else { most };
                match r.one_sided {
                    true => self.saddle.set_one_sided(row, r.value.max(-most), joint.compliance),
                    false => self.saddle.set(row, r.value.clamp(-most, most), joint.compliance),
                }
                row += 1;
            });
            let end = multiplier + joint.row_count();
            if self.settings.geometric_stiffness {
                let mut lambda = [0.0; 8];
                let own = &self.multipliers[multiplier..end];
                lambda[..own.len()].copy_from_slice(own);
                let last = self.first_rows[j + 1];
                stiffness_rows(&joint, &frame, &lambda[..own.len()], &mut |kappa, gradient| {
                    if row < last {
                        self.fill(row, joint.bodies, &gradient, h);
                        self.saddle.set(row, 0.0, 1.0 / kappa);
                        row += 1;
                    }
                });
            }
            multiplier = end;
        }
        let ground = self.first_rows[self.joints.len()];
        for f in 0..self.ground_contacts.len() {
            let GroundContact { body, point, radius } = self.ground_contacts[f];
            let pose = self.end_poses[body];
            let arm = pose.rotation().mul_vec(Vec3::of(point));
            let up = Vec3::new(0.0, 1.0, 0.0);
            let gradient = [up, arm.cross(up), Vec3::zero(), Vec3::zero()];
            self.fill(ground + f, [Some(body), None], &gradient, h);
            let height = pose.position[1] + arm.y - radius - self.ground;
            self.saddle.set_one_sided(ground + f, height.max(-most), 0.0);
        }
        for i in 0..self.mass.len() {
            let (root, roots) = self.inverse_roots(i);
            let linear = [0, 1, 2]
                .map(|c| (self.free_velocities[i][0][c] - self.velocities[i][0][c]) / root);
            let angular =
                Vec3::<f64>::of(self.free_velocities[i][1]) - Vec3::of(self.velocities[i][1]);
            let angular = array(self.midpoint_poses[i].rotate_to_local(angular));
            let z = self.saddle.free_motion_mut();
            for c in 0..3 {
                z[6 * i + c] = linear[c];
                z[6 * i + 3 + c] = angular[c] / roots[c];
            }
        }
    }

    /// Writes a row over the velocities of up to two bodies.
    fn fill(&mut self, row: usize, bodies: [Option<usize>; 2], gradient: &[Vec3<f64>; 4], h: f64) {
        let mut entries = [0.0; 12];
        let mut n = 0;
        for (side, body) in bodies.into_iter().enumerate() {
            let Some(body) = body else { continue };
            let (root, roots) = self.inverse_roots(body);
            let linear = array(gradient[2 * side]);
            let angular = array(self.midpoint_poses[body].rotate_to_local(gradient[2 * side + 1]));
            for c in 0..3 {
                entries[n + c] = h * root * linear[c];
                entries[n + 3 + c] = h * roots[c] * angular[c];
            }
            n += 6;
        }
        self.saddle.fill(row, |i, _| entries[i]);
    }

    /// Updates the velocities from the solution, and the poses that follow from them.
    fn update_velocities(&mut self, h: f64) {
        for i in 0..self.mass.len() {
            let (root, roots) = self.inverse_roots(i);
            let z = &self.saddle.solution()[6 * i..6 * i + 6];
            let turn = Vec3::new(z[3] * roots[0], z[4] * roots[1], z[5] * roots[2]);
            let turn = array(self.midpoint_poses[i].rotation().mul_vec(turn));
            for c in 0..3 {
                self.velocities[i][0][c] += root * z[c];
                self.velocities[i][1][c] += turn[c];
            }
            let [v, w] = self.velocities[i];
            self.end_poses[i] = self.state[i].pose.moved(v.map(|c| h * c), w.map(|c| h * c));
        }
    }

    fn store_multipliers(&mut self) {
        let mut k = 0;
        for (j, joint) in self.joints.iter().enumerate() {
            for row in 0..joint.row_count() {
                self.multipliers[k] = self.saddle.multipliers()[self.first_rows[j] + row];
                k += 1;
            }
        }
    }

    /// Moves the bodies to the poses of the last iteration.
    fn finish(&mut self) {
        for (i, s) in self.state.iter_mut().enumerate() {
            let [v, w] = self.velocities[i];
            let change = Vec3::<f64>::of(w) - Vec3::of(self.free_velocities[i][1]);
            let gained =
                angular_momentum_of(&self.midpoint_poses[i], self.inertia[i], array(change));
            s.pose = self.end_poses[i];
            s.velocity = v;
            (0..3).for_each(|c| s.angular_momentum[c] += gained[c]);
        }
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.state.len()
    }

    /// True if there are no bodies, which is never the case.
    pub fn is_empty(&self) -> bool {
        self.state.is_empty()
    }

    /// Pose of a body.
    pub fn pose(&self, body: usize) -> Pose {
        self.state[body].pose
    }

    /// Velocity of a body's centre of mass \[m/s\].
    pub fn velocity(&self, body: usize) -> [f64; 3] {
        self.state[body].velocity
    }

    /// Angular velocity of a body \[rad/s\].
    pub fn angular_velocity(&self, body: usize) -> [f64; 3] {
        let s = &self.state[body];
        angular_velocity_of(&s.pose, self.inertia[body], s.angular_momentum)
    }

    /// Number of steps taken.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Time \[s\].
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The settings.
    pub fn settings(&self) -> ArticulationSettings {
        self.settings
    }

    /// Forces \[N\] and torques \[N m\] of the joints in the last step, row by row: three of a ball joint or
    /// hinge along the world's axes on its first body, then those of its angles and limits; one of a distance
    /// joint along its line.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Largest error of a joint \[m\]: the distance of the anchors of ball joints and hinges, the excess length
    /// of distance joints.
    pub fn max_joint_error(&self) -> f64 {
        let mut largest = 0.0_f64;
        for joint in &self.joints {
            let frame = JointFrame::new(joint, |b| self.state[b].pose);
            let apart = (frame.anchors[0] - frame.anchors[1]).norm();
            largest = largest.max(match joint.kind {
                JointKind::Distance { length } => (apart - length).abs(),
                _ => apart,
            });
        }
        largest
    }

    /// Angle of a hinge \[rad\], or between the axes of a ball joint.
    pub fn joint_angle(&self, joint: usize) -> f64 {
        let joint = &self.joints[joint];
        let frame = JointFrame::new(joint, |b| self.state[b].pose);
        match joint.kind {
            JointKind::Hinge { limits } => {
                frame.angle(limits.map_or(0.0, |[least, largest]| 0.5 * (least + largest)))
            }
            _ => frame.swing_angle().0,
        }
    }

    /// Largest violation of a limit \[rad\].
    pub fn max_limit_violation(&self) -> f64 {
        let mut worst = 0.0_f64;
        for (j, joint) in self.joints.iter().enumerate() {
            let angle = self.joint_angle(j);
            worst = worst.max(match joint.kind {
                JointKind::Ball { cone: Some(largest) } => angle - largest,
                JointKind::Hinge { limits: Some([least, largest]) } => {
                    (least - angle).max(angle - largest)
                }
                _ => 0.0,
            });
        }
        worst
    }

    /// Kinetic energy \[J\].
    pub fn kinetic_energy(&self) -> f64 {
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let of = |i: usize| {
            let s = &self.state[i];
            0.5 * (self.mass[i] * dot(s.velocity, s.velocity)
                + dot(s.angular_momentum, self.angular_velocity(i)))
        };
        (0..self.len()).map(of).sum()
    }

    /// Potential energy of gravity \[J\], zero at the origin.
    pub fn potential_energy(&self) -> f64 {
        let g = self.gravity;
        let of = |i: usize| {
            let x = self.state[i].pose.position;
            -self.mass[i] * (g[0] * x[0] + g[1] * x[1] + g[2] * x[2])
        };
        (0..self.len()).map(of).sum()
    }

    /// Elastic energy of joints with compliance \[J\].
    pub fn elastic_energy(&self) -> f64 {
        let mut sum = 0.0;
        for joint in self.joints.iter().filter(|j| j.compliance > 0.0) {
            let frame = JointFrame::new(joint, |b| self.state[b].pose);
            constraint_rows(joint, &frame, &mut |row| {
                let value = if row.one_sided { row.value.min(0.0) } else { row.value };
                sum += 0.5 * value * value / joint.compliance;
            });
        }
        sum
    }

    /// Linear momentum \[kg m/s\].
    pub fn linear_momentum(&self) -> [f64; 3] {
        let of = |c: usize| (0..self.len()).map(|i| self.mass[i] * self.state[i].velocity[c]).sum();
        [of(0), of(1), of(2)]
    }

    /// Angular momentum about the origin \[kg m²/s\].
    pub fn angular_momentum(&self) -> [f64; 3] {
        let mut sum = Vec3::zero();
        for (i, s) in self.state.iter().enumerate() {
            let p = Vec3::<f64>::of(s.velocity).scale(self.mass[i]);
            sum += Vec3::of(s.pose.position).cross(p) + Vec3::of(s.angular_momentum);
        }
        array(sum)
    }
}

fn initial_state(body: &RigidBody) -> BodyState {
    BodyState {
        pose: body.pose,
        velocity: body.velocity,
        angular_momentum: body.angular_momentum(),
    }
}

/// Angular velocity for an angular momentum.
fn angular_velocity_of(pose: &Pose, inertia: [f64; 3], angular: [f64; 3]) -> [f64; 3] {
    let l = pose.rotate_to_local(Vec3::of(angular));
    let w = Vec3::new(l.x / inertia[0], l.y / inertia[1], l.z / inertia[2]);
    array(pose.rotation().mul_vec(w))
}

/// Angular momentum for an angular velocity.
fn angular_momentum_of(pose: &Pose, inertia: [f64; 3], spin: [f64; 3]) -> [f64; 3] {
    let w = pose.rotate_to_local(Vec3::of(spin));
    let l = Vec3::new(w.x * inertia[0], w.y * inertia[1], w.z * inertia[2]);
    array(pose.rotation().mul_vec(l))
}

fn is_finite(s: &BodyState) -> bool {
    let place = s.pose.position.iter().chain(&s.pose.orientation);
    place.chain(&s.velocity).chain(&s.angular_momentum).all(|c| c.is_finite())
}
