//! The TetGen importer: the vertices up to the first zero byte, the tetrahedra after it. Both are entry points.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{FilesBeside, import, split_at_zero};

fuzz_target!(|data: &[u8]| {
    let (node, ele) = split_at_zero(data);
    let beside = FilesBeside::from([
        ("fuzz.node".to_owned(), node.to_vec()),
        ("fuzz.ele".to_owned(), ele.to_vec()),
    ]);
    import("fuzz.node", node, &beside);
    import("fuzz.ele", ele, &beside);
});
