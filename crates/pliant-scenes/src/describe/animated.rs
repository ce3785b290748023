//! Bodies that deform through key frames, in files.

use pliant::mesh::TriMesh;
use pliant::prelude::{ModelBuilder, Partners, Touch};
use pliant::{Body, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::{MeshFiles, put};
use super::{ExampleShape, FileShape, Place, SheetMesh, TouchSpec};

/// A body that moves and deforms as its key frames say. Nothing moves it; it moves what it touches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnimatedBody {
    /// What it is called, in messages and exports.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its triangles.
    pub mesh: SheetMesh,
    /// Where mesh and frames are put.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// What it touches, and how; the engine's default unless given. It never touches itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub touch: Option<TouchSpec>,
    /// Where its vertices are at some times; straight and even between them, held before and after.
    pub frame: Vec<FrameSpec>,
}

/// A key frame: at most one of `points`, `file` and `shape`; without any, the mesh as it is. Then `place`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FrameSpec {
    /// When \[s\].
    pub time: f64,
    /// Where each vertex of the mesh is \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<[f64; 3]>>,
    /// A mesh with the same triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileShape>,
    /// A deformation of the mesh about its middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<ExampleShape>,
    /// Where that is put, before the body's own place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
}

/// What is wrong, and at which field.
type Wrong = (String, Error);

fn here(field: impl Into<String>) -> impl FnOnce(Error) -> Wrong {
    let field = field.into();
    move |error| (field, error)
}

impl AnimatedBody {
    /// Adds it to a scene; an error says at which field.
    pub(super) fn add(
        &self,
        scene: &mut ModelBuilder,
        files: &mut dyn MeshFiles,
    ) -> Result<Body, Wrong> {
        let mesh = match self.mesh.build().map_err(here("mesh"))? {
            Ok(generated) => generated,
            Err(file) => files.collider(file).map_err(here("mesh.file"))?,
        };
        let mut frames = Vec::with_capacity(self.frame.len());
        for (k, frame) in self.frame.iter().enumerate() {
            let mut places = frame.places(&mesh, files).map_err(here(format!("frame[{k}]")))?;
            put(frame.place, &mut places);
            put(self.place, &mut places);
            frames.push((frame.time, places));
        }
        let body = scene.animated(mesh, &frames).map_err(|error| match error {
            Error::KeyFrame { frame, .. } if !self.frame.is_empty() => {
                (format!("frame[{frame}]"), error)
            }
            Error::KeyFrame { .. } => ("frame".to_owned(), error),
            error => ("mesh".to_owned(), error),
        })?;
        if !self.name.is_empty() {
            scene.name(&body, &self.name);
        }
        if let Some(touch) = &self.touch {
            let touch = touch.build(scene.touch_of(&body)).map_err(here("touch"))?;
            // Where it meets itself, nothing could give way.
            let others = touch.map(|t| Touch { partners: t.partners.min(Partners::Bodies), ..t });
            scene.touch(&body, others);
        }
        Ok(body)
    }
}

impl FrameSpec {
    /// Where the vertices of a mesh are, before any placement \[m\].
    fn places(&self, mesh: &TriMesh, files: &mut dyn MeshFiles) -> Result<Vec<[f64; 3]>, Error> {
        let trouble = |problem: String| Err(Error::Scene { problem });
        match (&self.points, &self.file, self.shape) {
            (None, None, None) => Ok(mesh.positions.clone()),
            (Some(points), None, None) => Ok(points.clone()),
            (None, None, Some(shape)) => Ok(shape.apply(&mesh.positions)),
            (None, Some(file), None) => {
                let frame = files.collider(file)?;
                if frame.positions.len() == mesh.positions.len()
                    && frame.triangles != mesh.triangles
                {
                    return trouble(format!(
                        "\"{}\" has other triangles than the mesh; write all frames from one mesh",
                        file.path
                    ));
                }
                Ok(frame.positions)
            }
            _ => trouble("points, file and shape are given together; keep one".to_owned()),
        }
    }
}
