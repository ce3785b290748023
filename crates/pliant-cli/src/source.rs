//! Scenes loaded from a file or by name.

use std::collections::BTreeMap;
use std::path::Path;

use pliant::Model;
use pliant::math::{Fnv1a, Scalar};
use pliant::solvers::{AnySolver, SettingValue, Solver};
use pliant_io::scene_file::{self, SceneFile};
use pliant_io::skin::Skin;
use pliant_scenes::SceneDescription;

use crate::args::{self, SceneArgs, SolverArgs};
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
        // Only the size of a built-in scene can be wrong.
        Some(scene) if file.file == scene.name => {
            CliError::invalid_input(format!("{}: {}; use another --size", e.file, e.problem))
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

/// Reads the file, or describes a built-in scene.
fn read(args: &SceneArgs) -> Result<SceneFile, CliError> {
    let looks_like_a_file = args.scene.ends_with(".toml") || args.scene.contains(['/', '\\']);
    if !looks_like_a_file && let Some(scene) = pliant_scenes::by_name(&args.scene) {
        let description = scene.describe(args.size.unwrap_or(scene.default_size));
        return Ok(SceneFile::from_description(scene.name, description, BTreeMap::new()));
    }
    if !looks_like_a_file && !Path::new(&args.scene).exists() {
        let names: Vec<&str> = pliant_scenes::all().iter().map(|s| s.name).collect();
        let near = did_you_mean(&args.scene, &names);
        return Err(CliError::invalid_input(format!(
            "there is no scene \"{}\"{near}; see `pliant list scenes`, or use a scene file (.toml)",
            args.scene
        )));
    }
    if args.size.is_some() {
        return Err(CliError::invalid_input(
            "--size applies to built-in scenes only, not to scene files",
        ));
    }
    scene_file::read(&args.scene).map_err(CliError::invalid_input)
}

/// Suggestion `" (did you mean …?)"` for a nearly correct name.
pub fn did_you_mean(name: &str, known: &[&str]) -> String {
    let name = name.replace('-', "_").to_lowercase();
    let best = known.iter().map(|k| (strsim::levenshtein(&name, k), k)).min();
    match best {
        Some((d, k)) if d <= 2.max(name.len() / 3) => format!(" (did you mean {k}?)"),
        _ => String::new(),
    }
}

/// A solver of a list, as users write it: `NAME` or `NAME:SETTING=VALUE:…`.
pub struct NamedSolver {
    /// Name with the settings that were given.
    pub label: String,
    /// The solver.
    pub solver: AnySolver,
}

impl NamedSolver {
    /// Reads a solver; `by_name` finds the one that the settings change.
    pub fn parse(
        text: &str,
        by_name: impl Fn(&str) -> Result<AnySolver, pliant::Error>,
    ) -> Result<Self, CliError> {
        let text = text.trim();
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or("");
        let mut solver = by_name(name).map_err(CliError::invalid_input)?;
        let values: Result<Vec<_>, String> = parts.map(args::setting).collect();
        let values =
            values.map_err(|problem| CliError::invalid_input(format!("{text}: {problem}")))?;
        let values: Vec<_> = values.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let label = if values.is_empty() { solver.name().to_owned() } else { text.to_owned() };
        solver.set_all(values).map_err(CliError::invalid_input)?;
        Ok(Self { label, solver })
    }
}

impl LoadedScene {
    /// The solver given by the arguments, else the scene's own, else the default, with the settings of the
    /// arguments.
    pub fn solver(&self, args: &SolverArgs) -> Result<AnySolver, CliError> {
        let mut solver = match &args.solver {
            Some(name) => self.solver_named(name).map_err(CliError::invalid_input)?,
            None => {
                let own = self.description.solver.clone().unwrap_or_default();
                own.solver().map_err(|(_, error)| CliError::invalid_input(error))?
            }
        };
        let mut values = args.set.clone();
        let counts = [("iterations", args.iterations), ("substeps", args.substeps)];
        for (name, count) in counts {
            values.extend(count.map(|n| (name.to_owned(), SettingValue::from(n))));
        }
        let values = values.iter().map(|(name, value)| (name.as_str(), value));
        solver.set_all(values).map_err(CliError::invalid_input)?;
        Ok(solver)
    }

    /// A solver by name: with the scene's settings if it is the scene's own.
    pub fn solver_named(&self, name: &str) -> Result<AnySolver, pliant::Error> {
        self.description.solver.clone().unwrap_or_default().solver_named(name)
    }

    /// Number of frames to simulate.
    pub fn frames(&self, args: &SolverArgs) -> usize {
        args.frames.or(self.description.frames).unwrap_or(DEFAULT_FRAMES)
    }

    /// Hash that identifies a scene: its description and the model built from it.
    pub fn fingerprint(&self) -> u64 {
        let text = scene_file::write(&self.description).unwrap_or_default();
        let mut hash = Fnv1a::default();
        hash.bytes(text.as_bytes());
        for c in self.model.rest_positions().iter().flatten().chain(self.model.masses()) {
            hash.word(c.canonical_bits());
        }
        hash.value()
    }
}
