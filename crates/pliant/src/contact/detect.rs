//! Detection over a substep: which contacts there are, and whether the solve kept them.
//!
//! ```text
//! find     before the solve, on the way x → s
//! guard    after it, on the way x → x': what the solver's own motion brought together is kept apart,
//!          in a few rounds of finding and projecting; what still passes stops on its way
//! ```
//!
//! A vertex that stops is set back towards where it was when the substep began, again if it must, at last
//! to that very place. There nothing had passed, so this ends, and nothing has. What a moving collider would
//! pass is set back to where that takes it, and what that would pass along with it: only where things that
//! move as prescribed leave no room does something pass.
//!
//! In offline mode impact zones are solved before anything stops, and where pinned vertices leave no room, the
//! substep is cut short for all: those come later than they should. What crosses already, at the start or where
//! colliders left no room, is drawn apart and may pass meanwhile.

use super::candidate::Candidate;
use super::candidates::Candidates;
use super::crossings::Crossings;
use super::features::Features;
use super::pairs::{AHEAD_OF_VERTICES, Look, Meeting, View, contact};
use super::untangle::Untangler;
use super::{ContactMode, ContactReport, Contacts, Grip, Surroundings, wide};
use crate::math::{Scalar, Vec3};
use crate::model::Model;
use crate::simd::Point;

/// Rounds of the guard, at most; and in offline mode, where impact zones are solved from the second on.
const ROUNDS: usize = 8;
const PATIENT_ROUNDS: usize = 64;
/// Rounds with impact zones that do not come apart, at most: what is prescribed leaves them no room, and they stop.
const STUCK: usize = 2;
/// Projections of all contacts in each.
const SWEEPS: usize = 8;
/// Ways that rooms last for, at least.
const LASTING: usize = 2;
/// A pair this part of its distance too deep is taken into a round.
const DEEP: f64 = 0.05;
/// A vertex stops this part before it passes.
const SHORT: f64 = 0.8;
/// How often a vertex is set back on its way before it is set back to its start.
const SETBACKS: u8 = 4;
/// Rounds of setting back, at most.
const STOPS: u8 = 64;
/// How often a way is cut short, at most: once is enough where no collider moves and nothing is rigid.
const CUTS: usize = 16;

/// Finds contacts, and keeps what it needs for that.
#[derive(Clone, Debug, Default)]
pub(crate) struct Detector {
    features: Features,
    candidates: Candidates,
    /// Where all vertices are at the start and at the end of a way \[m\].
    start: Vec<[f64; 3]>,
    end: Vec<[f64; 3]>,
    /// Where they ended when the way was looked at before, and which of them count now: what ends elsewhere, or
    /// passed something.
    last: Vec<[f64; 3]>,
    counts: Vec<bool>,
    passed: Vec<[u32; 4]>,
    /// Whether nothing passed anything on the way to that end.
    clear: bool,
    /// How much farther than the widest gap features are looked for \[m\].
    slack: f64,
    /// Whether anything can touch.
    active: bool,
    /// How often each vertex was set back, and the part of its way that it may go now.
    setbacks: Vec<Setbacks>,
    parts: Vec<(f64, [f64; 3])>,
    /// Which candidates were taken in last; none for those that need not be known again.
    taken: Vec<Option<u128>>,
    /// How far to go to keep surfaces apart.
    pub mode: ContactMode,
    /// What finds crossings and draws them apart, once that was asked for.
    exact: Option<Box<(Crossings, Untangler)>>,
    /// Which vertices have to do with what crosses; empty where nothing does.
    tangled: Vec<bool>,
}

/// How a vertex was set back.
#[derive(Clone, Copy, Debug, Default)]
struct Setbacks {
    /// How often.
    count: u8,
    /// After which round, from one; zero where never.
    last: u8,
    /// How far what moves as prescribed takes it \[m\].
    carry: [f64; 3],
}

impl Setbacks {
    /// The farther of two ways; of two as far the first in order, so that it matters not who comes first.
    fn farther(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        let square = |v: [f64; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        let order = square(a).total_cmp(&square(b));
        let order = order.then_with(|| a.map(f64::to_bits).cmp(&b.map(f64::to_bits)));
        if order.is_lt() { b } else { a }
    }
}

impl Detector {
    pub fn new(model: &Model) -> Self {
        let features = Features::new(model);
        let radius = |g: &super::features::Group| g.touch.radius;
        let widest = 2.0 * features.groups.iter().map(radius).fold(0.0, f64::max);
        let slack = (AHEAD_OF_VERTICES - 1.0) * widest;
        let candidates = Candidates::new(&features);
        Self {
            setbacks: Vec::with_capacity(model.len()),
            parts: Vec::with_capacity(model.len()),
            taken: Vec::with_capacity(model.len()),
            start: Vec::with_capacity(features.vertices),
            end: Vec::with_capacity(features.vertices),
            last: Vec::with_capacity(features.vertices),
            counts: Vec::with_capacity(features.vertices),
            passed: Vec::with_capacity(model.len()),
            clear: false,
            features,
            candidates,
            slack,
            active: model.can_touch(),
            mode: ContactMode::default(),
            exact: None,
            tangled: Vec::new(),
        }
    }

    /// Nothing may pass any more because it crosses.
    pub fn forget_tangles(&mut self) {
        self.tangled.clear();
        if let Some(exact) = &mut self.exact {
            exact.1.forget();
        }
    }

    /// Looks for surfaces that cross at `x` at a time \[s\], to draw them apart in the step of `dt` \[s\] that begins and
    /// let them pass; how many edges cross triangles.
    pub fn untangle<S: Scalar>(
        &mut self,
        model: &Model,
        x: &[Point<S>],
        time: f64,
        dt: f64,
    ) -> usize {
        let crossings = self.crossings(model, x, time);
        if let Some(exact) = self.exact.as_mut().filter(|_| crossings > 0) {
            let (crossings, untangler) = exact.as_mut();
            let found = crossings.found();
            self.tangled.resize(self.features.vertices, false);
            for crossing in found {
                let cell = &self.features.cells[crossing.triangle as usize];
                for &v in crossing.edge.iter().chain(cell.corners()) {
                    self.tangled[v as usize] = true;
                }
            }
            untangler.look(&self.features, found, &self.end, dt);
        }
        crossings
    }

    /// How many edges cross triangles at `x` at a time \[s\].
    pub fn crossings<S: Scalar>(&mut self, model: &Model, x: &[Point<S>], time: f64) -> usize {
        if self.features.moving == 0 {
            return 0;
        }
        fill(&mut self.end, &self.features, model, x, time);
        let features = &self.features;
        let make = || Box::new((Crossings::new(features), Untangler::new(features)));
        let exact = self.exact.get_or_insert_with(make);
        exact.0.find(features, model.rest_positions(), &self.end).len()
    }

    /// Sets bodies back to where they were `before` that cross something at `x` at a time \[s\], which positions that
    /// are almost the same can do by rounding alone. There nothing crossed, so what remains is colliders' doing.
    /// `undone` is told of each body by its number.
    pub fn undo<S: Scalar>(
        &mut self,
        model: &Model,
        before: &[Point<S>],
        x: &mut [Point<S>],
        time: f64,
        mut undone: impl FnMut(usize),
    ) {
        let mut left: Vec<usize> = (0..model.bodies().len()).collect();
        while self.crossings(model, x, time) > 0 {
            let Some(exact) = &mut self.exact else { return };
            let found = exact.0.find(&self.features, model.rest_positions(), &self.end);
            let mut crosses = vec![false; x.len()];
            for crossing in found {
                let cell = &self.features.cells[crossing.triangle as usize];
                for &v in crossing.edge.iter().chain(cell.corners()) {
                    let (vertices, _, count) = self.features.parts(v);
                    vertices[..count].iter().for_each(|&v| crosses[v as usize] = true);
                }
            }
            let count = left.len();
            left.retain(|&number| {
                let body = &model.bodies()[number];
                let back = body.all().any(|v| crosses[v]);
                if back {
                    body.all().for_each(|v| x[v] = before[v]);
                    undone(number);
                }
                !back
            });
            if left.len() == count {
                return;
            }
        }
    }

    /// Whether a vertex was stopped on its way by the last guard.
    pub fn has_stopped(&self, vertex: usize) -> bool {
        self.setbacks.get(vertex).is_some_and(|own| own.count > 0)
    }

    /// Whether anything can touch.
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// Finds the contacts of a substep; `ahead` more of its kind are to come. Those of the one before are
    /// renewed, unless they are to be found `anew`. Friction goes on holding what it held.
    pub fn find<S: Scalar>(
        &mut self,
        contacts: &mut Contacts,
        model: &Model,
        around: &Surroundings<S>,
        ahead: usize,
        anew: bool,
        grips: &[Grip],
    ) {
        let draws = self.exact.as_ref().map(|exact| &exact.1);
        if anew {
            contacts.start_anew();
            contacts.find_first(model, around, draws);
            self.candidates.forget_contacts();
        } else {
            contacts.go_on(model, around, draws);
        }
        if self.features.moving > 0 {
            fill(&mut self.start, &self.features, model, around.before, around.times[0]);
            fill(&mut self.end, &self.features, model, around.guess, around.times[1]);
            self.clear = false;
            self.count_all();
            // What is crowded gets no contacts here; `guard` tells of it.
            self.cover(ahead);
            self.take_in(contacts, model, around, Look::Near, |candidate, _| {
                !candidate.face_of_collider
            });
        }
        contacts.hold_on(grips);
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
        self.setbacks.clear();
        if self.features.moving == 0 {
            return;
        }
        let (rounds, zones) = match self.mode {
            ContactMode::RealTime => (ROUNDS, ROUNDS),
            ContactMode::Offline => (PATIENT_ROUNDS, 1),
        };
        let mut stuck = 0;
        for round in 0..rounds {
            self.go_to(model, x, around.times[1]);
            if round == 0 {
                self.count_all();
            }
            if !self.cover(1) {
                break;
            }
            // What is too deep is looked for once; then only what passes.
            let look = if round == 0 { Look::Deep } else { Look::Passing };
            let deep = round == 0 && contacts.any_deep(x, DEEP);
            if self.missed(contacts, model, around, look) == 0 && !deep {
                // Nothing passes anything.
                self.clear = true;
                report.searches += std::mem::take(&mut self.candidates.searches);
                return;
            }
            contacts.complete();
            if round >= zones {
                let zones = contacts.separate(x);
                report.zones += zones.moved;
                stuck += usize::from(zones.stuck > 0);
            } else {
                contacts.settle(x, SWEEPS);
            }
            model.rigidify(x);
            if stuck > STUCK {
                break;
            }
        }
        contacts.blocked |= self.stop(contacts, model, around, x, report);
        report.searches += std::mem::take(&mut self.candidates.searches);
    }

    /// Takes what is left of depth out of `x` at the end of a step. A solver that pushed it out would turn
    /// it into velocity, so it only asks for a part; here it goes without.
    pub fn part<S: Scalar>(
        &mut self,
        contacts: &Contacts,
        model: &Model,
        around: &Surroundings<S>,
        x: &mut [Point<S>],
        report: &mut ContactReport,
    ) {
        let h = around.times[1] - around.times[0];
        let slow = slow(model, h);
        let deep = contacts.any_parts(x, slow);
        if deep {
            contacts.part(x, slow);
            model.rigidify(x);
        }
        // Strain limits move what was guarded.
        let moved = deep || !model.strain_limits().is_empty();
        if moved && self.features.moving > 0 {
            self.stop(contacts, model, around, x, report);
            report.searches += std::mem::take(&mut self.candidates.searches);
        }
    }

    /// Sets back what passes on its way from where it was to `x`; whether anything that moves as prescribed
    /// had to do with it.
    fn stop<S: Scalar>(
        &mut self,
        contacts: &Contacts,
        model: &Model,
        around: &Surroundings<S>,
        x: &mut [Point<S>],
        report: &mut ContactReport,
    ) -> bool {
        self.setbacks.clear();
        self.setbacks.resize(x.len(), Setbacks::default());
        let (mut held, mut blocked) = (0, false);
        let clear = std::mem::take(&mut self.clear);
        for round in 0..=STOPS {
            self.go_to(model, x, around.times[1]);
            if round == 0 && !clear {
                self.count_all();
            }
            if !self.cover(1) {
                report.crowded += 1;
                return blocked;
            }
            let ways = [self.start.as_slice(), self.end.as_slice()];
            self.parts.clear();
            self.parts.resize(x.len(), (1.0, [0.0; 3]));
            let (mut passing, mut unmoved) = (0, 0);
            let (parts, setbacks) = (&mut self.parts, &self.setbacks);
            // What has not moved since passes as little as before.
            let (features, first) = (&self.features, &self.counts);
            let counts = |v: u32| {
                let (vertices, _, count) = features.parts(v);
                let moved = |v: &u32| setbacks[*v as usize].last == round;
                if round == 0 { first[v as usize] } else { vertices[..count].iter().any(moved) }
            };
            let rest = model.rest_positions();
            let stale = &contacts.stale;
            let tangled = &self.tangled;
            let tell = |candidate: &Candidate, meeting: Meeting, _| {
                let Some(time) = meeting.passing else { return false };
                if may_pass(tangled, candidate) {
                    return false;
                }
                let mut any = false;
                let carry = carried_by(features, candidate, &meeting, ways, setbacks, x);
                for vertex in candidate.vertices {
                    let (vertices, _, count) = features.parts(vertex);
                    blocked |= count == 0;
                    for v in vertices[..count].iter().map(|&v| v as usize) {
                        blocked |= !(x[v][3] > S::default());
                        if x[v][3] > S::default() {
                            parts[v].0 = f64::min(parts[v].0, SHORT * time);
                            parts[v].1 = Setbacks::farther(parts[v].1, carry);
                            any = true;
                        }
                    }
                }
                passing += usize::from(any);
                unmoved += usize::from(!any);
                false
            };
            let view = View { features, rest, ways, look: Look::Passing };
            self.candidates.meetings(view, stale, counts, tell);
            held += unmoved;
            if passing == 0 {
                self.clear = held == 0;
                break;
            }
            if round == STOPS {
                held += passing;
                break;
            }
            for (v, &(part, carry)) in self.parts.iter().enumerate().filter(|(_, p)| p.0 < 1.0) {
                let own = &mut self.setbacks[v];
                report.stopped += usize::from(own.count == 0);
                let carry = Setbacks::farther(own.carry, carry);
                *own = Setbacks { count: own.count.saturating_add(1), last: round + 1, carry };
                let part = if own.count > SETBACKS { 0.0 } else { part };
                for c in 0..3 {
                    let from = around.before[v][c] + S::from_f64(carry[c]);
                    x[v][c] = from + S::from_f64(part) * (x[v][c] - from);
                }
            }
        }
        if held > 0 && self.mode == ContactMode::Offline {
            held = self.cut_short(model, around, x);
            report.cut_short += 1;
        }
        report.unresolved += held;
        blocked
    }

    /// Lets everything, what is pinned too, go only as far on its way as nothing passes anything; how many pairs
    /// pass all the same, because of colliders, which go on.
    fn cut_short<S: Scalar>(
        &mut self,
        model: &Model,
        around: &Surroundings<S>,
        x: &mut [Point<S>],
    ) -> usize {
        let mut passing = 0;
        for _ in 0..CUTS {
            self.go_to(model, x, around.times[1]);
            if !self.cover(1) {
                break;
            }
            let ways = [self.start.as_slice(), self.end.as_slice()];
            let (features, rest) = (&self.features, model.rest_positions());
            let view = View { features, rest, ways, look: Look::Passing };
            let (mut first, tangled) = (1.0, &self.tangled);
            passing = 0;
            let tell = |candidate: &Candidate, meeting: Meeting, _| {
                if let Some(time) = meeting.passing.filter(|_| !may_pass(tangled, candidate)) {
                    first = f64::min(first, time);
                    passing += 1;
                }
                false
            };
            self.candidates.meetings(view, &[], |_| true, tell);
            if passing == 0 {
                self.clear = true;
                return 0;
            }
            let part = S::from_f64(SHORT * first);
            for (to, from) in x.iter_mut().zip(around.before) {
                (0..3).for_each(|c| to[c] = from[c] + part * (to[c] - from[c]));
            }
            model.rigidify(x);
        }
        passing
    }

    /// Notes that the way goes on to `x` at a time \[s\], and who counts for that: all that ended elsewhere, or
    /// passed something when the way was looked at before.
    fn go_to<S: Scalar>(&mut self, model: &Model, x: &[Point<S>], time: f64) {
        std::mem::swap(&mut self.end, &mut self.last);
        fill(&mut self.end, &self.features, model, x, time);
        self.counts.clear();
        self.counts.extend(self.end.iter().zip(&self.last).map(|(now, before)| now != before));
        for &v in self.passed.iter().flatten() {
            self.counts[v as usize] = true;
        }
        self.passed.clear();
    }

    /// Lets everything count.
    fn count_all(&mut self) {
        self.counts.clear();
        self.counts.resize(self.features.vertices, true);
    }

    /// Makes the list of candidates; whether that is possible.
    fn cover(&mut self, ahead: usize) -> bool {
        let ways = [self.start.as_slice(), self.end.as_slice()];
        self.candidates.patient = self.mode == ContactMode::Offline;
        self.candidates.cover(&self.features, ways, self.slack, ahead.max(LASTING) as f64)
    }

    /// Takes pairs that pass each other, or are too deep if that is looked for, into the contacts; how many.
    fn missed<S: Scalar>(
        &mut self,
        contacts: &mut Contacts,
        model: &Model,
        around: &Surroundings<S>,
        look: Look,
    ) -> usize {
        self.take_in(contacts, model, around, look, |candidate, meeting| {
            let deep = meeting.end < (1.0 - DEEP) * meeting.distance;
            meeting.passing.is_some() || (deep && !candidate.face_of_collider)
        })
    }

    /// Takes pairs that meet, if they matter, into the contacts; how many.
    fn take_in<S: Scalar>(
        &mut self,
        contacts: &mut Contacts,
        model: &Model,
        around: &Surroundings<S>,
        look: Look,
        matters: impl Fn(&Candidate, &Meeting) -> bool,
    ) -> usize {
        let ways = [self.start.as_slice(), self.end.as_slice()];
        let velocities = |v: usize| wide(&around.velocities[v]);
        let h = around.times[1] - around.times[0];
        let (features, candidates) = (&self.features, &mut self.candidates);
        let rest = model.rest_positions();
        let (taken, tangled) = (&mut self.taken, &self.tangled);
        let (counts, passed) = (&self.counts, &mut self.passed);
        taken.clear();
        passed.clear();
        let placed = contacts.take_in(|list, stale| {
            let tell = |candidate: &Candidate, meeting: Meeting, listed: bool| {
                if matters(candidate, &meeting)
                    && !may_pass(tangled, candidate)
                    && let Some(new) = contact(features, candidate, &meeting, ways, velocities, h)
                {
                    if meeting.passing.is_some() {
                        passed.push(candidate.vertices);
                    }
                    list.push(new);
                    taken.push(listed.then(|| candidate.key()));
                    return true;
                }
                false
            };
            let view = View { features, rest, ways, look };
            candidates.meetings(view, stale, |v| counts[v as usize], tell);
        });
        for (key, &place) in taken.iter().zip(placed) {
            if let Some(key) = *key {
                candidates.became(key, place);
            }
        }
        taken.len()
    }
}

/// What gravity gives in two substeps `h` \[s\] is slow [m/s]: what rests is no faster.
pub(crate) fn slow(model: &Model, h: f64) -> f64 {
    let g = model.gravity();
    2.0 * h * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]).sqrt()
}

/// Whether two features have both to do with what crosses.
fn may_pass(tangled: &[bool], candidate: &Candidate) -> bool {
    let any = |vertices: &[u32]| vertices.iter().any(|&v| tangled[v as usize]);
    let (first, second) = candidate.vertices.split_at(if candidate.edges { 2 } else { 1 });
    !tangled.is_empty() && any(first) && any(second)
}

/// How far what moves as prescribed takes two features that pass each other: a collider, a pinned vertex, or
/// what one of them was set back with \[m\].
fn carried_by<S: Scalar>(
    features: &Features,
    candidate: &Candidate,
    meeting: &Meeting,
    [start, end]: [&[[f64; 3]]; 2],
    setbacks: &[Setbacks],
    x: &[Point<S>],
) -> [f64; 3] {
    let mut carry = [0.0; 3];
    let mut prescribed = [0.0; 3];
    for (&vertex, weight) in candidate.vertices.iter().zip(meeting.weights) {
        let (vertices, _, count) = features.parts(vertex);
        let free = |v: &u32| x[*v as usize][3] > S::default();
        if vertices[..count].iter().any(free) {
            for &v in &vertices[..count] {
                carry = Setbacks::farther(carry, setbacks[v as usize].carry);
            }
        } else {
            let v = vertex as usize;
            (0..3).for_each(|c| prescribed[c] += weight.abs() * (end[v][c] - start[v][c]));
        }
    }
    Setbacks::farther(carry, prescribed)
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
    features.append_carried(to);
    for corners in &features.corners {
        let pose = model.colliders()[corners.collider].pose(time);
        to.extend(corners.local.iter().map(|p| {
            let q = pose.place(Vec3::of(*p));
            [q.x, q.y, q.z]
        }));
    }
}
