//! The PLY importer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};
use pliant_io::import::Format;

fuzz_target!(|data: &[u8]| import("fuzz.ply", Format::Ply, data, &FilesBeside::new()));
