//! Binary data arrays: base64 or raw, plain or in blocks of zlib, after a header of lengths.
//!
//! A header is the length of the data; or, if it is compressed, the number of blocks, their size,
//! the size of the last, and the compressed size of each, encoded apart from the blocks.

use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_zlib_with_limit};

use super::super::base64::{decode, encoded_length};
use super::Order;

/// What the whole file agrees on.
pub(super) struct Layout<'a> {
    pub order: Order,
    /// The bytes of a number in a header.
    pub word: usize,
    pub compressed: bool,
    pub appended: &'a [u8],
    pub appended_raw: bool,
}

/// Decodes arrays within a budget of work.
pub(super) struct Decoder<'a> {
    pub layout: Layout<'a>,
    /// How many bytes may still be decoded: compressed data may be a thousand times as long.
    pub budget: usize,
    /// Whether that was not enough.
    pub exhausted: bool,
}

impl Decoder<'_> {
    /// The bytes of an array; nothing if they are damaged, cut short or beyond the budget.
    pub fn bytes(&mut self, stored: &[u8], raw: bool) -> Option<Vec<u8>> {
        if self.layout.compressed { self.unpack(stored, raw) } else { self.plain(stored, raw) }
    }

    /// Takes work off the budget, if it allows it.
    fn spend(&mut self, bytes: usize) -> Option<()> {
        let left = self.budget.checked_sub(bytes);
        self.exhausted |= left.is_none();
        self.budget = left?;
        Some(())
    }

    /// Bytes after their number.
    fn plain(&mut self, stored: &[u8], raw: bool) -> Option<Vec<u8>> {
        let word = self.layout.word;
        let length = self.word(&piece_of(stored, 0, word, raw)?, 0)?.checked_add(word)?;
        let mut whole = piece_of(stored, 0, length, raw)?;
        self.spend(length)?;
        whole.drain(..word);
        Some(whole)
    }

    /// Number `k` of a header.
    fn word(&self, header: &[u8], k: usize) -> Option<usize> {
        let size = self.layout.word;
        let bytes = header.get(k.checked_mul(size)?..)?.get(..size)?;
        let kind: &[u8] = if size == 8 { b"UInt64" } else { b"UInt32" };
        let value = number_of(bytes, kind, self.layout.order);
        // Beyond this a length is a lie, and numbers of double precision have gaps.
        (value < 9e15).then_some(value as usize)
    }

    /// Blocks of zlib, after a header that is encoded by itself.
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
        // A block takes its time even if nothing comes out of it.
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

/// `length` bytes that are stored from `start` on, as they are or in base64.
fn piece_of(stored: &[u8], start: usize, length: usize, raw: bool) -> Option<Vec<u8>> {
    let part = stored.get(start..)?;
    if raw {
        return Some(part.get(..length)?.to_vec());
    }
    let mut bytes = decode(part.get(..encoded_length(length))?)?;
    bytes.truncate(length);
    (bytes.len() == length).then_some(bytes)
}

/// A number of the given kind, in as many bytes as it has.
pub(super) fn number_of(bytes: &[u8], kind: &[u8], order: Order) -> f64 {
    let mut low = [0; 8];
    low[..bytes.len()].copy_from_slice(bytes);
    if order == Order::Big {
        low[..bytes.len()].reverse();
    }
    let unsigned = u64::from_le_bytes(low);
    let shift = 64 - 8 * bytes.len() as u32;
    match kind {
        b"Float32" => f32::from_bits(unsigned as u32).into(),
        b"Float64" => f64::from_bits(unsigned),
        b"UInt8" | b"UInt16" | b"UInt32" | b"UInt64" => unsigned as f64,
        // The sign of a short number is moved to the top and back.
        _ => ((unsigned << shift) as i64 >> shift) as f64,
    }
}
