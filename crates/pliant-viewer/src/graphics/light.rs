//! Eye, light and colours, as programs are told them.

use glam::{Mat4, Vec4};

use super::Setting;
use super::program::Program;
use crate::theme::{Look, Rgb};

/// The light's part, before a fragment program that uses it.
pub const LIGHT: &str = include_str!("shaders/light.glsl");

/// Tells a program where the eye is, what the light is like and where it reaches.
pub fn tell_setting(program: &Program, setting: &Setting<'_>, look: &Look) {
    program.tell("viewMatrix", setting.view);
    program.tell("eye", setting.eye);
    program.tell("keyLight", look.key);
    program.tell("skyLight", look.sky);
    program.tell("floorLight", look.floor);
    program.tell("fillLight", look.fill);
    setting.shadow.tell(program);
}

/// Linear light of a colour as it is shown.
pub fn linear(color: Rgb) -> [f32; 3] {
    color.map(|c| {
        let s = f32::from(c) / 255.0;
        if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
    })
}

/// The matrix of three rows of four numbers.
pub fn matrix(rows: &[f32; 12]) -> Mat4 {
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
        assert_eq!(matrix(&rows) * vec4(1.0, 2.0, 3.0, 1.0), vec4(3.0, 7.0, 10.0, 1.0));
    }

    #[test]
    fn middle_grey_has_a_fifth_of_the_light() {
        assert!((linear([128; 3])[0] - 0.2159).abs() < 1e-4);
    }
}
