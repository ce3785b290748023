//! A cursor over a file's bytes, as text and as binary numbers, that knows where it is.
//!
//! All readers of text and of binary data go through it, so every error names its line or byte,
//! and nothing is ever read beyond the end. Lines end in LF, CR LF or CR.

use super::error::{ImportError, Place, Problem, shown};

/// The order of the bytes in a binary number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// A place in a file, which moves on as things are read.
#[derive(Clone)]
pub(super) struct Scan<'a> {
    pub file: &'a str,
    pub bytes: &'a [u8],
    /// The next byte.
    pub at: usize,
    /// The line of the next byte, from 1, and that of the latest line or word.
    line: usize,
    word_line: usize,
}

impl<'a> Scan<'a> {
    pub fn new(file: &'a str, bytes: &'a [u8]) -> Self {
        Self { file, bytes, at: 0, line: 1, word_line: 1 }
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// An error at the latest line or word.
    pub fn error(&self, problem: Problem) -> ImportError {
        problem.at(self.file, Place::Line(self.word_line))
    }

    /// An error at the next byte.
    pub fn byte_error(&self, problem: Problem) -> ImportError {
        problem.at(self.file, Place::Byte(self.at))
    }

    /// An error: `found` is not what the format wants.
    pub fn syntax(&self, expected: &'static str, found: &[u8]) -> ImportError {
        self.error(Problem::Syntax { expected, found: shown(found) })
    }

    /// The next line without its end, or nothing after the last.
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

    /// The next line that is not blank, or an error that names what it should hold.
    pub fn content(&mut self, what: &'static str) -> Result<&'a [u8], ImportError> {
        while let Some(line) = self.line() {
            let line = line.trim_ascii();
            if !line.is_empty() {
                return Ok(line);
            }
        }
        Err(self.error(Problem::Truncated { what }))
    }

    /// The next word, over line ends; nothing at the end of the file.
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

    /// The next word, or an error that names what it should be.
    pub fn need(&mut self, what: &'static str) -> Result<&'a [u8], ImportError> {
        self.word().ok_or_else(|| self.error(Problem::Truncated { what }))
    }

    /// The next word, which must be the given one in any case of its letters.
    pub fn keyword(&mut self, expected: &'static str) -> Result<(), ImportError> {
        let found = self.need(expected)?;
        if found.eq_ignore_ascii_case(expected.as_bytes()) {
            return Ok(());
        }
        Err(self.syntax(expected, found))
    }

    /// The next word as a finite number.
    pub fn real(&mut self, what: &'static str) -> Result<f64, ImportError> {
        let word = self.need(what)?;
        self.real_of(word, what)
    }

    /// The next three words as a position \[m\].
    pub fn point(&mut self) -> Result<[f64; 3], ImportError> {
        const WHAT: &str = "coordinate";
        Ok([self.real(WHAT)?, self.real(WHAT)?, self.real(WHAT)?])
    }

    /// The next word as an integer.
    pub fn integer(&mut self, what: &'static str) -> Result<i64, ImportError> {
        let word = self.need(what)?;
        self.integer_of(word, what)
    }

    /// The next word as a number of things, of which each takes at least two bytes more.
    pub fn count(&mut self, what: &'static str) -> Result<usize, ImportError> {
        let word = self.need(what)?;
        let count = self.natural_of(word, what)?;
        self.room(count, 2, what)
    }

    /// `word` as a finite number.
    pub fn real_of(&self, word: &[u8], what: &'static str) -> Result<f64, ImportError> {
        let text = std::str::from_utf8(word).ok();
        match text.and_then(|t| t.parse::<f64>().ok()) {
            Some(x) if x.is_finite() => Ok(x),
            Some(_) => Err(self.error(Problem::NotFinite { what, found: shown(word) })),
            None => Err(self.error(Problem::Number { what, found: shown(word) })),
        }
    }

    /// `word` as an integer.
    pub fn integer_of(&self, word: &[u8], what: &'static str) -> Result<i64, ImportError> {
        let text = std::str::from_utf8(word).ok();
        text.and_then(|t| t.parse().ok())
            .ok_or_else(|| self.error(Problem::Number { what, found: shown(word) }))
    }

    /// `word` as an integer that is not negative.
    pub fn natural_of(&self, word: &[u8], what: &'static str) -> Result<u64, ImportError> {
        let text = std::str::from_utf8(word).ok();
        text.and_then(|t| t.parse().ok())
            .ok_or_else(|| self.error(Problem::Number { what, found: shown(word) }))
    }

    /// Refuses a number of things that do not fit into the bytes left, at `size` bytes each.
    pub fn room(&self, n: u64, size: usize, what: &'static str) -> Result<usize, ImportError> {
        // The last word of a text may lack the blank that follows all others.
        let available = (self.left() as u64 + 1) / size.max(1) as u64;
        if n > available {
            return Err(self.error(Problem::Length { what, announced: n, available }));
        }
        Ok(n as usize)
    }

    /// The next `n` bytes.
    pub fn take(&mut self, n: usize, what: &'static str) -> Result<&'a [u8], ImportError> {
        match self.bytes[self.at..].get(..n) {
            Some(bytes) => {
                self.at += n;
                Ok(bytes)
            }
            None => Err(self.byte_error(Problem::Truncated { what })),
        }
    }

    /// The next `N` bytes, the least significant first.
    pub fn raw<const N: usize>(
        &mut self,
        order: Order,
        what: &'static str,
    ) -> Result<[u8; N], ImportError> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N, what)?);
        if order == Order::Big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// The next four bytes as an integer.
    pub fn int(&mut self, order: Order, what: &'static str) -> Result<i32, ImportError> {
        Ok(i32::from_le_bytes(self.raw(order, what)?))
    }

    /// The next eight bytes as an integer.
    pub fn long(&mut self, order: Order, what: &'static str) -> Result<i64, ImportError> {
        Ok(i64::from_le_bytes(self.raw(order, what)?))
    }

    /// The next bytes as finite single-precision numbers.
    pub fn floats<const N: usize>(
        &mut self,
        order: Order,
        what: &'static str,
    ) -> Result<[f64; N], ImportError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = f32::from_le_bytes(self.raw(order, what)?).into();
            self.finite(*value, what)?;
        }
        Ok(values)
    }

    /// The next bytes as finite double-precision numbers.
    pub fn doubles<const N: usize>(
        &mut self,
        order: Order,
        what: &'static str,
    ) -> Result<[f64; N], ImportError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = f64::from_le_bytes(self.raw(order, what)?);
            self.finite(*value, what)?;
        }
        Ok(values)
    }

    /// Refuses a binary number that is not finite.
    pub fn finite(&self, value: f64, what: &'static str) -> Result<(), ImportError> {
        if value.is_finite() {
            return Ok(());
        }
        Err(self.byte_error(Problem::NotFinite { what, found: value.to_string() }))
    }
}

/// The words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A name from a file, whatever its bytes, of bounded length.
pub(super) fn name_of(bytes: &[u8]) -> String {
    let bytes = bytes.trim_ascii();
    String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_words_are_counted_over_all_kinds_of_line_ends() {
        let mut scan = Scan::new("f", b"a b\r\nc\rd\n\n1e5 x");
        assert_eq!(scan.line(), Some(&b"a b"[..]));
        assert_eq!(scan.word(), Some(&b"c"[..]));
        assert_eq!(scan.word(), Some(&b"d"[..]));
        assert_eq!(scan.real("number"), Ok(1e5));
        let error = scan.real("number").unwrap_err();
        assert_eq!(error.to_string(), "f, line 5: \"x\" is no valid number; correct it");
        assert_eq!(scan.word(), None);
        assert_eq!(scan.line(), None);
    }

    #[test]
    fn numbers_beyond_reason_are_refused() {
        for (text, finite) in [("nan", true), ("-inf", true), ("1e999", true), ("1,5", false)] {
            let problem = Scan::new("f", text.as_bytes()).real("number").unwrap_err().problem;
            assert_eq!(matches!(problem, Problem::NotFinite { .. }), finite, "{text}");
        }
        let problem = Scan::new("f", b"9223372036854775808").integer("number").unwrap_err().problem;
        assert!(matches!(problem, Problem::Number { .. }));
        let problem = Scan::new("f", b"4000000000 0 0").count("points").unwrap_err().problem;
        let wanted = Problem::Length { what: "points", announced: 4_000_000_000, available: 2 };
        assert_eq!(problem, wanted);
    }

    #[test]
    fn binary_numbers_come_in_both_orders_and_end_with_the_file() {
        let mut scan = Scan::new("f", &[1, 0, 0, 0, 0, 0, 0, 1, 9]);
        assert_eq!(scan.int(Order::Little, "n"), Ok(1));
        assert_eq!(scan.int(Order::Big, "n"), Ok(1));
        let error = scan.int(Order::Big, "n").unwrap_err();
        assert_eq!(
            (error.place, error.problem),
            (Place::Byte(8), Problem::Truncated { what: "n" })
        );
    }
}
