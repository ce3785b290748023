//! Strain Based Dynamics, figure 2: constraints of a triangle as fields.
//! `cargo run --release -p pliant-render --example strain_fields [file.png]`
//!
//! Two vertices of a right triangle are held; the third, whose rest position is the white dot, is
//! moved over the plane. Colours are the value of a constraint there (green positive, red negative,
//! clamped), arrows the correction that one projection gives the vertex, of shear a quarter. Above the plain entries of
//! Green's strain, below the square root of stretch and the shear that is apart from stretch.

use std::error::Error;

use pliant::element::ConstraintGroup;
use pliant::elements::{GreenMeasure, TriangleGreen};
use pliant::math::Vec3;
use pliant_render::{Canvas, Picture, Rgb, Sheet, color};

/// The held vertices and the rest position of the moved one \[m\]: it is where the axes meet, so
/// that it has a part in every strain.
const REST: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]];
/// The part of the plane that is drawn \[m\]: its left lower corner and its width.
const CORNER: [f64; 2] = [-1.0, -1.0];
const WIDTH: f64 = 3.0;
const PIXELS: usize = 300;
/// Arrows along a side.
const ARROWS: usize = 15;
/// Parts of the corrections that arrows show. Those of shear cross the plane where they overshoot.
const SHOWN: [f64; 3] = [1.0, 1.0, 0.25];
/// Values are clamped here.
const CLAMP: f64 = 1.0;

const POSITIVE: Rgb = [72, 160, 90];
const NEGATIVE: Rgb = [206, 72, 66];
const NONE: Rgb = [246, 246, 240];

/// The value of constraint `which` with the third vertex at `p`, and the vertex's correction.
fn field(parameters: &[f64; 11], which: usize, p: [f64; 2]) -> (f64, [f64; 2]) {
    let [a, b, _] = REST.map(Vec3::<f64>::of);
    let x = [a, b, Vec3::new(p[0], p[1], 0.0)];
    let (c, gradient) =
        <TriangleGreen as ConstraintGroup<3, 3, 11>>::evaluate(which, parameters, &x);
    // The other two have no inverse mass.
    let square = gradient[2].norm_squared();
    let scale = if square > 1e-12 { -c / square } else { 0.0 };
    (c, [scale * gradient[2].x, scale * gradient[2].y])
}

fn draw(parameters: &[f64; 11], which: usize) -> Picture {
    let mut picture = Picture::new(PIXELS, PIXELS, NONE);
    let place = |i: usize, j: usize| {
        let along = |k: usize| WIDTH * (k as f64 + 0.5) / PIXELS as f64;
        [CORNER[0] + along(i), CORNER[1] + WIDTH - along(j)]
    };
    for j in 0..PIXELS {
        let row = picture.row_mut(j);
        for (i, pixel) in row.iter_mut().enumerate() {
            let value = (field(parameters, which, place(i, j)).0 / CLAMP).clamp(-1.0, 1.0);
            let end = if value > 0.0 { POSITIVE } else { NEGATIVE };
            *pixel = color::mix(NONE, end, value.abs() as f32);
        }
    }
    let pixel = |p: [f64; 2]| {
        let scale = PIXELS as f64 / WIDTH;
        [((p[0] - CORNER[0]) * scale) as f32, ((CORNER[1] + WIDTH - p[1]) * scale) as f32]
    };
    let mut canvas = Canvas::new(&mut picture);
    for j in 0..ARROWS {
        for i in 0..ARROWS {
            let at = |k: usize| (k as f64 + 0.5) * WIDTH / ARROWS as f64;
            let p = [CORNER[0] + at(i), CORNER[1] + at(j)];
            let d = field(parameters, which, p).1.map(|c| SHOWN[which] * c);
            arrow(&mut canvas, pixel(p), pixel([p[0] + d[0], p[1] + d[1]]));
        }
    }
    let corners = REST.map(|p| pixel([p[0], p[1]]));
    canvas.line(&[corners[0], corners[1], corners[2], corners[0]], 2.0, color::INK, 0.9);
    canvas.disc(corners[0], 4.0, color::INK);
    canvas.disc(corners[1], 4.0, color::INK);
    canvas.disc(corners[2], 5.5, color::INK);
    canvas.disc(corners[2], 4.0, [255; 3]);
    picture
}

/// A line with a head; a dot where it has no length.
fn arrow(canvas: &mut Canvas, from: [f32; 2], to: [f32; 2]) {
    let d = [to[0] - from[0], to[1] - from[1]];
    let length = (d[0] * d[0] + d[1] * d[1]).sqrt();
    canvas.disc(from, 1.2, color::INK);
    if !(length > 2.0) {
        return;
    }
    let (along, size) = ([d[0] / length, d[1] / length], length.min(5.0));
    let wing = |side: f32| {
        let across = [-along[1] * side, along[0] * side];
        [0, 1].map(|c| to[c] - size * along[c] + 0.5 * size * across[c])
    };
    canvas.line(&[from, to], 1.0, color::INK, 0.8);
    canvas.line(&[wing(1.0), to, wing(-1.0)], 1.0, color::INK, 0.8);
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "out/strain-fields.png".to_owned());
    if let Some(folder) = std::path::Path::new(&path).parent() {
        std::fs::create_dir_all(folder)?;
    }
    let names = [
        ["x: (f1·f1 − 1) / 2", "y: (f2·f2 − 1) / 2", "shear: f1·f2"],
        ["x: |f1| − 1", "y: |f2| − 1", "shear: f1·f2 / |f1||f2|"],
    ];
    let mut sheet = Sheet::new(3);
    for (plain, names) in [true, false].into_iter().zip(names) {
        let measure = GreenMeasure { plain_stretch: plain, plain_shear: plain };
        let warp = Some([1.0, 0.0, 0.0]);
        let (element, _) = TriangleGreen::new(REST, warp, [1.0; 2], [1.0; 3], measure)?;
        let parameters = element.parameters();
        for (which, name) in names.iter().enumerate() {
            sheet.push(draw(&parameters, which), name);
        }
    }
    sheet.picture().save_png(&path)?;
    println!("wrote {path}");
    Ok(())
}
