//! Scenes as data: the contents of scene files, and the definitions of the built-in scenes.
//!
//! A [`SceneDescription`] describes the simulated objects; its solver is only a default. All quantities are
//! in SI units, angles in degrees. [`SceneDescription::build`] converts it to a model; errors contain the
//! path of the invalid field, such as `cloth[0].pin[1]`.

mod animated;
mod appearance;
mod balloon;
mod bounds;
mod build;
mod collider;
mod constraints;
mod contact;
mod elements;
mod examples;
mod jitter;
mod material;
mod material_extras;
mod mesh;
mod rigid;
mod shape;
mod shape_reader;
mod solver;
mod tear;

pub use animated::{AnimatedBody, FrameSpec};
pub use appearance::{Appearance, Color, PatternAppearance, PatternKind};
pub use balloon::{BalloonSpec, FactorPath};
pub use bounds::BoundsSpec;
pub use build::{DescriptionError, MeshFiles, NoFiles, VertexGroups};
pub use collider::{ColliderSpec, Rotation};
pub use constraints::{Attachment, Path, Pin, PointForce, PointMass, Selection, Spin};
pub use elements::ElementSpec;
pub use examples::{ExampleShape, ExamplesSpec};
pub use material::{
    BendSpec, EntriesSpec, FabricSpec, SolidSpec, SpringsSpec, StrainSpec, StretchSpec, ThreadSpec,
    TwistSpec, WeaveSpec,
};
pub use material_extras::{
    DampingSpec, FibersSpec, PlasticitySpec, ShapesSpec, StiffeningSpec, StrainLimitSpec,
    TethersSpec,
};
pub use mesh::{
    BallShape, BlockShape, CurtainShape, CylinderShape, FileShape, GridShape, IcosphereShape,
    Orient, PatternSpec, RingShape, SheetMesh, SolidMesh, SpringsMesh, StrandMesh, StrandShape,
    TorusShape, TriangleList,
};
pub use rigid::{RigidAttachmentSpec, RigidBody};
pub use shape::{FieldValue, ShapeSpec};
pub use solver::{DEFAULT_SOLVER, SettingSpec, SolverSpec, all_settings};
pub use tear::{BladeSpec, TearModeSpec, TearSpec};

pub use contact::{CollidesWithSpec, ContactSpec, ContactTable, NoContactSpec};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SceneDescription {
    /// Name of the scene.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// One-line summary.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Gravity \[m/s²\]; default: `[0, -9.81, 0]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<[f64; 3]>,
    /// Time step of a frame \[s\]; default: 1/60.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_step: Option<f64>,
    /// Number of frames of `pliant run`; default: 150.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<usize>,
    /// Mass model; default: lumped at the vertices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<MassSpec>,
    /// Default solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<SolverSpec>,
    /// Guarantee intersection-free output, verified in every step (slow), instead of contact at a
    /// real-time cost.
    #[serde(alias = "offline", skip_serializing_if = "std::ops::Not::not")]
    pub intersection_free: bool,
    /// Default output files, relative to the working directory of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSpec>,
    /// Wind; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<WindSpec>,
    /// Blades that cut cloth; default: none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blade: Vec<BladeSpec>,
    /// Cloths, shells and sheets. They come first in the order of bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cloth: Vec<Cloth>,
    /// Soft solids, after the cloths.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub solid: Vec<SolidBody>,
    /// Threads, ropes and hair, after the solids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strand: Vec<StrandBody>,
    /// Mass-spring networks, after the strands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub springs: Vec<SpringsBody>,
    /// Rigid bodies, after the networks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rigid: Vec<RigidBody>,
    /// Kinematic bodies with key frames, after the rigid ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub animated: Vec<AnimatedBody>,
    /// Static and kinematic obstacles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collider: Vec<ColliderSpec>,
}

impl SceneDescription {
    /// Appearances of all bodies, in the order of the model.
    pub fn body_appearances(&self) -> Vec<Option<Appearance>> {
        let cloths = self.cloth.iter().map(|body| body.appearance);
        let solids = self.solid.iter().map(|body| body.appearance);
        let strands = self.strand.iter().map(|body| body.appearance);
        let springs = self.springs.iter().map(|body| body.appearance);
        let rigid = self.rigid.iter().map(|body| body.appearance);
        let animated = self.animated.iter().map(|body| body.appearance);
        cloths.chain(solids).chain(strands).chain(springs).chain(rigid).chain(animated).collect()
    }
}

/// Mass model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MassSpec {
    /// Lumped at the vertices; supported by every solver.
    Lumped,
    /// Consistent with the elements' shape functions; for `projective` and `newton`.
    Consistent,
}

/// Output of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputSpec {
    /// Files; the extension sets the format, as `pliant list formats` lists them.
    pub files: Vec<String>,
}

/// Wind on the surfaces of all bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindSpec {
    /// Mean velocity of the air \[m/s\].
    pub velocity: [f64; 3],
    /// Strength of gusts, as a fraction of the mean velocity; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gust: Option<f64>,
    /// Time between gusts \[s\]; default: 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<f64>,
    /// Density of the air \[kg/m³\]; default: 1.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Drag coefficient of a flat plate across the wind; default: 1.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drag: Option<f64>,
}

/// Renamed keys of scene files, whose names from version 0.1 stay valid: (key, old key).
pub const OLD_KEYS: &[(&str, &str)] = &[
    ("attach_to", "fasten"),
    ("contact", "touch"),
    ("intersection_free", "offline"),
    ("jitter", "scatter"),
    ("sphere", "ball"),
];

/// Implements reading and writing of a struct whose field `shape` stands for a field of each shape.
macro_rules! with_shapes {
    ($name:ident, $is_allowed:expr) => {
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(inner: D) -> Result<Self, D::Error> {
                let mut shapes = Vec::new();
                let reader = WithShapes { inner, is_allowed: $is_allowed, shapes: &mut shapes };
                let read = Self::deserialize(reader)?;
                Ok(Self { shape: shapes, ..read })
            }
        }

        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, serializer)
            }
        }
    };
}
use with_shapes;

/// Fields common to all kinds of bodies, and fields of a single kind, beside mesh and material. All appear
/// directly in the body.
macro_rules! body {
    (
        $(#[$doc:meta])* $name:ident, $mesh:ty, $material:ty
        $(, $(#[$own:meta])* $field:ident: $type:ty)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            /// Name of the body, in messages and exports.
            #[serde(skip_serializing_if = "String::is_empty")]
            pub name: String,
            /// Rest shape.
            pub mesh: $mesh,
            /// Material.
            pub material: $material,
            /// Placement of the rest shape; default: that of the mesh.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub place: Option<Placement>,
            /// Initial state, if it differs from the rest shape.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub start: Option<Start>,
            /// Contact settings; default: that of the engine.
            #[serde(alias = "touch", skip_serializing_if = "Option::is_none")]
            pub contact: Option<ContactSpec>,
            /// Vertices with prescribed motion; the last entry for a vertex takes effect.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub pin: Vec<Pin>,
            /// Springs that attach vertices to points.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub attach: Vec<Attachment>,
            /// Constant forces on vertices.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub force: Vec<PointForce>,
            /// Masses added to vertices.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub load: Vec<PointMass>,
            /// Elements in addition to those of the material.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub element: Vec<ElementSpec>,
            /// Colours and pattern, in pictures and exports.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub appearance: Option<Appearance>,
            /// Vertices attached to rigid bodies.
            #[serde(alias = "fasten", skip_serializing_if = "Vec::is_empty")]
            pub attach_to: Vec<RigidAttachmentSpec>,
            $($(#[$own])* pub $field: $type,)*
        }
    };
}

body!(
    /// A cloth, shell or sheet.
    Cloth, SheetMesh, FabricSpec,
    /// Gas inside a closed cloth; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    balloon: Option<BalloonSpec>,
    /// Tearing; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    tear: Option<TearSpec>
);
body!(
    /// A soft solid.
    SolidBody, SolidMesh, SolidSpec
);
body!(
    /// A thread, rope or hair.
    StrandBody, StrandMesh, ThreadSpec
);
body!(
    /// A mass-spring network.
    SpringsBody, SpringsMesh, SpringsSpec,
    /// Tearing; default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    tear: Option<TearSpec>
);

/// A placement: scale first, then rotation, then translation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Placement {
    /// Scale factor; default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Axis of a rotation about the origin; default: no rotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Angle of the rotation \[degrees\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degrees: Option<f64>,
    /// Translation \[m\].
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub shift: Option<[f64; 3]>,
}

/// Initial state that differs from the rest shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// Rows of a matrix that maps rest positions to start positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<[[f64; 3]; 3]>,
    /// Translation after the matrix \[m\].
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub shift: Option<[f64; 3]>,
    /// Random displacement of every vertex, up to this size along each axis \[m\], the same in every run.
    #[serde(alias = "scatter", skip_serializing_if = "Option::is_none")]
    pub jitter: Option<f64>,
    /// Velocity \[m/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Angular velocity about the centre of the vertices \[rad/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<[f64; 3]>,
}
