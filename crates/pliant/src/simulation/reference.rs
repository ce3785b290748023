//! Reference motion of a scene: the limit of ever shorter time steps, on which solvers are measured.
//!
//! Newton's method in double precision runs the scene with 2, 4, 8, … substeps per frame. Implicit Euler is of first
//! order, so that the positions `x` of two runs, `n` and `2n` substeps, give a limit of second order, `2 x₂ₙ − xₙ`
//! (Richardson's extrapolation), where the motion is smooth. Where it is not (contact that opens and closes,
//! buckling), the finest run itself is nearer. The reference is whichever of them changed less at the last halving, and
//! that change is the estimate of its error.

use std::sync::Arc;

use crate::Error;
use crate::mesh::measure::distance;
use crate::model::Model;
use crate::report::Warning;
use crate::simulation::Simulation;
use crate::solvers::Newton;

/// Positions \[m\] of the original vertices at the end of each frame.
pub type Trajectory = Vec<Vec<[f64; 3]>>;

/// A run with a number of substeps.
#[derive(Clone, Debug)]
struct Run {
    positions: Trajectory,
    /// Kinetic, elastic and potential energy at the end of each frame \[J\].
    energies: Vec<f64>,
    /// Number of frames with a substep that did not converge.
    unconverged: usize,
    /// Largest force that remained in a frame \[N\].
    residual: f64,
}

/// Reference motion, refined on demand.
#[derive(Clone, Debug)]
pub struct ReferenceMotion {
    model: Arc<Model>,
    dt: f64,
    frames: usize,
    substeps: usize,
    runs: Vec<Run>,
}

/// Error of positions: root mean square and largest, over all visible vertices of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PositionError {
    /// Root mean square \[m\].
    pub rms: f64,
    /// Largest \[m\].
    pub max: f64,
    /// Root mean square, each distance relative to the longest side of its body's box at rest.
    pub relative_rms: f64,
}

/// Newton iterations per substep, at most.
const MAX_ITERATIONS: usize = 200;
/// Substeps per frame of the first run.
const FIRST_SUBSTEPS: usize = 2;

impl ReferenceMotion {
    /// Prepares the reference of `frames` frames of length `dt` \[s\]. [`ReferenceMotion::refine`] computes it.
    pub fn new(model: impl Into<Arc<Model>>, dt: f64, frames: usize) -> Self {
        let model = model.into();
        Self { model, dt, frames, substeps: FIRST_SUBSTEPS, runs: Vec::new() }
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Substeps per frame of the finest run.
    pub fn substeps(&self) -> usize {
        self.substeps
    }

    /// Runs the scene with half the time step of the finest run so far; the first time, two runs. `progress` is called
    /// after each frame with the number of substeps and of frames, and stops the run if it returns false; nothing is
    /// lost then. Returns true if the run is complete.
    pub fn refine(
        &mut self,
        mut progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<bool, Error> {
        if self.runs.is_empty() {
            match self.run(self.substeps, &mut progress)? {
                Some(run) => self.runs.push(run),
                None => return Ok(false),
            }
        }
        let Some(run) = self.run(2 * self.substeps, &mut progress)? else { return Ok(false) };
        self.substeps *= 2;
        self.runs.push(run);
        // Three runs give two extrapolations.
        if self.runs.len() > 3 {
            self.runs.remove(0);
        }
        Ok(true)
    }

    fn run(
        &self,
        substeps: usize,
        progress: &mut impl FnMut(usize, usize) -> bool,
    ) -> Result<Option<Run>, Error> {
        let solver = Newton { iterations: MAX_ITERATIONS, substeps, ..Newton::default() };
        let mut sim = Simulation::<f64>::with_precision(self.model.clone(), solver)?;
        sim.set_time_step(self.dt)?;
        let mut run =
            Run { positions: Vec::new(), energies: Vec::new(), unconverged: 0, residual: 0.0 };
        for frame in 0..self.frames {
            let report = sim.step();
            let stopped = |warning: &Warning| matches!(warning, Warning::NotConverged { .. });
            run.unconverged += usize::from(report.warnings.iter().any(stopped));
            run.residual = run.residual.max(report.residual);
            run.energies.push(report.total_energy());
            let points = sim.state().positions.iter().take(self.model.rest_positions().len());
            run.positions.push(points.map(|p| [p[0], p[1], p[2]]).collect());
            if !progress(substeps, frame + 1) {
                return Ok(None);
            }
        }
        Ok(Some(run))
    }

    /// Positions at the end of a frame \[m\] with the estimate of their error; none before the first refinement.
    pub fn positions(&self, frame: usize) -> Option<(Vec<[f64; 3]>, PositionError)> {
        let [.., coarse, fine] = &self.runs[..] else { return None };
        let finest = fine.positions.get(frame)?.clone();
        let change = self.error(&finest, coarse.positions.get(frame)?);
        let limit = |coarse: &Run, fine: &Run| {
            extrapolate(&coarse.positions[frame], &fine.positions[frame])
        };
        let extrapolated = limit(coarse, fine);
        if let [.., coarser, _, _] = &self.runs[..] {
            let changed = self.error(&extrapolated, &limit(coarser, coarse));
            if changed.rms < change.rms {
                return Some((extrapolated, changed));
            }
        }
        Some((finest, change))
    }

    /// Energy at the end of a frame \[J\], by the finest run; none before the first refinement.
    pub fn energy(&self, frame: usize) -> Option<f64> {
        self.runs.last()?.energies.get(frame).copied()
    }

    /// Range of the energy over all frames \[J\].
    pub fn energy_range(&self) -> f64 {
        let energies = self.runs.last().map_or(&[][..], |run| &run.energies);
        let low = energies.iter().copied().fold(f64::INFINITY, f64::min);
        let high = energies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (high - low).max(0.0)
    }

    /// Number of frames of the finest run with a substep that did not converge, and the largest remaining force \[N\].
    pub fn convergence(&self) -> (usize, f64) {
        self.runs.last().map_or((0, 0.0), |run| (run.unconverged, run.residual))
    }

    /// Distance between two sets of positions \[m\], over the visible vertices.
    pub fn error(&self, x: &[[f64; 3]], y: &[[f64; 3]]) -> PositionError {
        position_error(&self.model, x, y)
    }
}

/// Distance between two sets of positions of a model's vertices \[m\], over the visible ones; vertices that a tear added
/// are left out.
pub fn position_error(model: &Model, x: &[[f64; 3]], y: &[[f64; 3]]) -> PositionError {
    let (mut squares, mut relative, mut max, mut count) = (0.0, 0.0, 0.0_f64, 0_usize);
    for body in model.bodies() {
        let vertices = body.visible_vertices();
        let size = model.body_size(body);
        for v in vertices {
            let (Some(a), Some(b)) = (x.get(v), y.get(v)) else { continue };
            let apart = distance(*a, *b);
            // A NaN must not pass as small.
            let apart = if apart.is_nan() { f64::INFINITY } else { apart };
            max = max.max(apart);
            squares += apart * apart;
            relative += if size > 0.0 { (apart / size) * (apart / size) } else { 0.0 };
            count += 1;
        }
    }
    let mean = |sum: f64| (sum / count.max(1) as f64).sqrt();
    PositionError { rms: mean(squares), max, relative_rms: mean(relative) }
}

/// `2 x₂ₙ − xₙ`.
fn extrapolate(coarse: &[[f64; 3]], fine: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let one = |(c, f): (&[f64; 3], &[f64; 3])| [0, 1, 2].map(|i| 2.0 * f[i] - c[i]);
    coarse.iter().zip(fine).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::ModelBuilder;
    use crate::material::Springs;
    use crate::mesh::{SpringKind, SpringNetwork};

    /// A weight that hangs from a spring and is let go at its rest length.
    fn oscillator() -> Model {
        let mut scene = ModelBuilder::new();
        let network = SpringNetwork {
            positions: vec![[0.0; 3], [0.0, -1.0, 0.0]],
            springs: vec![[0, 1]],
            kinds: vec![SpringKind::Structural],
            ..SpringNetwork::default()
        };
        let material = Springs::new(50.0, 1.0);
        let body = scene.springs(network, material).unwrap();
        scene.pin(body.vertex(0));
        scene.build().unwrap()
    }

    #[test]
    fn the_limit_is_the_closed_form_and_its_error_is_known() {
        let (dt, frames) = (1.0 / 60.0, 20);
        let mut reference = ReferenceMotion::new(oscillator(), dt, frames);
        assert!(reference.positions(0).is_none());
        // y = −1 − (m g / k) (1 − cos ωt), with half of the mass at the free end.
        let (mass, stiffness) = (0.5_f64, 50.0_f64);
        let omega = (stiffness / mass).sqrt();
        let exact = -1.0 - mass * 9.81 / stiffness * (1.0 - libm::cos(omega * dt * frames as f64));
        let mut last = f64::INFINITY;
        for _ in 0..4 {
            assert!(reference.refine(|_, _| true).unwrap());
            let (x, estimate) = reference.positions(frames - 1).unwrap();
            let error = (x[1][1] - exact).abs();
            println!(
                "{} substeps: {error:.2e} m, estimated {:.2e} m",
                reference.substeps(),
                estimate.max
            );
            assert!(error < 3.0 * estimate.max, "{error} {estimate:?}");
            assert!(error < last);
            last = error;
        }
        assert!(last < 2e-5, "{last}");
        assert_eq!(reference.convergence().0, 0);
    }

    #[test]
    fn a_stopped_run_changes_nothing() {
        let mut reference = ReferenceMotion::new(oscillator(), 0.01, 3);
        assert!(!reference.refine(|_, frame| frame < 2).unwrap());
        assert!(reference.positions(0).is_none());
        assert!(reference.refine(|_, _| true).unwrap());
        assert_eq!(reference.substeps(), 4);
    }

    #[test]
    fn positions_that_are_not_finite_are_infinitely_far() {
        let model = oscillator();
        let x = vec![[0.0; 3], [0.0, f64::NAN, 0.0]];
        assert_eq!(position_error(&model, &x, model.rest_positions()).rms, f64::INFINITY);
    }
}
