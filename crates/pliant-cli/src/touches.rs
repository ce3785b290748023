//! What a run says of its contacts.

use pliant::StepReport;
use pliant::contact::ContactReport;
use serde_json::{Value, json};

/// The contacts of a run: those at its end, and what happened on the way.
#[derive(Debug, Default)]
pub struct Touches {
    last: ContactReport,
    /// The deepest that a contact was at the end of any frame \[m\].
    deepest: f64,
    stopped: usize,
    unresolved: usize,
    /// Times that a way was cut short because what is pinned left no room.
    cut_short: usize,
    /// Edges that crossed triangles at the end of frames, where that was counted.
    crossings: usize,
    /// Those that crossed at the start.
    tangled: usize,
    /// Frames in which anything touched.
    frames: usize,
}

impl Touches {
    /// Takes in a frame.
    pub fn add(&mut self, report: &StepReport) {
        self.last = report.contacts;
        self.deepest = self.deepest.max(self.last.deepest);
        self.stopped += self.last.stopped;
        self.unresolved += self.last.unresolved;
        self.cut_short += self.last.cut_short;
        self.crossings += self.last.crossings;
        self.tangled = self.tangled.max(self.last.tangled);
        self.frames += usize::from(self.last.colliders + self.last.pairs > 0);
    }

    /// One line, if there was any contact.
    pub fn words(&self) -> Option<String> {
        if self.frames == 0 && self.stopped == 0 && self.unresolved == 0 {
            return None;
        }
        let mut words = format!(
            "contacts at the end: {} with colliders, {} between surfaces; deepest in any frame {:.1e} m; \
             vertices stopped on their way: {}",
            self.last.colliders, self.last.pairs, self.deepest, self.stopped
        );
        if self.unresolved > 0 {
            words += &format!("; {} pairs passed each other", self.unresolved);
        }
        if self.cut_short > 0 {
            words +=
                &format!("; pinned vertices left no room {} times and came later", self.cut_short);
        }
        if self.tangled > 0 {
            words += &format!(
                "; surfaces crossed at {} edges and were drawn apart, {} cross at the end",
                self.tangled, self.last.crossings
            );
        } else if self.crossings > 0 {
            words += &format!("; {} edges crossed triangles in all frames", self.crossings);
        }
        Some(words)
    }

    /// The same for scripts.
    pub fn record(&self) -> Value {
        json!({
            "colliders": self.last.colliders, "pairs": self.last.pairs, "deepest_m": self.deepest,
            "stopped": self.stopped, "unresolved": self.unresolved, "cut_short": self.cut_short, "frames": self.frames,
            "crossings": self.crossings, "tangled": self.tangled,
        })
    }
}
