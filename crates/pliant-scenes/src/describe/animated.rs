//! Kinematic bodies with key frames, in scene files.

use pliant::mesh::TriMesh;
use pliant::prelude::{CollidesWith, ContactMaterial, ModelBuilder};
use pliant::{Body, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::{MeshFiles, apply_placement};
use super::{Appearance, ContactSpec, ExampleShape, FileShape, Placement, SheetMesh};

/// A kinematic body that moves and deforms along key frames. It affects other bodies and is not affected by
/// them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnimatedBody {
    /// Name of the body, in messages and exports.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Surface mesh.
    pub mesh: SheetMesh,
    /// Placement of the mesh and of all frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Placement>,
    /// Contact settings; default: that of the engine. There is no self-contact.
    #[serde(alias = "touch", skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactSpec>,
    /// Colours and pattern, in pictures and exports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appearance: Option<Appearance>,
    /// Key frames: piecewise linear in time, constant before the first and after the last.
    pub frame: Vec<FrameSpec>,
}

/// A key frame: at most one of `points`, `file` and `shape`; without any, the mesh as it is. `place` is
/// applied afterwards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FrameSpec {
    /// Time \[s\].
    pub time: f64,
    /// Position of each vertex of the mesh \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<[f64; 3]>>,
    /// A mesh with the same triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileShape>,
    /// A deformation of the mesh about its centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<ExampleShape>,
    /// Placement of the frame, applied before the body's own placement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Placement>,
}

/// An error and the field where it occurs.
type FieldError = (String, Error);

fn at_field(field: impl Into<String>) -> impl FnOnce(Error) -> FieldError {
    let field = field.into();
    move |error| (field, error)
}

impl AnimatedBody {
    /// Adds the body to a scene; an error contains the field.
    pub(super) fn add(
        &self,
        scene: &mut ModelBuilder,
        files: &mut dyn MeshFiles,
    ) -> Result<Body, FieldError> {
        let mesh = match self.mesh.build().map_err(at_field("mesh"))? {
            Ok(generated) => generated,
            Err(file) => files.collider(file).map_err(at_field("mesh.file"))?,
        };
        let mut frames = Vec::with_capacity(self.frame.len());
        for (k, frame) in self.frame.iter().enumerate() {
            let mut places =
                frame.frame_positions(&mesh, files).map_err(at_field(format!("frame[{k}]")))?;
            apply_placement(frame.place, &mut places);
            apply_placement(self.place, &mut places);
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
        if let Some(contact) = &self.contact {
            let contact =
                contact.build(scene.contact_material_of(&body)).map_err(at_field("contact"))?;
            // Self-contact is disabled: kinematic vertices cannot respond to it.
            let others = contact.map(|t| ContactMaterial {
                collides_with: t.collides_with.min(CollidesWith::Bodies),
                ..t
            });
            scene.contact_material(&body, others);
        }
        Ok(body)
    }
}

impl FrameSpec {
    /// Vertex positions of the frame, before any placement \[m\].
    fn frame_positions(
        &self,
        mesh: &TriMesh,
        files: &mut dyn MeshFiles,
    ) -> Result<Vec<[f64; 3]>, Error> {
        let scene_error = |problem: String| Err(Error::Scene { problem });
        match (&self.points, &self.file, self.shape) {
            (None, None, None) => Ok(mesh.positions.clone()),
            (Some(points), None, None) => Ok(points.clone()),
            (None, None, Some(shape)) => Ok(shape.apply(&mesh.positions)),
            (None, Some(file), None) => {
                let frame = files.collider(file)?;
                if frame.positions.len() == mesh.positions.len()
                    && frame.triangles != mesh.triangles
                {
                    return scene_error(format!(
                        "\"{}\" has other triangles than the mesh; all frames must have the \
                         triangles of the mesh",
                        file.path
                    ));
                }
                Ok(frame.positions)
            }
            _ => scene_error(
                "more than one of points, file and shape is present; keep one".to_owned(),
            ),
        }
    }
}
