//! Pairs of primitives of one surface that share a vertex.
//!
//! Their boxes always overlap, so a search would return them every time, and they would dominate its results. But the
//! shared vertex moves with both: the distances of their other features depend only on how the primitives rotate and
//! stretch. A pair sleeps until the edges of both have changed by as much as its features were apart.

use crate::contact::broad_phase::motion_bounds::{MotionBounds, compact_awake, round_down_f32};
use crate::contact::broad_phase::primitives::Features;
use crate::contact::narrow_phase::ccd::{ContactPoint, QueryContext, test_pair};
use crate::contact::narrow_phase::feature_pair::FeaturePair;
use crate::model::contact_material::CollidesWith;

/// Relative error of a sum of edge changes.
const SUM_ROUNDING: f64 = 1e-9;

/// Two primitives that share a vertex.
#[derive(Clone, Copy, Debug)]
struct AdjacentPair {
    primitives: [u32; 2],
    /// Sum of the edge changes of both below which none of their features can have met \[m\].
    wake_threshold: f32,
}

/// All pairs of primitives that share a vertex.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct AdjacentPairs {
    pairs: Vec<AdjacentPair>,
    /// Primitives of each vertex, one vertex after another, and the start of each vertex's range, with the end.
    primitives_of_vertices: Vec<u32>,
    starts: Vec<u32>,
    /// Indices of the awake pairs of the current test, at the front.
    awake_pairs: Vec<u32>,
}

impl AdjacentPairs {
    pub fn new(features: &Features) -> Self {
        let mut cells_of = vec![Vec::new(); features.vertex_count];
        for (c, cell) in features.primitives[..features.body_primitive_count].iter().enumerate() {
            if features.groups[cell.group as usize].contact_material.collides_with
                >= CollidesWith::Itself
            {
                cell.vertices().iter().for_each(|&v| cells_of[v as usize].push(c as u32));
            }
        }
        let mut all = Vec::new();
        let mut starts = vec![0];
        for cells in &cells_of {
            starts.push(starts[starts.len() - 1] + cells.len() as u32);
            for (i, &a) in cells.iter().enumerate() {
                all.extend(cells[i + 1..].iter().map(|&b| [a, b]));
            }
        }
        all.sort_unstable();
        all.dedup();
        let asleep = |cells| {
            let mut any = false;
            FeaturePair::for_each_in(features, cells, |_| any = true);
            !any
        };
        all.retain(|pair| !asleep(pair.map(|c| c as usize)));
        let pairs: Vec<AdjacentPair> = all
            .into_iter()
            .map(|cells| AdjacentPair { primitives: cells, wake_threshold: 0.0 })
            .collect();
        let (cells, awake_pairs) = (cells_of.concat(), Vec::with_capacity(pairs.len()));
        Self { pairs, primitives_of_vertices: cells, starts, awake_pairs }
    }

    /// Returns a primitive that shares a vertex with each of two.
    pub fn linking_primitive(&self, features: &Features, [a, b]: [u32; 2]) -> Option<u32> {
        let around = |&v: &u32| {
            let v = v as usize;
            self.primitives_of_vertices[self.starts[v] as usize..self.starts[v + 1] as usize].iter()
        };
        let corners = features.primitives[a as usize].vertices();
        let shares = |c: &&u32| features.share_vertex([**c as usize, b as usize]);
        corners.iter().flat_map(around).find(shares).copied()
    }

    /// Wakes all pairs.
    pub fn wake_all(&mut self) {
        self.pairs.iter_mut().for_each(|pair| pair.wake_threshold = f32::NEG_INFINITY);
    }

    /// Calls `tell` with all features of such pairs that meet on the path; see
    /// [`BroadPhase::test_pairs`](crate::contact::broad_phase::BroadPhase::test_pairs).
    pub fn test_pairs(
        &mut self,
        QueryContext { features, rest_positions: rest, paths, query }: QueryContext,
        motion_bounds: &MotionBounds,
        is_tested: &impl Fn(u32) -> bool,
        mut on_contact: impl FnMut(&FeaturePair, ContactPoint),
    ) {
        let all = self.pairs.iter().map(|pair| (pair.primitives, pair.wake_threshold));
        let count = compact_awake(&mut self.awake_pairs, all, motion_bounds.edge_sums());
        for &number in &self.awake_pairs[..count] {
            let pair = &mut self.pairs[number as usize];
            let terms = motion_bounds.shared_vertex_terms(pair.primitives);
            let until = [motion_bounds.bound(terms, 0), motion_bounds.bound(terms, 1)];
            let changes = until[1] - until[0];
            let mut least = f64::INFINITY;
            let cells = pair.primitives.map(|c| c as usize);
            FeaturePair::for_each_in(features, cells, |mut candidate| {
                let nearest = candidate.closest_points(paths[0]);
                let separation = nearest.distance();
                least = least.min(separation - candidate.activation_distance());
                let is_separated =
                    (separation - candidate.activation_distance()) * (1.0 - SUM_ROUNDING) > changes;
                if is_separated
                    || candidate.stays_separated(&nearest, paths, query)
                    || !candidate.vertices.iter().any(|&v| is_tested(v))
                {
                    return;
                }
                if candidate.limit_to_rest_distance(rest)
                    && let Some(contact_point) = test_pair(&candidate, separation, paths, query)
                {
                    on_contact(&candidate, contact_point);
                }
            });
            pair.wake_threshold = round_down_f32((until[0] + least) * (1.0 - SUM_ROUNDING));
        }
    }
}
