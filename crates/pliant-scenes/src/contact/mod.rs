//! Scenes of contact: with colliders, between bodies, and self-contact.

mod draping;
mod dress;
mod driven_cloth;
mod gears;
mod many_bodies;
mod rigid;

pub use draping::{cloth_on_ball, five_layers, folded_sheet, knife_edge, needle_bed, tablecloth};
pub use dress::dress;
pub use driven_cloth::{barrel, bullet, twist};
pub use gears::squeezed_figure;
pub use many_bodies::{brush, leaves, pressed_balls};
pub use rigid::{ripped_cloth, stripes};

use crate::describe::{
    Cloth, CollidesWithSpec, ContactSpec, ContactTable, DampingSpec, FabricSpec, GridShape,
    Placement, SheetMesh,
};

/// Cotton with air drag that brings it to rest.
fn cotton(drag: f64) -> FabricSpec {
    let damping = DampingSpec { drag: Some(drag), ..DampingSpec::default() };
    FabricSpec { damping: Some(damping), ..FabricSpec::preset("cotton") }
}

/// A horizontal sheet with numbers of columns and rows and a size \[m\].
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

/// A horizontal square of `n` × `n` vertices with a side \[m\], its centre above the origin at a height
/// \[m\].
fn square(n: usize, side: f64, height: f64) -> Cloth {
    Cloth {
        mesh: grid([n, n], [side, side]),
        material: cotton(1.0),
        place: shifted([-0.5 * side, height, -0.5 * side]),
        contact: contact_spec(0.5e-3, CollidesWithSpec::Itself),
        ..Cloth::default()
    }
}

fn shifted(place: [f64; 3]) -> Option<Placement> {
    Some(Placement { shift: Some(place), ..Placement::default() })
}

/// Contact settings with a thickness \[m\].
fn contact_spec(thickness: f64, with: CollidesWithSpec) -> Option<ContactSpec> {
    let table =
        ContactTable { thickness: Some(thickness), with: Some(with), ..ContactTable::default() };
    Some(table.into())
}

/// Cosine and sine of an angle \[rad\]: the image of the x axis under a rotation.
fn unit_vector(angle: f64) -> [f64; 2] {
    [pliant::math::cos(angle), pliant::math::sin(angle)]
}
