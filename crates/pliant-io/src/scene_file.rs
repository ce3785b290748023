//! Scene files: a [`Description`] as TOML, with errors that point to line and column.
//!
//! Meshes that a scene names are read from the scene's own folder and nowhere else, repaired, and
//! kept with the way back to their file, so that what comes out has the file's vertices. Where there is no
//! folder, as in a browser, they are given with the scene.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pliant::mesh::{TetMesh, TriMesh};
use pliant::{Error, Model};
use pliant_scenes::Description;
use pliant_scenes::describe::{FileShape, MeshFiles, VertexGroups};
use toml::de::{DeTable, DeValue};

use crate::embedding::Embedding;
use crate::import::{self, Folder, Format, Imported, Limits, Siblings};
use crate::skin::{Binding, Shape, Skin};
use crate::surface::Surface;
use crate::{lattice, repair};

/// The largest scene file that is read, in bytes.
const MOST_BYTES: u64 = 16 << 20;
/// Cells of a lattice along the longest side, unless the scene says otherwise.
const LATTICE_CELLS: usize = 16;

/// A scene that was read.
#[derive(Clone, Debug)]
pub struct SceneFile {
    /// Its name, for messages.
    pub file: String,
    /// Its text.
    pub text: String,
    /// What it says.
    pub description: Description,
    meshes: Meshes,
}

/// Where the meshes of a scene are.
#[derive(Clone, Debug)]
enum Meshes {
    Folder(PathBuf),
    Memory(BTreeMap<String, Vec<u8>>),
}

impl Meshes {
    fn read(&self, path: &str, most: u64) -> Result<Vec<u8>, import::Problem> {
        match self {
            // The folder refuses whatever leads out of it.
            Self::Folder(folder) => Folder(folder.clone()).read(path, most),
            Self::Memory(files) => files.read(path, most),
        }
    }

    /// The files beside one of them.
    fn beside(&self, path: &str) -> Box<dyn Siblings> {
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

/// A model with what its bodies show.
#[derive(Debug)]
pub struct Built {
    /// What is simulated.
    pub model: Model,
    /// What each body shows.
    pub skins: Vec<Skin>,
    /// What was repaired in meshes from files, in words.
    pub notes: Vec<String>,
}

/// Why a scene file is refused.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneError {
    /// The file's name.
    pub file: String,
    /// Line and column, counted from 1, where there is a place.
    pub place: Option<(usize, usize)>,
    /// What is wrong, and what to do.
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
    if !size.is_file() || size.len() > MOST_BYTES {
        return Err(refuse(format!(
            "is no scene: a scene is a text file of at most {} MiB",
            MOST_BYTES >> 20
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

/// Reads a scene from text; `folder` is where its meshes are.
pub fn parse(file: &str, text: String, folder: &Path) -> Result<SceneFile, SceneError> {
    understand(file, text, Meshes::Folder(folder.to_owned()))
}

/// Reads a scene from text; its meshes are given by their relative paths.
pub fn parse_in_memory(
    file: &str,
    text: String,
    meshes: BTreeMap<String, Vec<u8>>,
) -> Result<SceneFile, SceneError> {
    understand(file, text, Meshes::Memory(meshes))
}

fn understand(file: &str, text: String, meshes: Meshes) -> Result<SceneFile, SceneError> {
    match toml::from_str::<Description>(&text) {
        Ok(description) => Ok(SceneFile { file: file.to_owned(), text, description, meshes }),
        Err(e) => Err(SceneError {
            file: file.to_owned(),
            place: e.span().map(|span| line_and_column(&text, span.start)),
            problem: in_words(e.message().trim()),
        }),
    }
}

/// The names of Rust's types mean nothing to users.
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

/// A description as a scene file.
pub fn write(description: &Description) -> Result<String, SceneError> {
    let head = "# A Pliant scene. Lengths in metres, masses in kilograms, times in seconds.\n\
                # Every field: docs/scene-format.md\n\n";
    toml::to_string(description).map(|body| format!("{head}{body}")).map_err(|e| SceneError {
        file: description.name.clone(),
        place: None,
        problem: format!("cannot be written ({e})"),
    })
}

/// The JSON Schema of scene files.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Description);
    // Units stand in escaped brackets for the documentation of the code.
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.replace("\\\\[", "[").replace("\\\\]", "]")
}

impl SceneFile {
    /// Builds the model and what it shows.
    pub fn build(&self) -> Result<Built, SceneError> {
        if let Some(solver) = &self.description.solver
            && let Err(e) = pliant::solvers::AnySolver::by_name(&solver.name)
        {
            return Err(self.error("solver.name", e.to_string()));
        }
        let mut files = Files { meshes: &self.meshes, skins: Vec::new(), notes: Vec::new() };
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
                    "{name} may tear: it is shown by its simulated triangles, not in the file's order"
                ));
                continue;
            }
            (skin.shape, skin.binding) = (named(shape, &model.bodies()[body].name), binding);
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

/// An unnamed shape gets its body's name.
fn named(shape: Shape, name: &str) -> Shape {
    match shape {
        Shape::Surface(s) if s.name.is_empty() => {
            Shape::Surface(Surface { name: name.to_owned(), ..s })
        }
        other => other,
    }
}

/// Where `cloth[0].pin[1]` is in a text: the innermost part of it that the text spells out.
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
        let Some((key, mut entry)) = table.iter().find(|(k, _)| k.get_ref() == key) else { break };
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

/// Meshes of the scene.
struct Files<'a> {
    meshes: &'a Meshes,
    /// Body, shape and binding of those that are not their body's own.
    skins: Vec<(usize, Shape, Binding)>,
    notes: Vec<String>,
}

fn trouble<T>(problem: impl fmt::Display) -> Result<T, Error> {
    Err(Error::Scene { problem: problem.to_string() })
}

impl Files<'_> {
    fn import(&self, file: &FileShape) -> Result<Imported, Error> {
        let limits = Limits::default();
        let ending = Path::new(&file.path).extension().and_then(|e| e.to_str()).unwrap_or("");
        let Some(format) = Format::of_extension(ending) else {
            return trouble(format!(
                "\"{}\" has no known ending; use obj, ply, stl, gltf, glb, msh, node, ele, vtk or vtu",
                file.path
            ));
        };
        let bytes = match self.meshes.read(&file.path, limits.bytes) {
            Ok(bytes) => bytes,
            Err(import::Problem::Missing { reason, .. }) => {
                return trouble(format!(
                    "\"{}\" cannot be read ({reason}); put it in the folder of the scene",
                    file.path
                ));
            }
            Err(problem) => return trouble(format!("\"{}\": {problem}", file.path)),
        };
        let beside = self.meshes.beside(&file.path);
        import::read_bytes(&file.path, &bytes, format, &limits, &*beside).or_else(trouble)
    }

    fn surface(&self, file: &FileShape, surfaces: Vec<Surface>) -> Result<Surface, Error> {
        let names: Vec<String> = surfaces.iter().map(|s| format!("\"{}\"", s.name)).collect();
        let mut chosen = surfaces.into_iter().filter(|s| match &file.object {
            Some(object) => s.name == *object,
            None => true,
        });
        match (chosen.next(), chosen.next(), &file.object) {
            (Some(surface), None, _) => Ok(surface),
            (None, _, Some(object)) => trouble(format!(
                "\"{}\" has no object \"{object}\" (it has {})",
                file.path,
                names.join(", ")
            )),
            (None, _, None) => trouble(format!("\"{}\" has no triangles", file.path)),
            (Some(_), Some(_), _) => trouble(format!(
                "\"{}\" has {} objects; choose one with `object` ({})",
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

impl MeshFiles for Files<'_> {
    fn sheet(&mut self, body: usize, file: &FileShape) -> Result<(TriMesh, VertexGroups), Error> {
        let Imported::Surfaces(surfaces) = self.import(file)? else {
            return trouble(format!("\"{}\" holds a solid; use it as one", file.path));
        };
        let surface = self.surface(file, surfaces)?;
        let (mesh, repaired) =
            repair::cloth(&surface, &repair::Options::default()).or_else(trouble)?;
        self.note(file, &repaired);
        let vertex_of = nearest_for_dropped(&surface, &repaired.vertex_of, &mesh);
        let mut groups = VertexGroups::new();
        for group in &surface.groups {
            let corners = group.triangles.iter().flat_map(|&t| surface.triangles[t as usize]);
            let own = groups.entry(group.name.clone()).or_default();
            own.extend(corners.map(|v| vertex_of[v as usize]));
        }
        self.skins.push((body, Shape::Surface(surface), Binding::Vertices(vertex_of)));
        Ok((mesh, groups))
    }

    fn solid(&mut self, body: usize, file: &FileShape) -> Result<(TetMesh, VertexGroups), Error> {
        let surfaces = match self.import(file)? {
            Imported::Volume(volume) => {
                let options = repair::Options::default();
                let (mesh, repaired) = repair::solid(&volume, &options).or_else(trouble)?;
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
            repair::cloth(&surface, &repair::Options::default()).or_else(trouble)?;
        self.note(file, &repaired);
        let cells = file.cells.unwrap_or(LATTICE_CELLS);
        let solid = lattice::around(&closed, cells).or_else(trouble)?;
        self.notes.push(format!(
            "{}: filled with {} tets; the surface follows them",
            file.path,
            solid.tets.len()
        ));
        let embedding = Embedding::new(&solid, &surface.positions).or_else(trouble)?;
        self.skins.push((body, Shape::Surface(surface), Binding::Embedded(embedding)));
        Ok((solid, VertexGroups::new()))
    }

    fn collider(&mut self, file: &FileShape) -> Result<TriMesh, Error> {
        let surface = match self.import(file)? {
            Imported::Surfaces(surfaces) => self.surface(file, surfaces)?,
            Imported::Volume(volume) => {
                let options = repair::Options::default();
                let (solid, repaired) = repair::solid(&volume, &options).or_else(trouble)?;
                self.note(file, &repaired);
                return Ok(solid.surface_mesh().0);
            }
        };
        let (mesh, repaired) =
            repair::cloth(&surface, &repair::Options::default()).or_else(trouble)?;
        self.note(file, &repaired);
        Ok(mesh)
    }
}

/// The map to simulated vertices with those that were dropped (they belong to no sound triangle)
/// at the nearest one, so that every vertex of the file has a place.
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
