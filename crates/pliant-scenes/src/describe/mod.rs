//! A scene as data: what a scene file holds, and what the built-in scenes are made of.
//!
//! A [`Description`] says what is simulated; the solver in it is only a default. All quantities are
//! in SI units, angles in degrees. [`Description::build`] turns it into a model; whatever is wrong is
//! an error that names the place, such as `cloth[0].pin[1]`.

mod animated;
mod balloon;
mod bounds;
mod build;
mod collider;
mod examples;
mod extras;
mod hold;
mod material;
mod mesh;
mod rigid;
mod scatter;
mod tear;
mod touch;

pub use animated::{AnimatedBody, FrameSpec};
pub use balloon::{BalloonSpec, FactorPath};
pub use bounds::BoundsSpec;
pub use build::{DescriptionError, MeshFiles, NoFiles, VertexGroups};
pub use collider::{
    BoxShape, CapsuleShape, ColliderSpec, HeightsShape, PlaneShape, SphereShape, Turn,
};
pub use examples::{ExampleShape, ExamplesSpec};
pub use extras::{FibersSpec, PlasticitySpec, ShapesSpec, StiffeningSpec};
pub use hold::{Attachment, Load, Path, Pin, Pull, Selection, Spin};
pub use material::{
    BendSpec, DampingSpec, EntriesSpec, FabricSpec, SolidSpec, SpringsSpec, StrainLimitSpec,
    StrainSpec, StretchSpec, TethersSpec, ThreadSpec, TwistSpec, WeaveSpec,
};
pub use mesh::{
    BallShape, BlockShape, CurtainShape, CylinderShape, FileShape, GridShape, IcosphereShape,
    Orient, PatternSpec, RingShape, SheetMesh, SolidMesh, SpringsMesh, StrandMesh, StrandShape,
    TorusShape, TriangleList,
};
pub use rigid::{FastenSpec, RigidBody};
pub use tear::{BladeSpec, TearModeSpec, TearSpec};

pub use touch::{NothingSpec, PartnersSpec, TouchSpec, TouchTable};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Description {
    /// What the scene is called.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// One line on what it shows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Gravity \[m/s²\]; `[0, -9.81, 0]` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<[f64; 3]>,
    /// Time from one frame to the next \[s\]; 1/60 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_step: Option<f64>,
    /// Frames that `pliant run` simulates; 150 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<usize>,
    /// How masses act; at the vertices unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass: Option<MassSpec>,
    /// The solver that runs it unless another is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<SolverSpec>,
    /// Whether contact goes as far as it takes for nothing to cross anything, and every step is checked for
    /// it; else it keeps to what real time allows.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub offline: bool,
    /// Files to write, relative to where the command runs, unless others are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputSpec>,
    /// The wind; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<WindSpec>,
    /// What cuts through cloth; nothing unless given.
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
    /// Bodies that move and deform as they are told, after the rigid ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub animated: Vec<AnimatedBody>,
    /// Solid things that bodies collide with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub collider: Vec<ColliderSpec>,
}

/// How masses act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MassSpec {
    /// All at the vertices; every solver takes it.
    Lumped,
    /// Spread by the elements' shape functions; for `projective` and `newton`.
    Consistent,
}

/// A solver and its settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolverSpec {
    /// Its name, as `pliant list solvers` shows it.
    pub name: String,
    /// Iterations per substep; the solver's own default unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iterations: Option<usize>,
    /// Substeps per frame; the solver's own default unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substeps: Option<usize>,
}

/// What a run writes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputSpec {
    /// Files; the extension decides the format (`.glb`, `.usda`, `.pc2`, `.obj`, `.ply`, `.plc`,
    /// `.csv`, `.png`, `.gif`).
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

/// What all kinds of bodies have besides mesh and material, and what only one has. The fields appear in
/// the body itself.
macro_rules! body {
    (
        $(#[$doc:meta])* $name:ident, $mesh:ty, $material:ty
        $(, $(#[$own:meta])* $field:ident: $type:ty)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub struct $name {
            /// What it is called, in messages and exports.
            #[serde(skip_serializing_if = "String::is_empty")]
            pub name: String,
            /// Its shape at rest.
            pub mesh: $mesh,
            /// What it is made of.
            pub material: $material,
            /// Where the rest shape is put; where the mesh has it unless given.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub place: Option<Place>,
            /// How it starts away from rest.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub start: Option<Start>,
            /// What it touches, and how; the engine's default unless given.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub touch: Option<TouchSpec>,
            /// Vertices whose motion is prescribed; the last word on a vertex counts.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub pin: Vec<Pin>,
            /// Vertices drawn to points by springs.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub attach: Vec<Attachment>,
            /// Constant forces on vertices.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub force: Vec<Pull>,
            /// Masses added to vertices.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub load: Vec<Load>,
            /// Vertices fastened to rigid bodies.
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub fasten: Vec<FastenSpec>,
            $($(#[$own])* pub $field: $type,)*
        }
    };
}

body!(
    /// A cloth, shell or sheet.
    Cloth, SheetMesh, FabricSpec,
    /// Gas inside, where the cloth is closed; none unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    balloon: Option<BalloonSpec>,
    /// When it tears; never unless given.
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
    /// When it tears; never unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    tear: Option<TearSpec>
);

/// A placement: scaled first, then turned, then moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Place {
    /// Factor on all lengths; 1 unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Axis of a turn about the origin; no turn unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Angle of the turn \[degrees\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degrees: Option<f64>,
    /// Displacement \[m\].
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub shift: Option<[f64; 3]>,
}

/// A start away from rest: the rest shape itself is not changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Start {
    /// The rows of a matrix that takes rest positions to start positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matrix: Option<[[f64; 3]; 3]>,
    /// A displacement after that \[m\].
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub shift: Option<[f64; 3]>,
    /// Then every vertex by chance, up to this far along each axis \[m\], the same in every run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scatter: Option<f64>,
    /// Velocity \[m/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f64; 3]>,
    /// Angular velocity about the centre of the vertices \[rad/s\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spin: Option<[f64; 3]>,
}
