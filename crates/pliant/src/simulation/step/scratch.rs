//! Scratch memory of a step: allocated when a simulation is prepared, reused in every step.

use crate::contact::ContactPipeline;
use crate::contact::ContactSet;
use crate::dynamics::momentum::FreeComponents;
use crate::dynamics::viscosity::Viscosity;
use crate::dynamics::wind::WindImpulses;
use crate::math::Vec3;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;
use crate::simulation::step::integrate::SubstepState;

/// Largest number of contacts for which memory is reserved at the start.
pub(super) const MAX_INITIAL_CONTACT_CAPACITY: usize = 4096;

/// Multiple of the scene's size beyond which the motion of a vertex in one step counts as unbounded.
pub(super) const MAX_RELATIVE_DISPLACEMENT: f64 = 1e3;

/// Scratch memory of a step. Apart from `last_valid`, only its capacity outlives the step.
pub(crate) struct StepScratch<S> {
    /// Positions and velocities at the start of the step, which are valid.
    pub(crate) last_valid: [Vec<Point<S>>; 2],
    /// Positions before the substep.
    pub(crate) previous: Vec<Point<S>>,
    /// Predicted positions `s`.
    pub(crate) predicted: Vec<Point<S>>,
    /// State that the integrator keeps over a substep.
    pub(crate) substep_state: SubstepState<S>,
    /// Impulses of the wind.
    pub(super) wind_impulses: WindImpulses,
    /// Constraint damping of each batch; `None` for batches without.
    pub(super) constraint_damping: Vec<Option<Vec<S>>>,
    /// Stiffness-proportional damping; `None` if no body has any.
    pub(super) viscosity: Option<Viscosity>,
    /// Components whose momentum a solve must not change.
    pub(super) free_components: FreeComponents,
    /// Contacts of the substep.
    pub(crate) contacts: ContactSet,
    pub(crate) contact_pipeline: ContactPipeline,
    /// Positions at the start of the substep; empty if nothing can collide.
    pub(super) substep_start: Vec<Point<S>>,
    /// Positions after the solve, before crossings are prevented; empty if nothing can collide.
    pub(super) solved_positions: Vec<Point<S>>,
    /// Angular momentum of each rigid body before a solve, and the velocities of its vertices.
    pub(super) saved_angular_momenta: Vec<(Vec3<f64>, [Point<S>; 4])>,
    /// Positions before strain limiting.
    pub(crate) before_strain_limit: Vec<Point<S>>,
    /// Largest distance that a vertex may move in a step \[m\].
    pub(super) max_displacement: f64,
}

impl<S: Precision> StepScratch<S> {
    /// Empty scratch memory.
    pub(crate) fn empty() -> Self {
        Self {
            last_valid: [Vec::new(), Vec::new()],
            previous: Vec::new(),
            predicted: Vec::new(),
            substep_state: SubstepState::empty(),
            wind_impulses: WindImpulses::default(),
            constraint_damping: Vec::new(),
            viscosity: None,
            free_components: FreeComponents::default(),
            contacts: ContactSet::default(),
            contact_pipeline: ContactPipeline::default(),
            substep_start: Vec::new(),
            solved_positions: Vec::new(),
            saved_angular_momenta: Vec::new(),
            before_strain_limit: Vec::new(),
            max_displacement: 0.0,
        }
    }
}

impl<S: Precision> Simulation<S> {
    /// Allocates scratch memory for substeps of `h` \[s\].
    pub(crate) fn allocate_scratch(&self, h: f64) -> StepScratch<S> {
        let state = &self.state;
        let model = &self.system.model;
        let gravity = model.gravity().iter().map(|g| g.abs()).fold(0.0, f64::max);
        let integrator = self.integrator();
        let damped = integrator.damping_step(h);
        StepScratch {
            last_valid: [state.positions.clone(), state.velocities.clone()],
            previous: state.positions.clone(),
            predicted: state.positions.clone(),
            substep_state: SubstepState::new(integrator, model.len(), model.bodies().len()),
            wind_impulses: WindImpulses::new(model),
            constraint_damping: self.system.batches.iter().map(|b| b.damping(damped)).collect(),
            viscosity: Viscosity::new(&self.system, damped),
            free_components: FreeComponents::new(model),
            contacts: if model.can_collide() {
                ContactSet::with_capacity(
                    model.len().min(MAX_INITIAL_CONTACT_CAPACITY),
                    model.len(),
                )
            } else {
                ContactSet::default()
            },
            contact_pipeline: ContactPipeline::new(model),
            substep_start: if model.can_collide() { state.positions.clone() } else { Vec::new() },
            solved_positions: if model.can_collide() {
                state.positions.clone()
            } else {
                Vec::new()
            },
            saved_angular_momenta: vec![
                (Vec3::zero(), [Point::default(); 4]);
                model.rigid_bodies().count()
            ],
            before_strain_limit: crate::simulation::step::strain_limits::allocate_positions(model),
            max_displacement: MAX_RELATIVE_DISPLACEMENT
                * (model.extent() + gravity * self.dt * self.dt + 1.0),
        }
    }

    /// Allocates scratch memory for substeps of another `h` \[s\] and keeps the last valid state: the user may
    /// just have written the current one.
    pub(crate) fn reallocate_scratch(&mut self, h: f64) {
        let last_valid = std::mem::take(&mut self.scratch.last_valid);
        self.scratch = StepScratch { last_valid, ..self.allocate_scratch(h) };
    }
}
