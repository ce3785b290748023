//! Velocity: velocities from solved positions, conservation of momentum, damping after the solve.

use crate::dynamics::integrator::Integrator;
use crate::dynamics::rigid_motion;
use crate::math::Vec3;
use crate::parallel::for_chunks;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;

/// Returns the rigid motion of the four vertices of a rigid body, weighted by mass.
pub(super) fn rigid_motion_of<S: Precision>(
    mass: &[S],
    x: &[Point<S>],
    v: &[Point<S>],
) -> rigid_motion::RigidMotion {
    let all = mass.iter().zip(x).zip(v);
    rigid_motion::RigidMotion::from_vertices(
        all.map(|((m, x), v)| (m.to_f64(), to_f64(x), to_f64(v))),
    )
}

pub(super) fn to_f64<S: Precision>(p: &Point<S>) -> Vec3<f64> {
    Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())
}

impl<S: Precision> Simulation<S> {
    pub(super) fn update_velocities(&mut self, h: f64) {
        if self.integrator().is_explicit() {
            self.apply_velocity_change();
        } else {
            self.save_angular_momentum();
            self.velocities_from_positions(h);
            if self.integrator() == Integrator::ImplicitEuler {
                self.restore_angular_momentum();
                let (x, v) = (&self.state.positions, &mut self.state.velocities);
                self.scratch.free_components.restore_contact_momenta(&self.system.mass, x, v);
            }
        }
        self.end_substep();
        if !self.integrator().solves_end_positions() {
            self.rigidify();
        }
    }

    /// Damps the velocities of constraints, and those that stiffness-proportional damping takes.
    pub(super) fn damp_constraints(&mut self) {
        let x = &self.state.positions;
        for (batch, fraction) in self.system.batches.iter().zip(&self.scratch.constraint_damping) {
            if let Some(fraction) = fraction {
                batch.damp(&self.exec, x, &mut self.state.velocities, fraction);
            }
        }
        if let Some(viscosity) = &mut self.scratch.viscosity {
            viscosity.damp(&self.system, x, &mut self.state.velocities);
        }
    }

    /// Saves the momenta of components in contact and the angular momenta of rigid bodies, before the solve's
    /// motion is added to their velocities.
    pub(super) fn save_angular_momentum(&mut self) {
        let (previous, velocities) = (&self.scratch.previous, &self.state.velocities);
        let (free, contacts) = (&mut self.scratch.free_components, &self.scratch.contacts);
        free.save_momenta(&self.system.mass, previous, velocities, contacts);
        for (body, noted) in
            self.system.model.rigid_bodies().zip(&mut self.scratch.saved_angular_momenta)
        {
            let own = body.vertices.clone();
            let mass = &self.system.mass[own.clone()];
            let angular = rigid_motion_of(mass, &previous[own.clone()], &velocities[own.clone()])
                .angular_momentum;
            noted.0 = angular;
            noted.1.copy_from_slice(&velocities[own]);
        }
    }

    /// Gives rigid bodies the angular velocity that belongs to their angular momentum. Differences of positions
    /// are chords: taken as velocities they would slow a rotation by `(h ω)²/2` in every substep.
    pub(super) fn restore_angular_momentum(&mut self) {
        for (body, noted) in
            self.system.model.rigid_bodies().zip(&self.scratch.saved_angular_momenta)
        {
            let own = body.vertices.clone();
            let (mass, x) = (&self.system.mass[own.clone()], &self.state.positions[own.clone()]);
            let v = &mut self.state.velocities[own];
            if x.iter().any(|p| !(p[3] > S::default())) {
                continue;
            }
            let now = rigid_motion_of(mass, x, v);
            let gained = now.angular_momentum - rigid_motion_of(mass, x, &noted.1).angular_momentum;
            let mut turning = now;
            turning.angular_momentum = noted.0 + gained;
            for (v, x) in v.iter_mut().zip(x) {
                let u = turning.velocity(to_f64(x));
                (0..3).for_each(|c| v[c] = S::from_f64([u.x, u.y, u.z][c]));
            }
        }
    }

    /// Projects rigid bodies to the nearest rigid pose after the integrator's extrapolation, and corrects their
    /// velocities accordingly.
    pub(super) fn rigidify(&mut self) {
        let inv_h = S::from_f64(self.substeps as f64 / self.dt);
        for body in self.system.model.bodies() {
            let Some(frame) = &body.rigid_frame else { continue };
            let own = &mut self.state.positions[body.vertices.clone()];
            let before = [own[0], own[1], own[2], own[3]];
            frame.rigidify(own);
            let velocities = &mut self.state.velocities[body.vertices.clone()];
            for (v, (x, old)) in velocities.iter_mut().zip(own.iter().zip(before)) {
                (0..3).for_each(|c| v[c] += (x[c] - old[c]) * inv_h);
            }
        }
    }

    pub(super) fn velocities_from_positions(&mut self, h: f64) {
        let inv_h = S::from_f64(1.0 / h);
        let (previous, predicted) = (&self.scratch.previous, &self.scratch.predicted);
        let use_solved_positions = self.integrator() == Integrator::ImplicitEuler
            && !self.scratch.solved_positions.is_empty();
        let x = if use_solved_positions {
            &self.scratch.solved_positions
        } else {
            &self.state.positions
        };
        for_chunks(&self.exec, &mut self.state.velocities, x, |at, v, x| {
            for (i, (v, x)) in v.iter_mut().zip(x).enumerate() {
                // Equal to (x − previous)/h, without the rounding error of x + h v.
                let free = x[3] > S::default();
                let from = if free { &predicted[at + i] } else { &previous[at + i] };
                let start = if free { *v } else { Point::default() };
                (0..3).for_each(|c| v[c] = start[c] + (x[c] - from[c]) * inv_h);
            }
        });
        let touched = self.scratch.contacts.vertices();
        let (mass, v) = (&self.system.mass, &mut self.state.velocities);
        self.scratch.free_components.restore_momenta(mass, predicted, x, v, h, touched);
    }
}
