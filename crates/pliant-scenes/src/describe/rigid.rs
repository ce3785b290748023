//! Rigid bodies and attachments to them, in scene files.

use pliant::mesh::{TriMesh, measure};
use pliant::prelude::ModelBuilder;
use pliant::{Body, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::{DescriptionError, MeshFiles, apply_placement, apply_start};
use super::mesh::exactly_one;
use super::{
    BoxShape, CapsuleShape, ColliderSpec, ContactSpec, Placement, Rotation, Selection, SheetMesh,
    SphereShape, Start,
};

/// A dynamic rigid body, moved by contacts and attachments. Exactly one shape, and exactly one of `density`
/// and `mass`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
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
    /// A ball, as 642 vertices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sphere: Option<SphereShape>,
    /// A capsule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capsule: Option<CapsuleShape>,
    /// A box.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub cuboid: Option<BoxShape>,
    /// Convex hull of these points \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convex: Option<Vec<[f64; 3]>>,
    /// A closed surface with outward orientation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<SheetMesh>,
    /// Placement of a mesh or of points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Placement>,
    /// Rotation of the other shapes about their own centre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Rotation>,
    /// Start: translation, velocity and angular velocity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// Contact settings; the engine's default unless given.
    #[serde(alias = "touch", skip_serializing_if = "Option::is_none")]
    pub contact: Option<ContactSpec>,
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

impl RigidBody {
    /// A box with a centre \[m\], edge lengths \[m\] and a density \[kg/m³\].
    pub fn cuboid(center: [f64; 3], size: [f64; 3], density: f64) -> Self {
        let cuboid = Some(BoxShape { center, size });
        Self { cuboid, density: Some(density), ..Self::default() }
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
        let body = scene.rigid(surface, density).map_err(here(self.shape()))?;
        if !self.name.is_empty() {
            scene.name(&body, &self.name);
        }
        if let Some(touch) = &self.contact {
            let touch = touch.build(scene.contact_material_of(&body)).map_err(here("contact"))?;
            scene.contact_material(&body, touch);
        }
        if let Some(start) = self.start {
            if start.matrix.is_some() || start.jitter.is_some() {
                let problem = "a rigid body keeps its shape; leave matrix and jitter out, and turn it \
                               with place or turn";
                return scene_error(problem).map_err(here("start"));
            }
            apply_start(start, scene, &body);
        }
        Ok(body)
    }

    /// Names of the shape fields, with true for those that are given.
    fn shapes(&self) -> [(&'static str, bool); 5] {
        [
            ("sphere", self.sphere.is_some()),
            ("capsule", self.capsule.is_some()),
            ("box", self.cuboid.is_some()),
            ("convex", self.convex.is_some()),
            ("mesh", self.mesh.is_some()),
        ]
    }

    /// Name of the field with the shape.
    fn shape(&self) -> &'static str {
        self.shapes().iter().find(|(_, given)| *given).map_or("", |(name, _)| name)
    }

    fn surface(&self, files: &mut dyn MeshFiles) -> Result<TriMesh, (&'static str, Error)> {
        let here = |field: &'static str| move |error: Error| (field, error);
        exactly_one(&self.shapes()).map_err(here(""))?;
        // A mesh is used as given, so that errors name its own vertices.
        if let Some(mesh) = self.mesh.as_ref().filter(|_| self.turn.is_none()) {
            let mut mesh = match mesh.build().map_err(here("mesh"))? {
                Ok(generated) => generated,
                Err(file) => files.collider(file).map_err(here("mesh.file"))?,
            };
            apply_placement(self.place, &mut mesh.positions);
            return Ok(mesh);
        }
        // All others are shapes of colliders, whose builder validates them.
        let collider = ColliderSpec {
            sphere: self.sphere,
            capsule: self.capsule,
            cuboid: self.cuboid,
            convex: self.convex.clone(),
            mesh: self.mesh.clone(),
            place: self.place,
            turn: self.turn,
            ..ColliderSpec::default()
        };
        let collider = collider.build(files)?;
        self.check_sizes().map_err(here(self.shape()))?;
        Ok(collider.surface_mesh())
    }

    /// Rejects sizes that are not positive.
    fn check_sizes(&self) -> Result<(), Error> {
        let radius = self.sphere.map(|s| s.radius).or(self.capsule.map(|c| c.radius));
        let sides = self.cuboid.map(|b| b.size).into_iter().flatten();
        let named = radius.map(|r| ("radius", r)).into_iter().chain(sides.map(|s| ("size", s)));
        match named.into_iter().find(|(_, length)| !(*length > 0.0 && length.is_finite())) {
            Some((name, value)) => {
                scene_error(format!("the {name} is {value} m; give positive lengths"))
            }
            None => Ok(()),
        }
    }

    fn density_of(&self, surface: &TriMesh) -> Result<f64, Error> {
        match (self.density, self.mass) {
            (Some(density), None) if density > 0.0 && density.is_finite() => Ok(density),
            (Some(density), None) => {
                scene_error(format!("the density is {density} kg/m³; give a positive one"))
            }
            (None, Some(mass)) if mass > 0.0 && mass.is_finite() => {
                // A surface without volume is rejected later with its own error, not because of its
                // density.
                let volume = measure::enclosed_volume(surface);
                Ok(if volume > 0.0 { mass / volume } else { 1.0 })
            }
            (None, Some(mass)) => {
                scene_error(format!("the mass is {mass} kg; give a positive one"))
            }
            (None, None) => scene_error("neither a density nor a mass is given; give one of them"),
            (Some(_), Some(_)) => scene_error("both a density and a mass are given; keep one"),
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
                format!("several rigid bodies are called \"{to}\"; give each its own name")
            }
            (None, _) => {
                let names = rigid.iter().map(|(name, _)| name).filter(|name| !name.is_empty());
                let known: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                format!(
                    "no rigid body is called \"{to}\" (there is: {known}); give the name of a [[rigid]]"
                )
            }
        };
        return Err(DescriptionError { at: place, error: Error::Scene { problem } });
    }
    Ok(())
}
