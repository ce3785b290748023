//! Files that are wrong, each in one way, with the refusal that each must get.

mod gltf;
mod mesher;
mod surfaces;
mod vtk;

use std::collections::BTreeMap;

use pliant::math::Random;
use pliant_io::import::{self, Problem};

/// A bad file.
pub struct Case {
    pub name: &'static str,
    /// Extension of its format.
    pub extension: &'static str,
    pub bytes: Vec<u8>,
    pub beside: BTreeMap<String, Vec<u8>>,
    /// The refusal that it must get, as a test and in words.
    pub fits: fn(&Problem) -> bool,
    pub wanted: &'static str,
}

/// `case!(list, "extension", "what is wrong", bytes, pattern of the problem)`
macro_rules! case {
    ($list:ident, $extension:expr, $name:expr, $bytes:expr, $($wanted:tt)+) => {
        $list.push($crate::corpus::Case {
            name: $name,
            extension: $extension,
            bytes: Vec::from($bytes),
            beside: Default::default(),
            fits: |problem| matches!(problem, $($wanted)+),
            wanted: stringify!($($wanted)+),
        })
    };
}
use case;

pub fn all() -> Vec<Case> {
    let mut list = of_every_format();
    for own in [
        surfaces::obj(),
        surfaces::off(),
        surfaces::ply(),
        surfaces::stl(),
        gltf::all(),
        mesher::all(),
        vtk::all(),
    ] {
        list.extend(own);
    }
    list
}

/// Files that are wrong in every format.
fn of_every_format() -> Vec<Case> {
    let mut list = Vec::new();
    for extension in import::extensions() {
        case!(list, extension, "no bytes", "", _);
        case!(list, extension, "noise", noise(5000, 7), _);
        case!(list, extension, "zeros", vec![0; 1 << 20], _);
        case!(list, extension, "blanks", mebibyte(" "), _);
        case!(list, extension, "line ends", mebibyte("\r"), _);
        case!(list, extension, "numbers", mebibyte("4 "), _);
        case!(list, extension, "lines of numbers", mebibyte("3 0 1 2\n"), _);
        case!(list, extension, "brackets", mebibyte("<"), _);
    }
    list
}

/// Sound files of about a mebibyte that become as much as can be.
pub fn valid_but_large() -> Vec<Case> {
    let mut list = Vec::new();
    let never = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned();
    case!(list, "obj", "objects of one face", never.clone() + &mebibyte("o\nf 1 2 3\n"), _);
    case!(list, "obj", "a polygon", never.clone() + "f" + &mebibyte(" 1 2 3"), _);
    let groups: String = (0..16).map(|i| format!(" {i}")).collect();
    let polygon = format!("{never}g{groups}\nusemtl m\nf{}", mebibyte(" 1 2 3"));
    case!(list, "obj", "a polygon in sixteen groups", polygon, _);
    let faces: String = (0..60_000).map(|i| format!("g {i}\nf 1 2 3\n")).collect();
    case!(list, "obj", "a group for every face", never + &faces, _);
    let instances = vec![r#"{"mesh":0}"#; 90_000].join(",");
    let zeros = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{instances}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"TEXCOORD_0":1}}}}]}}],
        "accessors":[{{"componentType":5126,"count":45,"type":"VEC3"}},
        {{"componentType":5126,"count":45,"type":"VEC2"}}]}}"#
    );
    let polygon =
        format!("OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n{} {}", 3 << 16, "0 1 2 ".repeat(1 << 16));
    case!(list, "off", "a polygon", polygon, _);
    case!(list, "gltf", "instances up to the limit", zeros, _);
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

/// Position of a word in a valid file.
fn find_bytes(name: &str, word: &[u8]) -> usize {
    valid_sample(name).windows(word.len()).position(|window| window == word).unwrap()
}

/// Bytes without sense, the same every time.
pub fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    (0..length).map(|_| random.below(256) as u8).collect()
}

/// A text that repeats a part to about a mebibyte.
fn mebibyte(part: &str) -> String {
    part.repeat((1 << 20) / part.len())
}
