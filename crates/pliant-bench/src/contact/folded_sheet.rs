//! A sheet folded onto itself in four layers (Position Based Dynamics, figure 6), frame by frame.
//!
//! Runs of both solvers alternate; the time of a frame is the minimum over the runs, which are bit-identical.
//! After every frame of the first run, untimed, intersections are counted exactly.
//!
//! Frames per second depend on the machine as much as on the engine. So rapier's dropped cloth (`drop.rs`)
//! alternates with the runs as a clock: the time of a frame is also reported relative to one of its steps. It
//! alternates with runs, not with frames, which would find the caches filled with the other's data.

use super::Outcome;
use super::drop::{self, Cloth};
use super::metrics;
use super::stopwatch::Stopwatch;
use crate::stats::median;
use crate::table::Row;
use pliant::prelude::*;

/// Number of frames in a run.
const FRAMES: usize = 200;
/// Number of runs of each solver.
const ROUNDS: usize = 3;
/// Solver names, with substeps and iterations per substep. With fewer, Position Based Dynamics stretches the
/// sheet until it lies in a heap.
const SOLVERS: [(&str, usize, usize); 2] = [("pbd", 4, 15), ("projective", 1, 10)];

/// Dropped cloth of rapier, advanced step by step, which restarts at its end.
#[derive(Default)]
struct Clock {
    cloth: Option<Box<dyn Cloth>>,
    /// Minimum milliseconds of each step.
    ms: Vec<f64>,
    step: usize,
}

impl Clock {
    /// Advances the clock if rapier is available; after all runs it has completed all steps.
    fn tick(&mut self) -> Result<(), String> {
        for _ in 0..drop::STEPS.div_ceil(ROUNDS * SOLVERS.len()) {
            self.step %= drop::STEPS;
            if self.step == 0 {
                self.cloth = drop::open_peer()?;
            }
            if let Some(cloth) = &mut self.cloth {
                self.ms.resize(drop::STEPS, f64::INFINITY);
                self.ms[self.step] = self.ms[self.step].min(cloth.step());
            }
            self.step += 1;
        }
        Ok(())
    }

    /// Mean milliseconds per step, once all steps are complete.
    fn mean(&self) -> Option<f64> {
        let all = !self.ms.is_empty() && self.ms.iter().all(|ms| ms.is_finite());
        all.then(|| self.ms.iter().sum::<f64>() / self.ms.len() as f64)
    }
}

/// Frames of one solver.
#[derive(Default)]
struct Frames {
    /// Minimum milliseconds of each frame.
    ms: Vec<f64>,
    /// Number of frames after which an edge intersected a triangle.
    crossed: usize,
    hash: u64,
}

impl Frames {
    fn take(
        &mut self,
        (solver, substeps, iterations): (&str, usize, usize),
    ) -> Result<usize, String> {
        let words = |error: pliant::Error| error.to_string();
        let model = pliant_scenes::folded_sheet(31).map_err(words)?;
        let triangles: Vec<[u32; 3]> =
            model.bodies().iter().flat_map(|b| b.triangles.clone()).collect();
        let vertices = model.len();
        let solver = AnySolver::by_name(solver).map_err(words)?;
        let solver = solver.with_substeps(substeps).with_iterations(iterations);
        let mut sim = Simulation::new(model, solver).map_err(words)?;
        let first = self.ms.is_empty();
        self.ms.resize(FRAMES, f64::INFINITY);
        for frame in &mut self.ms {
            let watch = Stopwatch::start();
            sim.step();
            *frame = frame.min(watch.ms());
            if first {
                let wide = |p: &[f32; 4]| [p[0], p[1], p[2]].map(f64::from);
                let x: Vec<[f64; 3]> = sim.state().positions.iter().map(wide).collect();
                self.crossed += usize::from(metrics::crossings(&x, &triangles) > 0);
            }
        }
        self.hash = sim.hash();
        Ok(vertices)
    }
}

/// Runs the sheet with both solvers.
pub fn run() -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut frames = [Frames::default(), Frames::default()];
    let (mut clock, mut vertices) = (Clock::default(), 0);
    for _ in 0..ROUNDS {
        for (frames, solver) in frames.iter_mut().zip(SOLVERS) {
            vertices = frames.take(solver)?;
            clock.tick()?;
        }
    }
    for (frames, (solver, substeps, iterations)) in frames.iter().zip(SOLVERS) {
        let mean = frames.ms.iter().sum::<f64>() / FRAMES as f64;
        let worst = frames.ms.iter().copied().fold(0.0, f64::max);
        let middle = median(&frames.ms).unwrap_or(f64::NAN);
        let of_clock = clock.mean().map_or_else(String::new, |step| {
            format!("; {:.2} of a step of rapier's dropped cloth ({step:.1} ms)", mean / step)
        });
        outcome.rows.push(Row {
            workload: "folded-sheet".to_owned(),
            peer: "none".to_owned(),
            threads: 1,
            precision: "f32/—".to_owned(),
            ours_ms: Some(mean),
            hash: Some(frames.hash),
            note: format!(
                "{solver} {substeps}×{iterations}, {vertices} vertices, {FRAMES} frames: {:.0} \
                 frames/s; median {middle:.2} ms, maximum {worst:.2} ms; {} frames with \
                 intersections{of_clock}",
                1e3 / mean,
                frames.crossed
            ),
            ..Row::default()
        });
        if frames.crossed > 0 {
            outcome.failures.push(format!("folded-sheet, {solver}: the sheet intersects itself"));
        }
    }
    Ok(outcome)
}
