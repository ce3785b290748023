//! User actions on a simulation with their steps: enough to replay them bit for bit.
//!
//! Actions name vertices by the numbers of the original model, and contain the targets of vertices instead
//! of pointer positions. They therefore mean the same in every user interface and at every frame rate.

use std::collections::BTreeMap;

use pliant_scenes::describe::SettingSpec;
use serde::{Deserialize, Serialize};

use crate::edits::Ball;

/// A single action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(crate) enum Action {
    /// Sets the solver or its parameters.
    Solver {
        /// Name of the solver.
        name: String,
        /// Parameter values by name.
        #[serde(rename = "numbers")]
        parameters: BTreeMap<String, SettingSpec>,
    },
    /// Sets the time step \[s\].
    TimeStep { dt: f64 },
    /// Sets gravity \[m/s²\].
    Gravity { g: [f64; 3] },
    /// Sets the wind \[m/s\].
    Wind { velocity: [f64; 3], gust: f64 },
    /// Sets material parameters.
    Material { values: BTreeMap<String, f64> },
    /// Pins vertices at their current positions; `by_grab` for a grab, which ends with a release.
    #[serde(rename = "hold")]
    Pin { vertices: Vec<u32>, by_grab: bool },
    /// Releases pinned vertices.
    #[serde(rename = "free")]
    Unpin { vertices: Vec<u32> },
    /// Moves pinned vertices to targets \[m\].
    #[serde(rename = "move")]
    MovePins { vertices: Vec<u32>, targets: Vec<[f64; 3]> },
    /// Throws a ball.
    Throw { ball: Ball },
    /// Cuts with a blade that moves from one segment to another \[m\].
    Cut { from: [[f64; 3]; 2], to: [[f64; 3]; 2] },
}

/// An action and its step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TimelineEntry {
    /// Number of steps completed before the action.
    pub step: u64,
    /// The action.
    #[serde(flatten)]
    pub action: Action,
}

/// All actions since the start, in order, and the number of those already applied.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    entries: Vec<TimelineEntry>,
    next: usize,
}

impl Timeline {
    /// Timeline of actions that are all still to be applied.
    pub fn from_entries(entries: Vec<TimelineEntry>) -> Self {
        Self { entries, next: 0 }
    }

    /// All entries.
    pub fn entries(&self) -> &[TimelineEntry] {
        &self.entries
    }

    /// Number of actions already applied.
    pub fn position(&self) -> usize {
        self.next
    }

    /// Sets the number of applied actions.
    pub fn seek(&mut self, position: usize) {
        self.next = position.min(self.entries.len());
    }

    /// Appends an action that was just applied; actions after the present are discarded.
    pub fn push(&mut self, step: u64, action: Action) {
        self.discard_future();
        self.entries.push(TimelineEntry { step, action });
        self.next = self.entries.len();
    }

    /// Discards the actions after the present.
    pub fn discard_future(&mut self) {
        self.entries.truncate(self.next);
    }

    /// True while actions remain to be applied.
    pub fn has_future(&self) -> bool {
        self.next < self.entries.len()
    }

    /// Returns the next action that is due at this step, and marks it as applied.
    pub fn next_due(&mut self, step: u64) -> Option<Action> {
        let entry = self.entries.get(self.next).filter(|e| e.step <= step)?;
        self.next += 1;
        Some(entry.action.clone())
    }
}
