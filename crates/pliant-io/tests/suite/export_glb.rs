//! A GLB holds what was pushed: an independent parser reads it back. Vertices split at the seam
//! follow their source, the animation shows one frame after the other, and nothing is out of bounds.

use crate::export_sample::{FPS, folder, strand_at, time, tube, tube_at, write};
use gltf::animation::util::ReadOutputs;
use gltf::{Glb, Gltf};

const FRAMES: usize = 7;

struct Read {
    document: gltf::Document,
    bin: Vec<u8>,
}

fn read(name: &str, frames: usize, with_strand: bool) -> Read {
    let files = write(&folder(name), "sample.glb", frames, with_strand);
    let bytes = std::fs::read(&files[0]).expect("the file");
    let Gltf { document, blob } = Gltf::from_slice(&bytes).expect("a valid GLB");
    Read { document, bin: blob.expect("a binary part") }
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f32::max)
}

#[test]
fn every_frame_reads_back_with_seam_vertices_at_their_source() {
    let Read { document, bin } = read("glb_frames", FRAMES, false);
    let mesh = document.meshes().next().expect("a mesh");
    let rest = tube_at(0.0);
    let mut worst = 0.0_f32;
    for primitive in mesh.primitives() {
        let reader = primitive.reader(|_| Some(&bin));
        let base: Vec<[f32; 3]> = reader.read_positions().expect("positions").collect();
        assert_eq!(base.len(), rest.len() + 11, "one more for each row of the seam");
        let source: Vec<usize> = base
            .iter()
            .map(|p| rest.iter().position(|r| r == p).expect("a vertex of the tube"))
            .collect();
        assert!(source[..rest.len()].iter().enumerate().all(|(k, s)| k == *s), "order is kept");
        for (k, (deltas, normals, _)) in reader.read_morph_targets().enumerate() {
            let frame = tube_at(time(k + 1));
            for (v, delta) in deltas.expect("positions").enumerate() {
                let p: [f32; 3] = std::array::from_fn(|c| base[v][c] + delta[c]);
                worst = worst.max(distance(p, frame[source[v]]));
            }
            assert!(normals.is_some());
        }
        assert_eq!(reader.read_morph_targets().count(), FRAMES - 1);
    }
    // measured 3e-8: one rounding of a difference
    assert!(worst < 3e-7, "{worst}");
}

#[test]
fn uvs_are_those_of_the_corners_counted_from_the_top() {
    let Read { document, bin } = read("glb_uvs", 2, false);
    let surface = tube();
    let uvs = surface.uvs.as_ref().expect("UVs");
    let mut corners = Vec::new();
    for primitive in document.meshes().next().expect("a mesh").primitives() {
        let reader = primitive.reader(|_| Some(&bin));
        let values: Vec<[f32; 2]> = reader.read_tex_coords(0).expect("UVs").into_f32().collect();
        let indices = reader.read_indices().expect("indices").into_u32();
        corners.extend(indices.map(|i| values[i as usize]));
    }
    // The groups of the sample follow each other, so that the order of triangles is kept.
    for (read, uv) in corners.iter().zip(uvs.corners.as_flattened()) {
        let [u, v] = uvs.values[*uv as usize];
        assert_eq!(*read, [u as f32, (1.0 - v) as f32]);
    }
    assert_eq!(corners.len(), 3 * surface.triangles.len());
}

#[test]
fn the_animation_shows_one_frame_after_the_other_at_its_time() {
    let Read { document, bin } = read("glb_animation", FRAMES, true);
    let animation = document.animations().next().expect("an animation");
    assert_eq!(animation.channels().count(), 2, "one for each body");
    for channel in animation.channels() {
        let reader = channel.reader(|_| Some(&bin));
        let times: Vec<f32> = reader.read_inputs().expect("times").collect();
        let expected: Vec<f32> = (0..FRAMES).map(|k| (k as f64 / FPS) as f32).collect();
        assert_eq!(times, expected);
        let Some(ReadOutputs::MorphTargetWeights(weights)) = reader.read_outputs() else {
            panic!("an animation of weights");
        };
        let weights: Vec<f32> = weights.into_f32().collect();
        for (frame, row) in weights.chunks(FRAMES - 1).enumerate() {
            for (target, weight) in row.iter().enumerate() {
                assert_eq!(*weight, if target + 1 == frame { 1.0 } else { 0.0 });
            }
        }
    }
}

#[test]
fn accessors_stay_in_the_buffer_and_tell_their_true_bounds() {
    let Read { document, bin } = read("glb_bounds", FRAMES, true);
    let mut ends = Vec::new();
    for accessor in document.accessors() {
        let view = accessor.view().expect("a view");
        assert_eq!((view.offset() + accessor.offset()) % 4, 0, "aligned");
        assert!(accessor.count() * accessor.size() <= view.length());
        assert!(view.offset() + view.length() <= bin.len());
        ends.push(view.offset() + view.length());
    }
    assert_eq!(ends.iter().max(), Some(&bin.len()), "nothing is left over");
    for mesh in document.meshes() {
        for primitive in mesh.primitives() {
            let bounds = primitive.bounding_box();
            let reader = primitive.reader(|_| Some(&bin));
            let positions: Vec<[f32; 3]> = reader.read_positions().expect("positions").collect();
            for c in 0..3 {
                let low = positions.iter().map(|p| p[c]).fold(f32::MAX, f32::min);
                let high = positions.iter().map(|p| p[c]).fold(f32::MIN, f32::max);
                assert_eq!((bounds.min[c], bounds.max[c]), (low, high));
            }
        }
    }
}

#[test]
fn names_groups_and_strands_are_kept() {
    let Read { document, bin } = read("glb_names", 3, true);
    let nodes: Vec<_> = document.nodes().map(|n| n.name().unwrap_or("").to_owned()).collect();
    assert_eq!(nodes, ["Sleeve \"left\"", "thread"]);
    let mut meshes = document.meshes();
    let tube = meshes.next().expect("the tube");
    let groups: Vec<_> =
        tube.primitives().map(|p| p.material().name().unwrap_or("").to_owned()).collect();
    assert_eq!(groups, ["cuff", "arm"]);
    assert!(tube.primitives().all(|p| p.material().double_sided()));

    let thread = meshes.next().expect("the thread").primitives().next().expect("its lines");
    assert_eq!(thread.mode(), gltf::mesh::Mode::Lines);
    let reader = thread.reader(|_| Some(&bin));
    let indices: Vec<u32> = reader.read_indices().expect("pairs").into_u32().collect();
    // Two polylines of four and five vertices: no segment joins them.
    assert_eq!(indices, [0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 6, 7, 7, 8]);
    let positions: Vec<[f32; 3]> = reader.read_positions().expect("positions").collect();
    assert_eq!(positions, strand_at(0.0));
}

#[test]
fn the_header_counts_every_byte() {
    let files = write(&folder("glb_header"), "sample.glb", 2, false);
    let bytes = std::fs::read(&files[0]).expect("the file");
    let glb = Glb::from_slice(&bytes).expect("a GLB");
    assert_eq!(glb.header.length as usize, bytes.len());
    assert_eq!(glb.json.len() % 4, 0);
}

#[test]
fn a_single_frame_is_a_mesh_without_animation() {
    let Read { document, bin } = read("glb_single", 1, false);
    assert_eq!(document.animations().count(), 0);
    let primitive = document.meshes().next().and_then(|m| m.primitives().next()).expect("a mesh");
    assert_eq!(primitive.reader(|_| Some(&bin)).read_morph_targets().count(), 0);
}
