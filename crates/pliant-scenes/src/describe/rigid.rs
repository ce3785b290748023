//! Rigid bodies in files, and what is fastened to them.

use pliant::mesh::{TriMesh, measure};
use pliant::prelude::ModelBuilder;
use pliant::{Body, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::{DescriptionError, MeshFiles, begin, put};
use super::mesh::exactly_one;
use super::{
    BoxShape, CapsuleShape, ColliderSpec, Place, Selection, SheetMesh, SphereShape, Start,
    TouchSpec, Turn,
};

/// A body that moves freely and keeps its shape: what it touches and what is fastened to it moves it. Exactly
/// one shape, and exactly one of `density` and `mass`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RigidBody {
    /// What it is called, in messages and exports, and by what is fastened to it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its density \[kg/m³\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Its mass \[kg\], spread evenly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// A ball, as 642 vertices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sphere: Option<SphereShape>,
    /// A rod with round ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capsule: Option<CapsuleShape>,
    /// A box.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub cuboid: Option<BoxShape>,
    /// The least convex thing that holds these points \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convex: Option<Vec<[f64; 3]>>,
    /// A closed surface that faces outwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<SheetMesh>,
    /// For a mesh or points: where they are put.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// For the others: a turn about their own center.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// How it starts: moved, with a velocity, with a spin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
    /// What it touches, and how; the engine's default unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub touch: Option<TouchSpec>,
}

/// Vertices fastened to a rigid body where both are at the start: each pulls the other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FastenSpec {
    /// Which vertices.
    pub at: Selection,
    /// The name of the rigid body.
    pub to: String,
}

/// Vertices that wait for the rigid body that they are fastened to.
pub(super) struct Waiting {
    /// Where the description says so.
    pub place: String,
    /// The model's numbers.
    pub vertices: Vec<usize>,
    /// The rigid body's name.
    pub to: String,
}

fn trouble<T>(problem: impl Into<String>) -> Result<T, Error> {
    Err(Error::Scene { problem: problem.into() })
}

impl RigidBody {
    /// A box with sides \[m\] around a center \[m\], of a density \[kg/m³\].
    pub fn cuboid(center: [f64; 3], size: [f64; 3], density: f64) -> Self {
        let cuboid = Some(BoxShape { center, size });
        Self { cuboid, density: Some(density), ..Self::default() }
    }

    /// The same with a name.
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// Adds it to a scene; an error says at which field.
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
        if let Some(touch) = &self.touch {
            let touch = touch.build(scene.touch_of(&body)).map_err(here("touch"))?;
            scene.touch(&body, touch);
        }
        if let Some(start) = self.start {
            if start.matrix.is_some() || start.scatter.is_some() {
                let problem = "a rigid body keeps its shape; leave matrix and scatter out, and turn it \
                               with place or turn";
                return trouble(problem).map_err(here("start"));
            }
            begin(start, scene, &body);
        }
        Ok(body)
    }

    /// The shapes, and which are given.
    fn shapes(&self) -> [(&'static str, bool); 5] {
        [
            ("sphere", self.sphere.is_some()),
            ("capsule", self.capsule.is_some()),
            ("box", self.cuboid.is_some()),
            ("convex", self.convex.is_some()),
            ("mesh", self.mesh.is_some()),
        ]
    }

    /// The field that gives the shape.
    fn shape(&self) -> &'static str {
        self.shapes().iter().find(|(_, given)| *given).map_or("", |(name, _)| name)
    }

    fn surface(&self, files: &mut dyn MeshFiles) -> Result<TriMesh, (&'static str, Error)> {
        let here = |field: &'static str| move |error: Error| (field, error);
        exactly_one(&self.shapes()).map_err(here(""))?;
        // A mesh as it is given, so that an error names its own vertices.
        if let Some(mesh) = self.mesh.as_ref().filter(|_| self.turn.is_none()) {
            let mut mesh = match mesh.build().map_err(here("mesh"))? {
                Ok(generated) => generated,
                Err(file) => files.collider(file).map_err(here("mesh.file"))?,
            };
            put(self.place, &mut mesh.positions);
            return Ok(mesh);
        }
        // All others are shapes of colliders, which know what is wrong with them.
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

    /// Refuses sizes of nothing.
    fn check_sizes(&self) -> Result<(), Error> {
        let radius = self.sphere.map(|s| s.radius).or(self.capsule.map(|c| c.radius));
        let sides = self.cuboid.map(|b| b.size).into_iter().flatten();
        let named = radius.map(|r| ("radius", r)).into_iter().chain(sides.map(|s| ("size", s)));
        match named.into_iter().find(|(_, length)| !(*length > 0.0 && length.is_finite())) {
            Some((name, value)) => {
                trouble(format!("the {name} is {value} m; give positive lengths"))
            }
            None => Ok(()),
        }
    }

    fn density_of(&self, surface: &TriMesh) -> Result<f64, Error> {
        match (self.density, self.mass) {
            (Some(density), None) if density > 0.0 && density.is_finite() => Ok(density),
            (Some(density), None) => {
                trouble(format!("the density is {density} kg/m³; give a positive one"))
            }
            (None, Some(mass)) if mass > 0.0 && mass.is_finite() => {
                // A surface without volume is refused by what it is, not by its density.
                let volume = measure::enclosed_volume(surface);
                Ok(if volume > 0.0 { mass / volume } else { 1.0 })
            }
            (None, Some(mass)) => trouble(format!("the mass is {mass} kg; give a positive one")),
            (None, None) => trouble("neither a density nor a mass is given; give one of them"),
            (Some(_), Some(_)) => trouble("both a density and a mass are given; keep one"),
        }
    }
}

/// Fastens what waited, now that the rigid bodies are there, by name.
pub(super) fn fasten(
    waiting: Vec<Waiting>,
    rigid: &[(String, Body)],
    scene: &mut ModelBuilder,
) -> Result<(), DescriptionError> {
    for Waiting { place, vertices, to } in waiting {
        let mut named = rigid.iter().filter(|(name, _)| *name == to);
        let problem = match (named.next(), named.next()) {
            (Some((_, body)), None) => {
                vertices.into_iter().for_each(|vertex| scene.fasten(vertex, body));
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
