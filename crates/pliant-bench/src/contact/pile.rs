//! A pile of wavy sheets that touch where their waves meet: the same density of contacts at every size.
//!
//! ```text
//!   ⌢⌣⌢⌣⌢⌣     layer 3      cells of 1 cm, waves of 20 cells
//!   ⌣⌢⌣⌢⌣⌢     layer 2      layers wave against each other and touch at the crests
//!   ⌢⌣⌢⌣⌢⌣     layer 1
//! ```

use pliant::mesh::TriMesh;
use pliant::prelude::*;

/// Sheets on one another.
const LAYERS: usize = 8;
/// Side of a cell \[m\].
const CELL: f64 = 0.01;
/// Length of a wave \[m\].
const WAVE: f64 = 0.2;
/// Height of a wave \[m\].
const HEIGHT: f64 = 0.008;
/// Thickness of the sheets \[m\].
pub const THICKNESS: f64 = 2.0e-3;
/// How fast the outer sheets come in [m/s]: the crests press on each other.
const PRESS: f64 = 0.5;
/// How fast every sheet slides [m/s], each against the next: by half a cell in a step.
const SLIDE: f64 = 0.3;

/// The sheets of about `triangles` triangles in all, each as a mesh at its start \[m\].
pub fn sheets(triangles: usize) -> Result<Vec<TriMesh>, pliant::Error> {
    let cells = (triangles as f64 / (2 * LAYERS) as f64).sqrt().round().max(2.0);
    let side = cells as usize + 1;
    let mut sheets = Vec::new();
    for layer in 0..LAYERS {
        let mut mesh = Grid::square(side).size(cells * CELL).build()?;
        // Waves against each other, and no vertex exactly above another.
        let shift = 0.37 * CELL * layer as f64;
        let sign = if layer % 2 == 0 { 1.0 } else { -1.0 };
        let gap = 2.0 * HEIGHT + 0.95 * THICKNESS;
        for [x, y, z] in &mut mesh.positions {
            let phase = |c: f64| std::f64::consts::TAU * c / WAVE;
            *x += shift;
            *z += 0.61 * shift;
            *y = gap * layer as f64 + sign * HEIGHT * libm::sin(phase(*x)) * libm::sin(phase(*z));
        }
        sheets.push(mesh);
    }
    Ok(sheets)
}

/// The pile as a model whose sheets touch, or pass through each other. They stretch as nets and do not bend:
/// what is measured is contact.
pub fn model(sheets: &[TriMesh], touching: bool) -> Result<Model, pliant::Error> {
    let mut scene = ModelBuilder::new();
    let fabric = Fabric { stretch: Stretch::Edges, bend: Bend::Limp, ..Fabric::cotton() };
    for (layer, mesh) in sheets.iter().enumerate() {
        let sheet = scene.cloth(mesh.clone(), fabric)?;
        let touch = Touch::of_thickness(THICKNESS).everything();
        scene.touch(&sheet, touching.then_some(touch));
        let middle = 0.5 * (LAYERS - 1) as f64;
        let along = if layer % 2 == 0 { SLIDE } else { -SLIDE };
        let down = PRESS * (layer as f64 - middle) / middle;
        scene.velocities_mut(&sheet).fill([along, -down, 0.0]);
    }
    scene.build()
}
