//! Uniforms of camera, light and colours.

use glam::{Mat4, Vec4};

use super::Environment;
use super::program::Program;
use crate::theme::{Rgb, ViewStyle};

/// Shader code for lighting, prepended to the fragment shaders that use it.
pub const LIGHT_GLSL: &str = include_str!("shaders/light.glsl");

/// Sets the uniforms of camera, light and shadow.
pub fn set_environment(program: &Program, environment: &Environment<'_>, look: &ViewStyle) {
    program.set_uniform("viewMatrix", environment.view);
    program.set_uniform("eye", environment.eye);
    program.set_uniform("keyLight", look.key);
    program.set_uniform("skyLight", look.sky);
    program.set_uniform("floorLight", look.floor);
    program.set_uniform("fillLight", look.fill);
    environment.shadow.set_uniforms(program);
}

/// Converts an sRGB colour to linear light.
pub fn srgb_to_linear(color: Rgb) -> [f32; 3] {
    color.map(|c| {
        let s = f32::from(c) / 255.0;
        if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
    })
}

/// Matrix from three rows of four numbers.
pub fn matrix_from_rows(rows: &[f32; 12]) -> Mat4 {
    let row = |k: usize| Vec4::from_slice(&rows[4 * k..4 * k + 4]);
    Mat4::from_cols(row(0), row(1), row(2), Vec4::W).transpose()
}

#[cfg(test)]
mod tests {
    use glam::vec4;

    use super::*;

    #[test]
    fn rows_move_a_place() {
        let rows = [0.0, -1.0, 0.0, 5.0, 1.0, 0.0, 0.0, 6.0, 0.0, 0.0, 1.0, 7.0];
        assert_eq!(matrix_from_rows(&rows) * vec4(1.0, 2.0, 3.0, 1.0), vec4(3.0, 7.0, 10.0, 1.0));
    }

    #[test]
    fn middle_grey_has_a_fifth_of_the_light() {
        assert!((srgb_to_linear([128; 3])[0] - 0.2159).abs() < 1e-4);
    }
}
