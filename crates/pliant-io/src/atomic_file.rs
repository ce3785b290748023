//! Atomic file replacement: a file is either complete or absent, even after a power failure.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes `parts` in order to a temporary file, which then replaces `path` atomically.
pub(crate) fn write_atomically(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let temp = temp_path(path);
    let result = (|| {
        let mut file = File::create(&temp)?;
        for part in parts {
            file.write_all(part)?;
        }
        file.sync_all()?;
        std::fs::rename(&temp, path)?;
        sync_parent_dir(path)
    })();
    if result.is_err() {
        let _ = std::fs::remove_file(&temp);
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
