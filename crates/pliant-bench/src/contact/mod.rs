//! Contact studies: a cloth dropped in ours and in rapier, a sheet that folds, and the scaling of collision
//! detection. Each study prints rows of the same table as the workloads; its pass criteria are in its file.

mod detect_scale;
mod drop;
mod folded_sheet;
mod growth;
mod memory;
mod metrics;
mod ours;
mod pile;
#[cfg(feature = "rapier")]
mod rapier;
mod stopwatch;

use crate::table::Row;

/// Names and descriptions of all studies, in table order.
pub const NAMES: [(&str, &str); 3] = [
    ("contact-drop", "cloth 37×37 dropped on a ball and the ground, self-contacts, 300 steps"),
    ("folded-sheet", "sheet of 1,364 vertices folded into four layers, 200 frames, PBD and PD"),
    ("detect-scale", "detection with 1e4 to 1e6 triangles: time, growth, memory"),
];

/// Result of a study.
#[derive(Default)]
pub struct Outcome {
    /// Rows of the table.
    pub rows: Vec<Row>,
    /// Text lines printed after the rows; not part of the JSON output.
    pub lines: Vec<String>,
    /// Descriptions of failures.
    pub failures: Vec<String>,
}

/// Runs the study with this name; `None` if it does not exist.
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
