//! A rigid body of the simulation that stands for one of rapier's: its ward.

use crate::Error;
use crate::expected::{Expected, Lasting};
use crate::place::{Place, narrow, wide};
use crate::vector::{V, add, cross, norm, scale, solve, sub};
use pliant::prelude::*;
use rapier3d::math::Vector;
use rapier3d::prelude::{RigidBody, RigidBodyHandle, RigidBodyType};

/// A body at rest is woken where it gains more than this [m/s].
const WAKE: f64 = 1e-3;

/// A rigid body that stands for rapier's.
#[derive(Clone, Debug)]
pub struct Ward {
    pub handle: RigidBodyHandle,
    pub body: Body,
    /// Its four vertices in the coordinates of rapier's body \[m\].
    local: [V; 4],
    /// Its mass \[kg\]; none where nothing moves it.
    mass: Option<f64>,
    expected: Expected,
    /// Momenta of rapier's body before the last step of its world, with what it was given.
    before: Option<Momenta>,
    /// Momenta that the simulation's step would end with if nothing touched.
    free: Momenta,
    given: Lasting,
    /// What was given in the last step, in parts of the body's weight.
    load: f64,
    /// A force \[N\] and a torque \[N m\] that are to be withdrawn after the step of rapier's world.
    pushing: Option<Pushing>,
}

/// What a body was pushed with before, and is pushed with now: force and torque.
#[derive(Clone, Copy, Debug)]
struct Pushing {
    before: [Vector; 2],
    now: [Vector; 2],
}

/// Linear momentum, and angular momentum about the centre [kg m/s, kg m²/s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momenta {
    pub linear: V,
    pub angular: V,
}

impl Momenta {
    fn plus(self, [linear, angular]: [V; 2]) -> Self {
        Self { linear: add(self.linear, linear), angular: add(self.angular, angular) }
    }

    fn minus(self, other: Self) -> [V; 2] {
        [sub(self.linear, other.linear), sub(self.angular, other.angular)]
    }
}

impl Ward {
    /// A ward whose four vertices start at `four` \[m\], of a body at a place.
    pub fn new(
        handle: RigidBodyHandle,
        body: Body,
        four: &[V],
        place: &Place,
        mass: Option<f64>,
    ) -> Self {
        let local = std::array::from_fn(|k| place.local(four[k]));
        let (expected, before, free, given, load, pushing) = Default::default();
        Self { handle, body, local, mass, expected, before, free, given, load, pushing }
    }

    /// Whether what touches it moves it.
    pub fn is_moved(&self) -> bool {
        self.mass.is_some()
    }

    /// The word for it in messages.
    pub fn kind(&self) -> &'static str {
        if self.is_moved() { "dynamic" } else { "kinematic" }
    }

    /// Sends the simulation's body to where rapier's will be after a step of `dt` \[s\]. It goes there from where
    /// the simulation left it, so that nothing passes through it on the way. `gravity` is rapier's and the
    /// simulation's [m/s²].
    pub fn lead<S: Precision>(
        &mut self,
        sim: &mut Simulation<S>,
        own: &RigidBody,
        gravity: [V; 2],
    ) -> Result<(), Error> {
        let dt = sim.time_step();
        let Some(mass) = self.mass else {
            let place = end_of_step(own, dt);
            for (k, v) in self.body.vertices().enumerate() {
                sim.move_pin(v, place.point(self.local[k]))?;
            }
            return Ok(());
        };
        let place = Place::of(own.position());
        let four = self.local.map(|p| place.point(p));
        let middle = centre(&four);
        let moving = (wide(own.linvel()), wide(own.angvel()));
        let now = momenta(mass, &four, &four.map(|p| at(moving, middle, p)));
        // What rapier did by itself, beyond its gravity.
        let [rapiers, simulations] = gravity.map(|g| scale(g, mass * dt));
        if let Some(before) = self.before.replace(now) {
            let [linear, angular] = now.minus(before);
            self.expected.note([sub(linear, rapiers), angular], self.load);
        }
        let [linear, angular] = self.expected.impulses();
        let going = now.plus([add(linear, sub(rapiers, simulations)), angular]);
        let velocity = (scale(going.linear, 1.0 / mass), spin(mass, &four, going.angular));
        let jumped = norm(sub(self.body.centre(sim), middle)) > norm(sub(four[0], middle));
        let state = sim.state_mut();
        for (k, v) in self.body.vertices().enumerate() {
            let x = &mut state.positions[v];
            if jumped {
                (0..3).for_each(|c| x[c] = S::from_f64(four[k][c]));
            }
            let left = [0, 1, 2].map(|c| x[c].to_f64());
            let catching_up = scale(sub(four[k], left), 1.0 / dt);
            let u = add(at(velocity, middle, four[k]), catching_up);
            (0..3).for_each(|c| state.velocities[v][c] = S::from_f64(u[c]));
        }
        // What was written, as it was rounded.
        self.free = self.momenta(sim, mass).plus([simulations, [0.0; 3]]);
        Ok(())
    }

    /// Gives rapier's body what the simulation's gained. What lasts is a force over the step, which gravity can
    /// balance in each of rapier's substeps; the rest is an impulse.
    pub fn answer<S: Precision>(&mut self, sim: &Simulation<S>, own: &mut RigidBody, gravity: V) {
        let Some(mass) = self.mass else { return };
        let dt = sim.time_step();
        let gained = self.momenta(sim, mass).minus(self.free);
        let felt = norm(gained[0]) > WAKE * mass;
        if own.is_sleeping() && !felt {
            return;
        }
        let wake = own.is_sleeping() && felt;
        let lasting = self.given.note(gained);
        let [linear, angular] = [0, 1].map(|k| narrow(sub(gained[k], lasting[k])));
        own.apply_impulse(linear, wake);
        own.apply_torque_impulse(angular, wake);
        let before = [own.user_force(), own.user_torque()];
        own.add_force(narrow(scale(lasting[0], 1.0 / dt)), wake);
        own.add_torque(narrow(scale(lasting[1], 1.0 / dt)), wake);
        self.pushing = Some(Pushing { before, now: [own.user_force(), own.user_torque()] });
        self.before = self.before.map(|before| before.plus(gained));
        let weight = mass * norm(gravity) * dt;
        let load = norm(gained[0]) / weight;
        self.load = if load.is_finite() { load } else { f64::MAX };
    }

    /// Withdraws the force of the last step, unless the user has set another since.
    pub fn let_go(&mut self, own: &mut RigidBody) {
        let Some(Pushing { before, now }) = self.pushing.take() else { return };
        if own.user_force() == now[0] {
            own.reset_forces(false);
            own.add_force(before[0], false);
        }
        if own.user_torque() == now[1] {
            own.reset_torques(false);
            own.add_torque(before[1], false);
        }
    }

    fn momenta<S: Precision>(&self, sim: &Simulation<S>, mass: f64) -> Momenta {
        let state = sim.state();
        let wide = |p: &[S; 4]| [p[0].to_f64(), p[1].to_f64(), p[2].to_f64()];
        let first = self.body.vertices().start;
        let four = std::array::from_fn(|k| wide(&state.positions[first + k]));
        let velocities = std::array::from_fn(|k| wide(&state.velocities[first + k]));
        momenta(mass, &four, &velocities)
    }
}

/// Whether what touches a body moves it.
pub fn is_movable(own: &RigidBody) -> bool {
    own.is_dynamic() && own.locked_axes().is_empty()
}

/// Where a body that nothing moves will be after `dt` \[s\].
pub fn end_of_step(own: &RigidBody, dt: f64) -> Place {
    match own.body_type() {
        RigidBodyType::Fixed => Place::of(own.position()),
        RigidBodyType::KinematicPositionBased => Place::of(own.next_position()),
        _ => Place::of(&own.predict_position_using_velocity(dt as f32)),
    }
}

fn centre(four: &[V; 4]) -> V {
    scale(four.iter().fold([0.0; 3], |sum, p| add(sum, *p)), 0.25)
}

/// The velocity at a point of what moves and spins about a centre.
fn at((linear, spin): (V, V), centre: V, p: V) -> V {
    add(linear, cross(spin, sub(p, centre)))
}

/// The momenta of four equal masses.
fn momenta(mass: f64, four: &[V; 4], velocities: &[V; 4]) -> Momenta {
    let (centre, quarter) = (centre(four), 0.25 * mass);
    let mut sum = Momenta::default();
    for (p, v) in four.iter().zip(velocities) {
        let v = scale(*v, quarter);
        sum = sum.plus([v, cross(sub(*p, centre), v)]);
    }
    sum
}

/// The angular velocity [rad/s] of four equal masses with an angular momentum.
fn spin(mass: f64, four: &[V; 4], angular: V) -> V {
    let (centre, quarter) = (centre(four), 0.25 * mass);
    let mut columns = [[0.0; 3]; 3];
    for p in four {
        let r = sub(*p, centre);
        let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        for i in 0..3 {
            for j in 0..3 {
                columns[i][j] += quarter * (if i == j { square } else { 0.0 } - r[i] * r[j]);
            }
        }
    }
    solve(columns, angular)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spin_and_momentum_undo_each_other() {
        let four = [[0.3, 0.1, 0.2], [0.3, -0.1, -0.2], [-0.3, 0.1, -0.2], [-0.3, -0.1, 0.2]];
        let four = four.map(|p| add(p, [5.0, -1.0, 2.0]));
        let velocity = ([1.0, 2.0, -1.0], [0.5, -2.0, 3.0]);
        let own = momenta(2.0, &four, &four.map(|p| at(velocity, centre(&four), p)));
        assert!(norm(sub(own.linear, [2.0, 4.0, -2.0])) < 1e-13);
        assert!(norm(sub(spin(2.0, &four, own.angular), velocity.1)) < 1e-12);
    }
}
