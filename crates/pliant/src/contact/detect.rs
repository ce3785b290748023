//! Detection over a substep: which contacts there are, and whether the solve kept them.
//!
//! ```text
//! find     before the solve, on the way x → s
//! guard    after it, on the way x → x': what the solver's own motion brought together is kept apart,
//!          in a few rounds of finding and projecting; what still passes stops on its way
//! ```
//!
//! A vertex that stops is set back towards where it was when the substep began, again if it must, at last
//! to that very place. There nothing had passed, so this ends, and nothing has: unless something that
//! moves as prescribed leaves no room.

use super::candidates::Candidates;
use super::features::Features;
use super::pairs::{contact, meet};
use super::{ContactReport, Contacts, Surroundings, wide};
use crate::math::{Scalar, Vec3};
use crate::model::Model;
use crate::simd::Point;

/// Rounds of the guard, at most.
const ROUNDS: usize = 8;
/// Rounds after which only what passes matters, not what is too deep.
const DEEP_ROUNDS: usize = 2;
/// Projections of all contacts in each.
const SWEEPS: usize = 8;
/// A pair this part of its distance too deep is taken into a round.
const DEEP: f64 = 0.05;
/// A vertex stops this part before it passes.
const SHORT: f64 = 0.8;
/// How often a vertex is set back on its way before it is set back to its start.
const SETBACKS: u8 = 4;
/// Rounds of setting back, at most.
const STOPS: usize = 64;

/// Finds contacts, and keeps what it needs for that.
#[derive(Clone, Debug, Default)]
pub(crate) struct Detector {
    features: Features,
    candidates: Candidates,
    /// Where all vertices are at the start and at the end of a way \[m\].
    start: Vec<[f64; 3]>,
    end: Vec<[f64; 3]>,
    /// The widest gap \[m\].
    widest: f64,
    /// Whether anything can touch.
    active: bool,
    /// How often each vertex was set back, and the part of its way that it may go now.
    setbacks: Vec<u8>,
    parts: Vec<f64>,
}

impl Detector {
    pub fn new(model: &Model) -> Self {
        let features = Features::new(model);
        let radius = |g: &super::features::Group| g.touch.radius;
        let widest = 2.0 * features.groups.iter().map(radius).fold(0.0, f64::max);
        Self { features, widest, active: model.can_touch(), ..Self::default() }
    }

    /// Whether anything can touch.
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// Finds the contacts of a substep; `ahead` more of its kind are to come.
    pub fn find<S: Scalar>(
        &mut self,
        contacts: &mut Contacts,
        model: &Model,
        around: &Surroundings<S>,
        ahead: usize,
    ) {
        contacts.list.clear();
        contacts.find_colliders(model, around);
        contacts.colliders = contacts.list.len();
        if self.features.moving > 0 {
            fill(&mut self.start, &self.features, model, around.before, around.times[0]);
            fill(&mut self.end, &self.features, model, around.guess, around.times[1]);
            self.cover(model, ahead);
            let velocities = |v: usize| wide(&around.velocities[v]);
            let h = around.times[1] - around.times[0];
            let ways = [self.start.as_slice(), self.end.as_slice()];
            for candidate in self.candidates.list.iter().filter(|c| !c.face_of_collider) {
                if let Some(meeting) = meet(candidate, ways) {
                    let found = contact(&self.features, candidate, &meeting, ways, velocities, h);
                    contacts.list.extend(found);
                }
            }
            contacts.sort_from(contacts.colliders);
        }
        contacts.complete();
    }

    /// Keeps apart what the way to `x` brings together, and counts what remains.
    pub fn guard<S: Scalar>(
        &mut self,
        contacts: &mut Contacts,
        model: &Model,
        around: &Surroundings<S>,
        x: &mut [Point<S>],
        report: &mut ContactReport,
    ) {
        if self.features.moving == 0 {
            return;
        }
        for round in 0..ROUNDS {
            fill(&mut self.end, &self.features, model, x, around.times[1]);
            self.cover(model, 1);
            if self.missed(contacts, around, round < DEEP_ROUNDS) == 0 {
                break;
            }
            contacts.complete();
            for _ in 0..SWEEPS {
                contacts.relax(x);
            }
        }
        self.stop(model, around, x, report);
        report.searches += std::mem::take(&mut self.candidates.searches);
    }

    /// Sets back what passes on its way from where it was to `x`.
    fn stop<S: Scalar>(
        &mut self,
        model: &Model,
        around: &Surroundings<S>,
        x: &mut [Point<S>],
        report: &mut ContactReport,
    ) {
        self.setbacks.clear();
        for round in 0..=STOPS {
            fill(&mut self.end, &self.features, model, x, around.times[1]);
            self.cover(model, 1);
            let ways = [self.start.as_slice(), self.end.as_slice()];
            self.parts.clear();
            self.parts.resize(x.len(), 1.0);
            let mut passing = 0;
            for candidate in &self.candidates.list {
                let Some(time) = meet(candidate, ways).and_then(|m| m.passing) else { continue };
                passing += 1;
                for v in candidate.vertices.map(|v| v as usize) {
                    if v < x.len() && x[v][3] > S::default() {
                        self.parts[v] = f64::min(self.parts[v], SHORT * time);
                    }
                }
            }
            if passing == 0 {
                return;
            }
            if round == STOPS {
                report.unresolved += passing;
                return;
            }
            self.setbacks.resize(x.len(), 0);
            for (v, &part) in self.parts.iter().enumerate().filter(|(_, part)| **part < 1.0) {
                report.stopped += usize::from(self.setbacks[v] == 0);
                self.setbacks[v] = self.setbacks[v].saturating_add(1);
                let part = if self.setbacks[v] > SETBACKS { 0.0 } else { part };
                let from = around.before[v];
                for c in 0..3 {
                    x[v][c] = from[c] + S::from_f64(part) * (x[v][c] - from[c]);
                }
            }
        }
    }

    fn cover(&mut self, model: &Model, ahead: usize) {
        let ways = [self.start.as_slice(), self.end.as_slice()];
        let (widest, rest) = (self.widest, model.rest_positions());
        self.candidates.cover(&self.features, rest, ways, widest, ahead as f64);
    }

    /// Takes pairs that pass each other, or are too `deep`, into the contacts; how many.
    fn missed<S: Scalar>(
        &self,
        contacts: &mut Contacts,
        around: &Surroundings<S>,
        deep: bool,
    ) -> usize {
        let ways = [self.start.as_slice(), self.end.as_slice()];
        let velocities = |v: usize| wide(&around.velocities[v]);
        let h = around.times[1] - around.times[0];
        let known = contacts.list.len();
        let mut found = 0;
        for candidate in &self.candidates.list {
            let Some(meeting) = meet(candidate, ways) else { continue };
            let deep = deep
                && !candidate.face_of_collider
                && meeting.end < (1.0 - DEEP) * meeting.distance;
            if !deep && meeting.passing.is_none() {
                continue;
            }
            let new = contact(&self.features, candidate, &meeting, ways, velocities, h);
            found += usize::from(new.is_some());
            contacts.list.extend(new);
        }
        contacts.renew(known);
        found
    }
}

/// Where all vertices are: those of the model, and the corners of colliders at a time \[s\].
fn fill<S: Scalar>(
    to: &mut Vec<[f64; 3]>,
    features: &Features,
    model: &Model,
    x: &[Point<S>],
    time: f64,
) {
    to.clear();
    to.extend(x.iter().map(|p| [p[0].to_f64(), p[1].to_f64(), p[2].to_f64()]));
    for corners in &features.corners {
        let pose = model.colliders()[corners.collider].pose(time);
        to.extend(corners.local.iter().map(|p| {
            let q = pose.place(Vec3::of(*p));
            [q.x, q.y, q.z]
        }));
    }
}
