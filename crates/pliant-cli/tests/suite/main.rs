//! The contracts of the command, one file each, in one program. A file that needs a process of its own stands
//! beside this folder.

#[path = "../common/mod.rs"]
mod common;

mod cli;
mod gallery;
mod user_meshes;
mod viewer_window;
