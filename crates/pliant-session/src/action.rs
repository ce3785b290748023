//! What was done to a simulation, and when: enough to do it again, bit for bit.
//!
//! Actions name vertices by the numbers of the whole model, and targets where vertices went, not where
//! the pointer was. So they say the same in every user interface and at every pace.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::changes::Ball;

/// One thing that was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(crate) enum Action {
    /// Another solver, or other settings of it.
    Solver {
        /// Its name.
        name: String,
        /// Its numbers by their names.
        numbers: BTreeMap<String, f64>,
    },
    /// Another time step \[s\].
    TimeStep { dt: f64 },
    /// Another gravity \[m/s²\].
    Gravity { g: [f64; 3] },
    /// Another wind \[m/s\].
    Wind { velocity: [f64; 3], gust: f64 },
    /// Other numbers of materials.
    Material { values: BTreeMap<String, f64> },
    /// Vertices are held where they are; by the hand, where it will open again.
    Hold { vertices: Vec<u32>, hand: bool },
    /// Held vertices are let go.
    Free { vertices: Vec<u32> },
    /// Held vertices are moved to targets \[m\].
    Move { vertices: Vec<u32>, targets: Vec<[f64; 3]> },
    /// A ball is thrown.
    Throw { ball: Ball },
    /// A blade cuts from one place to another \[m\].
    Cut { from: [[f64; 3]; 2], to: [[f64; 3]; 2] },
}

/// An action at its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// After how many steps.
    pub step: u64,
    /// What was done then.
    #[serde(flatten)]
    pub action: Action,
}

/// All that was done since the start, in its order, and how much of it is behind the present.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    entries: Vec<Entry>,
    next: usize,
}

impl Timeline {
    /// Things that are still to be done.
    pub fn of(entries: Vec<Entry>) -> Self {
        Self { entries, next: 0 }
    }

    /// All entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many are behind the present.
    pub fn place(&self) -> usize {
        self.next
    }

    /// Goes to where so many were behind.
    pub fn go_to(&mut self, place: usize) {
        self.next = place.min(self.entries.len());
    }

    /// Notes what was just done; what would have come is forgotten.
    pub fn push(&mut self, step: u64, action: Action) {
        self.forget_future();
        self.entries.push(Entry { step, action });
        self.next = self.entries.len();
    }

    /// Forgets what would have come.
    pub fn forget_future(&mut self) {
        self.entries.truncate(self.next);
    }

    /// Whether anything is still to be done.
    pub fn has_future(&self) -> bool {
        self.next < self.entries.len()
    }

    /// The next thing to be done at this step, which then is done.
    pub fn due(&mut self, step: u64) -> Option<Action> {
        let entry = self.entries.get(self.next).filter(|e| e.step <= step)?;
        self.next += 1;
        Some(entry.action.clone())
    }
}
