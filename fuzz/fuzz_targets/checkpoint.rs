//! Checkpoints: any bytes, and then a sound checkpoint of a hostile identity (before the first zero byte) and any snapshot
//! (after it), which comes back as it was saved.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::{scratch_file, split_at_zero};
use pliant_io::checkpoint::{Checkpoint, RunIdentity};

fuzz_target!(|data: &[u8]| {
    let path = scratch_file("checkpoint");
    std::fs::write(&path, data).expect("a scratch file");
    let _ = Checkpoint::load(&path);

    let (identity, snapshot) = split_at_zero(data);
    let Ok(identity) = serde_json::from_slice::<RunIdentity>(identity) else { return };
    let frames = snapshot.len() as u64;
    let saved = Checkpoint { identity, frames, snapshot: snapshot.to_vec() };
    saved.save(&path).expect("a scratch file");
    let loaded = Checkpoint::load(&path).expect("a checkpoint that was saved");
    assert_eq!(loaded.as_ref(), Some(&saved));
    assert!(saved.check(&path, &saved.identity).is_ok());
});
