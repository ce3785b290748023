//! The importer of VTK legacy files.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};
use pliant_io::import::Format;

fuzz_target!(|data: &[u8]| import("fuzz.vtk", Format::Vtk, data, &FilesBeside::new()));
