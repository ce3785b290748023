//! Triangle, tetrahedral, strand and spring meshes: geometry and connectivity without a material.
//!
//! | topic | modules |
//! |---|---|
//! | mesh types | [`tri`], [`tet`], [`strand`], [`springs`] |
//! | validation | [`validate`] (the errors), [`report`] (the inspection) |
//! | connectivity | [`topology`], [`components`] |
//! | lengths, areas, volumes, masses, curvature | [`measure`]; distances along the mesh: [`geodesic`] |
//! | generators of sheets and surfaces | [`grid`], [`cylinder`], [`icosphere`], [`torus`], [`hull`] |
//! | generators of solids | [`block`], [`ball`], [`tet_torus`] |
//! | generators of strands and nets | [`strand`], [`curtain`] |
//!
//! All quantities are in double precision and SI units. Results depend only on the input: lists are sorted, never
//! collected from hash maps, and random numbers come from a seed.

pub mod ball;
pub mod block;
mod cells;
pub mod components;
pub mod curtain;
pub mod cylinder;
pub mod geodesic;
pub mod grid;
pub mod hull;
pub mod icosphere;
pub mod measure;
pub mod report;
pub mod springs;
mod stencil;
pub mod strand;
pub mod tet;
pub mod tet_torus;
pub mod topology;
pub mod torus;
pub mod tri;
pub mod validate;

pub use crate::mesh::ball::TetBall;
pub use crate::mesh::block::{Bar, TetBlock};
pub use crate::mesh::curtain::Curtain;
pub use crate::mesh::cylinder::Cylinder;
pub use crate::mesh::grid::{Grid, Pattern};
pub use crate::mesh::icosphere::Icosphere;
pub use crate::mesh::report::MeshReport;
pub use crate::mesh::springs::{SpringKind, SpringNetwork};
pub use crate::mesh::stencil::{HasStencils, Stencil};
pub use crate::mesh::strand::{Strand, StrandMesh};
pub use crate::mesh::tet::TetMesh;
pub use crate::mesh::tet_torus::{Section, TetTorus};
pub use crate::mesh::torus::Torus;
pub use crate::mesh::tri::TriMesh;
pub use crate::mesh::validate::{Cell, MeshError};
