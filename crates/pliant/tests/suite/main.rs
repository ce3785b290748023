//! The engine's contracts, one file each, in one program: one compilation of the engine's generic code, and tests
//! that keep every core busy. A file that needs a process of its own stands beside this folder.

#[path = "../common/mod.rs"]
mod common;

mod architecture;
mod builder_errors;
mod conformance;
mod contact;
mod corners;
mod determinism;
mod elements;
mod examples;
mod integrators;
mod led;
mod projections;
mod quarantine;
mod rigid;
mod rigid_bodies;
mod snapshot;
mod strain_limit;
mod support;
mod tearing;
mod untangling;
