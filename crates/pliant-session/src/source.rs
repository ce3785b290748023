//! Sources of a scene: a name, a text, or a dropped mesh.

use std::collections::BTreeMap;
use std::path::Path;

use pliant_io::import::{self, Format, Imported, Limits, NoFiles};
use pliant_io::scene_file::{self, SceneFile};
use pliant_scenes::SceneDescription;
use pliant_scenes::describe::{
    Cloth, ColliderSpec, FabricSpec, FileShape, Placement, SheetMesh, SolidBody, SolidMesh,
    SolidSpec,
};

use crate::protocol::MeshRole;

/// Maximum number of vertices of a live scene; larger ones are not interactive.
pub(crate) const MAX_LIVE_VERTICES: usize = 60_000;
/// Lattice cells along the longest side of a dropped mesh.
const LATTICE_CELLS: usize = 12;
/// Range of sizes \[m\] of dropped meshes that keep their scale; others are scaled to one metre.
const UNSCALED_SIZE_RANGE: [f64; 2] = [0.2, 4.0];

/// A scene as text, or as described in code.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SceneContent {
    /// Text of a scene file.
    Text(String),
    /// A built-in scene, or that of a dropped mesh.
    Description(Box<SceneDescription>),
}

impl Default for SceneContent {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// A scene and the meshes that it refers to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SceneSource {
    /// Name for files and titles.
    pub name: String,
    /// Size of a built-in scene.
    pub size: Option<u32>,
    /// The scene.
    pub content: SceneContent,
    /// Meshes by relative path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Descriptions of what was found while loading.
    pub notes: Vec<String>,
}

impl SceneSource {
    /// A built-in scene.
    pub fn built_in(name: &str, size: Option<u32>) -> Result<Self, String> {
        let Some(scene) = pliant_scenes::by_name(name) else {
            let names: Vec<&str> = pliant_scenes::all().iter().map(|s| s.name).collect();
            return Err(format!("there is no scene \"{name}\"; use one of {}", names.join(", ")));
        };
        let size = size.unwrap_or(scene.default_size as u32);
        if size == 0 {
            return Err("the size is 0; it must be at least 1".to_owned());
        }
        // The meaning of a size depends on the scene: some scenes grow with its cube, some fourfold with
        // each step. Larger sizes are therefore tried step by step.
        let mut tried = scene.default_size;
        while tried < size as usize {
            let vertices = (scene.build)(tried).map_or(0, |m| m.len());
            if vertices > MAX_LIVE_VERTICES {
                return Err(format!(
                    "{} at size {size} is too large for interactive simulation: it has {vertices} \
                     vertices at size {tried}; use a smaller size",
                    scene.name
                ));
            }
            tried = (tried + tried / 4 + 1).min(size as usize);
        }
        let content = SceneContent::Description(Box::new(scene.describe(size as usize)));
        Ok(Self { name: scene.name.to_owned(), size: Some(size), content, ..Self::default() })
    }

    /// The scene as a file, to be built.
    pub fn file(&self) -> Result<SceneFile, String> {
        let name = match self.name.as_str() {
            "" => "scene",
            name => name,
        };
        let meshes = self.files.clone();
        match &self.content {
            SceneContent::Text(text) => {
                scene_file::parse_in_memory(name, text.clone(), meshes).map_err(|e| e.to_string())
            }
            SceneContent::Description(scene) => {
                Ok(SceneFile::from_description(name, (**scene).clone(), meshes))
            }
        }
    }

    /// Text of the scene, as of a scene file.
    pub fn text(&self) -> Result<String, String> {
        match &self.content {
            SceneContent::Text(text) => Ok(text.clone()),
            SceneContent::Description(scene) => scene_file::write(scene).map_err(|e| e.to_string()),
        }
    }

    /// A scene from a mesh file: one body for each object, above a ground.
    pub fn from_mesh(file: &str, bytes: Vec<u8>, role: MeshRole) -> Result<Self, String> {
        let path = Path::new(file).file_name().and_then(|n| n.to_str()).unwrap_or("").to_owned();
        let format = Format::of_file(&path).map_err(|e| e.to_string())?;
        let mesh = import::read_bytes(&path, &bytes, format, &Limits::default(), &NoFiles)
            .map_err(|e| e.to_string())?;
        let (mut objects, positions, what) = inspect_mesh(mesh);
        if positions.is_empty() {
            return Err(format!("\"{file}\" has no triangles; use a triangle or tetrahedral mesh"));
        }
        let mut notes = vec![format!("{path}: {what}")];
        let all = objects.clone();
        objects.retain(|o| all.iter().filter(|other| *other == o).count() == 1);
        if objects.is_empty() {
            return Err(format!("all objects of \"{file}\" have the same name; use unique names"));
        }
        if objects.len() < all.len() {
            let left_out = all.len() - objects.len();
            notes.push(format!(
                "{left_out} objects with duplicate names were skipped; use unique names"
            ));
        }
        let place = placement(&positions, &mut notes);
        let name =
            Path::new(&path).file_stem().and_then(|s| s.to_str()).unwrap_or("mesh").to_owned();
        let mut scene = SceneDescription { name: name.clone(), ..SceneDescription::default() };
        scene.summary = format!("imported from {path}");
        for object in objects {
            let file = Some(FileShape { path: path.clone(), object, cells: None });
            match role {
                MeshRole::Cloth => scene.cloth.push(Cloth {
                    mesh: SheetMesh { file, ..SheetMesh::default() },
                    material: FabricSpec::preset("cotton"),
                    place: Some(place),
                    ..Cloth::default()
                }),
                MeshRole::Solid => scene.solid.push(SolidBody {
                    mesh: SolidMesh {
                        file: file.map(|f| FileShape { cells: Some(LATTICE_CELLS), ..f }),
                        ..SolidMesh::default()
                    },
                    material: SolidSpec::preset("foam"),
                    place: Some(place),
                    ..SolidBody::default()
                }),
            }
        }
        scene.collider.push(ColliderSpec::ground(0.0));
        let content = SceneContent::Description(Box::new(scene));
        Ok(Self { name, content, files: BTreeMap::from([(path, bytes)]), notes, size: None })
    }
}

/// Objects of a mesh, all of its points, and a summary in words.
fn inspect_mesh(mesh: Imported) -> (Vec<Option<String>>, Vec<[f64; 3]>, String) {
    match mesh {
        Imported::Volume(volume) => {
            let (points, tets) = (volume.positions.len(), volume.tets.len());
            (vec![None], volume.positions, format!("{points} vertices, {tets} tetrahedra"))
        }
        Imported::Surfaces(surfaces) => {
            let triangles: usize = surfaces.iter().map(|s| s.triangles.len()).sum();
            let points: usize = surfaces.iter().map(|s| s.positions.len()).sum();
            let what = format!(
                "{points} vertices, {triangles} triangles, {} object{}",
                surfaces.len(),
                if surfaces.len() == 1 { "" } else { "s" }
            );
            let objects = match surfaces.len() {
                1 => vec![None],
                _ => surfaces.iter().map(|s| Some(s.name.clone())).collect(),
            };
            let positions = surfaces.iter().flat_map(|s| s.positions.iter().copied()).collect();
            (objects, positions, what)
        }
    }
}

/// Places a mesh above the middle of the ground, and scales meshes of unsuitable size.
fn placement(positions: &[[f64; 3]], notes: &mut Vec<String>) -> Placement {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in positions.iter().filter(|p| p.iter().all(|c| c.is_finite())) {
        for c in 0..3 {
            (low[c], high[c]) = (low[c].min(p[c]), high[c].max(p[c]));
        }
    }
    let side = (0..3).map(|c| high[c] - low[c]).fold(0.0, f64::max);
    let mut scale = 1.0;
    if side > 0.0
        && side.is_finite()
        && !(UNSCALED_SIZE_RANGE[0]..=UNSCALED_SIZE_RANGE[1]).contains(&side)
    {
        scale = 1.0 / side;
        notes.push(format!(
            "scaled to one metre: its longest side is {side:.3} in the units of the file"
        ));
    }
    let middle = |c: usize| -0.5 * scale * (low[c] + high[c]);
    // A quarter of its size above the ground, enough for a visible fall.
    let up = scale * (0.25 * side - low[1]);
    let shift = Some([middle(0), up, middle(2)].map(|c| if c.is_finite() { c } else { 0.0 }));
    Placement { scale: Some(scale), shift, ..Placement::default() }
}
