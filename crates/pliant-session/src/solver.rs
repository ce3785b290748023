//! Solvers by name and parameters: the available ones, those that refuse a scene, and their settings.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pliant::prelude::*;
use pliant::solvers::{ACCELERATED, INTEGRATED, LIST};
use pliant::{Compatibility, ImplicitStep, Model, Warning, compatibility_of};
use pliant_scenes::SceneDescription;
use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::protocol::{Owner, Parameter, SolverChoice, SolverInfo};

/// Maximum number of iterations or substeps; more would freeze the picture.
const MAX_COUNT: f64 = 10_000.0;

/// Name and parameters of a solver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SolverSettings {
    /// Name of the solver.
    pub name: String,
    /// Values of `iterations`, `substeps`, `tolerance`, `levels`, `sweeps` that differ from the solver's
    /// defaults.
    #[serde(rename = "numbers", default)]
    pub parameters: BTreeMap<String, f64>,
}

/// A solver parameter for users: name, label, unit, range, logarithmic, integer.
type ParameterSpec = (&'static str, &'static str, &'static str, [f64; 2], bool, bool);

const ITERATIONS: ParameterSpec = ("iterations", "iterations", "", [1.0, 1000.0], true, true);
const SUBSTEPS: ParameterSpec = ("substeps", "substeps", "", [1.0, 1000.0], true, true);
const MOTION_TOLERANCE: ParameterSpec =
    ("tolerance", "stop below a motion of", "m", [0.0, 1e-2], false, false);
const RELATIVE_TOLERANCE: ParameterSpec = ("tolerance", "tolerance", "", [0.0, 1e-1], false, false);
const LEVELS: ParameterSpec = ("levels", "coarse levels", "", [0.0, 16.0], false, true);
const SWEEPS: ParameterSpec = ("sweeps", "sweeps on each level", "", [1.0, 100.0], true, true);

/// Parameters of a solver.
fn parameter_specs(solver: &AnySolver) -> &'static [ParameterSpec] {
    match solver {
        AnySolver::Explicit(_) => &[SUBSTEPS],
        AnySolver::ProjectiveDynamics(_) => &[ITERATIONS, SUBSTEPS, MOTION_TOLERANCE],
        AnySolver::Newton(_) | AnySolver::Constrained(_) => {
            &[ITERATIONS, SUBSTEPS, RELATIVE_TOLERANCE]
        }
        AnySolver::Hpbd(_) => &[ITERATIONS, SUBSTEPS, LEVELS, SWEEPS],
        _ => &[ITERATIONS, SUBSTEPS],
    }
}

fn parameter_value(solver: &AnySolver, name: &str) -> f64 {
    match (name, solver) {
        ("iterations", s) => s.iterations() as f64,
        ("substeps", s) => s.substeps() as f64,
        ("tolerance", AnySolver::ProjectiveDynamics(s)) => s.tolerance,
        ("tolerance", AnySolver::Newton(s)) => s.tolerance,
        ("tolerance", AnySolver::Constrained(s)) => s.tolerance,
        ("levels", AnySolver::Hpbd(s)) => s.levels as f64,
        ("sweeps", AnySolver::Hpbd(s)) => s.sweeps as f64,
        _ => f64::NAN,
    }
}

impl SolverSettings {
    /// Settings of the user's choice; missing values come from the scene if it is the scene's own solver.
    pub fn from_choice(choice: &SolverChoice, scene: &SceneDescription) -> Result<Self, String> {
        let known = AnySolver::by_name(&choice.name).map_err(|e| e.to_string())?;
        let own = scene.solver.clone().unwrap_or_default();
        let same = AnySolver::by_name(&own.name).is_ok_and(|s| s.name() == known.name());
        let (iterations, substeps) =
            if same { (own.iterations, own.substeps) } else { (None, None) };
        let mut settings = Self { name: choice.name.clone(), ..Self::default() };
        let given = [
            ("iterations", choice.iterations.map(|n| n as usize).or(iterations)),
            ("substeps", choice.substeps.map(|n| n as usize).or(substeps)),
        ];
        for (name, value) in given {
            if let Some(value) = value
                && parameter_specs(&known).iter().any(|n| n.0 == name)
            {
                settings.parameters.insert(name.to_owned(), value as f64);
            }
        }
        settings.solver().map(|_| settings)
    }

    /// The scene's own solver.
    pub fn from_scene(scene: &SceneDescription) -> Result<Self, String> {
        let name = match scene.solver.as_ref().map(|s| s.name.as_str()) {
            None | Some("") => "projective",
            Some(name) => name,
        };
        Self::from_choice(&SolverChoice::named(name), scene)
    }

    /// The engine's solver; the error describes invalid settings.
    pub fn solver(&self) -> Result<AnySolver, String> {
        let mut solver = AnySolver::by_name(&self.name).map_err(|e| e.to_string())?;
        for (name, &value) in &self.parameters {
            let known = parameter_specs(&solver).iter().find(|n| n.0 == name);
            let Some((.., whole)) = known else {
                return Err(format!("{} has no number called \"{name}\"", self.name));
            };
            let low = if *whole && name != "levels" { 1.0 } else { 0.0 };
            if !(value >= low && value <= MAX_COUNT) {
                return Err(format!(
                    "{name} = {value} cannot be; give a number from {low} to {MAX_COUNT}"
                ));
            }
            let count = value.round() as usize;
            match (name.as_str(), &mut solver) {
                ("iterations", _) => solver = solver.with_iterations(count),
                ("substeps", _) => solver = solver.with_substeps(count),
                ("tolerance", AnySolver::ProjectiveDynamics(s)) => s.tolerance = value,
                ("tolerance", AnySolver::Newton(s)) => s.tolerance = value,
                ("tolerance", AnySolver::Constrained(s)) => s.tolerance = value,
                ("levels", AnySolver::Hpbd(s)) => s.levels = count,
                ("sweeps", AnySolver::Hpbd(s)) => s.sweeps = count,
                _ => {}
            }
        }
        Ok(solver)
    }

    /// The same settings with as many substeps as an explicit solver needs on the next step, unless they
    /// are given.
    pub fn with_stable_substeps(mut self, sim: &mut Simulation) -> Result<Self, String> {
        let solver = self.solver()?;
        if !matches!(solver, AnySolver::Explicit(_)) || self.parameters.contains_key("substeps") {
            return Ok(self);
        }
        let ready = ImplicitStep::<f32>::from_any_precision(sim).prepare(&solver.with_substeps(1));
        let needed = match ready.map_err(|e| e.to_string())?.startup_warning() {
            Some(Warning::StepTooLong { required: needed, .. }) => needed as f64,
            _ => 1.0,
        };
        if needed > MAX_COUNT {
            return Err(format!(
                "{} needs {needed} substeps for this scene, more than {MAX_COUNT}; choose an implicit solver, or \
                 soften the material",
                self.name
            ));
        }
        self.parameters.insert("substeps".to_owned(), needed);
        Ok(self)
    }

    /// The settings as a choice of the user interface.
    pub fn choice(&self) -> SolverChoice {
        let solver = self.solver().ok();
        let count = |name| solver.as_ref().map(|s| parameter_value(s, name) as u32);
        SolverChoice {
            name: self.name.clone(),
            iterations: count("iterations"),
            substeps: count("substeps"),
        }
    }

    /// Parameters for the user interface.
    pub fn parameters(&self) -> Vec<Parameter> {
        let Ok(solver) = self.solver() else { return Vec::new() };
        let parameter =
            |&(name, label, unit, range, logarithmic, whole): &ParameterSpec| Parameter {
                id: format!("solver.{name}"),
                label: label.to_owned(),
                unit: unit.to_owned(),
                value: parameter_value(&solver, name),
                range,
                logarithmic,
                is_integer: whole,
                owner: Owner::Solver,
            };
        parameter_specs(&solver).iter().map(parameter).collect()
    }

    /// The action that sets this solver.
    pub fn action(&self) -> Action {
        Action::Solver { name: self.name.clone(), parameters: self.parameters.clone() }
    }
}

/// All solvers, with the reason for those that cannot run a model.
pub(crate) fn list_solvers(model: &Model) -> Vec<SolverInfo> {
    // Only the elements of the model are tried: trying all of them would delay a web page by a second at
    // first.
    let mut names: Vec<&str> = model.elements().iter().map(|e| e.name()).collect();
    names.sort_unstable();
    names.dedup();
    let compatibility: Vec<Compatibility> =
        names.iter().flat_map(|element| cached_compatibility(element)).collect();
    let all = LIST.iter().chain(ACCELERATED).chain(INTEGRATED);
    all.map(|&(name, summary)| {
        let base = AnySolver::by_name(name).map_or("", |s| base_name(s.name()));
        let refused = |element: &str| {
            let pair = compatibility.iter().find(|p| p.element == element && p.solver == base);
            pair.and_then(|p| p.refusal.clone())
        };
        let refusal = model.elements().iter().find_map(|e| refused(e.name()));
        SolverInfo { name: name.to_owned(), summary: summary.to_owned(), refusal }
    })
    .collect()
}

/// Compatibility of an element with every solver, computed once.
fn cached_compatibility(element: &str) -> Vec<Compatibility> {
    static CACHE: Mutex<BTreeMap<String, Vec<Compatibility>>> = Mutex::new(BTreeMap::new());
    let mut known = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(element.to_owned()).or_insert_with(|| compatibility_of(element)).clone()
}

/// Solver name without acceleration, sweep and integrator.
fn base_name(name: &str) -> &str {
    let base = name.split(['+', '@']).next().unwrap_or(name);
    match base {
        "pbd_jacobi" | "pbd_momentum" => "pbd",
        other => other,
    }
}
