//! Minimal XML for VTK's files: tags with attributes, and the text after a tag.
//!
//! Entities are not decoded, as neither names nor numbers need them; comments, declarations and processing
//! instructions are skipped.

use super::cursor::Cursor;
use super::{ImportError, Problem};

/// Maximum nesting depth; VTK's files nest six deep.
const MAX_DEPTH: usize = 64;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    pub name: &'a [u8],
    /// True for an opening tag (including an empty element), false for a closing one.
    pub opens: bool,
    attributes: &'a [u8],
}

/// Iterator over the tags of a file.
pub(super) struct Tags<'a> {
    pub cursor: Cursor<'a>,
    depth: usize,
}

impl<'a> Tags<'a> {
    pub fn new(cursor: Cursor<'a>) -> Self {
        Self { cursor, depth: 0 }
    }

    /// Text up to the next tag.
    pub fn text(&self) -> &'a [u8] {
        let rest = &self.cursor.bytes[self.cursor.at..];
        &rest[..rest.iter().position(|&b| b == b'<').unwrap_or(rest.len())]
    }

    /// Reads the next tag; `None` at the end of the file.
    pub fn next(&mut self) -> Result<Option<Tag<'a>>, ImportError> {
        loop {
            let text = self.text().len();
            self.cursor.take(text, "the text of an element")?;
            if self.cursor.remaining() == 0 {
                return Ok(None);
            }
            let rest = &self.cursor.bytes[self.cursor.at..];
            let end: &[u8] = match rest {
                [b'<', b'!', b'-', b'-', ..] => b"-->",
                _ => b">",
            };
            let Some(length) = rest.windows(end.len()).position(|w| w == end) else {
                return Err(self.cursor.byte_error(Problem::Truncated { what: "a tag" }));
            };
            let inner = &rest[1..length];
            if !matches!(inner.first(), Some(b'!' | b'?')) {
                let tag = self.tag(inner)?;
                self.cursor.take(length + end.len(), "a tag")?;
                return Ok(Some(tag));
            }
            self.cursor.take(length + end.len(), "a tag")?;
        }
    }

    fn tag(&mut self, inner: &'a [u8]) -> Result<Tag<'a>, ImportError> {
        let (opens, inner) = match inner {
            [b'/', rest @ ..] => (false, rest),
            _ => (true, inner),
        };
        let (empty, inner) = match inner {
            [rest @ .., b'/'] => (true, rest),
            _ => (false, inner),
        };
        let end = inner.iter().position(u8::is_ascii_whitespace).unwrap_or(inner.len());
        let (name, attributes) = inner.split_at(end);
        match (opens, empty) {
            (true, false) => self.depth += 1,
            (false, _) => self.depth = self.depth.saturating_sub(1),
            (true, true) => {}
        }
        if self.depth > MAX_DEPTH {
            let problem = Problem::TooDeep { what: "tags", most: MAX_DEPTH };
            return Err(self.cursor.byte_error(problem));
        }
        Ok(Tag { name, opens, attributes })
    }
}

impl<'a> Tag<'a> {
    /// Value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&'a [u8]> {
        let mut rest = self.attributes.trim_ascii_start();
        while !rest.is_empty() {
            let equals = rest.iter().position(|&b| b == b'=')?;
            let found = rest[..equals].trim_ascii();
            let (&quote, after) = rest[equals + 1..].trim_ascii_start().split_first()?;
            let end = after.iter().position(|&b| b == quote)?;
            if found == name.as_bytes() && matches!(quote, b'"' | b'\'') {
                return Some(&after[..end]);
            }
            rest = after[end + 1..].trim_ascii_start();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_attributes_and_texts_are_found() {
        let text = b"<?xml version=\"1.0\"?><!-- <no> --><a x = '1' y=\"2 3\"> text <b/></a>";
        let mut tags = Tags::new(Cursor::new("f", text));
        let a = tags.next().unwrap().unwrap();
        assert_eq!((a.name, a.opens), (&b"a"[..], true));
        assert_eq!(a.attribute("x"), Some(&b"1"[..]));
        assert_eq!(a.attribute("y"), Some(&b"2 3"[..]));
        assert_eq!(a.attribute("z"), None);
        assert_eq!(tags.text(), b" text ");
        let b = tags.next().unwrap().unwrap();
        assert_eq!((b.name, b.opens), (&b"b"[..], true));
        assert!(!tags.next().unwrap().unwrap().opens);
        assert_eq!(tags.next(), Ok(None));
    }

    #[test]
    fn tags_that_do_not_end_or_nest_too_deep_are_refused() {
        let problem = Tags::new(Cursor::new("f", b"<a")).next().unwrap_err().problem;
        assert_eq!(problem, Problem::Truncated { what: "a tag" });
        let deep = b"<a>".repeat(100_000);
        let mut tags = Tags::new(Cursor::new("f", &deep));
        let error = loop {
            match tags.next() {
                Ok(tag) => assert!(tag.is_some()),
                Err(error) => break error,
            }
        };
        assert!(matches!(error.problem, Problem::TooDeep { .. }));
    }
}
