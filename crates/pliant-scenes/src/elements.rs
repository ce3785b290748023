//! Scene of all elements that stand on a mesh.

use pliant::elements::registry;
use pliant::mesh::Stencil;

use crate::describe::{
    Cloth, ElementSpec, FabricSpec, GridShape, Orient, Pin, SceneDescription, SheetMesh, SolidBody,
    SolidSpec, SolverSpec,
};
use crate::solids::{block, shifted};

/// Samples in a row.
const COLUMNS: usize = 6;
/// Side of a sheet and length of a bar \[m\].
const SIZE: f64 = 0.3;
/// Distance between the samples of a row, and between rows \[m\].
const SPACING: [f64; 2] = [0.42, 0.5];

/// A soft sheet or bar for every element of the registry that stands on vertices, edges, triangles, hinges or
/// tetrahedra: each has that element alone beside the same weak material. `n` cells along a side.
///
/// Shows the effect of each element beside those of all others.
pub fn elements(n: usize) -> SceneDescription {
    let solver = Some(SolverSpec::named("newton"));
    let mut scene = SceneDescription { solver, ..SceneDescription::default() };
    let general = registry().iter().filter(|info| info.stencil != Stencil::Custom);
    for (k, info) in general.enumerate() {
        let (column, row) = ((k % COLUMNS) as f64, (k / COLUMNS) as f64);
        let place = [SPACING[0] * column, 0.0, -SPACING[1] * row];
        let element = |stiffness| vec![ElementSpec { name: info.name.to_owned(), stiffness }];
        match info.stencil {
            Stencil::Vertex => scene.cloth.push(sheet(n, place, element(0.05))),
            Stencil::Edge => scene.cloth.push(sheet(n, place, element(10.0))),
            Stencil::Triangle => scene.cloth.push(sheet(n, place, element(50.0))),
            Stencil::Hinge => scene.cloth.push(sheet(n, place, element(1e-3))),
            Stencil::Tet | Stencil::Custom => scene.solid.push(bar(n, place, element(3e4))),
        }
    }
    scene
}

/// A sheet that hangs from two corners.
fn sheet(n: usize, place: [f64; 3], element: Vec<ElementSpec>) -> Cloth {
    let grid = GridShape {
        columns: n + 1,
        rows: n + 1,
        width: Some(SIZE),
        height: None,
        pattern: None,
        seed: None,
        orient: Some(Orient::Horizontal),
    };
    Cloth {
        name: element[0].name.clone(),
        mesh: SheetMesh { grid: Some(grid), ..SheetMesh::default() },
        material: FabricSpec {
            density: Some(0.2),
            young: Some(2e4),
            poisson: Some(0.3),
            thickness: Some(1e-3),
            bending: Some(1e-6),
            ..FabricSpec::preset("cotton")
        },
        place: shifted(place),
        pin: vec![Pin::corners(&[0, 1])],
        element,
        ..Cloth::default()
    }
}

/// A bar that is held at one end.
fn bar(n: usize, place: [f64; 3], element: Vec<ElementSpec>) -> SolidBody {
    let thin = n.div_ceil(4);
    let [x, y, z] = place;
    SolidBody {
        name: element[0].name.clone(),
        mesh: block([n, thin, thin], [SIZE, 0.25 * SIZE, 0.25 * SIZE]),
        material: SolidSpec::new(500.0, 2e4, 0.3),
        place: shifted(place),
        pin: vec![Pin::inside([x - 1e-6, y - 1.0, z - 1.0], [x + 1e-6, y + 1.0, z + 1.0])],
        element,
        ..SolidBody::default()
    }
}
