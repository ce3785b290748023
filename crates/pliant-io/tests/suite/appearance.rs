//! Colours and patterns of a scene reach the skins, with texture coordinates, and the GLB, with a texture.

use std::collections::BTreeMap;

use gltf::Gltf;
use pliant_io::export::{self, Timing, Track};
use pliant_io::scene_file;
use pliant_io::skin::{Skin, SkinShape};
use pliant_scenes::describe::{Color, PatternKind};

use crate::export_sample::folder;

const SCENE: &str = r##"
[[cloth]]
name = "checked"
mesh.grid = { columns = 5, rows = 4 }
appearance = { color = "#f0e0d0", pattern = { kind = "gingham", color = "#c02030", repeat = [4, 2] } }

[[solid]]
name = "striped"
mesh.sphere = { radius = 0.1, layers = 3 }
appearance.pattern = { kind = "stripes", color = "#102030", repeat = [6, 0] }

[[strand]]
name = "thread"
mesh.strand = { vertices = 5 }
appearance.color = "#00ff00"

[[rigid]]
name = "weight"
box = { center = [0, -1, 0], size = [0.1, 0.1, 0.1] }
mass = 0.1
appearance.color = "#0000ff"

[[collider]]
plane.point = [0, -2, 0]
appearance.color = "#404040"
"##;

fn skins() -> Vec<Skin> {
    let file = scene_file::parse_in_memory("scene.toml", SCENE.to_owned(), BTreeMap::new());
    file.unwrap().build().unwrap().skins
}

#[test]
fn every_body_and_collider_has_the_appearance_of_the_scene() {
    let skins = skins();
    let colors = skins.iter().map(|s| s.shape.appearance().and_then(|a| a.color));
    let expected =
        [Some([0xf0, 0xe0, 0xd0]), None, Some([0, 255, 0]), Some([0, 0, 255]), Some([64; 3])];
    assert_eq!(colors.collect::<Vec<_>>(), expected.map(|c| c.map(Color)));
    let pattern = skins[0].shape.appearance().and_then(|a| a.pattern).unwrap();
    assert_eq!((pattern.kind, pattern.repeat), (PatternKind::Gingham, [4.0, 2.0]));
}

#[test]
fn a_mesh_without_texture_coordinates_gets_angles_without_a_jump_inside_a_triangle() {
    let skins = skins();
    let SkinShape::Surface(ball) = &skins[1].shape else { panic!("not a surface") };
    let uvs = ball.uvs.as_ref().expect("texture coordinates");
    assert_eq!(uvs.corners.len(), ball.triangles.len());
    for corners in &uvs.corners {
        let uv = corners.map(|k| uvs.values[k as usize]);
        for c in 0..2 {
            let all = uv.map(|uv| uv[c]);
            let (low, high) =
                (all.iter().copied().fold(9.0, f64::min), all.iter().copied().fold(-9.0, f64::max));
            assert!(high - low < 0.51 && low >= 0.0 && high < 1.51, "{uv:?}");
        }
    }
    // Once around the axis, and from the lowest point to the highest.
    let range = |c: usize| {
        let of = || uvs.values.iter().map(move |uv| uv[c]);
        (of().fold(9.0, f64::min), of().fold(-9.0, f64::max))
    };
    assert!(range(0).0 < 0.1 && range(0).1 > 0.95, "{:?}", range(0));
    assert!(range(1).0 < 1e-9 && range(1).1 > 1.0 - 1e-9, "{:?}", range(1));
}

#[test]
fn a_glb_has_colors_and_textures() {
    let skins = skins();
    let exported = &skins[..4];
    let tracks: Vec<Track<'_>> = exported.iter().map(|skin| skin.shape.track()).collect();
    let path = folder("glb_appearance").join("scene.glb");
    let mut glb = export::create(&path, &tracks, Timing { fps: 60.0 }).unwrap();
    let rest = |skin: &Skin| match &skin.shape {
        SkinShape::Surface(s) => s.positions.iter().map(|p| p.map(|c| c as f32)).collect(),
        _ => (0..skin.len()).map(|k| [k as f32, 0.0, 0.0]).collect::<Vec<_>>(),
    };
    let positions: Vec<Vec<[f32; 3]>> = exported.iter().map(rest).collect();
    let frame: Vec<&[[f32; 3]]> = positions.iter().map(Vec::as_slice).collect();
    glb.frame(0.0, &frame).unwrap();
    let files = glb.finish().unwrap();
    let Gltf { document, blob } = Gltf::from_slice(&std::fs::read(&files[0]).unwrap()).unwrap();
    let blob = blob.unwrap();
    let textures: Vec<Option<usize>> = document
        .materials()
        .map(|m| m.pbr_metallic_roughness().base_color_texture().map(|t| t.texture().index()))
        .collect();
    assert_eq!(textures, [Some(0), Some(1), None, None]);
    let factor = |k: usize| {
        document.materials().nth(k).unwrap().pbr_metallic_roughness().base_color_factor()
    };
    assert_eq!(factor(0), [1.0; 4]);
    assert_eq!(factor(2), [0.0, 1.0, 0.0, 1.0]);
    for image in document.images() {
        let gltf::image::Source::View { view, mime_type } = image.source() else {
            panic!("not embedded")
        };
        assert_eq!(mime_type, "image/png");
        let png = &blob[view.offset()..view.offset() + view.length()];
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut texels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut texels).unwrap();
        let side = reader.info().width as usize;
        // Four and two periods for the first, six stripes for the second; the first row is at the top.
        let [columns, rows] = if image.index() == 0 { [4, 2] } else { [6, 1] };
        let at = |u: usize, v: usize| {
            texels[(side - 1 - v * side / (4 * rows)) * side + u * side / (4 * columns)]
        };
        let expected = if image.index() == 0 { [0, 1, 1, 2] } else { [0, 2, 0, 2] };
        assert_eq!([at(1, 1), at(3, 1), at(1, 3), at(3, 3)], expected);
    }
}

#[test]
fn a_wrong_color_is_shown_with_its_place() {
    let text = "[[cloth]]\nmesh.grid = { columns = 4, rows = 4 }\nappearance.color = \"red\"\n";
    let error = scene_file::parse_in_memory("scene.toml", text.to_owned(), BTreeMap::new());
    let error = error.unwrap_err();
    assert_eq!(error.place, Some((3, 20)));
    assert!(error.problem.contains("#d65448"), "{}", error.problem);
}
