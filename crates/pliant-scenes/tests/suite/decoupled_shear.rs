//! Contract: Strain Based Dynamics §3.5. Shear by eq. (15) does not care how far the cloth is
//! stretched, and does not pull stretch back; shear by eq. (10) does both.

use pliant::elements::GreenMeasure;
use pliant::material::Weave;
use pliant::mesh::Pattern;
use pliant::prelude::*;

/// Elastic energy \[J\] of a sheet of irregular triangles that resists nothing but shear, drawn
/// `stretch` times as long along its warp and sheared by a slope.
fn energy(plain_shear: bool, stretch: f64, slope: f64) -> f64 {
    let grid = Grid::new(9, 9).size(0.5).pattern(Pattern::Irregular { seed: 1 }).vertical();
    let measure = GreenMeasure { plain_stretch: false, plain_shear };
    let stiffness = Some([0.0, 0.0, 100.0]);
    let weave = Weave { stiffness, measure, ..Weave::default() };
    let fabric = Fabric { stretch: Stretch::Woven(weave), bend: Bend::None, ..Fabric::cotton() };
    let fabric = Fabric { poisson: 0.0, damping: Damping::default(), ..fabric };
    let mut scene = ModelBuilder::new();
    let body = scene.cloth(grid, fabric).unwrap();
    for p in scene.positions_mut(&body) {
        *p = [stretch * p[0] + slope * p[1], p[1], p[2]];
    }
    let sim = Simulation::<f64>::with_precision(scene.build().unwrap(), Newton::default()).unwrap();
    sim.system().elastic_energy(sim.exec(), &sim.state().positions)
}

#[test]
fn resistance_to_shear_is_that_of_the_cloth_at_rest_however_far_it_is_stretched() {
    let slope = 0.2;
    for stretch in [0.5, 1.0, 1.5, 2.0] {
        let ratio = [false, true].map(|p| energy(p, stretch, slope) / energy(p, 1.0, slope));
        println!(
            "stretch {stretch}: shear energy over that at rest: decoupled {:.4}, plain {:.4}",
            ratio[0], ratio[1]
        );
        assert!((ratio[0] - 1.0).abs() < 1e-12, "{ratio:?}");
        assert!((ratio[1] - stretch * stretch).abs() < 1e-9, "{ratio:?}");
    }
}

#[test]
fn a_sheared_cloth_pulls_at_its_stretch_only_where_shear_is_coupled() {
    let (stretch, slope, d) = (1.5, 0.3, 1e-5);
    let pull = [false, true]
        .map(|p| (energy(p, stretch + d, slope) - energy(p, stretch - d, slope)) / (2.0 * d));
    println!("dE/d(stretch) of shear: decoupled {:.1e} J, plain {:.2} J", pull[0], pull[1]);
    assert!(pull[0].abs() < 1e-8, "{pull:?}");
    assert!(pull[1] > 1.0, "{pull:?}");
}
