//! Contract: key frames of an animated body may be mesh files beside the scene; files that are no frames of its mesh
//! are refused by name, with the line of the frame.

use pliant::prelude::*;
use pliant_io::scene_file;

/// A tetrahedron of a height \[m\].
fn tetrahedron(height: f64) -> String {
    format!("v 0 0 0\nv 0 0 1\nv 1 0 0\nv 0 {height} 0\nf 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4\n")
}

const SCENE: &str = "[[animated]]\nmesh.file.path = \"one.obj\"\n\n[[animated.frame]]\n\n\
                     [[animated.frame]]\ntime = 1.0\nfile.path = \"FRAME\"\n";

#[test]
fn frames_are_read_from_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("one.obj"), tetrahedron(1.0)).unwrap();
    std::fs::write(folder.path().join("two.obj"), tetrahedron(2.0)).unwrap();
    let text = SCENE.replace("FRAME", "two.obj");
    let scene = scene_file::parse("scene.toml", text, folder.path()).unwrap();
    let mut sim = Simulation::new(scene.build().unwrap().model, Xpbd::default()).unwrap();
    let highest =
        |sim: &Simulation| sim.state().positions.iter().map(|p| p[1]).fold(f32::MIN, f32::max);
    assert_eq!(highest(&sim), 1.0);
    for _ in 0..30 {
        sim.step();
    }
    assert!((highest(&sim) - 1.5).abs() < 1e-6, "{}", highest(&sim));
}

#[test]
fn files_that_are_no_frames_of_the_mesh_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("one.obj", &tetrahedron(1.0));
    put("fewer.obj", "v 0 0 0\nv 0 0 1\nv 1 0 0\nf 1 3 2\n");
    put("other.obj", "v 0 0 0\nv 0 0 1\nv 1 0 0\nv 1 0 1\nf 1 2 3\nf 2 4 3\n");
    let cases = [
        ("fewer.obj", "3 vertices, the mesh 4"),
        ("other.obj", "other triangles"),
        ("none.obj", "cannot be read"),
    ];
    for (file, words) in cases {
        let text = SCENE.replace("FRAME", file);
        let scene = scene_file::parse("scene.toml", text, folder.path()).unwrap();
        let error = scene.build().unwrap_err().to_string();
        println!("{error}");
        assert!(error.contains("line 6") && error.contains(words), "{error}");
    }
}
