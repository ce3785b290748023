//! The engine's contracts, one file each, in one program: one compilation of the engine's generic code, and tests
//! that keep every core busy. A file that needs a process of its own stands beside this folder.

#[path = "../common/mod.rs"]
mod common;

mod adaptive;
mod architecture;
mod builder_errors;
mod compatibility;
mod conformance;
mod contact;
mod curvature;
mod dependencies;
mod determinism;
mod driven_bodies;
mod elements;
mod examples;
mod integrators;
mod projections;
mod rigid;
mod rigid_bodies;
mod settings;
mod snapshot;
mod state_recovery;
mod strain_limit;
mod tearing;
mod untangling;
mod vertex_stencils;
