//! Contact cache: the contact that each feature pair became since the last full detection.
//!
//! It is only queried, never iterated, and its hash function is fixed, so its order has no influence on results.

use std::hash::{BuildHasherDefault, Hasher};

use hashbrown::HashMap;

/// Hash of feature pairs: two multiplications. Their bits are vertex and surface numbers, which no one chooses to collide.
#[derive(Clone, Copy, Debug, Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u128(u128::from(byte));
        }
    }

    #[inline]
    fn write_u128(&mut self, key: u128) {
        // Odd multipliers spread neighboring keys; the upper half depends on all bits.
        let [high, low] = [(key >> 64) as u64, key as u64];
        let mixed = (self.0 ^ high ^ low.rotate_left(31).wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .wrapping_mul(0xD6E8_FEB8_6659_FD93);
        // The table takes its slot from the low bits and its tag from the high ones.
        self.0 = mixed.rotate_left(32);
    }
}

/// Hash table from feature pairs to contacts.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct ContactCache(HashMap<u128, u32, BuildHasherDefault<PairHasher>>);

impl ContactCache {
    /// Returns a cache with room for a number of contacts.
    pub fn with_capacity(contacts: usize) -> Self {
        Self(HashMap::with_capacity_and_hasher(contacts, BuildHasherDefault::default()))
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Returns the contact that a feature pair became.
    #[inline]
    pub fn get(&self, key: u128) -> Option<u32> {
        self.0.get(&key).copied()
    }

    /// Stores the contact that a feature pair became.
    pub fn insert(&mut self, key: u128, contact: u32) {
        self.0.insert(key, contact);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_noted_is_found_until_it_is_cleared_however_much_it_is() {
        let mut held = ContactCache::with_capacity(4);
        let key = |k: u32| u128::from(k) << 96 | u128::from(k / 3) << 32 | u128::from(k % 3);
        for round in 0..3 {
            for k in 0..1000 {
                assert_eq!(held.get(key(k)), None);
                held.insert(key(k), k + round);
            }
            held.insert(key(7), 70);
            for k in 0..1000 {
                assert_eq!(held.get(key(k)), Some(if k == 7 { 70 } else { k + round }));
            }
            held.clear();
        }
        assert!(held.0.capacity() < 2048);
    }
}
