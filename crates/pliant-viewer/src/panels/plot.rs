//! Small plots of curves over steps.

use egui::{Align2, Color32, FontId, Pos2, Rect, Sense, Stroke, Ui, Vec2, pos2};

use super::number::format_short;

/// One curve.
pub struct Curve {
    /// Name of the curve.
    pub name: String,
    /// Points: step and value, in order.
    pub points: Vec<[f64; 2]>,
    /// Colour.
    pub color: Color32,
}

/// Shows curves under a title; with `log` the value axis is logarithmic.
pub fn show(ui: &mut Ui, size: Vec2, title: &str, curves: &[Curve], log: bool) {
    let (response, painter) = ui.allocate_painter(size, Sense::hover());
    let rect = response.rect;
    let visuals = ui.visuals();
    painter.rect_filled(rect, 4.0, visuals.extreme_bg_color);
    let (text, faint) = (visuals.text_color(), visuals.text_color().gamma_multiply(0.6));
    let small = FontId::proportional(11.0);
    let head = pos2(rect.left() + 6.0, rect.top() + 3.0);
    let title_box = painter.text(head, Align2::LEFT_TOP, title, small.clone(), text);
    let mut pen = title_box.right() + 10.0;
    for curve in curves.iter().filter(|c| !c.name.is_empty()) {
        let at = pos2(pen, rect.top() + 3.0);
        let drawn = painter.text(at, Align2::LEFT_TOP, &curve.name, small.clone(), curve.color);
        pen = drawn.right() + 8.0;
    }
    let area = Rect::from_min_max(
        pos2(rect.left() + 6.0, rect.top() + 20.0),
        pos2(rect.right() - 46.0, rect.bottom() - 5.0),
    );
    let Some(scale) = Scale::of(curves, log) else {
        painter.text(area.center(), Align2::CENTER_CENTER, "no values", small, faint);
        return;
    };
    for (v, align) in [(scale.high, Align2::LEFT_TOP), (scale.low, Align2::LEFT_BOTTOM)] {
        let y = if v == scale.high { area.top() } else { area.bottom() };
        let shown = format_short(if log { 10.0_f64.powf(v) } else { v });
        painter.text(pos2(area.right() + 4.0, y), align, shown, small.clone(), faint);
        let line = [pos2(area.left(), y), pos2(area.right(), y)];
        painter.line_segment(line, Stroke::new(0.5, faint.gamma_multiply(0.5)));
    }
    for curve in curves {
        let line: Vec<Pos2> =
            curve.points.iter().filter_map(|p| scale.to_screen(p, area)).collect();
        if line.len() == 1 {
            painter.circle_filled(line[0], 2.0, curve.color);
        }
        painter.add(egui::Shape::line(line, Stroke::new(1.5, curve.color)));
    }
    if let Some(at) = response.hover_pos().filter(|p| area.x_range().contains(p.x)) {
        let step = scale.first + f64::from((at.x - area.left()) / area.width()) * scale.span();
        let mut lines = vec![format!("step {step:.0}")];
        for curve in curves {
            let near = |p: &&[f64; 2]| (p[0] - step).abs();
            let point = curve.points.iter().min_by(|a, b| near(a).total_cmp(&near(b)));
            lines.extend(point.map(|p| format!("{} {}", curve.name, format_short(p[1]))));
        }
        let x = [pos2(at.x, area.top()), pos2(at.x, area.bottom())];
        painter.line_segment(x, Stroke::new(1.0, faint));
        response.on_hover_text(lines.join("\n"));
    }
}

/// Mapping from values to screen positions.
struct Scale {
    first: f64,
    last: f64,
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    fn of(curves: &[Curve], log: bool) -> Option<Self> {
        let points = || curves.iter().flat_map(|c| &c.points);
        let values = || points().filter_map(|p| axis_value(p[1], log));
        let first = points().map(|p| p[0]).reduce(f64::min)?;
        let last = points().map(|p| p[0]).reduce(f64::max)?;
        let (mut low, mut high) = (values().reduce(f64::min)?, values().reduce(f64::max)?);
        if !log {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if high - low < 1e-12 * high.abs().max(1e-12) {
            high = low + if log { 1.0 } else { high.abs().max(1.0) };
        }
        Some(Self { first, last, low, high, log })
    }

    fn span(&self) -> f64 {
        (self.last - self.first).max(1.0)
    }

    fn to_screen(&self, point: &[f64; 2], area: Rect) -> Option<Pos2> {
        let level = axis_value(point[1], self.log)?;
        let x = ((point[0] - self.first) / self.span()) as f32;
        let y = ((level - self.low) / (self.high - self.low)) as f32;
        Some(pos2(area.left() + x * area.width(), area.bottom() - y * area.height()))
    }
}

fn axis_value(v: f64, log: bool) -> Option<f64> {
    let level = if log { v.max(1e-18).log10() } else { v };
    level.is_finite().then_some(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(values: &[f64]) -> Curve {
        let points = values.iter().enumerate().map(|(k, v)| [k as f64, *v]).collect();
        Curve { name: String::new(), points, color: Color32::RED }
    }

    #[test]
    fn curves_fill_their_area() {
        let scale = Scale::of(&[curve(&[1.0, 4.0])], false).expect("values");
        let area = Rect::from_min_size(pos2(0.0, 0.0), egui::vec2(100.0, 50.0));
        assert_eq!(scale.to_screen(&[1.0, 4.0], area), Some(pos2(100.0, 0.0)));
        assert_eq!(scale.to_screen(&[0.0, 0.0], area), Some(pos2(0.0, 50.0)));
    }

    #[test]
    fn a_constant_and_nothing_at_all_can_be_shown() {
        assert!(Scale::of(&[curve(&[0.0, 0.0])], true).is_some());
        assert!(Scale::of(&[curve(&[])], false).is_none());
        assert!(Scale::of(&[curve(&[f64::NAN])], false).is_none());
    }
}
