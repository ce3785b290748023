//! Numbers as text: the shortest representation that parses back to the same bits.

use std::io::{self, Write};

/// Writes a finite number; very small and very large values use an exponent.
pub(crate) fn real(out: &mut impl Write, value: f32) -> io::Result<()> {
    let size = value.abs();
    if size == 0.0 {
        // Also covers −0, which some readers reject.
        out.write_all(b"0")
    } else if (1e-4..1e7).contains(&size) {
        write!(out, "{value}")
    } else {
        write!(out, "{value:e}")
    }
}

/// Writes numbers with a separator.
pub(crate) fn reals(out: &mut impl Write, values: &[f32], between: &str) -> io::Result<()> {
    for (k, value) in values.iter().enumerate() {
        if k > 0 {
            out.write_all(between.as_bytes())?;
        }
        real(out, *value)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_reads_back_as_the_same_bits() {
        for value in [0.1_f32, -1.5, 1e-30, 3.4e38, 123_456.79, 1.0 / 3.0, 7.0, 1e-4] {
            let mut text = Vec::new();
            real(&mut text, value).expect("memory");
            let text = String::from_utf8(text).expect("ASCII");
            assert_eq!(text.parse::<f32>().expect("a number").to_bits(), value.to_bits(), "{text}");
        }
    }
}
