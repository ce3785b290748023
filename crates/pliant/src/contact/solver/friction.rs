//! Friction anchors: positions where friction holds contacts, kept from substep to substep.
//!
//! A solver that stops after a few iterations lets a sticking contact creep a little in every substep, and a contact
//! that starts each substep at its present position never recovers that: piles slide apart over seconds. So the drift
//! of each sticking contact is stored, and required back in the next substep. A slipping contact gets a new anchor at
//! its present position.

use crate::contact::solver::constraint::{ContactConstraint, clamp_length};
use crate::contact::solver::set::ContactSet;
use crate::math::Scalar;
use crate::math::Vec3;
use crate::simd::Point;

/// Maximum drift of an anchor, as a fraction of the minimum distance: a larger one was not sticking.
const MAX_ANCHOR_DRIFT: f64 = 0.25;

/// Drift of a sticking contact from its anchor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FrictionAnchor {
    /// True for a contact of a vertex with a collider, false for one of two features.
    on_collider: bool,
    /// Key of the features in contact.
    key: [u32; 4],
    /// Vector from the present to the anchored position \[m\].
    tangential_drift: [f64; 3],
}

impl FrictionAnchor {
    /// Number of words in a snapshot.
    pub const WORDS: usize = 6;

    /// Encodes the anchor as words.
    pub fn to_words(self) -> [u64; Self::WORDS] {
        let [a, b, c, d] = self.key.map(u64::from);
        let [x, y, z] = self.tangential_drift.map(f64::to_bits);
        [u64::from(self.on_collider), a << 32 | b, c << 32 | d, x, y, z]
    }

    /// Returns true if the key has only vertices below a number: others are renumbered where bodies tear or are added.
    pub fn uses_only_vertices_below(&self, vertices: usize) -> bool {
        let below = |v: u32| (v as usize) < vertices;
        if self.on_collider {
            below(self.key[1])
        } else {
            self.key.iter().all(|&k| k == u32::MAX || below(k / 2))
        }
    }

    /// Returns true if the contact is one with a collider.
    pub fn is_on_collider(&self) -> bool {
        self.on_collider
    }

    /// Decodes an anchor from words; none if they are invalid.
    pub fn from_words([collider, ab, cd, x, y, z]: [u64; Self::WORDS]) -> Option<Self> {
        let drift = [x, y, z].map(f64::from_bits);
        let sensible = collider <= 1 && drift.iter().all(|c| c.is_finite());
        let key = [ab >> 32, ab, cd >> 32, cd].map(|w| w as u32);
        sensible.then_some(Self { on_collider: collider == 1, key, tangential_drift: drift })
    }
}

impl ContactSet {
    /// Marks the contacts that stick, after a solve that left multipliers; energy-based solvers mark them in
    /// [`finish_solve`](Self::finish_solve).
    pub(crate) fn mark_sticking(&mut self) {
        self.list.iter_mut().for_each(ContactConstraint::mark_sticking);
    }

    /// Stores the drift of all sticking contacts at `x`, the end of the substep.
    pub(crate) fn store_anchors<S: Scalar>(
        &self,
        x: &[Point<S>],
        anchors: &mut Vec<FrictionAnchor>,
    ) {
        anchors.clear();
        // Capacity for all contacts at once: later steps need not grow it.
        anchors.reserve(self.list.capacity());
        for (number, contact) in self.list.iter().enumerate() {
            if contact.active && contact.sticking {
                let drift = clamp_length(
                    contact.tangential_drift(x),
                    MAX_ANCHOR_DRIFT * contact.min_distance,
                );
                let (collider, key) = (number < self.collider_count, contact.key);
                anchors.push(FrictionAnchor {
                    on_collider: collider,
                    key,
                    tangential_drift: [drift.x, drift.y, drift.z],
                });
            }
        }
    }

    /// Restores the anchors of contacts that stuck in the previous substep.
    pub(in crate::contact) fn restore_anchors(&mut self, anchors: &[FrictionAnchor]) {
        let (colliders, others) = self.list.split_at_mut(self.collider_count);
        let mut next = 0;
        for anchor in anchors {
            let contact = if anchor.on_collider {
                // Both are ordered by their keys, as they were found: most come one after another.
                let is_next = colliders.get(next).is_some_and(|c| c.key == anchor.key);
                let search = || colliders.binary_search_by_key(&anchor.key, |c| c.key).ok();
                let found = if is_next { Some(next) } else { search() };
                next = found.map_or(next, |i| i + 1);
                found.map(|i| &mut colliders[i])
            } else {
                let place = self.index_by_key.binary_search_by_key(&anchor.key, |p| p.0).ok();
                place.map(|at| &mut others[self.index_by_key[at].1 as usize])
            };
            if let Some(contact) = contact {
                contact.anchor += contact.tangential(Vec3::of(anchor.tangential_drift));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchor_round_trips_through_words() {
        let drift = [1.5e-4, -2.0, 0.0];
        let stored =
            FrictionAnchor { on_collider: true, key: [1, u32::MAX, 7, 0], tangential_drift: drift };
        let words = stored.to_words();
        assert_eq!(FrictionAnchor::from_words(words), Some(stored));
        for (place, bad) in [(0, 2), (3, f64::NAN.to_bits()), (5, f64::INFINITY.to_bits())] {
            let mut broken = words;
            broken[place] = bad;
            assert_eq!(FrictionAnchor::from_words(broken), None);
        }
    }
}
