//! Which candidates have become which contacts, since contacts were last found anew.
//!
//! A table that is only asked and never walked through, so that its order matters to nobody.

/// One place of the table.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u128,
    contact: u32,
    /// When it was filled; it is empty at any other time.
    when: u32,
}

/// The table.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// A power of two of them, at most half of them filled.
    slots: Vec<Slot>,
    filled: usize,
    now: u32,
}

impl Default for Held {
    fn default() -> Self {
        Self::with_room(8)
    }
}

impl Held {
    /// Room for a number of contacts.
    pub fn with_room(contacts: usize) -> Self {
        let slots = vec![Slot::default(); (2 * contacts).next_power_of_two().max(16)];
        Self { slots, filled: 0, now: 1 }
    }

    /// From now on no candidate has become a contact.
    pub fn clear(&mut self) {
        self.filled = 0;
        self.now = self.now.wrapping_add(1);
        if self.now == 0 {
            self.slots.fill(Slot::default());
            self.now = 1;
        }
    }

    /// Which contact a candidate has become.
    #[inline]
    pub fn get(&self, key: u128) -> Option<u32> {
        let slot = &self.slots[self.place(key)];
        (slot.when == self.now).then_some(slot.contact)
    }

    /// Notes which contact a candidate has become.
    pub fn insert(&mut self, key: u128, contact: u32) {
        if 2 * (self.filled + 1) > self.slots.len() {
            let doubled = vec![Slot::default(); 2 * self.slots.len()];
            for old in std::mem::replace(&mut self.slots, doubled) {
                if old.when == self.now {
                    let place = self.place(old.key);
                    self.slots[place] = old;
                }
            }
        }
        let place = self.place(key);
        self.filled += usize::from(self.slots[place].when != self.now);
        self.slots[place] = Slot { key, contact, when: self.now };
    }

    /// Where a key is, or would be.
    #[inline]
    fn place(&self, key: u128) -> usize {
        let mask = self.slots.len() - 1;
        // Odd multipliers spread neighbours; the upper half has taken in all bits.
        let [high, low] = [(key >> 64) as u64, key as u64];
        let mixed = (high ^ low.rotate_left(31).wrapping_mul(0x9E37_79B9_7F4A_7C15))
            .wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let mut at = (mixed >> 32) as usize & mask;
        while self.slots[at].when == self.now && self.slots[at].key != key {
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
        let mut held = Held::with_room(4);
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
