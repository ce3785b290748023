//! Contract: the gallery shows what its commands and `pliant run` give, with the scenes' own settings.

use std::path::Path;

/// Words of each command that draws a picture of the gallery.
fn commands() -> Vec<Vec<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gallery.md");
    let text = std::fs::read_to_string(page).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("pliant render "));
    lines.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn every_scene_is_drawn_with_its_own_settings() {
    let commands = commands();
    for scene in pliant_scenes::all() {
        let name = scene.name.replace('_', "-");
        let command = commands.iter().find(|words| words[2] == name);
        let words = command.unwrap_or_else(|| panic!("{name} is not in the gallery"));
        let mut options = words[3..].chunks(2).map(|pair| (pair[0].as_str(), pair[1].as_str()));
        for (option, value) in &mut options {
            match option {
                // A run reaches the frame of the picture.
                "--frame" => {
                    let frames = scene.describe(scene.default_size).frames.unwrap_or(150);
                    assert!(value.parse::<usize>().unwrap() <= frames, "{name}: {frames} frames");
                }
                "--width" | "--height" => {}
                "--out" => assert_eq!(value, format!("{name}.png")),
                other => panic!("{name}: {other} belongs in the scene"),
            }
        }
    }
    assert_eq!(commands.len(), pliant_scenes::all().len());
}
