//! Drawing of a chart's layout as SVG.

use std::fmt::Write;

use super::layout::Item;
use super::paint::DASH;
use crate::canvas::Align;
use crate::color::Rgb;

/// Height of capitals in common sans-serif fonts, relative to the font size.
const CAP_HEIGHT: f32 = 0.72;

pub(super) fn write(items: &[Item], [width, height]: [f32; 2]) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, sans-serif\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for item in items {
        // Writing to a string cannot fail.
        let _ = match item {
            Item::Line { points, width, color, dashed } => {
                line(&mut out, points, *width, *color, *dashed)
            }
            Item::Disc { center: [x, y], radius, color } => writeln!(
                out,
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{radius}\" fill=\"{}\" stroke=\"#fff\" \
                 stroke-width=\"1.2\"/>",
                hex(*color)
            ),
            Item::Text { at: [x, y], text, capital, align, color, upwards } => {
                let anchor = match align {
                    Align::Left => "start",
                    Align::Center => "middle",
                    Align::Right => "end",
                };
                let turn = match upwards {
                    true => format!(" transform=\"rotate(-90 {x:.2} {y:.2})\""),
                    false => String::new(),
                };
                writeln!(
                    out,
                    "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{:.1}\" text-anchor=\"{anchor}\" \
                     fill=\"{}\"{turn}>{}</text>",
                    capital / CAP_HEIGHT,
                    hex(*color),
                    escaped(text)
                )
            }
        };
    }
    out + "</svg>\n"
}

fn line(
    out: &mut String,
    points: &[[f32; 2]],
    width: f32,
    color: Rgb,
    dashed: bool,
) -> std::fmt::Result {
    let list: Vec<String> = points.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
    let dash = match dashed {
        true => format!(" stroke-dasharray=\"{} {}\"", DASH[0], DASH[1]),
        false => String::new(),
    };
    writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\"{dash}/>",
        list.join(" "),
        hex(color)
    )
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
