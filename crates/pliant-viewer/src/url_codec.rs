//! Text in a link: compressed (DEFLATE) and encoded in URL-safe base64.

use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine};
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

/// Maximum size of the text in a link \[bytes\].
const MAX_TEXT_BYTES: usize = 16 << 20;

/// Encodes text as letters, digits, dashes and underscores.
pub fn encode(text: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(compress_to_vec(text.as_bytes(), 9))
}

/// Decodes such text; the error describes invalid input.
pub fn decode(letters: &str) -> Result<String, String> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(letters).map_err(|error| match error {
        DecodeError::InvalidByte(at, byte) => {
            let letter = char::from(byte).escape_default();
            format!("invalid link: character {} is '{letter}', which links cannot contain", at + 1)
        }
        _ => "invalid link: it is corrupt or truncated; copy the complete link".to_owned(),
    })?;
    let text = decompress_to_vec_with_limit(&bytes, MAX_TEXT_BYTES).map_err(|_| {
        "invalid link: it is corrupt or truncated; copy the complete link".to_owned()
    })?;
    String::from_utf8(text).map_err(|_| "invalid link: its content is not UTF-8 text".to_owned())
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
        assert!(decode("a b").expect_err("a blank").contains("character 2 is ' '"));
        assert!(decode("A").is_err());
    }
}
