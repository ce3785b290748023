//! Contact: what bodies collide with, and how every solver answers.
//!
//! ```text
//! find       once per substep, from the path x → s of every vertex: a list of contacts, each a
//!            half-space for y = Σ a_k x_k that holds for the substep      (Position Based Dynamics §3.4)
//! answer     position-based solvers project each contact after the elements          `Contacts::relax`
//!            solvers of energies add its force and stiffness                         `Contacts::push`
//! settle     what is left of depth is taken out after the solve                          `Contacts::relax`
//! guard      what the solve brought together is kept apart, without giving velocity       `detect.rs`
//! bounce     what touched loses its approach, and gets back what is elastic of it       `Contacts::bounce`
//! ```
//!
//! A contact has a multiplier `λ`: the force that it has transmitted so far, along the normal and
//! across it. It never pulls, and its part across stays in Coulomb's cone, `|λ_t| ≤ μ λ_n`, against
//! slipping from where the contact was when the substep began, or where friction has held it since before
//! (`grip.rs`). So a body that friction can hold is held, exactly, and not slowed down.

mod candidate;
mod candidates;
mod cell_pair;
mod collider;
mod crossings;
mod detect;
mod features;
mod find;
mod grip;
mod half_space;
mod held;
mod moves;
mod neighbours;
mod of_vertex;
mod pairs;
mod pose;
mod shape;
mod singles;
mod touch;
mod travels;
mod untangle;
mod zones;

pub use collider::Collider;
pub(crate) use detect::{Detector, slow};
pub use find::Surroundings;
pub(crate) use grip::Grip;
pub use half_space::{Contact, MOST};
pub use pose::Pose;
pub use shape::{DistanceField, Shape};
pub use touch::{Partners, Touch};

use crate::math::{Scalar, Vec3};
use crate::model::Model;
use crate::simd::{Job, Lanes, Pack, Point};
use half_space::Weighted;
use of_vertex::OfVertex;
use singles::Singles;
use untangle::Untangler;

/// Sweeps that take out what is left of depth at the end of a step: of all contacts, and of those at rest, at
/// most; and the part of its distance that one may be too deep afterwards.
const PARTING: [usize; 2] = [4, 48];
const PARTED: f64 = 0.03;

/// The part of its distance that a contact may be too deep after a solve.
pub(crate) const SETTLED: f64 = 0.02;

/// Sweeps over the velocities of what touched.
const BOUNCING: usize = 4;

/// How far a step goes to keep surfaces apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactMode {
    /// What would pass is kept apart in a few rounds; what still would stops on its way.
    #[default]
    RealTime,
    /// Whatever it takes: impact zones are solved until nothing passes, in every substep, and what crosses
    /// what is counted by exact arithmetic after every step.
    Offline,
}

/// What a step knows of its contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactReport {
    /// Contacts of vertices with colliders that transmit force at the end of the step.
    pub colliders: usize,
    /// The same between features of bodies, and with corners and edges of colliders.
    pub pairs: usize,
    /// The deepest that a contact is at the end \[m\]; zero where none is.
    pub deepest: f64,
    /// Vertices that were stopped on their way because nothing else kept them from passing something.
    pub stopped: usize,
    /// Pairs of features that pass each other all the same: what moves as prescribed left no room.
    pub unresolved: usize,
    /// Times that everything went only part of its way, what is pinned too, or a body none of it, because else
    /// something would have passed: in offline mode, where pinned vertices leave no room. They follow later.
    pub cut_short: usize,
    /// Substeps in which everything was so near to everything, as where bodies are scrambled or fly apart,
    /// that surfaces were not kept apart.
    pub crowded: usize,
    /// How often pairs were searched for in the whole scene.
    pub searches: usize,
    /// Impact zones that were moved apart, in offline mode.
    pub zones: usize,
    /// Edges that cross triangles at the end, by exact arithmetic. They are counted in offline mode, and while
    /// surfaces that crossed are being untangled.
    pub crossings: usize,
    /// Edges that crossed triangles when the step began, where that was looked at; they are being drawn apart.
    pub tangled: usize,
}

/// The contacts of a substep.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    pub(crate) list: Vec<Contact>,
    /// How many of them, the first, are those of vertices with colliders, and what draws surfaces apart that cross.
    colliders: usize,
    /// Where each of the others is after those, by its key.
    places: Vec<([u32; 4], u32)>,
    /// Which of the others have to be looked at anew.
    stale: Vec<bool>,
    /// Those that were found last, their order, and where each came to be.
    seen: Vec<Contact>,
    order: Vec<([u32; 4], u32)>,
    placed: Vec<u32>,
    /// Those that are renewed.
    kept: Vec<Contact>,
    /// Whether something that moves as prescribed stopped anything.
    pub(crate) blocked: bool,
    /// Stiffness \[N/m\] of each contact for solvers of energies.
    stiffness: Vec<f64>,
    /// The contacts of each vertex: where those of a touched vertex start.
    of_vertex: OfVertex,
    /// Those of single vertices, for sweeps.
    singles: Singles,
}

impl Contacts {
    /// Room for a number of contacts between a number of vertices.
    pub(crate) fn with_room(count: usize, vertices: usize) -> Self {
        Self {
            list: Vec::with_capacity(count),
            places: Vec::with_capacity(count),
            stale: Vec::with_capacity(count),
            seen: Vec::with_capacity(count),
            order: Vec::with_capacity(count),
            placed: Vec::with_capacity(count),
            kept: Vec::with_capacity(count),
            stiffness: Vec::with_capacity(count),
            of_vertex: OfVertex::with_room(count, vertices),
            singles: Singles::with_room(count),
            ..Self::default()
        }
    }

    /// The contacts, in a fixed order.
    pub fn list(&self) -> &[Contact] {
        &self.list
    }

    /// Whether nothing touches.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The vertices that take part, ascending.
    pub fn vertices(&self) -> &[u32] {
        &self.of_vertex.vertices
    }

    /// No contacts any more.
    pub(crate) fn clear(&mut self) {
        self.start_anew();
        self.complete();
    }

    fn start_anew(&mut self) {
        self.list.clear();
        self.places.clear();
        self.stale.clear();
        self.colliders = 0;
        self.blocked = false;
    }

    /// Finds contacts with colliders in the place of those there were, and makes the others those of the
    /// substep that begins.
    fn go_on<S: Scalar>(
        &mut self,
        model: &Model,
        around: &Surroundings<S>,
        draws: Option<&Untangler>,
    ) {
        self.blocked = false;
        std::mem::swap(&mut self.list, &mut self.kept);
        self.list.clear();
        let others = self.colliders..;
        self.find_first(model, around, draws);
        self.list.extend_from_slice(&self.kept[others]);
        for (contact, stale) in self.list[self.colliders..].iter_mut().zip(&mut self.stale) {
            *stale = !contact.renew(around.before, around.velocities);
        }
    }

    /// Finds contacts with colliders, and what draws apart surfaces that cross.
    fn find_first<S: Scalar>(
        &mut self,
        model: &Model,
        around: &Surroundings<S>,
        draws: Option<&Untangler>,
    ) {
        self.find_colliders(model, around);
        if let Some(draws) = draws {
            draws.draw(around.before, around.times[1] - around.times[0], &mut self.list);
        }
        self.colliders = self.list.len();
    }

    /// Whether any contact but those with colliders is deeper at `x` than a part of its distance to keep.
    fn any_deep<S: Scalar>(&self, x: &[Point<S>], part: f64) -> bool {
        self.list[self.colliders..].iter().any(|contact| contact.is_deep(x, part))
    }

    /// Lets contacts between features that were seen now take the places of those that hold between the
    /// same ones already; others are appended, in an order that does not depend on how they were found.
    /// Of several between the same features one is kept. `seen` is told which of them are stale; what it
    /// appends comes to be in the places that are returned, counted after the colliders.
    fn take_in(&mut self, mut seen: impl FnMut(&mut Vec<Contact>, &[bool])) -> &[u32] {
        self.seen.clear();
        seen(&mut self.seen, &self.stale);
        self.order.clear();
        self.order.extend((0..).zip(&self.seen).map(|(i, c)| (c.key, i)));
        let seen = &self.seen;
        self.order.sort_unstable_by(|a, b| {
            wide_key(a.0)
                .cmp(&wide_key(b.0))
                .then_with(|| seen[a.1 as usize].order(&seen[b.1 as usize]))
        });
        self.placed.clear();
        self.placed.resize(seen.len(), 0);
        let known = self.places.len();
        let mut last = None;
        for &(key, i) in &self.order {
            let new = &seen[i as usize];
            let place = match last {
                Some((same, place)) if same == key => place,
                _ => match self.places[..known].binary_search_by_key(&key, |p| p.0) {
                    Ok(at) => {
                        let place = self.places[at].1;
                        let old = &mut self.list[self.colliders + place as usize];
                        *old = new.after(old);
                        self.stale[place as usize] = false;
                        place
                    }
                    Err(_) => {
                        let place = (self.list.len() - self.colliders) as u32;
                        self.places.push((key, place));
                        self.list.push(*new);
                        self.stale.push(false);
                        place
                    }
                },
            };
            last = Some((key, place));
            self.placed[i as usize] = place;
        }
        // The old and the new ones are each in order: merged from the end.
        self.order.clear();
        self.order.extend_from_slice(&self.places[known..]);
        let (mut old, mut to) = (known, self.places.len());
        for &new in self.order.iter().rev() {
            while old > 0 && self.places[old - 1] > new {
                self.places[to - 1] = self.places[old - 1];
                (old, to) = (old - 1, to - 1);
            }
            self.places[to - 1] = new;
            to -= 1;
        }
        &self.placed
    }

    /// Makes the index of what was found.
    fn complete(&mut self) {
        self.of_vertex.rebuild(&self.list);
        self.stiffness.clear();
        self.singles.forget();
    }

    /// Projects all contacts one after another, as Position Based Dynamics does with constraints. The
    /// multipliers are those of positions \[kg m\]: a vertex moves by `λ/m`. Returns which part of its distance one
    /// was too deep at most, when its turn came.
    pub fn relax<S: Scalar>(&mut self, x: &mut [Point<S>]) -> f64 {
        let count = self.singles.know(&self.list, x);
        let (first, others) = self.list.split_at_mut(count);
        let mut sweep = Relaxing { singles: &mut self.singles, first, others, x, deepest: 0.0 };
        f64::dispatch(Lanes::Packed, &mut sweep);
        sweep.deepest
    }

    /// Projects all contacts until none is too deep by more than [`SETTLED`], in so many sweeps at most.
    pub(super) fn settle<S: Scalar>(&mut self, x: &mut [Point<S>], most: usize) {
        for _ in 0..most {
            if self.relax(x) <= SETTLED {
                break;
            }
        }
    }

    /// Gives each contact the stiffness of what it touches, `factor` times that of its vertices held
    /// alone, given the stiffness of each vertex \[N/m\].
    pub fn stiffen(&mut self, factor: f64, of_vertex: impl Fn(usize) -> f64) {
        self.stiffness.clear();
        for contact in &self.list {
            let of = |(&v, a): (&u32, &f64)| a * a / of_vertex(v as usize);
            let compliance: f64 =
                contact.vertices().iter().zip(contact.coefficients()).map(of).sum();
            self.stiffness.push(if compliance > 0.0 { factor / compliance } else { 0.0 });
        }
    }

    /// Adds the forces of all contacts at `x` \[N\] to `y`.
    pub fn push<S: Scalar>(&self, x: &[Point<S>], y: &mut [Point<S>]) {
        f64::dispatch(Lanes::Packed, &mut Pushing { contacts: self, x, y });
    }

    /// The energy whose slope the forces are, with the friction that the multipliers allow \[J\].
    pub fn energy<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.weighted().map(|own| own.energy(x)).sum()
    }

    /// The force \[N\] of a vertex's contacts at `x` and a bound of their stiffness \[N/m\] as entries xx,
    /// yy, zz, xy, yz, zx.
    pub fn at_vertex<S: Scalar>(&self, vertex: usize, x: &[Point<S>]) -> ([f64; 3], [f64; 6]) {
        let (mut force, mut block) = ([0.0; 3], [0.0; 6]);
        for &(_, c, place) in self.of_vertex.entries_of(vertex as u32) {
            let own =
                Weighted { contact: &self.list[c as usize], stiffness: self.stiffness[c as usize] };
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

    /// What the contacts of a vertex have transmitted to it, where multipliers are those of positions
    /// \[kg m\].
    pub fn transmitted(&self, vertex: usize) -> [f64; 3] {
        let mut sum = Vec3::zero();
        for &(_, c, place) in self.of_vertex.entries_of(vertex as u32) {
            let contact = &self.list[c as usize];
            sum += contact.multiplier.scale(contact.coefficients()[place as usize]);
        }
        [sum.x, sum.y, sum.z]
    }

    /// Bounds the stiffness of all contacts by a number for each vertex \[N/m\], and lists those that are
    /// not zero, ascending by vertex.
    pub fn diagonal(&self, out: &mut Vec<(u32, f64)>) {
        out.clear();
        for (i, &v) in self.of_vertex.vertices.iter().enumerate() {
            let range = self.of_vertex.starts[i] as usize..self.of_vertex.starts[i + 1] as usize;
            let mut sum = 0.0;
            for &(_, c, place) in &self.of_vertex.entries[range] {
                let own = Weighted {
                    contact: &self.list[c as usize],
                    stiffness: self.stiffness[c as usize],
                };
                sum += own.stiffness * own.share(place as usize);
            }
            out.push((v, sum));
        }
    }

    /// Sets what friction may transmit to what the normal forces at `x` allow; the part by which that
    /// changed in all.
    pub fn grip<S: Scalar>(&mut self, x: &[Point<S>]) -> f64 {
        let (mut changed, mut all) = (0.0, 0.0);
        for (contact, &stiffness) in self.list.iter_mut().zip(&self.stiffness) {
            let limit = Weighted { contact, stiffness }.grip(x);
            changed += (limit - contact.limit).abs();
            all += limit.max(contact.limit);
            contact.limit = limit;
        }
        if all > 0.0 { changed / all } else { 0.0 }
    }

    /// Takes the forces at `x` as the new multipliers \[N\], as what is left of depth makes them grow; the
    /// part by which they changed in all.
    pub fn update<S: Scalar>(&mut self, x: &[Point<S>]) -> f64 {
        let (mut changed, mut all) = (0.0, 0.0);
        for (contact, &stiffness) in self.list.iter_mut().zip(&self.stiffness) {
            let force = Weighted { contact, stiffness }.force(x);
            changed += (force - contact.multiplier).norm();
            all += force.norm();
            contact.multiplier = force;
        }
        self.singles.forget();
        if all > 0.0 { changed / all } else { 0.0 }
    }

    /// Ends the work of a solver of energies at `x`: notes which contacts transmit force there and which friction
    /// holds, and forgets how much. That solver balanced it against forces which projections do not know.
    pub fn end<S: Scalar>(&mut self, x: &[Point<S>]) {
        for (contact, &stiffness) in self.list.iter_mut().zip(&self.stiffness) {
            let own = Weighted { contact, stiffness };
            (contact.pressed, contact.held) = (own.pushes(x), own.holds(x));
        }
        self.forget();
    }

    /// Forgets how much was transmitted.
    pub fn forget(&mut self) {
        self.list.iter_mut().for_each(|c| c.multiplier = Vec3::zero());
        self.singles.forget();
    }

    /// Whether any depth is to be taken out: see [`part`](Self::part).
    fn any_parts<S: Scalar>(&self, x: &[Point<S>], slow: f64) -> bool {
        let deep = |c: &Contact| c.pressed && c.depth(x) > 0.0;
        let rests = |c: &Contact| c.approach > -slow;
        let enough = |c: &Contact| c.depth(x) <= PARTED * c.gap;
        self.list.iter().any(|c| deep(c) && !(rests(c) && enough(c)))
    }

    /// Takes what is left of depth out of `x`, where contacts transmit anything: in a few sweeps, then where
    /// nothing was faster than `slow` [m/s] in as many as it takes. (An impact would lose its force that way.)
    pub(crate) fn part<S: Scalar>(&self, x: &mut [Point<S>], slow: f64) {
        f64::dispatch(Lanes::Packed, &mut Parting { list: &self.list, x, slow });
    }

    /// How far `x` is at most from meeting what contacts ask for in this substep \[m\].
    pub fn violation<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.list.iter().map(|c| -c.distance(x)).fold(0.0, f64::max)
    }

    /// The deepest that what transmits force is at `x`, by the whole distance to keep \[m\].
    pub fn deepest<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.list.iter().filter(|c| c.pressed).map(|c| c.depth(x)).fold(0.0, f64::max)
    }

    /// What a step says of them.
    pub(crate) fn report<S: Scalar>(&self, x: &[Point<S>], report: &mut ContactReport) {
        let touching = |c: &&Contact| c.pressed;
        let colliders = self.list[..self.colliders].iter().filter(|c| !c.draws());
        report.colliders = colliders.filter(touching).count();
        report.pairs = self.list[self.colliders..].iter().filter(touching).count();
        report.deepest = self.deepest(x);
    }

    /// Lets what touched bounce, as much as it should and no more: relative velocities along the normals, where
    /// contacts transmitted anything.
    pub fn bounce<S: Scalar>(&self, v: &mut [Point<S>], inv_mass: &[S], slow: f64, h: f64) {
        for _ in 0..BOUNCING {
            for contact in self.list.iter().filter(|c| c.pressed) {
                contact.bounce(v, inv_mass, slow, h);
            }
        }
    }

    fn weighted(&self) -> impl Iterator<Item = Weighted<'_>> {
        let pairs = self.list.iter().zip(&self.stiffness);
        pairs.map(|(contact, &stiffness)| Weighted { contact, stiffness })
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let contacts = self.list.capacity() + self.seen.capacity() + self.kept.capacity();
        contacts * size_of::<Contact>()
            + 20 * (self.places.capacity() + self.order.capacity())
            + 4 * self.placed.capacity()
            + self.stale.capacity()
            + 8 * self.stiffness.capacity()
            + self.of_vertex.bytes()
            + self.singles.bytes()
    }
}

/// Work on all contacts, compiled for the packs that the processor has: its points are packs of four.
struct Relaxing<'a, S> {
    singles: &'a mut Singles,
    first: &'a mut [Contact],
    others: &'a mut [Contact],
    x: &'a mut [Point<S>],
    /// The part of its distance that one was too deep at most.
    deepest: f64,
}

impl<S: Scalar> Job<f64> for Relaxing<'_, S> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f64>>(&mut self) {
        let mut deepest = 0.0;
        self.singles.relax::<R, S>(self.first, self.x, |depth, gap| {
            deepest = deeper(deepest, depth, gap);
        });
        for contact in self.others.iter_mut() {
            deepest = deeper(deepest, contact.relax(self.x), contact.gap);
        }
        self.deepest = deepest;
    }
}

/// Which part of its distance a contact is too deep at most, given that of others.
#[inline(always)]
fn deeper(deepest: f64, depth: f64, gap: f64) -> f64 {
    let is_deeper = depth > 0.0 && depth > deepest * gap;
    if is_deeper { depth / gap.max(f64::MIN_POSITIVE) } else { deepest }
}

/// See [`Contacts::push`].
struct Pushing<'a, S> {
    contacts: &'a Contacts,
    x: &'a [Point<S>],
    y: &'a mut [Point<S>],
}

impl<S: Scalar> Job<f64> for Pushing<'_, S> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f64>>(&mut self) {
        for own in self.contacts.weighted() {
            let f = own.force(self.x);
            if f.x != 0.0 || f.y != 0.0 || f.z != 0.0 {
                own.contact.spread(f, |_| 1.0, self.y);
            }
        }
    }
}

/// See [`Contacts::part`].
struct Parting<'a, S> {
    list: &'a [Contact],
    x: &'a mut [Point<S>],
    slow: f64,
}

impl<S: Scalar> Job<f64> for Parting<'_, S> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f64>>(&mut self) {
        for sweep in 0..PARTING[1] {
            let all = sweep < PARTING[0];
            let mut deepest = 0.0;
            for contact in self.list {
                if contact.pressed && (all || contact.approach > -self.slow) {
                    deepest = f64::max(deepest, contact.part(self.x));
                }
            }
            if deepest <= PARTED {
                break;
            }
        }
    }
}

/// A key as one number, in the same order: faster to compare.
fn wide_key([a, b, c, d]: [u32; 4]) -> u128 {
    let [a, b, c, d] = [a, b, c, d].map(u128::from);
    a << 96 | b << 64 | c << 32 | d
}

/// The position of a vertex in double precision.
fn wide<S: Scalar>(p: &Point<S>) -> Vec3<f64> {
    Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())
}
