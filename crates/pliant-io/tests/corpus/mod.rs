//! Files that are wrong, each in one way, with the refusal that each must get.

mod gltf;
mod mesher;
mod surfaces;
mod vtk;

use std::collections::BTreeMap;

use pliant_io::import::{Format, Problem};

/// A bad file.
pub struct Case {
    pub name: &'static str,
    pub format: Format,
    pub bytes: Vec<u8>,
    pub beside: BTreeMap<String, Vec<u8>>,
    /// The refusal that it must get, as a test and in words.
    pub fits: fn(&Problem) -> bool,
    pub wanted: &'static str,
}

/// `case!(list, Format, "what is wrong", bytes, pattern of the problem)`
macro_rules! case {
    ($list:ident, $format:ident, $name:expr, $bytes:expr, $($wanted:tt)+) => {
        $list.push($crate::corpus::Case {
            name: $name,
            format: pliant_io::import::Format::$format,
            bytes: Vec::from($bytes),
            beside: Default::default(),
            fits: |problem| matches!(problem, $($wanted)+),
            wanted: stringify!($($wanted)+),
        })
    };
}
use case;

pub fn all() -> Vec<Case> {
    [surfaces::obj(), surfaces::ply(), surfaces::stl(), gltf::all(), mesher::all(), vtk::all()]
        .into_iter()
        .flatten()
        .collect()
}

/// Sound files of about a mebibyte that become as much as can be.
pub fn valid_but_large() -> Vec<Case> {
    let mut list = Vec::new();
    let never = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned();
    case!(list, Obj, "objects of one face", never.clone() + &mebibyte("o\nf 1 2 3\n"), _);
    case!(list, Obj, "a polygon", never.clone() + "f" + &mebibyte(" 1 2 3"), _);
    let groups: String = (0..16).map(|i| format!(" {i}")).collect();
    let polygon = format!("{never}g{groups}\nusemtl m\nf{}", mebibyte(" 1 2 3"));
    case!(list, Obj, "a polygon in sixteen groups", polygon, _);
    let faces: String = (0..60_000).map(|i| format!("g {i}\nf 1 2 3\n")).collect();
    case!(list, Obj, "a group for every face", never + &faces, _);
    let instances = vec![r#"{"mesh":0}"#; 90_000].join(",");
    let zeros = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{instances}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"TEXCOORD_0":1}}}}]}}],
        "accessors":[{{"componentType":5126,"count":45,"type":"VEC3"}},
        {{"componentType":5126,"count":45,"type":"VEC2"}}]}}"#
    );
    case!(list, Gltf, "instances up to the limit", zeros, _);
    list
}

/// The bytes of a sound file of that name.
fn valid_sample(name: &str) -> Vec<u8> {
    let sample = crate::samples::all().into_iter().find(|sample| sample.name == name);
    sample.unwrap_or_else(|| panic!("no sample {name}")).bytes
}

/// A sound text with something replaced, which must be there.
fn changed(name: &str, from: &str, to: &str) -> Vec<u8> {
    let text = String::from_utf8(valid_sample(name)).unwrap();
    assert!(text.contains(from), "{name} has no {from}");
    text.replacen(from, to, 1).into_bytes()
}

/// A sound file with bytes from a place on replaced.
fn patched(name: &str, at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = valid_sample(name);
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

/// Where a word is in a sound file.
fn find_bytes(name: &str, word: &[u8]) -> usize {
    valid_sample(name).windows(word.len()).position(|window| window == word).unwrap()
}

/// Bytes without sense, the same every time.
pub fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}

/// A text that repeats a part to about a mebibyte.
fn mebibyte(part: &str) -> String {
    part.repeat((1 << 20) / part.len())
}
