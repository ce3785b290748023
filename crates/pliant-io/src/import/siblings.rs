//! The other files of a file: glTF's buffers, TetGen's pair of `.node` and `.ele`.
//!
//! A file must not make a program read what its user did not mean: a reference is a relative path
//! that stays in the folder of the file that holds it. `..`, absolute paths, drives, addresses and
//! symbolic links that lead out are refused before anything is opened.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::{Problem, shown};

/// Gives the files that a file refers to.
pub trait Siblings {
    /// The content of the file that `reference` names, which may have at most `most` bytes.
    fn read(&self, reference: &str, most: u64) -> Result<Vec<u8>, Problem>;
}

/// There are no other files.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Siblings for Alone {
    fn read(&self, reference: &str, _: u64) -> Result<Vec<u8>, Problem> {
        let path = confined(reference)?;
        Err(Problem::Missing { reference: path, reason: "no other files were given".to_owned() })
    }
}

/// Files in memory by their relative path, such as those dropped onto a page of a browser.
impl Siblings for BTreeMap<String, Vec<u8>> {
    fn read(&self, reference: &str, most: u64) -> Result<Vec<u8>, Problem> {
        let path = confined(reference)?;
        match self.get(&path) {
            Some(bytes) => {
                within(bytes.len() as u64, most)?;
                Ok(bytes.clone())
            }
            None => Err(Problem::Missing { reference: path, reason: "it was not given".into() }),
        }
    }
}

/// The files of a folder and its subfolders on disk.
#[derive(Debug, Clone)]
pub struct Folder(pub PathBuf);

impl Siblings for Folder {
    fn read(&self, reference: &str, most: u64) -> Result<Vec<u8>, Problem> {
        let path = confined(reference)?;
        let missing =
            |e: std::io::Error| Problem::Missing { reference: path.clone(), reason: e.to_string() };
        // What a symbolic link leads to is known only after it was followed.
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

/// The content of a regular file of at most `most` bytes.
pub(super) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, Problem> {
    let unreadable = |e: std::io::Error| Problem::Unreadable { reason: e.to_string() };
    let about = std::fs::metadata(path).map_err(unreadable)?;
    // A pipe or a device would block or never end.
    if !about.is_file() {
        return Err(Problem::Unreadable { reason: "it is not a regular file".to_owned() });
    }
    within(about.len(), most)?;
    std::fs::read(path).map_err(unreadable)
}

fn within(found: u64, most: u64) -> Result<(), Problem> {
    if found > most { Err(Problem::TooLarge { what: "bytes", found, most }) } else { Ok(()) }
}

/// The relative path that a reference stands for, if it stays below where it starts.
fn confined(reference: &str) -> Result<String, Problem> {
    let outside = || Problem::Outside { reference: shown(reference.as_bytes()) };
    let path = percent_decoded(reference).ok_or_else(outside)?;
    // A colon is a drive or an address, a backslash a separator on some systems only.
    let plain = !path.is_empty() && !path.contains([':', '\\', '\0']) && !path.starts_with('/');
    let inner = path.split('/').all(|part| part != ".." && !part.is_empty());
    if plain && inner { Ok(path) } else { Err(outside()) }
}

/// Replaces `%20` and its like, as addresses in glTF write them.
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
        assert_eq!(confined("a.bin").as_deref(), Ok("a.bin"));
        assert_eq!(confined("sub/a%20b.bin").as_deref(), Ok("sub/a b.bin"));
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
            assert!(matches!(confined(bad), Err(Problem::Outside { .. })), "{bad}");
        }
    }

    #[test]
    fn files_in_memory_are_found_by_name_and_limited() {
        let files = BTreeMap::from([("a b.bin".to_owned(), vec![1, 2, 3])]);
        assert_eq!(files.read("a%20b.bin", 3), Ok(vec![1, 2, 3]));
        assert!(matches!(files.read("a b.bin", 2), Err(Problem::TooLarge { .. })));
        assert!(matches!(files.read("b.bin", 2), Err(Problem::Missing { .. })));
        assert!(matches!(Alone.read("b.bin", 2), Err(Problem::Missing { .. })));
    }
}
