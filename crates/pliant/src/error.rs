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
    #[error("{name} {element} names vertex {vertex} twice; give it different vertices")]
    ElementRepeatedIndex {
        /// Type of the element.
        name: &'static str,
        /// Index of the element among those of its type.
        element: usize,
        /// Repeated vertex.
        vertex: u32,
    },
    /// An element's weight is negative, infinite or not a number.
    #[error("{name} {element} has the weight {weight}; give it a finite weight of zero or more")]
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
        "{body}: give a radius and a friction that are finite and not negative, and a restitution \
         between zero and one"
    )]
    ContactMaterial {
        /// Name of the body.
        body: String,
    },
    /// A surface that should enclose a volume has a boundary.
    #[error(
        "the surface of {name} is open at the edge from vertex {} to vertex {}; close it there, or \
         leave the pressure out", .edge[0], .edge[1]
    )]
    OpenSurface {
        /// Name of the body.
        name: String,
        /// Vertices of a boundary edge, in the surface's own numbering.
        edge: [u32; 2],
    },
    /// A surface that should enclose a volume does not, or faces inwards.
    #[error(
        "the surface of {name} encloses {volume:.3e} m³; give it triangles that face outwards (turn them \
         with `TriMesh::flipped`)"
    )]
    NoEnclosedVolume {
        /// Name of the body.
        name: String,
        /// Signed volume \[m³\].
        volume: f64,
    },
    /// A body that cannot tear has no sheet of triangles to tear or cut.
    #[error(
        "{body} cannot tear: it is no cloth and no net with triangles; leave the tearing out (nets without \
         triangles can break, with TearMode::Break)"
    )]
    NotTearable {
        /// Name of the body.
        body: String,
    },
    /// A body in tear mode `TearMode::Break` has no edges with constraints of their own.
    #[error(
        "{body} has no edges that could break; make it of edges (Stretch::Edges) or springs, or let its \
         vertices split (TearMode::Split)"
    )]
    NoBreakableEdges {
        /// Name of the body.
        body: String,
    },
    /// Tearing with a consistent mass matrix, which couples vertices and cannot be split.
    #[error("tears and cuts need masses at the vertices alone; choose MassModel::Lumped")]
    TearingNeedsLumpedMass,
    /// A blade is invalid.
    #[error(
        "blade {index}: give it two different, finite ends and a motion with finite numbers, increasing \
         times and an axis that is not zero"
    )]
    Blade {
        /// Index of the blade.
        index: usize,
    },
    /// A body has tethers and none of its vertices is pinned.
    #[error(
        "{body} has tethers but none of its vertices is held; pin one, or leave the tethers out"
    )]
    NoPinnedVertex {
        /// Name of the body.
        body: String,
    },
    /// An element's rest data is infinite or not a number.
    #[error(
        "{name} {element} has rest data that is not finite (number {parameter}); \
         check the rest shape for zero lengths and NaN"
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
    #[error("the PBD stiffness of {name} is {k}; it must lie between 0 and 1")]
    PbdStiffness {
        /// Type of the element.
        name: &'static str,
        /// Stiffness.
        k: f64,
    },
    /// A rest shape has no length, area or volume.
    #[error("a {name} has the rest measure {measure:.3e}; remove it or move its vertices apart")]
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
        "the system matrix is not positive definite at row {row} (pivot {pivot:.3e}); \
         give every vertex a positive mass and every element a non-negative weight"
    )]
    NotPositiveDefinite {
        /// Row of the failing pivot: a vertex (or three times a vertex plus its axis).
        row: usize,
        /// Value of the pivot.
        pivot: f64,
    },
    /// A quantity of a material, a force or a setting is out of range.
    #[error("the {field} of the {name} is {value}: {remedy}")]
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
    #[error("the {what} of vertex {vertex} is not finite; replace NaN and infinity")]
    VertexNotFinite {
        /// Kind of the quantity: position, velocity, force…
        what: &'static str,
        /// Vertex.
        vertex: usize,
    },
    /// A vertex without a positive mass.
    #[error(
        "vertex {vertex} has the mass {mass} kg; remove vertices that belong to nothing, \
         and give every body a positive density"
    )]
    NonPositiveMass {
        /// Vertex.
        vertex: usize,
        /// Mass of the vertex \[kg\].
        mass: f64,
    },
    /// A pin or force refers to a vertex that the model does not have.
    #[error(
        "{what} names vertex {vertex}, but the model has {points} vertices; \
         use a vertex of one of its bodies"
    )]
    NoSuchVertex {
        /// Item that refers to it.
        what: &'static str,
        /// Vertex.
        vertex: usize,
        /// Number of vertices.
        points: usize,
    },
    /// A corner of a body was requested that its mesh does not have.
    #[error("a {what} names a corner that its body does not have; use a vertex index instead")]
    NoSuchCorner {
        /// Item that refers to it.
        what: &'static str,
    },
    /// A model without vertices.
    #[error("the model has no vertices; add a cloth, a solid, a strand or springs")]
    EmptyModel,
    /// The motion of a pinned vertex has no points, times that do not increase, or numbers that are not finite.
    #[error(
        "the motion of pinned vertex {vertex} is not usable; \
         give finite numbers, increasing times and an axis that is not zero"
    )]
    InvalidMotion {
        /// Vertex.
        vertex: usize,
    },
    /// A time step that is not positive and finite.
    #[error("the time step is {value} s; give a positive, finite step such as 1/60")]
    TimeStep {
        /// Time step \[s\].
        value: f64,
    },
    /// A solver does not support an element or a setting of the model.
    #[error("the solver {solver} cannot run {what}: {remedy}")]
    Unsupported {
        /// Name of the solver.
        solver: &'static str,
        /// Element or setting.
        what: &'static str,
        /// Remedy.
        remedy: &'static str,
    },
    /// No solver has that name.
    #[error("there is no solver named {name:?}; choose one of {known}")]
    UnknownSolver {
        /// Requested name.
        name: String,
        /// Known names.
        known: String,
    },
    /// A joint refers to a rigid body that does not exist.
    #[error("{what} names body {body}, but there are {bodies}; use a number that `body` returned")]
    NoSuchBody {
        /// Item that refers to it.
        what: &'static str,
        /// Index of the body.
        body: usize,
        /// Number of bodies.
        bodies: usize,
    },
    /// A joint between the world and the world.
    #[error("a joint names no body; give it at least one, and the world as `None`")]
    JointWithoutBody,
    /// A snapshot cannot be restored.
    #[error("the snapshot was not restored: {reason}; the simulation is unchanged")]
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
