//! Contact set: the contacts of a substep, and the sweeps over them.
//!
//! Contacts with colliders and separation constraints come first; contacts between features follow and persist between
//! substeps, merged by key in an order that does not depend on detection. Position-based solvers relax all contacts by
//! Gauss–Seidel sweeps, as in Position Based Dynamics; energy-based solvers use their penalty forces and stiffness,
//! with multipliers updated as in the augmented Lagrangian method. After a solve the set removes remaining penetration
//! and applies restitution.

use crate::contact::report::ContactReport;
use crate::contact::solver::constraint::PenaltyContact;
use crate::contact::solver::sweeps::{
    DepenetrationLoop, ForceLoop, PENETRATION_TOLERANCE, RelaxLoop,
};
use crate::contact::solver::vertex_index::VertexContacts;
use crate::contact::solver::wide::WideColliderContacts;
use crate::contact::untangle::contour::Untangler;
use crate::contact::{ContactConstraint, SubstepMotion};
use crate::math::{Scalar, Vec3};
use crate::model::Model;
use crate::simd::{Lanes, Point};

/// Penetration that is tolerated after a solve, as a fraction of the minimum distance.
pub(crate) const POST_SOLVE_PENETRATION_TOLERANCE: f64 = 0.02;

/// Sweeps over the velocities of active contacts.
const RESTITUTION_SWEEPS: usize = 4;

/// Contacts of a substep.
#[derive(Clone, Debug, Default)]
pub struct ContactSet {
    pub(crate) list: Vec<ContactConstraint>,
    /// Number of leading contacts: those of vertices with colliders, and separation constraints.
    pub(in crate::contact) collider_count: usize,
    /// Index of each other contact, counted after those, by its key; sorted.
    pub(in crate::contact) index_by_key: Vec<([u32; 4], u32)>,
    /// True for other contacts that have to be detected anew.
    pub(in crate::contact) stale: Vec<bool>,
    /// Contacts of the last detection, their sort order, and the indices that they got.
    incoming: Vec<ContactConstraint>,
    sort_order: Vec<([u32; 4], u32)>,
    incoming_indices: Vec<u32>,
    /// Contacts of the previous substep, while they are refreshed.
    previous: Vec<ContactConstraint>,
    /// True if kinematic motion blocked any vertex.
    pub(crate) blocked_by_kinematic: bool,
    /// Stiffness of each contact for energy-based solvers \[N/m\].
    stiffness: Vec<f64>,
    /// Index from vertices to contacts.
    vertex_contacts: VertexContacts,
    /// Single-vertex contacts in packed form, for sweeps.
    pub(in crate::contact) wide_contacts: WideColliderContacts,
}

impl ContactSet {
    /// Returns a set with room for a number of contacts between a number of vertices.
    pub(crate) fn with_capacity(count: usize, vertices: usize) -> Self {
        Self {
            list: Vec::with_capacity(count),
            index_by_key: Vec::with_capacity(count),
            stale: Vec::with_capacity(count),
            incoming: Vec::with_capacity(count),
            sort_order: Vec::with_capacity(count),
            incoming_indices: Vec::with_capacity(count),
            previous: Vec::with_capacity(count),
            stiffness: Vec::with_capacity(count),
            vertex_contacts: VertexContacts::with_capacity(count, vertices),
            wide_contacts: WideColliderContacts::with_capacity(count),
            ..Self::default()
        }
    }

    /// Returns the contacts, in a fixed order.
    pub fn list(&self) -> &[ContactConstraint] {
        &self.list
    }

    /// Returns true if there are no contacts.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the vertices that take part in contacts, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.vertex_contacts.vertices
    }

    /// Removes all contacts.
    pub(crate) fn clear(&mut self) {
        self.clear_list();
        self.build_vertex_index();
    }

    pub(in crate::contact) fn clear_list(&mut self) {
        self.list.clear();
        self.index_by_key.clear();
        self.stale.clear();
        self.collider_count = 0;
        self.blocked_by_kinematic = false;
    }

    /// Detects contacts with colliders in place of the previous ones, and refreshes the others for the substep that
    /// begins.
    pub(in crate::contact) fn refresh<S: Scalar>(
        &mut self,
        model: &Model,
        motion: &SubstepMotion<S>,
        untangler: Option<&Untangler>,
    ) {
        self.blocked_by_kinematic = false;
        std::mem::swap(&mut self.list, &mut self.previous);
        self.list.clear();
        let others = self.collider_count..;
        self.detect_collider_contacts(model, motion, untangler);
        self.list.extend_from_slice(&self.previous[others]);
        for (contact, stale) in self.list[self.collider_count..].iter_mut().zip(&mut self.stale) {
            *stale = !contact.refresh(motion.previous, motion.velocities);
        }
    }

    /// Detects contacts with colliders, and appends separation constraints for intersecting surfaces.
    pub(in crate::contact) fn detect_collider_contacts<S: Scalar>(
        &mut self,
        model: &Model,
        motion: &SubstepMotion<S>,
        untangler: Option<&Untangler>,
    ) {
        self.append_collider_contacts(model, motion);
        if let Some(untangler) = untangler {
            untangler.append_constraints(
                motion.previous,
                motion.times[1] - motion.times[0],
                &mut self.list,
            );
        }
        self.collider_count = self.list.len();
    }

    /// Returns true if any contact between features penetrates at `x` by more than a fraction of its minimum distance.
    pub(in crate::contact) fn any_penetrating<S: Scalar>(
        &self,
        x: &[Point<S>],
        fraction: f64,
    ) -> bool {
        self.list[self.collider_count..].iter().any(|contact| contact.penetrates(x, fraction))
    }

    /// Merges contacts between features that were just detected: each replaces the one with the same key, if there is
    /// one; others are appended, in an order that does not depend on how they were found. Of several with the same key
    /// one is kept. `seen` gets the list to append to, and the stale flags of existing contacts. Returns the index of
    /// each appended contact, counted after the contacts with colliders.
    pub(in crate::contact) fn merge_contacts(
        &mut self,
        mut detect: impl FnMut(&mut Vec<ContactConstraint>, &[bool]),
    ) -> &[u32] {
        self.incoming.clear();
        detect(&mut self.incoming, &self.stale);
        self.sort_order.clear();
        self.sort_order.extend((0..).zip(&self.incoming).map(|(i, c)| (c.key, i)));
        let incoming = &self.incoming;
        self.sort_order.sort_unstable_by(|a, b| {
            packed_key(a.0)
                .cmp(&packed_key(b.0))
                .then_with(|| incoming[a.1 as usize].compare(&incoming[b.1 as usize]))
        });
        self.incoming_indices.clear();
        self.incoming_indices.resize(incoming.len(), 0);
        let known_count = self.index_by_key.len();
        let mut last = None;
        for &(key, i) in &self.sort_order {
            let new = &incoming[i as usize];
            let place = match last {
                Some((same, place)) if same == key => place,
                _ => match self.index_by_key[..known_count].binary_search_by_key(&key, |p| p.0) {
                    Ok(at) => {
                        let place = self.index_by_key[at].1;
                        let old = &mut self.list[self.collider_count + place as usize];
                        *old = new.warm_started_from(old);
                        self.stale[place as usize] = false;
                        place
                    }
                    Err(_) => {
                        let place = (self.list.len() - self.collider_count) as u32;
                        self.index_by_key.push((key, place));
                        self.list.push(*new);
                        self.stale.push(false);
                        place
                    }
                },
            };
            last = Some((key, place));
            self.incoming_indices[i as usize] = place;
        }
        // Old and new keys are each sorted: merge from the end.
        self.sort_order.clear();
        self.sort_order.extend_from_slice(&self.index_by_key[known_count..]);
        let (mut old, mut to) = (known_count, self.index_by_key.len());
        for &new in self.sort_order.iter().rev() {
            while old > 0 && self.index_by_key[old - 1] > new {
                self.index_by_key[to - 1] = self.index_by_key[old - 1];
                (old, to) = (old - 1, to - 1);
            }
            self.index_by_key[to - 1] = new;
            to -= 1;
        }
        &self.incoming_indices
    }

    /// Rebuilds the vertex index, and invalidates data derived from the list.
    pub(in crate::contact) fn build_vertex_index(&mut self) {
        self.vertex_contacts.rebuild(&self.list);
        self.stiffness.clear();
        self.wide_contacts.invalidate();
    }

    /// Projects all contacts one after another, as Position Based Dynamics does with constraints. The multipliers are
    /// in position units \[kg m\]: a vertex moves by `λ/m`. Returns the largest penetration as a fraction of the
    /// minimum distance, each measured just before its projection.
    pub fn relax<S: Scalar>(&mut self, x: &mut [Point<S>]) -> f64 {
        let count = self.wide_contacts.prepare(&self.list, x);
        let (first, others) = self.list.split_at_mut(count);
        let mut sweep = RelaxLoop {
            wide_contacts: &mut self.wide_contacts,
            first,
            others,
            x,
            max_relative_depth: 0.0,
        };
        f64::dispatch(Lanes::Packed, &mut sweep);
        sweep.max_relative_depth
    }

    /// Projects all contacts until none penetrates by more than [`POST_SOLVE_PENETRATION_TOLERANCE`], in `most` sweeps
    /// at most.
    pub(in crate::contact) fn project_until_converged<S: Scalar>(
        &mut self,
        x: &mut [Point<S>],
        most: usize,
    ) {
        for _ in 0..most {
            if self.relax(x) <= POST_SOLVE_PENETRATION_TOLERANCE {
                break;
            }
        }
    }

    /// Sets the stiffness of each contact to `factor` times that of its vertices in series, whose compliance is
    /// `Σ a²/k`, given the stiffness `k` of each vertex alone \[N/m\].
    pub fn set_stiffness(&mut self, factor: f64, of_vertex: impl Fn(usize) -> f64) {
        self.stiffness.clear();
        for contact in &self.list {
            let of = |(&v, a): (&u32, &f64)| a * a / of_vertex(v as usize);
            let compliance: f64 =
                contact.vertices().iter().zip(contact.coefficients()).map(of).sum();
            self.stiffness.push(if compliance > 0.0 { factor / compliance } else { 0.0 });
        }
    }

    /// Adds the forces of all contacts at `x` \[N\] to `y`.
    pub fn add_forces<S: Scalar>(&self, x: &[Point<S>], y: &mut [Point<S>]) {
        f64::dispatch(Lanes::Packed, &mut ForceLoop { contacts: self, x, y });
    }

    /// Returns the energy whose negative gradient the forces are, with the present friction limits \[J\].
    pub fn energy<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.penalty_contacts().map(|own| own.energy(x)).sum()
    }

    /// Returns the force of a vertex's contacts at `x` \[N\] and a bound of their stiffness \[N/m\] as entries xx, yy,
    /// zz, xy, yz, zx.
    pub fn vertex_force_and_stiffness<S: Scalar>(
        &self,
        vertex: usize,
        x: &[Point<S>],
    ) -> ([f64; 3], [f64; 6]) {
        let (mut force, mut block) = ([0.0; 3], [0.0; 6]);
        for &(_, c, place) in self.vertex_contacts.contacts_of(vertex as u32) {
            let own = PenaltyContact {
                contact: &self.list[c as usize],
                stiffness: self.stiffness[c as usize],
            };
            let a = own.contact.coefficients()[place as usize];
            let f = own.force(x);
            for (to, f) in force.iter_mut().zip([f.x, f.y, f.z]) {
                *to += a * f;
            }
            let share = own.share(place as usize);
            for (to, b) in block.iter_mut().zip(own.block(x)) {
                *to += share * b;
            }
        }
        (force, block)
    }

    /// Returns the sum of the multipliers transmitted to a vertex by its contacts, in position units \[kg m\].
    pub fn transmitted(&self, vertex: usize) -> [f64; 3] {
        let mut sum = Vec3::zero();
        for &(_, c, place) in self.vertex_contacts.contacts_of(vertex as u32) {
            let contact = &self.list[c as usize];
            sum += contact.multiplier.scale(contact.coefficients()[place as usize]);
        }
        [sum.x, sum.y, sum.z]
    }

    /// Lists a bound of the stiffness of all contacts for each vertex that takes part \[N/m\], ascending by vertex.
    pub fn diagonal(&self, out: &mut Vec<(u32, f64)>) {
        out.clear();
        for (i, &v) in self.vertex_contacts.vertices.iter().enumerate() {
            let range = self.vertex_contacts.starts[i] as usize
                ..self.vertex_contacts.starts[i + 1] as usize;
            let mut sum = 0.0;
            for &(_, c, place) in &self.vertex_contacts.entries[range] {
                let own = PenaltyContact {
                    contact: &self.list[c as usize],
                    stiffness: self.stiffness[c as usize],
                };
                sum += own.stiffness * own.share(place as usize);
            }
            out.push((v, sum));
        }
    }

    /// Sets the friction limits to what the normal forces at `x` allow. Returns the relative change of all limits.
    pub fn update_friction_limits<S: Scalar>(&mut self, x: &[Point<S>]) -> f64 {
        let (mut changed, mut all) = (0.0, 0.0);
        for (contact, &stiffness) in self.list.iter_mut().zip(&self.stiffness) {
            let limit = PenaltyContact { contact, stiffness }.friction_limit(x);
            changed += (limit - contact.friction_limit).abs();
            all += limit.max(contact.friction_limit);
            contact.friction_limit = limit;
        }
        if all > 0.0 { changed / all } else { 0.0 }
    }

    /// Sets the multipliers to the forces at `x` \[N\], which grow with the remaining penetration. Returns the relative
    /// change of all multipliers.
    pub fn update_multipliers<S: Scalar>(&mut self, x: &[Point<S>]) -> f64 {
        let (mut changed, mut all) = (0.0, 0.0);
        for (contact, &stiffness) in self.list.iter_mut().zip(&self.stiffness) {
            let force = PenaltyContact { contact, stiffness }.force(x);
            changed += (force - contact.multiplier).norm();
            all += force.norm();
            contact.multiplier = force;
        }
        self.wide_contacts.invalidate();
        if all > 0.0 { changed / all } else { 0.0 }
    }

    /// Finishes an energy-based solve at `x`: marks the contacts that transmit force there and those that stick, and
    /// resets the multipliers. That solver balanced them against forces that projections do not include.
    pub fn finish_solve<S: Scalar>(&mut self, x: &[Point<S>]) {
        for (contact, &stiffness) in self.list.iter_mut().zip(&self.stiffness) {
            let own = PenaltyContact { contact, stiffness };
            (contact.active, contact.sticking) = (own.is_active(x), own.is_sticking(x));
        }
        self.reset_multipliers();
    }

    /// Resets all multipliers to zero.
    pub fn reset_multipliers(&mut self) {
        self.list.iter_mut().for_each(|c| c.multiplier = Vec3::zero());
        self.wide_contacts.invalidate();
    }

    /// Returns true if any penetration has to be removed: see [`depenetrate`](Self::depenetrate).
    pub(in crate::contact) fn needs_depenetration<S: Scalar>(
        &self,
        x: &[Point<S>],
        resting_speed: f64,
    ) -> bool {
        let deep = |c: &ContactConstraint| c.active && c.depth(x) > 0.0;
        let rests = |c: &ContactConstraint| c.approach_speed > -resting_speed;
        let enough = |c: &ContactConstraint| c.depth(x) <= PENETRATION_TOLERANCE * c.min_distance;
        self.list.iter().any(|c| deep(c) && !(rests(c) && enough(c)))
    }

    /// Removes the remaining penetration from `x` at active contacts: of all in a few sweeps, then of those that
    /// approached no faster than `resting_speed` [m/s] in further sweeps. (An impact would lose its force that way.)
    pub(crate) fn depenetrate<S: Scalar>(&self, x: &mut [Point<S>], resting_speed: f64) {
        f64::dispatch(Lanes::Packed, &mut DepenetrationLoop { list: &self.list, x, resting_speed });
    }

    /// Returns the largest violation at `x` of what contacts require in this substep \[m\].
    pub fn violation<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.list.iter().map(|c| -c.distance(x)).fold(0.0, f64::max)
    }

    /// Returns the largest penetration of active contacts at `x`, relative to the full minimum distance \[m\].
    pub fn max_penetration<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.list.iter().filter(|c| c.active).map(|c| c.depth(x)).fold(0.0, f64::max)
    }

    /// Writes the contact counts and the largest penetration into the report of a step.
    pub(crate) fn report<S: Scalar>(&self, x: &[Point<S>], report: &mut ContactReport) {
        let touching = |c: &&ContactConstraint| c.active;
        let colliders = self.list[..self.collider_count].iter().filter(|c| !c.is_separation());
        report.colliders = colliders.filter(touching).count();
        report.pairs = self.list[self.collider_count..].iter().filter(touching).count();
        report.max_penetration = self.max_penetration(x);
    }

    /// Applies restitution to the relative velocities along the normals of active contacts; see
    /// `ContactConstraint::apply_restitution`.
    pub fn apply_restitution<S: Scalar>(
        &self,
        v: &mut [Point<S>],
        inv_mass: &[S],
        resting_speed: f64,
        h: f64,
    ) {
        for _ in 0..RESTITUTION_SWEEPS {
            for contact in self.list.iter().filter(|c| c.active) {
                contact.apply_restitution(v, inv_mass, resting_speed, h);
            }
        }
    }

    pub(in crate::contact) fn penalty_contacts(&self) -> impl Iterator<Item = PenaltyContact<'_>> {
        let pairs = self.list.iter().zip(&self.stiffness);
        pairs.map(|(contact, &stiffness)| PenaltyContact { contact, stiffness })
    }

    /// Returns the allocated memory in bytes.
    pub fn bytes(&self) -> usize {
        let contacts = self.list.capacity() + self.incoming.capacity() + self.previous.capacity();
        contacts * size_of::<ContactConstraint>()
            + 20 * (self.index_by_key.capacity() + self.sort_order.capacity())
            + 4 * self.incoming_indices.capacity()
            + self.stale.capacity()
            + 8 * self.stiffness.capacity()
            + self.vertex_contacts.bytes()
            + self.wide_contacts.bytes()
    }
}

/// Packs a key into one number of the same order, which is faster to compare.
fn packed_key([a, b, c, d]: [u32; 4]) -> u128 {
    let [a, b, c, d] = [a, b, c, d].map(u128::from);
    a << 96 | b << 64 | c << 32 | d
}

/// Returns the position of a vertex in double precision.
pub(in crate::contact) fn to_f64<S: Scalar>(p: &Point<S>) -> Vec3<f64> {
    Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())
}
