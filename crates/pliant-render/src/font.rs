//! Text as strokes: reads the letters' drawings and lays them along a line.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::glyphs::{GLYPHS, LOWERED, RAISED};

/// The units from the baseline to the top of a capital.
const CAPITAL: f32 = 10.0;
/// Room between two characters, and the width of a space.
const GAP: f32 = 2.6;
const SPACE: f32 = 4.6;
/// The size of superscripts and subscripts, and how high they stand.
const SMALL: f32 = 0.62;
const RAISE: f32 = 5.2;
const LOWER: f32 = -2.2;

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
        table.insert(' ', Glyph { width: SPACE - GAP, strokes: Vec::new() });
        let raised = RAISED.iter().map(|&(c, plain)| (c, plain, RAISE));
        let lowered = LOWERED.iter().map(|&(c, plain)| (c, plain, LOWER));
        for (c, plain, lift) in raised.chain(lowered) {
            let Some(glyph) = table.get(&plain) else { continue };
            let lifted = |[x, y]: Point| [SMALL * x, lift + SMALL * y];
            let strokes =
                glyph.strokes.iter().map(|s| s.iter().copied().map(lifted).collect()).collect();
            let glyph = Glyph { width: SMALL * glyph.width, strokes };
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

/// A stroke's points, with its curves cut into short lines.
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
    // A stroke that begins with a pull is closed: it starts and ends between its last and first.
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

/// The point at `t` of the quadratic curve.
fn bend(a: Point, pull: Point, b: Point, t: f32) -> Point {
    let s = 1.0 - t;
    [0, 1].map(|c| s * s * a[c] + 2.0 * s * t * pull[c] + t * t * b[c])
}

/// How wide a text is when its capitals are `capital` high, in the same unit.
pub(crate) fn text_width(text: &str, capital: f32) -> f32 {
    let widths = text.chars().map(|c| glyph(c).width + GAP);
    (widths.sum::<f32>() - GAP).max(0.0) * capital / CAPITAL
}

/// A character's drawing; a box for one that is not known.
fn glyph(c: char) -> &'static Glyph {
    static UNKNOWN: OnceLock<Glyph> = OnceLock::new();
    glyphs().get(&c).unwrap_or_else(|| {
        UNKNOWN.get_or_init(|| {
            let outline = vec![[0.0, 0.0], [0.0, 8.0], [5.0, 8.0], [5.0, 0.0], [0.0, 0.0]];
            Glyph { width: 5.0, strokes: vec![outline] }
        })
    })
}

/// The strokes of a text that begins at the origin, y up, its capitals `capital` high.
pub(crate) fn strokes(text: &str, capital: f32) -> Vec<Vec<Point>> {
    let size = capital / CAPITAL;
    let mut pen = 0.0;
    let mut out = Vec::new();
    for c in text.chars() {
        let glyph = glyph(c);
        for stroke in &glyph.strokes {
            out.push(stroke.iter().map(|[x, y]| [(pen + x) * size, y * size]).collect());
        }
        pen += glyph.width + GAP;
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
