//! Example shapes of a solid that have no elastic energy, as deformations of its mesh.

use pliant::math::{cos, sin};
use pliant::{Error, Examples};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Example shapes: they and their blends have no elastic energy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExamplesSpec {
    /// One to four deformations of the mesh.
    pub shape: Vec<ExampleShape>,
    /// Minimum and maximum weight of a shape; default: `[0, 1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
    /// Use the same weights for the whole body, instead of separate ones for each tetrahedron.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub together: bool,
}

/// A deformation about the centre of the mesh: stretch first, then twist, then bend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExampleShape {
    /// Stretch factors along x, y and z; default: `[1, 1, 1]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch: Option<[f64; 3]>,
    /// Twist from one end of the longest side to the other \[degrees\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twist: Option<f64>,
    /// Angle of the arc into which the longest side bends \[degrees\], towards the next axis (of x towards
    /// y, of y towards z, of z towards x).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend: Option<f64>,
}

impl ExamplesSpec {
    /// Builds the engine's examples for a mesh with these positions \[m\].
    pub fn build(&self, positions: &[[f64; 3]]) -> Result<Examples, Error> {
        let shapes = self.shape.iter().map(|s| s.apply(positions)).collect();
        Ok(Examples { shapes, range: self.range.unwrap_or([0.0, 1.0]), whole_body: self.together })
    }
}

impl ExampleShape {
    /// Applies the deformation to positions \[m\].
    pub fn apply(&self, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for x in positions {
            for c in 0..3 {
                (low[c], high[c]) = (low[c].min(x[c]), high[c].max(x[c]));
            }
        }
        let size: [f64; 3] = std::array::from_fn(|c| high[c] - low[c]);
        let along = (0..3).fold(0, |best, c| if size[c] > size[best] { c } else { best });
        let (up, aside) = ((along + 1) % 3, (along + 2) % 3);
        let factors = self.stretch.unwrap_or([1.0; 3]);
        let length = size[along] * factors[along];
        let turn = |degrees: Option<f64>| degrees.unwrap_or(0.0).to_radians();
        let (twist, bend) = (turn(self.twist), turn(self.bend));
        let shape = |x: &[f64; 3]| {
            let mut p: [f64; 3] =
                std::array::from_fn(|c| factors[c] * (x[c] - 0.5 * (low[c] + high[c])));
            if twist != 0.0 {
                let angle = twist * p[along] / length;
                let (sin, cos) = (sin(angle), cos(angle));
                (p[up], p[aside]) = (cos * p[up] - sin * p[aside], sin * p[up] + cos * p[aside]);
            }
            if bend != 0.0 {
                // The centre line becomes an arc of the same length about a centre above it.
                let radius = length / bend;
                let (sin, cos) = (sin(p[along] / radius), cos(p[along] / radius));
                let out = radius - p[up];
                (p[along], p[up]) = (out * sin, radius - out * cos);
            }
            p
        };
        positions.iter().map(shape).collect()
    }
}
