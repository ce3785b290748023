//! Snapshot of an articulation's state: restoring it continues bit for bit.

use crate::Error;
use crate::math::hash::{Fnv1a, checksum};
use crate::rigid::articulation::Articulation;

/// Magic number of snapshots; its last byte is the version of the layout.
const MAGIC: [u8; 8] = *b"PLIRIGD\x02";

/// Numbers per body: pose, velocity, angular momentum.
const NUMBERS_PER_BODY: usize = 13;

impl Articulation {
    fn state_numbers(&self) -> Vec<f64> {
        let mut out =
            Vec::with_capacity(NUMBERS_PER_BODY * self.state.len() + self.multipliers.len());
        for s in &self.state {
            out.extend(s.pose.position);
            out.extend(s.pose.orientation);
            out.extend(s.velocity);
            out.extend(s.angular_momentum);
        }
        out.extend(&self.multipliers);
        out
    }

    /// Returns a hash of every bit of the state (−0 counts as +0).
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv1a::default();
        hash.word(self.steps);
        hash.word(self.time.to_bits());
        self.state_numbers().iter().for_each(|v| hash.word((v + 0.0).to_bits()));
        hash.value()
    }

    /// Returns the state as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let counts = [self.state.len() as u64, self.multipliers.len() as u64];
        let words = [counts[0], counts[1], self.steps, self.time.to_bits()];
        words.iter().for_each(|w| out.extend_from_slice(&w.to_le_bytes()));
        self.state_numbers().iter().for_each(|v| out.extend_from_slice(&v.to_le_bytes()));
        out.extend_from_slice(&checksum(&out).to_le_bytes());
        out
    }

    /// Restores a snapshot of the same bodies and joints. On an error nothing changes.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let invalid = |reason: &'static str| Err(Error::Snapshot { reason });
        let (bodies, rows) = (self.state.len(), self.multipliers.len());
        let length = 48 + 8 * (NUMBERS_PER_BODY * bodies + rows);
        if bytes.len() < 48 || bytes[..8] != MAGIC {
            return invalid("it is not an articulation snapshot of this version");
        }
        let word = |at: usize| {
            let mut w = [0; 8];
            w.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(w)
        };
        if word(8) != bodies as u64 || word(16) != rows as u64 || bytes.len() != length {
            return invalid("it has another number of bodies or joints, or is truncated");
        }
        if checksum(&bytes[..length - 8]) != word(length - 8) {
            return invalid("its checksum is wrong");
        }
        let number = |i: usize| f64::from_bits(word(40 + 8 * i));
        (self.steps, self.time) = (word(24), f64::from_bits(word(32)));
        for (b, s) in self.state.iter_mut().enumerate() {
            let at = |k: usize| number(NUMBERS_PER_BODY * b + k);
            s.pose.position = [0, 1, 2].map(at);
            s.pose.orientation = [3, 4, 5, 6].map(at);
            s.velocity = [7, 8, 9].map(at);
            s.angular_momentum = [10, 11, 12].map(at);
        }
        for (k, l) in self.multipliers.iter_mut().enumerate() {
            *l = number(NUMBERS_PER_BODY * bodies + k);
        }
        Ok(())
    }
}
