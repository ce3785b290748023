//! Contacts between features of bodies, and with the corners and edges of colliders.
//!
//! The state at the start of a substep says which side a feature is on; from there the side is kept
//! (Position Based Dynamics §4.3 tells it by the triangle's normal, which is the same where a vertex is
//! near). Where two features would meet on their way, the contact is what they are just before: closest
//! points and the direction between them. Else, where they end near each other, that at the end.

use pliant_detect::{closest, continuous};

use super::candidate::Candidate;
use super::features::{Features, sub};
use super::half_space::recovered;
use super::{Contact, Touch};
use crate::math::Vec3;

/// Features that are this part of their distance apart on the way are looked at there: beyond, the
/// direction between them may turn about.
const CLOSE: f64 = 0.2;
/// Below this part of their gap features come nearer only by tenths of what is left: positions in single
/// precision must still tell the sides apart.
const LEAST: f64 = 0.02;
/// A vertex and a triangle that end within this many times their gap are kept apart: the solver may bring
/// them nearer.
pub(super) const AHEAD_OF_VERTICES: f64 = 1.5;
/// Two edges of surfaces keep this part of the distance. Where surfaces lie on each other, there are four times as many
/// of these, and what keeps the vertices from the triangles keeps the edges apart too: only where that fails, as in
/// a fold or on a rim, are they looked after.
pub(super) const KEPT_BY_EDGES: f64 = 0.92;
/// The same as for vertices, for edges: no farther, or there would be too many. But what they keep must be nearer, or
/// they would be pushed out of sight, fall back, and never come to rest.
pub(super) const AHEAD_OF_EDGES: f64 = 1.02;
/// And for edges of threads, which nothing else looks after.
pub(super) const AHEAD_OF_THREADS: f64 = 1.2;
/// A foot that is this near to the end of an edge is at the end: another pair looks after it.
const END: f64 = 1e-9;

/// What is looked for on a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Features that pass each other, or end near each other.
    Near,
    /// Those that pass each other, or end nearer than they should.
    Deep,
    /// Only those that pass each other.
    Passing,
}

impl Look {
    /// Features that stay farther apart than this are not what is looked for, given what they should keep and
    /// within which distance they are near \[m\].
    #[inline(always)]
    pub fn keep(self, gap: f64, horizon: f64) -> f64 {
        match self {
            Self::Near => horizon,
            Self::Deep => gap.min(horizon),
            Self::Passing => danger(gap),
        }
    }
}

/// Where features are looked at.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub features: &'a Features,
    /// Where the model's vertices are at rest \[m\].
    pub rest: &'a [[f64; 3]],
    /// Where all vertices are at the start and at the end of the way \[m\].
    pub ways: [&'a [[f64; 3]]; 2],
    pub look: Look,
}

/// How two features stand to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// Of the four vertices: those of the first feature positive, of the second negative.
    pub weights: [f64; 4],
    /// From the second to the first, of unit length.
    pub normal: Vec3<f64>,
    /// The least distance at the end \[m\], and what it should come to.
    pub distance: f64,
    pub gap: f64,
    /// Distance at the end as it is \[m\], negative where they have passed each other.
    pub end: f64,
    /// When they are about to pass each other, as a part of the way.
    pub passing: Option<f64>,
}

/// Features that stay farther apart than this do not pass each other \[m\].
pub(super) fn danger(gap: f64) -> f64 {
    CLOSE * gap
}

/// Where two features that start a distance `d0` \[m\] apart pass each other, or end nearer than their
/// horizon, if that is looked for.
pub(super) fn meet(
    candidate: &Candidate,
    d0: f64,
    [start, end]: [&[[f64; 3]]; 2],
    look: Look,
) -> Option<Meeting> {
    let [a, b, c, d] = candidate.vertices;
    let at = |x: &[[f64; 3]]| [x[a as usize], x[b as usize], x[c as usize], x[d as usize]];
    let (x0, x1) = (at(start), at(end));
    let gap = candidate.gap;
    let nearest = |x: &[[f64; 3]; 4]| {
        if candidate.edges { closest::edge_edge(*x) } else { closest::vertex_triangle(*x) }
    };
    let close = danger(gap.min(d0)).max(d0.min(LEAST * gap) * 0.9);
    // Where nothing moves as far as they are apart, they do not meet.
    let first = if candidate.edges { 0..2 } else { 0..1 };
    let moved = relative(&x0, &x1, first.clone(), first.end..4);
    let may_meet = moved >= d0 - close || !moved.is_finite();
    let time = if may_meet && d0 > 0.0 {
        let test =
            if candidate.edges { continuous::edge_edge } else { continuous::vertex_triangle };
        test(&x0, &x1, close)
    } else {
        None
    };
    let meeting = match time {
        Some(t) => {
            let x = [0, 1, 2, 3].map(|k| lerp(x0[k], x1[k], t));
            nearest(&x)
        }
        None if look == Look::Passing => return None,
        None => {
            let after = nearest(&x1);
            if after.distance() > candidate.keep(look) {
                return None;
            }
            after
        }
    };
    let length = meeting.distance();
    if !(length > 0.0) || !length.is_finite() {
        return None;
    }
    if candidate.edges && !candidate.thread {
        let [_, s, _, t] = meeting.weights;
        let inside = |t: f64| t > END && t < 1.0 - END;
        if !inside(s) || !inside(t) {
            return None;
        }
    }
    let normal = Vec3::<f64>::of(meeting.offset).scale(1.0 / length);
    let mut weights = meeting.weights;
    weights[first.end..].iter_mut().for_each(|w| *w = -*w);
    let at_end: Vec3<f64> = (0..4).fold(Vec3::zero(), |s, k| s + Vec3::of(x1[k]).scale(weights[k]));
    let distance = recovered(d0, gap);
    Some(Meeting { weights, normal, distance, gap, end: normal.dot(at_end), passing: time })
}

/// The contact of a meeting, or none where nothing in it can move.
pub(super) fn contact(
    features: &Features,
    candidate: &Candidate,
    meeting: &Meeting,
    [start, end]: [&[[f64; 3]]; 2],
    velocities: impl Fn(usize) -> Vec3<f64>,
    h: f64,
) -> Option<Contact> {
    // What belongs to colliders is known at both ends.
    let (mut known, mut carried) = (Vec3::zero(), Vec3::zero());
    let (mut from, mut approach) = (Vec3::zero(), 0.0);
    let mut terms = [(0, 0.0); 16];
    let mut key = [u32::MAX; 4];
    let mut count = 0;
    let mut renewable = true;
    for (k, (&v, &a)) in candidate.vertices.iter().zip(&meeting.weights).enumerate() {
        if a == 0.0 {
            continue;
        }
        key[k] = 2 * v + u32::from(a < 0.0);
        let x0 = Vec3::<f64>::of(start[v as usize]);
        from += x0.scale(a);
        let (vertices, weights, parts) = features.parts(v);
        for (&v, w) in vertices.iter().zip(weights).take(parts) {
            terms[count] = (v, a * w);
            count += 1;
            approach += meeting.normal.dot(velocities(v as usize)) * a * w;
        }
        renewable &= parts > 0;
        if parts == 0 {
            let x1 = Vec3::<f64>::of(end[v as usize]);
            known += x1.scale(a);
            carried += (x1 - x0).scale(a);
        }
    }
    if count == 0 {
        return None;
    }
    let touch = Touch::between(
        &features.groups[candidate.groups[0] as usize].touch,
        &features.groups[candidate.groups[1] as usize].touch,
    );
    key.sort_unstable();
    let other = carried.scale(-1.0 / h);
    let (known_at_end, known) = (known, meeting.normal.dot(known));
    Some(Contact {
        key,
        whole: meeting.gap - known,
        gap: meeting.gap,
        renewable,
        anchor: from - known_at_end,
        friction: touch.friction,
        restitution: touch.restitution,
        other,
        approach: approach - meeting.normal.dot(other),
        ..Contact::new(terms[..count].iter().copied(), meeting.normal, meeting.distance - known)
    })
}

/// The farthest that a vertex of one feature moves relative to one of the other \[m\].
fn relative(
    x0: &[[f64; 3]; 4],
    x1: &[[f64; 3]; 4],
    first: std::ops::Range<usize>,
    second: std::ops::Range<usize>,
) -> f64 {
    let mut most = 0.0_f64;
    for i in first {
        let d = sub(x1[i], x0[i]);
        for j in second.clone() {
            most = most.max(length(sub(d, sub(x1[j], x0[j]))));
        }
    }
    most
}

fn lerp(a: [f64; 3], b: [f64; 3], t: f64) -> [f64; 3] {
    [0, 1, 2].map(|c| a[c] + t * (b[c] - a[c]))
}

fn length(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}
