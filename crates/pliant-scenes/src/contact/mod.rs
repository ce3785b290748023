//! Scenes of contact: with colliders, between bodies, of a body with itself.

mod crowds;
mod drapes;
mod dress;
mod forced;
mod gears;
mod rigid;

pub use crowds::{brush, leaves, pressed_balls};
pub use drapes::{cloth_on_ball, five_layers, folded_sheet, knife_edge, needle_bed};
pub use dress::dress;
pub use forced::{barrel, bullet, twist};
pub use gears::squeezed_figure;
pub use rigid::{ripped_cloth, stripes};

use crate::describe::{
    Cloth, DampingSpec, FabricSpec, GridShape, PartnersSpec, Place, SheetMesh, TouchSpec,
    TouchTable,
};

/// Cotton that the air brings to rest.
fn cotton(drag: f64) -> FabricSpec {
    let damping = DampingSpec { drag: Some(drag), ..DampingSpec::default() };
    FabricSpec { damping: Some(damping), ..FabricSpec::preset("cotton") }
}

/// A horizontal sheet of columns and rows of vertices and a size \[m\].
fn grid([columns, rows]: [usize; 2], [width, height]: [f64; 2]) -> SheetMesh {
    let grid = GridShape {
        columns,
        rows,
        width: Some(width),
        height: Some(height),
        pattern: None,
        seed: None,
        orient: None,
    };
    SheetMesh { grid: Some(grid), ..SheetMesh::default() }
}

/// A square of `n` × `n` vertices and a side \[m\], level, its middle above the origin at a height \[m\].
fn square(n: usize, side: f64, height: f64) -> Cloth {
    Cloth {
        mesh: grid([n, n], [side, side]),
        material: cotton(1.0),
        place: at([-0.5 * side, height, -0.5 * side]),
        touch: touching(0.5e-3, PartnersSpec::Itself),
        ..Cloth::default()
    }
}

fn at(place: [f64; 3]) -> Option<Place> {
    Some(Place { shift: Some(place), ..Place::default() })
}

/// Contact of a thickness \[m\].
fn touching(thickness: f64, with: PartnersSpec) -> Option<TouchSpec> {
    let table =
        TouchTable { thickness: Some(thickness), with: Some(with), ..TouchTable::default() };
    Some(table.into())
}

/// Where a turn by an angle \[rad\] takes the x axis: cosine and sine.
fn turn(angle: f64) -> [f64; 2] {
    [pliant::math::cos(angle), pliant::math::sin(angle)]
}
