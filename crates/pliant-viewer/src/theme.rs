//! Colours of the picture and of the panels, in light and dark mode.
//!
//! Bodies have the same colours as in pictures of the command-line tool.

use egui::{Color32, CornerRadius, FontData, FontDefinitions, FontFamily, Stroke, Visuals};

/// A colour in sRGB.
pub type Rgb = [u8; 3];

/// The warm red of a cloth's front.
pub const CORAL: Rgb = [214, 84, 72];
/// The lighter tone of its back.
pub const SAND: Rgb = [236, 190, 140];
/// A calm blue.
pub const AZURE: Rgb = [66, 128, 196];
/// A fresh green.
pub const JADE: Rgb = [72, 160, 122];
/// Middle grey of static objects.
pub const HONEY: Rgb = [232, 176, 70];
/// Front colours of bodies, used in turn.
pub const STONE: Rgb = [150, 156, 166];
/// Colours of curves, used in turn.
pub const BODIES: [Rgb; 6] = [CORAL, AZURE, JADE, HONEY, [134, 96, 172], [40, 164, 196]];
/// Curves, one after the other.
pub const SERIES: [Rgb; 4] = [[40, 104, 184], [228, 122, 36], [36, 150, 104], [200, 52, 72]];

/// Diverging colormap from compression to extension, with even steps of lightness around a pale middle.
pub const STRAIN_COLORMAP: [Rgb; 7] = [
    [46, 62, 140],
    [52, 116, 178],
    [96, 178, 190],
    [240, 232, 176],
    [240, 170, 86],
    [218, 92, 62],
    [150, 24, 50],
];

/// Back colour of a surface with this front colour.
pub fn back_of(front: Rgb) -> Rgb {
    if front == CORAL { SAND } else { mix(front, [255, 246, 226], 0.45) }
}

/// Linear interpolation from `a` to `b` at `t`.
pub fn mix(a: Rgb, b: Rgb, t: f32) -> Rgb {
    std::array::from_fn(|c| (f32::from(a[c]) + t * (f32::from(b[c]) - f32::from(a[c]))) as u8)
}

/// Conversion to a colour of the panels.
pub fn color(c: Rgb) -> Color32 {
    Color32::from_rgb(c[0], c[1], c[2])
}

/// Light, ground and background of a view. Light is linear; background colours are display values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewStyle {
    /// Key light, which casts the shadow.
    pub key: [f32; 3],
    /// Light from above.
    pub sky: [f32; 3],
    /// Light from below.
    pub floor: [f32; 3],
    /// Light from the eye.
    pub fill: [f32; 3],
    /// Upper background colour.
    pub top: [f32; 3],
    /// Lower background colour.
    pub bottom: [f32; 3],
    /// Colour of the ground.
    pub ground: [f32; 3],
    /// Colour of the grid lines on it.
    pub line: [f32; 3],
    /// Factor on the ground colour in shadow.
    pub shade: [f32; 3],
    /// True if the grid is drawn on the ground.
    pub grid: bool,
}

impl ViewStyle {
    /// Light or dark style.
    pub fn new(dark: bool) -> Self {
        if dark {
            Self {
                key: [0.80, 0.77, 0.73],
                sky: [0.30, 0.33, 0.40],
                floor: [0.16, 0.16, 0.17],
                fill: [0.11, 0.12, 0.15],
                top: [0.075, 0.085, 0.105],
                bottom: [0.150, 0.162, 0.188],
                ground: [0.165, 0.178, 0.205],
                line: [0.36, 0.39, 0.45],
                shade: [0.38, 0.38, 0.42],
                grid: true,
            }
        } else {
            Self {
                key: [0.88, 0.84, 0.78],
                sky: [0.46, 0.50, 0.56],
                floor: [0.34, 0.31, 0.29],
                fill: [0.13, 0.15, 0.18],
                top: [0.875, 0.902, 0.937],
                bottom: [0.969, 0.972, 0.976],
                ground: [0.937, 0.942, 0.949],
                line: [0.74, 0.77, 0.81],
                shade: [0.68, 0.695, 0.735],
                grid: true,
            }
        }
    }
}

/// Sets the fonts of the panels: one font for text and numbers, with digits of equal width.
pub fn apply_fonts(ctx: &egui::Context) {
    let mut fonts = FontDefinitions::empty();
    let letters = FontData::from_static(pliant_render::TYPEFACE);
    fonts.font_data.insert("letters".to_owned(), letters.into());
    for family in [FontFamily::Proportional, FontFamily::Monospace] {
        fonts.families.insert(family, vec!["letters".to_owned()]);
    }
    ctx.set_fonts(fonts);
}

/// Sets the colours and spacing of the panels.
pub fn apply(ctx: &egui::Context, dark: bool) {
    let mut visuals = if dark { Visuals::dark() } else { Visuals::light() };
    let (panel, widget, hover, line, text, accent) = if dark {
        ([30, 33, 39], [48, 53, 62], [62, 69, 81], [58, 64, 74], [222, 226, 232], [104, 164, 230])
    } else {
        (
            [250, 251, 252],
            [233, 236, 240],
            [220, 226, 233],
            [214, 219, 226],
            [42, 48, 58],
            [40, 104, 184],
        )
    };
    let (panel, widget, hover) = (color(panel), color(widget), color(hover));
    let (line, text, accent) = (color(line), color(text), color(accent));
    visuals.panel_fill = panel;
    visuals.window_fill = panel;
    visuals.window_stroke = Stroke::new(1.0, line);
    visuals.override_text_color = Some(text);
    visuals.extreme_bg_color = if dark { color([22, 24, 29]) } else { Color32::WHITE };
    visuals.faint_bg_color = widget;
    visuals.hyperlink_color = accent;
    let soft = if dark { 0.35 } else { 0.22 };
    visuals.selection.bg_fill = accent.gamma_multiply(soft);
    visuals.selection.stroke = Stroke::new(1.0, text);
    let round = CornerRadius::same(5);
    let states = &mut visuals.widgets;
    for (state, fill, edge) in [
        (&mut states.noninteractive, panel, line),
        (&mut states.inactive, widget, Color32::TRANSPARENT),
        (&mut states.hovered, hover, line),
        (&mut states.active, hover, accent),
        (&mut states.open, hover, line),
    ] {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.bg_stroke = Stroke::new(1.0, edge);
        state.fg_stroke = Stroke::new(1.0, text);
        state.corner_radius = round;
        state.expansion = 0.0;
    }
    ctx.set_theme(if dark { egui::Theme::Dark } else { egui::Theme::Light });
    ctx.set_visuals(visuals);
    ctx.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(6.0, 5.0);
        style.spacing.button_padding = egui::vec2(8.0, 4.0);
        style.spacing.slider_width = 120.0;
        style.spacing.interact_size.y = 24.0;
        style.interaction.selectable_labels = false;
        style.text_styles.insert(egui::TextStyle::Small, egui::FontId::proportional(11.0));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_reaches_both_ends() {
        assert_eq!(mix(CORAL, SAND, 0.0), CORAL);
        assert_eq!(mix(CORAL, SAND, 1.0), SAND);
        assert_eq!(back_of(CORAL), SAND);
    }
}
