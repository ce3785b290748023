//! The importer of VTK XML files.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};

fuzz_target!(|data: &[u8]| import("fuzz.vtu", data, &FilesBeside::new()));
