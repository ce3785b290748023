//! Contact statistics of a run.

use pliant::StepReport;
use pliant::contact::ContactReport;
use serde_json::{Value, json};

/// Contacts of a run: the counts at its end and the events during it.
#[derive(Debug, Default)]
pub struct ContactStats {
    last: ContactReport,
    /// Largest penetration at the end of any frame \[m\].
    max_penetration: f64,
    clamped_vertices: usize,
    unresolved_crossings: usize,
    /// Number of substeps truncated because pinned vertices left no room.
    truncated_substeps: usize,
    /// Edge–triangle intersections at the end of frames, where they were counted.
    intersections: usize,
    /// Edge–triangle intersections at the start.
    initial_intersections: usize,
    /// Frames with at least one contact.
    frames_with_contact: usize,
}

impl ContactStats {
    /// Adds the report of a frame.
    pub fn add(&mut self, report: &StepReport) {
        self.last = report.contacts;
        self.max_penetration = self.max_penetration.max(self.last.max_penetration);
        self.clamped_vertices += self.last.clamped_vertices;
        self.unresolved_crossings += self.last.unresolved_crossings;
        self.truncated_substeps += self.last.truncated_substeps;
        self.intersections += self.last.intersections;
        self.initial_intersections =
            self.initial_intersections.max(self.last.initial_intersections);
        self.frames_with_contact += usize::from(self.last.colliders + self.last.pairs > 0);
    }

    /// One-line summary; none without any contact.
    pub fn summary(&self) -> Option<String> {
        if self.frames_with_contact == 0
            && self.clamped_vertices == 0
            && self.unresolved_crossings == 0
        {
            return None;
        }
        let mut text = format!(
            "contacts at the end: {} with colliders, {} between surfaces; max penetration {:.1e} \
             m; clamped vertices: {}",
            self.last.colliders, self.last.pairs, self.max_penetration, self.clamped_vertices
        );
        if self.unresolved_crossings > 0 {
            text += &format!("; unresolved crossings: {}", self.unresolved_crossings);
        }
        if self.truncated_substeps > 0 {
            text += &format!(
                "; truncated substeps: {} (pins delayed because they would force an intersection)",
                self.truncated_substeps
            );
        }
        if self.initial_intersections > 0 {
            text += &format!(
                "; intersecting edges: {} at the start, {} at the end",
                self.initial_intersections, self.last.intersections
            );
        } else if self.intersections > 0 {
            text += &format!("; intersecting edges: {} over all frames", self.intersections);
        }
        Some(text)
    }

    /// The same statistics as JSON, for scripts.
    pub fn to_json(&self) -> Value {
        json!({
            "frames_with_contact": self.frames_with_contact,
            "colliders": self.last.colliders,
            "pairs": self.last.pairs,
            "max_penetration_m": self.max_penetration,
            "clamped_vertices": self.clamped_vertices,
            "unresolved_crossings": self.unresolved_crossings,
            "truncated_substeps": self.truncated_substeps,
            "intersections": self.intersections,
            "initial_intersections": self.initial_intersections,
        })
    }
}
