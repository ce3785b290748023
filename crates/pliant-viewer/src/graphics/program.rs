//! Programs of the graphics card, told only what they ask for.

use three_d::{Context, CoreError, Mat4, Program, UniformDataType, vec4};

use super::Setting;
use crate::theme::{Look, Rgb};

/// The light's part, before a fragment program that uses it.
pub const LIGHT: &str = include_str!("shaders/light.glsl");

/// A program of two sources.
pub fn program(context: &Context, vertex: &str, fragment: &str) -> Result<Program, CoreError> {
    Program::from_source(context, vertex, fragment)
}

/// Tells a program something, if it asks.
pub fn tell<T: UniformDataType>(program: &Program, name: &str, value: T) {
    program.use_uniform_if_required(name, value);
}

/// Tells a program where the eye is, what the light is like and where it reaches.
pub fn tell_setting(program: &Program, setting: &Setting<'_>, look: &Look) {
    tell(program, "viewMatrix", setting.view);
    tell(program, "eye", setting.eye);
    tell(program, "keyLight", three_d::Vec3::from(look.key));
    tell(program, "skyLight", three_d::Vec3::from(look.sky));
    tell(program, "floorLight", three_d::Vec3::from(look.floor));
    tell(program, "fillLight", three_d::Vec3::from(look.fill));
    setting.shadow.tell(program);
}

/// Linear light of a colour as it is shown.
pub fn linear(color: Rgb) -> three_d::Vec3 {
    let decode = |c: u8| {
        let s = f32::from(c) / 255.0;
        if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
    };
    three_d::vec3(decode(color[0]), decode(color[1]), decode(color[2]))
}

/// The matrix of three rows of four numbers.
pub fn matrix(rows: &[f32; 12]) -> Mat4 {
    let column = |c: usize, last: f32| vec4(rows[c], rows[4 + c], rows[8 + c], last);
    Mat4::from_cols(column(0, 0.0), column(1, 0.0), column(2, 0.0), column(3, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_move_a_place() {
        let rows = [0.0, -1.0, 0.0, 5.0, 1.0, 0.0, 0.0, 6.0, 0.0, 0.0, 1.0, 7.0];
        assert_eq!(matrix(&rows) * vec4(1.0, 2.0, 3.0, 1.0), vec4(3.0, 7.0, 10.0, 1.0));
    }

    #[test]
    fn middle_grey_has_a_fifth_of_the_light() {
        assert!((linear([128; 3]).x - 0.2159).abs() < 1e-4);
    }
}
