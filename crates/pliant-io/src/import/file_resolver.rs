//! Files that another file refers to: glTF's buffers, TetGen's pair of `.node` and `.ele`.
//!
//! A mesh file must not make a program read files that its user did not intend. So a reference must be a
//! relative path inside the folder of the file that contains it. `..`, absolute paths, drives, URLs and
//! symbolic links that leave the folder are rejected before any file is opened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::{Problem, excerpt};

/// Source of referenced files.
pub trait FileResolver {
    /// Reads the file that `reference` names, of at most `most` bytes.
    fn read(&self, reference: &str, most: u64) -> Result<Vec<u8>, Problem>;
}

/// Resolver without any files.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl FileResolver for NoFiles {
    fn read(&self, reference: &str, _: u64) -> Result<Vec<u8>, Problem> {
        let path = confined_path(reference)?;
        Err(Problem::Missing {
            reference: path,
            reason: "no referenced files are available".to_owned(),
        })
    }
}

/// Files in memory by their relative path, such as those dropped onto a web page.
impl FileResolver for BTreeMap<String, Vec<u8>> {
    fn read(&self, reference: &str, most: u64) -> Result<Vec<u8>, Problem> {
        let path = confined_path(reference)?;
        match self.get(&path) {
            Some(bytes) => {
                check_size(bytes.len() as u64, most)?;
                Ok(bytes.clone())
            }
            None => Err(Problem::Missing { reference: path, reason: "it is not available".into() }),
        }
    }
}

/// Files of a folder on disk and its subfolders.
#[derive(Debug, Clone)]
pub struct Folder(pub PathBuf);

impl FileResolver for Folder {
    fn read(&self, reference: &str, most: u64) -> Result<Vec<u8>, Problem> {
        let path = confined_path(reference)?;
        let missing =
            |e: std::io::Error| Problem::Missing { reference: path.clone(), reason: e.to_string() };
        // The target of a symbolic link is known only after the link is followed.
        let folder = self.0.canonicalize().map_err(missing)?;
        let target = folder.join(&path).canonicalize().map_err(missing)?;
        if !target.starts_with(&folder) {
            return Err(Problem::Outside { reference: path });
        }
        read_file(&target, most).map_err(|problem| match problem {
            Problem::Unreadable { reason } => Problem::Missing { reference: path, reason },
            other => other,
        })
    }
}

/// Reads a regular file of at most `most` bytes.
pub(super) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, Problem> {
    let unreadable = |e: std::io::Error| Problem::Unreadable { reason: e.to_string() };
    let about = std::fs::metadata(path).map_err(unreadable)?;
    // A pipe or a device could block or never end.
    if !about.is_file() {
        return Err(Problem::Unreadable { reason: "not a regular file".to_owned() });
    }
    check_size(about.len(), most)?;
    std::fs::read(path).map_err(unreadable)
}

fn check_size(found: u64, most: u64) -> Result<(), Problem> {
    if found > most { Err(Problem::TooLarge { what: "bytes", found, most }) } else { Ok(()) }
}

/// Decodes a reference into a relative path; fails if it leaves its starting folder.
fn confined_path(reference: &str) -> Result<String, Problem> {
    let outside = || Problem::Outside { reference: excerpt(reference.as_bytes()) };
    let path = percent_decoded(reference).ok_or_else(outside)?;
    // A colon denotes a drive or a URL; a backslash is a separator on some systems only.
    let plain = !path.is_empty() && !path.contains([':', '\\', '\0']) && !path.starts_with('/');
    let inner = path.split('/').all(|part| part != ".." && !part.is_empty());
    if plain && inner { Ok(path) } else { Err(outside()) }
}

/// Decodes `%20` and other percent escapes of glTF's URIs.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_stay_in_the_folder() {
        assert_eq!(confined_path("a.bin").as_deref(), Ok("a.bin"));
        assert_eq!(confined_path("sub/a%20b.bin").as_deref(), Ok("sub/a b.bin"));
        for bad in [
            "",
            "/etc/passwd",
            "../a",
            "a/../../b",
            "..",
            "%2e%2e/a",
            "a%2F..%2f..%2fb",
            "C:/a",
            "C:\\a",
            "..\\a",
            "file:///etc/passwd",
            "http://host/a",
            "//host/a",
            "a//b",
            "%",
            "%zz",
            "a%00",
            "%ff",
        ] {
            assert!(matches!(confined_path(bad), Err(Problem::Outside { .. })), "{bad}");
        }
    }

    #[test]
    fn files_in_memory_are_found_by_name_and_limited() {
        let files = BTreeMap::from([("a b.bin".to_owned(), vec![1, 2, 3])]);
        assert_eq!(files.read("a%20b.bin", 3), Ok(vec![1, 2, 3]));
        assert!(matches!(files.read("a b.bin", 2), Err(Problem::TooLarge { .. })));
        assert!(matches!(files.read("b.bin", 2), Err(Problem::Missing { .. })));
        assert!(matches!(NoFiles.read("b.bin", 2), Err(Problem::Missing { .. })));
    }
}
