//! Atomic file replacement: a file is either complete or absent, even after a power failure.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `parts` in order to a temporary file, which then replaces `path` atomically.
pub(crate) fn write_atomically(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let beside = temp_path(path);
    let result = (|| {
        let mut file = File::create(&beside)?;
        for part in parts {
            file.write_all(part)?;
        }
        file.sync_all()?;
        std::fs::rename(&beside, path)?;
        sync_parent_dir(path)
    })();
    if result.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    result
}

/// Flushes the directory entries of the folder that contains `path`.
pub(crate) fn sync_parent_dir(path: &Path) -> io::Result<()> {
    // Other platforms cannot open a folder, and make renames durable by themselves.
    if cfg!(unix) {
        let folder = path.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// A temporary name in the same folder that no finished file uses.
fn temp_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    path.with_file_name(name)
}

/// FNV-1a hash over bytes, which detects truncated and damaged data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checksum(pub u64);

impl Checksum {
    pub fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub fn add(mut self, bytes: &[u8]) -> Self {
        // Processes eight bytes at a time: a frame of a million vertices is 12 MB.
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
            self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(29);
        }
        for &byte in words.remainder() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self
    }
}
