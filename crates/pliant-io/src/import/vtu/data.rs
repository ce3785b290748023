//! Binary data arrays: base64 or raw, plain or in blocks of zlib, after a header of lengths.
//!
//! The header is the length of the data. For compressed data it is the number of blocks, their size, the size
//! of the last block, and the compressed size of each; it is encoded separately from the blocks.

use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_zlib_with_limit};

use super::super::base64::{decode, encoded_length};
use super::ByteOrder;

/// Encoding shared by the whole file.
pub(super) struct Layout<'a> {
    pub order: ByteOrder,
    /// Size of a header number in bytes.
    pub word: usize,
    pub compressed: bool,
    pub appended: &'a [u8],
    pub appended_raw: bool,
}

/// Array decoder with a work budget.
pub(super) struct Decoder<'a> {
    pub layout: Layout<'a>,
    /// Remaining number of bytes to decode: compressed data may expand a thousandfold.
    pub budget: usize,
    /// True if the budget was exceeded.
    pub exhausted: bool,
}

impl Decoder<'_> {
    /// Decodes an array; `None` if it is damaged, truncated or over budget.
    pub fn bytes(&mut self, stored: &[u8], raw: bool) -> Option<Vec<u8>> {
        if self.layout.compressed { self.unpack(stored, raw) } else { self.plain(stored, raw) }
    }

    /// Subtracts work from the budget; `None` if the budget is exceeded.
    fn spend(&mut self, bytes: usize) -> Option<()> {
        let left = self.budget.checked_sub(bytes);
        self.exhausted |= left.is_none();
        self.budget = left?;
        Some(())
    }

    /// Decodes length-prefixed bytes.
    fn plain(&mut self, stored: &[u8], raw: bool) -> Option<Vec<u8>> {
        let word = self.layout.word;
        let length = self.word(&piece_of(stored, 0, word, raw)?, 0)?.checked_add(word)?;
        let mut whole = piece_of(stored, 0, length, raw)?;
        self.spend(length)?;
        whole.drain(..word);
        Some(whole)
    }

    /// Reads number `k` of a header.
    fn word(&self, header: &[u8], k: usize) -> Option<usize> {
        let size = self.layout.word;
        let bytes = header.get(k.checked_mul(size)?..)?.get(..size)?;
        let kind: &[u8] = if size == 8 { b"UInt64" } else { b"UInt32" };
        let value = number_of(bytes, kind, self.layout.order);
        // A larger length cannot be valid, and double precision has gaps beyond it.
        (value < 9e15).then_some(value as usize)
    }

    /// Decodes zlib blocks, after a separately encoded header.
    fn unpack(&mut self, stored: &[u8], raw: bool) -> Option<Vec<u8>> {
        let word = self.layout.word;
        let blocks = self.word(&piece_of(stored, 0, word, raw)?, 0)?;
        let length = blocks.checked_add(3)?.checked_mul(word)?;
        let header = piece_of(stored, 0, length, raw)?;
        let sizes: Option<Vec<usize>> = (3..3 + blocks).map(|k| self.word(&header, k)).collect();
        let sizes = sizes?;
        let total = sizes.iter().try_fold(0_usize, |sum, &size| sum.checked_add(size))?;
        let start = if raw { length } else { encoded_length(length) };
        let packed = piece_of(stored, start, total, raw)?;
        // A block takes time even if its output is empty.
        self.spend(blocks.saturating_mul(1024).saturating_add(total))?;
        let (mut bytes, mut rest) = (Vec::new(), &packed[..]);
        for size in sizes {
            let (block, tail) = rest.split_at_checked(size)?;
            let unpacked = decompress_to_vec_zlib_with_limit(block, self.budget);
            let unpacked = unpacked.map_err(|error| {
                self.exhausted |= error.status == TINFLStatus::HasMoreOutput;
            });
            let unpacked = unpacked.ok()?;
            self.spend(unpacked.len())?;
            bytes.extend(unpacked);
            rest = tail;
        }
        Some(bytes)
    }
}

/// Decodes `length` bytes from `start`, raw or in base64.
fn piece_of(stored: &[u8], start: usize, length: usize, raw: bool) -> Option<Vec<u8>> {
    let part = stored.get(start..)?;
    if raw {
        return Some(part.get(..length)?.to_vec());
    }
    let mut bytes = decode(part.get(..encoded_length(length))?)?;
    bytes.truncate(length);
    (bytes.len() == length).then_some(bytes)
}

/// Converts the bytes of a number of the given type and length.
pub(super) fn number_of(bytes: &[u8], kind: &[u8], order: ByteOrder) -> f64 {
    let mut low = [0; 8];
    low[..bytes.len()].copy_from_slice(bytes);
    if order == ByteOrder::Big {
        low[..bytes.len()].reverse();
    }
    let unsigned = u64::from_le_bytes(low);
    let shift = 64 - 8 * bytes.len() as u32;
    match kind {
        b"Float32" => f32::from_bits(unsigned as u32).into(),
        b"Float64" => f64::from_bits(unsigned),
        b"UInt8" | b"UInt16" | b"UInt32" | b"UInt64" => unsigned as f64,
        // Sign-extends a short integer.
        _ => ((unsigned << shift) as i64 >> shift) as f64,
    }
}
