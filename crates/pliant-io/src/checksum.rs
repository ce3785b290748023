//! Checksum of caches and checkpoints, which detects truncated and damaged data.

use crc32fast::Hasher;

/// Size of a checksum in a file, in bytes.
pub(crate) const BYTES: usize = 8;

/// CRC-32 (IEEE 802.3) of the parts in order, as a little-endian word of 64 bits.
pub(crate) fn checksum(parts: &[&[u8]]) -> [u8; BYTES] {
    let mut hasher = Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    u64::from(hasher.finalize()).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(checksum(&[b"12345", b"6789"]), 0xcbf4_3926_u64.to_le_bytes());
    }
}
