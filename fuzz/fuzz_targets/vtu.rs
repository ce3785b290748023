//! The importer of VTK XML files.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};
use pliant_io::import::Format;

fuzz_target!(|data: &[u8]| import("fuzz.vtu", Format::Vtu, data, &FilesBeside::new()));
