//! Broad phase: pairs of primitives whose features may touch, from fat AABBs.
//!
//! ```text
//! pairs that share a vertex      always known; asleep until their edges have changed enough
//! all others                     searched for: fat AABBs around the path of each vertex
//! ```
//!
//! Primitives whose boxes overlap, grown by the minimum distance between them, form a pair. The list stays complete
//! while every vertex stays in its fat AABB; a vertex that leaves gets a new one, and its pairs are searched for again.
//! A pair sleeps until its primitives have moved as far as they were apart when it was last tested. Of the awake pairs
//! most are separated along a cached axis, and where the primitives are not, most of their features are: six dot
//! products for each end of the path decide both. All bounds are measured in a frame that moves with most of the
//! vertices, so a scene that falls or rests as a whole stands still in it.
//!
//! List contents beyond touching pairs, sleep state and cached axes affect speed only, never results: a restored
//! simulation, which builds its list at another moment, gives the same bits.
//!
//! Bodies that are scrambled or fly apart are near everything, and a list of all pairs would fill the memory: no list is
//! made. That decision uses the paths alone, without margins, so it does not depend on when the list was made either.
//!
//! ```text
//! primitives.rs           triangles and segments, with the features that each owns
//! motion_bounds.rs        bounds of accumulated motion, in the moving frame; selection of awake pairs
//! displacement_bounds.rs  bounds of one displacement for every primitive, in packs
//! primitive_pair.rs       one pair: sleep thresholds, separating axis, tests of its features
//! adjacent_pairs.rs       pairs that share a vertex
//! ```

pub(crate) mod adjacent_pairs;
pub(crate) mod displacement_bounds;
pub(crate) mod motion_bounds;
pub(crate) mod primitive_pair;
pub(crate) mod primitives;
use pliant_detect::grid::{Method, choose_method};
use pliant_detect::{Aabb, Bvh, Grid};

use crate::contact::broad_phase::adjacent_pairs::AdjacentPairs;
use crate::contact::broad_phase::motion_bounds::{MotionBounds, compact_awake};
use crate::contact::broad_phase::primitive_pair::{PrimitivePair, SeparatingAxisCache};
use crate::contact::broad_phase::primitives::{Features, Primitive};
use crate::contact::narrow_phase::cache::ContactCache;
use crate::contact::narrow_phase::ccd::{ContactPoint, Query, QueryContext};
use crate::contact::narrow_phase::feature_pair::FeaturePair;
use crate::mesh::measure::distance;
use crate::model::contact_material::{CollidesWith, ContactMaterial};

/// Margin around the path of a vertex, as a fraction of the mean edge length.
const FAT_MARGIN_FRACTION: f64 = 0.15;
/// Maximum length of the predicted path, as a multiple of that margin.
const MAX_PREDICTION_FACTOR: f64 = 3.0;
/// Margin of a vertex at rest, as a fraction of the full margin, and margin of a moving one, per displacement.
const MIN_MARGIN_FRACTION: f64 = 0.3;
const DISPLACEMENT_MARGIN_FACTOR: f64 = 4.0;
/// Growth of the visited nodes in a search, relative to the first one after a build, at which a tree is rebuilt.
const REBUILD_VISIT_RATIO: u64 = 2;
/// If more than one vertex in this many has left its fat AABB, all get new ones.
const FULL_REFRESH_RATIO: usize = 16;
/// Maximum number of primitive pairs: per primitive, and in addition. Sheets lying on one another have about 20 per
/// primitive and layer.
const MAX_PAIRS: [usize; 2] = [128, 4_000];
/// Factor on that maximum in intersection-free mode.
const INTERSECTION_FREE_MAX_PAIRS_FACTOR: usize = 16;

/// Pair list, with the state that updates it.
#[derive(Clone, Debug, Default)]
pub(super) struct BroadPhase {
    pairs: Vec<PrimitivePair>,
    axis_caches: Vec<SeparatingAxisCache>,
    /// Indices of the awake pairs of the current test, at the front.
    awake_pairs: Vec<u32>,
    adjacent_pairs: AdjacentPairs,
    motion_bounds: MotionBounds,
    /// End of the last path \[m\].
    last_end: Vec<[f64; 3]>,
    /// Fat AABB of each vertex, in the frame of the motion bounds, and the same inflated by half of its minimum
    /// distance.
    fat_aabbs: Vec<Aabb>,
    inflated_aabbs: Vec<Aabb>,
    /// True for vertices that left their fat AABBs, and for primitives with such vertices.
    escaped: Vec<bool>,
    changed: Vec<bool>,
    primitive_aabbs: Vec<Aabb>,
    /// Boxes of the previous list.
    previous_aabbs: Vec<Aabb>,
    /// Primitives whose boxes were found to overlap.
    overlapping_pairs: Vec<[u32; 2]>,
    query_hits: Vec<u32>,
    grid: Grid,
    body_tree: RefitTree,
    collider_tree: RefitTree,
    contact_cache: ContactCache,
    /// Number of searches over the whole scene.
    pub searches: usize,
    /// Allows a long list where none would be made otherwise.
    pub allow_long_list: bool,
}

/// Bounding volume tree that is refitted, and rebuilt when its quality has degraded.
#[derive(Clone, Debug, Default)]
struct RefitTree {
    tree: Bvh,
    /// Number of nodes visited by the first search.
    initial_visits: u64,
    needs_rebuild: bool,
}

impl RefitTree {
    fn update(&mut self, boxes: &[Aabb]) {
        if self.needs_rebuild || self.tree.len() != boxes.len() {
            self.tree.rebuild(boxes);
            (self.needs_rebuild, self.initial_visits) = (false, 0);
        } else {
            self.tree.refit(boxes);
        }
    }

    fn record_visits(&mut self, visits: u64) {
        if self.initial_visits == 0 {
            self.initial_visits = visits.max(1);
        }
        self.needs_rebuild = visits > REBUILD_VISIT_RATIO * self.initial_visits;
    }
}

impl BroadPhase {
    pub fn new(features: &Features) -> Self {
        // Capacity for a sheet that hardly touches itself, so that steps need not grow the buffers.
        let cells = features.primitives.len();
        let mut own = Self {
            adjacent_pairs: AdjacentPairs::new(features),
            pairs: Vec::with_capacity(32 * cells),
            axis_caches: Vec::with_capacity(32 * cells),
            awake_pairs: Vec::with_capacity(32 * cells),
            overlapping_pairs: Vec::with_capacity(48 * cells),
            query_hits: Vec::with_capacity(64),
            fat_aabbs: Vec::with_capacity(features.vertex_count),
            inflated_aabbs: Vec::with_capacity(features.vertex_count),
            escaped: Vec::with_capacity(features.vertex_count),
            changed: Vec::with_capacity(cells),
            previous_aabbs: Vec::with_capacity(cells),
            motion_bounds: MotionBounds::new(features),
            last_end: Vec::with_capacity(features.vertex_count),
            contact_cache: ContactCache::with_capacity(features.vertex_count),
            ..Self::default()
        };
        own.primitive_aabbs.resize(cells, Aabb::from_points(&[[0.0; 3]]));
        let (moving, fixed) = own.primitive_aabbs.split_at(features.body_primitive_count);
        own.grid.pairs(moving, fixed, &mut own.overlapping_pairs, 0);
        own.grid.self_pairs(moving, &mut own.overlapping_pairs, 0);
        own.body_tree.tree.rebuild(moving);
        own.collider_tree.tree.rebuild(fixed);
        own.body_tree.needs_rebuild = true;
        own.collider_tree.needs_rebuild = true;
        own
    }

    /// Brings all primitives that come nearer than their minimum distance plus `slack` \[m\] on the path into the list.
    /// `ahead` is the number of similar paths that the fat AABBs should last for. Returns false if the list would be
    /// too long; then it is empty.
    pub fn update_pairs(
        &mut self,
        features: &Features,
        paths: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
    ) -> bool {
        let margin = FAT_MARGIN_FRACTION * features.mean_edge_length;
        // Most paths start at the end of the last one, whose displacement is known.
        let on = self.last_end == paths[0];
        self.last_end.clear();
        self.last_end.extend_from_slice(paths[1]);
        let possible = if self.fat_aabbs.len() != paths[0].len() {
            self.motion_bounds.reset(paths[0]);
            self.adjacent_pairs.wake_all();
            self.rebuild_pairs(features, paths, slack, ahead, margin)
        } else {
            self.motion_bounds.advance(paths, on);
            let escaped_count = self.mark_escaped(paths);
            escaped_count == 0
                || self.refresh_pairs(features, paths, slack, ahead, escaped_count)
                || self.rebuild_pairs(features, paths, slack, ahead, margin)
        } || self.rebuild_pairs(features, paths, slack, 1.0, 0.0);
        if !possible {
            self.fat_aabbs.clear();
            self.pairs.clear();
        }
        possible
    }

    /// Marks the vertices outside their fat AABBs. Returns their number.
    fn mark_escaped(&mut self, [start, end]: [&[[f64; 3]]; 2]) -> usize {
        self.escaped.clear();
        let motion_bounds = &self.motion_bounds;
        let mut count = 0;
        self.escaped.extend(self.fat_aabbs.iter().zip(start.iter().zip(end)).map(
            |(aabb, (a, b))| {
                let along = |p: [f64; 3], c: usize| (aabb.min[c] <= p[c]) & (p[c] <= aabb.max[c]);
                // No short-circuit: comparisons cost less than mispredicted branches.
                let within = |p: [f64; 3]| along(p, 0) & along(p, 1) & along(p, 2);
                let left = !(within(motion_bounds.to_frame(*a, 0))
                    & within(motion_bounds.to_frame(*b, 1)));
                count += usize::from(left);
                left
            },
        ));
        count
    }

    /// Returns a fat AABB for a vertex that moves from `a` to `b` in the frame.
    fn fat_aabb(a: [f64; 3], b: [f64; 3], ahead: f64, margin: f64) -> Aabb {
        let farther = MAX_PREDICTION_FACTOR * margin;
        let way = distance(a, b);
        let times = if ahead * way > farther { (farther / way).max(1.0) } else { ahead };
        let far = [0, 1, 2].map(|c| a[c] + times * (b[c] - a[c]));
        Aabb::from_points(&[a, b, far])
            .grown((DISPLACEMENT_MARGIN_FACTOR * way).clamp(MIN_MARGIN_FRACTION * margin, margin))
    }

    /// Forgets which feature pairs became contacts.
    pub fn clear_contact_cache(&mut self) {
        self.contact_cache.clear();
    }

    /// Stores the contact that a feature pair became.
    pub fn cache_contact(&mut self, candidate: u128, contact: u32) {
        self.contact_cache.insert(candidate, contact);
    }

    /// Calls `tell` with every two features that meet on the path of the last `update_pairs`, and with true if their
    /// primitives are in the list, false if they share a vertex. `tell` returns true if that became a contact. Only
    /// pairs with a vertex for which `is_tested` is true are tested. A pair that is a contact already, and not `stale`,
    /// is tested for crossings alone.
    pub fn test_pairs(
        &mut self,
        context: QueryContext,
        stale: &[bool],
        is_tested: impl Fn(u32) -> bool,
        mut on_contact: impl FnMut(&FeaturePair, ContactPoint, bool) -> bool,
    ) {
        if self.fat_aabbs.is_empty() {
            // No list was made.
            return;
        }
        let report = |candidate: &FeaturePair, point| _ = on_contact(candidate, point, false);
        self.adjacent_pairs.test_pairs(context, &self.motion_bounds, &is_tested, report);
        let (motion_bounds, contact_cache) = (&self.motion_bounds, &self.contact_cache);
        let holds = |candidate: &FeaturePair| {
            let contact = contact_cache.get(candidate.key());
            contact.is_some_and(|contact| stale.get(contact as usize) == Some(&false))
        };
        let query_of = |candidate: &FeaturePair| {
            if context.query != Query::Crossing && holds(candidate) {
                Query::Crossing
            } else {
                context.query
            }
        };
        let all =
            self.pairs.iter().map(|pair| (pair.bound_terms, pair.wake_threshold(context.query)));
        let count = compact_awake(&mut self.awake_pairs, all, motion_bounds.rounded_end_sums());
        for &number in &self.awake_pairs[..count] {
            let pair = &mut self.pairs[number as usize];
            let axis_cache = &mut self.axis_caches[number as usize];
            pair.test_features(
                axis_cache,
                context,
                motion_bounds,
                &is_tested,
                query_of,
                |candidate, contact_point| on_contact(candidate, contact_point, true),
            );
        }
    }

    /// Rebuilds the list. Returns false if it would be too long.
    fn rebuild_pairs(
        &mut self,
        features: &Features,
        paths: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
        margin: f64,
    ) -> bool {
        if self.motion_bounds.exceed_precision(features.mean_edge_length) {
            self.motion_bounds.reset(paths[0]);
            self.adjacent_pairs.wake_all();
        }
        self.motion_bounds.reset_frame();
        self.motion_bounds.advance(paths, false);
        self.escaped.clear();
        self.escaped.resize(paths[0].len(), true);
        self.fat_aabbs.clear();
        self.fat_aabbs.resize(paths[0].len(), Aabb::EMPTY);
        self.inflated_aabbs.clear();
        self.inflated_aabbs.resize(paths[0].len(), Aabb::EMPTY);
        self.primitive_aabbs.clear();
        self.primitive_aabbs.resize(features.primitives.len(), Aabb::EMPTY);
        self.pairs.clear();
        self.axis_caches.clear();
        self.grow_bounds(features, paths, slack, ahead, margin);
        self.find_all_pairs(features, paths[0])
    }

    /// Updates the list around vertices that left their fat AABBs. Returns false if it would be too long.
    fn refresh_pairs(
        &mut self,
        features: &Features,
        paths: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
        escaped_count: usize,
    ) -> bool {
        let all = FULL_REFRESH_RATIO * escaped_count >= paths[0].len();
        if all {
            self.escaped.fill(true);
        }
        self.grow_bounds(
            features,
            paths,
            slack,
            ahead,
            FAT_MARGIN_FRACTION * features.mean_edge_length,
        );
        let (boxes, unsettled) = (&self.primitive_aabbs, &self.changed);
        let mut kept = 0;
        for from in 0..self.pairs.len() {
            let pair = self.pairs[from];
            let (a, b) = (pair.primitives[0] as usize, pair.primitives[1] as usize);
            let stays = !(unsettled[a] | unsettled[b]) || boxes[a].overlaps(&boxes[b]);
            (self.pairs[kept], self.axis_caches[kept]) = (pair, self.axis_caches[from]);
            kept += usize::from(stays);
        }
        self.pairs.truncate(kept);
        self.axis_caches.truncate(kept);
        if all {
            self.find_all_pairs(features, paths[0])
        } else {
            self.find_changed_pairs(features, paths[0])
        }
    }

    /// Gives the escaped vertices new fat AABBs, and their primitives new boxes.
    fn grow_bounds(
        &mut self,
        features: &Features,
        paths: [&[[f64; 3]]; 2],
        slack: f64,
        ahead: f64,
        margin: f64,
    ) {
        for (v, _) in self.escaped.iter().enumerate().filter(|(_, left)| **left) {
            let [a, b] = [
                self.motion_bounds.to_frame(paths[0][v], 0),
                self.motion_bounds.to_frame(paths[1][v], 1),
            ];
            self.fat_aabbs[v] = Self::fat_aabb(a, b, ahead, margin);
            self.inflated_aabbs[v] = self.fat_aabbs[v].grown(features.radii[v] + 0.5 * slack);
        }
        self.changed.clear();
        let left = &self.escaped;
        let of_cell = |c: &Primitive| c.vertices().iter().any(|&v| left[v as usize]);
        self.changed.extend(features.primitives.iter().map(of_cell));
        self.previous_aabbs.clone_from(&self.primitive_aabbs);
        for (c, _) in self.changed.iter().enumerate().filter(|(_, u)| **u) {
            self.primitive_aabbs[c] = primitive_aabb(&features.primitives[c], &self.inflated_aabbs);
        }
    }

    /// Searches the whole scene for new pairs.
    fn find_all_pairs(&mut self, features: &Features, start: &[[f64; 3]]) -> bool {
        self.searches += 1;
        self.overlapping_pairs.clear();
        let max_pairs = self.max_pairs(features);
        if features.body_primitive_count > 0 {
            self.find_overlaps(features, max_pairs);
        }
        self.append_new_pairs(features, start, max_pairs)
    }

    /// Searches for new pairs around the primitives whose boxes have changed.
    fn find_changed_pairs(&mut self, features: &Features, start: &[[f64; 3]]) -> bool {
        let unsettled = &self.changed;
        let (moving, fixed) = self.primitive_aabbs.split_at(features.body_primitive_count);
        self.body_tree.update(moving);
        self.collider_tree.update(fixed);
        let max_pairs = self.max_pairs(features);
        let offset = features.body_primitive_count as u32;
        self.overlapping_pairs.clear();
        for c in (0..features.primitives.len() as u32).filter(|&c| unsettled[c as usize]) {
            let own = &self.primitive_aabbs[c as usize];
            if c < offset && features.bodies_collide {
                self.query_hits.clear();
                self.body_tree.tree.overlapping(own, &mut self.query_hits);
                let news =
                    self.query_hits.iter().filter(|&&o| o > c || (o < c && !unsettled[o as usize]));
                self.overlapping_pairs.extend(news.map(|&o| [c.min(o), c.max(o)]));
            }
            if c < offset && !fixed.is_empty() {
                self.query_hits.clear();
                self.collider_tree.tree.overlapping(own, &mut self.query_hits);
                self.overlapping_pairs.extend(self.query_hits.iter().map(|&o| [c, o + offset]));
            } else if c >= offset {
                self.query_hits.clear();
                self.body_tree.tree.overlapping(own, &mut self.query_hits);
                let news = self.query_hits.iter().filter(|&&o| !unsettled[o as usize]);
                self.overlapping_pairs.extend(news.map(|&o| [o, c]));
            }
            if self.overlapping_pairs.len() > max_pairs {
                return false;
            }
        }
        self.append_new_pairs(features, start, max_pairs)
    }

    /// Appends the overlapping pairs that are new and may collide. Returns false if the list is too long.
    fn append_new_pairs(
        &mut self,
        features: &Features,
        start: &[[f64; 3]],
        max_pairs: usize,
    ) -> bool {
        if self.overlapping_pairs.len() > max_pairs {
            return false;
        }
        for &[a, b] in &self.overlapping_pairs {
            let cells = [a as usize, b as usize];
            if self.previous_aabbs[cells[0]].overlaps(&self.previous_aabbs[cells[1]]) {
                // Known already.
                continue;
            }
            let [own, other] = cells.map(|c| features.primitives[c].group);
            let material_of = |g: u32| &features.groups[g as usize].contact_material;
            let partners_of = |g: u32| material_of(g).collides_with;
            let may_collide = if own == other {
                // Pairs that share a vertex are in `adjacent_pairs`.
                partners_of(own) >= CollidesWith::Itself && !features.share_vertex(cells)
            } else {
                (features.is_collider(cells[1])
                    || partners_of(own).min(partners_of(other)) >= CollidesWith::Bodies)
                    && !ContactMaterial::share_group(material_of(own), material_of(other))
            };
            if may_collide {
                let motion_bounds = &self.motion_bounds;
                let linked = || self.adjacent_pairs.linking_primitive(features, [a, b]);
                let terms = match if own == other { linked() } else { None } {
                    Some(between) => motion_bounds.linked_terms([a, b], between),
                    None => motion_bounds.unrelated_terms([a, b]),
                };
                let (pair, axis_cache) =
                    PrimitivePair::new([a, b], terms, features, start, motion_bounds);
                self.pairs.push(pair);
                self.axis_caches.push(axis_cache);
            }
        }
        self.pairs.len() <= max_pairs
    }

    /// Returns the maximum number of pairs.
    fn max_pairs(&self, features: &Features) -> usize {
        let times = if self.allow_long_list { INTERSECTION_FREE_MAX_PAIRS_FACTOR } else { 1 };
        times * (MAX_PAIRS[0] * features.body_primitive_count + MAX_PAIRS[1])
    }

    /// Finds the primitives whose boxes overlap; stops soon after `max_pairs`.
    fn find_overlaps(&mut self, features: &Features, max_pairs: usize) {
        let (moving, fixed) = self.primitive_aabbs.split_at(features.body_primitive_count);
        if features.bodies_collide {
            if choose_method(moving) == Method::Grid {
                self.grid.self_pairs(moving, &mut self.overlapping_pairs, max_pairs);
            } else {
                self.body_tree.update(moving);
                let visits = self.body_tree.tree.self_pairs(&mut self.overlapping_pairs, max_pairs);
                self.body_tree.record_visits(visits);
            }
        }
        let among = self.overlapping_pairs.len();
        if !fixed.is_empty() {
            if choose_method(&self.primitive_aabbs) == Method::Grid {
                self.grid.pairs(moving, fixed, &mut self.overlapping_pairs, max_pairs);
            } else {
                self.body_tree.update(moving);
                self.collider_tree.update(fixed);
                let visits = self.body_tree.tree.pairs(
                    &self.collider_tree.tree,
                    &mut self.overlapping_pairs,
                    max_pairs,
                );
                self.collider_tree.record_visits(visits);
            }
            let offset = features.body_primitive_count as u32;
            self.overlapping_pairs[among..].iter_mut().for_each(|pair| pair[1] += offset);
        }
    }
}

/// Returns a box that holds a primitive, and half of its minimum distance, while its vertices stay in their fat AABBs.
fn primitive_aabb(cell: &Primitive, inflated_aabbs: &[Aabb]) -> Aabb {
    let own = cell.vertices().iter().map(|&v| inflated_aabbs[v as usize]);
    own.fold(Aabb::EMPTY, |all, aabb| all.union(&aabb))
}
