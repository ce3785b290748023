//! The STL importer.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};

fuzz_target!(|data: &[u8]| import("fuzz.stl", data, &FilesBeside::new()));
