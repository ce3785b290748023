//! Drawing of a chart's layout as a picture.

use super::layout::Item;
use crate::canvas::Canvas;
use crate::picture::Picture;

/// Lengths of a dash and of the gap after it.
pub(super) const DASH: [f32; 2] = [7.0, 5.0];

pub(super) fn draw(items: &[Item], size: [f32; 2], scale: f32) -> Picture {
    let [width, height] = size.map(|s| (s * scale).round() as usize);
    let mut picture = Picture::new(width, height, [255; 3]);
    let mut canvas = Canvas::new(&mut picture);
    let scaled = |[x, y]: [f32; 2]| [x * scale, y * scale];
    for item in items {
        match item {
            Item::Line { points, width, color, dashed } => {
                let points: Vec<[f32; 2]> = points.iter().copied().map(scaled).collect();
                let pieces =
                    if *dashed { dashes(&points, DASH.map(|d| d * scale)) } else { vec![points] };
                for piece in pieces {
                    canvas.line(&piece, width * scale, *color, 1.0);
                }
            }
            Item::Disc { center, radius, color } => {
                canvas.disc(scaled(*center), (radius + 1.2) * scale, [255; 3]);
                canvas.disc(scaled(*center), radius * scale, *color);
            }
            Item::Text { at, text, capital, align, color, upwards } => {
                let (at, capital) = (scaled(*at), capital * scale);
                match upwards {
                    true => canvas.text_upwards(at, text, capital, *align, *color),
                    false => canvas.text(at, text, capital, *align, *color),
                }
            }
        }
    }
    picture
}

/// Splits a line into dashes.
fn dashes(points: &[[f32; 2]], [dash, gap]: [f32; 2]) -> Vec<Vec<[f32; 2]>> {
    let mut pieces = Vec::new();
    let mut piece: Vec<[f32; 2]> = points.first().copied().into_iter().collect();
    let (mut drawing, mut left) = (true, dash);
    for pair in points.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        let length = ((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1])).sqrt();
        let at = |s: f32| [a[0] + (b[0] - a[0]) * s / length, a[1] + (b[1] - a[1]) * s / length];
        let mut gone = 0.0;
        while length - gone > left {
            gone += left;
            if drawing {
                piece.push(at(gone));
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![at(gone)];
            }
            drawing = !drawing;
            left = if drawing { dash } else { gap };
        }
        left -= length - gone;
        if drawing {
            piece.push(b);
        }
    }
    if piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}
