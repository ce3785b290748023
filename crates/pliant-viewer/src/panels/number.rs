//! A numeric field with its unit; the value is sent when the edit ends, not for every intermediate slider
//! position.

use std::collections::BTreeMap;

use egui::{Slider, Ui};

/// Value, range and label of a numeric field.
pub struct NumberField<'a> {
    /// Key in the map of pending edits.
    pub id: &'a str,
    /// Label.
    pub label: &'a str,
    /// Meaning; the label and the unit if empty.
    pub tip: &'a str,
    /// Unit.
    pub unit: &'a str,
    /// Current value.
    pub value: f64,
    /// Smallest and largest sensible value.
    pub range: [f64; 2],
    /// True if the slider is logarithmic.
    pub logarithmic: bool,
    /// True if the value is an integer.
    pub is_integer: bool,
}

/// Shows a numeric field. Returns the new value once an edit ends.
pub fn show(
    ui: &mut Ui,
    edits: &mut BTreeMap<String, f64>,
    number: &NumberField<'_>,
) -> Option<f64> {
    let mut value = edits.get(number.id).copied().unwrap_or(number.value);
    let [low, high] = number.range;
    let range = low.min(number.value)..=high.max(number.value);
    let tip = if !number.tip.is_empty() {
        capitalize(number.tip)
    } else if number.unit.is_empty() {
        number.label.to_owned()
    } else {
        format!("{} in {}", number.label, number.unit)
    };
    ui.label(capitalize(number.label)).on_hover_text(&tip);
    if !range.end().is_finite() {
        // A slider needs a range.
        let field = egui::DragValue::new(&mut value).range(low..=f64::INFINITY);
        let field = field.custom_formatter(|v, _| format_short(v));
        let response = ui.add(field.custom_parser(|s| s.trim().parse().ok())).on_hover_text(tip);
        if response.changed() {
            edits.insert(number.id.to_owned(), value);
        }
        let done = response.drag_stopped() || response.lost_focus();
        return done.then(|| edits.remove(number.id)).flatten().filter(|v| *v != number.value);
    }
    let mut slider = Slider::new(&mut value, range)
        .logarithmic(number.logarithmic && low > 0.0)
        .suffix(if number.unit.is_empty() { String::new() } else { format!(" {}", number.unit) })
        .smart_aim(true);
    if number.is_integer {
        slider = slider.integer();
    } else {
        slider = slider
            .custom_formatter(|v, _| format_short(v))
            .custom_parser(|s| s.trim().parse().ok());
    }
    ui.spacing_mut().slider_width = (ui.available_width() - 96.0).clamp(60.0, 220.0);
    let response = ui.add(slider).on_hover_text(tip);
    if response.changed() {
        edits.insert(number.id.to_owned(), value);
    }
    let done = response.drag_stopped() || response.lost_focus();
    let typed = response.changed() && !response.dragged() && !response.has_focus();
    if done || typed {
        return edits.remove(number.id).filter(|v| *v != number.value);
    }
    None
}

/// Capitalises the first letter.
pub fn capitalize(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |c| c.to_uppercase().chain(letters).collect())
}

/// Short form of a number: three digits, and a power of ten for very large or small values.
pub fn format_short(v: f64) -> String {
    let size = v.abs();
    if v == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e5).contains(&size) {
        format!("{v:.2e}")
    } else if size >= 100.0 {
        format!("{v:.0}")
    } else if size >= 10.0 {
        format!("{v:.1}")
    } else if size >= 1.0 {
        format!("{v:.2}")
    } else {
        format!("{v:.4}").trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}

/// Two columns, for labels and fields.
pub fn grid(ui: &mut Ui, id: &str, add: impl FnOnce(&mut Ui)) {
    egui::Grid::new(id).num_columns(2).spacing([8.0, 5.0]).show(ui, add);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_begin_with_a_capital() {
        assert_eq!(capitalize("iterations"), "Iterations");
        assert_eq!(capitalize(""), "");
    }

    #[test]
    fn numbers_are_short() {
        for (v, s) in [(0.0, "0"), (0.05, "0.05"), (1.5, "1.50"), (1.0e6, "1.00e6"), (250.0, "250")]
        {
            assert_eq!(format_short(v), s);
        }
    }
}
