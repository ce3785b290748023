//! Contract: every built-in scene is the same after it was written as a file and read again.

use std::collections::BTreeMap;

use pliant_io::scene_file::{self, SceneFile};

#[test]
fn every_built_in_scene_survives_writing() {
    for scene in pliant_scenes::all() {
        let description = scene.describe(scene.default_size);
        let text = scene_file::write(&description).unwrap();
        let read = scene_file::parse_in_memory(scene.name, text, BTreeMap::new()).unwrap();
        assert_eq!(read.description, description, "{}", scene.name);
    }
}

#[test]
fn a_described_scene_is_built_without_a_text() {
    let scene = pliant_scenes::by_name("hanging_cloth").unwrap();
    let described = |size| {
        SceneFile::from_description(scene.name, scene.describe(size), BTreeMap::new()).build()
    };
    assert_eq!(described(5).unwrap().model.len(), (scene.build)(5).unwrap().len());
    let error = described(0).unwrap_err();
    assert_eq!((error.file.as_str(), error.place), ("hanging_cloth", None));
}
