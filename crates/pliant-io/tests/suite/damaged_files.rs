//! Contract: a cache or a checkpoint with any byte changed is refused, and one of another version by a message that
//! says so.

use std::path::Path;

use pliant_io::cache::{CacheHeader, CacheReader, CacheWriter};
use pliant_io::checkpoint::{Checkpoint, RunIdentity};

const HEADER: &str =
    r#"{"fps":60.0,"shapes":[{"Strands":{"name":"rope","lengths":[2],"width":0.002}}]}"#;

fn write_cache(path: &Path) {
    let header: CacheHeader = serde_json::from_str(HEADER).unwrap();
    let mut writer = CacheWriter::create(path, header).unwrap();
    for frame in 0..2 {
        writer.frame(0.5 * f64::from(frame), &[&[[0.0; 3], [1.0, 2.0, frame as f32]]]).unwrap();
    }
    writer.sync().unwrap();
}

fn read_cache(path: &Path) -> Result<(), String> {
    let mut reader = CacheReader::open(path).map_err(|e| e.to_string())?;
    (0..reader.frames().max(2))
        .try_for_each(|k| reader.frame(k).map(drop))
        .map_err(|e| e.to_string())
}

fn read_checkpoint(path: &Path) -> Result<(), String> {
    Checkpoint::load(path).map(|found| assert!(found.is_some())).map_err(|e| e.to_string())
}

/// Changes every byte of a sound file in turn; the eighth is the version.
fn check(path: &Path, read: fn(&Path) -> Result<(), String>) {
    assert_eq!(read(path), Ok(()));
    let sound = std::fs::read(path).unwrap();
    for at in 0..sound.len() {
        let mut bytes = sound.clone();
        bytes[at] ^= 1;
        std::fs::write(path, bytes).unwrap();
        let error = read(path).expect_err("a byte was changed");
        assert_eq!(error.contains("another version of Pliant"), at == 7, "byte {at}: {error}");
    }
}

#[test]
fn a_changed_cache_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.plc");
    write_cache(&path);
    check(&path, read_cache);
}

#[test]
fn a_changed_checkpoint_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("checkpoint");
    let identity =
        RunIdentity { scene: 7, solver: "xpbd".into(), precision: "f32".into(), time_step: 3 };
    Checkpoint { identity, frames: 5, snapshot: (0..40).collect() }.save(&path).unwrap();
    check(&path, read_checkpoint);
}
