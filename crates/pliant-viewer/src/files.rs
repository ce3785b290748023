//! Kinds of user files, by file extension.

use pliant_io::import;
use pliant_session::Command;
use pliant_session::protocol::MeshRole;

use crate::platform::UserFile;

/// Kind of a file, which determines how it can be opened.
#[derive(Clone, Debug, PartialEq)]
pub enum FileKind {
    /// A scene or a shared file: text.
    Scene,
    /// A mesh, which can become cloth or a solid.
    Mesh,
    /// A saved state.
    Snapshot,
}

/// Kind of a file of this name.
pub fn file_kind(name: &str) -> FileKind {
    let extension = name.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    match extension.as_str() {
        "toml" => FileKind::Scene,
        e if import::Format::of_extension(e).is_some() => FileKind::Mesh,
        _ => FileKind::Snapshot,
    }
}

/// True if a file of this name can be opened.
pub fn is_supported(name: &str) -> bool {
    file_kind(name) != FileKind::Snapshot || name.to_ascii_lowercase().ends_with(".pliant")
}

/// Command that loads a file other than a mesh.
pub fn load_command(file: UserFile) -> Result<Command, String> {
    match file_kind(&file.name) {
        FileKind::Scene => {
            let text = String::from_utf8(file.bytes).map_err(|_| {
                format!("{} is not a text file; scene files are UTF-8 text", file.name)
            })?;
            Ok(Command::LoadText { file: file.name, text })
        }
        FileKind::Snapshot => Ok(Command::LoadSnapshot { bytes: file.bytes }),
        FileKind::Mesh => Ok(mesh_command(file, MeshRole::Cloth)),
    }
}

/// Command that creates a body from a mesh.
pub fn mesh_command(file: UserFile, role: MeshRole) -> Command {
    Command::LoadMesh { file: file.name, bytes: file.bytes, role }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_says_what_a_file_is() {
        assert_eq!(file_kind("My Dress.OBJ"), FileKind::Mesh);
        for extension in import::extensions() {
            assert_eq!(file_kind(&format!("a.{extension}")), FileKind::Mesh);
        }
        assert_eq!(file_kind("scene.toml"), FileKind::Scene);
        assert_eq!(file_kind("state.pliant"), FileKind::Snapshot);
        assert_eq!(file_kind("no ending"), FileKind::Snapshot);
        assert!(is_supported("a.pliant") && is_supported("b.STL") && !is_supported("notes.txt"));
    }

    #[test]
    fn what_is_not_text_is_refused_in_words() {
        let file = UserFile { name: "a.toml".into(), bytes: vec![0xff, 0xfe] };
        assert!(load_command(file).expect_err("not text").contains("a.toml"));
    }
}
