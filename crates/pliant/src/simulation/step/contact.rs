//! Contact stages of a step: existing intersections, detection before the solve, post-solve contacts,
//! depenetration, restitution, verification.

use crate::contact::ContactMode;
use crate::contact::POST_SOLVE_PENETRATION_TOLERANCE;
use crate::contact::{SubstepMotion, resting_speed};
use crate::dynamics::integrator::Integrator;
use crate::report::Warning;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;
use crate::simulation::step::scratch::StepScratch;
use crate::system::state::State;

/// Largest number of sweeps over the contacts after a solve. Penetration that a few iterations leave would be
/// pushed out as velocity: piles would never come to rest.
pub(super) const MAX_POST_SOLVE_SWEEPS: usize = 16;

/// Smallest number of these sweeps if the model has rigid bodies.
pub(super) const MIN_RIGID_SWEEPS: usize = 8;

impl<S: Precision> Simulation<S> {
    /// Finds existing intersections, to be resolved gradually, unless surfaces are known to be free of them.
    pub(super) fn untangle(&mut self) {
        let contact_pipeline = &mut self.scratch.contact_pipeline;
        contact_pipeline.mode = self.contact_mode;
        contact_pipeline.clear_exemptions();
        if self.state.intersection_free || !contact_pipeline.is_enabled() {
            return;
        }
        let State { positions, time, .. } = &self.state;
        let initial_intersections =
            contact_pipeline.untangle(&self.system.model, positions, *time, self.dt);
        (self.report.contacts.initial_intersections, self.state.intersection_free) =
            (initial_intersections, initial_intersections == 0);
    }

    /// Detects the contacts on the path to the predicted positions; `ahead` is the number of substeps left,
    /// this one included.
    pub(super) fn collide(&mut self, whole: f64, integrator: Integrator, ahead: usize) {
        if !self.scratch.contact_pipeline.is_enabled() {
            return;
        }
        if !integrator.solves_end_positions() {
            // Contacts are detected at the end of the substep only, in `finish_contacts`.
            self.scratch.contacts.clear();
            return;
        }
        let time = self.state.time;
        let StepScratch { substep_start, predicted, contacts, contact_pipeline, .. } =
            &mut self.scratch;
        let velocities = &self.state.velocities;
        let around = SubstepMotion {
            previous: substep_start,
            predicted,
            velocities,
            times: [time, time + whole],
        };
        let (anew, friction_anchors) = (ahead == self.substeps, &self.state.friction_anchors);
        contact_pipeline.detect(
            contacts,
            &self.system.model,
            &around,
            ahead,
            anew,
            friction_anchors,
        );
    }

    /// Runs post-solve contacts where the solution is that of the substep's end.
    pub(super) fn contacts_of_solution(&mut self, h: f64) {
        if self.integrator() == Integrator::ImplicitEuler {
            self.post_solve_contacts(self.state.time + h);
        }
    }

    /// Keeps the friction anchors for the next substep.
    pub(super) fn store_anchors(&mut self) {
        if self.scratch.contact_pipeline.is_enabled() {
            let State { positions, friction_anchors, .. } = &mut self.state;
            self.scratch.contacts.store_anchors(positions, friction_anchors);
        }
    }

    /// Removes the remaining penetration after a solve and prevents crossings that the solve caused.
    pub(super) fn post_solve_contacts(&mut self, end: f64) {
        if !self.scratch.contact_pipeline.is_enabled() {
            return;
        }
        let StepScratch {
            substep_start,
            predicted,
            solved_positions,
            contacts,
            contact_pipeline,
            ..
        } = &mut self.scratch;
        let State { positions, velocities, time, intersection_free, .. } = &mut self.state;
        // A rigid body responds to all of its contacts together, which takes several sweeps.
        let rigid = self.system.model.rigid_bodies().next().is_some();
        let least = if rigid { MIN_RIGID_SWEEPS } else { 1 };
        // Separation constraints of surfaces that already intersect may be infeasible.
        let most = if *intersection_free { MAX_POST_SOLVE_SWEEPS } else { least };
        for sweep in 1..=most {
            let max_depth = contacts.relax(positions);
            self.system.model.rigidify(positions);
            if sweep >= least && max_depth <= POST_SOLVE_PENETRATION_TOLERANCE {
                break;
            }
        }
        // Corrections from here on are not forces between bodies: turned into velocity they would feed on
        // themselves. Contacts lose their approach velocity in `apply_restitution`.
        solved_positions.copy_from_slice(positions);
        let around =
            SubstepMotion { previous: substep_start, predicted, velocities, times: [*time, end] };
        let report = &mut self.report.contacts;
        contact_pipeline.prevent_crossings(
            contacts,
            &self.system.model,
            &around,
            positions,
            report,
        );
        // The velocity of a clamped vertex follows from the position to which it was clamped.
        for (v, (solved, x)) in solved_positions.iter_mut().zip(positions.iter()).enumerate() {
            if contact_pipeline.is_clamped(v) {
                *solved = *x;
            }
        }
    }

    /// Removes the remaining penetration without giving velocity: in the last substep, in intersection-free mode
    /// in each.
    pub(super) fn depenetrate(&mut self, is_last: bool) {
        let is_due = is_last || self.contact_mode == ContactMode::IntersectionFree;
        if !is_due || !self.scratch.contact_pipeline.is_enabled() {
            return;
        }
        let end = self.state.time + self.dt / self.substeps as f64;
        let StepScratch { substep_start, predicted, contacts, contact_pipeline, .. } =
            &mut self.scratch;
        let State { positions, velocities, time, intersection_free, .. } = &mut self.state;
        let around =
            SubstepMotion { previous: substep_start, predicted, velocities, times: [*time, end] };
        let report = &mut self.report.contacts;
        contact_pipeline.depenetrate(contacts, &self.system.model, &around, positions, report);
        if self.contact_mode == ContactMode::IntersectionFree && *intersection_free {
            let model = &self.system.model;
            contact_pipeline.rollback_bodies(model, substep_start, positions, end, |body| {
                model.bodies()[body].all_vertices().for_each(|v| velocities[v] = Point::default());
                report.truncated_substeps += 1;
            });
        }
        if self.integrator() == Integrator::ImplicitEuler {
            let (x, v) = (&self.state.positions, &mut self.state.velocities);
            self.scratch.free_components.restore_contact_momenta(&self.system.mass, x, v);
        }
    }

    /// Completes the contacts of a substep. With integrators other than implicit Euler, resolves penetration at
    /// the end of the substep, to which they may extrapolate from the solved positions. With all of them,
    /// applies restitution.
    pub(super) fn finish_contacts(&mut self) {
        if !self.scratch.contact_pipeline.is_enabled() {
            return;
        }
        let h = self.dt / self.substeps as f64;
        if self.integrator() != Integrator::ImplicitEuler {
            let inv_h = S::from_f64(1.0 / h);
            self.scratch.predicted.copy_from_slice(&self.state.positions);
            let end = self.state.time + h;
            if self.integrator().solves_end_positions() {
                self.scratch.contacts.reset_multipliers();
            } else {
                let StepScratch { substep_start, predicted, contacts, contact_pipeline, .. } =
                    &mut self.scratch;
                let (velocities, times) = (&self.state.velocities, [self.state.time, end]);
                let around =
                    SubstepMotion { previous: substep_start, predicted, velocities, times };
                let friction_anchors = &self.state.friction_anchors;
                contact_pipeline.detect(
                    contacts,
                    &self.system.model,
                    &around,
                    1,
                    true,
                    friction_anchors,
                );
            }
            self.post_solve_contacts(end);
            let (state, predicted) = (&mut self.state, &self.scratch.predicted);
            for &i in self.scratch.contacts.vertices() {
                let i = i as usize;
                for c in 0..3 {
                    let moved = self.scratch.solved_positions[i][c] - predicted[i][c];
                    state.velocities[i][c] += moved * inv_h;
                }
            }
        }
        // Contacts slower than the velocity that gravity adds in two substeps do not bounce: otherwise a
        // resting body would never come to rest.
        let resting_speed = resting_speed(&self.system.model, h);
        let (v, inv_mass) = (&mut self.state.velocities, &self.system.inv_mass);
        self.scratch.contacts.apply_restitution(v, inv_mass, resting_speed, h);
    }

    /// Counts intersections in intersection-free mode and while surfaces still intersect, and updates whether
    /// surfaces are known to be free of them.
    pub(super) fn verify_intersections(&mut self) {
        let contact_pipeline = &mut self.scratch.contact_pipeline;
        let passed =
            self.report.contacts.unresolved_crossings + self.report.contacts.skipped_substeps > 0;
        if !contact_pipeline.is_enabled() {
            return;
        }
        if self.contact_mode == ContactMode::IntersectionFree || !self.state.intersection_free {
            let State { positions, time, .. } = &self.state;
            let intersections =
                contact_pipeline.count_intersections(&self.system.model, positions, *time);
            self.report.contacts.intersections = intersections;
            self.state.intersection_free = intersections == 0;
            if intersections > 0 && self.report.contacts.initial_intersections == 0 {
                self.report.warnings.push(Warning::Intersections { edges: intersections });
            }
        } else {
            self.state.intersection_free = !passed;
        }
    }
}
