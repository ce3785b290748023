//! PC2, USD, OBJ, PLY and STL hold what was pushed, bit for bit and in the surface's order: each is read
//! back by a few lines written from the format's description.

use std::collections::BTreeMap;

use crate::export_sample::{FPS, files, folder, strand_at, time, tube, tube_at, write};
use pliant_io::Surface;
use pliant_io::export::{self, Timing, Track};

const FRAMES: usize = 5;

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn i32_at(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn vectors(bytes: &[u8], from: usize, count: usize) -> Vec<[f32; 3]> {
    (0..count).map(|v| std::array::from_fn(|c| f32_at(bytes, from + 12 * v + 4 * c))).collect()
}

#[test]
fn a_point_cache_has_its_header_and_every_sample() {
    let paths = write(&folder("pc2"), "sample.pc2", FRAMES, false);
    let bytes = std::fs::read(&paths[0]).expect("the file");
    let count = tube_at(0.0).len();
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    assert_eq!([i32_at(&bytes, 12), i32_at(&bytes, 16)], [1, count as i32]);
    assert_eq!([f32_at(&bytes, 20), f32_at(&bytes, 24)], [0.0, 1.0]);
    assert_eq!(i32_at(&bytes, 28), FRAMES as i32);
    assert_eq!(bytes.len(), 32 + 12 * count * FRAMES);
    for frame in 0..FRAMES {
        assert_eq!(vectors(&bytes, 32 + 12 * count * frame, count), tube_at(time(frame)));
    }
}

#[test]
fn several_bodies_have_a_point_cache_each() {
    let folder = folder("pc2_bodies");
    write(&folder, "sample.pc2", 2, true);
    assert_eq!(files(&folder), ["sample_0_Sleeve__left_.pc2", "sample_1_thread.pc2"]);
    let bytes = std::fs::read(folder.join("sample_1_thread.pc2")).expect("the file");
    assert_eq!(vectors(&bytes, 32, 9), strand_at(0.0));
}

/// The numbers in a piece of USD text.
fn numbers(text: &str) -> Vec<f32> {
    text.split(|c: char| "[](), ".contains(c)).filter_map(|w| w.parse().ok()).collect()
}

/// The time samples of an attribute, by time code.
fn samples(text: &str, attribute: &str) -> BTreeMap<String, Vec<f32>> {
    let start = text.find(attribute).expect("the attribute") + attribute.len();
    let body = &text[start..start + text[start..].find('}').expect("an end")];
    let pairs = body.lines().filter_map(|line| line.split_once(": "));
    pairs.map(|(code, values)| (code.trim().to_owned(), numbers(values))).collect()
}

/// Text after `name = ` on its line.
fn value<'t>(text: &'t str, name: &str) -> &'t str {
    let start = text.find(&format!("{name} = ")).expect(name) + name.len() + 3;
    text[start..].lines().next().expect("a line")
}

#[test]
fn usd_has_time_samples_of_every_point_in_order() {
    let paths = write(&folder("usd"), "sample.usda", FRAMES, true);
    let text = std::fs::read_to_string(&paths[0]).expect("the file");
    let (tube_text, strand_text) = text.split_once("def BasisCurves").expect("two bodies");
    for (text, shape) in [(tube_text, tube_at as fn(f64) -> _), (strand_text, strand_at)] {
        let points = samples(text, "points.timeSamples");
        let extents = samples(text, "extent.timeSamples");
        assert_eq!((points.len(), extents.len()), (FRAMES, FRAMES));
        for frame in 0..FRAMES {
            let expected: Vec<[f32; 3]> = shape(time(frame));
            assert_eq!(points[&frame.to_string()], expected.as_flattened());
            let low = |c: usize| expected.iter().map(|p| p[c]).fold(f32::MAX, f32::min);
            assert_eq!(extents[&frame.to_string()][..3], [low(0), low(1), low(2)]);
        }
    }
}

#[test]
fn usd_says_its_units_names_uvs_and_groups() {
    let paths = write(&folder("usd_text"), "sample.usda", FRAMES, true);
    let text = std::fs::read_to_string(&paths[0]).expect("the file");
    let surface = tube();
    assert!(text.starts_with("#usda 1.0\n"));
    assert_eq!(value(&text, "metersPerUnit"), "1");
    assert_eq!(value(&text, "upAxis"), "\"Y\"");
    assert_eq!(value(&text, "framesPerSecond"), format!("{FPS}"));
    assert_eq!(value(&text, "endTimeCode"), (FRAMES - 1).to_string());
    assert!(text.contains(r#"def Mesh "Sleeve__left_""#));
    assert!(text.contains(r#"displayName = "Sleeve \"left\"""#));
    assert_eq!(value(&text, "curveVertexCounts"), "[4, 5]");

    let corners: Vec<f32> = surface.triangles.as_flattened().iter().map(|v| *v as f32).collect();
    assert_eq!(numbers(value(&text, "faceVertexIndices")), corners);
    let uvs = surface.uvs.expect("UVs");
    let indices: Vec<f32> = uvs.corners.as_flattened().iter().map(|v| *v as f32).collect();
    assert_eq!(numbers(value(&text, "primvars:st:indices")), indices);
    let values: Vec<f32> = uvs.values.as_flattened().iter().map(|v| *v as f32).collect();
    assert_eq!(numbers(value(&text, "primvars:st")), values);
    for group in surface.groups {
        let (_, subset) = text.split_once(&format!("GeomSubset \"{}\"", group.name)).expect("it");
        let triangles: Vec<f32> = group.triangles.iter().map(|t| *t as f32).collect();
        assert_eq!(numbers(value(subset, "indices")), triangles);
    }
    let opened = text.matches('{').count();
    assert_eq!(opened, text.matches('}').count(), "braces match");
}

#[test]
fn an_obj_sequence_keeps_order_uvs_and_groups() {
    let folder = folder("obj");
    write(&folder, "sample.obj", FRAMES, true);
    let names: Vec<String> = (1..=FRAMES).map(|k| format!("sample_{k:04}.obj")).collect();
    assert_eq!(files(&folder), names);
    let surface = tube();
    let uvs = surface.uvs.as_ref().expect("UVs");
    for (frame, name) in names.iter().enumerate() {
        let text = std::fs::read_to_string(folder.join(name)).expect("the file");
        let (mut positions, mut corners, mut groups, mut lines) = (vec![], vec![], vec![], vec![]);
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').expect("a word");
            match word {
                "v" => {
                    positions.extend(rest.split(' ').map(|w| w.parse::<f32>().expect("a number")))
                }
                "f" => corners.extend(rest.split(' ').map(str::to_owned)),
                "g" => groups.push((rest.to_owned(), corners.len() as u32 / 3)),
                "l" => lines.push(rest.to_owned()),
                _ => {}
            }
        }
        let expected = [tube_at(time(frame)), strand_at(time(frame))].concat();
        assert_eq!(positions, expected.as_flattened());
        let pairs = surface.triangles.as_flattened().iter().zip(uvs.corners.as_flattened());
        let expected: Vec<String> = pairs.map(|(v, t)| format!("{}/{}", v + 1, t + 1)).collect();
        assert_eq!(corners, expected);
        assert_eq!(groups, [("cuff".to_owned(), 0), ("arm".to_owned(), 80)]);
        assert_eq!(lines, ["177 178 179 180", "181 182 183 184 185"]);
    }
}

#[test]
fn a_ply_sequence_keeps_order_uvs_and_groups() {
    let folder = folder("ply");
    write(&folder, "sample.ply", 2, true);
    let bytes = std::fs::read(folder.join("sample_0002.ply")).expect("the file");
    let end = b"end_header\n";
    let at = bytes.windows(end.len()).position(|w| w == end).expect("a header") + end.len();
    let header = std::str::from_utf8(&bytes[..at]).expect("ASCII");
    for line in ["element vertex 185", "element face 320", "element edge 7", "comment group 1 arm"]
    {
        assert!(header.contains(&format!("{line}\n")), "{line}");
    }
    let expected = [tube_at(time(1)), strand_at(time(1))].concat();
    assert_eq!(vectors(&bytes, at, 185), expected);

    let surface = tube();
    let uvs = surface.uvs.as_ref().expect("UVs");
    let face = 1 + 12 + 1 + 24 + 8;
    for (t, triangle) in surface.triangles.iter().enumerate() {
        let at = at + 185 * 12 + t * face;
        let corners: [u32; 3] = std::array::from_fn(|k| i32_at(&bytes, at + 1 + 4 * k) as u32);
        assert_eq!((bytes[at], corners, bytes[at + 13]), (3, *triangle, 6));
        let uv = uvs.values[uvs.corners[t][2] as usize].map(|c| c as f32);
        assert_eq!([f32_at(&bytes, at + 30), f32_at(&bytes, at + 34)], uv);
        let group = if t < 80 { 0 } else { 1 };
        assert_eq!([i32_at(&bytes, at + 38), i32_at(&bytes, at + 42)], [0, group]);
    }
    assert_eq!(bytes.len(), at + 185 * 12 + 320 * face + 7 * 8);
}

#[test]
fn an_stl_sequence_has_every_triangle_with_its_outward_normal() {
    let folder = folder("stl");
    let paths = write(&folder, "sample.stl", 2, false);
    let surface = tube();
    for (frame, path) in paths.iter().enumerate() {
        let bytes = std::fs::read(path).expect("the file");
        assert!(!bytes.starts_with(b"solid"), "this word marks a text");
        assert_eq!(i32_at(&bytes, 80), 320);
        assert_eq!(bytes.len(), 84 + 50 * 320);
        let positions = tube_at(time(frame));
        for (t, triangle) in surface.triangles.iter().enumerate() {
            let at = 84 + 50 * t;
            let corners = triangle.map(|v| positions[v as usize]);
            assert_eq!(vectors(&bytes, at + 12, 3), corners);
            assert_eq!(bytes[at + 48..at + 50], [0, 0]);
            let n = vectors(&bytes, at, 1)[0];
            let dot = |d: [f32; 3]| n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
            let edge = |k: usize| std::array::from_fn(|c| corners[k][c] - corners[0][c]);
            assert!((dot(n) - 1.0).abs() < 1e-6, "{n:?}");
            // Across both edges; measured 3e-8.
            assert!(dot(edge(1)).abs() < 1e-6 && dot(edge(2)).abs() < 1e-6, "{t}: {n:?}");
        }
    }
}

#[test]
fn an_stl_file_has_all_bodies_and_zero_normals_where_there_is_no_area() {
    let [a, b] = [[0.0, 0.5], [2.0, 2.0]].map(|[low, high]: [f64; 2]| Surface {
        positions: vec![[low, 0.0, 0.0], [high, 0.0, 0.0], [low, 0.0, -1.0]],
        triangles: vec![[0, 1, 2]],
        ..Surface::default()
    });
    let path = folder("stl_bodies").join("two.stl");
    let tracks = [Track::surface(&a), Track::surface(&b)];
    let mut export = export::create(path, &tracks, Timing { fps: FPS }).expect("a new export");
    let single = |s: &Surface| s.positions.iter().map(|p| p.map(|c| c as f32)).collect::<Vec<_>>();
    export.frame(0.0, &[&single(&a), &single(&b)]).expect("a frame that fits");
    let bytes = std::fs::read(&export.finish().expect("whole files")[0]).expect("the file");
    assert_eq!((i32_at(&bytes, 80), bytes.len()), (2, 84 + 2 * 50));
    // Counter-clockwise as seen from above; the other has two corners at one place.
    assert_eq!(vectors(&bytes, 84, 1), [[0.0, 1.0, 0.0]]);
    assert_eq!(vectors(&bytes, 84 + 50, 1), [[0.0; 3]]);
    assert_eq!(vectors(&bytes, 84 + 62, 3), single(&b));
}
