//! Scenes of cloth and shells.

use pliant::prelude::*;
use pliant::{Error, material::Bend};

/// Cotton of the hanging scenes: an air drag that brings it to rest in a few seconds.
fn cotton() -> Fabric {
    Fabric::cotton().damping(Damping { drag: 2.0, ..Damping::default() })
}

fn hung_by_two_corners(n: usize, fabric: Fabric) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(n).size(1.0), fabric)?;
    scene.pin(cloth.corner(0));
    scene.pin(cloth.corner(1));
    scene.build()
}

/// A square metre of cotton, `n` × `n` vertices, falls from the horizontal and hangs by two corners.
///
/// Shows a membrane with bending by mean curvature; the sag does not depend on `n`.
pub fn hanging_cloth(n: usize) -> Result<Model, Error> {
    hung_by_two_corners(n, cotton())
}

/// The same cloth as a net of its edges with bending by dihedral angles, as in Position Based
/// Dynamics.
pub fn hanging_cloth_edges(n: usize) -> Result<Model, Error> {
    let fabric = Fabric { stretch: Stretch::Edges, bend: Bend::Dihedral, ..cotton() };
    hung_by_two_corners(n, fabric)
}

/// A silk flag of 1.5 m × 1 m, `n` vertices high, on a mast in gusts around 8 m/s.
///
/// Shows wind on triangles (Projective Dynamics, figure 10).
pub fn flag_in_wind(n: usize) -> Result<Model, Error> {
    let mut scene = ModelBuilder::new();
    let wide = n + n / 2;
    let grid = Grid::new(wide, n).size2(1.5, 1.0).vertical();
    let flag = scene.cloth(grid, Fabric::silk())?;
    for row in 0..n {
        scene.pin(flag.vertex(row * wide));
    }
    // A little across the flag: a wind exactly in its plane would never lift it.
    scene.wind(Wind::steady([8.0, 0.0, 1.0]).gusts(0.5, 1.7));
    scene.build()
}

/// A paper tube of 10 cm × 20 cm with `n` segments around, its upper rim pressed down by a fifth
/// in two seconds.
///
/// Shows buckling patterns (Projective Dynamics, figure 9).
pub fn cylinder_shell(n: usize) -> Result<Model, Error> {
    let (radius, height) = (0.05, 0.2);
    let along = (n * 2).div_ceil(3).max(1);
    let mut scene = ModelBuilder::new();
    let paper = Fabric::paper().damping(Damping { internal: 5.0, ..Damping::default() });
    let tube = scene.cloth(Cylinder::new(radius, height).segments(n, along), paper)?;
    let top = along * n;
    for i in 0..n {
        scene.pin(tube.vertex(i));
        let start = scene.positions_mut(&tube)[top + i];
        let end = [start[0], start[1] - 0.2 * height, start[2]];
        scene.pin_moving(tube.vertex(top + i), Motion::Path(vec![(0.0, start), (2.0, end)]));
    }
    scene.build()
}
