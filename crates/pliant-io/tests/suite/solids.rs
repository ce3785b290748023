//! A surface becomes a solid that holds it and carries it along.

use pliant::mesh::measure::{distance, enclosed_volume, tet_volumes};
use pliant::mesh::topology::euler_characteristic;
use pliant::mesh::{Grid, Icosphere, MeshError, TetMesh, Torus, TriMesh};
use pliant::prelude::*;
use pliant_io::Embedding;
use pliant_io::embedding::{EmbeddingError, smooth_normals};
use pliant_io::lattice::{LatticeError, around, winding_number};

/// An axis-aligned box of twelve triangles, facing outwards.
fn cuboid(low: [f64; 3], high: [f64; 3]) -> TriMesh {
    let positions =
        (0..8).map(|c| [0, 1, 2].map(|d| if c >> d & 1 == 1 { high[d] } else { low[d] })).collect();
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new(positions, triangles).unwrap()
}

/// Points all over the triangles of a surface.
fn samples(surface: &TriMesh) -> Vec<[f64; 3]> {
    let mut points = surface.positions.clone();
    for t in 0..surface.triangles.len() {
        let [a, b, c] = surface.triangle_points(t);
        for (u, v) in [(0.3, 0.3), (0.5, 0.5), (0.5, 0.0), (0.01, 0.98), (0.8, 0.1)] {
            points.push([0, 1, 2].map(|d| a[d] + u * (b[d] - a[d]) + v * (c[d] - a[d])));
        }
    }
    points
}

fn shapes() -> Vec<(TriMesh, usize)> {
    vec![
        (Icosphere::new(3).build().unwrap(), 12),
        (Torus::new(1.0, 0.3).at([100.0, -20.0, 3.0]).build().unwrap(), 30),
        (cuboid([0.0; 3], [2.0, 0.5, 0.1]), 40),
        (cuboid([-1e-3; 3], [1e-3; 3]), 8), // faces in the planes of the lattice
        (Icosphere::new(0).build().unwrap(), 1),
    ]
}

#[test]
fn the_lattice_is_sound_and_holds_the_surface() {
    for (surface, resolution) in shapes() {
        let solid = around(&surface, resolution).unwrap();
        assert_eq!(solid.validate(), Ok(()));
        let points = samples(&surface);
        let embedding = Embedding::new(&solid, &points).unwrap();
        assert_eq!(embedding.max_outside_distance, 0.0);
        let volume: f64 = tet_volumes(&solid).iter().sum();
        assert!(volume > enclosed_volume(&surface));
        assert_eq!(around(&surface, resolution).unwrap(), solid);
    }
    // Fine enough, it is close: measured 1.10 at 24 cells across.
    let ball = Icosphere::new(3).build().unwrap();
    let volume: f64 = tet_volumes(&around(&ball, 24).unwrap()).iter().sum();
    let part = volume / enclosed_volume(&ball);
    assert!((1.0..1.2).contains(&part), "{part}");
}

#[test]
fn tets_of_a_lattice_are_well_shaped() {
    let solid = around(&Torus::new(1.0, 0.4).build().unwrap(), 20).unwrap();
    let volumes = tet_volumes(&solid);
    assert!(volumes.iter().all(|v| (v / volumes[0] - 1.0).abs() < 1e-9));
    assert!(solid.tets.len() > 1000);
}

#[test]
fn holes_and_cavities_stay_empty() {
    let torus = around(&Torus::new(1.0, 0.3).build().unwrap(), 30).unwrap();
    assert_eq!(euler_characteristic(&torus.surface_mesh().0), 0);
    // A ball with a ball cut out, whose surface faces inwards.
    let outer = Icosphere::new(3).build().unwrap();
    let inner = Icosphere::new(3).radius(0.6).build().unwrap().flipped();
    let count = outer.positions.len() as u32;
    let positions = [outer.positions, inner.positions].concat();
    let inner = inner.triangles.iter().map(|t| t.map(|v| v + count));
    let triangles = outer.triangles.into_iter().chain(inner).collect();
    let shell = TriMesh::new(positions, triangles).unwrap();
    let solid = around(&shell, 24).unwrap();
    let embedding = Embedding::new(&solid, &[[0.0; 3], [0.8, 0.0, 0.0]]).unwrap();
    assert!(
        (0.3..0.6).contains(&embedding.max_outside_distance),
        "{}",
        embedding.max_outside_distance
    );
    let only = Embedding::new(&solid, &[[0.8, 0.0, 0.0]]).unwrap();
    assert_eq!(only.max_outside_distance, 0.0);
}

#[test]
fn a_surface_that_is_open_or_not_sound_is_refused() {
    let sheet = Grid::new(4, 4).build().unwrap();
    let error = around(&sheet, 8).unwrap_err();
    assert_eq!(error, LatticeError::Open { edge: [0, 1], count: 12 });
    assert!(error.to_string().contains("vertices 0 and 1"));
    let mut ball = Icosphere::new(1).build().unwrap();
    assert!(matches!(around(&ball, 0), Err(LatticeError::Resolution { .. })));
    assert!(matches!(around(&ball, 100_000), Err(LatticeError::Resolution { .. })));
    assert!(matches!(around(&ball, usize::MAX), Err(LatticeError::Resolution { .. })));
    ball.positions[3][1] = f64::NAN;
    let error = around(&ball, 8).unwrap_err();
    assert!(matches!(error, LatticeError::Surface(MeshError::NotFinite { vertex: 3 })));
}

#[test]
fn winding_numbers_are_one_inside_and_zero_outside() {
    let ball = Icosphere::new(2).at([5.0, 0.0, 0.0]).build().unwrap();
    assert!((winding_number(&ball, [5.0, 0.3, -0.4]) - 1.0).abs() < 1e-12);
    assert!(winding_number(&ball, [3.0, 0.0, 0.0]).abs() < 1e-12);
    assert!((winding_number(&ball.flipped(), [5.0, 0.0, 0.0]) + 1.0).abs() < 1e-12);
}

#[test]
fn an_embedded_surface_at_rest_is_the_surface() {
    for (surface, resolution) in shapes() {
        let solid = around(&surface, resolution).unwrap();
        let embedding = Embedding::new(&solid, &surface.positions).unwrap();
        let mut out = vec![[0.0; 3]; surface.positions.len()];
        embedding.apply(&solid.positions, &mut out).unwrap();
        let size = surface.positions.as_flattened().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        for (p, q) in out.iter().zip(&surface.positions) {
            // Measured: 3e-16 of the largest coordinate.
            assert!(distance(*p, *q) < 1e-13 * size.max(1e-3), "{p:?} {q:?}");
        }
        // In single precision, to its rounding.
        let positions: Vec<_> = solid.positions.iter().map(|p| p.map(|x| x as f32)).collect();
        let mut single = vec![[0.0_f32; 3]; out.len()];
        embedding.apply(&positions, &mut single).unwrap();
        for (p, q) in single.iter().zip(&surface.positions) {
            assert!(distance(p.map(f64::from), *q) < 1e-6 * size.max(1e-3));
        }
    }
}

#[test]
fn affine_motion_of_the_solid_is_that_of_the_surface() {
    let surface = Icosphere::new(2).build().unwrap();
    let solid = around(&surface, 6).unwrap();
    let embedding = Embedding::new(&solid, &surface.positions).unwrap();
    let moved =
        |p: [f64; 3]| [0.5 * p[0] - p[1] + 7.0, p[0] + 2.0 * p[2], 0.25 * p[1] - p[2] - 3.0];
    let positions: Vec<_> = solid.positions.iter().map(|&p| moved(p)).collect();
    let mut out = vec![[0.0; 3]; surface.positions.len()];
    embedding.apply(&positions, &mut out).unwrap();
    for (p, q) in out.iter().zip(&surface.positions) {
        assert!(distance(*p, moved(*q)) < 1e-13);
    }
}

#[test]
fn points_outside_go_with_the_nearest_tet() {
    let solid = TetBlock::new(1, 1, 1).build().unwrap();
    let embedding = Embedding::new(&solid, &[[3.0, 0.5, 0.5], [0.5; 3]]).unwrap();
    assert!((embedding.max_outside_distance - 2.0).abs() < 1e-15);
    let mut out = [[0.0; 3]; 2];
    embedding.apply(&solid.positions, &mut out).unwrap();
    assert!(distance(out[0], [3.0, 0.5, 0.5]) < 1e-14);
    assert!(embedding.weights[1].iter().all(|&w| w >= -1e-12));
}

#[test]
fn what_cannot_be_embedded_is_refused() {
    let solid = TetBlock::new(1, 1, 1).build().unwrap();
    let refuse = |solid: &TetMesh, point: [f64; 3]| Embedding::new(solid, &[point]).unwrap_err();
    assert_eq!(refuse(&TetMesh::default(), [0.0; 3]), EmbeddingError::NoTets);
    let point = EmbeddingError::NotFinite { point: 0 };
    assert_eq!(refuse(&solid, [0.0, f64::INFINITY, 0.0]), point);
    let mut bad = solid.clone();
    bad.tets[2][1] = 99;
    assert_eq!(refuse(&bad, [0.0; 3]), EmbeddingError::BadTet { tet: 2 });
    let mut bad = solid.clone();
    bad.positions[7] = [f64::NAN; 3];
    assert!(matches!(refuse(&bad, [0.0; 3]), EmbeddingError::BadTet { .. }));
    let embedding = Embedding::new(&solid, &[[0.0; 3]]).unwrap();
    let mut out = [[0.0; 3]; 2];
    assert!(matches!(
        embedding.apply(&solid.positions, &mut out),
        Err(EmbeddingError::Count { found: 2, needed: 1, .. })
    ));
    assert!(embedding.apply(&solid.positions[1..], &mut out[..1]).is_err());
}

#[test]
fn smooth_normals_are_those_of_a_ball_and_turn_with_it() {
    let ball = Icosphere::new(3).build().unwrap();
    let mut normals = vec![[0.0; 3]; ball.positions.len()];
    smooth_normals(&ball.positions, &ball.triangles, &mut normals).unwrap();
    for (n, p) in normals.iter().zip(&ball.positions) {
        assert!(distance(*n, *p) < 0.02, "{n:?} {p:?}");
    }
    // A quarter turn of the solid turns the normals of the surface in it.
    let solid = around(&ball, 8).unwrap();
    let embedding = Embedding::new(&solid, &ball.positions).unwrap();
    let turned: Vec<_> = solid.positions.iter().map(|&[x, y, z]| [-y, x, z]).collect();
    let mut surface = vec![[0.0; 3]; ball.positions.len()];
    embedding.apply(&turned, &mut surface).unwrap();
    let mut after = normals.clone();
    smooth_normals(&surface, &ball.triangles, &mut after).unwrap();
    for (n, &[x, y, z]) in after.iter().zip(&normals) {
        assert!(distance(*n, [-y, x, z]) < 1e-12);
    }
    let error = smooth_normals(&surface, &[[0, 1, 9999]], &mut after).unwrap_err();
    assert_eq!(error, EmbeddingError::BadTriangle { triangle: 0 });
}

#[test]
fn a_ball_in_a_lattice_falls_with_its_surface() {
    let ball = Icosphere::new(2).radius(0.2).build().unwrap();
    let solid = around(&ball, 5).unwrap();
    let embedding = Embedding::new(&solid, &ball.positions).unwrap();
    let mut scene = ModelBuilder::new();
    let body = scene.solid(solid, Solid::rubber()).unwrap();
    let mut sim =
        Simulation::<f32>::new(scene.build().unwrap(), ProjectiveDynamics::default()).unwrap();
    for _ in 0..10 {
        sim.step();
    }
    let positions: Vec<[f32; 3]> = body.positions(&sim).collect();
    let mut out = vec![[0.0_f32; 3]; ball.positions.len()];
    embedding.apply(&positions, &mut out).unwrap();
    // Ten frames of free fall: about 14 cm, and nothing else.
    for (p, q) in out.iter().zip(&ball.positions) {
        assert!((f64::from(p[0]) - q[0]).abs() < 1e-4 && (f64::from(p[2]) - q[2]).abs() < 1e-4);
        let fall = q[1] - f64::from(p[1]);
        assert!((0.12..0.17).contains(&fall), "{fall}");
    }
}
