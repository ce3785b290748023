//! Stroke fonts: parses the glyphs and lays out text.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::glyphs::{GLYPHS, LOWERED, RAISED};

/// Height of a capital above the baseline, in font units.
const CAP_HEIGHT: f32 = 10.0;
/// Space between two characters, and the width of a blank, in font units.
const LETTER_SPACING: f32 = 2.6;
const SPACE_WIDTH: f32 = 4.6;
/// Scale of superscripts and subscripts, and their vertical offsets.
const SCRIPT_SCALE: f32 = 0.62;
const SUPERSCRIPT_SHIFT: f32 = 5.2;
const SUBSCRIPT_SHIFT: f32 = -2.2;

pub(crate) type Point = [f32; 2];

#[derive(Clone, Default)]
struct Glyph {
    width: f32,
    strokes: Vec<Vec<Point>>,
}

fn glyphs() -> &'static BTreeMap<char, Glyph> {
    static TABLE: OnceLock<BTreeMap<char, Glyph>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut table: BTreeMap<char, Glyph> = GLYPHS.lines().filter_map(parse).collect();
        table.insert(' ', Glyph { width: SPACE_WIDTH - LETTER_SPACING, strokes: Vec::new() });
        let raised = RAISED.iter().map(|&(c, plain)| (c, plain, SUPERSCRIPT_SHIFT));
        let lowered = LOWERED.iter().map(|&(c, plain)| (c, plain, SUBSCRIPT_SHIFT));
        for (c, plain, lift) in raised.chain(lowered) {
            let Some(glyph) = table.get(&plain) else { continue };
            let lifted = |[x, y]: Point| [SCRIPT_SCALE * x, lift + SCRIPT_SCALE * y];
            let strokes =
                glyph.strokes.iter().map(|s| s.iter().copied().map(lifted).collect()).collect();
            let glyph = Glyph { width: SCRIPT_SCALE * glyph.width, strokes };
            table.insert(c, glyph);
        }
        table
    })
}

fn parse(line: &str) -> Option<(char, Glyph)> {
    let mut parts = line.splitn(3, ' ');
    let name = parts.next()?.chars().next()?;
    let width = parts.next()?.parse().ok()?;
    let strokes = parts.next()?.split(';').map(stroke).collect();
    Some((name, Glyph { width, strokes }))
}

/// Points of a stroke, with its curves flattened to line segments.
fn stroke(text: &str) -> Vec<Point> {
    let mut nodes: Vec<(bool, Point)> = Vec::new();
    for word in text.split_whitespace() {
        let (pulls, numbers) = word.strip_prefix('*').map_or((false, word), |rest| (true, rest));
        let Some((x, y)) = numbers.split_once(',') else { continue };
        let (Ok(x), Ok(y)) = (x.parse(), y.parse()) else { continue };
        let point: Point = [x, y];
        if let Some(&(true, last)) = nodes.last()
            && pulls
        {
            nodes.push((false, halfway(last, point)));
        }
        nodes.push((pulls, point));
    }
    // A stroke that begins with a control point is closed: it starts and ends halfway between its last and
    // first point.
    if let (Some(&(true, first)), Some(&(_, last))) = (nodes.first(), nodes.last()) {
        let seam = halfway(last, first);
        nodes.insert(0, (false, seam));
        nodes.push((false, seam));
    }
    let mut points: Vec<Point> = Vec::new();
    for k in 0..nodes.len() {
        match (nodes[k], points.last().copied(), nodes.get(k + 1)) {
            ((false, p), _, _) => points.push(p),
            ((true, pull), Some(from), Some(&(_, to))) => {
                const PIECES: usize = 6;
                points.extend((1..PIECES).map(|i| bend(from, pull, to, i as f32 / PIECES as f32)));
            }
            _ => {}
        }
    }
    points
}

fn halfway(a: Point, b: Point) -> Point {
    [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])]
}

/// Point at parameter `t` of a quadratic Bézier curve.
fn bend(a: Point, pull: Point, b: Point, t: f32) -> Point {
    let s = 1.0 - t;
    [0, 1].map(|c| s * s * a[c] + 2.0 * s * t * pull[c] + t * t * b[c])
}

/// Width of a text with capitals `capital` high, in the same unit.
pub(crate) fn text_width(text: &str, capital: f32) -> f32 {
    let widths = text.chars().map(|c| glyph(c).width + LETTER_SPACING);
    (widths.sum::<f32>() - LETTER_SPACING).max(0.0) * capital / CAP_HEIGHT
}

/// Glyph of a character; a box if the font does not have it.
fn glyph(c: char) -> &'static Glyph {
    static UNKNOWN: OnceLock<Glyph> = OnceLock::new();
    glyphs().get(&c).unwrap_or_else(|| {
        UNKNOWN.get_or_init(|| {
            let outline = vec![[0.0, 0.0], [0.0, 8.0], [5.0, 8.0], [5.0, 0.0], [0.0, 0.0]];
            Glyph { width: 5.0, strokes: vec![outline] }
        })
    })
}

/// Strokes of a text that starts at the origin, y up, with capitals `capital` high.
pub(crate) fn strokes(text: &str, capital: f32) -> Vec<Vec<Point>> {
    let size = capital / CAP_HEIGHT;
    let mut pen = 0.0;
    let mut out = Vec::new();
    for c in text.chars() {
        let glyph = glyph(c);
        for stroke in &glyph.strokes {
            out.push(stroke.iter().map(|[x, y]| [(pen + x) * size, y * size]).collect());
        }
        pen += glyph.width + LETTER_SPACING;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_ascii_character_has_a_drawing() {
        for c in ' '..='~' {
            assert!(glyphs().contains_key(&c), "{c:?}");
            assert!(c == ' ' || glyphs()[&c].strokes.iter().all(|s| s.len() > 1), "{c:?}");
        }
    }

    #[test]
    fn drawings_stay_within_their_width() {
        for (c, glyph) in glyphs() {
            for [x, y] in glyph.strokes.iter().flatten() {
                assert!((-0.01..=glyph.width + 0.35).contains(x), "{c:?} at x = {x}");
                assert!((-3.3..=11.5).contains(y), "{c:?} at y = {y}");
            }
        }
    }

    #[test]
    fn width_grows_with_the_text() {
        let (short, long) = (text_width("ab", 10.0), text_width("abc", 10.0));
        assert!(long > short && short > 0.0 && text_width("", 10.0) == 0.0);
    }
}
