//! Text in a link: compressed (DEFLATE) and encoded in URL-safe base64.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Maximum size of the text in a link \[bytes\].
const MAX_TEXT_BYTES: usize = 16 << 20;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Encodes text as letters, digits, dashes and underscores.
pub fn encode(text: &str) -> String {
    let bytes = compress_to_vec(text.as_bytes(), 9);
    let mut out = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0_u32, |w, b| w << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for k in 0..=chunk.len() {
            out.push(ALPHABET[(word >> (18 - 6 * k) & 63) as usize] as char);
        }
    }
    out
}

/// Decodes such text; the error describes invalid input.
pub fn decode(letters: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(letters.len());
    for chunk in letters.as_bytes().chunks(4) {
        let mut word = 0_u32;
        for letter in chunk {
            let value = ALPHABET.iter().position(|l| l == letter);
            let value = value.ok_or("the link is damaged: it holds a letter that none has")?;
            word = word << 6 | value as u32;
        }
        word <<= 6 * (4 - chunk.len());
        let [_, a, b, c] = word.to_be_bytes();
        bytes.extend(&[a, b, c][..chunk.len() - 1]);
    }
    let text = decompress_to_vec_with_limit(&bytes, MAX_TEXT_BYTES)
        .map_err(|_| "the link is damaged or was cut short: copy all of it".to_owned())?;
    String::from_utf8(text).map_err(|_| "the link is damaged: it holds no text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_survives() {
        for n in 0..40 {
            let text: String = (0..n).map(|k| char::from(b'a' + (k * 7 % 26) as u8)).collect();
            assert_eq!(decode(&encode(&text)), Ok(text));
        }
    }

    #[test]
    fn damage_is_said_in_words() {
        let mut packed = encode("some text that is long enough to be damaged in the middle of it");
        packed.truncate(packed.len() / 2);
        assert!(decode(&packed).expect_err("cut short").contains("link"));
        assert!(decode("a b").is_err());
        assert!(decode("A").is_err());
    }
}
