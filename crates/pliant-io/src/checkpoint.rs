//! Checkpoints: points from which a run continues bit for bit as if it had not been interrupted.
//!
//! ```text
//! "PLIANTK2" | length, JSON: identity of the run | length, snapshot | checksum
//! ```
//!
//! A checkpoint replaces its predecessor atomically: if the process is killed at any time, one complete
//! checkpoint exists.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::atomic_file;
use crate::checksum::checksum;

const MAGIC: &[u8; 8] = b"PLIANTK2";

/// Identity of a run. A run resumes only from its own checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunIdentity {
    /// Hash of the scene description and of the model built from it.
    pub scene: u64,
    /// Solver with all its settings.
    pub solver: String,
    /// Floating-point precision, `f32` or `f64`.
    pub precision: String,
    /// Time between frames \[s\], as the bits of an `f64`.
    pub time_step: u64,
}

/// A point from which a run can resume.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Identity of the run.
    pub identity: RunIdentity,
    /// Number of simulated frames.
    pub frames: u64,
    /// Snapshot of the simulation.
    pub snapshot: Vec<u8>,
}

/// Error while saving, loading or checking a checkpoint.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// The operating system returned an error.
    #[error("{}: {error}; check the folder, the permissions and the free disk space", path.display())]
    Io {
        /// Path of the checkpoint.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The file is not a checkpoint, or is damaged.
    #[error("{}: is not a complete checkpoint; remove it to start from the first frame", path.display())]
    Damaged {
        /// Path of the checkpoint.
        path: PathBuf,
    },
    /// The checkpoint was saved by another version of Pliant.
    #[error(
        "{}: was saved by another version of Pliant; use that version, or remove it to start from \
         the first frame", path.display()
    )]
    Version {
        /// Path of the checkpoint.
        path: PathBuf,
    },
    /// The checkpoint belongs to another run.
    #[error(
        "{}: belongs to another run ({difference}); use the same scene and settings or another \
         folder", path.display()
    )]
    Another {
        /// Path of the checkpoint.
        path: PathBuf,
        /// Description of the difference.
        difference: String,
    },
}

#[derive(Serialize, Deserialize)]
struct CheckpointHeader {
    identity: RunIdentity,
    frames: u64,
}

impl Checkpoint {
    /// Saves the checkpoint and replaces an older one atomically.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        let fail = |error: io::Error| CheckpointError::Io { path: path.to_owned(), error };
        let head = CheckpointHeader { identity: self.identity.clone(), frames: self.frames };
        let head = serde_json::to_vec(&head).map_err(|e| fail(e.into()))?;
        let sum = checksum(&[&head, &self.snapshot]);
        let lengths = [head.len(), self.snapshot.len()].map(|n| (n as u64).to_le_bytes());
        let parts: [&[u8]; 6] = [MAGIC, &lengths[0], &head, &lengths[1], &self.snapshot, &sum];
        atomic_file::write_atomically(path, &parts).map_err(fail)
    }

    /// Loads a checkpoint; `None` if the file does not exist.
    pub fn load(path: &Path) -> Result<Option<Self>, CheckpointError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CheckpointError::Io { path: path.to_owned(), error }),
        };
        if bytes.starts_with(&MAGIC[..7]) && bytes.get(7).is_some_and(|v| *v != MAGIC[7]) {
            return Err(CheckpointError::Version { path: path.to_owned() });
        }
        Self::parse(&bytes).map(Some).ok_or(CheckpointError::Damaged { path: path.to_owned() })
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (head, rest) = split_length_prefixed(rest)?;
        let (snapshot, sum) = split_length_prefixed(rest)?;
        if checksum(&[head, snapshot]) != sum {
            return None;
        }
        let CheckpointHeader { identity, frames } = serde_json::from_slice(head).ok()?;
        Some(Self { identity, frames, snapshot: snapshot.to_vec() })
    }

    /// Returns an error if the checkpoint belongs to another run.
    pub fn check(&self, path: &Path, run: &RunIdentity) -> Result<(), CheckpointError> {
        let own = &self.identity;
        let mut differences = Vec::new();
        if own.scene != run.scene {
            differences.push("different scene".to_owned());
        }
        if own.solver != run.solver {
            differences.push(format!("solver {} instead of {}", own.solver, run.solver));
        }
        if own.precision != run.precision {
            differences.push(format!("{} instead of {}", own.precision, run.precision));
        }
        if own.time_step != run.time_step {
            differences.push("different time step".to_owned());
        }
        if differences.is_empty() {
            return Ok(());
        }
        let difference = differences.join(", ");
        Err(CheckpointError::Another { path: path.to_owned(), difference })
    }
}

/// Splits length-prefixed bytes from the bytes that follow them.
fn split_length_prefixed(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (count, rest) = bytes.split_first_chunk::<8>()?;
    let count = usize::try_from(u64::from_le_bytes(*count)).ok()?;
    rest.split_at_checked(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Checkpoint {
        let solver = "projective".to_owned();
        let identity = RunIdentity { scene: 7, solver, precision: "f32".to_owned(), time_step: 3 };
        Checkpoint { identity, frames: 12, snapshot: (0..200).collect() }
    }

    #[test]
    fn a_checkpoint_comes_back_and_a_damaged_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        assert!(Checkpoint::load(&path).unwrap().is_none());
        sample().save(&path).unwrap();
        assert_eq!(Checkpoint::load(&path).unwrap(), Some(sample()));
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            assert_eq!(Checkpoint::parse(&whole[..cut]), None, "cut at {cut}");
            let mut flipped = whole.clone();
            flipped[cut] ^= 1 << (cut % 8);
            assert_eq!(Checkpoint::parse(&flipped), None, "bit of byte {cut}");
        }
    }

    #[test]
    fn a_checkpoint_of_another_run_is_refused_with_the_difference() {
        let mut other = sample().identity;
        other.solver = "pbd".to_owned();
        let refused = sample().check(Path::new("x"), &other).unwrap_err();
        assert!(refused.to_string().contains("projective instead of pbd"), "{refused}");
        assert!(sample().check(Path::new("x"), &sample().identity).is_ok());
    }
}
