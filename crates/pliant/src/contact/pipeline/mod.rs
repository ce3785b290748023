//! Contact pipeline of a substep: detection before the solve, verification of the path after it.
//!
//! ```text
//! detect             before the solve, on the path x → s
//! prevent_crossings  after it, on the path x → x': pairs that the solver's own motion brought together are kept apart
//!                    in a few rounds of detection and projection; vertices that would still cross are clamped
//! depenetrate        at the end of the step, without adding velocity
//! ```
//!
//! A clamped vertex is set back towards its position at the start of the substep, repeatedly if necessary, at last to
//! that very position. There nothing had crossed, so the loop terminates with nothing crossed. A vertex that a moving
//! collider would cross is set back to where the collider carries it, and the vertices that it would cross in turn are
//! carried along: something crosses only where kinematic motion leaves no room.
//!
//! In intersection-free mode, impact zones are solved before anything is clamped, and where pinned vertices leave no
//! room, the substep is truncated for all vertices: pins that would force an intersection are delayed. Existing
//! intersections, at the start or where colliders left no room, are resolved gradually and are exempt from CCD.
//!
//! `motion_clamp.rs` holds clamping and truncation.

pub(crate) mod motion_clamp;
use crate::contact::broad_phase::BroadPhase;
use crate::contact::broad_phase::primitives::Features;
use crate::contact::narrow_phase::ccd::{
    ContactPoint, Query, QueryContext, VERTEX_ACTIVATION_FACTOR, make_constraint,
};
use crate::contact::narrow_phase::feature_pair::FeaturePair;
use crate::contact::pipeline::motion_clamp::MotionClamp;
use crate::contact::report::{ContactMode, ContactReport};
use crate::contact::solver::set::{ContactSet, to_f64};
use crate::contact::untangle::contour::Untangler;
use crate::contact::untangle::intersections::IntersectionDetector;
use crate::contact::{FrictionAnchor, SubstepMotion};
use crate::math::{Scalar, Vec3};
use crate::model::Model;
use crate::simd::Point;

/// Maximum rounds of `prevent_crossings`: in real time, and in intersection-free mode, where impact zones are solved
/// from the second round on.
const MAX_REAL_TIME_ROUNDS: usize = 8;
const MAX_INTERSECTION_FREE_ROUNDS: usize = 64;
/// Maximum rounds with unresolved impact zones: kinematic motion leaves them no room, and they are clamped.
const MAX_UNRESOLVED_ZONE_ROUNDS: usize = 2;
/// Sweeps over all contacts in each round.
const SWEEPS_PER_ROUND: usize = 8;
/// Minimum number of paths that a fat AABB is sized for.
const MIN_FAT_AABB_LIFETIME: usize = 2;
/// A pair whose penetration exceeds this fraction of its target distance is added in a round.
const ROUND_PENETRATION_TOLERANCE: f64 = 0.05;

/// Contact detection, with the buffers that it needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactPipeline {
    features: Features,
    broad_phase: BroadPhase,
    /// Positions of all vertices at the start and at the end of a path \[m\].
    start: Vec<[f64; 3]>,
    end: Vec<[f64; 3]>,
    /// Ends of the previously tested path, and the vertices that are tested now: those whose end has changed, and those
    /// of features that crossed.
    previous_end: Vec<[f64; 3]>,
    is_tested: Vec<bool>,
    crossing_features: Vec<[u32; 4]>,
    /// True if nothing crossed on the path to that end.
    path_is_clear: bool,
    /// Search distance beyond the largest minimum distance \[m\].
    search_margin: f64,
    /// True if anything can collide.
    enabled: bool,
    /// Clamp of each vertex, and the fraction of its path that is allowed now, with its kinematic displacement \[m\].
    motion_clamps: Vec<MotionClamp>,
    allowed_motion: Vec<(f64, [f64; 3])>,
    /// Keys of the feature pairs that were merged last; none for those that need no cache entry.
    merged_keys: Vec<Option<u128>>,
    /// Effort to keep surfaces apart.
    pub mode: ContactMode,
    /// Detector and resolver of intersections, created on first use.
    untangling: Option<Box<(IntersectionDetector, Untangler)>>,
    /// True for vertices of intersecting features, which are exempt from CCD; empty if nothing intersects.
    exempt_vertices: Vec<bool>,
}

impl ContactPipeline {
    pub fn new(model: &Model) -> Self {
        let features = Features::new(model);
        let radius =
            |g: &crate::contact::broad_phase::primitives::SurfaceGroup| g.contact_material.radius;
        let widest = 2.0 * features.groups.iter().map(radius).fold(0.0, f64::max);
        let slack = (VERTEX_ACTIVATION_FACTOR - 1.0) * widest;
        let broad_phase = BroadPhase::new(&features);
        Self {
            motion_clamps: Vec::with_capacity(model.len()),
            allowed_motion: Vec::with_capacity(model.len()),
            merged_keys: Vec::with_capacity(model.len()),
            start: Vec::with_capacity(features.vertex_count),
            end: Vec::with_capacity(features.vertex_count),
            previous_end: Vec::with_capacity(features.vertex_count),
            is_tested: Vec::with_capacity(features.vertex_count),
            crossing_features: Vec::with_capacity(model.len()),
            path_is_clear: false,
            features,
            broad_phase,
            search_margin: slack,
            enabled: model.can_collide(),
            mode: ContactMode::default(),
            untangling: None,
            exempt_vertices: Vec::new(),
        }
    }

    /// Ends all exemptions of intersecting features, and discards the separation constraints.
    pub fn clear_exemptions(&mut self) {
        self.exempt_vertices.clear();
        if let Some(exact) = &mut self.untangling {
            exact.1.clear();
        }
    }

    /// Detects surfaces that intersect at `x` at `time` \[s\], exempts them from CCD, and sets up the constraints that
    /// draw them apart in the step of `dt` \[s\] that begins. Returns the number of edges that cross triangles.
    pub fn untangle<S: Scalar>(
        &mut self,
        model: &Model,
        x: &[Point<S>],
        time: f64,
        dt: f64,
    ) -> usize {
        let count = self.count_intersections(model, x, time);
        if let Some(exact) = self.untangling.as_mut().filter(|_| count > 0) {
            let (intersections, untangler) = exact.as_mut();
            let found = intersections.found();
            self.exempt_vertices.resize(self.features.vertex_count, false);
            for crossing in found {
                let cell = &self.features.primitives[crossing.triangle as usize];
                for &v in crossing.edge.iter().chain(cell.vertices()) {
                    self.exempt_vertices[v as usize] = true;
                }
            }
            untangler.update(&self.features, found, &self.end, dt);
        }
        count
    }

    /// Returns the number of edges that cross triangles at `x` at `time` \[s\].
    pub fn count_intersections<S: Scalar>(
        &mut self,
        model: &Model,
        x: &[Point<S>],
        time: f64,
    ) -> usize {
        if self.features.body_primitive_count == 0 {
            return 0;
        }
        gather_positions(&mut self.end, &self.features, model, x, time);
        let features = &self.features;
        let make = || Box::new((IntersectionDetector::new(features), Untangler::new(features)));
        let exact = self.untangling.get_or_insert_with(make);
        exact.0.find(features, model.rest_positions(), &self.end).len()
    }

    /// Resets bodies that intersect something at `x` at `time` \[s\] to their positions `before`: nearly equal
    /// positions can intersect by rounding alone. At `before` nothing intersected, so what remains is due to colliders.
    /// Calls `undone` with the index of each body that was reset.
    pub fn rollback_bodies<S: Scalar>(
        &mut self,
        model: &Model,
        before: &[Point<S>],
        x: &mut [Point<S>],
        time: f64,
        mut undone: impl FnMut(usize),
    ) {
        let mut left: Vec<usize> = (0..model.bodies().len()).collect();
        while self.count_intersections(model, x, time) > 0 {
            let Some(exact) = &mut self.untangling else { return };
            let found = exact.0.find(&self.features, model.rest_positions(), &self.end);
            let mut crosses = vec![false; x.len()];
            for crossing in found {
                let cell = &self.features.primitives[crossing.triangle as usize];
                for &v in crossing.edge.iter().chain(cell.vertices()) {
                    let (vertices, _, count) = self.features.vertex_stencil(v);
                    vertices[..count].iter().for_each(|&v| crosses[v as usize] = true);
                }
            }
            let count = left.len();
            left.retain(|&number| {
                let body = &model.bodies()[number];
                let back = body.all_vertices().any(|v| crosses[v]);
                if back {
                    body.all_vertices().for_each(|v| x[v] = before[v]);
                    undone(number);
                }
                !back
            });
            if left.len() == count {
                return;
            }
        }
    }

    /// Returns true if the last `prevent_crossings` or `depenetrate` clamped a vertex.
    pub fn is_clamped(&self, vertex: usize) -> bool {
        self.motion_clamps.get(vertex).is_some_and(|own| own.count > 0)
    }

    /// Returns true if anything can collide.
    pub fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Detects the contacts of a substep. `remaining_substeps`, this one included, sizes the fat AABBs. Contacts of the
    /// previous substep are refreshed, unless `rebuild` requires new ones. Sticking contacts get their friction anchors
    /// back.
    pub fn detect<S: Scalar>(
        &mut self,
        contacts: &mut ContactSet,
        model: &Model,
        motion: &SubstepMotion<S>,
        remaining_substeps: usize,
        rebuild: bool,
        anchors: &[FrictionAnchor],
    ) {
        let untangler = self.untangling.as_ref().map(|exact| &exact.1);
        if rebuild {
            contacts.clear_list();
            contacts.detect_collider_contacts(model, motion, untangler);
            self.broad_phase.clear_contact_cache();
        } else {
            contacts.refresh(model, motion, untangler);
        }
        if self.features.body_primitive_count > 0 {
            gather_positions(
                &mut self.start,
                &self.features,
                model,
                motion.previous,
                motion.times[0],
            );
            gather_positions(
                &mut self.end,
                &self.features,
                model,
                motion.predicted,
                motion.times[1],
            );
            self.path_is_clear = false;
            self.test_all();
            // With too many pairs no contacts are added here; `prevent_crossings` reports that.
            self.update_pairs(remaining_substeps);
            self.run_narrow_phase(contacts, model, motion, Query::Proximity, |candidate, _| {
                !candidate.is_collider_face
            });
        }
        contacts.restore_anchors(anchors);
        contacts.build_vertex_index();
    }

    /// Keeps apart the features that the path to `x` brings together, and counts what still crosses.
    pub fn prevent_crossings<S: Scalar>(
        &mut self,
        contacts: &mut ContactSet,
        model: &Model,
        motion: &SubstepMotion<S>,
        x: &mut [Point<S>],
        report: &mut ContactReport,
    ) {
        self.motion_clamps.clear();
        if self.features.body_primitive_count == 0 {
            return;
        }
        let (rounds, zones) = match self.mode {
            ContactMode::RealTime => (MAX_REAL_TIME_ROUNDS, MAX_REAL_TIME_ROUNDS),
            ContactMode::IntersectionFree => (MAX_INTERSECTION_FREE_ROUNDS, 1),
        };
        let mut unresolved_rounds = 0;
        for round in 0..rounds {
            self.set_path_end(model, x, motion.times[1]);
            if round == 0 {
                self.test_all();
            }
            if !self.update_pairs(1) {
                break;
            }
            // Penetration is tested once; later rounds test crossings alone.
            let query = if round == 0 { Query::Penetrating } else { Query::Crossing };
            let deep = round == 0 && contacts.any_penetrating(x, ROUND_PENETRATION_TOLERANCE);
            if self.collect_violations(contacts, model, motion, query) == 0 && !deep {
                // Nothing crosses.
                self.path_is_clear = true;
                report.searches += std::mem::take(&mut self.broad_phase.searches);
                return;
            }
            contacts.build_vertex_index();
            if round >= zones {
                let zones = contacts.solve_impact_zones(x);
                report.impact_zones += zones.moved;
                unresolved_rounds += usize::from(zones.unresolved > 0);
            } else {
                contacts.project_until_converged(x, SWEEPS_PER_ROUND);
            }
            model.rigidify(x);
            if unresolved_rounds > MAX_UNRESOLVED_ZONE_ROUNDS {
                break;
            }
        }
        contacts.blocked_by_kinematic |= self.clamp_motion(contacts, model, motion, x, report);
        report.searches += std::mem::take(&mut self.broad_phase.searches);
    }

    /// Removes the remaining penetration from `x` at the end of a step, or of a substep in intersection-free mode. A
    /// solver that removed all of it would turn it into velocity, so it requires only a fraction; here no velocity is
    /// added.
    pub fn depenetrate<S: Scalar>(
        &mut self,
        contacts: &ContactSet,
        model: &Model,
        motion: &SubstepMotion<S>,
        x: &mut [Point<S>],
        report: &mut ContactReport,
    ) {
        let h = motion.times[1] - motion.times[0];
        let resting_speed = resting_speed(model, h);
        let deep = contacts.needs_depenetration(x, resting_speed);
        if deep {
            contacts.depenetrate(x, resting_speed);
            model.rigidify(x);
        }
        // Strain limits move vertices after `prevent_crossings`.
        let moved = deep || !model.strain_limits().is_empty();
        if moved && self.features.body_primitive_count > 0 {
            self.clamp_motion(contacts, model, motion, x, report);
            report.searches += std::mem::take(&mut self.broad_phase.searches);
        }
    }

    /// Sets the end of the path to `x` at `time` \[s\], and marks the vertices to test: those whose end differs from
    /// that of the last test, and those of features that crossed then.
    fn set_path_end<S: Scalar>(&mut self, model: &Model, x: &[Point<S>], time: f64) {
        std::mem::swap(&mut self.end, &mut self.previous_end);
        gather_positions(&mut self.end, &self.features, model, x, time);
        self.is_tested.clear();
        self.is_tested
            .extend(self.end.iter().zip(&self.previous_end).map(|(now, before)| now != before));
        for &v in self.crossing_features.iter().flatten() {
            self.is_tested[v as usize] = true;
        }
        self.crossing_features.clear();
    }

    /// Marks all vertices for testing.
    fn test_all(&mut self) {
        self.is_tested.clear();
        self.is_tested.resize(self.features.vertex_count, true);
    }

    /// Updates the pair list of the broad phase. Returns false if it would be too long.
    fn update_pairs(&mut self, ahead: usize) -> bool {
        let paths = [self.start.as_slice(), self.end.as_slice()];
        self.broad_phase.allow_long_list = self.mode == ContactMode::IntersectionFree;
        self.broad_phase.update_pairs(
            &self.features,
            paths,
            self.search_margin,
            ahead.max(MIN_FAT_AABB_LIFETIME) as f64,
        )
    }

    /// Adds pairs that cross, or penetrate if the query includes that, to the contacts. Returns their number.
    fn collect_violations<S: Scalar>(
        &mut self,
        contacts: &mut ContactSet,
        model: &Model,
        motion: &SubstepMotion<S>,
        query: Query,
    ) -> usize {
        self.run_narrow_phase(contacts, model, motion, query, |candidate, contact_point| {
            let deep = contact_point.end_distance
                < (1.0 - ROUND_PENETRATION_TOLERANCE) * contact_point.target_distance;
            contact_point.time_of_impact.is_some() || (deep && !candidate.is_collider_face)
        })
    }

    /// Adds pairs that the query reports, and that `matters` accepts, to the contacts. Returns their number.
    fn run_narrow_phase<S: Scalar>(
        &mut self,
        contacts: &mut ContactSet,
        model: &Model,
        motion: &SubstepMotion<S>,
        query: Query,
        matters: impl Fn(&FeaturePair, &ContactPoint) -> bool,
    ) -> usize {
        let paths = [self.start.as_slice(), self.end.as_slice()];
        let velocities = |v: usize| to_f64(&motion.velocities[v]);
        let h = motion.times[1] - motion.times[0];
        let (features, broad_phase) = (&self.features, &mut self.broad_phase);
        let rest = model.rest_positions();
        let (taken, exempt) = (&mut self.merged_keys, &self.exempt_vertices);
        let (is_tested, passed) = (&self.is_tested, &mut self.crossing_features);
        taken.clear();
        passed.clear();
        let placed = contacts.merge_contacts(|list, stale| {
            let on_contact = |candidate: &FeaturePair,
                              contact_point: ContactPoint,
                              listed: bool| {
                if matters(candidate, &contact_point)
                    && !is_exempt(exempt, candidate)
                    && let Some(new) =
                        make_constraint(features, candidate, &contact_point, paths, velocities, h)
                {
                    if contact_point.time_of_impact.is_some() {
                        passed.push(candidate.vertices);
                    }
                    list.push(new);
                    taken.push(listed.then(|| candidate.key()));
                    return true;
                }
                false
            };
            let context = QueryContext { features, rest_positions: rest, paths, query };
            broad_phase.test_pairs(context, stale, |v| is_tested[v as usize], on_contact);
        });
        for (key, &place) in taken.iter().zip(placed) {
            if let Some(key) = *key {
                broad_phase.cache_contact(key, place);
            }
        }
        taken.len()
    }
}

/// Speed below which a contact counts as resting [m/s]: what gravity gives in two substeps `h` \[s\], 2 g h.
pub(crate) fn resting_speed(model: &Model, h: f64) -> f64 {
    let g = model.gravity();
    2.0 * h * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]).sqrt()
}

/// Returns true if both features take part in existing intersections.
fn is_exempt(exempt: &[bool], candidate: &FeaturePair) -> bool {
    let any = |vertices: &[u32]| vertices.iter().any(|&v| exempt[v as usize]);
    let (first, second) = candidate.vertices.split_at(if candidate.is_edge_edge { 2 } else { 1 });
    !exempt.is_empty() && any(first) && any(second)
}

/// Gathers the positions of all vertices: the model's, and those of rigid bodies and colliders at `time` \[s\].
fn gather_positions<S: Scalar>(
    to: &mut Vec<[f64; 3]>,
    features: &Features,
    model: &Model,
    x: &[Point<S>],
    time: f64,
) {
    to.clear();
    to.extend(x.iter().map(|p| [p[0].to_f64(), p[1].to_f64(), p[2].to_f64()]));
    features.append_rigid_points(to);
    for corners in &features.collider_vertices {
        let pose = model.colliders()[corners.collider].pose(time);
        to.extend(corners.local.iter().map(|p| {
            let q = pose.transform_point(Vec3::of(*p));
            [q.x, q.y, q.z]
        }));
    }
}
