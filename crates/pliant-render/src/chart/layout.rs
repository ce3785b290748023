//! Chart layout: a list of shapes that both SVG and PNG draw.

use super::axis::Scale;
use super::{Chart, Series};
use crate::canvas::Align;
use crate::color::{Rgb, SERIES};
use crate::font::text_width;

const TEXT: Rgb = [38, 44, 54];
const SOFT: Rgb = [92, 100, 112];
const GRID: Rgb = [228, 231, 236];
const FAINT: Rgb = [241, 243, 246];
const FRAME: Rgb = [150, 157, 168];

/// Heights of capitals.
const TITLE: f32 = 12.5;
const LABEL: f32 = 9.5;
const TICK: f32 = 8.5;

/// A shape of the chart, in chart units from the upper left corner.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Line { points: Vec<[f32; 2]>, width: f32, color: Rgb, dashed: bool },
    Disc { center: [f32; 2], radius: f32, color: Rgb },
    Text { at: [f32; 2], text: String, capital: f32, align: Align, color: Rgb, upwards: bool },
}

/// Rectangle of the curves.
#[derive(Clone, Copy)]
struct Plot {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

impl Plot {
    fn x(&self, part: f64) -> f32 {
        self.left + part as f32 * (self.right - self.left)
    }

    fn y(&self, part: f64) -> f32 {
        self.bottom - part as f32 * (self.bottom - self.top)
    }
}

pub(super) fn lay_out(chart: &Chart) -> Vec<Item> {
    let points = || chart.series.iter().flat_map(|s| &s.points);
    let places = |c: usize| {
        let (x, y) = (&chart.x, &chart.y);
        points().filter_map(move |p| Some([x.to_axis(p[0])?, y.to_axis(p[1])?][c]))
    };
    let (x, y) = (chart.x.scale(places(0)), chart.y.scale(places(1)));
    let plot = plot(chart, &y);
    let mut items = Vec::new();
    axes(chart, &plot, &x, &y, &mut items);
    for (k, series) in chart.series.iter().enumerate() {
        curve(chart, series, SERIES[k % SERIES.len()], &plot, [&x, &y], &mut items);
    }
    legend(chart, &plot, &mut items);
    items
}

/// Reserves space for titles, labels and the legend.
fn plot(chart: &Chart, y: &Scale) -> Plot {
    let widest = |texts: &mut dyn Iterator<Item = &String>, capital: f32| {
        texts.map(|t| text_width(t, capital)).fold(0.0, f32::max)
    };
    let labels = widest(&mut y.ticks.iter().filter_map(|t| t.label.as_ref()), TICK);
    let names = widest(&mut chart.series.iter().map(|s| &s.name), LABEL);
    let legend = if chart.series.is_empty() { 24.0 } else { names + 76.0 };
    let [width, height] = chart.size;
    let left = 24.0 + 2.0 * LABEL + labels;
    Plot {
        left,
        top: if chart.title.is_empty() { 22.0 } else { 52.0 },
        // A long legend takes at most the remaining 60 % of the width.
        right: (width - legend).max(left + 0.4 * (width - left)),
        bottom: height - 58.0,
    }
}

fn line(from: [f32; 2], to: [f32; 2], width: f32, color: Rgb) -> Item {
    Item::Line { points: vec![from, to], width, color, dashed: false }
}

fn text(at: [f32; 2], text: &str, capital: f32, align: Align, color: Rgb) -> Item {
    Item::Text { at, text: text.to_owned(), capital, align, color, upwards: false }
}

fn axes(chart: &Chart, plot: &Plot, x: &Scale, y: &Scale, items: &mut Vec<Item>) {
    let Plot { left, top, right, bottom } = *plot;
    // Faint lines are drawn first, so that stronger ones are on top.
    for strong in [false, true] {
        let color = if strong { GRID } else { FAINT };
        for tick in x.ticks.iter().filter(|t| t.label.is_some() == strong) {
            let at = plot.x(x.fraction(tick.place));
            items.push(line([at, top], [at, bottom], 1.0, color));
        }
        for tick in y.ticks.iter().filter(|t| t.label.is_some() == strong) {
            let at = plot.y(y.fraction(tick.place));
            items.push(line([left, at], [right, at], 1.0, color));
        }
    }
    items.push(line([left, bottom], [right, bottom], 1.2, FRAME));
    items.push(line([left, top], [left, bottom], 1.2, FRAME));
    for tick in &x.ticks {
        if let Some(label) = &tick.label {
            let at = plot.x(x.fraction(tick.place));
            items.push(line([at, bottom], [at, bottom + 4.0], 1.2, FRAME));
            let below = [at, bottom + 9.0 + TICK];
            items.push(text(below, label, TICK, Align::Center, SOFT));
        }
    }
    for tick in &y.ticks {
        if let Some(label) = &tick.label {
            let at = plot.y(y.fraction(tick.place));
            items.push(line([left - 4.0, at], [left, at], 1.2, FRAME));
            let beside = [left - 9.0, at + 0.5 * TICK];
            items.push(text(beside, label, TICK, Align::Right, SOFT));
        }
    }
    let (middle_x, middle_y) = (0.5 * (left + right), 0.5 * (top + bottom));
    let under = [middle_x, chart.size[1] - 14.0];
    items.push(text(under, &chart.x.title, LABEL, Align::Center, TEXT));
    items.push(Item::Text {
        at: [12.0 + LABEL, middle_y],
        text: chart.y.title.clone(),
        capital: LABEL,
        align: Align::Center,
        color: TEXT,
        upwards: true,
    });
    items.push(text([left, 32.0], &chart.title, TITLE, Align::Left, TEXT));
}

fn curve(
    chart: &Chart,
    series: &Series,
    color: Rgb,
    plot: &Plot,
    [x, y]: [&Scale; 2],
    items: &mut Vec<Item>,
) {
    let place = |p: &[f64; 2]| {
        let (px, py) = (chart.x.to_axis(p[0])?, chart.y.to_axis(p[1])?);
        Some([plot.x(x.fraction(px)), plot.y(y.fraction(py))])
    };
    let places: Vec<Option<[f32; 2]>> = series.points.iter().map(place).collect();
    for run in places.split(Option::is_none) {
        let points: Vec<[f32; 2]> = run.iter().flatten().copied().collect();
        if points.len() > 1 {
            items.push(Item::Line { points, width: 2.0, color, dashed: series.dashed });
        }
    }
    // Few points are measurements: mark them.
    let shown = places.iter().flatten().count();
    if shown <= 24 && !series.dashed {
        for center in places.into_iter().flatten() {
            items.push(Item::Disc { center, radius: 3.2, color });
        }
    }
}

fn legend(chart: &Chart, plot: &Plot, items: &mut Vec<Item>) {
    for (k, series) in chart.series.iter().enumerate() {
        let (left, y) = (plot.right + 16.0, plot.top + 10.0 + 22.0 * k as f32);
        let color = SERIES[k % SERIES.len()];
        let points = vec![[left, y], [left + 22.0, y]];
        items.push(Item::Line { points, width: 2.6, color, dashed: series.dashed });
        let at = [left + 30.0, y + 0.5 * LABEL];
        items.push(text(at, &series.name, LABEL, Align::Left, TEXT));
    }
}
