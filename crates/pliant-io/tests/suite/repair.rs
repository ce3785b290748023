//! Contract: repaired meshes can be simulated, and the report lists the repairs.

use pliant::mesh::measure::enclosed_volume;
use pliant::mesh::topology::boundary_edges;
use pliant::mesh::{Grid, Icosphere, TetBlock, TriMesh};
use pliant::prelude::*;
use pliant_io::Surface;
use pliant_io::import::{Format, Limits, NoFiles, Volume, read_bytes};
use pliant_io::repair::{NONE, Options, RepairError, cloth, solid};

fn surface(positions: &[[f64; 3]], triangles: &[[u32; 3]]) -> Surface {
    Surface { positions: positions.to_vec(), triangles: triangles.to_vec(), ..Surface::default() }
}

fn of(mesh: &TriMesh) -> Surface {
    surface(&mesh.positions, &mesh.triangles)
}

/// Every triangle with vertices of its own, as STL has them.
fn exploded(mesh: &TriMesh) -> Surface {
    let positions: Vec<_> =
        (0..mesh.triangles.len()).flat_map(|t| mesh.triangle_points(t)).collect();
    let triangles: Vec<_> =
        (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    surface(&positions, &triangles)
}

const SQUARE: [[f64; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

#[test]
fn a_sound_mesh_is_left_as_it_is() {
    let mesh = Grid::new(5, 4).build().unwrap();
    let (repaired, report) = cloth(&of(&mesh), &Options::default()).unwrap();
    assert_eq!((&repaired.positions, &repaired.triangles), (&mesh.positions, &mesh.triangles));
    assert!(report.is_unchanged());
    assert_eq!(report.to_string(), "no repairs needed");
    assert_eq!(report.vertex_of, (0..20).collect::<Vec<_>>());
}

#[test]
fn a_textured_obj_is_welded_at_its_seams_and_the_way_back_is_kept() {
    // Two quads, written by a tool that repeats the vertices of a seam.
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\n\
        vt 0 0\nvt 0.4 0\nvt 0.4 1\nvt 0 1\nvt 0.6 0\nvt 1 0\nvt 1 1\nvt 0.6 1\n\
        f 1/1 2/2 3/3 4/4\nf 5/5 6/6 7/7 8/8\n";
    let imported = read_bytes(
        "f.obj",
        text.as_bytes(),
        Format::of_extension("obj").unwrap(),
        &Limits::default(),
        &NoFiles,
    )
    .unwrap();
    let surface = imported.into_surfaces().remove(0);
    let (mesh, report) = cloth(&surface, &Options::default()).unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (6, 4));
    assert_eq!(report.vertex_of, [0, 1, 2, 3, 1, 4, 5, 2]);
    assert_eq!(report.to_string(), "welded 2 vertices to coincident ones");
    for (v, &target) in report.vertex_of.iter().enumerate() {
        assert_eq!(mesh.positions[target as usize], surface.positions[v]);
    }
    // The surface, and so its texture, is as it was.
    assert_eq!(surface.uvs.unwrap().corners.len(), surface.triangles.len());
    // Without welding the sheets stay apart.
    let options = Options { weld: None, ..Options::default() };
    let surface = Surface { uvs: None, ..surface };
    assert_eq!(cloth(&surface, &options).unwrap().0.positions.len(), 8);
}

#[test]
fn a_heap_of_triangles_becomes_a_closed_ball_again() {
    let ball = Icosphere::new(3).build().unwrap();
    let mut heap = exploded(&ball);
    // Noise of single precision, and every third triangle inside out.
    for p in heap.positions.as_flattened_mut() {
        *p = f64::from(*p as f32);
    }
    heap.triangles.iter_mut().step_by(3).for_each(|t| t.swap(0, 1));
    let (mesh, report) = cloth(&heap, &Options::default()).unwrap();
    assert_eq!(mesh.positions.len(), ball.positions.len());
    assert_eq!(report.welded, heap.positions.len() - ball.positions.len());
    assert!(boundary_edges(&mesh).is_empty());
    assert!((enclosed_volume(&mesh) - enclosed_volume(&ball)).abs() < 1e-6);
    assert!(report.to_string().contains("flipped"), "{report}");
}

#[test]
fn a_ball_that_is_inside_out_is_turned_as_a_whole_if_wanted() {
    let inward = Icosphere::new(1).build().unwrap().flipped();
    let (mesh, report) = cloth(&of(&inward), &Options::default()).unwrap();
    assert!(enclosed_volume(&mesh) > 0.0);
    assert_eq!(report.to_string(), "flipped 80 triangles (1 closed component oriented outwards)");
    let options = Options { outward: false, ..Options::default() };
    let (mesh, report) = cloth(&of(&inward), &options).unwrap();
    assert!(enclosed_volume(&mesh) < 0.0 && report.is_unchanged());
}

#[test]
fn degenerate_and_repeated_triangles_and_unused_vertices_are_dropped_and_named() {
    let mut positions = SQUARE.to_vec();
    positions.extend([[9.0, 9.0, 9.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    let triangles = [[0, 1, 2], [0, 5, 1], [0, 2, 3], [2, 0, 1], [1, 6, 2], [3, 0, 2]];
    let (mesh, report) = cloth(&surface(&positions, &triangles), &Options::default()).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(report.degenerate, [1, 4]);
    assert_eq!(report.duplicate, [3, 5]);
    assert_eq!(report.unused, [4, 5]);
    assert_eq!(report.kept, [0, 2]);
    assert_eq!(report.vertex_of, [0, 1, 2, 3, NONE, NONE, 1]);
    assert_eq!(
        report.to_string(),
        "welded 1 vertex to coincident ones; removed 2 triangles of zero area: 1, 4; \
         removed 2 duplicate triangles: 3, 5; removed 2 unused vertices: 4, 5"
    );
}

#[test]
fn three_sheets_along_an_edge_are_cut_apart_or_refused() {
    let mut positions = SQUARE.to_vec();
    positions.push([0.5, 0.5, 1.0]);
    let input = surface(&positions, &[[0, 1, 2], [0, 2, 3], [0, 2, 4]]);
    let (mesh, report) = cloth(&input, &Options::default()).unwrap();
    assert_eq!(mesh.positions.len(), 9);
    assert_eq!(mesh.positions[8], SQUARE[2]);
    assert_eq!((report.split_edges.clone(), report.copies), (vec![[0, 2]], 4));
    assert_eq!(
        report.to_string(),
        "split 1 edge with more than two triangles: 0-2; split 2 vertices, adding 4 vertices: 0, 2"
    );
    let strict = Options { split: false, ..Options::default() };
    let error = cloth(&input, &strict).unwrap_err();
    assert_eq!(error, RepairError::NonManifoldEdges { edges: vec![[0, 2]] });
    assert!(error.to_string().contains("vertices 0 and 2"));
}

#[test]
fn sheets_that_touch_in_a_vertex_are_cut_apart_or_refused() {
    let mut positions = SQUARE.to_vec();
    positions.extend([[2.0, 1.0, 1.0], [2.0, 2.0, 0.0]]);
    let input = surface(&positions, &[[0, 1, 2], [0, 2, 3], [2, 4, 5]]);
    let (mesh, report) = cloth(&input, &Options::default()).unwrap();
    assert_eq!((mesh.positions.len(), report.split_vertices), (7, vec![2]));
    let error = cloth(&input, &Options { split: false, ..Options::default() }).unwrap_err();
    assert_eq!(error, RepairError::NonManifoldVertices { vertices: vec![2] });
}

#[test]
fn a_strip_with_one_side_is_refused_with_an_edge_named() {
    let points: Vec<_> = (0..5)
        .flat_map(|k| {
            let angle = f64::from(k) * 1.2566;
            let (s, c) = (pliant::math::sin(angle), pliant::math::cos(angle));
            let tilt = pliant::math::sin(angle / 2.0);
            [[c, s, -0.3], [c * (1.0 + 0.3 * tilt), s * (1.0 + 0.3 * tilt), 0.3]]
        })
        .collect();
    let mut triangles = Vec::new();
    for k in 0..5_u32 {
        let (a, b) = (2 * k, 2 * k + 1);
        // The last quad is joined to the first the other way up.
        let (c, d) = if k == 4 { (1, 0) } else { (a + 2, b + 2) };
        triangles.extend([[a, c, b], [b, c, d]]);
    }
    let error = cloth(&surface(&points, &triangles), &Options::default()).unwrap_err();
    assert!(matches!(error, RepairError::OneSided { .. }), "{error}");
}

#[test]
fn input_beyond_repair_is_refused() {
    let refuse = |positions: &[[f64; 3]], triangles: &[[u32; 3]]| {
        cloth(&surface(positions, triangles), &Options::default()).unwrap_err()
    };
    assert!(matches!(refuse(&SQUARE, &[[0, 1, 4]]), RepairError::Index { vertex: 4, .. }));
    assert!(matches!(
        refuse(&[[f64::NAN; 3]; 3], &[[0, 1, 2]]),
        RepairError::NotFinite { vertex: 0 }
    ));
    assert!(matches!(refuse(&SQUARE, &[]), RepairError::Nothing { cells: 0, degenerate: 0 }));
    assert!(matches!(refuse(&SQUARE, &[[0, 0, 1]]), RepairError::Nothing { degenerate: 1, .. }));
    assert!(matches!(refuse(&[], &[]), RepairError::Nothing { .. }));
    // So far apart that areas are infinite.
    let far = [[1e200, 0.0, 0.0], [0.0, 1e200, 0.0], [0.0, 0.0, 1e200]];
    assert!(matches!(refuse(&far, &[[0, 1, 2]]), RepairError::Nothing { degenerate: 1, .. }));
    let options = Options { weld: Some(-1.0), ..Options::default() };
    let error = cloth(&surface(&SQUARE, &[[0, 1, 2]]), &options).unwrap_err();
    assert!(matches!(error, RepairError::Tolerance { .. }));
}

#[test]
fn tets_are_turned_welded_and_sorted_out() {
    let block = TetBlock::new(2, 1, 1).build().unwrap();
    // Every tet with its own vertices; one left-handed, one flat, one repeated.
    let positions: Vec<_> = (0..block.tets.len()).flat_map(|t| block.tet_points(t)).collect();
    let mut tets: Vec<_> =
        (0..block.tets.len() as u32).map(|t| [0, 1, 2, 3].map(|k| 4 * t + k)).collect();
    tets[3].swap(0, 1);
    let flat = [tets[0][0], tets[0][1], tets[0][2], tets[0][0]];
    tets.push(flat);
    tets.push(tets[1]);
    let volume = Volume { positions, tets, ..Volume::default() };
    let (mesh, report) = solid(&volume, &Options::default()).unwrap();
    assert_eq!((mesh.positions.len(), mesh.tets.len()), (12, 10));
    assert_eq!((report.degenerate, report.duplicate, report.turned), (vec![10], vec![11], 1));
    let (_, report) = solid(&volume, &Options::default()).unwrap();
    assert_eq!(
        report.to_string(),
        "welded 28 vertices to coincident ones; removed 1 tet of zero volume: 10; \
         removed 1 duplicate tet: 11; flipped 1 tet"
    );
    let error = solid(&Volume::default(), &Options::default()).unwrap_err();
    assert!(matches!(error, RepairError::Nothing { .. }));
    // Two tets on the same side of a face cannot both be right.
    let positions =
        vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.2, 1.0]];
    let volume = Volume { positions, tets: vec![[0, 1, 2, 3], [0, 1, 2, 4]], ..Volume::default() };
    assert!(matches!(solid(&volume, &Options::default()).unwrap_err(), RepairError::Mesh(_)));
}

#[test]
fn what_was_repaired_runs() {
    let heap = exploded(&Grid::new(6, 6).build().unwrap());
    let (mesh, _) = cloth(&heap, &Options::default()).unwrap();
    let mut scene = ModelBuilder::new();
    let body = scene.cloth(mesh, Fabric::cotton()).unwrap();
    scene.pin(body.vertex(0));
    let mut sim =
        Simulation::<f32>::new(scene.build().unwrap(), ProjectiveDynamics::default()).unwrap();
    for _ in 0..5 {
        assert!(sim.step().warning().is_none());
    }
}
