//! Elements of USD's text form: identifiers, strings and lists.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::number::reals;

/// Unique names of sibling prims, from letters, digits and underscores.
#[derive(Default)]
pub(crate) struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Returns an unused identifier that resembles `name`.
    pub(crate) fn identifier(&mut self, name: &str) -> String {
        let keep = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut plain: String = name.chars().map(keep).collect();
        if plain.is_empty() || plain.starts_with(|c: char| c.is_ascii_digit()) {
            plain.insert(0, '_');
        }
        let mut unique = plain.clone();
        let mut number = 1;
        while !self.taken.insert(unique.clone()) {
            number += 1;
            unique = format!("{plain}_{number}");
        }
        unique
    }
}

/// Text in quotes, escaped.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            c => out.push(c),
        }
    }
    out + "\""
}

/// Integers in brackets.
pub(crate) fn integers(out: &mut impl Write, values: impl Iterator<Item = u32>) -> io::Result<()> {
    out.write_all(b"[")?;
    for (k, value) in values.enumerate() {
        write!(out, "{}{value}", if k > 0 { ", " } else { "" })?;
    }
    out.write_all(b"]")
}

/// Vectors in brackets.
pub(crate) fn vectors<const N: usize>(
    out: &mut impl Write,
    values: impl Iterator<Item = [f32; N]>,
) -> io::Result<()> {
    out.write_all(b"[")?;
    for (k, value) in values.enumerate() {
        out.write_all(if k > 0 { b", (" } else { b"(" })?;
        reals(out, &value, ", ")?;
        out.write_all(b")")?;
    }
    out.write_all(b"]")
}

/// Formats a time code, as an integer if it is within rounding of one.
pub(crate) fn code(value: f64) -> String {
    let whole = value.round();
    if (value - whole).abs() < 1e-6 { format!("{whole}") } else { format!("{value}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_plain_and_unique() {
        let mut names = Names::default();
        assert_eq!(names.identifier("left sleeve"), "left_sleeve");
        assert_eq!(names.identifier("left-sleeve"), "left_sleeve_2");
        assert_eq!(names.identifier("3rd"), "_3rd");
        assert_eq!(names.identifier(""), "_");
    }

    #[test]
    fn quotes_in_names_are_escaped() {
        assert_eq!(quoted("a \"b\" \\"), r#""a \"b\" \\""#);
    }
}
