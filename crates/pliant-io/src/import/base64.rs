//! Base64, the text encoding of binary data in glTF and VTK XML.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Decoder of texts with and without padding; bits after the last byte need not be zero.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Decodes a text; blanks are skipped.
///
/// Returns `None` if the text has any other character outside the alphabet, or is cut short.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let is_blank = u8::is_ascii_whitespace;
    if text.iter().any(is_blank) {
        let letters: Vec<u8> = text.iter().copied().filter(|c| !is_blank(c)).collect();
        return LENIENT.decode(letters).ok();
    }
    LENIENT.decode(text).ok()
}

/// Number of characters for `n` bytes, including the padding.
pub(super) fn encoded_length(n: usize) -> usize {
    base64::encoded_len(n, true).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_bytes() {
        assert_eq!(decode(b"").as_deref(), Some(&b""[..]));
        assert_eq!(decode(b"TQ==").as_deref(), Some(&b"M"[..]));
        assert_eq!(decode(b"TQ").as_deref(), Some(&b"M"[..]));
        assert_eq!(decode(b"TR==").as_deref(), Some(&b"M"[..]));
        assert_eq!(decode(b" TW\nE= ").as_deref(), Some(&b"Ma"[..]));
        assert_eq!(decode(b"+/+/").as_deref(), Some(&[0xfb, 0xff, 0xbf][..]));
        assert_eq!(decode(b"TW!u"), None);
        assert_eq!(decode(b"T"), None);
        assert_eq!([0, 1, 3, 4].map(encoded_length), [0, 4, 4, 8]);
        assert_eq!(encoded_length(usize::MAX), usize::MAX);
    }
}
