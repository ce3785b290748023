//! `pliant run`: simulates a scene and writes what it does.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use pliant::prelude::*;
use pliant::solvers::Solver;
use pliant_io::cache::{CacheFrame, CacheHeader, CacheReader, CacheWriter};
use pliant_io::checkpoint::{Checkpoint, RunIdentity};
use pliant_io::skin::{Shape, Skin};
use serde_json::json;

use crate::args::{PrecisionArg, RunArgs, SceneArgs, SolverArgs};
use crate::failure::{Failure, INTERRUPTED};
use crate::film::Frame;
use crate::sinks::{self, Show, Sinks};
use crate::source::{self, Source};
use crate::touches::Touches;
use crate::ui::Ui;

/// Set by Ctrl-C.
static STOP: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C was pressed.
pub fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Listens for Ctrl-C; a second one ends the process at once.
fn listen() {
    // Without a handler, Ctrl-C ends the run without a last checkpoint: no reason to refuse it.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
}

/// The job of `pliant` alone: a cloth, a film of it and a picture.
pub fn default_job(ui: Ui) -> Result<ExitCode, Failure> {
    let scene = SceneArgs { scene: "draped_cloth".to_owned(), size: None };
    let solver = SolverArgs {
        solver: None,
        iterations: None,
        substeps: None,
        frames: None,
        dt: None,
        precision: PrecisionArg::F32,
        threads: 1,
        offline: false,
    };
    let out = ["glb", "png"].map(|e| PathBuf::from(format!("out/draped_cloth.{e}"))).to_vec();
    let args = RunArgs {
        scene,
        solver,
        out,
        checkpoint: None,
        every: 20,
        resume: false,
        no_colliders: false,
    };
    ui.say("A square metre of cotton falls and drapes between two corners (150 frames).");
    let code = run(&args, ui)?;
    ui.say("Try next:  pliant run flag-in-wind --out out/flag.gif   (or: pliant --help)");
    Ok(code)
}

/// `pliant run`.
pub fn run(args: &RunArgs, ui: Ui) -> Result<ExitCode, Failure> {
    let source = source::open(&args.scene, ui)?;
    match args.solver.precision {
        PrecisionArg::F32 => Run::<f32>::prepare(source, args, ui)?.go(),
        PrecisionArg::F64 => Run::<f64>::prepare(source, args, ui)?.go(),
    }
}

/// A simulation as the arguments ask for it.
pub fn simulation<S: Precision>(
    source: Source,
    args: &SolverArgs,
) -> Result<(Simulation<S>, Vec<Skin>), Failure> {
    let solver = source.solver(args)?;
    let offline = args.offline || source.description.offline;
    let mut sim = Simulation::<S>::prepare(source.model, solver).map_err(Failure::input)?;
    if offline {
        sim.set_contact_mode(ContactMode::Offline);
    }
    if let Some(dt) = args.dt {
        sim.set_time_step(dt).map_err(Failure::input)?;
    }
    if args.threads == 0 {
        return Err(Failure::input("--threads must be at least 1"));
    }
    sim.set_threads(args.threads);
    Ok((sim, source.skins))
}

/// What the bodies and colliders of a simulation show now.
pub fn frame_of<S: Precision>(sim: &Simulation<S>, skins: &[Skin], number: usize) -> Frame {
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
    shapes: Vec<Shape>,
    frames: usize,
    out: Vec<PathBuf>,
    fingerprint: u64,
    args: &'a RunArgs,
    ui: Ui,
}

impl<'a, S: Precision> Run<'a, S> {
    fn prepare(source: Source, args: &'a RunArgs, ui: Ui) -> Result<Self, Failure> {
        let frames = source.frames(&args.solver);
        let mut out = args.out.clone();
        if out.is_empty() {
            let own = source.description.output.clone().unwrap_or_default().files;
            out = own.iter().map(PathBuf::from).collect();
        }
        if out.is_empty() && args.checkpoint.is_none() {
            out = vec![PathBuf::from(format!("out/{}.glb", source.name))];
        }
        out.iter().try_for_each(|path| sinks::check(path))?;
        let (name, fingerprint) = (source.name.clone(), source.fingerprint());
        let (sim, skins) = simulation::<S>(source, &args.solver)?;
        let shapes = skins.iter().map(|s| s.shape.clone()).collect();
        Ok(Self { name, sim, skins, shapes, frames, out, fingerprint, args, ui })
    }

    fn identity(&self) -> RunIdentity {
        RunIdentity {
            scene: self.fingerprint,
            solver: match self.sim.contact_mode() {
                ContactMode::RealTime => format!("{:?}", self.sim.solver()),
                ContactMode::Offline => format!("{:?}, offline", self.sim.solver()),
            },
            precision: S::NAME.to_owned(),
            time_step: self.sim.time_step().to_bits(),
        }
    }

    fn go(mut self) -> Result<ExitCode, Failure> {
        listen();
        let fps = 1.0 / self.sim.time_step();
        let title = format!("{}   {}", self.name, self.sim.solver().name());
        let shapes = std::mem::take(&mut self.shapes);
        let mut safe = self.open_checkpoint(&shapes, fps)?;
        let show = Show { colliders: !self.args.no_colliders, ..Show::all(self.frames, fps) };
        let mut sinks = Sinks::open(&title, &self.out, &shapes, show)?;
        let first = self.replay(&mut safe, &mut sinks)?;
        if first > self.frames {
            self.ui.say(format!("the checkpoint is at frame {first} already; nothing to simulate"));
        }
        let begin = Instant::now();
        let mut progress = self.ui.progress(self.frames, first);
        let (mut warned, mut touches) = (0, Touches::default());
        for number in first + 1..=self.frames {
            self.sim.step();
            let report = self.sim.report();
            touches.add(report);
            for warning in &report.warnings {
                warned += 1;
                if warned <= 5 {
                    self.ui.warn(format!("frame {number}: {warning}"));
                }
            }
            let frame = frame_of(&self.sim, &self.skins, number);
            sinks.frame(&frame, Some(report))?;
            if let Some(safe) = &mut safe {
                safe.cache.frame(frame.time, &slices(&frame)).map_err(Failure::run)?;
            }
            let words = format!("E {:.3} J  residual {:.1e}", report.energy(), report.residual);
            progress.show(number, &words);
            let stop = stopped() && number < self.frames;
            if let Some(safe) = &mut safe
                && (stop || number == self.frames || number % self.args.every.max(1) == 0)
            {
                safe.save(&self.sim, number)?;
            }
            if stop {
                progress.end();
                return Ok(self.interrupted(number));
            }
        }
        if warned > 5 {
            self.ui.warn(format!("{} more warnings; --out report.csv lists all", warned - 5));
        }
        let written = sinks.finish()?;
        self.report(first, begin.elapsed().as_secs_f64(), &touches, &written);
        Ok(ExitCode::SUCCESS)
    }

    fn interrupted(&self, number: usize) -> ExitCode {
        let hint = match &self.args.checkpoint {
            Some(_) => "; the same command with --resume goes on from here",
            None => "; with --checkpoint DIR it could go on from here",
        };
        self.ui.say(format!("stopped after {number} of {} frames{hint}", self.frames));
        ExitCode::from(INTERRUPTED)
    }

    fn report(&self, first: usize, seconds: f64, touches: &Touches, written: &[PathBuf]) {
        let steps = self.frames.saturating_sub(first);
        let ms = 1e3 * seconds / steps.max(1) as f64;
        let hash = format!("{:016x}", self.sim.hash());
        let files: Vec<String> = written.iter().map(|p| p.display().to_string()).collect();
        self.ui.say(format!(
            "{} frames of {} under {} in {seconds:.1} s ({ms:.2} ms per frame), state {hash}",
            steps,
            self.name,
            self.sim.solver().name(),
        ));
        if let Some(words) = touches.words() {
            self.ui.say(words);
        }
        // A sequence has a file per frame: its first and last say enough.
        let shown = |list: &[String]| match list {
            [first, .., last] if list.len() > 12 => {
                vec![format!("{first} … {last} ({} files)", list.len())]
            }
            all => all.to_vec(),
        };
        for file in shown(&files) {
            self.ui.say(format!("wrote {file}"));
        }
        self.ui.record(&json!({
            "scene": self.name, "solver": self.sim.solver().name(), "precision": S::NAME,
            "threads": self.args.solver.threads, "frames": self.frames, "ms_per_frame": ms,
            "hash": hash, "files": files, "contacts": touches.record(),
        }));
    }

    /// Opens the checkpoint folder, and goes to the checkpoint where that is asked for.
    fn open_checkpoint(&mut self, shapes: &[Shape], fps: f64) -> Result<Option<Safe>, Failure> {
        let Some(folder) = &self.args.checkpoint else { return Ok(None) };
        std::fs::create_dir_all(folder)
            .map_err(|e| Failure::run(format!("{}: {e}; check the path", folder.display())))?;
        let (path, cache) = (folder.join("checkpoint"), folder.join("frames.plc"));
        let identity = self.identity();
        if self.args.resume
            && let Some(found) = Checkpoint::load(&path).map_err(Failure::run)?
        {
            found.check(&path, &identity).map_err(Failure::input)?;
            // The first frame is the start, before any step.
            let cache = CacheWriter::resume(&cache, found.frames + 1).map_err(Failure::run)?;
            self.sim.restore(&found.snapshot).map_err(Failure::run)?;
            self.ui.say(format!("going on after frame {} of {}", found.frames, self.frames));
            return Ok(Some(Safe { path, identity, cache, done: found.frames as usize }));
        }
        // An old checkpoint must not outlive the frames that it needs.
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Failure::run(format!("{}: {e}", path.display())));
            }
            _ => {}
        }
        let header = CacheHeader { fps, shapes: shapes.to_vec() };
        let mut cache = CacheWriter::create(&cache, header).map_err(Failure::run)?;
        let start = frame_of(&self.sim, &self.skins, 0);
        cache.frame(start.time, &slices(&start)).map_err(Failure::run)?;
        Ok(Some(Safe { path, identity, cache, done: 0 }))
    }

    /// Gives the start, or all frames up to the checkpoint, to the sinks; says how many steps are
    /// done.
    fn replay(&self, safe: &mut Option<Safe>, sinks: &mut Sinks) -> Result<usize, Failure> {
        let done = safe.as_ref().map_or(0, |s| s.done);
        if done == 0 {
            sinks.frame(&frame_of(&self.sim, &self.skins, 0), None)?;
            return Ok(0);
        }
        let Some(folder) = &self.args.checkpoint else { return Ok(done) };
        let mut cache = CacheReader::open(folder.join("frames.plc")).map_err(Failure::run)?;
        for number in 0..=done.min(self.frames) {
            let CacheFrame { time, bodies } = cache.frame(number as u64).map_err(Failure::run)?;
            sinks.frame(&Frame { number, time, bodies }, None)?;
        }
        Ok(done)
    }
}

fn slices(frame: &Frame) -> Vec<&[[f32; 3]]> {
    frame.bodies.iter().map(Vec::as_slice).collect()
}

/// A run's checkpoint and the frames that belong to it.
struct Safe {
    path: PathBuf,
    identity: RunIdentity,
    cache: CacheWriter,
    done: usize,
}

impl Safe {
    /// First the frames reach the disk, then the checkpoint that counts on them.
    fn save<S: Precision>(&mut self, sim: &Simulation<S>, frames: usize) -> Result<(), Failure> {
        self.cache.sync().map_err(Failure::run)?;
        let checkpoint = Checkpoint {
            identity: self.identity.clone(),
            frames: frames as u64,
            snapshot: sim.snapshot(),
        };
        checkpoint.save(Path::new(&self.path)).map_err(Failure::run)
    }
}
