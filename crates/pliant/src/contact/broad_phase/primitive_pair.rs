//! Pair of primitives that may touch: sleep thresholds, and the tests of its features.
//!
//! A pair sleeps until the accumulated motion of its primitives, [`MotionBounds`], reaches the margin measured by its
//! last test. An awake pair is tested along its cached separating axis: first the primitives, then each pair of
//! features that they own. Only features that this does not separate take part in the continuous test.

use pliant_detect::Aabb;

use crate::contact::broad_phase::motion_bounds::{BoundTerms, MotionBounds, round_down_f32};
use crate::contact::broad_phase::primitives::{Features, Primitive, next};
use crate::contact::narrow_phase::ccd::{
    ContactPoint, Query, QueryContext, VERTEX_ACTIVATION_FACTOR, crossing_distance, test_pair,
};
use crate::contact::narrow_phase::feature_pair::{
    DIRECTION_ROUNDING_FACTOR, FeaturePair, edge_distances,
};
use crate::math::point::norm;
use crate::mesh::measure::distance;

/// Relative error of a sum of displacements.
const SUM_ROUNDING: f64 = 1e-9;

/// Two primitives, with the thresholds until which they sleep.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct PrimitivePair {
    pub primitives: [u32; 2],
    /// Terms that bound their relative motion.
    pub bound_terms: BoundTerms,
    /// Bound of the relative motion below which no features can have come near \[m\].
    wake_proximity: f32,
    /// The same for features that penetrate without a contact, or cross.
    wake_penetrating: f32,
    /// The same for features that cross.
    wake_crossing: f32,
}

/// Last known separating axis of two primitives.
#[derive(Clone, Copy, Debug)]
pub(in crate::contact) struct SeparatingAxisCache {
    /// Minimum distance of the primitives \[m\], rounded up.
    min_distance: f32,
    /// Unit vector from the second to the first along which they were last found apart; zero if there was none.
    axis: [f32; 3],
}

impl PrimitivePair {
    /// Creates a pair that has not been tested yet.
    pub fn new(
        cells: [u32; 2],
        terms: BoundTerms,
        features: &Features,
        start: &[[f64; 3]],
        motion_bounds: &MotionBounds,
    ) -> (Self, SeparatingAxisCache) {
        let min_distance = (features.min_distance(cells.map(|c| &features.primitives[c as usize]))
            as f32)
            .next_up();
        // The distance of the boxes is a lower bound; the initial axis joins the centers.
        let corners =
            cells.map(|c| features.primitives[c as usize].vertices.map(|v| start[v as usize]));
        let [a, b] = corners.map(|x| Aabb::from_points(&x));
        let apart = [0, 1, 2].map(|c| f64::max(a.min[c] - b.max[c], b.min[c] - a.max[c]).max(0.0));
        let far = norm(apart);
        let [p, q] = corners.map(|[a, b, c]| [0, 1, 2].map(|k| a[k] + b[k] + c[k]));
        let between = [0, 1, 2].map(|c| p[c] - q[c]);
        let length = distance(p, q);
        let axis = if length > 0.0 { between.map(|c| (c / length) as f32) } else { [0.0; 3] };
        let mut own = Self {
            primitives: cells,
            bound_terms: terms,
            wake_proximity: 0.0,
            wake_penetrating: 0.0,
            wake_crossing: 0.0,
        };
        own.sleep(motion_bounds.bound(terms, 0), query_margins(far, f64::from(min_distance)));
        (own, SeparatingAxisCache { min_distance, axis })
    }

    /// Returns the bound of the relative motion at which the pair must be tested \[m\].
    #[inline(always)]
    pub fn wake_threshold(&self, query: Query) -> f32 {
        match query {
            Query::Proximity => self.wake_proximity,
            Query::Penetrating => self.wake_penetrating,
            Query::Crossing => self.wake_crossing,
        }
    }

    /// Calls `tell` with the features of both primitives that meet on the path, as queried; `tell` returns true if that
    /// became a contact. Updates the sleep thresholds of the pair.
    pub fn test_features(
        &mut self,
        axis_cache: &mut SeparatingAxisCache,
        context: QueryContext,
        motion_bounds: &MotionBounds,
        is_tested: &impl Fn(u32) -> bool,
        query_of: impl Fn(&FeaturePair) -> Query,
        mut on_contact: impl FnMut(&FeaturePair, ContactPoint) -> bool,
    ) {
        let QueryContext { features, rest_positions: rest, paths, query: pair_query } = context;
        let pair = [self.primitives[0] as usize, self.primitives[1] as usize];
        let cells = [&features.primitives[pair[0]], &features.primitives[pair[1]]];
        let wide = f64::from(axis_cache.min_distance);
        let keep = pair_query.query_distance(wide, VERTEX_ACTIVATION_FACTOR * wide);
        let axis = [
            f64::from(axis_cache.axis[0]),
            f64::from(axis_cache.axis[1]),
            f64::from(axis_cache.axis[2]),
        ];
        let displacement =
            [motion_bounds.bound(self.bound_terms, 0), motion_bounds.bound(self.bound_terms, 1)];
        let relative_displacement = displacement[1] - displacement[0];
        let start = AxisProjection::new(axis, cells, paths[0]);
        let separation = start.separation();
        // Most are so far apart at the start that the path cannot bring them near.
        let is_separated = relative_displacement < (separation - keep) * (1.0 - SUM_ROUNDING);
        if is_separated {
            return self.sleep(displacement[0], query_margins(separation, wide));
        }
        let along = [start, AxisProjection::new(axis, cells, paths[1])];
        if separation > keep && along[1].separation() > keep {
            return self.sleep(displacement[0], query_margins(separation, wide));
        }
        let any = |cell: &Primitive| {
            let [a, b, c] = cell.vertices;
            is_tested(a) | is_tested(b) | is_tested(c)
        };
        if !(any(cells[0]) || any(cells[1])) {
            return;
        }
        let min_distance = features.min_distance(cells);
        let kept = edge_distances(features.has_strand(cells), min_distance);
        let mut least = SeparationBounds::new(min_distance, kept);
        let (mut nearest_of_all, mut offset) = (f64::INFINITY, [0.0; 3]);
        // Most features are separated along the axis of the primitives: they cost one comparison.
        let mut closer = |candidate: FeaturePair,
                          turned: bool,
                          separation: [f64; 2],
                          least: &mut SeparationBounds| {
            let mut candidate = candidate;
            let [a, b, c, d] = candidate.vertices;
            if !(is_tested(a) || is_tested(b) || is_tested(c) || is_tested(d)) {
                return least.record(candidate.is_edge_edge, separation[0]);
            }
            let between_boxes = candidate.swept_box_separation(paths);
            if between_boxes > candidate.query_distance(pair_query) {
                return least.record(candidate.is_edge_edge, between_boxes);
            }
            let query = query_of(&candidate);
            let keep = candidate.query_distance(query);
            let in_contact = query != pair_query;
            if in_contact && separation[0] > keep && separation[1] > keep {
                return least.record_in_contact(candidate.is_edge_edge, separation[0]);
            }
            let nearest = candidate.closest_points(paths[0]);
            let distance = nearest.distance();
            if distance < nearest_of_all {
                nearest_of_all = distance;
                let scale = if turned { -1.0 / distance } else { 1.0 / distance };
                offset = nearest.offset.map(|c| c * scale);
            }
            let edges = candidate.is_edge_edge;
            let is_separated = relative_displacement < (distance - keep) * (1.0 - SUM_ROUNDING)
                || candidate.stays_separated(&nearest, paths, query)
                || !candidate.limit_to_rest_distance(rest);
            let contact_point =
                if is_separated { None } else { test_pair(&candidate, distance, paths, query) };
            // Near features become a contact, and count as one from now on.
            let is_used =
                contact_point.is_some_and(|contact_point| on_contact(&candidate, contact_point));
            if in_contact || (is_used && pair_query == Query::Proximity) {
                least.record_in_contact(edges, distance);
            } else {
                least.record(edges, distance);
            }
        };
        let keep = pair_query.query_distance(min_distance, VERTEX_ACTIVATION_FACTOR * min_distance);
        for one in [0, 1] {
            if cells[1 - one].vertex_count < 3 {
                continue;
            }
            for place in cells[one].own_vertices() {
                let separation = [
                    along[0].vertex_separation(one, place),
                    along[1].vertex_separation(one, place),
                ];
                if separation[0] > keep && separation[1] > keep {
                    least.record(false, separation[0]);
                } else {
                    let candidate = FeaturePair::vertex_triangle(features, pair, one, place);
                    closer(candidate, one == 1, separation, &mut least);
                }
            }
        }
        let keep = pair_query.query_distance(kept[0], kept[1]);
        for i in cells[0].own_edges() {
            for j in cells[1].own_edges() {
                let separation = [along[0].edge_separation(i, j), along[1].edge_separation(i, j)];
                if separation[0] > keep && separation[1] > keep {
                    least.record(true, separation[0]);
                } else {
                    let candidate = FeaturePair::edge_edge(features, pair, [i, j]);
                    closer(candidate, false, separation, &mut least);
                }
            }
        }
        if nearest_of_all > 0.0 && nearest_of_all < f64::INFINITY {
            axis_cache.axis = [offset[0] as f32, offset[1] as f32, offset[2] as f32];
        }
        self.sleep(displacement[0], least.margins());
    }

    /// Sets the thresholds: accumulated motion, plus the margins to coming near, penetrating, and crossing \[m\].
    #[inline(always)]
    fn sleep(&mut self, displacement: f64, beyond: [f64; 3]) {
        let until = |far: f64| round_down_f32((displacement + far) * (1.0 - SUM_ROUNDING));
        let [near, deep, passing] = beyond;
        (self.wake_proximity, self.wake_penetrating, self.wake_crossing) =
            (until(near), until(deep), until(passing));
    }
}

/// Returns the margins to coming near, penetrating, and crossing, of primitives at least `apart` from each other \[m\].
#[inline(always)]
fn query_margins(separation: f64, min_distance: f64) -> [f64; 3] {
    [
        separation - VERTEX_ACTIVATION_FACTOR * min_distance,
        separation - min_distance,
        separation - crossing_distance(min_distance),
    ]
}

/// Projections of the vertices of two primitives on an axis \[m\].
struct AxisProjection([[f64; 3]; 2]);

impl AxisProjection {
    #[inline(always)]
    fn new(axis: [f64; 3], cells: [&Primitive; 2], x: &[[f64; 3]]) -> Self {
        let along = |v: u32| {
            let p = &x[v as usize];
            axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]
        };
        let [a, b, c] = cells[0].vertices;
        let [d, e, f] = cells[1].vertices;
        Self([[along(a), along(b), along(c)], [along(d), along(e), along(f)]])
    }

    /// Returns a lower bound of the distance of the primitives \[m\].
    #[inline(always)]
    fn separation(&self) -> f64 {
        (self.min_of_first() - self.max_of_second()) * DIRECTION_ROUNDING_FACTOR
    }

    /// Returns the same bound for a vertex of one of them and the other.
    #[inline(always)]
    fn vertex_separation(&self, one: usize, place: usize) -> f64 {
        let own = self.0[one][place];
        let apart = if one == 0 { own - self.max_of_second() } else { self.min_of_first() - own };
        apart * DIRECTION_ROUNDING_FACTOR
    }

    /// Returns the same bound for an edge of each.
    #[inline(always)]
    fn edge_separation(&self, i: usize, j: usize) -> f64 {
        let [a, b] = &self.0;
        (lesser(a[i], a[next(i)]) - greater(b[j], b[next(j)])) * DIRECTION_ROUNDING_FACTOR
    }

    #[inline(always)]
    fn min_of_first(&self) -> f64 {
        let [a, b, c] = self.0[0];
        lesser(lesser(a, b), c)
    }

    #[inline(always)]
    fn max_of_second(&self) -> f64 {
        let [a, b, c] = self.0[1];
        greater(greater(a, b), c)
    }
}

/// Returns the lesser of two numbers, in one instruction; if one is not a number, the second.
#[inline(always)]
fn lesser(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// Returns the greater of two numbers, likewise.
#[inline(always)]
fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Smallest distances between the features of two primitives \[m\].
struct SeparationBounds {
    min_distance: f64,
    /// Minimum and activation distance of edges \[m\].
    edge_distances: [f64; 2],
    min_vertex_distance: f64,
    min_edge_distance: f64,
    /// Smallest margin of the features to penetrating without a contact, or crossing \[m\].
    penetrating_margin: f64,
}

impl SeparationBounds {
    fn new(min_distance: f64, edge_distances: [f64; 2]) -> Self {
        let far = f64::INFINITY;
        Self {
            min_distance,
            edge_distances,
            min_vertex_distance: far,
            min_edge_distance: far,
            penetrating_margin: far,
        }
    }

    /// Returns the minimum and the activation distance of features \[m\].
    #[inline(always)]
    fn distances(&self, edges: bool) -> [f64; 2] {
        if edges {
            self.edge_distances
        } else {
            [self.min_distance, VERTEX_ACTIVATION_FACTOR * self.min_distance]
        }
    }

    /// Records features that are at least `distance` apart \[m\].
    #[inline(always)]
    fn record(&mut self, edges: bool, distance: f64) {
        self.record_distance(edges, distance);
        self.penetrating_margin = self.penetrating_margin.min(distance - self.distances(edges)[0]);
    }

    /// Records features that have a contact: while they are near, the contact handles their penetration.
    #[inline(always)]
    fn record_in_contact(&mut self, edges: bool, distance: f64) {
        self.record_distance(edges, distance);
        let [kept, near] = self.distances(edges);
        let until = if distance > near { kept } else { crossing_distance(self.min_distance) };
        self.penetrating_margin = self.penetrating_margin.min(distance - until);
    }

    #[inline(always)]
    fn record_distance(&mut self, edges: bool, distance: f64) {
        let least = if edges { &mut self.min_edge_distance } else { &mut self.min_vertex_distance };
        *least = least.min(distance);
    }

    /// Returns the margins of the features to coming near, penetrating, and crossing \[m\].
    fn margins(&self) -> [f64; 3] {
        let near = f64::min(
            self.min_vertex_distance - VERTEX_ACTIVATION_FACTOR * self.min_distance,
            self.min_edge_distance - self.edge_distances[1],
        );
        [
            near,
            self.penetrating_margin,
            self.min_vertex_distance.min(self.min_edge_distance)
                - crossing_distance(self.min_distance),
        ]
    }
}
