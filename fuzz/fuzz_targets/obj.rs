//! The Wavefront OBJ importer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};
use pliant_io::import::Format;

fuzz_target!(|data: &[u8]| import("fuzz.obj", Format::Obj, data, &FilesBeside::new()));
