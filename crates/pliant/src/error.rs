//! Every way in which a model, a mesh or a solver can be refused, with the offender named and a
//! remedy.

use std::convert::Infallible;

use thiserror::Error;

use crate::mesh::MeshError;

/// Why something was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A description of a scene is wrong.
    #[error("{problem}")]
    Scene {
        /// What is wrong, and what to do.
        problem: String,
    },
    /// An element names a vertex that the model does not have.
    #[error(
        "{name} {element} refers to vertex {vertex}, but the model has {points} vertices \
         (0 to {last}); use an index below {points}", last = .points.saturating_sub(1)
    )]
    ElementIndex {
        /// The element's type.
        name: &'static str,
        /// Which element of that type.
        element: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        points: usize,
    },
    /// An element names the same vertex twice.
    #[error("{name} {element} names vertex {vertex} twice; give it different vertices")]
    ElementRepeatedIndex {
        /// The element's type.
        name: &'static str,
        /// Which element of that type.
        element: usize,
        /// The vertex it repeats.
        vertex: u32,
    },
    /// An element's weight is negative, infinite or not a number.
    #[error("{name} {element} has the weight {weight}; give it a finite weight of zero or more")]
    ElementWeight {
        /// The element's type.
        name: &'static str,
        /// Which element of that type.
        element: usize,
        /// The weight.
        weight: f64,
    },
    /// A collider is wrong.
    #[error("collider {index} ({name}): {problem}")]
    Collider {
        /// Which one.
        index: usize,
        /// Its name.
        name: String,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A frame of an animated body is wrong.
    #[error("key frame {frame}: {problem}")]
    KeyFrame {
        /// Which one.
        frame: usize,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A body cannot touch like this.
    #[error(
        "{body}: give a radius and a friction that are finite and not negative, and a restitution \
         between zero and one"
    )]
    Touch {
        /// The body's name.
        body: String,
    },
    /// A surface that should enclose a volume has an edge.
    #[error(
        "the surface of {name} is open at the edge from vertex {} to vertex {}; close it there, or \
         leave the pressure out", .edge[0], .edge[1]
    )]
    OpenSurface {
        /// Whose surface.
        name: String,
        /// The vertices of a triangle's side that no other triangle meets, by the surface's own numbers.
        edge: [u32; 2],
    },
    /// A surface that should enclose a volume does not, or faces inwards.
    #[error(
        "the surface of {name} encloses {volume:.3e} m³; give it triangles that face outwards (turn them \
         with `TriMesh::flipped`)"
    )]
    NoInside {
        /// Whose surface.
        name: String,
        /// The signed volume \[m³\].
        volume: f64,
    },
    /// A body that has no sheet of triangles to tear or cut.
    #[error(
        "{body} cannot tear: it is no cloth and no net with triangles; leave the tearing out (nets without \
         triangles can break, with TearMode::Break)"
    )]
    NoSheet {
        /// The body's name.
        body: String,
    },
    /// A body whose edges should break has none with constraints of their own.
    #[error(
        "{body} has no edges that could break; make it of edges (Stretch::Edges) or springs, or let its \
         vertices split (TearMode::Split)"
    )]
    NothingToBreak {
        /// The body's name.
        body: String,
    },
    /// A consistent mass matrix couples vertices, and tears take no part of it.
    #[error("tears and cuts need masses at the vertices alone; choose MassModel::Lumped")]
    TornMassMatrix,
    /// A blade is wrong.
    #[error(
        "blade {index}: give it two different, finite ends and a motion with finite numbers, increasing \
         times and an axis that is not zero"
    )]
    Blade {
        /// Which one.
        index: usize,
    },
    /// A body has tethers and none of its vertices is held.
    #[error(
        "{body} has tethers but none of its vertices is held; pin one, or leave the tethers out"
    )]
    NothingHeld {
        /// The body's name.
        body: String,
    },
    /// An element's rest data is infinite or not a number.
    #[error(
        "{name} {element} has rest data that is not finite (number {parameter}); \
         check the rest shape for zero lengths and NaN"
    )]
    ElementRestData {
        /// The element's type.
        name: &'static str,
        /// Which element of that type.
        element: usize,
        /// Which of its numbers.
        parameter: usize,
    },
    /// PBD's stiffness lies outside 0…1.
    #[error("the PBD stiffness of {name} is {k}; it must lie between 0 and 1")]
    PbdStiffness {
        /// The element's type.
        name: &'static str,
        /// The stiffness.
        k: f64,
    },
    /// A rest shape has no length, area or volume.
    #[error("a {name} has the rest measure {measure:.3e}; remove it or move its vertices apart")]
    DegenerateRest {
        /// What kind of shape.
        name: &'static str,
        /// Its length \[m\], area \[m²\] or volume \[m³\].
        measure: f64,
    },
    /// The mesh cannot be simulated, or a generator was asked for an impossible one.
    #[error(transparent)]
    Mesh(#[from] MeshError),

    /// The matrix of the global step is not positive definite.
    #[error(
        "the system matrix is not positive definite at row {row} (pivot {pivot:.3e}); \
         give every vertex a positive mass and every element a non-negative weight"
    )]
    NotPositiveDefinite {
        /// The row of the failing pivot: a vertex (or three times a vertex plus its axis).
        row: usize,
        /// The value of the pivot.
        pivot: f64,
    },
    /// A quantity of a material, a force or a setting makes no sense.
    #[error("the {field} of the {name} is {value}: {remedy}")]
    Quantity {
        /// What it belongs to.
        name: &'static str,
        /// Which quantity.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What to do.
        remedy: &'static str,
    },
    /// A position, velocity or force of a vertex is infinite or not a number.
    #[error("the {what} of vertex {vertex} is not finite; replace NaN and infinity")]
    VertexNotFinite {
        /// Position, velocity, force…
        what: &'static str,
        /// The vertex.
        vertex: usize,
    },
    /// A vertex without a positive mass.
    #[error(
        "vertex {vertex} has the mass {mass} kg; remove vertices that belong to nothing, \
         and give every body a positive density"
    )]
    Mass {
        /// The vertex.
        vertex: usize,
        /// Its mass \[kg\].
        mass: f64,
    },
    /// A pin or force names a vertex that the model does not have.
    #[error(
        "{what} names vertex {vertex}, but the model has {points} vertices; \
         use a vertex of one of its bodies"
    )]
    NoSuchVertex {
        /// What named it.
        what: &'static str,
        /// The vertex.
        vertex: usize,
        /// How many there are.
        points: usize,
    },
    /// A body was asked for a corner that its mesh does not have.
    #[error("a {what} names a corner that its body does not have; use a vertex index instead")]
    NoSuchCorner {
        /// What named it.
        what: &'static str,
    },
    /// A model without vertices.
    #[error("the model has no vertices; add a cloth, a solid, a strand or springs")]
    EmptyModel,
    /// A pinned vertex's path has no points, times that do not increase, or numbers not finite.
    #[error(
        "the motion of pinned vertex {vertex} is not usable; \
         give finite numbers, increasing times and an axis that is not zero"
    )]
    BadMotion {
        /// The vertex.
        vertex: usize,
    },
    /// A time step that is not positive and finite.
    #[error("the time step is {value} s; give a positive, finite step such as 1/60")]
    TimeStep {
        /// The step \[s\].
        value: f64,
    },
    /// A solver cannot honour what the model holds.
    #[error("the solver {solver} cannot run {what}: {remedy}")]
    Unsupported {
        /// The solver.
        solver: &'static str,
        /// An element or a setting.
        what: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// No solver has that name.
    #[error("there is no solver named {name:?}; choose one of {known}")]
    UnknownSolver {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A joint names a rigid body that is not there.
    #[error("{what} names body {body}, but there are {bodies}; use a number that `body` returned")]
    NoSuchBody {
        /// What named it.
        what: &'static str,
        /// The body.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// A joint between the world and the world.
    #[error("a joint names no body; give it at least one, and the world as `None`")]
    JointOfNothing,
    /// A snapshot cannot be restored.
    #[error("the snapshot was not restored: {reason}; the simulation is unchanged")]
    Snapshot {
        /// Why.
        reason: &'static str,
    },
}

/// Lets a function take `impl TryInto<TriMesh, Error: Into<Error>>`: a finished mesh, whose
/// conversion into itself cannot fail, as well as a generator, whose conversion can.
impl From<Infallible> for Error {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
