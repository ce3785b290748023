//! What a file that the user gave is, by the ending of its name.

use pliant_session::Command;
use pliant_session::protocol::MeshRole;

use crate::link::GivenFile;

/// What can be done with a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A scene or a shared file: its text.
    Scene,
    /// A mesh: it can become cloth or a solid.
    Mesh,
    /// A saved state.
    Snapshot,
}

const MESHES: [&str; 10] = ["obj", "ply", "stl", "gltf", "glb", "msh", "node", "ele", "vtk", "vtu"];

/// What a file of this name is.
pub fn kind(name: &str) -> Kind {
    let ending = name.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    match ending.as_str() {
        "toml" => Kind::Scene,
        e if MESHES.contains(&e) => Kind::Mesh,
        _ => Kind::Snapshot,
    }
}

/// Whether a file of this name can be opened.
pub fn is_known(name: &str) -> bool {
    kind(name) != Kind::Snapshot || name.to_ascii_lowercase().ends_with(".pliant")
}

/// What loads a file that is no mesh.
pub fn load(file: GivenFile) -> Result<Command, String> {
    match kind(&file.name) {
        Kind::Scene => {
            let text = String::from_utf8(file.bytes)
                .map_err(|_| format!("{} is not text, as a scene file must be", file.name))?;
            Ok(Command::LoadText { file: file.name, text })
        }
        Kind::Snapshot => Ok(Command::LoadSnapshot { bytes: file.bytes }),
        Kind::Mesh => Ok(load_mesh(file, MeshRole::Cloth)),
    }
}

/// What makes a body of a mesh.
pub fn load_mesh(file: GivenFile, role: MeshRole) -> Command {
    Command::LoadMesh { file: file.name, bytes: file.bytes, role }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_what_a_file_is() {
        assert_eq!(kind("My Dress.OBJ"), Kind::Mesh);
        assert_eq!(kind("scene.toml"), Kind::Scene);
        assert_eq!(kind("state.pliant"), Kind::Snapshot);
        assert_eq!(kind("no ending"), Kind::Snapshot);
        assert!(is_known("a.pliant") && is_known("b.STL") && !is_known("notes.txt"));
    }

    #[test]
    fn what_is_not_text_is_refused_in_words() {
        let file = GivenFile { name: "a.toml".into(), bytes: vec![0xff, 0xfe] };
        assert!(load(file).expect_err("not text").contains("a.toml"));
    }
}
