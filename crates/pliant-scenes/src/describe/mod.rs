//! Scenes as data: the contents of scene files, and the definitions of the built-in scenes.
//!
//! A [`SceneDescription`] describes the simulated objects; its solver is only a default. All quantities are
//! in SI units, angles in degrees. [`SceneDescription::build`] converts it to a model; errors contain the
//! path of the invalid field, such as `cloth[0].pin[1]`.

mod animated;
mod balloon;
mod bounds;
mod build;
mod collider;
mod constraints;
mod contact;
mod examples;
mod jitter;
mod material;
mod material_extras;
mod mesh;
mod rigid;
mod tear;

pub use animated::{AnimatedBody, FrameSpec};
pub use balloon::{BalloonSpec, FactorPath};
pub use bounds::BoundsSpec;
pub use build::{DescriptionError, MeshFiles, NoFiles, VertexGroups};
pub use collider::{
    BoxShape, CapsuleShape, ColliderSpec, HeightsShape, PlaneShape, Rotation, SphereShape,
};
pub use constraints::{Attachment, Path, Pin, PointForce, PointMass, Selection, Spin};
pub use examples::{ExampleShape, ExamplesSpec};
pub use material::{
    BendSpec, DampingSpec, EntriesSpec, FabricSpec, SolidSpec, SpringsSpec, StrainLimitSpec,
    StrainSpec, StretchSpec, TethersSpec, ThreadSpec, TwistSpec, WeaveSpec,
};
pub use material_extras::{FibersSpec, PlasticitySpec, ShapesSpec, StiffeningSpec};
pub use mesh::{
    BallShape, BlockShape, CurtainShape, CylinderShape, FileShape, GridShape, IcosphereShape,
    Orient, PatternSpec, RingShape, SheetMesh, SolidMesh, SpringsMesh, StrandMesh, StrandShape,
    TorusShape, TriangleList,
};
pub use rigid::{RigidAttachmentSpec, RigidBody};
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
    /// Gravity \[m/s²\]; `[0, -9.81, 0]` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<[f64; 3]>,
    /// Time step from one frame to the next \[s\]; 1/60 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_step: Option<f64>,
    /// Number of frames of `pliant run`; 150 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<usize>,
    /// Mass model; lumped at the vertices unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<MassSpec>,
    /// Default solver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<SolverSpec>,
    /// Guarantee intersection-free output and verify every step; otherwise contact stays within the cost of
    /// real time.
    #[serde(alias = "offline", skip_serializing_if = "std::ops::Not::not")]
    pub intersection_free: bool,
    /// Default output files, relative to the working directory of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSpec>,
    /// Wind; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<WindSpec>,
    /// Blades that cut cloth; none unless given.
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

/// Mass model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MassSpec {
    /// Lumped at the vertices; supported by every solver.
    Lumped,
    /// Consistent with the elements' shape functions; for `projective` and `newton`.
    Consistent,
}

/// A solver and its settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolverSpec {
    /// Solver name, from `pliant list solvers`.
    pub name: String,
    /// Iterations per substep; the solver's own default unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    /// Substeps per frame; the solver's own default unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substeps: Option<usize>,
}

/// Output of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputSpec {
    /// Files; the extension sets the format (`.glb`, `.usda`, `.pc2`, `.obj`, `.ply`, `.plc`, `.csv`,
    /// `.png`, `.gif`).
    pub files: Vec<String>,
}

/// Wind on the surfaces of all bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindSpec {
    /// Mean velocity of the air \[m/s\].
    pub velocity: [f64; 3],
    /// Strength of gusts, as a fraction of the mean velocity; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gust: Option<f64>,
    /// Time between gusts \[s\]; 2 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period: Option<f64>,
    /// Density of the air \[kg/m³\]; 1.2 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Drag coefficient of a flat plate across the wind; 1.2 unless given.
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
            /// Placement of the rest shape; as in the mesh unless given.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub place: Option<Placement>,
            /// Start away from the rest shape.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub start: Option<Start>,
            /// Contact settings; the engine's default unless given.
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
    /// Gas inside a closed cloth; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    balloon: Option<BalloonSpec>,
    /// Tearing; none unless given.
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
    /// Tearing; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    tear: Option<TearSpec>
);

/// A placement: scale first, then rotation, then translation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Placement {
    /// Scale factor; 1 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Axis of a rotation about the origin; no rotation unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Angle of the rotation \[degrees\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degrees: Option<f64>,
    /// Translation \[m\].
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub shift: Option<[f64; 3]>,
}

/// A start away from the rest shape, which itself is unchanged.
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
