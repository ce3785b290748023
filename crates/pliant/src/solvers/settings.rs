//! Settings of solvers for users, described once beside each solver.
//!
//! A solver lists its settings in [`HasSettings::SETTINGS`]. The command, scene files with their schema, the viewer's
//! panel and the table of the documentation read them through [`AnySolver`](crate::solvers::AnySolver). Which form of a
//! solver runs (acceleration, integrator, sweep) is part of its name instead.

use std::fmt;

use crate::Error;
use crate::solvers::{ACCELERATED, AnySolver, INTEGRATED, LIST};

/// Largest count that users may give.
const MAX_COUNT: f64 = 1e6;

/// Value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingValue {
    /// A number, or a count.
    Number(f64),
    /// On or off.
    Flag(bool),
    /// One of several names.
    Choice(String),
}

impl SettingValue {
    /// Reads a value as users write it: a number, `true`, `false` or a name.
    pub fn parse(text: &str) -> Self {
        match (text.parse(), text.parse()) {
            (Ok(number), _) => Self::Number(number),
            (_, Ok(flag)) => Self::Flag(flag),
            _ => Self::Choice(text.to_owned()),
        }
    }
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Number(number) if *number != 0.0 && number.is_finite() && number.abs() < 1e-3 => {
                write!(f, "{number:e}")
            }
            Self::Number(number) => write!(f, "{number}"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Choice(name) => f.write_str(name),
        }
    }
}

impl From<f64> for SettingValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for SettingValue {
    fn from(count: usize) -> Self {
        Self::Number(count as f64)
    }
}

impl From<bool> for SettingValue {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<&str> for SettingValue {
    fn from(name: &str) -> Self {
        Self::Choice(name.to_owned())
    }
}

/// Kind of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// A whole number.
    Count,
    /// A number.
    Number,
    /// On or off.
    Flag,
    /// One of these names.
    Choice(&'static [&'static str]),
}

/// A setting and its current value.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingInfo {
    /// Name in the command and in scene files: that of the field in Rust.
    pub name: &'static str,
    /// Unit; empty if it has none.
    pub unit: &'static str,
    /// Meaning, in a few words.
    pub meaning: &'static str,
    /// Kind.
    pub kind: SettingKind,
    /// Smallest valid and largest sensible number.
    pub range: [f64; 2],
    /// Current value.
    pub value: SettingValue,
}

impl SettingInfo {
    /// Valid values in words, for help and documentation.
    pub fn values(&self) -> String {
        match self.kind {
            SettingKind::Count => format!("whole number from {}", self.range[0]),
            SettingKind::Number if self.unit.is_empty() => "number".to_owned(),
            SettingKind::Number => format!("number, {}", self.unit),
            SettingKind::Flag => "true or false".to_owned(),
            SettingKind::Choice(names) => names.join(" or "),
        }
    }
}

/// Description of a setting of the solver `T`.
pub struct Setting<T: 'static> {
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
    range: [f64; 2],
    access: Access<T>,
}

enum Access<T: 'static> {
    Count(fn(&mut T) -> &mut usize),
    /// `None` where the solver's other settings leave it unused.
    Number(fn(&mut T) -> Option<&mut f64>),
    Flag(fn(&mut T) -> &mut bool),
    Choice {
        names: &'static [&'static str],
        get: fn(&T) -> usize,
        set: fn(&mut T, usize),
    },
}

impl<T: Clone> Setting<T> {
    /// Maximum number of iterations per substep.
    pub(super) const fn iterations(at: fn(&mut T) -> &mut usize) -> Self {
        Self::count("iterations", "maximum number of iterations per substep", [1.0, 1000.0], at)
    }

    /// Substeps per frame.
    pub(super) const fn substeps(at: fn(&mut T) -> &mut usize) -> Self {
        Self::count("substeps", "number of substeps per frame", [1.0, 1000.0], at)
    }

    /// A whole number.
    pub(super) const fn count(
        name: &'static str,
        meaning: &'static str,
        range: [f64; 2],
        at: fn(&mut T) -> &mut usize,
    ) -> Self {
        Self { name, unit: "", meaning, range, access: Access::Count(at) }
    }

    /// A number that is not negative.
    pub(super) const fn number(
        name: &'static str,
        unit: &'static str,
        meaning: &'static str,
        largest: f64,
        at: fn(&mut T) -> Option<&mut f64>,
    ) -> Self {
        Self { name, unit, meaning, range: [0.0, largest], access: Access::Number(at) }
    }

    /// On or off.
    pub(super) const fn flag(
        name: &'static str,
        meaning: &'static str,
        at: fn(&mut T) -> &mut bool,
    ) -> Self {
        Self { name, unit: "", meaning, range: [0.0, 1.0], access: Access::Flag(at) }
    }

    /// One of several names, by its index.
    pub(super) const fn choice(
        name: &'static str,
        meaning: &'static str,
        names: &'static [&'static str],
        get: fn(&T) -> usize,
        set: fn(&mut T, usize),
    ) -> Self {
        let access = Access::Choice { names, get, set };
        Self { name, unit: "", meaning, range: [0.0, (names.len() - 1) as f64], access }
    }

    /// The setting with its value; `None` where the other settings leave it unused.
    fn info(&self, solver: &T) -> Option<SettingInfo> {
        let mut copy = solver.clone();
        let (kind, value) = match self.access {
            Access::Count(at) => (SettingKind::Count, SettingValue::from(*at(&mut copy))),
            Access::Number(at) => (SettingKind::Number, SettingValue::from(*at(&mut copy)?)),
            Access::Flag(at) => (SettingKind::Flag, SettingValue::from(*at(&mut copy))),
            Access::Choice { names, get, .. } => {
                (SettingKind::Choice(names), SettingValue::from(names[get(solver)]))
            }
        };
        let Self { name, unit, meaning, range, .. } = *self;
        Some(SettingInfo { name, unit, meaning, kind, range, value })
    }

    /// Sets the value, or returns what is valid.
    fn set(&self, solver: &mut T, value: &SettingValue) -> Result<(), String> {
        let low = self.range[0];
        match (&self.access, value) {
            (Access::Count(at), SettingValue::Number(n))
                if n.fract() == 0.0 && (low..=MAX_COUNT).contains(n) =>
            {
                *at(solver) = *n as usize;
            }
            (Access::Count(_), _) => {
                return Err(format!("it must be a whole number from {low} to {MAX_COUNT}"));
            }
            (Access::Number(at), SettingValue::Number(n)) if *n >= low => match at(solver) {
                Some(field) => *field = *n,
                None => {
                    return Err("it has no effect with the other settings; remove it".to_owned());
                }
            },
            (Access::Number(_), _) => return Err(format!("it must be a number of at least {low}")),
            (Access::Flag(at), SettingValue::Flag(flag)) => *at(solver) = *flag,
            (Access::Flag(_), _) => return Err("it must be true or false".to_owned()),
            (Access::Choice { names, set, .. }, SettingValue::Choice(name))
                if names.contains(&name.as_str()) =>
            {
                set(solver, names.iter().position(|n| n == name).unwrap_or(0));
            }
            (Access::Choice { names, .. }, _) => {
                return Err(format!("it must be one of {}", names.join(", ")));
            }
        }
        Ok(())
    }
}

/// A solver that lists its settings.
pub(super) trait HasSettings: Clone + 'static {
    /// The settings, in the order in which they are shown and set.
    const SETTINGS: &'static [Setting<Self>];
}

/// Settings of a solver with their values.
pub(super) fn list<T: HasSettings>(solver: &T) -> Vec<SettingInfo> {
    T::SETTINGS.iter().filter_map(|setting| setting.info(solver)).collect()
}

/// Sets one setting of a solver; an error names the solver and says what is valid.
pub(super) fn set<T: HasSettings>(
    solver: &mut T,
    solver_name: &'static str,
    name: &str,
    value: &SettingValue,
) -> Result<(), Error> {
    let Some(setting) = T::SETTINGS.iter().find(|setting| setting.name == name) else {
        let known: Vec<&str> = T::SETTINGS.iter().map(|setting| setting.name).collect();
        let (setting, known) = (name.to_owned(), known.join(", "));
        return Err(Error::UnknownSetting { solver: solver_name, setting, known });
    };
    setting.set(solver, value).map_err(|remedy| Error::SettingValue {
        solver: solver_name,
        setting: setting.name,
        value: value.to_string(),
        remedy,
    })
}

impl AnySolver {
    /// Changes several settings, or none if one of them is wrong. Their order does not matter.
    pub fn set_all<'a>(
        &mut self,
        values: impl IntoIterator<Item = (&'a str, &'a SettingValue)>,
    ) -> Result<(), Error> {
        let mut changed = self.clone();
        // A choice may be what makes a number available.
        let is_choice = |value: &SettingValue| matches!(value, SettingValue::Choice(_));
        let (choices, others): (Vec<_>, Vec<_>) =
            values.into_iter().partition(|(_, value)| is_choice(value));
        for (name, value) in choices.into_iter().chain(others) {
            changed.set(name, value)?;
        }
        *self = changed;
        Ok(())
    }

    /// Names of all forms of all solvers with their settings, also of those that only some choices have.
    pub fn all_settings() -> Vec<(&'static str, SettingInfo)> {
        let mut all = Vec::new();
        for &(name, _) in LIST.iter().chain(ACCELERATED).chain(INTEGRATED) {
            let Ok(solver) = Self::by_name(name) else { continue };
            let mut own = solver.settings();
            for setting in solver.settings() {
                let SettingKind::Choice(choices) = setting.kind else { continue };
                for &choice in choices {
                    let mut other = solver.clone();
                    if other.set(setting.name, &SettingValue::from(choice)).is_ok() {
                        let more = other.settings().into_iter();
                        let more = more.filter(|s| own.iter().all(|known| known.name != s.name));
                        own.extend(more.collect::<Vec<_>>());
                    }
                }
            }
            all.extend(own.into_iter().map(|setting| (name, setting)));
        }
        all
    }
}
