//! Colliders, in scene files.

use pliant::prelude::Collider;
use pliant::{Error, Motion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::build::MeshFiles;
use super::constraints::{Path, Spin, build_motion};
use super::shape::{self, FieldValue, ShapeSpec};
use super::shape_reader::{WithShapes, add_shapes};
use super::{Appearance, Placement, with_shapes};

/// A static or kinematic obstacle: exactly one shape, with placement, friction and motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default, remote = "Self")]
#[schemars(rename = "ColliderSpec", transform = add_shapes)]
pub struct ColliderSpec {
    /// Name of the collider, in messages and exports.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Exactly one shape.
    #[serde(flatten, skip_deserializing, serialize_with = "shape::serialize")]
    #[schemars(skip)]
    pub shape: Vec<ShapeSpec>,
    /// Invert a closed mesh: solid outside and hollow inside.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hollow: bool,
    /// Placement of a mesh or of points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Placement>,
    /// Rotation of the other shapes about their own point, centre or corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Rotation>,
    /// Coulomb's friction coefficient; default: 0.4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1; default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Motion along a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Path>,
    /// Rotation around an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<Spin>,
    /// Colours and pattern, in pictures and exports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub appearance: Option<Appearance>,
}

/// A rotation about an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// Axis of any length but zero.
    pub axis: [f64; 3],
    /// Angle \[degrees\].
    pub degrees: f64,
}

fn scene_error<T>(problem: impl Into<String>) -> Result<T, Error> {
    Err(Error::Scene { problem: problem.into() })
}

with_shapes!(ColliderSpec, |_| true);

impl ColliderSpec {
    /// A collider of a shape.
    pub fn of(shape: ShapeSpec) -> Self {
        Self { shape: vec![shape], ..Self::default() }
    }

    /// A horizontal ground at a height \[m\].
    pub fn ground(height: f64) -> Self {
        let point = FieldValue::Vector([0.0, height, 0.0]);
        Self::of(ShapeSpec { name: "plane", values: vec![("point", point)] }).named("ground")
    }

    /// A ball with a centre \[m\] and a radius \[m\].
    pub fn sphere(center: [f64; 3], radius: f64) -> Self {
        Self::of(ShapeSpec::sphere(center, radius))
    }

    /// A box with a centre \[m\] and edge lengths \[m\].
    pub fn cuboid(center: [f64; 3], size: [f64; 3]) -> Self {
        Self::of(ShapeSpec::cuboid(center, size))
    }

    /// Convex hull of points \[m\].
    pub fn convex(points: Vec<[f64; 3]>) -> Self {
        Self::of(ShapeSpec::convex(points))
    }

    /// The same collider with a name.
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// The same collider with Coulomb's friction coefficient.
    pub fn friction(self, friction: f64) -> Self {
        Self { friction: Some(friction), ..self }
    }

    /// The same collider moving through displacements \[m\] at times \[s\].
    pub fn path(self, points: &[(f64, [f64; 3])]) -> Self {
        let (times, moves) = points.iter().copied().unzip();
        Self { path: Some(Path { times, moves }), ..self }
    }

    /// The same collider rotating about an axis through a point \[m\] at a rate \[rad/s\].
    pub fn spin(self, center: [f64; 3], axis: [f64; 3], rate: f64) -> Self {
        Self { spin: Some(Spin { center, axis, rate, drift: None }), ..self }
    }

    /// Builds the collider; an error contains the field.
    pub(super) fn build(
        &self,
        files: &mut dyn MeshFiles,
    ) -> Result<Collider, (&'static str, Error)> {
        let here = |field: &'static str| move |error: Error| (field, error);
        let shape = shape::only(&self.shape, |_| true).map_err(here(""))?;
        let loose = shape.is_placed();
        if self.place.is_some() && !loose {
            let problem = "place applies to mesh and convex only; use the position fields of the \
                shape, and turn";
            return scene_error(problem).map_err(here("place"));
        }
        if self.turn.is_some() && loose {
            let problem = "turn does not apply to mesh and convex; use place";
            return scene_error(problem).map_err(here("turn"));
        }
        if self.hollow && !shape.is_mesh() {
            return scene_error("hollow applies to mesh only; remove it").map_err(here("hollow"));
        }
        let mut collider = shape.build(self.place, self.hollow, files)?;
        let origin = collider.origin();
        if let Some(turn) = self.turn {
            let angle = turn.degrees * std::f64::consts::PI / 180.0;
            if turn.axis == [0.0; 3] {
                return scene_error("the axis is zero; use a non-zero axis").map_err(here("turn"));
            }
            collider = collider.turned(turn.axis, angle);
        }
        if let Some(friction) = self.friction {
            collider = collider.friction(friction);
        }
        if let Some(restitution) = self.restitution {
            collider = collider.restitution(restitution);
        }
        if !self.name.is_empty() {
            collider = collider.named(&self.name);
        }
        let motion = build_motion("a collider", self.path.as_ref(), self.spin.as_ref(), origin);
        let motion = motion.map_err(here("path"))?;
        Ok(if motion == Motion::Fixed { collider } else { collider.moving(motion) })
    }
}
