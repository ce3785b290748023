//! Articulation: rigid bodies and joints in motion; `step` moves them on.

use super::body::RigidBody;
use super::build::ArticulationBuilder;
use super::joint::{JointKind, LocalJoint};
use super::joint_rows::{JointFrame, constraint_rows, stiffness_rows};
use super::pose::{Pose, array};
use crate::Error;
use crate::linalg::{Saddle, SaddleMethod};
use crate::math::Vec3;

/// How steps are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArticulationSettings {
    /// Linearisations per step. One is the lecture's method; a ragdoll that hangs from a hand at
    /// thirty steps a second then parts by 24 mm at its joints, with two by 0.4 mm, with five by 3 µm.
    pub iterations: usize,
    /// Whether loaded joints resist being turned within a step.
    pub geometric: bool,
    /// How the linear systems are solved.
    pub method: SaddleMethod,
    /// The highest speed \[m/s\], for angles \[rad/s\], at which the error of a hard joint, limit or
    /// floor is taken back. What a step takes back stays in the velocities: unbounded, a bad step
    /// would throw the bodies.
    pub recovery: f64,
}

impl Default for ArticulationSettings {
    fn default() -> Self {
        Self { iterations: 5, geometric: true, method: SaddleMethod::PrimalDual, recovery: 2.0 }
    }
}

impl ArticulationSettings {
    pub(super) fn check(&self) -> Result<(), Error> {
        let name = "articulation";
        let bad = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        if self.iterations == 0 {
            return bad("number of iterations", 0.0, "give one or more");
        }
        if !(self.recovery > 0.0) {
            return bad("recovery", self.recovery, "give a positive speed, or infinity");
        }
        match self.method {
            SaddleMethod::SchurCg { tolerance } if !(tolerance > 0.0 && tolerance < 1.0) => {
                bad("tolerance of its method", tolerance, "give a number between zero and one")
            }
            _ => Ok(()),
        }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArticulationReport {
    /// Whether the limits and the ground came to rest in every iteration.
    pub settled: bool,
    /// Relative residual of the last linear system.
    pub residual: f64,
    /// Whether the result was not finite, so that everything was set back and stopped.
    pub set_back: bool,
}

/// What a body does from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BodyState {
    pub pose: Pose,
    /// \[m/s\].
    pub velocity: [f64; 3],
    /// About the centre of mass, in the world's axes \[kg m²/s\].
    pub angular: [f64; 3],
}

/// One feeler of a body over the ground.
#[derive(Clone, Copy, Debug)]
struct Feeler {
    body: usize,
    point: [f64; 3],
    radius: f64,
}

/// Rigid bodies and joints in motion. Made by an [`ArticulationBuilder`].
pub struct Articulation {
    mass: Vec<f64>,
    inertia: Vec<[f64; 3]>,
    joints: Vec<LocalJoint>,
    /// The first row of each joint, and where the ground's start.
    first: Vec<usize>,
    feelers: Vec<Feeler>,
    gravity: [f64; 3],
    ground: f64,
    settings: ArticulationSettings,
    pub(super) state: Vec<BodyState>,
    /// Multipliers of the joints' constraint rows, all joints one after another.
    pub(super) multipliers: Vec<f64>,
    pub(super) steps: u64,
    pub(super) time: f64,
    saddle: Saddle,
    /// Of each body: the velocity the iteration starts at, the one it would have without forces,
    /// and the pose in which its inertia is taken.
    at: Vec<[[f64; 3]; 2]>,
    free: Vec<[[f64; 3]; 2]>,
    middle: Vec<Pose>,
    reached: Vec<Pose>,
    good: Vec<BodyState>,
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
            let stiff = if scene.settings.geometric { joint.stiffnesses() } else { 0 };
            rows.extend((0..joint.rows() + stiff).map(|_| both.clone()));
        }
        first.push(rows.len());
        let mut feelers = Vec::new();
        if scene.ground.is_some() {
            for (body, b) in bodies.iter().enumerate() {
                for &point in &b.feelers {
                    feelers.push(Feeler { body, point, radius: b.radius });
                    rows.push(columns(body));
                }
            }
        }
        let state: Vec<BodyState> = bodies.iter().map(start).collect();
        let n = bodies.len();
        Ok(Self {
            mass: bodies.iter().map(|b| b.mass).collect(),
            inertia: bodies.iter().map(|b| b.inertia).collect(),
            multipliers: vec![0.0; joints.iter().map(LocalJoint::rows).sum()],
            joints,
            first,
            feelers,
            gravity: scene.gravity,
            ground: scene.ground.unwrap_or(f64::NEG_INFINITY),
            settings: scene.settings,
            saddle: Saddle::new(6 * n, &rows, scene.settings.method)?,
            at: vec![[[0.0; 3]; 2]; n],
            free: vec![[[0.0; 3]; 2]; n],
            middle: vec![Pose::default(); n],
            reached: vec![Pose::default(); n],
            good: state.clone(),
            state,
            steps: 0,
            time: 0.0,
        })
    }

    /// Moves on by `h` \[s\]. Never fails: what is not finite is set back, and the report says so. A
    /// step that is not positive and finite does nothing.
    pub fn step(&mut self, h: f64) -> ArticulationReport {
        let mut report = ArticulationReport { settled: true, ..Default::default() };
        if !(h > 0.0 && h.is_finite()) {
            return report;
        }
        self.good.copy_from_slice(&self.state);
        self.predict(h);
        for _ in 0..self.settings.iterations {
            self.linearise(h);
            let solved = self.saddle.solve();
            report.settled &= solved.settled;
            report.residual = solved.residual;
            self.take_velocities(h);
            self.keep_multipliers();
        }
        self.finish();
        if self.state.iter().any(|s| !is_finite(s)) {
            self.state.copy_from_slice(&self.good);
            for s in &mut self.state {
                (s.velocity, s.angular) = ([0.0; 3], [0.0; 3]);
            }
            self.multipliers.fill(0.0);
            report.set_back = true;
        }
        self.steps = self.steps.wrapping_add(1);
        self.time += h;
        report
    }

    /// Velocities without joints, and the poses half a step ahead.
    fn predict(&mut self, h: f64) {
        for (i, s) in self.state.iter().enumerate() {
            let velocity = [0, 1, 2].map(|c| s.velocity[c] + h * self.gravity[c]);
            // The angular velocity half a step ahead, where it is better than here.
            let now = spin(&s.pose, self.inertia[i], s.angular);
            let mut middle = s.pose.moved([0.0; 3], now.map(|w| 0.5 * h * w));
            let ahead = spin(&middle, self.inertia[i], s.angular);
            middle = s.pose.moved([0.0; 3], ahead.map(|w| 0.5 * h * w));
            self.free[i] = [velocity, spin(&middle, self.inertia[i], s.angular)];
            self.middle[i] = middle;
            self.reached[i] = s.pose;
            self.at[i] = [[0.0; 3]; 2];
        }
    }

    /// The roots of a body's inverse mass and inertia along its axes.
    fn inverse_roots(&self, body: usize) -> (f64, [f64; 3]) {
        (1.0 / self.mass[body].sqrt(), self.inertia[body].map(|i| 1.0 / i.sqrt()))
    }

    /// Fills the system with the rows at the poses reached, in coordinates `z = √M (v − v_at)`.
    fn linearise(&mut self, h: f64) {
        self.saddle.clear();
        let most = self.settings.recovery * h;
        let mut multiplier = 0;
        for j in 0..self.joints.len() {
            let joint = self.joints[j];
            let frame = JointFrame::new(&joint, |b| self.reached[b]);
            let mut row = self.first[j];
            constraint_rows(&joint, &frame, &mut |r| {
                self.fill(row, joint.bodies, &r.gradient, h);
                let most = if joint.compliance > 0.0 { f64::INFINITY } else { most };
                match r.one_sided {
                    true => self.saddle.set_one_sided(row, r.value.max(-most), joint.compliance),
                    false => self.saddle.set(row, r.value.clamp(-most, most), joint.compliance),
                }
                row += 1;
            });
            let end = multiplier + joint.rows();
            if self.settings.geometric {
                let mut lambda = [0.0; 8];
                let own = &self.multipliers[multiplier..end];
                lambda[..own.len()].copy_from_slice(own);
                let last = self.first[j + 1];
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
        let ground = self.first[self.joints.len()];
        for f in 0..self.feelers.len() {
            let Feeler { body, point, radius } = self.feelers[f];
            let pose = self.reached[body];
            let arm = pose.rotation().mul_vec(Vec3::of(point));
            let up = Vec3::new(0.0, 1.0, 0.0);
            let gradient = [up, arm.cross(up), Vec3::zero(), Vec3::zero()];
            self.fill(ground + f, [Some(body), None], &gradient, h);
            let height = pose.position[1] + arm.y - radius - self.ground;
            self.saddle.set_one_sided(ground + f, height.max(-most), 0.0);
        }
        for i in 0..self.mass.len() {
            let (root, roots) = self.inverse_roots(i);
            let linear = [0, 1, 2].map(|c| (self.free[i][0][c] - self.at[i][0][c]) / root);
            let angular = Vec3::<f64>::of(self.free[i][1]) - Vec3::of(self.at[i][1]);
            let angular = array(self.middle[i].unturn(angular));
            let z = self.saddle.start_mut();
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
            let angular = array(self.middle[body].unturn(gradient[2 * side + 1]));
            for c in 0..3 {
                entries[n + c] = h * root * linear[c];
                entries[n + 3 + c] = h * roots[c] * angular[c];
            }
            n += 6;
        }
        self.saddle.fill(row, |i, _| entries[i]);
    }

    /// Takes the velocities that were found, and the poses that they lead to.
    fn take_velocities(&mut self, h: f64) {
        for i in 0..self.mass.len() {
            let (root, roots) = self.inverse_roots(i);
            let z = &self.saddle.solution()[6 * i..6 * i + 6];
            let turn = Vec3::new(z[3] * roots[0], z[4] * roots[1], z[5] * roots[2]);
            let turn = array(self.middle[i].rotation().mul_vec(turn));
            for c in 0..3 {
                self.at[i][0][c] += root * z[c];
                self.at[i][1][c] += turn[c];
            }
            let [v, w] = self.at[i];
            self.reached[i] = self.state[i].pose.moved(v.map(|c| h * c), w.map(|c| h * c));
        }
    }

    fn keep_multipliers(&mut self) {
        let mut k = 0;
        for (j, joint) in self.joints.iter().enumerate() {
            for row in 0..joint.rows() {
                self.multipliers[k] = self.saddle.multipliers()[self.first[j] + row];
                k += 1;
            }
        }
    }

    /// Moves the bodies to where the last iteration led.
    fn finish(&mut self) {
        for (i, s) in self.state.iter_mut().enumerate() {
            let [v, w] = self.at[i];
            let change = Vec3::<f64>::of(w) - Vec3::of(self.free[i][1]);
            let gained = momentum(&self.middle[i], self.inertia[i], array(change));
            s.pose = self.reached[i];
            s.velocity = v;
            (0..3).for_each(|c| s.angular[c] += gained[c]);
        }
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.state.len()
    }

    /// Whether there are no bodies. There always are.
    pub fn is_empty(&self) -> bool {
        self.state.is_empty()
    }

    /// Where a body is.
    pub fn pose(&self, body: usize) -> Pose {
        self.state[body].pose
    }

    /// Velocity of a body's centre of mass \[m/s\].
    pub fn velocity(&self, body: usize) -> [f64; 3] {
        self.state[body].velocity
    }

    /// Angular velocity of a body \[rad/s\].
    pub fn spin(&self, body: usize) -> [f64; 3] {
        let s = &self.state[body];
        spin(&s.pose, self.inertia[body], s.angular)
    }

    /// Steps taken.
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

    /// Forces \[N\] and torques \[N m\] of the joints in the last step, row by row: three of a ball or
    /// hinge along the world's axes on its first body, then of its angles and limits; one along the
    /// line of a distance.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// The largest error of a joint \[m\]: of balls and hinges the distance of their anchors, of
    /// distances their excess.
    pub fn joint_gap(&self) -> f64 {
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

    /// The angle of a hinge \[rad\], or that between the axes of a ball.
    pub fn joint_angle(&self, joint: usize) -> f64 {
        let joint = &self.joints[joint];
        let frame = JointFrame::new(joint, |b| self.state[b].pose);
        match joint.kind {
            JointKind::Hinge { limits } => {
                frame.angle(limits.map_or(0.0, |[least, largest]| 0.5 * (least + largest)))
            }
            _ => frame.parting().0,
        }
    }

    /// How far the worst limit is exceeded \[rad\].
    pub fn limit_excess(&self) -> f64 {
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
            0.5 * (self.mass[i] * dot(s.velocity, s.velocity) + dot(s.angular, self.spin(i)))
        };
        (0..self.len()).map(of).sum()
    }

    /// Energy in the field of gravity \[J\], zero at the origin.
    pub fn potential_energy(&self) -> f64 {
        let g = self.gravity;
        let of = |i: usize| {
            let x = self.state[i].pose.position;
            -self.mass[i] * (g[0] * x[0] + g[1] * x[1] + g[2] * x[2])
        };
        (0..self.len()).map(of).sum()
    }

    /// Energy in joints with compliance \[J\].
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
    pub fn momentum(&self) -> [f64; 3] {
        let of = |c: usize| (0..self.len()).map(|i| self.mass[i] * self.state[i].velocity[c]).sum();
        [of(0), of(1), of(2)]
    }

    /// Angular momentum about the origin \[kg m²/s\].
    pub fn angular_momentum(&self) -> [f64; 3] {
        let mut sum = Vec3::zero();
        for (i, s) in self.state.iter().enumerate() {
            let p = Vec3::<f64>::of(s.velocity).scale(self.mass[i]);
            sum += Vec3::of(s.pose.position).cross(p) + Vec3::of(s.angular);
        }
        array(sum)
    }
}

fn start(body: &RigidBody) -> BodyState {
    BodyState { pose: body.pose, velocity: body.velocity, angular: body.angular_momentum() }
}

/// The angular velocity of an angular momentum.
fn spin(pose: &Pose, inertia: [f64; 3], angular: [f64; 3]) -> [f64; 3] {
    let l = pose.unturn(Vec3::of(angular));
    let w = Vec3::new(l.x / inertia[0], l.y / inertia[1], l.z / inertia[2]);
    array(pose.rotation().mul_vec(w))
}

/// The angular momentum of an angular velocity.
fn momentum(pose: &Pose, inertia: [f64; 3], spin: [f64; 3]) -> [f64; 3] {
    let w = pose.unturn(Vec3::of(spin));
    let l = Vec3::new(w.x * inertia[0], w.y * inertia[1], w.z * inertia[2]);
    array(pose.rotation().mul_vec(l))
}

fn is_finite(s: &BodyState) -> bool {
    let place = s.pose.position.iter().chain(&s.pose.orientation);
    place.chain(&s.velocity).chain(&s.angular).all(|c| c.is_finite())
}
