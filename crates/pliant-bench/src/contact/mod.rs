//! Contact, measured: a cloth that drops against rapier's, a sheet that folds, and how the cost of detection
//! grows. Each study prints rows of the same table as the workloads; what it asks of itself is in its file.

mod detect_scale;
mod drop;
mod folded_sheet;
mod growth;
mod judge;
mod memory;
mod ours;
mod pile;
#[cfg(feature = "rapier")]
mod rapier;
mod stopwatch;

use crate::table::Row;

/// Every study with what it is, in the order of the table.
pub const NAMES: [(&str, &str); 3] = [
    ("contact-drop", "cloth 37×37 dropped on a ball and the ground, self-contacts, 300 steps"),
    ("folded-sheet", "sheet of 1,364 vertices laid in four layers, 200 frames, PBD and PD"),
    ("detect-scale", "detection on 1e4 to 1e6 triangles: cost, growth, memory"),
];

/// What a study gave.
#[derive(Default)]
pub struct Outcome {
    /// Its rows.
    pub rows: Vec<Row>,
    /// A line for readers that follows them; not for JSON.
    pub lines: Vec<String>,
    /// What failed.
    pub failures: Vec<String>,
}

/// Runs the study of that name; none where there is no such study.
pub fn run(name: &str) -> Option<Outcome> {
    let outcome = match name {
        "contact-drop" => drop::run(),
        "folded-sheet" => folded_sheet::run(),
        "detect-scale" => detect_scale::run(),
        _ => return None,
    };
    Some(outcome.unwrap_or_else(|problem| Outcome {
        failures: vec![format!("{name}: {problem}")],
        ..Outcome::default()
    }))
}
