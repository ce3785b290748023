//! Continuous collision detection (CCD) between features of bodies, and with vertices and edges of colliders.
//!
//! The state at the start of a substep defines which side a feature is on, and that side is kept (Position Based
//! Dynamics §4.3 uses the triangle's normal, which gives the same side if a vertex is near). If two features would
//! meet on their path, the contact has the closest points and the direction between them just before that time of
//! impact. Otherwise, if they end near each other, it has those of the end.

use pliant_detect::{closest, continuous};

use crate::contact::ContactConstraint;
use crate::contact::broad_phase::primitives::Features;
use crate::contact::narrow_phase::feature_pair::FeaturePair;
use crate::contact::solver::constraint::target_distance;
use crate::math::Vec3;
use crate::math::point::{norm, sub};
use crate::model::contact_material::ContactMaterial;

/// Distance on the path at which the time of impact is taken, as a fraction of the features' distance: any nearer, the
/// direction between them may reverse.
const CCD_DISTANCE_FRACTION: f64 = 0.2;
/// Fraction of the minimum distance below which features approach only by tenths of the remaining distance: positions
/// in single precision must still resolve the sides.
const MIN_CCD_DISTANCE_FRACTION: f64 = 0.02;
/// A vertex and a triangle that end within this multiple of their minimum distance form a contact: the solver may bring
/// them nearer.
pub(in crate::contact) const VERTEX_ACTIVATION_FACTOR: f64 = 1.5;
/// Two edges of surfaces keep this fraction of the minimum distance. Where surfaces lie on each other, there are four
/// times as many edge pairs, and contacts of vertices with triangles keep the edges apart too: edges get contacts only
/// where that fails, as in a fold or on a rim.
pub(in crate::contact) const EDGE_MIN_DISTANCE_FACTOR: f64 = 0.92;
/// The same as [`VERTEX_ACTIVATION_FACTOR`], for edges; not larger, or there would be too many contacts. But it must
/// exceed one: edges pushed out of this distance would lose their contact, fall back, and never come to rest.
pub(in crate::contact) const EDGE_ACTIVATION_FACTOR: f64 = 1.02;
/// The same for edges of threads, which no other contacts protect.
pub(in crate::contact) const STRAND_ACTIVATION_FACTOR: f64 = 1.2;
/// A closest point this near to the end of an edge, in its parameter, counts as the end: another pair covers it.
const EDGE_END_TOLERANCE: f64 = 1e-9;

/// Kind of feature pairs that a query reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::contact) enum Query {
    /// Features that cross, or end near each other.
    Proximity,
    /// Features that cross, or end nearer than their minimum distance.
    Penetrating,
    /// Only features that cross.
    Crossing,
}

impl Query {
    /// Returns the distance beyond which features are not reported, given their minimum and activation distance \[m\].
    #[inline(always)]
    pub fn query_distance(self, min_distance: f64, activation_distance: f64) -> f64 {
        match self {
            Self::Proximity => activation_distance,
            Self::Penetrating => min_distance.min(activation_distance),
            Self::Crossing => crossing_distance(min_distance),
        }
    }
}

/// Input of a query.
#[derive(Clone, Copy)]
pub(in crate::contact) struct QueryContext<'a> {
    pub features: &'a Features,
    /// Rest positions of the model's vertices \[m\].
    pub rest_positions: &'a [[f64; 3]],
    /// Positions of all vertices at the start and at the end of the path \[m\].
    pub paths: [&'a [[f64; 3]]; 2],
    pub query: Query,
}

/// Result of a test of two features.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct ContactPoint {
    /// Weights of the four vertices: positive for the first feature, negative for the second.
    pub weights: [f64; 4],
    /// Unit vector from the second feature to the first.
    pub normal: Vec3<f64>,
    /// Distance required at the end of the substep, and full distance to keep \[m\].
    pub target_distance: f64,
    pub min_distance: f64,
    /// Signed distance at the end of the path \[m\]; negative if the features have crossed.
    pub end_distance: f64,
    /// Time just before the features cross, as a fraction of the path.
    pub time_of_impact: Option<f64>,
}

/// Returns the distance beyond which features do not cross \[m\].
pub(in crate::contact) fn crossing_distance(min_distance: f64) -> f64 {
    CCD_DISTANCE_FRACTION * min_distance
}

/// Tests two features that start at distance `d0` \[m\]: returns their contact point if they cross, or if they end
/// nearer than the distance of the query.
pub(in crate::contact) fn test_pair(
    candidate: &FeaturePair,
    d0: f64,
    [start, end]: [&[[f64; 3]]; 2],
    query: Query,
) -> Option<ContactPoint> {
    let [a, b, c, d] = candidate.vertices;
    let at = |x: &[[f64; 3]]| [x[a as usize], x[b as usize], x[c as usize], x[d as usize]];
    let (x0, x1) = (at(start), at(end));
    let min_distance = candidate.min_distance;
    let nearest = |x: &[[f64; 3]; 4]| {
        if candidate.is_edge_edge { closest::edge_edge(*x) } else { closest::vertex_triangle(*x) }
    };
    let ccd_distance = crossing_distance(min_distance.min(d0))
        .max(d0.min(MIN_CCD_DISTANCE_FRACTION * min_distance) * 0.9);
    // If no relative motion covers their distance, they do not meet.
    let first = if candidate.is_edge_edge { 0..2 } else { 0..1 };
    let moved = max_relative_displacement(&x0, &x1, first.clone(), first.end..4);
    let may_meet = moved >= d0 - ccd_distance || !moved.is_finite();
    let time = if may_meet && d0 > 0.0 {
        let test = if candidate.is_edge_edge {
            continuous::edge_edge
        } else {
            continuous::vertex_triangle
        };
        test(&x0, &x1, ccd_distance)
    } else {
        None
    };
    let contact_point = match time {
        Some(t) => {
            let x = [0, 1, 2, 3].map(|k| lerp(x0[k], x1[k], t));
            nearest(&x)
        }
        None if query == Query::Crossing => return None,
        None => {
            let after = nearest(&x1);
            if after.distance() > candidate.query_distance(query) {
                return None;
            }
            after
        }
    };
    let length = contact_point.distance();
    if !(length > 0.0) || !length.is_finite() {
        return None;
    }
    if candidate.is_edge_edge && !candidate.has_strand {
        let [_, s, _, t] = contact_point.weights;
        let inside = |t: f64| t > EDGE_END_TOLERANCE && t < 1.0 - EDGE_END_TOLERANCE;
        if !inside(s) || !inside(t) {
            return None;
        }
    }
    let normal = Vec3::<f64>::of(contact_point.offset).scale(1.0 / length);
    let mut weights = contact_point.weights;
    weights[first.end..].iter_mut().for_each(|w| *w = -*w);
    let at_end: Vec3<f64> = (0..4).fold(Vec3::zero(), |s, k| s + Vec3::of(x1[k]).scale(weights[k]));
    let distance = target_distance(d0, min_distance);
    Some(ContactPoint {
        weights,
        normal,
        target_distance: distance,
        min_distance,
        end_distance: normal.dot(at_end),
        time_of_impact: time,
    })
}

/// Builds the contact of a contact point, or none if none of its vertices belongs to the model.
pub(in crate::contact) fn make_constraint(
    features: &Features,
    candidate: &FeaturePair,
    contact_point: &ContactPoint,
    [start, end]: [&[[f64; 3]]; 2],
    velocities: impl Fn(usize) -> Vec3<f64>,
    h: f64,
) -> Option<ContactConstraint> {
    // Vertices of colliders are known at both ends.
    let (mut known, mut displacement) = (Vec3::zero(), Vec3::zero());
    let (mut from, mut approach) = (Vec3::zero(), 0.0);
    let mut terms = [(0, 0.0); 16];
    let mut key = [u32::MAX; 4];
    let mut count = 0;
    let mut renewable = true;
    for (k, (&v, &a)) in candidate.vertices.iter().zip(&contact_point.weights).enumerate() {
        if a == 0.0 {
            continue;
        }
        key[k] = 2 * v + u32::from(a < 0.0);
        let x0 = Vec3::<f64>::of(start[v as usize]);
        from += x0.scale(a);
        let (vertices, weights, parts) = features.vertex_stencil(v);
        for (&v, w) in vertices.iter().zip(weights).take(parts) {
            terms[count] = (v, a * w);
            count += 1;
            approach += contact_point.normal.dot(velocities(v as usize)) * a * w;
        }
        renewable &= parts > 0;
        if parts == 0 {
            let x1 = Vec3::<f64>::of(end[v as usize]);
            known += x1.scale(a);
            displacement += (x1 - x0).scale(a);
        }
    }
    if count == 0 {
        return None;
    }
    let material = ContactMaterial::combine(
        &features.groups[candidate.groups[0] as usize].contact_material,
        &features.groups[candidate.groups[1] as usize].contact_material,
    );
    key.sort_unstable();
    let other = displacement.scale(-1.0 / h);
    let (known_at_end, known) = (known, contact_point.normal.dot(known));
    Some(ContactConstraint {
        key,
        full_offset: contact_point.min_distance - known,
        min_distance: contact_point.min_distance,
        is_refreshable: renewable,
        anchor: from - known_at_end,
        friction: material.friction,
        restitution: material.restitution,
        other_velocity: other,
        approach_speed: approach - contact_point.normal.dot(other),
        ..ContactConstraint::new(
            terms[..count].iter().copied(),
            contact_point.normal,
            contact_point.target_distance - known,
        )
    })
}

/// Returns the largest displacement of a vertex of one feature relative to one of the other \[m\].
fn max_relative_displacement(
    x0: &[[f64; 3]; 4],
    x1: &[[f64; 3]; 4],
    first: std::ops::Range<usize>,
    second: std::ops::Range<usize>,
) -> f64 {
    let mut most = 0.0_f64;
    for i in first {
        let d = sub(x1[i], x0[i]);
        for j in second.clone() {
            most = most.max(norm(sub(d, sub(x1[j], x0[j]))));
        }
    }
    most
}

fn lerp(a: [f64; 3], b: [f64; 3], t: f64) -> [f64; 3] {
    [0, 1, 2].map(|c| a[c] + t * (b[c] - a[c]))
}
