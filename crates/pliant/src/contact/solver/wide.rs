//! Contacts of single vertices, relaxed four at a time.
//!
//! Sweeps over cloth that lies on a collider spend most of their time on these. Contacts with one collider have different
//! vertices, so four of them in a row do not interact, and the result is bit-identical to calling
//! [`ContactConstraint::relax`] one after another: the operations are the same, in the same order.

use crate::contact::solver::constraint::ContactConstraint;
use crate::math::{Scalar, Vec3};
use crate::simd::{Pack, Point};

/// Number of contacts in a row.
const CONTACTS_PER_ROW: usize = <f64 as Scalar>::PACK;

/// Offsets of the fields in a row, each with one value per contact.
const NORMAL: usize = 0;
const OFFSET_ROW: usize = 3;
const ANCHOR: usize = 4;
const FRICTION: usize = 7;
const MULTIPLIER: usize = 8;
const EFFECTIVE_MASS: usize = 11;
const ROW_FIELDS: usize = 12;

/// Single-vertex contacts at the front of a list, by rows.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct WideColliderContacts {
    is_valid: bool,
    /// Number of contacts.
    count: usize,
    /// Number of contacts in each row.
    row_lengths: Vec<u8>,
    /// Vertices and fields, row after row.
    vertices: Vec<[u32; CONTACTS_PER_ROW]>,
    row_data: Vec<[[f64; CONTACTS_PER_ROW]; ROW_FIELDS]>,
}

impl WideColliderContacts {
    /// Returns rows with room for a number of contacts.
    pub fn with_capacity(count: usize) -> Self {
        let rows = count.div_ceil(CONTACTS_PER_ROW);
        Self {
            row_lengths: Vec::with_capacity(rows),
            vertices: Vec::with_capacity(rows),
            row_data: Vec::with_capacity(rows),
            ..Self::default()
        }
    }

    /// Invalidates the rows after the contacts have changed.
    pub fn invalidate(&mut self) {
        self.is_valid = false;
    }

    /// Gathers the single-vertex contacts at the front of the list, unless the rows are valid. Returns their number.
    pub fn prepare<S: Scalar>(&mut self, list: &[ContactConstraint], x: &[Point<S>]) -> usize {
        if std::mem::replace(&mut self.is_valid, true) {
            return self.count;
        }
        self.row_lengths.clear();
        self.vertices.clear();
        self.row_data.clear();
        self.count = list.iter().take_while(|contact| contact.vertices().len() == 1).count();
        // Ascending vertices are distinct.
        let on = |a: &ContactConstraint, b: &ContactConstraint| a.vertices[0] < b.vertices[0];
        for row in list[..self.count].chunk_by(on).flat_map(|run| run.chunks(CONTACTS_PER_ROW)) {
            let mut numbers = [[0.0; CONTACTS_PER_ROW]; ROW_FIELDS];
            for (lane, contact) in row.iter().enumerate() {
                for (place, v) in [
                    (NORMAL, contact.normal),
                    (ANCHOR, contact.anchor),
                    (MULTIPLIER, contact.multiplier),
                ] {
                    for (k, c) in [v.x, v.y, v.z].into_iter().enumerate() {
                        numbers[place + k][lane] = c;
                    }
                }
                numbers[OFFSET_ROW][lane] = contact.offset;
                numbers[FRICTION][lane] = contact.friction;
                numbers[EFFECTIVE_MASS][lane] = 1.0 / x[contact.vertices[0] as usize][3].to_f64();
            }
            let first = row[0].vertices[0];
            self.vertices
                .push(std::array::from_fn(|lane| row.get(lane).map_or(first, |c| c.vertices[0])));
            self.row_lengths.push(row.len() as u8);
            self.row_data.push(numbers);
        }
        self.count
    }

    /// Relaxes all of them, which lead the list, and calls `tell` with the penetration and the minimum distance of each
    /// that was not idle \[m\].
    #[inline(always)]
    pub fn relax<R: Pack<Scalar = f64>, S: Scalar>(
        &mut self,
        list: &mut [ContactConstraint],
        x: &mut [Point<S>],
        mut tell: impl FnMut(f64, f64),
    ) {
        let mut rest = list;
        let rows = self.row_lengths.iter().zip(&self.vertices).zip(&mut self.row_data);
        for ((&length, vertices), numbers) in rows {
            let (contacts, later) = rest.split_at_mut(length as usize);
            rest = later;
            let mut points = [[0.0; CONTACTS_PER_ROW]; 4];
            for lane in 0..CONTACTS_PER_ROW {
                let p = x[vertices[lane] as usize];
                for c in 0..4 {
                    points[c][lane] = p[c].to_f64();
                }
            }
            let mut row = RowResult::default();
            let mut any = false;
            for lane in (0..CONTACTS_PER_ROW).step_by(R::LANES) {
                any |= relax_row::<R>(numbers, &points, lane, &mut row);
            }
            if !any {
                continue;
            }
            for (lane, contact) in contacts.iter_mut().enumerate() {
                if row.needs_update[lane] == 0.0 {
                    continue;
                }
                let [u, v, w] = [0, 1, 2].map(|k| numbers[MULTIPLIER + k][lane]);
                contact.multiplier = Vec3::new(u, v, w);
                contact.active |= row.normal_multiplier[lane] > 0.0;
                let p = &mut x[vertices[lane] as usize];
                for c in 0..3 {
                    p[c] += S::from_f64(row.displacement[c][lane]);
                }
                tell(row.depth[lane], contact.min_distance);
            }
        }
    }

    /// Returns the allocated memory in bytes.
    pub fn bytes(&self) -> usize {
        self.row_lengths.capacity()
            + self.vertices.capacity() * size_of::<[u32; CONTACTS_PER_ROW]>()
            + self.row_data.capacity() * size_of::<[[f64; CONTACTS_PER_ROW]; ROW_FIELDS]>()
    }
}

/// Result for the contacts of a row.
#[derive(Default)]
struct RowResult {
    /// One for each contact that was not idle, else zero.
    needs_update: [f64; CONTACTS_PER_ROW],
    /// Penetration before, and multiplier along the normal.
    depth: [f64; CONTACTS_PER_ROW],
    normal_multiplier: [f64; CONTACTS_PER_ROW],
    /// Displacement of each vertex, by coordinates.
    displacement: [[f64; CONTACTS_PER_ROW]; 3],
}

/// Computes the multipliers of contacts from a lane on, and the displacements. Returns true if any was not idle.
#[inline(always)]
fn relax_row<R: Pack<Scalar = f64>>(
    numbers: &mut [[f64; CONTACTS_PER_ROW]; ROW_FIELDS],
    points: &[[f64; CONTACTS_PER_ROW]; 4],
    lane: usize,
    row: &mut RowResult,
) -> bool {
    let (zero, one) = (R::zero(), R::one());
    // As in the sum over several vertices: bits must agree.
    let y = Vec3::new(
        zero + R::load(&points[0][lane..]),
        zero + R::load(&points[1][lane..]),
        zero + R::load(&points[2][lane..]),
    );
    let inv_mass = zero + R::load(&points[3][lane..]);
    let normal = load_vec3::<R>(numbers, NORMAL, lane);
    let multiplier_before = load_vec3::<R>(numbers, MULTIPLIER, lane);
    let depth = R::load(&numbers[OFFSET_ROW][lane..]) - normal.dot(y);
    // A contact is idle if it has transmitted nothing, not even the smallest number, and does not penetrate.
    let transmitted =
        multiplier_before.x.abs() + multiplier_before.y.abs() + multiplier_before.z.abs();
    let none = R::select_lt(transmitted, R::splat(f64::from_bits(1)), one, zero);
    let busy = one - none * R::select_lt(zero, depth, zero, one);
    let busy = R::select_lt(zero, inv_mass, busy, zero);
    if !R::any_lt(zero, busy) {
        return false;
    }
    let slip = load_vec3::<R>(numbers, ANCHOR, lane) - y;
    let across = slip - normal.scale(normal.dot(slip));
    let wanted = (normal.scale(depth) + across).scale(R::load(&numbers[EFFECTIVE_MASS][lane..]));
    // Clamp to Coulomb's cone: first along the normal, then across it.
    let trial = multiplier_before + wanted;
    let along = normal.dot(trial);
    let across = trial - normal.scale(along);
    let limit = R::load(&numbers[FRICTION][lane..]) * along;
    let square = across.norm_squared();
    let (most, mut across) = (limit * limit, across);
    if R::any_lt(most, square) {
        // Rare at rest, and square roots are slow.
        let slipping = across.scale(limit / square.sqrt());
        across = Vec3::select_lt(most, square, slipping, across);
    }
    let inside = normal.scale(along) + across;
    let multiplier = Vec3::select_lt(zero, along, inside, Vec3::zero());
    let multiplier = Vec3::select_lt(zero, busy, multiplier, multiplier_before);
    let moved = (multiplier - multiplier_before).scale(inv_mass);
    multiplier.x.store(&mut numbers[MULTIPLIER][lane..]);
    multiplier.y.store(&mut numbers[MULTIPLIER + 1][lane..]);
    multiplier.z.store(&mut numbers[MULTIPLIER + 2][lane..]);
    moved.x.store(&mut row.displacement[0][lane..]);
    moved.y.store(&mut row.displacement[1][lane..]);
    moved.z.store(&mut row.displacement[2][lane..]);
    busy.store(&mut row.needs_update[lane..]);
    depth.store(&mut row.depth[lane..]);
    multiplier.dot(normal).store(&mut row.normal_multiplier[lane..]);
    true
}

#[inline(always)]
fn load_vec3<R: Pack<Scalar = f64>>(
    numbers: &[[f64; CONTACTS_PER_ROW]; ROW_FIELDS],
    place: usize,
    lane: usize,
) -> Vec3<R> {
    Vec3::new(
        R::load(&numbers[place][lane..]),
        R::load(&numbers[place + 1][lane..]),
        R::load(&numbers[place + 2][lane..]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::solver::set::ContactSet;
    use crate::math::testing::Random;

    /// Contacts of vertices with three colliders, some penetrating, and then some of several vertices.
    fn scene<S: Scalar>(random: &mut Random) -> (Vec<ContactConstraint>, Vec<Point<S>>) {
        let vertices = 61;
        let x: Vec<Point<S>> = (0..vertices)
            .map(|_| {
                let p = random.vector();
                [p.x, p.y, p.z, random.range(0.5, 1.5)].map(S::from_f64)
            })
            .collect();
        let mut list = Vec::new();
        let mut add = |terms: &[(u32, f64)], random: &mut Random| {
            let normal = random.vector();
            let normal = normal.scale(1.0 / normal.norm());
            let mut contact = ContactConstraint::new(terms.iter().copied(), normal, 0.0);
            contact.anchor = contact.combine(&x) + random.vector().scale(1e-2);
            contact.offset = normal.dot(contact.combine(&x)) + 5e-3 * random.signed_unit();
            (contact.friction, contact.min_distance) = (0.4, 1e-2);
            list.push(contact);
        };
        for _ in 0..3 {
            for v in 0..vertices {
                if random.range(0.0, 1.0) < 0.7 {
                    add(&[(v, 1.0)], random);
                }
            }
        }
        for v in 1..vertices {
            add(&[(v - 1, 1.0), (v, -1.0)], random);
        }
        (list, x)
    }

    fn wide_matches_sequential<S: Scalar>() {
        let mut random = Random::new(5);
        let (list, mut x) = scene::<S>(&mut random);
        let (mut y, mut one_by_one) = (x.clone(), list.clone());
        let mut contacts = ContactSet::default();
        contacts.list = list;
        contacts.build_vertex_index();
        assert!(contacts.wide_contacts.prepare(&contacts.list, &x) > 100);
        let (mut active, mut idle) = (0, 0);
        for sweep in 0..20 {
            if sweep == 10 {
                contacts.reset_multipliers();
                one_by_one.iter_mut().for_each(|c| c.multiplier = Vec3::zero());
            }
            let mut max_depth = 0.0;
            for contact in &mut one_by_one {
                max_depth = crate::contact::solver::sweeps::max_relative_depth(
                    max_depth,
                    contact.relax(&mut y),
                    contact.min_distance,
                );
            }
            assert_eq!(contacts.relax(&mut x).to_bits(), max_depth.to_bits(), "{sweep}");
            let bits = |x: &[Point<S>]| -> Vec<u64> {
                x.iter().flatten().map(|c| c.to_f64().to_bits()).collect()
            };
            assert_eq!(bits(&x), bits(&y), "{sweep}");
            for (a, b) in contacts.list.iter().zip(&one_by_one) {
                let [m, n] = [a, b].map(|c| [c.multiplier.x, c.multiplier.y, c.multiplier.z]);
                assert_eq!(m.map(f64::to_bits), n.map(f64::to_bits));
                assert_eq!(a.active, b.active);
                let none = m == [0.0; 3];
                (active, idle) = (active + usize::from(!none), idle + usize::from(none));
            }
        }
        assert!(active > 1000 && idle > 1000, "{active} {idle}");
    }

    #[test]
    fn wide_sweep_is_bit_identical_to_sequential() {
        wide_matches_sequential::<f32>();
        wide_matches_sequential::<f64>();
    }
}
