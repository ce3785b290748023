//! Meshes from files.
//!
//! | format | endings | what is read | file |
//! |---|---|---|---|
//! | Wavefront OBJ | `obj` | polygons, texture coordinates, groups, materials' names, objects | `obj` |
//! | Stanford PLY | `ply` | polygons, texture coordinates; text, binary of both orders | `ply` |
//! | STL | `stl` | triangles; text and binary | `stl` |
//! | glTF 2.0 | `gltf`, `glb` | triangles, texture coordinates, node transforms | `gltf` |
//! | Gmsh 2.2 and 4.1 | `msh` | tets or triangles, physical groups; text and binary | `msh` |
//! | TetGen | `node`, `ele` | tets, region attributes | `tetgen` |
//! | VTK legacy | `vtk` | tets or polygons; text and binary | `vtk` |
//! | VTK XML | `vtu` | tets or triangles; text, base64, raw, zlib | `vtu` |
//!
//! A file is data from a stranger. Whatever its bytes, reading ends in a mesh whose numbers are
//! finite and whose indices are in range, or in an [`ImportError`]; never in a panic, a hang or an
//! exhausted memory: every announced length is compared with the bytes that are there before
//! anything is allocated, what may multiply (instances, compression) is bounded by [`Limits`], and
//! nothing recurses. Other files are opened only in the file's own folder ([`siblings`]).
//!
//! The parsers are our own. The crates that exist panic or allocate on hostile lengths, and none
//! says in which line the offending number stands; the formats are small. JSON and zlib, which are
//! not small, are `serde_json` (bounded recursion) and `miniz_oxide` (bounded output).
//!
//! Positions are taken as metres. Texture coordinates have their origin at the lower left, as in
//! OBJ, PLY and USD; those of glTF, from the upper left, are turned over.

mod base64;
mod cells;
pub mod error;
mod gltf;
mod msh;
mod obj;
mod ply;
mod scan;
pub mod siblings;
mod stl;
mod tetgen;
mod vtk;
mod vtu;
mod xml;

use std::path::Path;

use crate::surface::{Group, Surface};
pub use error::{ImportError, Place, Problem};
use scan::Scan;
pub use siblings::{Alone, Folder, Siblings};

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Imported {
    /// Surfaces, at least one, none without triangles.
    Surfaces(Vec<Surface>),
    /// A solid of tets.
    Volume(Volume),
}

impl Imported {
    /// The surfaces; none of a volume.
    pub fn into_surfaces(self) -> Vec<Surface> {
        match self {
            Self::Surfaces(surfaces) => surfaces,
            Self::Volume(_) => Vec::new(),
        }
    }

    /// The volume, if it is one.
    pub fn into_volume(self) -> Option<Volume> {
        match self {
            Self::Surfaces(_) => None,
            Self::Volume(volume) => Some(volume),
        }
    }
}

/// Tets as a file lists them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volume {
    /// The mesh's name in the file; may be empty.
    pub name: String,
    /// Where each vertex is \[m\], in the order of the file.
    pub positions: Vec<[f64; 3]>,
    /// The four vertices of each tet, in the order of the file: some may be left-handed.
    pub tets: Vec<[u32; 4]>,
    /// Named parts: the physical groups or regions of the file.
    pub groups: Vec<TetGroup>,
}

/// A named set of tets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TetGroup {
    /// Its name in the file, or its number.
    pub name: String,
    /// The tets, ascending.
    pub tets: Vec<u32>,
}

/// The formats that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// Stanford PLY, text or binary.
    Ply,
    /// STL, text or binary.
    Stl,
    /// glTF 2.0, as JSON or as one binary file.
    Gltf,
    /// Gmsh, text or binary.
    Msh,
    /// The vertices of a TetGen pair; the tets are read from the `.ele` beside it.
    TetgenNode,
    /// The tets of a TetGen pair; the vertices are read from the `.node` beside it.
    TetgenEle,
    /// VTK legacy, text or binary.
    Vtk,
    /// VTK XML unstructured grid.
    Vtu,
}

impl Format {
    /// The format of a file's ending, without the dot and in any case of its letters.
    pub fn of_extension(extension: &str) -> Option<Self> {
        Some(match extension.to_ascii_lowercase().as_str() {
            "obj" => Self::Obj,
            "ply" => Self::Ply,
            "stl" => Self::Stl,
            "gltf" | "glb" => Self::Gltf,
            "msh" => Self::Msh,
            "node" => Self::TetgenNode,
            "ele" => Self::TetgenEle,
            "vtk" => Self::Vtk,
            "vtu" => Self::Vtu,
            _ => return None,
        })
    }
}

/// How much a file may hold. The defaults keep an import below 512 MiB of memory for a file of
/// ordinary size, whatever it says, and are far beyond what is simulated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The size of the file and of each file that belongs to it, and of data in it after
    /// decompression \[bytes\].
    pub bytes: u64,
    /// Vertices in total, after instances were placed.
    pub vertices: usize,
    /// Triangles or tets in total, after instances were placed.
    pub cells: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 1 << 27, vertices: 1 << 22, cells: 1 << 22 }
    }
}

/// A file being read.
struct Source<'a> {
    file: &'a str,
    bytes: &'a [u8],
    limits: &'a Limits,
    siblings: &'a dyn Siblings,
}

impl<'a> Source<'a> {
    fn scan(&self) -> Scan<'a> {
        Scan::new(self.file, self.bytes)
    }

    fn error(&self, problem: Problem) -> ImportError {
        problem.at(self.file, Place::File)
    }

    /// Refuses more vertices than allowed.
    fn check_vertices(&self, found: usize) -> Result<(), ImportError> {
        self.check("vertices", found, self.limits.vertices)
    }

    /// Refuses more cells than allowed.
    fn check_cells(&self, found: usize) -> Result<(), ImportError> {
        self.check("triangles or tets", found, self.limits.cells)
    }

    fn check(&self, what: &'static str, found: usize, most: usize) -> Result<(), ImportError> {
        // Indices are `u32`, with the largest kept free to say "none".
        let most = most.min(u32::MAX as usize);
        if found <= most {
            return Ok(());
        }
        let (found, most) = (found as u64, most as u64);
        Err(self.error(Problem::TooLarge { what, found, most }))
    }

    /// The surfaces that have triangles, if there are any.
    fn surfaces(&self, mut surfaces: Vec<Surface>) -> Result<Imported, ImportError> {
        surfaces.retain(|surface| !surface.triangles.is_empty());
        if surfaces.is_empty() {
            return Err(self.error(Problem::Empty));
        }
        Ok(Imported::Surfaces(surfaces))
    }

    /// The name of the file without its folder and ending.
    fn stem(&self) -> String {
        let path = Path::new(self.file);
        path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Reads a file, whose ending tells its format.
pub fn read(path: impl AsRef<Path>) -> Result<Imported, ImportError> {
    read_with(path, &Limits::default())
}

/// As [`read`], with limits of one's own.
pub fn read_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Imported, ImportError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let ending = path.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
    let format = Format::of_extension(&ending)
        .ok_or_else(|| Problem::UnknownFormat { found: ending }.at(&file, Place::File))?;
    let bytes = siblings::read_file(path, limits.bytes).map_err(|p| p.at(&file, Place::File))?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => Path::new(".").to_owned(),
    };
    read_bytes(&file, &bytes, format, limits, &Folder(folder))
}

/// Reads a file that is in memory, as in a browser. `file` is its name, for errors and for names
/// of meshes that have none; `siblings` gives the files that it refers to.
pub fn read_bytes(
    file: &str,
    bytes: &[u8],
    format: Format,
    limits: &Limits,
    siblings: &dyn Siblings,
) -> Result<Imported, ImportError> {
    let source = Source { file, bytes, limits, siblings };
    source.check("bytes", bytes.len(), usize::try_from(limits.bytes).unwrap_or(usize::MAX))?;
    match format {
        Format::Obj => obj::read(&source),
        Format::Ply => ply::read(&source),
        Format::Stl => stl::read(&source),
        Format::Gltf => gltf::read(&source),
        Format::Msh => msh::read(&source),
        Format::TetgenNode | Format::TetgenEle => tetgen::read(&source, format),
        Format::Vtk => vtk::read(&source),
        Format::Vtu => vtu::read(&source),
    }
}

/// Cuts a polygon into a fan of triangles around its first corner.
fn fan<T: Copy>(corners: &[T]) -> impl Iterator<Item = [T; 3]> {
    corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]])
}

/// Triangles by name while a file is read, in the order in which the names first came.
#[derive(Default)]
struct Groups {
    number: std::collections::BTreeMap<String, usize>,
    list: Vec<Group>,
}

impl Groups {
    /// The number of the group of that name, which is made if there is none yet.
    fn named(&mut self, name: String) -> usize {
        let list = &mut self.list;
        *self.number.entry(name).or_insert_with_key(|name| {
            list.push(Group { name: name.clone(), triangles: Vec::new() });
            list.len() - 1
        })
    }

    /// Adds a triangle, the latest.
    fn add(&mut self, group: usize, triangle: usize) {
        self.list[group].triangles.push(triangle as u32);
    }

    /// The groups that have triangles.
    fn finish(mut self) -> Vec<Group> {
        self.list.retain(|group| !group.triangles.is_empty());
        self.list
    }
}
