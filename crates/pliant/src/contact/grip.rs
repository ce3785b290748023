//! What friction holds, from substep to substep.
//!
//! A solver that is stopped after a few iterations lets what friction could hold creep a little in every substep, and
//! a contact that starts each substep where it happens to be never takes that back: piles slide apart over
//! seconds. So how far each held contact has crept is kept, and asked for in the next substep. What slips starts
//! anew where it is.

use super::half_space::{Contact, within};
use super::{Contacts, Vec3};
use crate::math::Scalar;
use crate::simd::Point;

/// The part of the distance to keep that a contact may creep before it starts anew: more was not held.
const CREEP: f64 = 0.25;

/// How far a contact that friction holds has crept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Grip {
    /// Whether it is a vertex's with a collider, or one of features.
    collider: bool,
    /// Which features meet.
    key: [u32; 4],
    /// From where it is to where it was held \[m\].
    crept: [f64; 3],
}

impl Grip {
    /// Words that it takes in a snapshot.
    pub const WORDS: usize = 6;

    /// It as words.
    pub fn words(&self) -> [u64; Self::WORDS] {
        let [a, b, c, d] = self.key.map(u64::from);
        let [x, y, z] = self.crept.map(f64::to_bits);
        [u64::from(self.collider), a << 32 | b, c << 32 | d, x, y, z]
    }

    /// Whether it is one of vertices below a number alone: others get new numbers where bodies tear or are added.
    pub fn is_below(&self, vertices: usize) -> bool {
        let below = |v: u32| (v as usize) < vertices;
        if self.collider {
            below(self.key[1])
        } else {
            self.key.iter().all(|&k| k == u32::MAX || below(k / 2))
        }
    }

    /// Whether it is held by a collider.
    pub fn is_by_collider(&self) -> bool {
        self.collider
    }

    /// What words say, if that makes sense.
    pub fn of_words([collider, ab, cd, x, y, z]: [u64; Self::WORDS]) -> Option<Self> {
        let crept = [x, y, z].map(f64::from_bits);
        let sensible = collider <= 1 && crept.iter().all(|c| c.is_finite());
        let key = [ab >> 32, ab, cd >> 32, cd].map(|w| w as u32);
        sensible.then_some(Self { collider: collider == 1, key, crept })
    }
}

impl Contacts {
    /// Notes which contacts friction held in a solve that left multipliers; others have said so themselves.
    pub(crate) fn note_held(&mut self) {
        self.list.iter_mut().for_each(Contact::note_held);
    }

    /// Lists how far what friction held has crept at `x`, the end of the substep.
    pub(crate) fn note_grips<S: Scalar>(&self, x: &[Point<S>], grips: &mut Vec<Grip>) {
        grips.clear();
        // At once what the contacts have: later steps need not grow it.
        grips.reserve(self.list.capacity());
        for (number, contact) in self.list.iter().enumerate() {
            if contact.pressed && contact.held {
                let crept = within(contact.crept(x), CREEP * contact.gap);
                let (collider, key) = (number < self.colliders, contact.key);
                grips.push(Grip { collider, key, crept: [crept.x, crept.y, crept.z] });
            }
        }
    }

    /// Lets contacts go on to be held where they were.
    pub(super) fn hold_on(&mut self, grips: &[Grip]) {
        let (colliders, others) = self.list.split_at_mut(self.colliders);
        let mut next = 0;
        for grip in grips {
            let contact = if grip.collider {
                // Both are in the order of their keys, as they were found: most come one after another.
                let is_next = colliders.get(next).is_some_and(|c| c.key == grip.key);
                let search = || colliders.binary_search_by_key(&grip.key, |c| c.key).ok();
                let found = if is_next { Some(next) } else { search() };
                next = found.map_or(next, |i| i + 1);
                found.map(|i| &mut colliders[i])
            } else {
                let place = self.places.binary_search_by_key(&grip.key, |p| p.0).ok();
                place.map(|at| &mut others[self.places[at].1 as usize])
            };
            if let Some(contact) = contact {
                contact.anchor += contact.across(Vec3::of(grip.crept));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grip_is_its_words_and_nonsense_is_none() {
        let crept = [1.5e-4, -2.0, 0.0];
        let grip = Grip { collider: true, key: [1, u32::MAX, 7, 0], crept };
        let words = grip.words();
        assert_eq!(Grip::of_words(words), Some(grip));
        for (place, bad) in [(0, 2), (3, f64::NAN.to_bits()), (5, f64::INFINITY.to_bits())] {
            let mut broken = words;
            broken[place] = bad;
            assert_eq!(Grip::of_words(broken), None);
        }
    }
}
