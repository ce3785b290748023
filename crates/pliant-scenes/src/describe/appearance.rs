//! Colours and patterns of bodies, in scene files: for pictures, exports and the viewer.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An sRGB colour: `"#rrggbb"` in scene files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub [u8; 3]);

/// Colours and pattern of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Appearance {
    /// Colour; default: by the number of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<Color>,
    /// Colour of the back of a cloth; default: `color`, or by the number of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back: Option<Color>,
    /// Pattern on both sides; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<PatternAppearance>,
}

/// A pattern of two colours along the texture coordinates of the mesh. A mesh without texture coordinates has
/// angles around the y axis and up from the lowest point instead.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PatternAppearance {
    /// Kind of the pattern.
    pub kind: PatternKind,
    /// Second colour.
    pub color: Color,
    /// Periods along u and along v.
    pub repeat: [f64; 2],
}

/// Kind of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PatternKind {
    /// Stripes across the direction given by `repeat`: `[8, 0]` across u, `[0, 8]` across v.
    Stripes,
    /// A chessboard.
    Checks,
    /// Stripes along both directions; the colours are mixed where only one of them passes.
    Gingham,
}

impl PatternAppearance {
    /// Share of the second colour at a texture coordinate, from 0 to 1.
    pub fn share(&self, [u, v]: [f64; 2]) -> f64 {
        let half = |phase: f64| if phase - phase.floor() < 0.5 { 0.0 } else { 1.0 };
        let [u, v] = [u * self.repeat[0], v * self.repeat[1]];
        match self.kind {
            PatternKind::Stripes => half(u + v),
            PatternKind::Checks => (half(u) - half(v)).abs(),
            PatternKind::Gingham => 0.5 * (half(u) + half(v)),
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl Visitor<'_> for Text {
            type Value = Color;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a colour such as \"#d65448\"")
            }
            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Color, E> {
                let digits = text.strip_prefix('#').filter(|d| d.len() == 6);
                let digits = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
                let number = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
                let bytes = number.map(u32::to_be_bytes).ok_or_else(|| {
                    E::custom(format!("\"{text}\" is not a colour; use one such as \"#d65448\""))
                })?;
                Ok(Color([bytes[1], bytes[2], bytes[3]]))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

impl JsonSchema for Color {
    fn schema_name() -> Cow<'static, str> {
        "Color".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^#[0-9a-fA-F]{6}$",
            "description": "An sRGB colour such as \"#d65448\".",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_read_and_written_as_hexadecimal_digits() {
        let appearance: Appearance =
            serde_json::from_str(r##"{"color": "#D65448", "back": "#ecbe8c"}"##).unwrap();
        assert_eq!(appearance.color, Some(Color([214, 84, 72])));
        let text = serde_json::to_string(&appearance).unwrap();
        assert_eq!(text, r##"{"color":"#d65448","back":"#ecbe8c"}"##);
        for wrong in ["red", "#12345", "#1234567", "#12345g", "#+12345"] {
            let json = format!("{{\"color\": \"{wrong}\"}}");
            let error = serde_json::from_str::<Appearance>(&json).unwrap_err().to_string();
            assert!(error.contains("is not a colour"), "{wrong}: {error}");
        }
    }

    #[test]
    fn patterns_have_the_second_color_in_the_second_half_of_a_period() {
        let pattern = |kind, repeat| PatternAppearance { kind, color: Color([0; 3]), repeat };
        let stripes = pattern(PatternKind::Stripes, [2.0, 0.0]);
        assert_eq!([0.1, 0.3, 0.6, 0.8].map(|u| stripes.share([u, 0.7])), [0.0, 1.0, 0.0, 1.0]);
        let checks = pattern(PatternKind::Checks, [1.0, 1.0]);
        let corners = [[0.2, 0.2], [0.7, 0.2], [0.2, 0.7], [0.7, 0.7]];
        assert_eq!(corners.map(|uv| checks.share(uv)), [0.0, 1.0, 1.0, 0.0]);
        let gingham = pattern(PatternKind::Gingham, [1.0, 1.0]);
        assert_eq!(corners.map(|uv| gingham.share(uv)), [0.0, 0.5, 0.5, 1.0]);
    }
}
