//! The Gmsh importer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};

fuzz_target!(|data: &[u8]| import("fuzz.msh", data, &FilesBeside::new()));
