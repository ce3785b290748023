//! The importer of Object File Format files.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};

fuzz_target!(|data: &[u8]| import("fuzz.off", data, &FilesBeside::new()));
