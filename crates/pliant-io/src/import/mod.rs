//! Mesh import.
//!
//! [`FORMATS`] lists the formats. Each is described by the constant `FORMAT` in the file of its reader: its name, its
//! extensions and the content that is read. Messages, the command and the viewer name the formats of this list, and
//! `pliant list formats` prints them.
//!
//! Files are untrusted input. For any bytes, an import returns either a mesh with finite numbers and valid
//! indices, or an [`ImportError`]; it never panics, hangs or exhausts memory. Every announced length is
//! compared with the bytes that are present before any allocation, data that can multiply (instances,
//! compression) is bounded by [`Limits`], and no reader recurses. Other files are opened only in the file's own
//! folder ([`file_resolver`]).
//!
//! The parsers are part of this crate. Existing crates panic or allocate on hostile lengths, and none reports
//! the line of the offending number; the formats are small. JSON and zlib, which are not small, use
//! `serde_json` (bounded recursion) and `miniz_oxide` (bounded output).
//!
//! Positions are interpreted in metres. Texture coordinates have their origin at the lower left, as in OBJ, PLY
//! and USD; those of glTF, with the origin at the upper left, are flipped.

mod base64;
mod cells;
mod cursor;
pub mod error;
pub mod file_resolver;
mod format;
mod gltf;
mod msh;
mod obj;
mod off;
mod ply;
mod stl;
mod tetgen;
mod vtk;
mod vtu;
mod xml;

use std::path::Path;

use crate::surface::{Group, Surface};
use cursor::Cursor;
pub use error::{ImportError, Location, Problem};
pub use file_resolver::{FileResolver, Folder, NoFiles};
pub use format::{Format, extensions};

/// Content of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Imported {
    /// At least one surface; each has triangles.
    Surfaces(Vec<Surface>),
    /// Tetrahedral mesh of a solid.
    Volume(Volume),
}

impl Imported {
    /// Returns the surfaces; empty for a volume.
    pub fn into_surfaces(self) -> Vec<Surface> {
        match self {
            Self::Surfaces(surfaces) => surfaces,
            Self::Volume(_) => Vec::new(),
        }
    }

    /// Returns the volume, if there is one.
    pub fn into_volume(self) -> Option<Volume> {
        match self {
            Self::Surfaces(_) => None,
            Self::Volume(volume) => Some(volume),
        }
    }
}

/// Tets as the file lists them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Volume {
    /// Name of the mesh in the file; may be empty.
    pub name: String,
    /// Position of each vertex \[m\], in file order.
    pub positions: Vec<[f64; 3]>,
    /// Vertices of each tet, in file order; some tets may be left-handed.
    pub tets: Vec<[u32; 4]>,
    /// Named subsets: physical groups or regions of the file.
    pub groups: Vec<TetGroup>,
}

/// A named set of tets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TetGroup {
    /// Name in the file, or the group's number.
    pub name: String,
    /// Tet indices, ascending.
    pub tets: Vec<u32>,
}

/// All import formats, in the order in which messages and documentation list them.
pub const FORMATS: &[Format] = &[
    obj::FORMAT,
    off::FORMAT,
    ply::FORMAT,
    stl::FORMAT,
    gltf::FORMAT,
    msh::FORMAT,
    tetgen::FORMAT,
    vtk::FORMAT,
    vtu::FORMAT,
];

/// Limits on the content of a file. With the defaults, importing a file of ordinary size takes less than 512
/// MiB of memory, whatever it contains. They are far above any size that is simulated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Size of the file, of each file that it refers to, and of decompressed data \[bytes\].
    pub bytes: u64,
    /// Total number of vertices, after instancing.
    pub vertices: usize,
    /// Total number of triangles or tets, after instancing.
    pub cells: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 1 << 27, vertices: 1 << 22, cells: 1 << 22 }
    }
}

/// Input file of a reader.
struct Source<'a> {
    file: &'a str,
    bytes: &'a [u8],
    limits: &'a Limits,
    resolver: &'a dyn FileResolver,
}

impl<'a> Source<'a> {
    fn cursor(&self) -> Cursor<'a> {
        Cursor::new(self.file, self.bytes)
    }

    fn error(&self, problem: Problem) -> ImportError {
        problem.at(self.file, Location::File)
    }

    /// Rejects a number of vertices above the limit.
    fn check_vertices(&self, found: usize) -> Result<(), ImportError> {
        self.check("vertices", found, self.limits.vertices)
    }

    /// Rejects a number of cells above the limit.
    fn check_cells(&self, found: usize) -> Result<(), ImportError> {
        self.check("triangles or tets", found, self.limits.cells)
    }

    fn check(&self, what: &'static str, found: usize, most: usize) -> Result<(), ImportError> {
        // Indices are `u32`; the largest value is reserved for "none".
        let most = most.min(u32::MAX as usize);
        if found <= most {
            return Ok(());
        }
        let (found, most) = (found as u64, most as u64);
        Err(self.error(Problem::TooLarge { what, found, most }))
    }

    /// Returns the surfaces that have triangles; an error if there are none.
    fn surfaces(&self, mut surfaces: Vec<Surface>) -> Result<Imported, ImportError> {
        surfaces.retain(|surface| !surface.triangles.is_empty());
        if surfaces.is_empty() {
            return Err(self.error(Problem::Empty));
        }
        Ok(Imported::Surfaces(surfaces))
    }

    /// File name without its folder and extension.
    fn stem(&self) -> String {
        let path = Path::new(self.file);
        path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Reads a file; the extension determines its format.
pub fn read(path: impl AsRef<Path>) -> Result<Imported, ImportError> {
    read_with(path, &Limits::default())
}

/// Reads a file as [`read`] does, with custom limits.
pub fn read_with(path: impl AsRef<Path>, limits: &Limits) -> Result<Imported, ImportError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let format = Format::of_file(path)?;
    let bytes =
        file_resolver::read_file(path, limits.bytes).map_err(|p| p.at(&file, Location::File))?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => Path::new(".").to_owned(),
    };
    read_bytes(&file, &bytes, format, limits, &Folder(folder))
}

/// Reads a file from memory, as in a browser. `file` is its name: for errors, for unnamed meshes, and for formats
/// of several files, where its extension tells which of them it is. `resolver` provides the files that it refers to.
pub fn read_bytes(
    file: &str,
    bytes: &[u8],
    format: Format,
    limits: &Limits,
    resolver: &dyn FileResolver,
) -> Result<Imported, ImportError> {
    let source = Source { file, bytes, limits, resolver };
    source.check("bytes", bytes.len(), usize::try_from(limits.bytes).unwrap_or(usize::MAX))?;
    (format.read)(&source)
}

/// Triangulates a polygon as a fan around its first corner.
fn fan<T: Copy>(corners: &[T]) -> impl Iterator<Item = [T; 3]> {
    corners.windows(2).skip(1).map(|pair| [corners[0], pair[0], pair[1]])
}

/// Triangles by group name during an import, in order of first appearance.
#[derive(Default)]
struct Groups {
    number: std::collections::BTreeMap<String, usize>,
    list: Vec<Group>,
}

impl Groups {
    /// Index of the group with this name, which is created if necessary.
    fn named(&mut self, name: String) -> usize {
        let list = &mut self.list;
        *self.number.entry(name).or_insert_with_key(|name| {
            list.push(Group { name: name.clone(), triangles: Vec::new() });
            list.len() - 1
        })
    }

    /// Adds the latest triangle to a group.
    fn add(&mut self, group: usize, triangle: usize) {
        self.list[group].triangles.push(triangle as u32);
    }

    /// Returns the groups that have triangles.
    fn finish(mut self) -> Vec<Group> {
        self.list.retain(|group| !group.triangles.is_empty());
        self.list
    }
}
