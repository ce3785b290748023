//! Base64, the text encoding of binary data in glTF and VTK XML.

/// Decodes a text; blanks are skipped, and `=` ends the data.
///
/// Returns `None` if the text has any other character.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0_u32, 0);
    for &c in text {
        let value = match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => break,
            _ if c.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

/// Number of characters for `n` bytes, including the padding.
pub(super) fn encoded_length(n: usize) -> usize {
    n.div_ceil(3).saturating_mul(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_bytes() {
        assert_eq!(decode(b"").as_deref(), Some(&b""[..]));
        assert_eq!(decode(b"TQ==").as_deref(), Some(&b"M"[..]));
        assert_eq!(decode(b" TW\nE= ").as_deref(), Some(&b"Ma"[..]));
        assert_eq!(decode(b"+/+/").as_deref(), Some(&[0xfb, 0xff, 0xbf][..]));
        assert_eq!(decode(b"TW!u"), None);
        assert_eq!([0, 1, 3, 4].map(encoded_length), [0, 4, 4, 8]);
    }
}
