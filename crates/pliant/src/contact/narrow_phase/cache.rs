//! Contact cache: the contact that each feature pair became since the last full detection.
//!
//! A hash table with open addressing and linear probing. It is only queried, never iterated, so its order has no
//! influence on results. A generation counter clears it in constant time.

/// Slot of the table.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u128,
    contact: u32,
    /// Generation in which the slot was filled; in any other generation it is empty.
    generation: u32,
}

/// Hash table from feature pairs to contacts.
#[derive(Clone, Debug)]
pub(in crate::contact) struct ContactCache {
    /// Slots; their number is a power of two, and at most half of them are filled.
    slots: Vec<Slot>,
    filled: usize,
    generation: u32,
}

impl Default for ContactCache {
    fn default() -> Self {
        Self::with_capacity(8)
    }
}

impl ContactCache {
    /// Returns a cache with room for a number of contacts.
    pub fn with_capacity(contacts: usize) -> Self {
        let slots = vec![Slot::default(); (2 * contacts).next_power_of_two().max(16)];
        Self { slots, filled: 0, generation: 1 }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.filled = 0;
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.slots.fill(Slot::default());
            self.generation = 1;
        }
    }

    /// Returns the contact that a feature pair became.
    #[inline]
    pub fn get(&self, key: u128) -> Option<u32> {
        let slot = &self.slots[self.find_slot(key)];
        (slot.generation == self.generation).then_some(slot.contact)
    }

    /// Stores the contact that a feature pair became.
    pub fn insert(&mut self, key: u128, contact: u32) {
        if 2 * (self.filled + 1) > self.slots.len() {
            let doubled = vec![Slot::default(); 2 * self.slots.len()];
            for old in std::mem::replace(&mut self.slots, doubled) {
                if old.generation == self.generation {
                    let place = self.find_slot(old.key);
                    self.slots[place] = old;
                }
            }
        }
        let place = self.find_slot(key);
        self.filled += usize::from(self.slots[place].generation != self.generation);
        self.slots[place] = Slot { key, contact, generation: self.generation };
    }

    /// Returns the slot of a key, or the empty slot where it belongs.
    #[inline]
    fn find_slot(&self, key: u128) -> usize {
        let mask = self.slots.len() - 1;
        // Odd multipliers spread neighboring keys; the upper half depends on all bits.
        let [high, low] = [(key >> 64) as u64, key as u64];
        let mixed = (high ^ low.rotate_left(31).wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let mut at = (mixed >> 32) as usize & mask;
        while self.slots[at].generation == self.generation && self.slots[at].key != key {
            at = (at + 1) & mask;
        }
        at
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
        assert_eq!(held.slots.len(), 2048);
    }
}
