//! Rigid bodies and attachments to them, in scene files.

use pliant::mesh::{TriMesh, measure};
use pliant::prelude::ModelBuilder;
use pliant::{Body, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::{DescriptionError, MeshFiles, apply_start};
use super::shape::{self, ShapeSpec};
use super::shape_reader::{WithShapes, add_closed_shapes};
use super::{
    Appearance, ColliderSpec, ContactSpec, Placement, Rotation, Selection, Start, with_shapes,
};

/// A dynamic rigid body, moved by contacts and attachments. Exactly one shape, and exactly one of `density`
/// and `mass`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, remote = "Self")]
#[schemars(rename = "RigidBody", transform = add_closed_shapes)]
pub struct RigidBody {
    /// Name of the body, in messages, exports and attachments to it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Density \[kg/m³\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Mass \[kg\], distributed uniformly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Exactly one closed shape.
    #[serde(flatten, skip_deserializing, serialize_with = "shape::serialize")]
    #[schemars(skip)]
    pub shape: Vec<ShapeSpec>,
    /// Placement of a mesh or of points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Placement>,
    /// Rotation of the other shapes about their own centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Rotation>,
    /// Start: translation, velocity and angular velocity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// Contact settings; default: that of the engine.
    #[serde(alias = "touch", skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactSpec>,
    /// Colours and pattern, in pictures and exports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appearance: Option<Appearance>,
}

/// Vertices attached to a rigid body at their start positions, with two-way coupling.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigidAttachmentSpec {
    /// Attached vertices.
    pub at: Selection,
    /// Name of the rigid body.
    pub to: String,
}

/// Vertices to attach to a rigid body that is not built yet.
pub(super) struct PendingAttachment {
    /// Path of the attachment in the description.
    pub path: String,
    /// Vertices by the model's numbers.
    pub vertices: Vec<usize>,
    /// Name of the rigid body.
    pub to: String,
}

fn scene_error<T>(problem: impl Into<String>) -> Result<T, Error> {
    Err(Error::Scene { problem: problem.into() })
}

with_shapes!(RigidBody, |form| form.is_closed);

impl RigidBody {
    /// A body of a closed shape.
    pub fn of(shape: ShapeSpec) -> Self {
        Self { shape: vec![shape], ..Self::default() }
    }

    /// A box with a centre \[m\], edge lengths \[m\] and a density \[kg/m³\].
    pub fn cuboid(center: [f64; 3], size: [f64; 3], density: f64) -> Self {
        Self { density: Some(density), ..Self::of(ShapeSpec::cuboid(center, size)) }
    }

    /// The same body with a name.
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// Adds the body to a scene; an error contains the field.
    pub(super) fn add(
        &self,
        scene: &mut ModelBuilder,
        files: &mut dyn MeshFiles,
    ) -> Result<Body, (&'static str, Error)> {
        let here = |field: &'static str| move |error: Error| (field, error);
        let surface = self.surface(files)?;
        let density = self.density_of(&surface).map_err(here("density"))?;
        let body = scene
            .rigid(surface, density)
            .map_err(here(self.shape.first().map_or("", |shape| shape.name)))?;
        if !self.name.is_empty() {
            scene.name(&body, &self.name);
        }
        if let Some(contact) = &self.contact {
            let contact =
                contact.build(scene.contact_material_of(&body)).map_err(here("contact"))?;
            scene.contact_material(&body, contact);
        }
        if let Some(start) = self.start {
            if start.matrix.is_some() || start.jitter.is_some() {
                let problem = "matrix and jitter do not apply to rigid bodies; remove them, and \
                    rotate the body with place or turn";
                return scene_error(problem).map_err(here("start"));
            }
            apply_start(start, scene, &body);
        }
        Ok(body)
    }

    fn surface(&self, files: &mut dyn MeshFiles) -> Result<TriMesh, (&'static str, Error)> {
        let here = |field: &'static str| move |error: Error| (field, error);
        let shape = shape::only(&self.shape, |form| form.is_closed).map_err(here(""))?;
        // A mesh is used as given, so that errors name its own vertices.
        if self.turn.is_none()
            && let Some(mesh) = shape.triangles(self.place, files)?
        {
            return Ok(mesh);
        }
        // All others are shapes of colliders, whose builder validates them.
        let collider =
            ColliderSpec { place: self.place, turn: self.turn, ..ColliderSpec::of(shape.clone()) };
        let collider = collider.build(files)?;
        if let Some(problem) = collider.shape().problem() {
            return scene_error(problem).map_err(here(shape.name));
        }
        Ok(collider.surface_mesh())
    }

    fn density_of(&self, surface: &TriMesh) -> Result<f64, Error> {
        match (self.density, self.mass) {
            (Some(density), None) if density > 0.0 && density.is_finite() => Ok(density),
            (Some(density), None) => {
                scene_error(format!("the density is {density} kg/m³; it must be positive"))
            }
            (None, Some(mass)) if mass > 0.0 && mass.is_finite() => {
                // A surface without volume is rejected later with its own error, not because of its
                // density.
                let volume = measure::enclosed_volume(surface);
                Ok(if volume > 0.0 { mass / volume } else { 1.0 })
            }
            (None, Some(mass)) => {
                scene_error(format!("the mass is {mass} kg; it must be positive"))
            }
            (None, None) => scene_error("density and mass are missing; add one of them"),
            (Some(_), Some(_)) => scene_error("both density and mass are present; keep one"),
        }
    }
}

/// Attaches the pending vertices by name, once all rigid bodies are built.
pub(super) fn attach_pending(
    pending: Vec<PendingAttachment>,
    rigid: &[(String, Body)],
    scene: &mut ModelBuilder,
) -> Result<(), DescriptionError> {
    for PendingAttachment { path: place, vertices, to } in pending {
        let mut named = rigid.iter().filter(|(name, _)| *name == to);
        let problem = match (named.next(), named.next()) {
            (Some((_, body)), None) => {
                vertices.into_iter().for_each(|vertex| scene.attach_to_rigid(vertex, body));
                continue;
            }
            (Some(_), Some(_)) => {
                format!("several rigid bodies have the name \"{to}\"; names must be unique")
            }
            (None, _) => {
                let names = rigid.iter().map(|(name, _)| name).filter(|name| !name.is_empty());
                let known: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                format!("there is no rigid body \"{to}\"; use the name of a [[rigid]]: {known}")
            }
        };
        return Err(DescriptionError { at: place, error: Error::Scene { problem } });
    }
    Ok(())
}
