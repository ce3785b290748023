//! Small sound files of every format, written here: the same tetrahedral surface, and the same
//! solid of two tets, in each. Files of this folder are samples as well, by their names: `surface….EXTENSION` has the
//! surface, `solid….EXTENSION` the solid.
//!
//! All numbers are exact in single precision, so they must come back as they are.

#![allow(dead_code, unused_imports)] // every test uses its part

mod solids;
mod surfaces;

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use pliant_io::import::{Format, ImportError, Imported, Limits, read_bytes};
use solids::{
    Layout, msh2_binary, msh2_text, msh4_binary, msh4_text, tetgen, vtk_binary, vtk_offsets,
    vtk_text, vtu,
};
use surfaces::{glb, gltf_embedded, obj, ply_binary, ply_text, stl_binary, stl_text, vtk_polydata};
pub use surfaces::{glb_of, gltf};

/// The corners of a closed tetrahedron.
pub const POINTS: [[f64; 3]; 4] =
    [[0.0, 0.0, 0.0], [1.5, 0.0, 0.25], [0.0, 2.0, -0.5], [0.125, 0.0, 3.0]];
/// Its faces, outwards.
pub const TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// The points of a solid of two tets.
pub const NODES: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.5, 0.0, 0.25], [0.0, 2.0, -0.5], [0.125, 0.0, 3.0], [2.0, 2.0, 2.0]];
/// Its tets.
pub const TETS: [[u32; 4]; 2] = [[0, 1, 2, 3], [1, 2, 3, 4]];

/// A file: a name for messages, its format, its bytes, and the files beside it.
pub struct Sample {
    pub name: String,
    pub format: Format,
    pub bytes: Vec<u8>,
    pub beside: BTreeMap<String, Vec<u8>>,
}

impl Sample {
    fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        let name = name.into();
        let format = Format::of_file(&name).unwrap();
        Self { name, format, bytes: bytes.into(), beside: BTreeMap::new() }
    }

    pub fn read(&self) -> Result<Imported, ImportError> {
        self.read_changed(&self.bytes)
    }

    /// Reads other bytes in place of the file's own.
    pub fn read_changed(&self, bytes: &[u8]) -> Result<Imported, ImportError> {
        read_bytes(&self.name, bytes, self.format, &Limits::default(), &self.beside)
    }
}

/// Surfaces: each is read as [`POINTS`] and [`TRIANGLES`], or as one point for each corner.
pub fn surfaces() -> Vec<Sample> {
    let mut list = written_surfaces();
    list.extend(files("surface"));
    list
}

fn written_surfaces() -> Vec<Sample> {
    let (gltf, buffer) = gltf(Some("mesh%20data.bin"));
    let mut external = Sample::new("external.gltf", gltf);
    external.beside.insert("mesh data.bin".to_owned(), buffer);
    vec![
        Sample::new("text.obj", obj()),
        Sample::new("text.ply", ply_text()),
        Sample::new("little.ply", ply_binary(false)),
        Sample::new("big.ply", ply_binary(true)),
        Sample::new("text.stl", stl_text()),
        Sample::new("binary.stl", stl_binary()),
        Sample::new("embedded.gltf", gltf_embedded()),
        external,
        Sample::new("binary.glb", glb()),
        Sample::new("polydata.vtk", vtk_polydata()),
    ]
}

/// Solids: each is read as [`NODES`] and [`TETS`].
pub fn solids() -> Vec<Sample> {
    let mut list = written_solids();
    list.extend(files("solid"));
    list
}

fn written_solids() -> Vec<Sample> {
    let [node, ele] = tetgen();
    let mut from_ele = Sample::new("two.ele", ele.clone());
    from_ele.beside.insert("two.node".to_owned(), node.clone().into());
    let mut from_node = Sample::new("two.node", node);
    from_node.beside.insert("two.ele".to_owned(), ele.into());
    vec![
        Sample::new("two.msh", msh2_text()),
        Sample::new("two_binary.msh", msh2_binary()),
        Sample::new("four.msh", msh4_text()),
        Sample::new("four_binary.msh", msh4_binary(false)),
        Sample::new("four_big.msh", msh4_binary(true)),
        from_ele,
        from_node,
        Sample::new("text.vtk", vtk_text()),
        Sample::new("binary.vtk", vtk_binary()),
        Sample::new("offsets.vtk", vtk_offsets()),
        Sample::new("text.vtu", vtu(Layout::Text)),
        Sample::new("base64.vtu", vtu(Layout::Base64)),
        Sample::new("zlib.vtu", vtu(Layout::Zlib)),
        Sample::new("raw.vtu", vtu(Layout::Raw)),
        Sample::new("appended.vtu", vtu(Layout::Appended)),
        Sample::new("raw_zlib.vtu", vtu(Layout::RawZlib)),
    ]
}

/// Files of this folder whose names start with a word and end with an extension of a format.
fn files(word: &str) -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let entries = std::fs::read_dir(&folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.starts_with(word) && Format::of_file(name).is_ok());
    names.sort();
    names
        .into_iter()
        .map(|name| Sample::new(&name, std::fs::read(folder.join(&name)).unwrap()))
        .collect()
}

pub fn all() -> Vec<Sample> {
    surfaces().into_iter().chain(solids()).collect()
}

fn line<T: ToString>(numbers: &[T]) -> String {
    numbers.iter().map(T::to_string).collect::<Vec<_>>().join(" ")
}

/// One line for each row, after a start.
fn rows<T: ToString, const N: usize>(start: &str, rows: &[[T; N]]) -> String {
    rows.iter().map(|row| format!("{start}{}\n", line(row))).collect()
}

fn put<const N: usize>(bytes: &mut Vec<u8>, mut number: [u8; N], big: bool) {
    if big {
        number.reverse();
    }
    bytes.extend(number);
}

pub fn base64(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}
