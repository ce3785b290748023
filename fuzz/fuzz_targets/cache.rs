//! Caches: any bytes, and then a sound cache of a hostile header (before the first zero byte) and any frame (after it),
//! which comes back as it was written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{scratch_file, split_at_zero};
use pliant_io::cache::{CacheHeader, CacheReader, CacheWriter};

/// Vertices of a frame that is written.
const MAX_VERTICES: usize = 4096;

fuzz_target!(|data: &[u8]| {
    let path = scratch_file("cache.plc");
    std::fs::write(&path, data).expect("a scratch file");
    if let Ok(mut reader) = CacheReader::open(&path) {
        for number in 0..reader.frames().min(4) {
            let _ = reader.frame(number);
        }
    }

    let (header, bytes) = split_at_zero(data);
    let Ok(header) = serde_json::from_slice::<CacheHeader>(header) else { return };
    let counts: Vec<usize> = header.shapes.iter().map(|shape| shape.vertices()).collect();
    let total = counts.iter().try_fold(0_usize, |sum, &n| sum.checked_add(n));
    if total.is_none_or(|total| total > MAX_VERTICES) {
        return;
    }
    let mut numbers = bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b));
    let mut point = || [0; 3].map(|_| numbers.next().unwrap_or(0.0));
    let bodies: Vec<Vec<[f32; 3]>> =
        counts.iter().map(|&n| (0..n).map(|_| point()).collect()).collect();
    let slices: Vec<&[[f32; 3]]> = bodies.iter().map(Vec::as_slice).collect();
    let mut writer = CacheWriter::create(&path, header.clone()).expect("a new cache");
    writer.frame(0.5, &slices).expect("a frame of all vertices");
    writer.sync().expect("a scratch file");

    let mut reader = CacheReader::open(&path).expect("a cache that was written");
    assert_eq!((reader.header(), reader.frames()), (&header, 1));
    let frame = reader.frame(0).expect("a frame that was written");
    for ((shape, body), found) in header.shapes.iter().zip(&bodies).zip(&frame.bodies) {
        let bits = |points: &[[f32; 3]]| -> Vec<u32> {
            points.as_flattened().iter().map(|c| c.to_bits()).collect()
        };
        assert!(shape.track().is_still() || bits(body) == bits(found));
    }
});
