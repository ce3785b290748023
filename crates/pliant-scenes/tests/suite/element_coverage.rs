//! Contract: every element of the registry is in a scene, so that it is seen and timed; and scenes
//! of bounds keep what they say.

use crate::common::{cross, norm, positions, run, sub};
use pliant::elements::registry;
use pliant::mesh::TetBlock;
use pliant::prelude::*;

#[test]
fn every_element_of_the_registry_is_in_a_scene() {
    let mut seen = std::collections::BTreeSet::new();
    for scene in pliant_scenes::all() {
        let model = (scene.build)(scene.default_size).unwrap();
        seen.extend(model.elements().iter().map(|e| e.name()));
    }
    for info in registry() {
        assert!(seen.contains(info.name), "{} is in no scene", info.name);
    }
}

/// Largest distance between vertices of the same bodies after a second.
fn farthest(a: &Simulation<f64>, b: &Simulation<f64>, vertices: std::ops::Range<usize>) -> f64 {
    let (a, b) = (positions(a), positions(b));
    vertices.map(|v| norm(sub(a[v], b[v]))).fold(0.0, f64::max)
}

#[test]
fn every_element_of_its_scene_resists_on_its_own() {
    let with = pliant_scenes::by_name("elements").unwrap().describe(4);
    let mut without = with.clone();
    without.cloth.iter_mut().for_each(|body| body.element.clear());
    without.solid.iter_mut().for_each(|body| body.element.clear());
    let settled = |scene: &pliant_scenes::SceneDescription| {
        let mut sim = Simulation::<f64>::with_precision(scene.build().unwrap(), fine()).unwrap();
        run(&mut sim, 60);
        sim
    };
    let (with, without) = (settled(&with), settled(&without));
    for body in with.model().bodies() {
        let moved = farthest(&with, &without, body.vertices.clone());
        println!("{}: {:.1} mm", body.name, 1e3 * moved);
        assert!(moved > 1e-3, "{} changes nothing: {moved} m", body.name);
    }
}

#[test]
fn elements_that_a_mesh_cannot_carry_are_refused_with_their_place() {
    let mut scene = pliant_scenes::by_name("elements").unwrap().describe(2);
    let mut problem = |name: &str, stiffness: f64| {
        scene.cloth[1].element[0] =
            pliant_scenes::describe::ElementSpec { name: name.to_owned(), stiffness };
        let error = scene.build().unwrap_err();
        assert_eq!(error.at, "cloth[1].element[0]");
        error.to_string()
    };
    assert!(problem("tet_strain", 1.0).contains("needs a tet, and the mesh has none"));
    assert!(problem("rod_joint", 1.0).contains("use one of pin, spring"));
    assert!(problem("glue", 1.0).contains("there is no element \"glue\""));
    assert!(problem("spring", -1.0).contains("must be positive"));
    assert!(problem("spring", f64::NAN).contains("must be positive"));
}

/// Bounds have kinks, at which Newton's method is no faster than local and global steps.
fn fine() -> ProjectiveDynamics {
    ProjectiveDynamics { iterations: 100, ..ProjectiveDynamics::default() }
}

/// Parts of the area at rest that the bodies of a scene of sheets have.
fn areas(sim: &Simulation<f64>) -> Vec<f64> {
    let area = |x: &[[f64; 3]], t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| x[v as usize]);
        norm(cross(sub(b, a), sub(c, a)))
    };
    let (now, rest) = (positions(sim), sim.model().rest_positions());
    let sum = |x: &[[f64; 3]], body: &pliant::BodyInfo| -> f64 {
        body.triangles.iter().map(|t| area(x, t)).sum()
    };
    sim.model().bodies().iter().map(|b| sum(&now, b) / sum(rest, b)).collect()
}

#[test]
fn a_stretched_sheet_with_bounds_keeps_its_area_and_one_without_does_not() {
    let model = pliant_scenes::stretched_sheets(7).unwrap();
    let mut sim = Simulation::<f64>::with_precision(model, fine()).unwrap();
    run(&mut sim, 120);
    let kept = areas(&sim);
    println!(
        "area of sheets pulled to 1.5 times their length: free {:.3}, bounded {:.3}",
        kept[0], kept[1]
    );
    assert!(kept[0] > 1.45, "{kept:?}"); // measured 1.500
    assert!((kept[1] - 1.0).abs() < 0.03, "{kept:?}"); // measured 1.018: beyond bounds it is elastic
}

#[test]
fn a_pressed_block_with_bounds_keeps_its_volume_and_one_without_does_not() {
    let n = 4;
    let model = pliant_scenes::pressed_blocks(n).unwrap();
    let tets = TetBlock::new(n, n, n).build().unwrap().tets;
    let mut sim = Simulation::<f64>::with_precision(model, fine()).unwrap();
    run(&mut sim, 120);
    let x = positions(&sim);
    let kept: Vec<f64> = sim
        .model()
        .bodies()
        .iter()
        .map(|body| {
            let volume = |t: &[u32; 4]| {
                let p = t.map(|v| x[body.vertices.start + v as usize]);
                let n = cross(sub(p[1], p[0]), sub(p[2], p[0]));
                let d = sub(p[3], p[0]);
                (n[0] * d[0] + n[1] * d[1] + n[2] * d[2]) / 6.0
            };
            tets.iter().map(volume).sum::<f64>() / 1e-3
        })
        .collect();
    println!(
        "volume of blocks pressed to 2/3 of their height: free {:.3}, bounded {:.3}",
        kept[0], kept[1]
    );
    assert!(kept[0] < 0.7, "{kept:?}"); // measured 0.66
    // Measured 0.957: cells at the plates have too few free vertices to bulge.
    assert!((kept[1] - 1.0).abs() < 0.08, "{kept:?}");
}
