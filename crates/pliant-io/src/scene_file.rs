//! Scene files: a [`SceneDescription`] as TOML, with errors that report line and column.
//!
//! Meshes that a scene names are read from the scene's own folder and nowhere else, then repaired. The map back
//! to the vertices of the file is kept, so that exports have the file's vertices. Where no folder exists, as in
//! a browser, the meshes are passed together with the scene.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pliant::mesh::{TetMesh, TriMesh};
use pliant::{Error, Model};
use pliant_scenes::SceneDescription;
use pliant_scenes::describe::{FileShape, MeshFiles, OLD_KEYS, VertexGroups};
use toml::de::{DeTable, DeValue};

use crate::embedding::Embedding;
use crate::import::{self, FileResolver, Folder, Format, Imported, Limits};
use crate::skin::{Binding, Skin, SkinShape};
use crate::surface::Surface;
use crate::{lattice, repair};

/// Size limit of a scene file, in bytes.
const MAX_SCENE_BYTES: u64 = 16 << 20;
/// Default number of lattice cells along the longest side.
const LATTICE_CELLS: usize = 16;

/// A scene file that was parsed, or a scene that was described in code.
#[derive(Clone, Debug)]
pub struct SceneFile {
    /// File name, for messages.
    pub file: String,
    /// Source text; empty if the scene was described in code.
    pub text: String,
    /// Parsed description.
    pub description: SceneDescription,
    meshes: MeshSource,
}

/// Source of a scene's mesh files.
#[derive(Clone, Debug)]
enum MeshSource {
    Folder(PathBuf),
    Memory(BTreeMap<String, Vec<u8>>),
}

impl MeshSource {
    fn read(&self, path: &str, most: u64) -> Result<Vec<u8>, import::Problem> {
        match self {
            // `Folder` rejects every path that leaves the folder.
            Self::Folder(folder) => Folder(folder.clone()).read(path, most),
            Self::Memory(files) => files.read(path, most),
        }
    }

    /// Resolver for the files that a mesh file at `path` refers to.
    fn resolver_for(&self, path: &str) -> Box<dyn FileResolver> {
        let parent = Path::new(path).parent().unwrap_or(Path::new(""));
        match self {
            Self::Folder(folder) => Box::new(Folder(folder.join(parent))),
            Self::Memory(files) => {
                let relative = |(name, bytes): (&String, &Vec<u8>)| {
                    let inner = Path::new(name).strip_prefix(parent).ok()?;
                    Some((inner.to_str()?.to_owned(), bytes.clone()))
                };
                Box::new(files.iter().filter_map(relative).collect::<BTreeMap<_, _>>())
            }
        }
    }
}

/// A model with the visible skins of its bodies.
#[derive(Debug)]
pub struct Built {
    /// Model to simulate.
    pub model: Model,
    /// Skins of the bodies and colliders.
    pub skins: Vec<Skin>,
    /// Textual reports of repairs to meshes from files.
    pub notes: Vec<String>,
}

/// Error in a scene file.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    /// File name.
    pub file: String,
    /// Line and column, counted from 1, if the error has a position.
    pub place: Option<(usize, usize)>,
    /// Problem and remedy.
    pub problem: String,
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.place {
            Some((line, column)) => {
                write!(f, "{}, line {line}, column {column}: {}", self.file, self.problem)
            }
            None => write!(f, "{}: {}", self.file, self.problem),
        }
    }
}

impl std::error::Error for SceneError {}

/// Reads a scene file.
pub fn read(path: impl AsRef<Path>) -> Result<SceneFile, SceneError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let refuse = |problem: String| SceneError { file: file.clone(), place: None, problem };
    let size = std::fs::metadata(path)
        .map_err(|e| refuse(format!("cannot be read ({e}); check the path")))?;
    if !size.is_file() || size.len() > MAX_SCENE_BYTES {
        return Err(refuse(format!(
            "is not a scene file; scene files are text files of at most {} MiB",
            MAX_SCENE_BYTES >> 20
        )));
    }
    let bytes = std::fs::read(path).map_err(|e| refuse(format!("cannot be read ({e})")))?;
    let text = String::from_utf8(bytes).map_err(|e| {
        refuse(format!("is not UTF-8 text (byte {})", e.utf8_error().valid_up_to()))
    })?;
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    parse(&file, text, &folder)
}

/// Parses a scene from text; its meshes are read from `folder`.
pub fn parse(file: &str, text: String, folder: &Path) -> Result<SceneFile, SceneError> {
    parse_source(file, text, MeshSource::Folder(folder.to_owned()))
}

/// Parses a scene from text; its meshes are given by their relative paths.
pub fn parse_in_memory(
    file: &str,
    text: String,
    meshes: BTreeMap<String, Vec<u8>>,
) -> Result<SceneFile, SceneError> {
    parse_source(file, text, MeshSource::Memory(meshes))
}

fn parse_source(file: &str, text: String, meshes: MeshSource) -> Result<SceneFile, SceneError> {
    match toml::from_str::<SceneDescription>(&text) {
        Ok(description) => Ok(SceneFile { file: file.to_owned(), text, description, meshes }),
        Err(e) => Err(SceneError {
            file: file.to_owned(),
            place: e.span().map(|span| line_and_column(&text, span.start)),
            problem: in_words(e.message().trim()),
        }),
    }
}

/// Replaces Rust type names in a message, which mean nothing to users.
fn in_words(message: &str) -> String {
    let words = [
        ("expected usize", "expected a whole number of zero or more"),
        ("expected u64", "expected a whole number of zero or more"),
        ("expected u32", "expected a whole number of zero or more"),
        ("expected f64", "expected a number"),
        ("an array of length", "a list of length"),
    ];
    words.iter().fold(message.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Formats a description as a scene file.
pub fn write(description: &SceneDescription) -> Result<String, SceneError> {
    let head = "# A Pliant scene. Lengths in metres, masses in kilograms, times in seconds.\n\
                # Every field: docs/scene-format.md\n\n";
    toml::to_string(description).map(|body| format!("{head}{body}")).map_err(|e| SceneError {
        file: description.name.clone(),
        place: None,
        problem: format!("cannot be written ({e})"),
    })
}

/// Returns the JSON Schema of scene files.
pub fn schema() -> String {
    let schema = schemars::schema_for!(SceneDescription);
    // Doc comments escape the brackets around units; the schema does not.
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.replace("\\\\[", "[").replace("\\\\]", "]")
}

impl SceneFile {
    /// A scene that was described in code, without a text: its errors have no place. Meshes are given by their
    /// relative paths.
    pub fn from_description(
        file: &str,
        description: SceneDescription,
        meshes: BTreeMap<String, Vec<u8>>,
    ) -> Self {
        let (file, meshes) = (file.to_owned(), MeshSource::Memory(meshes));
        Self { file, text: String::new(), description, meshes }
    }

    /// Builds the model and its skins.
    pub fn build(&self) -> Result<Built, SceneError> {
        if let Some(solver) = &self.description.solver
            && let Err((at, e)) = solver.solver()
        {
            return Err(self.error(&at, e.to_string()));
        }
        let mut files = MeshLoader { meshes: &self.meshes, skins: Vec::new(), notes: Vec::new() };
        let model = self
            .description
            .build_with(&mut files)
            .map_err(|e| self.error(&e.at, e.to_string()))?;
        let mut skins = Skin::of_model(&model);
        for (body, shape, binding) in files.skins {
            let skin = &mut skins[body];
            if matches!(skin.binding, Binding::Corners(..)) {
                let name = &model.bodies()[body].name;
                files.notes.push(format!(
                    "{name} can tear: its output has the simulated triangles, not the vertex order \
                     of the file"
                ));
                continue;
            }
            (skin.shape, skin.binding) = (named(shape, &model.bodies()[body].name), binding);
        }
        let description = &self.description;
        let colliders = description.collider.iter().map(|collider| collider.appearance);
        let appearances = description.body_appearances().into_iter().chain(colliders);
        for (skin, appearance) in skins.iter_mut().zip(appearances) {
            skin.shape.set_appearance(appearance);
        }
        Ok(Built { model, skins, notes: files.notes })
    }
}

impl SceneFile {
    fn error(&self, at: &str, problem: String) -> SceneError {
        let place = find(&self.text, at).map(|span| line_and_column(&self.text, span.start));
        SceneError { file: self.file.clone(), place, problem }
    }
}

/// Gives an unnamed shape the name of its body.
fn named(shape: SkinShape, name: &str) -> SkinShape {
    match shape {
        SkinShape::Surface(s) if s.name.is_empty() => {
            SkinShape::Surface(Surface { name: name.to_owned(), ..s })
        }
        other => other,
    }
}

/// Byte range of a path such as `cloth[0].pin[1]` in the text: its innermost part that the text contains.
fn find(text: &str, at: &str) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let mut span = None;
    let mut value: Option<&DeValue> = None;
    for part in at.split('.').filter(|p| !p.is_empty()) {
        let (key, index) = match part.split_once('[') {
            Some((key, rest)) => (key, rest.trim_end_matches(']').parse::<usize>().ok()),
            None => (part, None),
        };
        let table = match value {
            None => root.get_ref(),
            Some(v) => match v.as_table() {
                Some(table) => table,
                None => break,
            },
        };
        let named = |k: &str| k == key || OLD_KEYS.contains(&(key, k));
        let Some((key, mut entry)) = table.iter().find(|(k, _)| named(k.get_ref())) else { break };
        let mut here = key.span();
        if let (Some(i), Some(list)) = (index, entry.get_ref().as_array()) {
            let Some(item) = list.get(i) else { break };
            entry = item;
            here = item.span();
        }
        span = Some(here);
        value = Some(entry.get_ref());
    }
    span
}

fn line_and_column(text: &str, byte: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..byte.min(text.len())];
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    (line, column)
}

/// Loader of the scene's meshes.
struct MeshLoader<'a> {
    meshes: &'a MeshSource,
    /// Body, shape and binding of the skins that differ from their body's own mesh.
    skins: Vec<(usize, SkinShape, Binding)>,
    notes: Vec<String>,
}

fn scene_error<T>(problem: impl fmt::Display) -> Result<T, Error> {
    Err(Error::Scene { problem: problem.to_string() })
}

impl MeshLoader<'_> {
    fn import(&self, file: &FileShape) -> Result<Imported, Error> {
        let limits = Limits::default();
        let format = Format::of_file(&file.path).or_else(scene_error)?;
        let bytes = match self.meshes.read(&file.path, limits.bytes) {
            Ok(bytes) => bytes,
            Err(import::Problem::Missing { reason, .. }) => {
                return scene_error(format!(
                    "\"{}\" cannot be read ({reason}); put it in the folder of the scene",
                    file.path
                ));
            }
            Err(problem) => return scene_error(format!("\"{}\": {problem}", file.path)),
        };
        let beside = self.meshes.resolver_for(&file.path);
        import::read_bytes(&file.path, &bytes, format, &limits, &*beside).or_else(scene_error)
    }

    fn surface(&self, file: &FileShape, surfaces: Vec<Surface>) -> Result<Surface, Error> {
        let names: Vec<String> = surfaces.iter().map(|s| format!("\"{}\"", s.name)).collect();
        let mut chosen = surfaces.into_iter().filter(|s| match &file.object {
            Some(object) => s.name == *object,
            None => true,
        });
        match (chosen.next(), chosen.next(), &file.object) {
            (Some(surface), None, _) => Ok(surface),
            (None, _, Some(object)) => scene_error(format!(
                "\"{}\" has no object \"{object}\"; use one of {}",
                file.path,
                names.join(", ")
            )),
            (None, _, None) => scene_error(format!("\"{}\" has no triangles", file.path)),
            (Some(_), Some(_), _) => scene_error(format!(
                "\"{}\" has {} objects; select one with `object`: {}",
                file.path,
                names.len(),
                names.join(", ")
            )),
        }
    }

    fn note(&mut self, file: &FileShape, repaired: &repair::Repaired) {
        if !repaired.is_unchanged() {
            self.notes.push(format!("{}: {repaired}", file.path));
        }
    }
}

impl MeshFiles for MeshLoader<'_> {
    fn sheet(&mut self, body: usize, file: &FileShape) -> Result<(TriMesh, VertexGroups), Error> {
        let Imported::Surfaces(surfaces) = self.import(file)? else {
            return scene_error(format!(
                "\"{}\" contains a tetrahedral mesh; use it for a [[solid]]",
                file.path
            ));
        };
        let surface = self.surface(file, surfaces)?;
        let (mesh, repaired) =
            repair::cloth(&surface, &repair::Options::default()).or_else(scene_error)?;
        self.note(file, &repaired);
        let vertex_of = nearest_for_dropped(&surface, &repaired.vertex_of, &mesh);
        let mut groups = VertexGroups::new();
        for group in &surface.groups {
            let corners = group.triangles.iter().flat_map(|&t| surface.triangles[t as usize]);
            let own = groups.entry(group.name.clone()).or_default();
            own.extend(corners.map(|v| vertex_of[v as usize]));
        }
        self.skins.push((body, SkinShape::Surface(surface), Binding::Vertices(vertex_of)));
        Ok((mesh, groups))
    }

    fn solid(&mut self, body: usize, file: &FileShape) -> Result<(TetMesh, VertexGroups), Error> {
        let surfaces = match self.import(file)? {
            Imported::Volume(volume) => {
                let options = repair::Options::default();
                let (mesh, repaired) = repair::solid(&volume, &options).or_else(scene_error)?;
                self.note(file, &repaired);
                let mut groups = VertexGroups::new();
                for group in &volume.groups {
                    let own = groups.entry(group.name.clone()).or_default();
                    let corners = group.tets.iter().flat_map(|&t| volume.tets[t as usize]);
                    let vertex_of = corners.map(|v| repaired.vertex_of[v as usize]);
                    own.extend(vertex_of.filter(|&v| v != repair::NONE));
                }
                return Ok((mesh, groups));
            }
            Imported::Surfaces(surfaces) => surfaces,
        };
        let surface = self.surface(file, surfaces)?;
        let (closed, repaired) =
            repair::cloth(&surface, &repair::Options::default()).or_else(scene_error)?;
        self.note(file, &repaired);
        let cells = file.cells.unwrap_or(LATTICE_CELLS);
        let solid = lattice::around(&closed, cells).or_else(scene_error)?;
        self.notes.push(format!(
            "{}: filled with {} tets, in which the surface is embedded",
            file.path,
            solid.tets.len()
        ));
        let embedding = Embedding::new(&solid, &surface.positions).or_else(scene_error)?;
        self.skins.push((body, SkinShape::Surface(surface), Binding::Embedded(embedding)));
        Ok((solid, VertexGroups::new()))
    }

    fn collider(&mut self, file: &FileShape) -> Result<TriMesh, Error> {
        let surface = match self.import(file)? {
            Imported::Surfaces(surfaces) => self.surface(file, surfaces)?,
            Imported::Volume(volume) => {
                let options = repair::Options::default();
                let (solid, repaired) = repair::solid(&volume, &options).or_else(scene_error)?;
                self.note(file, &repaired);
                return Ok(solid.surface_mesh().0);
            }
        };
        let (mesh, repaired) =
            repair::cloth(&surface, &repair::Options::default()).or_else(scene_error)?;
        self.note(file, &repaired);
        Ok(mesh)
    }
}

/// Maps each file vertex to a simulated vertex. A dropped vertex, which belongs to no valid triangle, maps to
/// the nearest one, so that every vertex of the file has a position.
fn nearest_for_dropped(surface: &Surface, vertex_of: &[u32], mesh: &TriMesh) -> Vec<u32> {
    let square =
        |a: &[f64; 3], b: &[f64; 3]| -> f64 { (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum() };
    let nearest = |v: usize| {
        let p = &surface.positions[v];
        let all = 0..mesh.positions.len();
        let by = |&a: &usize, &b: &usize| {
            square(p, &mesh.positions[a]).total_cmp(&square(p, &mesh.positions[b]))
        };
        all.min_by(by).unwrap_or(0) as u32
    };
    let of = |(v, &to): (usize, &u32)| if to == repair::NONE { nearest(v) } else { to };
    vertex_of.iter().enumerate().map(of).collect()
}
