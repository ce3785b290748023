//! Files of every format come in as they were written.

use crate::samples::{self, NODES, POINTS, TETS, TRIANGLES};
use pliant_io::Surface;
use pliant_io::import::{Format, Imported, Limits, NoFiles, Problem, Volume, read_bytes};

fn read(extension: &str, text: impl AsRef<[u8]>) -> Imported {
    let format = Format::of_extension(extension).unwrap();
    read_bytes("the_file", text.as_ref(), format, &Limits::default(), &NoFiles).unwrap()
}

fn surfaces(extension: &str, text: impl AsRef<[u8]>) -> Vec<Surface> {
    read(extension, text).into_surfaces()
}

#[test]
fn every_format_of_surfaces_gives_back_the_points_and_triangles() {
    for sample in samples::surfaces() {
        let mut list = sample.read().unwrap_or_else(|e| panic!("{e}")).into_surfaces();
        assert_eq!(list.len(), 1, "{}", sample.name);
        let surface = list.remove(0);
        let corners = |surface: &Surface| {
            let point = |v: u32| surface.positions[v as usize];
            surface.triangles.iter().map(|t| t.map(point)).collect::<Vec<_>>()
        };
        let wanted: Vec<_> = TRIANGLES.iter().map(|t| t.map(|v| POINTS[v as usize])).collect();
        assert_eq!(corners(&surface), wanted, "{}", sample.name);
        if sample.format.name == "STL" {
            assert_eq!(surface.positions.len(), 12);
        } else {
            assert_eq!(surface.positions, POINTS, "{}", sample.name);
            assert_eq!(surface.triangles, TRIANGLES, "{}", sample.name);
        }
        assert!(!surface.name.is_empty(), "{}", sample.name);
    }
}

#[test]
fn every_format_of_solids_gives_back_the_points_and_tets() {
    for sample in samples::solids() {
        let volume = sample.read().unwrap_or_else(|e| panic!("{e}")).into_volume();
        let Volume { positions, tets, groups, .. } = volume.expect(&sample.name);
        assert_eq!(positions, NODES, "{}", sample.name);
        assert_eq!(tets, TETS, "{}", sample.name);
        // The sample's first tet is in part 7, which some formats name and some do not know.
        let part = match sample.name.as_str() {
            "two.msh" | "four.msh" => Some(("soft part", vec![0])),
            "two_binary.msh" | "two.ele" | "two.node" => Some(("7", vec![0])),
            "four_binary.msh" | "four_big.msh" => Some(("7", vec![0, 1])),
            _ => None,
        };
        let found = groups.first().map(|group| (group.name.as_str(), group.tets.clone()));
        assert_eq!(found, part, "{}", sample.name);
    }
}

#[test]
fn an_obj_keeps_texture_seams_groups_and_materials_apart() {
    let text = "mtllib ../../secret.mtl\n\
        v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\n\
        vt 0 0\nvt .5 0\nvt .5 1\nvt 0 1\nvt 0.75 0\nvt 1 0\nvt 1 1\nvt 0.75 1\n\
        g left all\nusemtl red\nf 1/1 2/2 3/3 4/4\n\
        g right all\nusemtl blue cloth\ns 1\nf -5/5 -2/6 -1/-2 \\\n -4/8\n";
    let list = surfaces("obj", text);
    assert_eq!(list.len(), 1);
    let surface = &list[0];
    assert_eq!(surface.positions.len(), 6);
    assert_eq!(surface.triangles, [[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2]]);
    let uvs = surface.uvs.as_ref().unwrap();
    assert_eq!(uvs.values.len(), 8);
    assert_eq!(uvs.corners, [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]]);
    // The vertices on the seam have two coordinates each.
    assert_eq!((uvs.corners[0][1], uvs.corners[2][0]), (1, 4));
    let groups: Vec<_> = surface.groups.iter().map(|g| (&g.name[..], &g.triangles[..])).collect();
    let wanted: [(&str, &[u32]); 5] = [
        ("all", &[0, 1, 2, 3]),
        ("left", &[0, 1]),
        ("right", &[2, 3]),
        ("red", &[0, 1]),
        ("blue cloth", &[2, 3]),
    ];
    assert_eq!(groups, wanted);
}

#[test]
fn objects_of_an_obj_become_surfaces_with_vertices_of_their_own() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nv 0 0 1\no first\nf 1 2 3\no empty\n\
        o second\nvt 0.25 0.5\nf 2/1 3/1 5/1\nf 2 5 3\n";
    let list = surfaces("obj", text);
    let names: Vec<_> = list.iter().map(|surface| &surface.name[..]).collect();
    assert_eq!(names, ["first", "second"]);
    assert_eq!(list[0].positions.len(), 3);
    assert_eq!(list[1].positions, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(list[1].triangles, [[0, 1, 2], [0, 2, 1]]);
    // A face without texture coordinates among faces with them.
    let uvs = list[1].uvs.as_ref().unwrap();
    assert_eq!(uvs.values, [[0.25, 0.5], [0.0, 0.0]]);
    assert_eq!(uvs.corners, [[0, 0, 0], [1, 1, 1]]);
    assert!(list[0].uvs.is_none());
}

#[test]
fn a_ply_has_texture_coordinates_by_vertex_or_by_corner() {
    let by_vertex = "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\n\
        property double y\nproperty double z\nproperty float s\nproperty float t\n\
        element face 1\nproperty list uchar uint vertex_index\nend_header\n\
        0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n3 0 1 2\n";
    let uvs = surfaces("ply", by_vertex).remove(0).uvs.unwrap();
    assert_eq!(uvs.values, [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(uvs.corners, [[0, 1, 2]]);
    let by_corner = "ply\nformat ascii 1.0\nelement vertex 4\nproperty double x\n\
        property double y\nproperty double z\nelement face 2\n\
        property list uchar int vertex_indices\nproperty list uchar float texcoord\n\
        property int texnumber\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n\
        3 0 1 2 0 0\n4 0 1 2 3 8 0 0 1 0 1 1 0 1 0\n";
    let surface = surfaces("ply", by_corner).remove(0);
    assert_eq!(surface.triangles, [[0, 1, 2], [0, 1, 2], [0, 2, 3]]);
    let uvs = surface.uvs.unwrap();
    assert_eq!(uvs.corners, [[0, 0, 0], [1, 2, 3], [1, 3, 4]]);
    assert_eq!(uvs.values[4], [0.0, 1.0]);
}

#[test]
fn an_off_file_has_polygons_with_texture_coordinates_of_vertices() {
    // Position, normal, colour, texture coordinates; a quad and a triangle with colours.
    let text = "STCNOFF # from some program\n4 2 5\n\n0 0 0  0 0 1  255 0 0 255  0 0\n\
        1 0 0  0 0 1  255 0 0 255  1 0\n# a comment\n1 1 0  0 0 1  255 0 0 255  1 0.5\n\
        0 1 0  0 0 1  255 0 0 255  0 0.5\n4 0 1 2 3  0.5 0.5 0.5\n3 0 1 3  7\n";
    let surface = surfaces("off", text).remove(0);
    assert_eq!(surface.positions, [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(surface.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 3]]);
    let uvs = surface.uvs.unwrap();
    assert_eq!(uvs.values, [[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [0.0, 0.5]]);
    assert_eq!(uvs.corners, surface.triangles);
}

#[test]
fn the_counts_of_an_off_file_may_be_on_the_line_of_the_keyword_or_alone() {
    let rest = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    for start in
        ["OFF\n3 1 0", "OFF 3 1 0", "OFF3 1 0", "3 1 0", "# made\nNOFF\r\n3 1", "COFF\n3 1 3"]
    {
        let surface = surfaces("off", format!("{start}\n{rest}")).remove(0);
        assert_eq!((surface.positions.len(), surface.uvs), (3, None), "{start}");
        assert_eq!(surface.triangles, [[0, 1, 2]], "{start}");
    }
}

#[test]
fn an_stl_of_several_solids_gives_several_surfaces() {
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
        endloop\nendfacet\n";
    let text = format!("solid a b\n{facet}{facet}endsolid a b\nsolid\n{facet}endsolid\n");
    let list = surfaces("stl", text);
    assert_eq!(list.iter().map(|s| s.triangles.len()).collect::<Vec<_>>(), [2, 1]);
    assert_eq!((&list[0].name[..], &list[1].name[..]), ("a b", ""));
}

#[test]
fn nodes_of_a_gltf_place_their_meshes_and_mirrors_turn_them() {
    let (text, buffer) = samples::gltf(None);
    // A parent that moves, a child that mirrors, and the same mesh twice.
    let nodes = r#""nodes":[{"children":[2,1],"translation":[10,0,0]},
        {"mesh":0,"scale":[-1,1,1]},{"mesh":0,"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,0,5,0,1]}]"#;
    let text = text.replace(r#""nodes":[{"mesh":0,"name":"shape"}]"#, nodes);
    let list = surfaces("gltf", samples::glb_of(&text, &buffer));
    assert_eq!(list.len(), 2);
    assert_eq!(list[0].positions[1], [11.5, 5.0, 0.25]);
    assert_eq!(list[0].triangles, TRIANGLES);
    assert_eq!(list[1].positions[1], [8.5, 0.0, 0.25]);
    assert_eq!(list[1].triangles[0], [0, 1, 2]);
}

#[test]
fn primitives_of_a_gltf_are_joined_with_materials_as_groups() {
    let mut buffer = Vec::new();
    for x in POINTS.as_flattened() {
        buffer.extend((*x as f32).to_le_bytes());
    }
    // Texture coordinates as normalised bytes in rows of four, then the indices of a strip.
    for uv in [[0, 0], [255, 0], [0, 255], [255, 255]] {
        buffer.extend([uv[0], uv[1], 7, 7]);
    }
    buffer.extend([0, 1, 2, 3]);
    let text = r#"{"asset":{"version":"2.1"},"materials":[{"name":"red"},{}],
        "meshes":[{"name":"m","primitives":[
        {"attributes":{"POSITION":0,"TEXCOORD_0":1},"indices":2,"mode":5,"material":0},
        {"attributes":{"POSITION":0},"mode":6,"material":1},
        {"attributes":{"POSITION":0},"mode":1}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},
        {"bufferView":1,"componentType":5121,"normalized":true,"count":4,"type":"VEC2"},
        {"bufferView":2,"componentType":5121,"count":4,"type":"SCALAR"}],
        "bufferViews":[{"buffer":0,"byteLength":48},
        {"buffer":0,"byteOffset":48,"byteLength":16,"byteStride":4},
        {"buffer":0,"byteOffset":64,"byteLength":4}],"buffers":[{"byteLength":68}]}"#;
    let surface = surfaces("gltf", samples::glb_of(text, &buffer)).remove(0);
    assert_eq!(surface.name, "m");
    assert_eq!(surface.positions.len(), 8);
    assert_eq!(surface.triangles, [[0, 1, 2], [1, 3, 2], [4, 5, 6], [4, 6, 7]]);
    let groups: Vec<_> = surface.groups.iter().map(|g| (&g.name[..], &g.triangles[..])).collect();
    assert_eq!(groups, [("red", &[0, 1][..]), ("material 1", &[2, 3][..])]);
    // The origin of glTF's texture coordinates is the upper left.
    let uvs = surface.uvs.unwrap();
    assert_eq!(uvs.values[..4], [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]]);
    assert_eq!(uvs.corners, surface.triangles);
}

#[test]
fn sparse_accessors_replace_single_rows() {
    let mut buffer = 2_u32.to_le_bytes().to_vec();
    for x in [0.0_f32, 1.0, 0.0] {
        buffer.extend(x.to_le_bytes());
    }
    let text = r#"{"asset":{"version":"2.0"},
        "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
        "accessors":[{"componentType":5126,"count":3,"type":"VEC3","sparse":{"count":1,
        "indices":{"bufferView":0,"componentType":5125},"values":{"bufferView":1}}}],
        "bufferViews":[{"buffer":0,"byteLength":4},{"buffer":0,"byteOffset":4,"byteLength":12}],
        "buffers":[{"byteLength":16}]}"#;
    let surface = surfaces("gltf", samples::glb_of(text, &buffer)).remove(0);
    assert_eq!(surface.positions, [[0.0; 3], [0.0; 3], [0.0, 1.0, 0.0]]);
}

#[test]
fn files_of_a_mesher_without_tets_are_surfaces() {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n\
        4 0 1 0\n$EndNodes\n$Elements\n2\n1 15 2 0 1 1\n2 3 2 5 1 1 2 3 4\n$EndElements\n";
    let surface = surfaces("msh", text).remove(0);
    assert_eq!(surface.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!((&surface.groups[0].name[..], &surface.groups[0].triangles[..]), ("5", &[0, 1][..]));
}

#[test]
fn limits_are_kept() {
    let sample = &samples::surfaces()[0];
    for limits in [
        Limits { bytes: 50, ..Limits::default() },
        Limits { vertices: 3, ..Limits::default() },
        Limits { cells: 3, ..Limits::default() },
    ] {
        let error = read_bytes("f", &sample.bytes, sample.format, &limits, &NoFiles).unwrap_err();
        assert!(matches!(error.problem, Problem::TooLarge { .. }), "{error}");
    }
}

#[test]
fn errors_name_the_file_the_line_the_value_and_a_remedy() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 7\n";
    let error = read_bytes(
        "cloth.obj",
        text.as_bytes(),
        Format::of_file("cloth.obj").unwrap(),
        &Limits::default(),
        &NoFiles,
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "cloth.obj, line 5: vertex index 7 is out of range: there are 3; correct the index"
    );
}
