//! Tests: every defect, inserted into a sound mesh, is reported at the right index.

use crate::Error;
use crate::mesh::report::*;
use crate::mesh::{Grid, TetBlock};

/// Two triangles in the unit square.
fn square() -> TriMesh {
    let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    TriMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]], ..TriMesh::default() }
}

/// Two tets on either side of the face 0, 1, 2.
fn double_tet() -> TetMesh {
    let positions =
        vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 1.0], [0.2, 0.2, -1.0]];
    TetMesh { positions, tets: vec![[0, 1, 2, 3], [0, 2, 1, 4]], corners: vec![] }
}

#[test]
fn sound_meshes_have_no_problems() {
    let report = square().report();
    assert!(report.is_sound());
    assert_eq!(
        report.to_string(),
        "4 vertices, 2 triangles, 4 boundary edges, 5 edges, 1 connected component; no problems"
    );
    let report = double_tet().report();
    assert!(report.is_sound(), "{report}");
    assert_eq!((report.tets, report.triangles, report.edges, report.pieces), (2, 6, 9, 1));
}

#[test]
fn an_empty_mesh() {
    assert_eq!(
        TriMesh::new(vec![], vec![]),
        Err(Error::Mesh(MeshError::Empty { vertices: 0, cells: 0 }))
    );
    assert_eq!(
        TetMesh::new(vec![[0.0; 3]], vec![]),
        Err(Error::Mesh(MeshError::Empty { vertices: 1, cells: 0 }))
    );
}

#[test]
fn an_index_out_of_range() {
    let mut mesh = square();
    mesh.triangles[1] = [0, 2, 9];
    let error = MeshError::IndexOutOfRange { cell: Cell::Triangle(1), vertex: 9, count: 4 };
    assert_eq!(mesh.report().problems, [error, MeshError::IsolatedVertex { vertex: 3 }]);
    let mut mesh = double_tet();
    mesh.tets[1][3] = u32::MAX;
    let error = MeshError::IndexOutOfRange { cell: Cell::Tet(1), vertex: u32::MAX, count: 5 };
    assert_eq!(mesh.validate(), Err(error.into()));
    let mut mesh = square();
    mesh.corners = vec![0, 4];
    let error = MeshError::IndexOutOfRange { cell: Cell::Corner(1), vertex: 4, count: 4 };
    assert_eq!(mesh.report().problems, [error]);
}

#[test]
fn a_repeated_index() {
    let mut mesh = square();
    mesh.triangles.push([3, 1, 3]);
    let error = MeshError::RepeatedIndex { cell: Cell::Triangle(2), vertex: 3 };
    assert_eq!(mesh.report().problems, [error]);
    let mut mesh = double_tet();
    mesh.tets.push([0, 1, 1, 3]);
    let error = MeshError::RepeatedIndex { cell: Cell::Tet(2), vertex: 1 };
    assert_eq!(mesh.report().problems, [error]);
}

#[test]
fn a_position_that_is_not_finite() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut mesh = square();
        mesh.positions[2][1] = bad;
        assert_eq!(mesh.report().problems, [MeshError::NotFinite { vertex: 2 }]);
        let mut mesh = double_tet();
        mesh.positions[4][0] = bad;
        assert_eq!(mesh.report().problems, [MeshError::NotFinite { vertex: 4 }]);
    }
}

#[test]
fn a_triangle_without_area_at_any_scale() {
    for scale in [1e-6, 1.0, 1e6] {
        let mut mesh = square();
        mesh.positions[3] = [0.5, 0.5 + 1e-15, 0.0];
        mesh.positions.iter_mut().flatten().for_each(|x| *x *= scale);
        let problems = mesh.report().problems;
        assert!(matches!(problems[..], [MeshError::DegenerateTriangle { triangle: 1, area }]
                if area <= 1e-15 * scale * scale));
        // A thin but valid triangle passes.
        mesh.positions[3] = [0.5 * scale, (0.5 + 1e-6) * scale, 0.0];
        assert!(mesh.report().is_sound());
    }
    let mut mesh = square();
    mesh.positions[3] = mesh.positions[2];
    let error = MeshError::DegenerateTriangle { triangle: 1, area: 0.0 };
    assert_eq!(mesh.validate(), Err(error.into()));
}

#[test]
fn a_tet_without_volume_and_one_inside_out() {
    let mut mesh = double_tet();
    mesh.positions[4][2] = 0.0;
    assert_eq!(mesh.report().problems, [MeshError::DegenerateTet { tet: 1, volume: 0.0 }]);
    let mut mesh = double_tet();
    mesh.tets[1].swap(0, 1);
    let problems = mesh.report().problems;
    assert!(matches!(problems[..], [MeshError::InvertedTet { tet: 1, volume }]
            if (volume + 1.0 / 6.0).abs() < 1e-15));
}

#[test]
fn cells_given_twice() {
    let mut mesh = square();
    mesh.triangles.push([1, 0, 2]); // the first again, facing the other side
    let error = MeshError::DuplicateCell { first: Cell::Triangle(0), second: Cell::Triangle(2) };
    assert_eq!(mesh.report().problems, [error]);
    let mut mesh = double_tet();
    mesh.tets.insert(0, [1, 2, 4, 0]);
    let error = MeshError::DuplicateCell { first: Cell::Tet(0), second: Cell::Tet(2) };
    assert_eq!(mesh.report().problems, [error]);
}

#[test]
fn an_edge_of_three_triangles() {
    let mut mesh = square();
    mesh.positions.push([0.5, 0.5, 1.0]);
    mesh.triangles.push([2, 0, 4]);
    let error = MeshError::NonManifoldEdge { edge: [0, 2], count: 3 };
    assert_eq!(mesh.report().problems, [error]);
}

#[test]
fn neighbours_that_face_opposite_sides() {
    let mut mesh = square();
    mesh.triangles[1].swap(0, 1);
    let error = MeshError::InconsistentOrientation { edge: [0, 2], triangles: [0, 1] };
    assert_eq!(mesh.report().problems, [error]);
}

#[test]
fn fans_that_touch_in_a_vertex() {
    let mut mesh = square();
    mesh.positions.extend([[2.0, 1.0, 0.0], [2.0, 2.0, 0.0]]);
    mesh.triangles.push([2, 4, 5]);
    assert_eq!(mesh.report().problems, [MeshError::NonManifoldVertex { vertex: 2, fans: 2 }]);
}

#[test]
fn a_face_of_three_tets_and_tets_that_overlap() {
    let mut mesh = double_tet();
    mesh.positions.push([0.3, 0.3, 0.7]);
    mesh.tets.push([0, 1, 2, 5]);
    assert_eq!(mesh.report().problems, [MeshError::NonManifoldFace { face: [0, 1, 2], count: 3 }]);
    let mut mesh = double_tet();
    mesh.positions[4] = [0.3, 0.3, 0.7];
    mesh.tets[1] = [0, 1, 2, 4];
    let error = MeshError::OverlappingTets { tets: [0, 1], face: [0, 1, 2] };
    assert_eq!(mesh.report().problems, [error]);
}

#[test]
fn a_vertex_of_no_cell() {
    let mut mesh = square();
    mesh.positions.push([9.0; 3]);
    assert_eq!(mesh.report().problems, [MeshError::IsolatedVertex { vertex: 4 }]);
    let mut mesh = double_tet();
    mesh.positions.insert(0, [9.0; 3]);
    mesh.tets.as_flattened_mut().iter_mut().for_each(|v| *v += 1);
    assert_eq!(mesh.report().problems, [MeshError::IsolatedVertex { vertex: 0 }]);
}

#[test]
fn texture_coordinates_that_do_not_fit() {
    let mut mesh = square();
    mesh.uvs = Some(vec![[0.0; 2]; 3]);
    assert_eq!(mesh.report().problems, [MeshError::UvCount { uvs: 3, vertices: 4 }]);
    mesh.uvs = Some(vec![[0.0; 2], [0.0, f64::NAN], [0.0; 2], [0.0; 2]]);
    assert_eq!(mesh.report().problems, [MeshError::UvNotFinite { vertex: 1 }]);
}

#[test]
fn a_report_lists_all_problems_in_words_but_not_thousands() {
    let mut mesh = Grid::square(40).build().unwrap();
    mesh.positions.iter_mut().for_each(|p| p[0] = f64::NAN);
    let text = mesh.report().to_string();
    assert!(text.contains("1600 problems:") && text.ends_with("and 1580 more"), "{text}");
    let mut mesh = TetBlock::new(1, 1, 1).build().unwrap();
    mesh.positions.push([0.0; 3]);
    let text = mesh.report().to_string();
    assert!(text.ends_with("1 problem:\n- vertex 8 is not used by any cell; remove it"), "{text}");
}
