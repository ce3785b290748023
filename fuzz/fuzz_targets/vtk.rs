//! The importer of VTK legacy files.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};

fuzz_target!(|data: &[u8]| import("fuzz.vtk", data, &FilesBeside::new()));
