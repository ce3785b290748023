//! Proxies: rigid bodies of the simulation that represent rapier's.

use crate::Error;
use crate::isometry::{Isometry, to_f32, to_f64};
use crate::reaction_estimate::{PersistentImpulse, ReactionEstimate};
use crate::vector::{V, add, cross, norm, scale, solve, sub};
use pliant::prelude::*;
use rapier3d::math::Vector;
use rapier3d::prelude::{RigidBody, RigidBodyHandle, RigidBodyType};

/// Speed gain above which a sleeping body is woken [m/s].
const WAKE_SPEED: f64 = 1e-3;

/// A rigid body of the simulation that represents one of rapier's.
#[derive(Clone, Debug)]
pub struct RigidProxy {
    pub handle: RigidBodyHandle,
    pub body: Body,
    /// Positions of its four vertices in the local coordinates of rapier's body \[m\].
    local: [V; 4],
    /// Mass \[kg\]; `None` if contact does not move the body.
    mass: Option<f64>,
    reaction_estimate: ReactionEstimate,
    /// Momenta of rapier's body before the last step of its world, including the applied reaction.
    previous_momenta: Option<Momenta>,
    /// Momenta at the end of the simulation's step in the absence of contact.
    predicted_momenta: Momenta,
    transferred_impulse: PersistentImpulse,
    /// Load applied in the last step, relative to the body's weight.
    relative_load: f64,
    /// Force \[N\] and torque \[N m\] to remove after the step of rapier's world.
    applied_wrench: Option<AppliedWrench>,
}

/// Force and torque on a body before and after the reaction was added.
#[derive(Clone, Copy, Debug)]
struct AppliedWrench {
    before: [Vector; 2],
    now: [Vector; 2],
}

/// Linear momentum, and angular momentum about the centre of mass [kg m/s, kg m²/s].
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

impl RigidProxy {
    /// Creates a proxy of a body at a pose, whose four vertices start at `four` \[m\].
    pub fn new(
        handle: RigidBodyHandle,
        body: Body,
        four: &[V],
        place: &Isometry,
        mass: Option<f64>,
    ) -> Self {
        let local = std::array::from_fn(|k| place.inverse_transform_point(four[k]));
        Self {
            handle,
            body,
            local,
            mass,
            reaction_estimate: Default::default(),
            previous_momenta: Default::default(),
            predicted_momenta: Default::default(),
            transferred_impulse: Default::default(),
            relative_load: Default::default(),
            applied_wrench: Default::default(),
        }
    }

    /// True if contact moves the body.
    pub fn is_moved(&self) -> bool {
        self.mass.is_some()
    }

    /// Type of the body for messages.
    pub fn kind(&self) -> &'static str {
        if self.is_moved() { "dynamic" } else { "kinematic" }
    }

    /// Drives the proxy to the predicted pose of rapier's body after a time step `dt` \[s\] of the simulation.
    /// It starts where the simulation left it, so that nothing passes through it on the way. `gravity` is
    /// rapier's and the simulation's [m/s²].
    pub fn drive_proxy<S: Precision>(
        &mut self,
        sim: &mut Simulation<S>,
        own: &RigidBody,
        gravity: [V; 2],
    ) -> Result<(), Error> {
        let dt = sim.time_step();
        let Some(mass) = self.mass else {
            let place = end_of_step(own, dt);
            for (k, v) in self.body.vertices().enumerate() {
                sim.move_pin(v, place.transform_point(self.local[k]))?;
            }
            return Ok(());
        };
        let place = Isometry::of(own.position());
        let four = self.local.map(|p| place.transform_point(p));
        let middle = centre(&four);
        let moving = (to_f64(own.linvel()), to_f64(own.angvel()));
        let now = momenta(mass, &four, &four.map(|p| velocity_at(moving, middle, p)));
        // Impulses of rapier itself, beyond its gravity.
        let [rapiers, simulations] = gravity.map(|g| scale(g, mass * dt));
        if let Some(before) = self.previous_momenta.replace(now) {
            let [linear, angular] = now.minus(before);
            self.reaction_estimate.update([sub(linear, rapiers), angular], self.relative_load);
        }
        let [linear, angular] = self.reaction_estimate.impulses();
        let going = now.plus([add(linear, sub(rapiers, simulations)), angular]);
        let velocity =
            (scale(going.linear, 1.0 / mass), angular_velocity(mass, &four, going.angular));
        let jumped = norm(sub(self.body.centre_of_mass(sim), middle)) > norm(sub(four[0], middle));
        let state = sim.state_mut();
        for (k, v) in self.body.vertices().enumerate() {
            let x = &mut state.positions[v];
            if jumped {
                (0..3).for_each(|c| x[c] = S::from_f64(four[k][c]));
            }
            let left = [0, 1, 2].map(|c| x[c].to_f64());
            let catching_up = scale(sub(four[k], left), 1.0 / dt);
            let u = add(velocity_at(velocity, middle, four[k]), catching_up);
            (0..3).for_each(|c| state.velocities[v][c] = S::from_f64(u[c]));
        }
        // Reads back the velocities as they were rounded.
        self.predicted_momenta = self.momenta(sim, mass).plus([simulations, [0.0; 3]]);
        Ok(())
    }

    /// Applies the momentum that the proxy gained to rapier's body. The persistent part is a force over the
    /// step, which gravity can balance in each of rapier's substeps; the rest is an impulse.
    pub fn apply_reaction<S: Precision>(
        &mut self,
        sim: &Simulation<S>,
        own: &mut RigidBody,
        gravity: V,
    ) {
        let Some(mass) = self.mass else { return };
        let dt = sim.time_step();
        let gained = self.momenta(sim, mass).minus(self.predicted_momenta);
        let felt = norm(gained[0]) > WAKE_SPEED * mass;
        if own.is_sleeping() && !felt {
            return;
        }
        let wake = own.is_sleeping() && felt;
        let persistent = self.transferred_impulse.update(gained);
        let [linear, angular] = [0, 1].map(|k| to_f32(sub(gained[k], persistent[k])));
        own.apply_impulse(linear, wake);
        own.apply_torque_impulse(angular, wake);
        let before = [own.user_force(), own.user_torque()];
        own.add_force(to_f32(scale(persistent[0], 1.0 / dt)), wake);
        own.add_torque(to_f32(scale(persistent[1], 1.0 / dt)), wake);
        self.applied_wrench =
            Some(AppliedWrench { before, now: [own.user_force(), own.user_torque()] });
        self.previous_momenta = self.previous_momenta.map(|before| before.plus(gained));
        let weight = mass * norm(gravity) * dt;
        let load = norm(gained[0]) / weight;
        self.relative_load = if load.is_finite() { load } else { f64::MAX };
    }

    /// Removes the force of the last step, unless the user has set another one since.
    pub fn remove_applied_wrench(&mut self, own: &mut RigidBody) {
        let Some(AppliedWrench { before, now }) = self.applied_wrench.take() else { return };
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
        let point = |p: &[S; 4]| [p[0].to_f64(), p[1].to_f64(), p[2].to_f64()];
        let first = self.body.vertices().start;
        let four = std::array::from_fn(|k| point(&state.positions[first + k]));
        let velocities = std::array::from_fn(|k| point(&state.velocities[first + k]));
        momenta(mass, &four, &velocities)
    }
}

/// True if contact moves a body.
pub fn is_movable(own: &RigidBody) -> bool {
    own.is_dynamic() && own.locked_axes().is_empty()
}

/// Predicted pose after `dt` \[s\] of a body that contact does not move.
pub fn end_of_step(own: &RigidBody, dt: f64) -> Isometry {
    match own.body_type() {
        RigidBodyType::Fixed => Isometry::of(own.position()),
        RigidBodyType::KinematicPositionBased => Isometry::of(own.next_position()),
        _ => Isometry::of(&own.predict_position_using_velocity(dt as f32)),
    }
}

fn centre(four: &[V; 4]) -> V {
    scale(four.iter().fold([0.0; 3], |sum, p| add(sum, *p)), 0.25)
}

/// Velocity at a point `p` of a body that translates and rotates about `centre`.
fn velocity_at((linear, spin): (V, V), centre: V, p: V) -> V {
    add(linear, cross(spin, sub(p, centre)))
}

/// Momenta of four equal masses.
fn momenta(mass: f64, four: &[V; 4], velocities: &[V; 4]) -> Momenta {
    let (centre, quarter) = (centre(four), 0.25 * mass);
    let mut sum = Momenta::default();
    for (p, v) in four.iter().zip(velocities) {
        let v = scale(*v, quarter);
        sum = sum.plus([v, cross(sub(*p, centre), v)]);
    }
    sum
}

/// Angular velocity [rad/s] of four equal masses with the given angular momentum.
fn angular_velocity(mass: f64, four: &[V; 4], angular: V) -> V {
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
        let own = momenta(2.0, &four, &four.map(|p| velocity_at(velocity, centre(&four), p)));
        assert!(norm(sub(own.linear, [2.0, 4.0, -2.0])) < 1e-13);
        assert!(norm(sub(angular_velocity(2.0, &four, own.angular), velocity.1)) < 1e-12);
    }
}
