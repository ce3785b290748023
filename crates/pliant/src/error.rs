//! Errors: every reason for which a model, a mesh or a solver is rejected, with the offending item and a
//! remedy.

use std::convert::Infallible;

use thiserror::Error;

use crate::mesh::MeshError;

/// Reason for which an operation was rejected. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A description of a scene is wrong.
    #[error("{problem}")]
    Scene {
        /// Problem and remedy.
        problem: String,
    },
    /// An element refers to a vertex that the model does not have.
    #[error(
        "{name} {element} refers to vertex {vertex}, but the model has {points} vertices \
         (0 to {last}); use an index below {points}", last = .points.saturating_sub(1)
    )]
    ElementIndex {
        /// Type of the element.
        name: &'static str,
        /// Index of the element among those of its type.
        element: usize,
        /// Vertex to which it refers.
        vertex: u32,
        /// Number of vertices.
        points: usize,
    },
    /// An element refers to the same vertex twice.
    #[error("{name} {element} refers to vertex {vertex} twice; its vertices must differ")]
    ElementRepeatedIndex {
        /// Type of the element.
        name: &'static str,
        /// Index of the element among those of its type.
        element: usize,
        /// Repeated vertex.
        vertex: u32,
    },
    /// An element's weight is negative, infinite or not a number.
    #[error("the weight of {name} {element} is {weight}; it must be finite and not negative")]
    ElementWeight {
        /// Type of the element.
        name: &'static str,
        /// Index of the element among those of its type.
        element: usize,
        /// Weight.
        weight: f64,
    },
    /// A collider is invalid.
    #[error("collider {index} ({name}): {problem}")]
    Collider {
        /// Index of the collider.
        index: usize,
        /// Name of the collider.
        name: String,
        /// Problem and remedy.
        problem: String,
    },
    /// A key frame of an animated body is invalid.
    #[error("key frame {frame}: {problem}")]
    KeyFrame {
        /// Index of the frame.
        frame: usize,
        /// Problem and remedy.
        problem: String,
    },
    /// The contact material of a body is invalid.
    #[error(
        "the contact material of {body} is invalid; thickness and friction must be finite and not \
         negative, restitution between 0 and 1"
    )]
    ContactMaterial {
        /// Name of the body.
        body: String,
    },
    /// A surface that should enclose a volume has a boundary.
    #[error(
        "the surface of {name} is open at the edge between vertices {} and {}; close the hole or \
         remove the pressure", .edge[0], .edge[1]
    )]
    OpenSurface {
        /// Name of the body.
        name: String,
        /// Vertices of a boundary edge, in the surface's own numbering.
        edge: [u32; 2],
    },
    /// A surface that should enclose a volume does not, or faces inwards.
    #[error(
        "the surface of {name} encloses a volume of {volume:.3e} m³; its triangles must face \
         outwards (`TriMesh::flipped` reverses them)"
    )]
    NoEnclosedVolume {
        /// Name of the body.
        name: String,
        /// Signed volume \[m³\].
        volume: f64,
    },
    /// A body that cannot tear has no sheet of triangles to tear or cut.
    #[error(
        "{body} cannot tear: only cloth and spring nets with triangles can; remove the tearing \
         (spring nets without triangles can use TearMode::Break)"
    )]
    NotTearable {
        /// Name of the body.
        body: String,
    },
    /// A body in tear mode `TearMode::Break` has no edges with constraints of their own.
    #[error(
        "{body} has no edge elements to break; use Stretch::Edges or springs, or split its \
         vertices instead (TearMode::Split)"
    )]
    NoBreakableEdges {
        /// Name of the body.
        body: String,
    },
    /// Tearing with a consistent mass matrix, which couples vertices and cannot be split.
    #[error("tearing and cutting need lumped masses; use MassModel::Lumped")]
    TearingNeedsLumpedMass,
    /// A blade is invalid.
    #[error(
        "blade {index} is invalid; its ends must be finite and different, and its motion must have \
         finite numbers, increasing times and a non-zero axis"
    )]
    Blade {
        /// Index of the blade.
        index: usize,
    },
    /// A body has tethers and none of its vertices is pinned.
    #[error("{body} has tethers but no pinned vertex; pin a vertex or remove the tethers")]
    NoPinnedVertex {
        /// Name of the body.
        body: String,
    },
    /// An element's rest data is infinite or not a number.
    #[error(
        "rest parameter {parameter} of {name} {element} is not finite; check the rest shape for \
         NaN and edges of zero length"
    )]
    ElementRestData {
        /// Type of the element.
        name: &'static str,
        /// Index of the element among those of its type.
        element: usize,
        /// Index of the number in its rest data.
        parameter: usize,
    },
    /// PBD's stiffness lies outside 0…1.
    #[error("the PBD stiffness of {name} is {k}; it must be between 0 and 1")]
    PbdStiffness {
        /// Type of the element.
        name: &'static str,
        /// Stiffness.
        k: f64,
    },
    /// A rest shape has no length, area or volume.
    #[error(
        "the rest shape of a {name} is degenerate (measure {measure:.3e}); remove it or move its \
         vertices apart"
    )]
    DegenerateRest {
        /// Type of the shape.
        name: &'static str,
        /// Length \[m\], area \[m²\] or volume \[m³\].
        measure: f64,
    },
    /// The mesh cannot be simulated, or a generator got impossible parameters.
    #[error(transparent)]
    Mesh(#[from] MeshError),

    /// The matrix of the global step is not positive definite.
    #[error(
        "the system matrix is not positive definite at row {row} (pivot {pivot:.3e}); every vertex \
         must have a positive mass and every element a non-negative weight"
    )]
    NotPositiveDefinite {
        /// Row of the failing pivot: a vertex (or three times a vertex plus its axis).
        row: usize,
        /// Value of the pivot.
        pivot: f64,
    },
    /// A quantity of a material, a force or a setting is out of range.
    #[error("the {field} of the {name} is {value}; {remedy}")]
    Quantity {
        /// Owner of the quantity.
        name: &'static str,
        /// Name of the quantity.
        field: &'static str,
        /// Value.
        value: f64,
        /// Remedy.
        remedy: &'static str,
    },
    /// A position, velocity or force of a vertex is infinite or not a number.
    #[error("the {what} of vertex {vertex} is not finite; replace the NaN or infinity")]
    VertexNotFinite {
        /// Kind of the quantity: position, velocity, force…
        what: &'static str,
        /// Vertex.
        vertex: usize,
    },
    /// A vertex without a positive mass.
    #[error(
        "the mass of vertex {vertex} is {mass} kg; it must be positive: remove vertices without \
         elements, and use a positive density for every body"
    )]
    NonPositiveMass {
        /// Vertex.
        vertex: usize,
        /// Mass of the vertex \[kg\].
        mass: f64,
    },
    /// A pin or force refers to a vertex that the model does not have.
    #[error(
        "{what} refers to vertex {vertex}, but the model has {points} vertices; use a vertex of \
         one of its bodies"
    )]
    NoSuchVertex {
        /// Item that refers to it.
        what: &'static str,
        /// Vertex.
        vertex: usize,
        /// Number of vertices.
        points: usize,
    },
    /// A vertex that should move as a pin is not pinned.
    #[error("vertex {vertex} is not pinned; only pinned vertices have a target")]
    NotPinned {
        /// Vertex.
        vertex: usize,
    },
    /// A corner of a body was requested that its mesh does not have.
    #[error(
        "a {what} refers to a corner that the mesh of its body does not have; use a vertex index"
    )]
    NoSuchCorner {
        /// Item that refers to it.
        what: &'static str,
    },
    /// A model without vertices.
    #[error("the model has no vertices; add a cloth, a solid, a strand or springs")]
    EmptyModel,
    /// The motion of a pinned vertex has no points, times that do not increase, or numbers that are not finite.
    #[error(
        "the motion of pinned vertex {vertex} is invalid; it must have finite numbers, increasing \
         times and a non-zero axis"
    )]
    InvalidMotion {
        /// Vertex.
        vertex: usize,
    },
    /// The wind has numbers that are not finite, a period that is not positive, or negative density or drag.
    #[error(
        "the wind is invalid; its numbers must be finite, its period positive, its density and \
         drag not negative"
    )]
    InvalidWind,
    /// A time step that is not positive and finite.
    #[error("the time step is {value} s; it must be positive and finite, such as 1/60")]
    TimeStep {
        /// Time step \[s\].
        value: f64,
    },
    /// A solver does not support an element or a setting of the model.
    #[error("solver {solver} does not support {what}; {remedy}")]
    Unsupported {
        /// Name of the solver.
        solver: &'static str,
        /// Element or setting.
        what: &'static str,
        /// Remedy.
        remedy: &'static str,
    },
    /// No solver has that name.
    #[error("there is no solver {name:?}; use one of {known}")]
    UnknownSolver {
        /// Requested name.
        name: String,
        /// Known names.
        known: String,
    },
    /// A solver has no setting of that name.
    #[error("solver {solver} has no setting {setting:?}; its settings are {known}")]
    UnknownSetting {
        /// Name of the solver.
        solver: &'static str,
        /// Requested name.
        setting: String,
        /// Names of the solver's settings.
        known: String,
    },
    /// A setting of a solver has an invalid value.
    #[error("{setting} of {solver} is {value}; {remedy}")]
    SettingValue {
        /// Name of the solver.
        solver: &'static str,
        /// Name of the setting.
        setting: &'static str,
        /// Value.
        value: String,
        /// Remedy.
        remedy: String,
    },
    /// A joint refers to a rigid body that does not exist.
    #[error(
        "{what} refers to body {body}, but there are {bodies}; use an index returned by \
         `ArticulationBuilder::body`"
    )]
    NoSuchBody {
        /// Item that refers to it.
        what: &'static str,
        /// Index of the body.
        body: usize,
        /// Number of bodies.
        bodies: usize,
    },
    /// A joint between the world and the world.
    #[error("a joint connects the world to itself; at least one of its bodies must not be `None`")]
    JointWithoutBody,
    /// A snapshot cannot be restored.
    #[error("the snapshot cannot be restored: {reason}; the simulation is unchanged")]
    Snapshot {
        /// Reason.
        reason: &'static str,
    },
}

/// Allows a function to take `impl TryInto<TriMesh, Error: Into<Error>>`: a finished mesh, whose conversion
/// into itself cannot fail, as well as a generator, whose conversion can.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
