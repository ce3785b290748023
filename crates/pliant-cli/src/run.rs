//! `pliant run`: simulates a scene and writes the results.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use pliant::prelude::*;
use pliant::solvers::Solver;
use pliant_io::cache::{CacheFrame, CacheHeader, CacheReader, CacheWriter};
use pliant_io::checkpoint::{Checkpoint, RunIdentity};
use pliant_io::skin::{Skin, SkinShape};
use serde_json::json;

use crate::args::{PrecisionArg, RunArgs, SceneArgs, SolverArgs};
use crate::contact_stats::ContactStats;
use crate::error::{CliError, EXIT_INTERRUPTED};
use crate::film::Frame;
use crate::sinks::{self, OutputOptions, Sinks};
use crate::source::{self, LoadedScene};
use crate::ui::Ui;

/// True after Ctrl-C.
static STOP_REQUESTED: AtomicBool = AtomicBool::new(false);

/// True if Ctrl-C was pressed.
pub fn stop_requested() -> bool {
    STOP_REQUESTED.load(Ordering::Relaxed)
}

/// Installs the Ctrl-C handler; a second Ctrl-C ends the process at once.
fn install_interrupt_handler() {
    // Without a handler, Ctrl-C ends the run without a final checkpoint, which is no reason to refuse the
    // run.
    let _ = ctrlc::set_handler(|| {
        if STOP_REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(EXIT_INTERRUPTED));
        }
    });
}

/// Job of `pliant` without arguments: a cloth, exported as an animation and a picture.
pub fn default_job(ui: Ui) -> Result<ExitCode, CliError> {
    let scene = SceneArgs { scene: "tablecloth".to_owned(), size: None };
    let solver = SolverArgs {
        solver: None,
        iterations: None,
        set: Vec::new(),
        substeps: None,
        frames: None,
        dt: None,
        precision: PrecisionArg::F32,
        threads: 1,
        intersection_free: false,
    };
    let out = ["glb", "png"].map(|e| PathBuf::from(format!("out/tablecloth.{e}"))).to_vec();
    let args = RunArgs {
        scene,
        solver,
        out,
        checkpoint: None,
        every: 20,
        resume: false,
        no_colliders: false,
    };
    ui.info(
        "Simulating the default scene: a tablecloth falls over a ball and a soft ring (120 frames).",
    );
    let code = run(&args, ui)?;
    ui.info("Try next:  pliant run flag-in-wind --out out/flag.gif   (or: pliant --help)");
    Ok(code)
}

/// `pliant run`.
pub fn run(args: &RunArgs, ui: Ui) -> Result<ExitCode, CliError> {
    let source = source::open(&args.scene, ui)?;
    match args.solver.precision {
        PrecisionArg::F32 => Run::<f32>::prepare(source, args, ui)?.execute(),
        PrecisionArg::F64 => Run::<f64>::prepare(source, args, ui)?.execute(),
    }
}

/// Creates the simulation that the arguments describe.
pub fn create_simulation<S: Precision>(
    source: LoadedScene,
    args: &SolverArgs,
) -> Result<(Simulation<S>, Vec<Skin>), CliError> {
    let solver = source.solver(args)?;
    let intersection_free = args.intersection_free || source.description.intersection_free;
    let mut sim =
        Simulation::<S>::with_precision(source.model, solver).map_err(CliError::invalid_input)?;
    if intersection_free {
        sim.set_contact_mode(ContactMode::IntersectionFree);
    }
    if let Some(dt) = args.dt {
        sim.set_time_step(dt).map_err(CliError::invalid_input)?;
    }
    if args.threads == 0 {
        return Err(CliError::invalid_input("--threads must be at least 1"));
    }
    sim.set_threads(args.threads);
    Ok((sim, source.skins))
}

/// Captures the current positions of all bodies and colliders.
pub fn capture_frame<S: Precision>(sim: &Simulation<S>, skins: &[Skin], number: usize) -> Frame {
    let bodies = skins.iter().map(|skin| {
        let mut positions = Vec::new();
        skin.positions_in(sim, &mut positions);
        positions
    });
    Frame { number, time: sim.state().time, bodies: bodies.collect() }
}

struct Run<'a, S: Precision> {
    name: String,
    sim: Simulation<S>,
    skins: Vec<Skin>,
    shapes: Vec<SkinShape>,
    frames: usize,
    out: Vec<PathBuf>,
    fingerprint: u64,
    args: &'a RunArgs,
    ui: Ui,
}

impl<'a, S: Precision> Run<'a, S> {
    fn prepare(source: LoadedScene, args: &'a RunArgs, ui: Ui) -> Result<Self, CliError> {
        let frames = source.frames(&args.solver);
        let mut out = args.out.clone();
        if out.is_empty() {
            let own = source.description.output.clone().unwrap_or_default().files;
            out = own.iter().map(PathBuf::from).collect();
        }
        if out.is_empty() && args.checkpoint.is_none() {
            out = vec![PathBuf::from(format!("out/{}.glb", source.name))];
        }
        out.iter().try_for_each(|path| sinks::check_extension(path, true))?;
        let (name, fingerprint) = (source.name.clone(), source.fingerprint());
        let (sim, skins) = create_simulation::<S>(source, &args.solver)?;
        let shapes = skins.iter().map(|s| s.shape.clone()).collect();
        Ok(Self { name, sim, skins, shapes, frames, out, fingerprint, args, ui })
    }

    fn identity(&self) -> RunIdentity {
        RunIdentity {
            scene: self.fingerprint,
            solver: match self.sim.contact_mode() {
                ContactMode::RealTime => format!("{:?}", self.sim.solver()),
                ContactMode::IntersectionFree => {
                    format!("{:?}, intersection-free", self.sim.solver())
                }
            },
            precision: S::NAME.to_owned(),
            time_step: self.sim.time_step().to_bits(),
        }
    }

    fn execute(mut self) -> Result<ExitCode, CliError> {
        install_interrupt_handler();
        let fps = 1.0 / self.sim.time_step();
        let title = format!("{}   {}", self.name, self.sim.solver().name());
        let shapes = std::mem::take(&mut self.shapes);
        let mut run_checkpoint = self.open_checkpoint(&shapes, fps)?;
        let options = OutputOptions {
            colliders: !self.args.no_colliders,
            ..OutputOptions::all(self.frames, fps)
        };
        let mut sinks = Sinks::open(&title, &self.out, &shapes, options)?;
        let first = self.replay(&mut run_checkpoint, &mut sinks)?;
        if first > self.frames {
            self.ui.info(format!(
                "the checkpoint is already at frame {first}; raise --frames to continue"
            ));
        }
        let begin = Instant::now();
        let progress = self.ui.progress(self.frames, first);
        let (mut warned, mut contact_stats) = (0, ContactStats::default());
        for number in first + 1..=self.frames {
            self.sim.step();
            let report = self.sim.report();
            contact_stats.add(report);
            for warning in &report.warnings {
                warned += 1;
                if warned <= 5 {
                    progress.warn(format!("frame {number}: {warning}"));
                }
            }
            let frame = capture_frame(&self.sim, &self.skins, number);
            sinks.frame(&frame, Some(report))?;
            if let Some(safe) = &mut run_checkpoint {
                safe.cache.frame(frame.time, &slices(&frame)).map_err(CliError::failed)?;
            }
            let status =
                format!("E {:.3} J  residual {:.1e}", report.total_energy(), report.residual);
            progress.update(number, status);
            let stop = stop_requested() && number < self.frames;
            if let Some(safe) = &mut run_checkpoint
                && (stop || number == self.frames || number % self.args.every.max(1) == 0)
            {
                safe.save(&self.sim, number)?;
            }
            if stop {
                progress.finish();
                return Ok(self.interrupted(number));
            }
        }
        if warned > 5 {
            self.ui.warn(format!("{} more warnings; --out report.csv lists all", warned - 5));
        }
        let written = sinks.finish()?;
        self.report(first, begin.elapsed().as_secs_f64(), &contact_stats, &written);
        Ok(ExitCode::SUCCESS)
    }

    fn interrupted(&self, number: usize) -> ExitCode {
        let hint = match &self.args.checkpoint {
            Some(_) => "; run the same command with --resume to continue",
            None => "; use --checkpoint DIR for runs that can be resumed",
        };
        self.ui.info(format!("stopped after {number} of {} frames{hint}", self.frames));
        ExitCode::from(EXIT_INTERRUPTED)
    }

    fn report(
        &self,
        first: usize,
        seconds: f64,
        contact_stats: &ContactStats,
        written: &[PathBuf],
    ) {
        let steps = self.frames.saturating_sub(first);
        let ms = 1e3 * seconds / steps.max(1) as f64;
        let hash = format!("{:016x}", self.sim.hash());
        let files: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
        self.ui.info(format!(
            "{} frames of {} with {} in {seconds:.1} s ({ms:.2} ms per frame), state hash {hash}",
            steps,
            self.name,
            self.sim.solver().name(),
        ));
        if let Some(words) = contact_stats.summary() {
            self.ui.info(words);
        }
        // A sequence writes one file per frame; only the first and the last are printed.
        let shown = |list: &[String]| match list {
            [first, .., last] if list.len() > 12 => {
                vec![format!("{first} … {last} ({} files)", list.len())]
            }
            all => all.to_vec(),
        };
        for file in shown(&files) {
            self.ui.info(format!("wrote {file}"));
        }
        self.ui.print_json(&json!({
            "scene": self.name, "solver": self.sim.solver().name(), "precision": S::NAME,
            "threads": self.args.solver.threads, "frames": self.frames, "ms_per_frame": ms,
            "hash": hash, "files": files, "contacts": contact_stats.to_json(),
        }));
    }

    /// Opens the checkpoint folder and, with `--resume`, restores the checkpoint.
    fn open_checkpoint(
        &mut self,
        shapes: &[SkinShape],
        fps: f64,
    ) -> Result<Option<RunCheckpoint>, CliError> {
        let Some(folder) = &self.args.checkpoint else { return Ok(None) };
        std::fs::create_dir_all(folder)
            .map_err(|e| CliError::failed(format!("{}: {e}; check the path", folder.display())))?;
        let (path, cache) = (folder.join("checkpoint"), folder.join("frames.plc"));
        let identity = self.identity();
        if self.args.resume
            && let Some(found) = Checkpoint::load(&path).map_err(CliError::failed)?
        {
            found.check(&path, &identity).map_err(CliError::invalid_input)?;
            // The first frame is the initial state, before any step.
            let cache = CacheWriter::resume(&cache, found.frames + 1).map_err(CliError::failed)?;
            self.sim.restore(&found.snapshot).map_err(CliError::failed)?;
            self.ui.info(format!("resuming after frame {} of {}", found.frames, self.frames));
            return Ok(Some(RunCheckpoint {
                path,
                identity,
                cache,
                frames_done: found.frames as usize,
            }));
        }
        // An old checkpoint refers to frames that are about to be replaced, so it is removed.
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(CliError::failed(format!("{}: {e}", path.display())));
            }
            _ => {}
        }
        let header = CacheHeader { fps, shapes: shapes.to_vec() };
        let mut cache = CacheWriter::create(&cache, header).map_err(CliError::failed)?;
        let start = capture_frame(&self.sim, &self.skins, 0);
        cache.frame(start.time, &slices(&start)).map_err(CliError::failed)?;
        Ok(Some(RunCheckpoint { path, identity, cache, frames_done: 0 }))
    }

    /// Passes the initial state, or all frames up to the checkpoint, to the sinks. Returns the number of
    /// steps already done.
    fn replay(
        &self,
        run_checkpoint: &mut Option<RunCheckpoint>,
        sinks: &mut Sinks,
    ) -> Result<usize, CliError> {
        let done = run_checkpoint.as_ref().map_or(0, |s| s.frames_done);
        if done == 0 {
            sinks.frame(&capture_frame(&self.sim, &self.skins, 0), None)?;
            return Ok(0);
        }
        let Some(folder) = &self.args.checkpoint else { return Ok(done) };
        let mut cache = CacheReader::open(folder.join("frames.plc")).map_err(CliError::failed)?;
        for number in 0..=done.min(self.frames) {
            let CacheFrame { time, bodies } =
                cache.frame(number as u64).map_err(CliError::failed)?;
            sinks.frame(&Frame { number, time, bodies }, None)?;
        }
        Ok(done)
    }
}

fn slices(frame: &Frame) -> Vec<&[[f32; 3]]> {
    frame.bodies.iter().map(Vec::as_slice).collect()
}

/// A run's checkpoint and the frames that belong to it.
struct RunCheckpoint {
    path: PathBuf,
    identity: RunIdentity,
    cache: CacheWriter,
    frames_done: usize,
}

impl RunCheckpoint {
    /// Flushes the frames to disk first, then writes the checkpoint that refers to them.
    fn save<S: Precision>(&mut self, sim: &Simulation<S>, frames: usize) -> Result<(), CliError> {
        self.cache.sync().map_err(CliError::failed)?;
        let checkpoint = Checkpoint {
            identity: self.identity.clone(),
            frames: frames as u64,
            snapshot: sim.snapshot(),
        };
        checkpoint.save(Path::new(&self.path)).map_err(CliError::failed)
    }
}
