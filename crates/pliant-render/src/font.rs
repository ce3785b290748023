//! The typeface of charts, sheets and captions, laid out along a line: Ubuntu Light, by the crate that ships it.

use std::sync::OnceLock;

use ab_glyph::{Font, FontRef, OutlineCurve};

/// The typeface, a TrueType font. One static: every mention of the crate's constant would be another copy.
pub static TYPEFACE: &[u8] = epaint_default_fonts::UBUNTU_LIGHT;

/// Height of a capital above the baseline, in font units.
const CAP_HEIGHT: f32 = 693.0;

/// Scale of raised signs that the typeface lacks, and their height above the baseline in font units, as its raised
/// digits have.
const RAISED_SCALE: f32 = 0.6;
const RAISED_SHIFT: f32 = 280.0;

pub(crate) type Point = [f32; 2];

fn typeface() -> &'static FontRef<'static> {
    static FONT: OnceLock<FontRef<'static>> = OnceLock::new();
    FONT.get_or_init(|| FontRef::try_from_slice(TYPEFACE).expect("the typeface is a font"))
}

/// The character that is drawn for another one, with its scale and its height above the baseline.
fn substitute(c: char) -> (char, f32, f32) {
    match c {
        '⁻' => ('−', RAISED_SCALE, RAISED_SHIFT),
        '⁺' => ('+', RAISED_SCALE, RAISED_SHIFT),
        c => (c, 1.0, 0.0),
    }
}

/// Distance from a character to the next, in font units.
fn advance(c: char) -> f32 {
    let (c, scale, _) = substitute(c);
    scale * typeface().h_advance_unscaled(typeface().glyph_id(c))
}

/// Width of a text with capitals `capital` high, in the same unit.
pub(crate) fn text_width(text: &str, capital: f32) -> f32 {
    text.chars().map(advance).sum::<f32>() * capital / CAP_HEIGHT
}

/// Outlines of the characters of a text that starts at the origin, y up, with capitals `capital` high; a box for what
/// the typeface does not have.
pub(crate) fn outlines(text: &str, capital: f32) -> impl Iterator<Item = Vec<OutlineCurve>> {
    let size = capital / CAP_HEIGHT;
    let mut pen = 0.0;
    text.chars().filter_map(move |c| {
        let (plain, scale, shift) = substitute(c);
        let left = pen;
        pen += advance(c);
        let mut curves = typeface().outline(typeface().glyph_id(plain))?.curves;
        for curve in &mut curves {
            *curve = map(curve, |[x, y]| [(left + scale * x) * size, (shift + scale * y) * size]);
        }
        Some(curves)
    })
}

/// A curve with each of its points mapped.
pub(crate) fn map(curve: &OutlineCurve, to: impl Fn(Point) -> Point) -> OutlineCurve {
    let to = |p: &ab_glyph::Point| ab_glyph::Point::from(to([p.x, p.y]));
    match curve {
        OutlineCurve::Line(a, b) => OutlineCurve::Line(to(a), to(b)),
        OutlineCurve::Quad(a, b, c) => OutlineCurve::Quad(to(a), to(b), to(c)),
        OutlineCurve::Cubic(a, b, c, d) => OutlineCurve::Cubic(to(a), to(b), to(c), to(d)),
    }
}

/// The points that a curve is given by; the curve is within their convex hull.
pub(crate) fn control_points(curve: &OutlineCurve) -> impl Iterator<Item = Point> {
    let points = match *curve {
        OutlineCurve::Line(a, b) => [a, a, b, b],
        OutlineCurve::Quad(a, b, c) => [a, b, b, c],
        OutlineCurve::Cubic(a, b, c, d) => [a, b, c, d],
    };
    points.into_iter().map(|p| [p.x, p.y])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters of chart labels beyond ASCII.
    const SIGNS: &str = "−×·±≤≥≈²³⁰¹⁴⁵⁶⁷⁸⁹⁻⁺₀₁₂₃₄₅₆₇₈₉µνρλ°…–";

    #[test]
    fn every_character_of_a_label_has_a_drawing() {
        for c in (' '..='~').chain(SIGNS.chars()) {
            assert_ne!(typeface().glyph_id(substitute(c).0).0, 0, "{c:?}");
            assert!(c == ' ' || outlines(&c.to_string(), 10.0).count() == 1, "{c:?}");
        }
    }

    #[test]
    fn a_capital_is_as_high_as_asked_for() {
        let height = |text: &str| {
            let points = outlines(text, 10.0).flatten().collect::<Vec<_>>();
            points.iter().flat_map(control_points).map(|[_, y]| y).fold(0.0, f32::max)
        };
        assert!((height("H") - 10.0).abs() < 0.01, "{}", height("H"));
        // A raised sign is in the upper half, as the typeface's raised digits are.
        assert!(height("⁻") < height("⁴") && height("⁻") > 5.0, "{}", height("⁻"));
    }

    #[test]
    fn width_grows_with_the_text() {
        let (short, long) = (text_width("ab", 10.0), text_width("abc", 10.0));
        assert!(long > short && short > 0.0 && text_width("", 10.0) == 0.0);
    }
}
