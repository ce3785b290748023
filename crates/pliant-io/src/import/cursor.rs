//! Cursor over the bytes of a file, as text and as binary numbers, that tracks its position.
//!
//! All readers of text and binary data use it, so every error reports its line or byte, and no read passes the
//! end. Lines end in LF, CR LF or CR.

use super::error::{ImportError, Location, Problem, excerpt};

/// Byte order of binary numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ByteOrder {
    Little,
    Big,
}

/// Position in a file, advanced by every read.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    pub file: &'a str,
    pub bytes: &'a [u8],
    /// Offset of the next byte.
    pub at: usize,
    /// Line of the next byte, counted from 1, and that of the latest line or word.
    line: usize,
    word_line: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        Self { file, bytes, at: 0, line: 1, word_line: 1 }
    }

    /// Number of bytes left.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Error located at the latest line or word.
    pub fn error(&self, problem: Problem) -> ImportError {
        problem.at(self.file, Location::Line(self.word_line))
    }

    /// Error located at the next byte.
    pub fn byte_error(&self, problem: Problem) -> ImportError {
        problem.at(self.file, Location::Byte(self.at))
    }

    /// Syntax error: `found` is not what the format requires.
    pub fn syntax(&self, expected: &'static str, found: &[u8]) -> ImportError {
        self.error(Problem::Syntax { expected, found: excerpt(found) })
    }

    /// Reads the next line without its terminator; `None` after the last line.
    pub fn line(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return None;
        }
        self.word_line = self.line;
        let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        let long = match rest[end..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            _ => 1,
        };
        self.at += end + long;
        self.line += 1;
        Some(&rest[..end])
    }

    /// Reads the next nonblank line; the error names the expected content.
    pub fn next_content_line(&mut self, what: &'static str) -> Result<&'a [u8], ImportError> {
        while let Some(line) = self.line() {
            let line = line.trim_ascii();
            if !line.is_empty() {
                return Ok(line);
            }
        }
        Err(self.error(Problem::Truncated { what }))
    }

    /// Reads the next line with content, without its comment, which starts with `#`.
    pub fn content_without_comment(&mut self, what: &'static str) -> Result<&'a [u8], ImportError> {
        loop {
            let line = self.next_content_line(what)?;
            let line = line.split(|&b| b == b'#').next().unwrap_or_default().trim_ascii();
            if !line.is_empty() {
                return Ok(line);
            }
        }
    }

    /// Reads the next word, across line ends; `None` at the end of the file.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        while let Some(&b) = self.bytes.get(self.at) {
            if !b.is_ascii_whitespace() {
                break;
            }
            let pair = b == b'\r' && self.bytes.get(self.at + 1) == Some(&b'\n');
            self.line += usize::from(matches!(b, b'\n' | b'\r') && !pair);
            self.at += 1;
        }
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if end == 0 {
            return None;
        }
        self.word_line = self.line;
        self.at += end;
        Some(&rest[..end])
    }

    /// Reads the next word; the error names the expected content.
    pub fn expect_word(&mut self, what: &'static str) -> Result<&'a [u8], ImportError> {
        self.word().ok_or_else(|| self.error(Problem::Truncated { what }))
    }

    /// Reads the next word, which must equal the keyword, ignoring case.
    pub fn expect_keyword(&mut self, expected: &'static str) -> Result<(), ImportError> {
        let found = self.expect_word(expected)?;
        if found.eq_ignore_ascii_case(expected.as_bytes()) {
            return Ok(());
        }
        Err(self.syntax(expected, found))
    }

    /// Reads the next word as a finite number.
    pub fn real(&mut self, what: &'static str) -> Result<f64, ImportError> {
        let word = self.expect_word(what)?;
        self.real_of(word, what)
    }

    /// Reads the next three words as a position \[m\].
    pub fn point(&mut self) -> Result<[f64; 3], ImportError> {
        const WHAT: &str = "coordinate";
        Ok([self.real(WHAT)?, self.real(WHAT)?, self.real(WHAT)?])
    }

    /// Reads the next word as an integer.
    pub fn integer(&mut self, what: &'static str) -> Result<i64, ImportError> {
        let word = self.expect_word(what)?;
        self.integer_of(word, what)
    }

    /// Reads the next word as the count of items that take at least two more bytes each.
    pub fn count(&mut self, what: &'static str) -> Result<usize, ImportError> {
        let word = self.expect_word(what)?;
        let count = self.natural_of(word, what)?;
        self.check_capacity(count, 2, what)
    }

    /// Parses `word` as a finite number.
    pub fn real_of(&self, word: &[u8], what: &'static str) -> Result<f64, ImportError> {
        let text = std::str::from_utf8(word).ok();
        match text.and_then(|t| t.parse::<f64>().ok()) {
            Some(x) if x.is_finite() => Ok(x),
            Some(_) => Err(self.error(Problem::NotFinite { what, found: excerpt(word) })),
            None => Err(self.error(Problem::Number { what, found: excerpt(word) })),
        }
    }

    /// Parses `word` as an integer.
    pub fn integer_of(&self, word: &[u8], what: &'static str) -> Result<i64, ImportError> {
        let text = std::str::from_utf8(word).ok();
        text.and_then(|t| t.parse().ok())
            .ok_or_else(|| self.error(Problem::Number { what, found: excerpt(word) }))
    }

    /// Parses `word` as a nonnegative integer.
    pub fn natural_of(&self, word: &[u8], what: &'static str) -> Result<u64, ImportError> {
        let text = std::str::from_utf8(word).ok();
        text.and_then(|t| t.parse().ok())
            .ok_or_else(|| self.error(Problem::Number { what, found: excerpt(word) }))
    }

    /// Rejects a count of items that exceeds the remaining bytes, at `size` bytes each.
    pub fn check_capacity(
        &self,
        n: u64,
        size: usize,
        what: &'static str,
    ) -> Result<usize, ImportError> {
        // The last word of a text may lack the trailing blank that all others have.
        let available = (self.remaining() as u64 + 1) / size.max(1) as u64;
        if n > available {
            return Err(self.error(Problem::Length { what, announced: n, available }));
        }
        Ok(n as usize)
    }

    /// Reads the next `n` bytes.
    pub fn take(&mut self, n: usize, what: &'static str) -> Result<&'a [u8], ImportError> {
        match self.bytes[self.at..].get(..n) {
            Some(bytes) => {
                self.at += n;
                Ok(bytes)
            }
            None => Err(self.byte_error(Problem::Truncated { what })),
        }
    }

    /// Reads the next `N` bytes, with the least significant first.
    pub fn raw<const N: usize>(
        &mut self,
        order: ByteOrder,
        what: &'static str,
    ) -> Result<[u8; N], ImportError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N, what)?);
        if order == ByteOrder::Big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// Reads the next four bytes as an integer.
    pub fn int(&mut self, order: ByteOrder, what: &'static str) -> Result<i32, ImportError> {
        Ok(i32::from_le_bytes(self.raw(order, what)?))
    }

    /// Reads the next eight bytes as an integer.
    pub fn long(&mut self, order: ByteOrder, what: &'static str) -> Result<i64, ImportError> {
        Ok(i64::from_le_bytes(self.raw(order, what)?))
    }

    /// Reads finite single-precision numbers.
    pub fn floats<const N: usize>(
        &mut self,
        order: ByteOrder,
        what: &'static str,
    ) -> Result<[f64; N], ImportError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = f32::from_le_bytes(self.raw(order, what)?).into();
            self.finite(*value, what)?;
        }
        Ok(values)
    }

    /// Reads finite double-precision numbers.
    pub fn doubles<const N: usize>(
        &mut self,
        order: ByteOrder,
        what: &'static str,
    ) -> Result<[f64; N], ImportError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = f64::from_le_bytes(self.raw(order, what)?);
            self.finite(*value, what)?;
        }
        Ok(values)
    }

    /// Rejects a binary number that is not finite.
    pub fn finite(&self, value: f64, what: &'static str) -> Result<(), ImportError> {
        if value.is_finite() {
            return Ok(());
        }
        Err(self.byte_error(Problem::NotFinite { what, found: value.to_string() }))
    }
}

/// Splits a line into words.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Name from a file, from arbitrary bytes and with bounded length.
pub(super) fn name_of(bytes: &[u8]) -> String {
    let bytes = bytes.trim_ascii();
    String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_words_are_counted_over_all_kinds_of_line_ends() {
        let mut cursor = Cursor::new("f", b"a b\r\nc\rd\n\n1e5 x");
        assert_eq!(cursor.line(), Some(&b"a b"[..]));
        assert_eq!(cursor.word(), Some(&b"c"[..]));
        assert_eq!(cursor.word(), Some(&b"d"[..]));
        assert_eq!(cursor.real("number"), Ok(1e5));
        let error = cursor.real("number").unwrap_err();
        assert_eq!(error.to_string(), "f, line 5: \"x\" is not a valid number; correct it");
        assert_eq!(cursor.word(), None);
        assert_eq!(cursor.line(), None);
    }

    #[test]
    fn numbers_beyond_reason_are_refused() {
        for (text, finite) in [("nan", true), ("-inf", true), ("1e999", true), ("1,5", false)] {
            let problem = Cursor::new("f", text.as_bytes()).real("number").unwrap_err().problem;
            assert_eq!(matches!(problem, Problem::NotFinite { .. }), finite, "{text}");
        }
        let problem =
            Cursor::new("f", b"9223372036854775808").integer("number").unwrap_err().problem;
        assert!(matches!(problem, Problem::Number { .. }));
        let problem = Cursor::new("f", b"4000000000 0 0").count("points").unwrap_err().problem;
        let wanted = Problem::Length { what: "points", announced: 4_000_000_000, available: 2 };
        assert_eq!(problem, wanted);
    }

    #[test]
    fn binary_numbers_come_in_both_orders_and_end_with_the_file() {
        let mut cursor = Cursor::new("f", &[1, 0, 0, 0, 0, 0, 0, 1, 9]);
        assert_eq!(cursor.int(ByteOrder::Little, "n"), Ok(1));
        assert_eq!(cursor.int(ByteOrder::Big, "n"), Ok(1));
        let error = cursor.int(ByteOrder::Big, "n").unwrap_err();
        assert_eq!(
            (error.location, error.problem),
            (Location::Byte(8), Problem::Truncated { what: "n" })
        );
    }
}
