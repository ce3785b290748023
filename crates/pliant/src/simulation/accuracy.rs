//! Accuracy control of the adaptive solver: the companion that measures the error, and the number of substeps.
//!
//! The companion runs every frame with half the substeps, from the same start. For a method whose error falls by the
//! factor `q` when its steps are halved, the difference of both runs is `(q − 1)` times the error of the finer one;
//! `q` is about two to four for the methods in use, stiff motion included. So a fixed part of the difference is the
//! estimate, and it follows the error wherever it goes: propagation, cancellation and amplification are those of the
//! scene.
//!
//! Motions of chaotic scenes separate in the end, whatever the accuracy. So the companion starts again from the run
//! after a second, and where the two states are no longer one motion: after tears, edits, a changed model.
//!
//! All of it is part of snapshots: [`AdaptiveState::to_bytes`].

use std::sync::Arc;

use crate::Error;
use crate::dynamics::integrator::Integrator;
use crate::math::Scalar;
use crate::math::hash::{Fnv1a, checksum};
use crate::model::Model;
use crate::report::{AccuracyReport, Stage, Warning};
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;
use crate::simulation::step::scratch::StepScratch;
use crate::solvers::{AnySolver, Auto, PreparedSolver};
use crate::system::history::StepHistory;
use crate::system::state::State;

/// Time after which the companion starts again from the run \[s\].
const WINDOW: f64 = 1.0;
/// Time after which an error rate is compared with the tolerance for a warning \[s\].
const MIN_JUDGED_TIME: f64 = 0.2;
/// Ratio of error rate and tolerance that is a warning.
const WARNING_RATIO: f64 = 2.0;
/// Part of the tolerance below which an error counts as small: halving the substeps quadruples it at most.
const QUIET_RATIO: f64 = 1.0 / 8.0;
/// Error of a run as a part of its distance from the companion, by the order of the integrator.
const SECOND_ORDER_PART: f64 = 0.75;
const FIRST_ORDER_PART: f64 = 1.0;
/// Part of the last estimate below which an estimate does not fall in a frame: where runs oscillate about each other, they
/// are close to each other for moments in which neither is close to the motion.
const HELD_PART: f64 = 0.8;
/// Ratio of an error and what the tolerance allows above which the number of substeps is quadrupled, not doubled.
const QUADRUPLE_RATIO: f64 = 8.0;
/// Frames with a small error after which the number of substeps is halved.
const QUIET_FRAMES: u64 = 10;
/// Prepared solvers that are kept besides the one in use.
const MAX_SPARE_SOLVERS: usize = 3;
/// Iterations that each substep takes at least, as far as a budget goes.
const MIN_BUDGET_ITERATIONS: usize = 2;

/// Numbers that decide on the substeps of the next frame.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Control {
    /// Substeps per frame of the run; the companion has half of them.
    substeps: u64,
    /// Frames since the companion started.
    frames: u64,
    /// Frames in a row with a small error.
    quiet: u64,
    /// One if a warning was given since the companion started.
    warned: u64,
    /// Estimate at the end of the last frame, relative to the size of the bodies.
    error: f64,
    /// Error rate at the end of the last window [1/s].
    last_rate: f64,
    /// Fingerprint of the run's state at the end of the last frame.
    fingerprint: u64,
}

impl Control {
    const WORDS: usize = 7;

    fn new(substeps: usize) -> Self {
        Self {
            substeps: substeps as u64,
            frames: 0,
            quiet: 0,
            warned: 0,
            error: 0.0,
            last_rate: 0.0,
            fingerprint: 0,
        }
    }

    fn to_words(self) -> [u64; Self::WORDS] {
        let [error, rate] = [self.error.to_bits(), self.last_rate.to_bits()];
        let Self { substeps, frames, quiet, warned, fingerprint, .. } = self;
        [substeps, frames, quiet, warned, error, rate, fingerprint]
    }

    fn from_words(w: [u64; Self::WORDS]) -> Self {
        let [substeps, frames, quiet, warned, error, rate, fingerprint] = w;
        let (error, last_rate) = (f64::from_bits(error), f64::from_bits(rate));
        Self { substeps, frames, quiet, warned, error, last_rate, fingerprint }
    }
}

/// Memory and solver of a run with its own number of substeps.
struct Lane<S> {
    scratch: StepScratch<S>,
    prepared_solver: Box<dyn PreparedSolver<S>>,
    substeps: usize,
}

/// State of a simulation under the adaptive solver.
pub(crate) struct AdaptiveState<S> {
    settings: Auto,
    control: Control,
    /// State of the companion; `None` until it starts.
    companion: Option<State<S>>,
    /// Memory and solver of the companion; `None` until it runs.
    lane: Option<Lane<S>>,
    /// Solvers for other numbers of substeps, the last used last.
    spare: Vec<(usize, Box<dyn PreparedSolver<S>>)>,
    /// Model that all of the above belongs to.
    model: Arc<Model>,
    /// Inverse size of the body of each vertex [1/m]; zero for vertices that are not measured.
    inv_size: Vec<f64>,
    measured: usize,
}

/// Bytes that end a snapshot with an adaptive state.
const MARK: [u8; 8] = *b"PLIANTa\x01";

impl<S: Precision> AdaptiveState<S> {
    /// State before the first frame; `None` for solvers that are not adaptive.
    pub fn new(solver: &AnySolver, model: &Arc<Model>) -> Option<Self> {
        let AnySolver::Auto(settings) = solver else { return None };
        let mut inv_size = vec![0.0; model.len()];
        let mut measured = 0;
        for body in model.bodies() {
            let size = model.body_size(body);
            if size > 0.0 {
                for v in body.visible_vertices() {
                    inv_size[v] = 1.0 / size;
                    measured += 1;
                }
            }
        }
        Some(Self {
            settings: *settings,
            control: Control::new(settings.first_substeps()),
            companion: None,
            lane: None,
            spare: Vec::new(),
            model: model.clone(),
            inv_size,
            measured,
        })
    }

    /// Largest number of substeps that the settings allow: a power of two.
    fn max_substeps(&self) -> usize {
        let mut most = self.settings.substeps;
        if self.settings.budget > 0 {
            // One and a half times the substeps of the run, each with a few iterations.
            most = most.min(2 * self.settings.budget / (3 * MIN_BUDGET_ITERATIONS));
        }
        let most = most.max(Auto::MIN_SUBSTEPS);
        1 << most.ilog2()
    }

    /// Maximum number of iterations of each substep.
    fn max_iterations(&self, substeps: usize) -> usize {
        match self.settings.budget {
            0 => usize::MAX,
            budget => (2 * budget / (3 * substeps)).max(1),
        }
    }

    /// Root mean square of the distances between two states, relative to the sizes of their bodies.
    fn distance(&self, a: &State<S>, b: &State<S>) -> f64 {
        let mut sum = 0.0;
        for ((a, b), inv_size) in a.positions.iter().zip(&b.positions).zip(&self.inv_size) {
            for c in 0..3 {
                let apart = (a[c].to_f64() - b[c].to_f64()) * inv_size;
                sum += apart * apart;
            }
        }
        let mean = (sum / self.measured.max(1) as f64).sqrt();
        if mean.is_finite() { mean } else { 1.0 }
    }

    /// Everything as bytes, for a snapshot: the companion's, the control's, and how many they are.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.companion.as_ref().map_or_else(Vec::new, State::snapshot);
        let length = out.len() as u64;
        out.extend(self.control.to_words().iter().flat_map(|w| w.to_le_bytes()));
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&checksum(&out).to_le_bytes());
        out.extend_from_slice(&MARK);
        out
    }

    /// Hash of all that decides on further frames.
    pub fn hash(&self, state: u64) -> u64 {
        let mut hash = Fnv1a::default();
        hash.word(state);
        self.control.to_words().iter().for_each(|w| hash.word(*w));
        hash.word(self.companion.as_ref().map_or(0, State::hash));
        hash.value()
    }

    /// Continues from what a snapshot saved beside `state`; without it, the companion starts again.
    pub fn restore(&mut self, saved: Option<SavedAdaptiveState<'_>>, state: &State<S>) {
        self.companion = None;
        self.control = Control::new(self.settings.first_substeps());
        let Some(saved) = saved else { return };
        let mut companion = state.clone();
        if companion.restore(saved.companion).is_ok() {
            self.companion = Some(companion);
        }
        let substeps = saved.control.substeps.clamp(1, self.max_substeps() as u64);
        self.control = Control { substeps, ..saved.control };
    }

    /// Takes a solver for `substeps` out of those that are kept, or prepares one.
    fn solver_for(
        &mut self,
        sim: &Simulation<S>,
        substeps: usize,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
        match self.spare.iter().position(|(n, _)| *n == substeps) {
            Some(found) => Ok(self.spare.remove(found).1),
            None => sim.prepare_solver(&sim.solver, &sim.system, sim.dt / substeps as f64),
        }
    }
}

/// Adaptive state of a snapshot.
pub(crate) struct SavedAdaptiveState<'a> {
    control: Control,
    companion: &'a [u8],
}

/// Divides a snapshot into that of the state and that of the adaptive solver, if it has one.
pub(crate) fn split_snapshot(
    bytes: &[u8],
) -> Result<(&[u8], Option<SavedAdaptiveState<'_>>), Error> {
    let Some(rest) = bytes.strip_suffix(&MARK) else { return Ok((bytes, None)) };
    let invalid = || Error::Snapshot { reason: "its checksum is wrong, or it is truncated" };
    let word = |bytes: &[u8], at: usize| {
        let mut w = [0; 8];
        w.copy_from_slice(&bytes[at..at + 8]);
        u64::from_le_bytes(w)
    };
    let end = rest.len().checked_sub(16).ok_or_else(invalid)?;
    let words = end.checked_sub(8 * Control::WORDS).ok_or_else(invalid)?;
    let length = usize::try_from(word(rest, end)).map_err(|_| invalid())?;
    let start = words.checked_sub(length).ok_or_else(invalid)?;
    if checksum(&rest[start..end + 8]) != word(rest, end + 8) {
        return Err(invalid());
    }
    let control = Control::from_words(std::array::from_fn(|i| word(rest, words + 8 * i)));
    Ok((&rest[..start], Some(SavedAdaptiveState { control, companion: &rest[start..words] })))
}

impl<S: Precision> Simulation<S> {
    /// Runs a frame of the companion and of the run, measures the error, and chooses the substeps of the next frame.
    pub(crate) fn run_adaptive_frame(&mut self) {
        let h = self.dt / self.substeps as f64;
        // The companion starts from a valid state.
        self.timed(Stage::Validate, |sim| sim.validate(h));
        let Some(mut own) = self.adaptive.take() else { return };
        let start = (self.clock)();
        let iterations = self.run_companion(&mut own);
        let seconds = (self.clock)() - start;
        let substeps = own.control.substeps as usize;
        self.change_substeps(&mut own, substeps);
        self.prepared_solver.begin_frame(own.max_iterations(self.substeps));
        self.run_frame(true);
        self.report.seconds[Stage::Estimate as usize] += seconds;
        self.control_accuracy(&mut own, iterations);
        let torn = !Arc::ptr_eq(&own.model, &self.system.model);
        self.adaptive = Some(own);
        if torn {
            self.restart_estimate();
        }
    }

    /// Starts the companion again, with solvers of its own, after a change of the model or the time step.
    pub(crate) fn restart_estimate(&mut self) {
        let Some(old) = self.adaptive.take() else { return };
        self.adaptive = AdaptiveState::new(&self.solver, &self.system.model);
        if let Some(own) = &mut self.adaptive {
            (own.control.substeps, own.control.last_rate) =
                (old.control.substeps, old.control.last_rate);
        }
    }

    /// Runs a frame of the companion, which starts from the run's state where it has none of its own. Returns the
    /// number of iterations.
    fn run_companion(&mut self, own: &mut AdaptiveState<S>) -> usize {
        let time = own.control.frames as f64 * self.dt;
        let edited = own.control.fingerprint != fingerprint(&self.state);
        if edited || own.companion.is_none() || time > WINDOW - 0.5 * self.dt {
            if !edited && time > 0.0 {
                own.control.last_rate = own.control.error / time;
            }
            own.control = Control { frames: 0, quiet: 0, warned: 0, error: 0.0, ..own.control };
            own.companion = Some(self.state.clone());
        }
        let substeps = (own.control.substeps as usize / 2).max(1);
        let h = self.dt / substeps as f64;
        let lane = match own.lane.take() {
            Some(lane) => Ok(lane),
            None => own.solver_for(self, substeps).map(|prepared_solver| Lane {
                scratch: self.allocate_scratch(h),
                prepared_solver,
                substeps,
            }),
        };
        // A solver that was prepared for another number of substeps can be prepared for this one.
        let (Ok(mut lane), Some(mut state)) = (lane, own.companion.take()) else { return 0 };
        state.pin_targets.clone_from(&self.state.pin_targets);
        let report = std::mem::take(&mut self.report);
        let diagnostics = std::mem::replace(&mut self.diagnostics, false);
        self.swap_run(&mut state, &mut lane);
        self.change_substeps(own, substeps);
        self.prepared_solver.begin_frame(own.max_iterations(2 * substeps));
        self.run_frame(false);
        self.swap_run(&mut state, &mut lane);
        let iterations = std::mem::replace(&mut self.report, report).iterations;
        self.diagnostics = diagnostics;
        (own.companion, own.lane) = (Some(state), Some(lane));
        iterations
    }

    fn swap_run(&mut self, state: &mut State<S>, lane: &mut Lane<S>) {
        std::mem::swap(&mut self.state, state);
        std::mem::swap(&mut self.scratch, &mut lane.scratch);
        std::mem::swap(&mut self.prepared_solver, &mut lane.prepared_solver);
        std::mem::swap(&mut self.substeps, &mut lane.substeps);
    }

    /// Changes the number of substeps per frame of the present state.
    fn change_substeps(&mut self, own: &mut AdaptiveState<S>, substeps: usize) {
        if self.substeps == substeps {
            return;
        }
        let Ok(solver) = own.solver_for(self, substeps) else { return };
        let old = std::mem::replace(&mut self.prepared_solver, solver);
        own.spare.push((self.substeps, old));
        if own.spare.len() > MAX_SPARE_SOLVERS {
            own.spare.remove(0);
        }
        self.substeps = substeps;
        self.reallocate_scratch(self.dt / substeps as f64);
    }

    /// Measures the error of the frame, reports it, and chooses the number of substeps of the next one.
    fn control_accuracy(&mut self, own: &mut AdaptiveState<S>, estimate_iterations: usize) {
        let torn = !Arc::ptr_eq(&own.model, &self.system.model);
        let error = match &own.companion {
            Some(companion) if !torn => {
                let part = match self.integrator() {
                    Integrator::Bdf2 => SECOND_ORDER_PART,
                    _ => FIRST_ORDER_PART,
                };
                let now = part * own.distance(&self.state, companion);
                now.max(HELD_PART * own.control.error)
            }
            _ => own.control.error,
        };
        let (tolerance, most) = (own.settings.tolerance, own.max_substeps());
        let control = &mut own.control;
        let gained = error - control.error;
        control.frames += 1;
        control.error = error;
        control.fingerprint = fingerprint(&self.state);
        let time = control.frames as f64 * self.dt;
        let rate = if time < MIN_JUDGED_TIME {
            (error / time).max(control.last_rate)
        } else {
            error / time
        };
        self.report.accuracy = Some(AccuracyReport {
            error,
            time,
            rate,
            tolerance,
            substeps: self.substeps,
            estimate_iterations,
        });
        if control.warned == 0
            && time >= MIN_JUDGED_TIME
            && error > WARNING_RATIO * tolerance * time
        {
            control.warned = 1;
            self.report.warnings.push(Warning::AccuracyNotMet { rate: error / time, tolerance });
        }
        control.quiet = if error < QUIET_RATIO * tolerance * time { control.quiet + 1 } else { 0 };
        let ratio = (gained / (tolerance * self.dt)).min(error / (tolerance * time));
        let substeps = control.substeps as usize;
        let wanted = if ratio > 1.0 {
            let factor = if ratio > QUADRUPLE_RATIO { 4 } else { 2 };
            (factor * substeps).min(most)
        } else if control.quiet >= QUIET_FRAMES {
            (substeps / 2).max(Auto::MIN_SUBSTEPS)
        } else {
            substeps
        };
        if wanted != substeps {
            (control.substeps, control.quiet) = (wanted as u64, 0);
        }
    }
}

/// Fingerprint of positions and velocities; never zero.
fn fingerprint<S: Scalar>(state: &State<S>) -> u64 {
    StepHistory::state_fingerprint(0..state.positions.len(), &state.positions, &state.velocities)
}
