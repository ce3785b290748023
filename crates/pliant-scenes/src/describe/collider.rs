//! Colliders, in scene files.

use pliant::mesh::TriMesh;
use pliant::prelude::Collider;
use pliant::{Error, Motion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Placement;
use super::build::{MeshFiles, apply_placement};
use super::constraints::{Path, Spin, build_motion};
use super::mesh::{SheetMesh, exactly_one};

/// A static or kinematic obstacle: exactly one shape, with placement, friction and motion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ColliderSpec {
    /// Name of the collider, in messages and exports.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// A half-space, solid below a plane.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plane: Option<PlaneShape>,
    /// A ball.
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
    /// Triangle mesh: a closed one is solid; an open one keeps bodies on the side on which they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mesh: Option<SheetMesh>,
    /// A height field.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heights: Option<HeightsShape>,
    /// Invert a closed mesh: solid outside and hollow inside.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hollow: bool,
    /// Placement of a mesh or of points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Placement>,
    /// Rotation of the other shapes about their own point, centre or corner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Rotation>,
    /// Coulomb's friction coefficient; 0.4 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1; 0 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Motion along a path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Path>,
    /// Rotation around an axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<Spin>,
}

/// A plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneShape {
    /// A point on the plane \[m\].
    pub point: [f64; 3],
    /// Outward normal of any length; +y unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal: Option<[f64; 3]>,
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereShape {
    /// Centre \[m\].
    pub center: [f64; 3],
    /// Radius \[m\].
    pub radius: f64,
}

/// A capsule: all points within a distance of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsuleShape {
    /// One end of the segment \[m\].
    pub from: [f64; 3],
    /// The other end \[m\].
    pub to: [f64; 3],
    /// Radius \[m\].
    pub radius: f64,
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Centre \[m\].
    pub center: [f64; 3],
    /// Edge lengths \[m\].
    pub size: [f64; 3],
}

/// A height field over a grid; everything below it is solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeightsShape {
    /// Position of the first grid point at height zero \[m\].
    pub corner: [f64; 3],
    /// Grid spacing along x and z \[m\].
    pub spacing: f64,
    /// Number of grid points along x.
    pub columns: usize,
    /// Heights above the corner \[m\], row after row along z.
    pub values: Vec<f64>,
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

impl ColliderSpec {
    /// A horizontal ground at a height \[m\].
    pub fn ground(height: f64) -> Self {
        let plane = PlaneShape { point: [0.0, height, 0.0], normal: None };
        Self { name: "ground".to_owned(), plane: Some(plane), ..Self::default() }
    }

    /// A ball with a centre \[m\] and a radius \[m\].
    pub fn sphere(center: [f64; 3], radius: f64) -> Self {
        Self { sphere: Some(SphereShape { center, radius }), ..Self::default() }
    }

    /// A box with a centre \[m\] and edge lengths \[m\].
    pub fn cuboid(center: [f64; 3], size: [f64; 3]) -> Self {
        Self { cuboid: Some(BoxShape { center, size }), ..Self::default() }
    }

    /// Convex hull of points \[m\].
    pub fn convex(points: Vec<[f64; 3]>) -> Self {
        Self { convex: Some(points), ..Self::default() }
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
        exactly_one(&[
            ("plane", self.plane.is_some()),
            ("sphere", self.sphere.is_some()),
            ("capsule", self.capsule.is_some()),
            ("box", self.cuboid.is_some()),
            ("convex", self.convex.is_some()),
            ("mesh", self.mesh.is_some()),
            ("heights", self.heights.is_some()),
        ])
        .map_err(here(""))?;
        let loose = self.mesh.is_some() || self.convex.is_some();
        if self.place.is_some() && !loose {
            let problem = "place is for a mesh or points; others say where they are, and turn";
            return scene_error(problem).map_err(here("place"));
        }
        if self.turn.is_some() && loose {
            let problem = "turn is for shapes with a center; turn a mesh or points with place";
            return scene_error(problem).map_err(here("turn"));
        }
        if self.hollow && self.mesh.is_none() {
            return scene_error("only a mesh can be hollow").map_err(here("hollow"));
        }
        let (mut collider, origin) = self.shape(files)?;
        if let Some(turn) = self.turn {
            let angle = turn.degrees * std::f64::consts::PI / 180.0;
            if turn.axis == [0.0; 3] {
                return scene_error("the axis is zero; give a direction").map_err(here("turn"));
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

    /// Builds the shape, and returns the origin \[m\] of a path.
    fn shape(
        &self,
        files: &mut dyn MeshFiles,
    ) -> Result<(Collider, [f64; 3]), (&'static str, Error)> {
        let here = |field: &'static str| move |error: Error| (field, error);
        if let Some(p) = self.plane {
            let normal = p.normal.unwrap_or([0.0, 1.0, 0.0]);
            return Ok((Collider::plane(p.point, normal), p.point));
        }
        if let Some(s) = self.sphere {
            return Ok((Collider::sphere(s.center, s.radius), s.center));
        }
        if let Some(c) = self.capsule {
            let middle = [0, 1, 2].map(|k| c.from[k] + 0.5 * (c.to[k] - c.from[k]));
            return Ok((Collider::capsule(c.from, c.to, c.radius), middle));
        }
        if let Some(b) = self.cuboid {
            return Ok((Collider::cuboid(b.center, b.size), b.center));
        }
        if let Some(points) = &self.convex {
            let mut points = points.clone();
            apply_placement(self.place, &mut points);
            return Ok((Collider::convex(&points).map_err(here("convex"))?, [0.0; 3]));
        }
        if let Some(h) = &self.heights {
            let ground = Collider::height_field(h.corner, h.spacing, h.columns, &h.values);
            return Ok((ground.map_err(here("heights"))?, h.corner));
        }
        let mesh = self.mesh.clone().unwrap_or_default();
        let mut mesh: TriMesh = match mesh.build().map_err(here("mesh"))? {
            Ok(generated) => generated,
            Err(file) => files.collider(file).map_err(here("mesh.file"))?,
        };
        apply_placement(self.place, &mut mesh.positions);
        if self.hollow {
            mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        Ok((Collider::mesh(&mesh).map_err(here("mesh"))?, [0.0; 3]))
    }
}
