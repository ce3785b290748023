//! A scene with everything that was done to it, as a text that gives the same again; and as a state to go
//! on from.
//!
//! The text is a scene file with one more table, `share`: the meshes that the scene needs, and every
//! action with its step. Played again, it gives the same bits at every step, which the hash in it proves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::action::Entry;
use crate::changes::Changes;
use crate::solver::Settings;
use crate::source::Source;

/// The largest shared file \[bytes\].
const MOST_BYTES: usize = 64 << 20;

/// The table that makes a scene file a shared one.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Table {
    /// The version of this table.
    version: u32,
    /// What the scene is called.
    scene: String,
    /// The size of a built-in scene.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u32>,
    /// The last step that was taken.
    step: u64,
    /// The hash of the state after it.
    hash: String,
    /// Meshes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    file: Vec<File>,
    /// What was done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    action: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    name: String,
    base64: String,
}

#[derive(Debug, Serialize, Deserialize)]
struct Whole {
    share: Table,
}

/// What a text holds.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    /// The scene.
    pub source: Source,
    /// What was done.
    pub entries: Vec<Entry>,
    /// The last step that was taken, and the hash of the state after it.
    pub present: Option<(u64, u64)>,
}

/// Writes a scene, what was done to it, and where that led.
pub(crate) fn write(
    source: &Source,
    entries: &[Entry],
    present: (u64, u64),
) -> Result<String, String> {
    let file =
        |(name, bytes): (&String, &Vec<u8>)| File { name: name.clone(), base64: base64(bytes) };
    let share = Table {
        version: 1,
        scene: source.name.clone(),
        size: source.size,
        step: present.0,
        hash: format!("{:016x}", present.1),
        file: source.files.iter().map(file).collect(),
        action: entries.to_vec(),
    };
    let table = toml::to_string(&Whole { share }).map_err(|e| format!("cannot be shared: {e}"))?;
    let scene = scene_of(&source.text)?;
    let text = format!("{}\n\n{table}", scene.trim_end());
    if text.len() > MOST_BYTES {
        return Err(
            "what was done here is too much for one file; reset the scene and share it then".into(),
        );
    }
    Ok(text)
}

/// Reads a scene file, shared or not.
pub(crate) fn read(file: &str, text: &str) -> Result<Shared, String> {
    if text.len() > MOST_BYTES {
        return Err(format!("{file} is larger than {} MiB; it is no scene", MOST_BYTES >> 20));
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
        let source = Source { name, text: text.to_owned(), ..Source::default() };
        return Ok(Shared { source, ..Shared::default() });
    };
    let share: Table = share.try_into().map_err(words)?;
    if share.version != 1 {
        return Err(format!(
            "{file} was shared by another version of Pliant; open it with that one"
        ));
    }
    let mut files = BTreeMap::new();
    for File { name, base64 } in share.file {
        let Some(bytes) = unbase64(&base64) else {
            return Err(format!("{file}: the mesh \"{name}\" in it is damaged; share it again"));
        };
        files.insert(name, bytes);
    }
    let text = toml::to_string(&table).map_err(|e| format!("{file}: {e}"))?;
    let source = Source { name: share.scene, size: share.size, text, files, notes: Vec::new() };
    let present = u64::from_str_radix(&share.hash, 16).ok().map(|hash| (share.step, hash));
    Ok(Shared { source, entries: share.action, present })
}

/// A scene's text without a table of an earlier sharing.
fn scene_of(text: &str) -> Result<String, String> {
    let mut table: toml::Table = toml::from_str(text).map_err(|e| e.to_string())?;
    match table.remove("share") {
        None => Ok(text.to_owned()),
        Some(_) => toml::to_string(&table).map_err(|e| e.to_string()),
    }
}

/// The first bytes of a saved state; the last one is the version.
const MAGIC: &[u8; 8] = b"PLIANTS\x01";

/// A state and all that it belongs to.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Saved {
    /// The scene and what was done to it, as it is shared.
    pub share: String,
    /// The setup, as text.
    pub setup: String,
    /// The engine's snapshot.
    pub state: Vec<u8>,
    /// The hash of the state.
    pub hash: u64,
}

/// The setup of a saved state.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedSetup {
    /// Time step \[s\].
    pub time_step: f64,
    /// Vertices that the hand held.
    pub in_hand: Vec<u32>,
    /// Numbers of materials.
    pub values: BTreeMap<String, f64>,
    /// The solver.
    pub solver: Settings,
    /// Pins, balls and the rest.
    pub changes: Changes,
}

impl Saved {
    /// As bytes.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(crate::protocol::encode(self));
        bytes
    }

    /// Of bytes, where they are a saved state.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let no =
            || "this is no state saved by this version, or it is damaged; save it again".to_owned();
        let rest = bytes.strip_prefix(MAGIC.as_slice()).ok_or_else(no)?;
        crate::protocol::decode(rest).map_err(|_| no())
    }
}

impl SavedSetup {
    /// As text.
    pub fn write(&self) -> Result<String, String> {
        toml::to_string(self).map_err(|e| format!("cannot be saved: {e}"))
    }

    /// Of text.
    pub fn read(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|e| format!("the saved state is damaged: {}", e.message()))
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as text, three in four characters (RFC 4648).
fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= three.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// The bytes of such a text.
fn unbase64(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    for four in text.as_bytes().chunks(4) {
        let mut word = 0;
        for &c in four {
            word = word << 6 | DIGITS.iter().position(|&d| d == c)? as u32;
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
