//! 64-bit FNV-1a hash (Fowler, Noll and Vo) for state fingerprints and snapshot checksums.
//!
//! It is a few lines long and gives the same value on every platform and in every build, unlike the
//! standard library's hashers. It detects accidental differences only; it is not cryptographic.

/// State of an FNV-1a hash over bytes and little-endian words; the field is the current value.
pub(crate) struct Fnv(pub(crate) u64);

impl Fnv {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0 ^ b as u64).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    pub(crate) fn word(&mut self, w: u64) {
        self.bytes(&w.to_le_bytes());
    }
}
