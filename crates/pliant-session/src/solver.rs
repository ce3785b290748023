//! Solvers by name and number: which there are, which refuse a scene, what can be set.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pliant::prelude::*;
use pliant::solvers::{ACCELERATED, INTEGRATED, LIST};
use pliant::{Model, OneStep, Support, Warning, support_of};
use pliant_scenes::Description;
use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::protocol::{Owner, Parameter, SolverChoice, SolverInfo};

/// More iterations or substeps than this freeze every picture.
const MOST: f64 = 10_000.0;

/// A solver's name and its numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// Its name.
    pub name: String,
    /// `iterations`, `substeps`, `tolerance`, `levels`, `sweeps`: those that are not its own defaults.
    #[serde(default)]
    pub numbers: BTreeMap<String, f64>,
}

/// A number of a solver, for users: name, label, unit, range, logarithmic, whole.
type Number = (&'static str, &'static str, &'static str, [f64; 2], bool, bool);

const ITERATIONS: Number = ("iterations", "iterations", "", [1.0, 1000.0], true, true);
const SUBSTEPS: Number = ("substeps", "substeps", "", [1.0, 1000.0], true, true);
const LENGTH: Number = ("tolerance", "stop below a motion of", "m", [0.0, 1e-2], false, false);
const FRACTION: Number = ("tolerance", "tolerance", "", [0.0, 1e-1], false, false);
const LEVELS: Number = ("levels", "coarse levels", "", [0.0, 16.0], false, true);
const SWEEPS: Number = ("sweeps", "sweeps on each level", "", [1.0, 100.0], true, true);

/// The numbers that a solver has.
fn numbers(solver: &AnySolver) -> &'static [Number] {
    match solver {
        AnySolver::Explicit(_) => &[SUBSTEPS],
        AnySolver::ProjectiveDynamics(_) => &[ITERATIONS, SUBSTEPS, LENGTH],
        AnySolver::Newton(_) | AnySolver::Constrained(_) => &[ITERATIONS, SUBSTEPS, FRACTION],
        AnySolver::Hpbd(_) => &[ITERATIONS, SUBSTEPS, LEVELS, SWEEPS],
        _ => &[ITERATIONS, SUBSTEPS],
    }
}

fn number(solver: &AnySolver, name: &str) -> f64 {
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

impl Settings {
    /// What a user chose; what is not given is the scene's where it is the scene's own solver.
    pub fn of(choice: &SolverChoice, scene: &Description) -> Result<Self, String> {
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
                && numbers(&known).iter().any(|n| n.0 == name)
            {
                settings.numbers.insert(name.to_owned(), value as f64);
            }
        }
        settings.solver().map(|_| settings)
    }

    /// The scene's own solver.
    pub fn of_scene(scene: &Description) -> Result<Self, String> {
        let name = match scene.solver.as_ref().map(|s| s.name.as_str()) {
            None | Some("") => "projective",
            Some(name) => name,
        };
        Self::of(&SolverChoice::named(name), scene)
    }

    /// The engine's solver, or what is wrong with these settings.
    pub fn solver(&self) -> Result<AnySolver, String> {
        let mut solver = AnySolver::by_name(&self.name).map_err(|e| e.to_string())?;
        for (name, &value) in &self.numbers {
            let known = numbers(&solver).iter().find(|n| n.0 == name);
            let Some((.., whole)) = known else {
                return Err(format!("{} has no number called \"{name}\"", self.name));
            };
            let low = if *whole && name != "levels" { 1.0 } else { 0.0 };
            if !(value >= low && value <= MOST) {
                return Err(format!(
                    "{name} = {value} cannot be; give a number from {low} to {MOST}"
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

    /// The same with as many substeps as an explicit solver needs on the next step, unless they are given.
    pub fn stable(mut self, sim: &mut Simulation) -> Result<Self, String> {
        let solver = self.solver()?;
        if !matches!(solver, AnySolver::Explicit(_)) || self.numbers.contains_key("substeps") {
            return Ok(self);
        }
        let ready = OneStep::<f32>::posed_by(sim).solver(&solver.with_substeps(1));
        let needed = match ready.map_err(|e| e.to_string())?.warning() {
            Some(Warning::StepTooLong { needed, .. }) => needed as f64,
            _ => 1.0,
        };
        if needed > MOST {
            return Err(format!(
                "{} needs {needed} substeps for this scene, more than {MOST}; choose an implicit solver, or \
                 soften the material",
                self.name
            ));
        }
        self.numbers.insert("substeps".to_owned(), needed);
        Ok(self)
    }

    /// As users see it.
    pub fn choice(&self) -> SolverChoice {
        let solver = self.solver().ok();
        let count = |name| solver.as_ref().map(|s| number(s, name) as u32);
        SolverChoice {
            name: self.name.clone(),
            iterations: count("iterations"),
            substeps: count("substeps"),
        }
    }

    /// Its numbers, for users.
    pub fn parameters(&self) -> Vec<Parameter> {
        let Ok(solver) = self.solver() else { return Vec::new() };
        let parameter = |&(name, label, unit, range, logarithmic, whole): &Number| Parameter {
            id: format!("solver.{name}"),
            label: label.to_owned(),
            unit: unit.to_owned(),
            value: number(&solver, name),
            range,
            logarithmic,
            whole,
            owner: Owner::Solver,
        };
        numbers(&solver).iter().map(parameter).collect()
    }

    /// The action that sets it.
    pub fn action(&self) -> Action {
        Action::Solver { name: self.name.clone(), numbers: self.numbers.clone() }
    }
}

/// All solvers, and why those that cannot run a model do not.
pub(crate) fn list(model: &Model) -> Vec<SolverInfo> {
    // Only what the model is made of is tried: all elements would take a page a second to begin with.
    let mut names: Vec<&str> = model.elements().iter().map(|e| e.name()).collect();
    names.sort_unstable();
    names.dedup();
    let tried: Vec<Support> = names.iter().flat_map(|element| tried(element)).collect();
    let all = LIST.iter().chain(ACCELERATED).chain(INTEGRATED);
    all.map(|&(name, summary)| {
        let base = AnySolver::by_name(name).map_or("", |s| plain(s.name()));
        let refused = |element: &str| {
            let pair = tried.iter().find(|p| p.element == element && p.solver == base);
            pair.and_then(|p| p.refusal.clone())
        };
        let refusal = model.elements().iter().find_map(|e| refused(e.name()));
        SolverInfo { name: name.to_owned(), summary: summary.to_owned(), refusal }
    })
    .collect()
}

/// An element under every solver, tried once.
fn tried(element: &str) -> Vec<Support> {
    static TRIED: Mutex<BTreeMap<String, Vec<Support>>> = Mutex::new(BTreeMap::new());
    let mut known = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(element.to_owned()).or_insert_with(|| support_of(element)).clone()
}

/// The name without acceleration, sweep and integrator.
fn plain(name: &str) -> &str {
    let base = name.split(['+', '@']).next().unwrap_or(name);
    match base {
        "pbd_jacobi" | "pbd_momentum" => "pbd",
        other => other,
    }
}
