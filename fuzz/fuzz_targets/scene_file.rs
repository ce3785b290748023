//! Scene files: parsing, and writing what was parsed. A scene that was written is a scene again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant_fuzz::FilesBeside;
use pliant_io::scene_file::{parse_in_memory, write};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match parse_in_memory("fuzz.toml", text.to_owned(), FilesBeside::new()) {
        Err(error) => {
            assert!(!error.to_string().is_empty());
            if let Some((line, column)) = error.place {
                assert!(line >= 1 && column >= 1 && line <= text.lines().count() + 1);
            }
        }
        Ok(scene) => {
            let again = write(&scene.description).expect("a scene can be written");
            if let Err(error) = parse_in_memory("again.toml", again, FilesBeside::new()) {
                panic!("a scene that was written is refused: {error}");
            }
        }
    }
});
