//! Motion clamps: vertices that would cross a surface are set back on their path.
//!
//! Each round tests the paths of moved vertices by CCD and scales the path of every vertex that would cross to a
//! fraction of its time of impact. After a few clamps a vertex returns to the start of its path, which is free of
//! crossings, so the loop terminates. Features that a kinematic feature would cross are carried along with it. In
//! intersection-free mode, if crossings remain, the motion of all vertices is scaled down together.

use crate::contact::SubstepMotion;
use crate::contact::broad_phase::primitives::Features;
use crate::contact::narrow_phase::ccd::{ContactPoint, Query, QueryContext};
use crate::contact::narrow_phase::feature_pair::FeaturePair;
use crate::contact::pipeline::{ContactPipeline, is_exempt};
use crate::contact::report::{ContactMode, ContactReport};
use crate::contact::solver::set::ContactSet;
use crate::math::Scalar;
use crate::model::Model;
use crate::simd::Point;

/// Fraction of the time of impact to which a path is cut.
pub(super) const CLAMP_SAFETY_FACTOR: f64 = 0.8;

/// Number of partial clamps of a vertex before it is set back to its start.
pub(super) const MAX_PARTIAL_CLAMPS: u8 = 4;

/// Maximum number of clamping rounds.
pub(super) const MAX_CLAMP_ROUNDS: u8 = 64;

/// Maximum number of truncations of a substep: one is enough if no collider moves and nothing is rigid.
pub(super) const MAX_TRUNCATIONS: usize = 16;

/// Clamp state of a vertex.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MotionClamp {
    /// Number of clamps.
    pub(super) count: u8,
    /// Round of the last clamp, from one; zero if never clamped.
    pub(super) last_round: u8,
    /// Displacement imposed by kinematic features \[m\].
    pub(super) kinematic_displacement: [f64; 3],
}

impl MotionClamp {
    /// Returns the longer of two displacements; of equally long ones the greater in bit order, whatever the order of
    /// the arguments.
    pub(super) fn longer(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        let square = |v: [f64; 3]| v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        let order = square(a).total_cmp(&square(b));
        let order = order.then_with(|| a.map(f64::to_bits).cmp(&b.map(f64::to_bits)));
        if order.is_lt() { b } else { a }
    }
}

/// Returns the displacement that kinematic motion imposes on two features that cross: that of a collider or a pinned
/// vertex, or one that either feature already carries from an earlier clamp \[m\].
pub(super) fn kinematic_displacement<S: Scalar>(
    features: &Features,
    candidate: &FeaturePair,
    contact_point: &ContactPoint,
    [start, end]: [&[[f64; 3]]; 2],
    motion_clamps: &[MotionClamp],
    x: &[Point<S>],
) -> [f64; 3] {
    let mut carry = [0.0; 3];
    let mut prescribed = [0.0; 3];
    for (&vertex, weight) in candidate.vertices.iter().zip(contact_point.weights) {
        let (vertices, _, count) = features.vertex_stencil(vertex);
        let free = |v: &u32| x[*v as usize][3] > S::default();
        if vertices[..count].iter().any(free) {
            for &v in &vertices[..count] {
                carry =
                    MotionClamp::longer(carry, motion_clamps[v as usize].kinematic_displacement);
            }
        } else {
            let v = vertex as usize;
            (0..3).for_each(|c| prescribed[c] += weight.abs() * (end[v][c] - start[v][c]));
        }
    }
    MotionClamp::longer(carry, prescribed)
}

impl ContactPipeline {
    /// Sets back vertices that would cross something on the path to `x`. Returns true if anything kinematic was
    /// involved.
    pub(super) fn clamp_motion<S: Scalar>(
        &mut self,
        contacts: &ContactSet,
        model: &Model,
        motion: &SubstepMotion<S>,
        x: &mut [Point<S>],
        report: &mut ContactReport,
    ) -> bool {
        self.motion_clamps.clear();
        self.motion_clamps.resize(x.len(), MotionClamp::default());
        let (mut blocked_count, mut blocked) = (0, false);
        let clear = std::mem::take(&mut self.path_is_clear);
        for round in 0..=MAX_CLAMP_ROUNDS {
            self.set_path_end(model, x, motion.times[1]);
            if round == 0 && !clear {
                self.test_all();
            }
            if !self.update_pairs(1) {
                report.skipped_substeps += 1;
                return blocked;
            }
            let paths = [self.start.as_slice(), self.end.as_slice()];
            self.allowed_motion.clear();
            self.allowed_motion.resize(x.len(), (1.0, [0.0; 3]));
            let (mut passing, mut unmoved) = (0, 0);
            let (fractions, motion_clamps) = (&mut self.allowed_motion, &self.motion_clamps);
            // A pair whose vertices have not moved since crosses no more than before.
            let (features, first) = (&self.features, &self.is_tested);
            let is_tested = |v: u32| {
                let (vertices, _, count) = features.vertex_stencil(v);
                let moved = |v: &u32| motion_clamps[*v as usize].last_round == round;
                if round == 0 { first[v as usize] } else { vertices[..count].iter().any(moved) }
            };
            let rest = model.rest_positions();
            let stale = &contacts.stale;
            let exempt = &self.exempt_vertices;
            let on_contact = |candidate: &FeaturePair, contact_point: ContactPoint, _| {
                let Some(time) = contact_point.time_of_impact else { return false };
                if is_exempt(exempt, candidate) {
                    return false;
                }
                let mut any = false;
                let carry = kinematic_displacement(
                    features,
                    candidate,
                    &contact_point,
                    paths,
                    motion_clamps,
                    x,
                );
                for vertex in candidate.vertices {
                    let (vertices, _, count) = features.vertex_stencil(vertex);
                    blocked |= count == 0;
                    for v in vertices[..count].iter().map(|&v| v as usize) {
                        blocked |= !(x[v][3] > S::default());
                        if x[v][3] > S::default() {
                            fractions[v].0 = f64::min(fractions[v].0, CLAMP_SAFETY_FACTOR * time);
                            fractions[v].1 = MotionClamp::longer(fractions[v].1, carry);
                            any = true;
                        }
                    }
                }
                passing += usize::from(any);
                unmoved += usize::from(!any);
                false
            };
            let context =
                QueryContext { features, rest_positions: rest, paths, query: Query::Crossing };
            self.broad_phase.test_pairs(context, stale, is_tested, on_contact);
            blocked_count += unmoved;
            if passing == 0 {
                self.path_is_clear = blocked_count == 0;
                break;
            }
            if round == MAX_CLAMP_ROUNDS {
                blocked_count += passing;
                break;
            }
            for (v, &(fraction, carry)) in
                self.allowed_motion.iter().enumerate().filter(|(_, p)| p.0 < 1.0)
            {
                let own = &mut self.motion_clamps[v];
                report.clamped_vertices += usize::from(own.count == 0);
                let carry = MotionClamp::longer(own.kinematic_displacement, carry);
                *own = MotionClamp {
                    count: own.count.saturating_add(1),
                    last_round: round + 1,
                    kinematic_displacement: carry,
                };
                let fraction = if own.count > MAX_PARTIAL_CLAMPS { 0.0 } else { fraction };
                for c in 0..3 {
                    let from = motion.previous[v][c] + S::from_f64(carry[c]);
                    x[v][c] = from + S::from_f64(fraction) * (x[v][c] - from);
                }
            }
        }
        if blocked_count > 0 && self.mode == ContactMode::IntersectionFree {
            blocked_count = self.truncate_substep(model, motion, x);
            report.truncated_substeps += 1;
        }
        report.unresolved_crossings += blocked_count;
        blocked
    }

    /// Scales the motion of all vertices, pinned ones included, until nothing crosses. Returns the number of pairs that
    /// still cross, because of colliders, whose motion is not scaled.
    pub(super) fn truncate_substep<S: Scalar>(
        &mut self,
        model: &Model,
        motion: &SubstepMotion<S>,
        x: &mut [Point<S>],
    ) -> usize {
        let mut passing = 0;
        for _ in 0..MAX_TRUNCATIONS {
            self.set_path_end(model, x, motion.times[1]);
            if !self.update_pairs(1) {
                break;
            }
            let paths = [self.start.as_slice(), self.end.as_slice()];
            let (features, rest) = (&self.features, model.rest_positions());
            let context =
                QueryContext { features, rest_positions: rest, paths, query: Query::Crossing };
            let (mut first, exempt) = (1.0, &self.exempt_vertices);
            passing = 0;
            let on_contact = |candidate: &FeaturePair, contact_point: ContactPoint, _| {
                if let Some(time) =
                    contact_point.time_of_impact.filter(|_| !is_exempt(exempt, candidate))
                {
                    first = f64::min(first, time);
                    passing += 1;
                }
                false
            };
            self.broad_phase.test_pairs(context, &[], |_| true, on_contact);
            if passing == 0 {
                self.path_is_clear = true;
                return 0;
            }
            let fraction = S::from_f64(CLAMP_SAFETY_FACTOR * first);
            for (to, from) in x.iter_mut().zip(motion.previous) {
                (0..3).for_each(|c| to[c] = from[c] + fraction * (to[c] - from[c]));
            }
            model.rigidify(x);
        }
        passing
    }
}
