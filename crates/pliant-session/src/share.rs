//! Shared scenes, which contain every action and reproduce a run; and saved states, from which a run
//! continues.
//!
//! The text of a shared scene is a scene file with one additional table, `share`: the meshes that the scene
//! needs, and every action with its step. A replay gives the same bits at every step, which the stored hash
//! verifies.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::action::TimelineEntry;
use crate::edits::SceneEdits;
use crate::solver::SolverSettings;
use crate::source::SceneSource;

/// Maximum size of a shared file \[bytes\].
const MAX_FILE_BYTES: usize = 64 << 20;

/// Table that turns a scene file into a shared scene.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct ShareTable {
    /// Version of this table.
    version: u32,
    /// Name of the scene.
    scene: String,
    /// Size of a built-in scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u32>,
    /// Last step taken.
    step: u64,
    /// Hash of the state after that step.
    hash: String,
    /// Meshes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    file: Vec<MeshFile>,
    /// Actions of the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    action: Vec<TimelineEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct MeshFile {
    name: String,
    base64: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct ShareDocument {
    share: ShareTable,
}

/// Contents of a shared scene.
#[derive(Debug, Default)]
pub(crate) struct SharedScene {
    /// The scene.
    pub source: SceneSource,
    /// Actions of the user.
    pub entries: Vec<TimelineEntry>,
    /// Last step taken, and the hash of the state after it.
    pub final_step_hash: Option<(u64, u64)>,
}

/// Writes a scene, its actions and the resulting hash.
pub(crate) fn write(
    source: &SceneSource,
    entries: &[TimelineEntry],
    present: (u64, u64),
) -> Result<String, String> {
    let file =
        |(name, bytes): (&String, &Vec<u8>)| MeshFile { name: name.clone(), base64: base64(bytes) };
    let share = ShareTable {
        version: 1,
        scene: source.name.clone(),
        size: source.size,
        step: present.0,
        hash: format!("{:016x}", present.1),
        file: source.files.iter().map(file).collect(),
        action: entries.to_vec(),
    };
    let table =
        toml::to_string(&ShareDocument { share }).map_err(|e| format!("cannot be shared: {e}"))?;
    let scene = without_share_table(&source.text)?;
    let text = format!("{}\n\n{table}", scene.trim_end());
    if text.len() > MAX_FILE_BYTES {
        return Err(
            "what was done here is too much for one file; reset the scene and share it then".into(),
        );
    }
    Ok(text)
}

/// Reads a scene file, shared or not.
pub(crate) fn read(file: &str, text: &str) -> Result<SharedScene, String> {
    if text.len() > MAX_FILE_BYTES {
        return Err(format!("{file} is larger than {} MiB; it is no scene", MAX_FILE_BYTES >> 20));
    }
    let words = |e: toml::de::Error| {
        let before = |s: std::ops::Range<usize>| text.bytes().take(s.start);
        let place = e.span().map(|s| before(s).filter(|&b| b == b'\n').count() + 1);
        let line = place.map_or_else(String::new, |line| format!(", line {line}"));
        format!("{file}{line}: {}; correct the text", e.message().trim())
    };
    let mut table: toml::Table = toml::from_str(text).map_err(words)?;
    let Some(share) = table.remove("share") else {
        let name = file.trim_end_matches(".toml").to_owned();
        let source = SceneSource { name, text: text.to_owned(), ..SceneSource::default() };
        return Ok(SharedScene { source, ..SharedScene::default() });
    };
    let share: ShareTable = share.try_into().map_err(words)?;
    if share.version != 1 {
        return Err(format!(
            "{file} was shared by another version of Pliant; open it with that one"
        ));
    }
    let mut files = BTreeMap::new();
    for MeshFile { name, base64 } in share.file {
        let Some(bytes) = unbase64(&base64) else {
            return Err(format!("{file}: the mesh \"{name}\" in it is damaged; share it again"));
        };
        files.insert(name, bytes);
    }
    let text = toml::to_string(&table).map_err(|e| format!("{file}: {e}"))?;
    let source =
        SceneSource { name: share.scene, size: share.size, text, files, notes: Vec::new() };
    let present = u64::from_str_radix(&share.hash, 16).ok().map(|hash| (share.step, hash));
    Ok(SharedScene { source, entries: share.action, final_step_hash: present })
}

/// Text of a scene without the table of an earlier share.
fn without_share_table(text: &str) -> Result<String, String> {
    let mut table: toml::Table = toml::from_str(text).map_err(|e| e.to_string())?;
    match table.remove("share") {
        None => Ok(text.to_owned()),
        Some(_) => toml::to_string(&table).map_err(|e| e.to_string()),
    }
}

/// First bytes of a saved state; the last byte is the version.
const MAGIC: &[u8; 8] = b"PLIANTS\x01";

/// A saved state with its scene.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedState {
    /// The scene and its actions, as a shared scene.
    pub share: String,
    /// The edited scene, as text.
    pub setup: String,
    /// The engine's snapshot.
    pub state: Vec<u8>,
    /// Hash of the state.
    pub hash: u64,
}

/// The edited scene of a saved state.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedScene {
    /// Time step \[s\].
    pub time_step: f64,
    /// Vertices pinned by a grab.
    #[serde(rename = "in_hand")]
    pub grabbed_vertices: Vec<u32>,
    /// Changed material parameters.
    #[serde(rename = "values")]
    pub material_values: BTreeMap<String, f64>,
    /// The solver.
    pub solver: SolverSettings,
    /// Pins, balls and the other edits.
    #[serde(rename = "changes")]
    pub edits: SceneEdits,
}

impl SavedState {
    /// Serialises the state.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(crate::protocol::encode(self));
        bytes
    }

    /// Reads a saved state.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let no =
            || "this is no state saved by this version, or it is damaged; save it again".to_owned();
        let rest = bytes.strip_prefix(MAGIC.as_slice()).ok_or_else(no)?;
        crate::protocol::decode(rest).map_err(|_| no())
    }
}

impl SavedScene {
    /// Serialises the scene as text.
    pub fn write(&self) -> Result<String, String> {
        toml::to_string(self).map_err(|e| format!("cannot be saved: {e}"))
    }

    /// Reads the scene from text.
    pub fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|e| format!("the saved state is damaged: {}", e.message()))
    }
}

const BASE64_ALPHABET: &[u8; 64] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 encoding (RFC 4648): three bytes in four characters.
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for k in 0..4 {
            let digit = BASE64_ALPHABET[(word >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= three.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// Base64 decoding; none if the text is invalid.
fn unbase64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for four in text.as_bytes().chunks(4) {
        let mut word = 0;
        for &c in four {
            word = word << 6 | BASE64_ALPHABET.iter().position(|&d| d == c)? as u32;
        }
        let count = four.len() * 6 / 8;
        if count == 0 {
            return None;
        }
        word <<= 24 - 6 * four.len();
        bytes.extend((0..count).map(|k| (word >> (16 - 8 * k)) as u8));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_their_text() {
        for length in 0..70 {
            let bytes: Vec<u8> = (0..length).map(|i| (i * 37 + length) as u8).collect();
            assert_eq!(unbase64(&base64(&bytes)), Some(bytes));
        }
        assert_eq!(base64(b"Man"), "TWFu");
        assert_eq!(base64(b"M"), "TQ==");
        assert_eq!(unbase64("T"), None);
        assert_eq!(unbase64("T?=="), None);
    }
}
