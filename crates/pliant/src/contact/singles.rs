//! Contacts of single vertices, relaxed four at a time.
//!
//! Where a cloth lies on something, most of what sweeps over contacts do is this. Contacts with one collider have
//! different vertices, so four of them in a row do not see each other, and the result is that of
//! [`Contact::relax`](super::Contact) one after another, bit for bit: the operations are the same, in the same order.

use super::half_space::Contact;
use crate::math::{Scalar, Vec3};
use crate::simd::{Pack, Point};

/// Contacts in a row.
const ROW: usize = <f64 as Scalar>::PACK;

/// Where the numbers of a row stand, each as many as there are contacts in it.
const NORMAL: usize = 0;
const OFFSET: usize = 3;
const ANCHOR: usize = 4;
const FRICTION: usize = 7;
const MULTIPLIER: usize = 8;
const MASS: usize = 11;
const NUMBERS: usize = 12;

/// The contacts of single vertices that come first in a list, by rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Singles {
    known: bool,
    /// How many contacts there are.
    count: usize,
    /// How many contacts each row has.
    lengths: Vec<u8>,
    /// Row after row: the vertices, and the numbers.
    vertices: Vec<[u32; ROW]>,
    numbers: Vec<[[f64; ROW]; NUMBERS]>,
}

impl Singles {
    /// Room for a number of contacts.
    pub fn with_room(count: usize) -> Self {
        let rows = count.div_ceil(ROW);
        Self {
            lengths: Vec::with_capacity(rows),
            vertices: Vec::with_capacity(rows),
            numbers: Vec::with_capacity(rows),
            ..Self::default()
        }
    }

    /// The contacts have changed.
    pub fn forget(&mut self) {
        self.known = false;
    }

    /// Looks at the contacts of points, unless they are known; how many of them are here.
    pub fn know<S: Scalar>(&mut self, list: &[Contact], x: &[Point<S>]) -> usize {
        if std::mem::replace(&mut self.known, true) {
            return self.count;
        }
        self.lengths.clear();
        self.vertices.clear();
        self.numbers.clear();
        self.count = list.iter().take_while(|contact| contact.vertices().len() == 1).count();
        // Vertices that ascend are different ones.
        let on = |a: &Contact, b: &Contact| a.vertices[0] < b.vertices[0];
        for row in list[..self.count].chunk_by(on).flat_map(|run| run.chunks(ROW)) {
            let mut numbers = [[0.0; ROW]; NUMBERS];
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
                numbers[OFFSET][lane] = contact.offset;
                numbers[FRICTION][lane] = contact.friction;
                numbers[MASS][lane] = 1.0 / x[contact.vertices[0] as usize][3].to_f64();
            }
            let first = row[0].vertices[0];
            self.vertices
                .push(std::array::from_fn(|lane| row.get(lane).map_or(first, |c| c.vertices[0])));
            self.lengths.push(row.len() as u8);
            self.numbers.push(numbers);
        }
        self.count
    }

    /// Relaxes all of them, which are the first of a list, and tells how deep each was that was not idle \[m\].
    #[inline(always)]
    pub fn relax<R: Pack<Scalar = f64>, S: Scalar>(
        &mut self,
        list: &mut [Contact],
        x: &mut [Point<S>],
        mut tell: impl FnMut(f64, f64),
    ) {
        let mut rest = list;
        let rows = self.lengths.iter().zip(&self.vertices).zip(&mut self.numbers);
        for ((&length, vertices), numbers) in rows {
            let (contacts, later) = rest.split_at_mut(length as usize);
            rest = later;
            let mut points = [[0.0; ROW]; 4];
            for lane in 0..ROW {
                let p = x[vertices[lane] as usize];
                for c in 0..4 {
                    points[c][lane] = p[c].to_f64();
                }
            }
            let mut row = Row::default();
            let mut any = false;
            for lane in (0..ROW).step_by(R::LANES) {
                any |= relax_row::<R>(numbers, &points, lane, &mut row);
            }
            if !any {
                continue;
            }
            for (lane, contact) in contacts.iter_mut().enumerate() {
                if row.busy[lane] == 0.0 {
                    continue;
                }
                let [u, v, w] = [0, 1, 2].map(|k| numbers[MULTIPLIER + k][lane]);
                contact.multiplier = Vec3::new(u, v, w);
                contact.pressed |= row.along[lane] > 0.0;
                let p = &mut x[vertices[lane] as usize];
                for c in 0..3 {
                    p[c] += S::from_f64(row.moved[c][lane]);
                }
                tell(row.depth[lane], contact.gap);
            }
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.lengths.capacity()
            + self.vertices.capacity() * size_of::<[u32; ROW]>()
            + self.numbers.capacity() * size_of::<[[f64; ROW]; NUMBERS]>()
    }
}

/// What became of the contacts of a row.
#[derive(Default)]
struct Row {
    /// Whether each had something to do: one or zero.
    busy: [f64; ROW],
    /// How deep it was, and its multiplier along the normal.
    depth: [f64; ROW],
    along: [f64; ROW],
    /// How its vertex moves, by coordinates.
    moved: [[f64; ROW]; 3],
}

/// Finds the multipliers of contacts from a lane on, and what they move; whether any had something to do.
#[inline(always)]
fn relax_row<R: Pack<Scalar = f64>>(
    numbers: &mut [[f64; ROW]; NUMBERS],
    points: &[[f64; ROW]; 4],
    lane: usize,
    row: &mut Row,
) -> bool {
    let (zero, one) = (R::zero(), R::one());
    // As where several vertices are added up.
    let y = Vec3::new(
        zero + R::load(&points[0][lane..]),
        zero + R::load(&points[1][lane..]),
        zero + R::load(&points[2][lane..]),
    );
    let mobility = zero + R::load(&points[3][lane..]);
    let normal = vector::<R>(numbers, NORMAL, lane);
    let held = vector::<R>(numbers, MULTIPLIER, lane);
    let depth = R::load(&numbers[OFFSET][lane..]) - normal.dot(y);
    // Idle is what has transmitted nothing, not even the least number there is, and is not deep.
    let transmitted = held.x.abs() + held.y.abs() + held.z.abs();
    let none = R::select_lt(transmitted, R::splat(f64::from_bits(1)), one, zero);
    let busy = one - none * R::select_lt(zero, depth, zero, one);
    let busy = R::select_lt(zero, mobility, busy, zero);
    if !R::any_lt(zero, busy) {
        return false;
    }
    let slip = vector::<R>(numbers, ANCHOR, lane) - y;
    let across = slip - normal.scale(normal.dot(slip));
    let wanted = (normal.scale(depth) + across).scale(R::load(&numbers[MASS][lane..]));
    // Where that lies in Coulomb's cone: along the normal first, then across it.
    let trial = held + wanted;
    let along = normal.dot(trial);
    let across = trial - normal.scale(along);
    let limit = R::load(&numbers[FRICTION][lane..]) * along;
    let square = across.norm_squared();
    let (most, mut across) = (limit * limit, across);
    if R::any_lt(most, square) {
        // Seldom where things rest, and roots take long.
        let slipping = across.scale(limit / square.sqrt());
        across = Vec3::select_lt(most, square, slipping, across);
    }
    let inside = normal.scale(along) + across;
    let multiplier = Vec3::select_lt(zero, along, inside, Vec3::zero());
    let multiplier = Vec3::select_lt(zero, busy, multiplier, held);
    let moved = (multiplier - held).scale(mobility);
    multiplier.x.store(&mut numbers[MULTIPLIER][lane..]);
    multiplier.y.store(&mut numbers[MULTIPLIER + 1][lane..]);
    multiplier.z.store(&mut numbers[MULTIPLIER + 2][lane..]);
    moved.x.store(&mut row.moved[0][lane..]);
    moved.y.store(&mut row.moved[1][lane..]);
    moved.z.store(&mut row.moved[2][lane..]);
    busy.store(&mut row.busy[lane..]);
    depth.store(&mut row.depth[lane..]);
    multiplier.dot(normal).store(&mut row.along[lane..]);
    true
}

#[inline(always)]
fn vector<R: Pack<Scalar = f64>>(
    numbers: &[[f64; ROW]; NUMBERS],
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
    use super::super::Contacts;
    use super::*;

    /// Numbers between zero and one.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 40) as f64 / (1_u64 << 24) as f64
        }

        fn vector(&mut self) -> Vec3<f64> {
            Vec3::new(self.next() - 0.5, self.next() - 0.5, self.next() - 0.5)
        }
    }

    /// Contacts of vertices with three colliders, some of them deep, and then some of several vertices.
    fn scene<S: Scalar>(random: &mut Random) -> (Vec<Contact>, Vec<Point<S>>) {
        let vertices = 61;
        let x: Vec<Point<S>> = (0..vertices)
            .map(|_| {
                let p = random.vector();
                [p.x, p.y, p.z, 0.5 + random.next()].map(S::from_f64)
            })
            .collect();
        let mut list = Vec::new();
        let mut add = |terms: &[(u32, f64)], random: &mut Random| {
            let normal = random.vector();
            let normal = normal.scale(1.0 / normal.norm());
            let mut contact = Contact::new(terms.iter().copied(), normal, 0.0);
            contact.anchor = contact.combine(&x) + random.vector().scale(1e-2);
            contact.offset = normal.dot(contact.combine(&x)) + 1e-2 * (random.next() - 0.5);
            (contact.friction, contact.gap) = (0.4, 1e-2);
            list.push(contact);
        };
        for _ in 0..3 {
            for v in 0..vertices {
                if random.next() < 0.7 {
                    add(&[(v, 1.0)], random);
                }
            }
        }
        for v in 1..vertices {
            add(&[(v - 1, 1.0), (v, -1.0)], random);
        }
        (list, x)
    }

    fn rows_are_one_after_another<S: Scalar>() {
        let mut random = Random(5);
        let (list, mut x) = scene::<S>(&mut random);
        let (mut y, mut one_by_one) = (x.clone(), list.clone());
        let mut contacts = Contacts { list, ..Contacts::default() };
        contacts.complete();
        assert!(contacts.singles.know(&contacts.list, &x) > 100);
        let (mut pressed, mut idle) = (0, 0);
        for sweep in 0..20 {
            if sweep == 10 {
                contacts.forget();
                one_by_one.iter_mut().for_each(|c| c.multiplier = Vec3::zero());
            }
            let mut deepest = 0.0;
            for contact in &mut one_by_one {
                deepest = super::super::deeper(deepest, contact.relax(&mut y), contact.gap);
            }
            assert_eq!(contacts.relax(&mut x).to_bits(), deepest.to_bits(), "{sweep}");
            let bits = |x: &[Point<S>]| -> Vec<u64> {
                x.iter().flatten().map(|c| c.to_f64().to_bits()).collect()
            };
            assert_eq!(bits(&x), bits(&y), "{sweep}");
            for (a, b) in contacts.list.iter().zip(&one_by_one) {
                let [m, n] = [a, b].map(|c| [c.multiplier.x, c.multiplier.y, c.multiplier.z]);
                assert_eq!(m.map(f64::to_bits), n.map(f64::to_bits));
                assert_eq!(a.pressed, b.pressed);
                let none = m == [0.0; 3];
                (pressed, idle) = (pressed + usize::from(!none), idle + usize::from(none));
            }
        }
        assert!(pressed > 1000 && idle > 1000, "{pressed} {idle}");
    }

    #[test]
    fn four_at_a_time_are_the_same_bits_as_one_after_another() {
        rows_are_one_after_another::<f32>();
        rows_are_one_after_another::<f64>();
    }
}
