//! The contracts of files, one module each, in one program. A file that needs a process of its own stands beside
//! this folder.

#[path = "../export_sample/mod.rs"]
mod export_sample;
#[path = "../samples/mod.rs"]
mod samples;

mod animated;
mod colliders;
mod export_errors;
mod export_files;
mod export_glb;
mod file_resolver;
mod import;
mod mutations;
mod repair;
mod solids;
mod tearing;
