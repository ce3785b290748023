//! The contracts of files, one module each, in one program. A file that needs a process of its own stands beside
//! this folder.

#[path = "../doc_table/mod.rs"]
mod doc_table;
#[path = "../export_sample/mod.rs"]
mod export_sample;
#[path = "../samples/mod.rs"]
mod samples;

mod animated;
mod appearance;
mod built_in_scenes;
mod colliders;
mod damaged_files;
mod export_errors;
mod export_files;
mod export_glb;
mod file_resolver;
mod formats;
mod import;
mod mutations;
mod repair;
mod shape_forms;
mod solids;
mod solver_settings;
mod tearing;
