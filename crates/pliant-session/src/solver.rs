//! Solvers by name and parameters: the available ones, those that refuse a scene, and their settings.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use pliant::prelude::*;
use pliant::solvers::{ACCELERATED, INTEGRATED, LIST, SettingInfo, SettingKind, SettingValue};
use pliant::{Compatibility, ImplicitStep, Model, Warning, compatibility_of};
use pliant_scenes::SceneDescription;
use pliant_scenes::describe::{DEFAULT_SOLVER, SettingSpec};
use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::protocol::{Owner, Parameter, SolverChoice, SolverInfo};

/// Maximum number of iterations or substeps; more would freeze the picture.
const MAX_COUNT: f64 = 10_000.0;

/// Name and settings of a solver.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SolverSettings {
    /// Name of the solver.
    pub name: String,
    /// Settings that differ from the solver's defaults.
    #[serde(rename = "numbers", default)]
    pub parameters: BTreeMap<String, SettingSpec>,
}

impl SolverSettings {
    /// Settings of the user's choice; missing values come from the scene if it is the scene's own solver.
    pub fn from_choice(choice: &SolverChoice, scene: &SceneDescription) -> Result<Self, String> {
        let known = AnySolver::by_name(&choice.name).map_err(|e| e.to_string())?;
        let own = scene.solver.clone().unwrap_or_default();
        let same = own.solver().is_ok_and(|s| s.name() == known.name());
        let parameters = if same { own.settings } else { BTreeMap::new() };
        let mut settings = Self { name: choice.name.clone(), parameters };
        let given = [("iterations", choice.iterations), ("substeps", choice.substeps)];
        for (name, value) in given {
            if let Some(count) = value
                && known.settings().iter().any(|setting| setting.name == name)
            {
                settings.parameters.insert(name.to_owned(), number(f64::from(count)));
            }
        }
        settings.solver().map(|_| settings)
    }

    /// The scene's own solver.
    pub fn from_scene(scene: &SceneDescription) -> Result<Self, String> {
        let name = match scene.solver.as_ref().map(|s| s.name.as_str()) {
            None | Some("") => DEFAULT_SOLVER,
            Some(name) => name,
        };
        Self::from_choice(&SolverChoice::named(name), scene)
    }

    /// Changes a setting to a number of the user interface: that of a choice or a flag is its index.
    pub fn change(&mut self, name: &str, value: f64) -> Result<(), String> {
        let found = self.solver()?.settings().into_iter().find(|setting| setting.name == name);
        let value = match found.map(|setting| setting.kind) {
            Some(SettingKind::Count) => SettingValue::Number(value.round()),
            Some(SettingKind::Flag) => SettingValue::Flag(value != 0.0),
            Some(SettingKind::Choice(names)) => {
                let name = (value >= 0.0).then(|| names.get(value as usize)).flatten();
                SettingValue::Choice(name.copied().unwrap_or_default().to_owned())
            }
            // Of an unknown name, the solver itself says what it has.
            Some(SettingKind::Number) | None => SettingValue::Number(value),
        };
        self.parameters.insert(name.to_owned(), SettingSpec(value));
        // A number that only another choice uses goes with it.
        let mut now = AnySolver::by_name(&self.name).map_err(|e| e.to_string())?;
        let choices = self.parameters.iter();
        let choices = choices.filter(|(_, v)| matches!(v.0, SettingValue::Choice(_)));
        if now.set_all(choices.map(|(name, value)| (name.as_str(), &value.0))).is_ok() {
            let used = now.settings();
            self.parameters
                .retain(|known, _| known == name || used.iter().any(|s| s.name == known));
        }
        Ok(())
    }

    /// The engine's solver; the error describes invalid settings.
    pub fn solver(&self) -> Result<AnySolver, String> {
        let mut solver = AnySolver::by_name(&self.name).map_err(|e| e.to_string())?;
        let values = self.parameters.iter().map(|(name, value)| (name.as_str(), &value.0));
        solver.set_all(values).map_err(|e| e.to_string())?;
        for setting in solver.settings().iter().filter(|s| s.kind == SettingKind::Count) {
            if let SettingValue::Number(count) = setting.value
                && count > MAX_COUNT
            {
                return Err(format!(
                    "{} of solver {} is {count}; the viewer allows at most {MAX_COUNT}",
                    setting.name, self.name
                ));
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
        let prepared =
            ImplicitStep::<f32>::from_any_precision(sim).prepare(&solver.with_substeps(1));
        let needed = match prepared.map_err(|e| e.to_string())?.startup_warning() {
            Some(Warning::StepTooLong { required: needed, .. }) => needed as f64,
            _ => 1.0,
        };
        if needed > MAX_COUNT {
            return Err(format!(
                "solver {} needs {needed} substeps for this scene, more than the maximum of \
                 {MAX_COUNT}; use an implicit solver or a softer material",
                self.name
            ));
        }
        self.parameters.insert("substeps".to_owned(), number(needed));
        Ok(self)
    }

    /// The settings as a choice of the user interface.
    pub fn choice(&self) -> SolverChoice {
        let settings = self.solver().map(|s| s.settings()).unwrap_or_default();
        let count = |name| match settings.iter().find(|s| s.name == name).map(|s| &s.value) {
            Some(SettingValue::Number(count)) => Some(*count as u32),
            _ => None,
        };
        SolverChoice {
            name: self.name.clone(),
            iterations: count("iterations"),
            substeps: count("substeps"),
        }
    }

    /// Parameters for the user interface.
    pub fn parameters(&self) -> Vec<Parameter> {
        let settings = self.solver().map(|s| s.settings()).unwrap_or_default();
        settings.into_iter().map(parameter).collect()
    }

    /// The action that sets this solver.
    pub fn action(&self) -> Action {
        Action::Solver { name: self.name.clone(), parameters: self.parameters.clone() }
    }
}

fn number(value: f64) -> SettingSpec {
    SettingSpec(SettingValue::Number(value))
}

/// A setting as a parameter of the user interface.
fn parameter(setting: SettingInfo) -> Parameter {
    let choices: &[&str] = match setting.kind {
        SettingKind::Choice(names) => names,
        SettingKind::Flag => &["off", "on"],
        SettingKind::Count | SettingKind::Number => &[],
    };
    let value = match &setting.value {
        SettingValue::Number(number) => *number,
        SettingValue::Flag(flag) => f64::from(u8::from(*flag)),
        SettingValue::Choice(name) => {
            choices.iter().position(|choice| choice == name).unwrap_or(0) as f64
        }
    };
    let is_count = setting.kind == SettingKind::Count;
    Parameter {
        id: format!("solver.{}", setting.name),
        label: setting.name.replace('_', " "),
        tip: setting.meaning.to_owned(),
        unit: setting.unit.to_owned(),
        value,
        range: setting.range,
        logarithmic: is_count && setting.range[0] > 0.0,
        is_integer: is_count,
        choices: choices.iter().map(|&name| name.to_owned()).collect(),
        owner: Owner::Solver,
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
        "semi_implicit" | "semi_implicit_projected" => "newton",
        name if name.starts_with("newton_") => "newton",
        other => other,
    }
}
