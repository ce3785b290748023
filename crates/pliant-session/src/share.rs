//! Shared scenes, which contain every action and reproduce a run; and saved states, from which a run
//! continues.
//!
//! The text of a shared scene is a scene file with one additional table, `share`: the meshes that the scene
//! needs, and every action with its step. A replay gives the same bits at every step, which the stored hash
//! verifies.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::{Deserialize, Serialize};

use crate::action::TimelineEntry;
use crate::edits::SceneEdits;
use crate::solver::SolverSettings;
use crate::source::{SceneContent, SceneSource};

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
    let file = |(name, bytes): (&String, &Vec<u8>)| MeshFile {
        name: name.clone(),
        base64: BASE64_STANDARD.encode(bytes),
    };
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
    let scene = without_share_table(&source.text()?)?;
    let text = format!("{}\n\n{table}", scene.trim_end());
    if text.len() > MAX_FILE_BYTES {
        return Err(
            "the scene and its recorded actions are too large for a shared file; reset the scene \
             before sharing"
                .into(),
        );
    }
    Ok(text)
}

/// Reads a scene file, shared or not.
pub(crate) fn read(file: &str, text: &str) -> Result<SharedScene, String> {
    if text.len() > MAX_FILE_BYTES {
        return Err(format!(
            "{file} is larger than {} MiB, the limit of scene files; use a smaller file",
            MAX_FILE_BYTES >> 20
        ));
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
        let content = SceneContent::Text(text.to_owned());
        let source = SceneSource { name, content, ..SceneSource::default() };
        return Ok(SharedScene { source, ..SharedScene::default() });
    };
    let share: ShareTable = share.try_into().map_err(words)?;
    if share.version != 1 {
        return Err(format!(
            "{file} was shared by an incompatible version of Pliant; open it with that version"
        ));
    }
    let mut files = BTreeMap::new();
    for MeshFile { name, base64 } in share.file {
        let Ok(bytes) = BASE64_STANDARD.decode(&base64) else {
            return Err(format!("{file}: the embedded mesh \"{name}\" is corrupt; share it again"));
        };
        files.insert(name, bytes);
    }
    let text = toml::to_string(&table).map_err(|e| format!("{file}: {e}"))?;
    let content = SceneContent::Text(text);
    let source =
        SceneSource { name: share.scene, size: share.size, content, files, notes: Vec::new() };
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
        let no = || "the saved state is corrupt or from another version; save it again".to_owned();
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
        toml::from_str(text).map_err(|e| format!("the saved state is corrupt: {}", e.message()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_mesh_is_named() {
        let mesh = ("net.obj".to_owned(), (0..=255).collect());
        let source = SceneSource { files: [mesh].into(), ..SceneSource::default() };
        let text = write(&source, &[], (0, 7)).expect("shared");
        let back = read("link.toml", &text).expect("a shared scene");
        assert_eq!((back.source.files, back.final_step_hash), (source.files, Some((0, 7))));
        for (good, bad) in [("base64 = \"AAEC", "base64 = \"AA?C"), ("/w==\"", "/w=\"")] {
            assert!(text.contains(good));
            let error = read("link.toml", &text.replace(good, bad)).expect_err("damaged");
            assert_eq!(
                error,
                "link.toml: the embedded mesh \"net.obj\" is corrupt; share it again"
            );
        }
    }
}
