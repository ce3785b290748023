//! The glTF importer: JSON with a buffer beside it, or one binary file.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import};

fuzz_target!(|data: &[u8]| {
    let points = [0.0_f32, 0.0, 0.0, 1.5, 0.0, 0.25, 0.0, 2.0, -0.5, 0.125, 0.0, 3.0];
    let indices = [0_u16, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
    let mut buffer: Vec<u8> = points.iter().flat_map(|x| x.to_le_bytes()).collect();
    buffer.extend(indices.iter().flat_map(|v| v.to_le_bytes()));
    let beside = FilesBeside::from([("mesh data.bin".to_owned(), buffer)]);
    import("fuzz.gltf", data, &beside);
});
