//! Triangle and tetrahedral meshes: what a body looks like before it has a material.
//!
//! | question | file |
//! |---|---|
//! | what is a mesh? | [`tri`], [`tet`], [`strand`], [`springs`] |
//! | is it sound? | [`check`] (the refusals), [`report`] (the inspection) |
//! | who touches whom? | [`topology`], [`components`] |
//! | how long, large, heavy, curved? | [`measure`]; along the mesh: [`geodesic`] |
//! | give me one | [`grid`], [`cylinder`], [`icosphere`], [`torus`], [`block`], [`ball`], [`tet_torus`], [`strand`], [`curtain`] |
//!
//! Everything is in double precision and SI units. Results depend only on the input: lists are
//! sorted, never collected from hash maps, and random numbers come from a seed.

pub mod ball;
pub mod block;
mod cells;
pub mod check;
pub mod components;
pub mod curtain;
pub mod cylinder;
pub mod geodesic;
pub mod grid;
pub mod hull;
pub mod icosphere;
pub mod measure;
mod random;
pub mod report;
pub mod springs;
pub mod strand;
pub mod tet;
pub mod tet_torus;
pub mod topology;
pub mod torus;
pub mod tri;

pub use ball::TetBall;
pub use block::{Bar, TetBlock};
pub use check::{Cell, MeshError};
pub use curtain::Curtain;
pub use cylinder::Cylinder;
pub use grid::{Grid, Pattern};
pub use icosphere::Icosphere;
pub use report::MeshReport;
pub use springs::{SpringKind, SpringNetwork};
pub use strand::{Strand, StrandMesh};
pub use tet::TetMesh;
pub use tet_torus::{Section, TetTorus};
pub use torus::Torus;
pub use tri::TriMesh;
