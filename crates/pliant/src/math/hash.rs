//! 64-bit FNV-1a hash (Fowler, Noll and Vo) for fingerprints of states and scenes, and the checksum of snapshots.
//!
//! The hash is a few lines long and gives the same value on every platform and in every build, unlike the
//! standard library's hashers. It detects accidental differences only; it is not cryptographic.

/// FNV-1a hash over bytes and little-endian words.
///
/// ```
/// let mut hash = pliant::math::Fnv1a::default();
/// hash.bytes(b"a");
/// assert_eq!(hash.value(), 0xaf63_dc4c_8601_ec8c);
/// ```
#[derive(Clone, Debug)]
pub struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv1a {
    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0 ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Adds a word, as its bytes from the lowest.
    pub fn word(&mut self, w: u64) {
        self.bytes(&w.to_le_bytes());
    }

    /// Hash of all that was added.
    pub fn value(&self) -> u64 {
        self.0
    }
}

/// Checksum of a snapshot, for its last word: CRC-32 (IEEE 802.3).
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    crc32fast::hash(bytes).into()
}
