//! Scenes loaded from a file or by name.

use std::path::Path;

use pliant::solvers::{AnySolver, Solver};
use pliant::{Model, math::Scalar};
use pliant_io::scene_file::{self, SceneFile};
use pliant_io::skin::Skin;
use pliant_scenes::SceneDescription;

use crate::args::{SceneArgs, SolverArgs};
use crate::error::CliError;
use crate::ui::Ui;

/// Frames of a run if neither the arguments nor the scene give a number.
const DEFAULT_FRAMES: usize = 150;

/// A scene that is ready to run.
#[derive(Debug)]
pub struct LoadedScene {
    /// Name for files and titles.
    pub name: String,
    /// Description of the scene.
    pub description: SceneDescription,
    /// Simulated model.
    pub model: Model,
    /// Rendered surfaces of the model.
    pub skins: Vec<Skin>,
}

/// Opens a scene file or a built-in scene and builds it.
pub fn open(args: &SceneArgs, ui: Ui) -> Result<LoadedScene, CliError> {
    let file = read(args)?;
    let built = file.build().map_err(|e| match pliant_scenes::by_name(&args.scene) {
        // The file of a built-in scene is generated, so that only its size can be wrong.
        Some(scene) if file.file == scene.name => {
            CliError::invalid_input(format!("{}: {}; try another --size", e.file, e.problem))
        }
        _ => CliError::invalid_input(e),
    })?;
    for note in &built.notes {
        ui.info(note);
    }
    let name = match file.description.name.as_str() {
        "" => Path::new(&args.scene).file_stem().and_then(|s| s.to_str()).unwrap_or("scene"),
        name => name,
    };
    Ok(LoadedScene {
        name: name.replace(' ', "_"),
        description: file.description.clone(),
        model: built.model,
        skins: built.skins,
    })
}

/// Reads the file, or generates the file of a built-in scene.
fn read(args: &SceneArgs) -> Result<SceneFile, CliError> {
    let looks_like_a_file = args.scene.ends_with(".toml") || args.scene.contains(['/', '\\']);
    if !looks_like_a_file && let Some(scene) = pliant_scenes::by_name(&args.scene) {
        let description = scene.describe(args.size.unwrap_or(scene.default_size));
        let text = scene_file::write(&description).map_err(CliError::failed)?;
        return scene_file::parse(scene.name, text, Path::new(".")).map_err(CliError::failed);
    }
    if !looks_like_a_file && !Path::new(&args.scene).exists() {
        let names: Vec<&str> = pliant_scenes::all().iter().map(|s| s.name).collect();
        let near = did_you_mean(&args.scene, &names);
        return Err(CliError::invalid_input(format!(
            "there is no scene \"{}\"{near}; `pliant list scenes` shows all, a file ends with .toml",
            args.scene
        )));
    }
    if args.size.is_some() {
        return Err(CliError::invalid_input(
            "--size is for built-in scenes; a file says its own sizes",
        ));
    }
    scene_file::read(&args.scene).map_err(CliError::invalid_input)
}

/// Suggestion `" (did you mean …?)"` for a nearly correct name.
pub fn did_you_mean(name: &str, known: &[&str]) -> String {
    let name = name.replace('-', "_").to_lowercase();
    let best = known.iter().map(|k| (edit_distance(&name, k), k)).min();
    match best {
        Some((d, k)) if d <= 2.max(name.len() / 3) => format!(" (did you mean {k}?)"),
        _ => String::new(),
    }
}

/// Edit distance: insertions, deletions and substitutions that turn one word into the other.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let change = corner + usize::from(ca != *cb);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

/// The solver of that name, or an error that lists all solvers.
pub fn solver_by_name(name: &str) -> Result<AnySolver, CliError> {
    AnySolver::by_name(name).map_err(CliError::invalid_input)
}

impl LoadedScene {
    /// The solver given by the arguments, else the scene's own, else the default.
    pub fn solver(&self, args: &SolverArgs) -> Result<AnySolver, CliError> {
        let own = self.description.solver.clone().unwrap_or_default();
        let name = match (&args.solver, own.name.as_str()) {
            (Some(name), _) => name.as_str(),
            (None, "") => "projective",
            (None, name) => name,
        };
        self.solver_named(name, args.iterations, args.substeps)
    }

    /// A solver with the settings of the arguments; missing ones come from the scene if it is the scene's
    /// own solver.
    pub fn solver_named(
        &self,
        name: &str,
        iterations: Option<usize>,
        substeps: Option<usize>,
    ) -> Result<AnySolver, CliError> {
        let own = self.description.solver.clone().unwrap_or_default();
        let mut solver = solver_by_name(name)?;
        let same = !own.name.is_empty() && solver_by_name(&own.name)?.name() == solver.name();
        let own = if same { own } else { Default::default() };
        if iterations.is_some() && matches!(solver, AnySolver::Explicit(_)) {
            let problem = format!("{name} has no iterations; give it --substeps");
            return Err(CliError::invalid_input(problem));
        }
        if let Some(n) = iterations.or(own.iterations) {
            solver = solver.with_iterations(at_least_one("the number of iterations", n)?);
        }
        if let Some(n) = substeps.or(own.substeps) {
            solver = solver.with_substeps(at_least_one("the number of substeps", n)?);
        }
        Ok(solver)
    }

    /// Number of frames to simulate.
    pub fn frames(&self, args: &SolverArgs) -> usize {
        args.frames.or(self.description.frames).unwrap_or(DEFAULT_FRAMES)
    }

    /// Hash that identifies a scene: its description and the model built from it.
    pub fn fingerprint(&self) -> u64 {
        let text = scene_file::write(&self.description).unwrap_or_default();
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            for &b in bytes {
                hash = (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        add(text.as_bytes());
        for c in self.model.rest_positions().iter().flatten().chain(self.model.masses()) {
            add(&c.canonical_bits().to_le_bytes());
        }
        hash
    }
}

fn at_least_one(what: &str, n: usize) -> Result<usize, CliError> {
    if n == 0 { Err(CliError::invalid_input(format!("{what} must be at least 1"))) } else { Ok(n) }
}
