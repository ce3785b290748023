//! The Gmsh importer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};
use pliant_io::import::Format;

fuzz_target!(|data: &[u8]| import("fuzz.msh", Format::Msh, data, &FilesBeside::new()));
