//! A pile of wavy sheets that touch at the crests of their waves: the same density of contacts at every size.
//!
//! ```text
//!   ⌢⌣⌢⌣⌢⌣     layer 3      cells of 1 cm, waves of 20 cells
//!   ⌣⌢⌣⌢⌣⌢     layer 2      adjacent layers have opposite phase and touch at the crests
//!   ⌢⌣⌢⌣⌢⌣     layer 1
//! ```

use pliant::mesh::TriMesh;
use pliant::prelude::*;

/// Number of sheets.
const LAYERS: usize = 8;
/// Side length of a cell \[m\].
const CELL: f64 = 0.01;
/// Wavelength \[m\].
const WAVE: f64 = 0.2;
/// Height of a wave \[m\].
const HEIGHT: f64 = 0.008;
/// Thickness of the sheets \[m\].
pub const THICKNESS: f64 = 2.0e-3;
/// Speed at which the outer sheets move inwards [m/s], which presses the crests together.
const PRESS_SPEED: f64 = 0.5;
/// Sliding speed of every sheet [m/s], relative to the next one: half a cell per step.
const SLIDE_SPEED: f64 = 0.3;

/// Sheets with about `triangles` triangles in total, each as a mesh at its initial position \[m\].
pub fn sheets(triangles: usize) -> Result<Vec<TriMesh>, pliant::Error> {
    let cells = (triangles as f64 / (2 * LAYERS) as f64).sqrt().round().max(2.0);
    let side = cells as usize + 1;
    let mut sheets = Vec::new();
    for layer in 0..LAYERS {
        let mut mesh = Grid::square(side).size(cells * CELL).build()?;
        // Opposite phases, and no vertex exactly above another.
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

/// Model of the pile whose sheets touch, or pass through each other. Sheets are nets of springs without
/// bending, so that the cost of contact dominates.
pub fn model(sheets: &[TriMesh], touching: bool) -> Result<Model, pliant::Error> {
    let mut scene = ModelBuilder::new();
    let fabric = Fabric { stretch: Stretch::Edges, bend: Bend::None, ..Fabric::cotton() };
    for (layer, mesh) in sheets.iter().enumerate() {
        let sheet = scene.cloth(mesh.clone(), fabric)?;
        let material = ContactMaterial::of_thickness(THICKNESS).with_self_collision();
        scene.contact_material(&sheet, touching.then_some(material));
        let middle = 0.5 * (LAYERS - 1) as f64;
        let along = if layer % 2 == 0 { SLIDE_SPEED } else { -SLIDE_SPEED };
        let down = PRESS_SPEED * (layer as f64 - middle) / middle;
        scene.velocities_mut(&sheet).fill([along, -down, 0.0]);
    }
    scene.build()
}
