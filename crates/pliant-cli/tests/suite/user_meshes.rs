//! Contract: a user's mesh goes in, is simulated, and comes out with its own vertices in its own
//! order, its texture and its groups. A closed surface becomes a solid that it follows.

use std::fmt::Write;
use std::path::Path;

use crate::common::{self, ok};

/// A square cloth whose right half has its own copies of the vertices on the middle line, with
/// other texture coordinates: a seam. Indices of positions and texture differ.
fn seamed_obj(n: usize) -> String {
    let mut text = String::from("o shirt\n");
    let mut ids = vec![vec![0; n + 1]; 2 * n + 2];
    let mut count = 0;
    for half in 0..2 {
        for i in 0..=n {
            for j in 0..=n {
                let x = (half * n + i) as f64 / (2 * n) as f64;
                let _ = writeln!(text, "v {x} 0 {}", j as f64 / n as f64);
                let _ = writeln!(
                    text,
                    "vt {} {}",
                    0.4 * i as f64 / n as f64 + 0.5 * half as f64,
                    j as f64 / n as f64
                );
                count += 1;
                ids[half * (n + 1) + i][j] = count;
            }
        }
    }
    for (half, name) in ["left", "right"].into_iter().enumerate() {
        let _ = writeln!(text, "g {name}");
        for i in 0..n {
            for j in 0..n {
                let at = |a: usize, b: usize| ids[half * (n + 1) + a][b];
                let (a, b, c, d) = (at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
                let _ = writeln!(text, "f {a}/{a} {b}/{b} {c}/{c}\nf {a}/{a} {c}/{c} {d}/{d}");
            }
        }
    }
    text
}

fn lines<'a>(text: &'a str, key: &'a str) -> Vec<Vec<f64>> {
    let own = text.lines().filter_map(|l| l.strip_prefix(key)?.strip_prefix(' '));
    own.map(|l| l.split_whitespace().map(|w| w.parse().unwrap()).collect()).collect()
}

/// The texture coordinates at the corners of each face.
fn corner_uvs(text: &str) -> Vec<Vec<Vec<f64>>> {
    let uvs = lines(text, "vt");
    let faces = text.lines().filter_map(|l| l.strip_prefix("f "));
    let corner = |w: &str| {
        let index = w.split('/').nth(1).unwrap().parse::<usize>().unwrap();
        uvs[index - 1].clone()
    };
    faces.map(|l| l.split_whitespace().map(corner).collect()).collect()
}

fn positions_of_faces(text: &str) -> Vec<Vec<usize>> {
    let faces = text.lines().filter_map(|l| l.strip_prefix("f "));
    let corner = |w: &str| w.split('/').next().unwrap().parse().unwrap();
    faces.map(|l| l.split_whitespace().map(corner).collect()).collect()
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn a_textured_mesh_with_a_seam_keeps_its_vertices_uvs_and_groups() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let original = seamed_obj(6);
    write(folder, "shirt.obj", &original);
    let scene = "[[cloth]]\nname = \"shirt\"\nmesh.file.path = \"shirt.obj\"\n\
                 [[cloth.pin]]\nat.nearest = [0.0, 0.0, 0.0]\n\
                 [[cloth.pin]]\nat.nearest = [1.0, 0.0, 0.0]\n";
    write(folder, "scene.toml", scene);
    let output = ok(folder, &["run", "scene.toml", "--frames", "30", "--out", "out.obj"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("welded"), "{said}");
    let start = std::fs::read_to_string(folder.join("out_0001.obj")).unwrap();
    let end = std::fs::read_to_string(folder.join("out_0031.obj")).unwrap();
    // The first frame is the file.
    let (was, first, last) = (lines(&original, "v"), lines(&start, "v"), lines(&end, "v"));
    assert_eq!((was.len(), first.len()), (last.len(), last.len()));
    for (a, b) in was.iter().zip(&first) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "{a:?} {b:?}");
    }
    assert_eq!(positions_of_faces(&original), positions_of_faces(&end));
    let (was, now) = (corner_uvs(&original), corner_uvs(&end));
    assert_eq!(was.len(), now.len());
    for (a, b) in was.iter().flatten().flatten().zip(now.iter().flatten().flatten()) {
        assert!((a - b).abs() < 1e-6);
    }
    for group in ["left", "right"] {
        assert!(end.lines().any(|l| l.starts_with("g ") && l.contains(group)), "{group}");
    }
    // It fell, and the seam did not open.
    let lowest = last.iter().map(|p| p[1]).fold(f64::MAX, f64::min);
    assert!(lowest < -0.2, "{lowest}");
    let n = 6;
    for j in 0..=n {
        let (left, right) = (&last[n * (n + 1) + j], &last[(n + 1) * (n + 1) + j]);
        assert_eq!(left, right, "the seam at row {j}");
    }
}

#[test]
fn a_closed_surface_becomes_a_solid_that_it_follows() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let ball = pliant::mesh::Icosphere::new(3).radius(0.1).build().unwrap();
    let mut obj = String::from("o ball\n");
    for p in &ball.positions {
        let _ = writeln!(obj, "v {} {} {}", p[0], p[1], p[2]);
    }
    for t in &ball.triangles {
        let _ = writeln!(obj, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    write(folder, "ball.obj", &obj);
    let scene = "[[solid]]\nmesh.file = { path = \"ball.obj\", cells = 6 }\n\
                 material.preset = \"jelly\"\n\
                 [[solid.pin]]\nat.box = [[-1, 0.08, -1], [1, 1, 1]]\n";
    write(folder, "scene.toml", scene);
    ok(folder, &["run", "scene.toml", "--frames", "20", "--out", "ball_out.obj"]);
    let start = std::fs::read_to_string(folder.join("ball_out_0001.obj")).unwrap();
    let end = std::fs::read_to_string(folder.join("ball_out_0021.obj")).unwrap();
    let (first, last) = (lines(&start, "v"), lines(&end, "v"));
    assert_eq!(first.len(), ball.positions.len());
    let mut worst: f64 = 0.0;
    for (a, b) in ball.positions.iter().zip(&first) {
        (0..3).for_each(|c| worst = worst.max((a[c] - b[c]).abs()));
    }
    // Measured 4e-9: positions are written in single precision.
    assert!(worst < 1e-7, "{worst:e}");
    let lowest = last.iter().map(|p| p[1]).fold(f64::MAX, f64::min);
    assert!(lowest < -0.101, "it sags: {lowest}");
}

#[test]
fn paths_out_of_the_scenes_folder_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    write(folder.path(), "secret.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let absolute = folder.path().join("secret.obj").display().to_string();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("secret.obj"), inner.join("link.obj")).unwrap();
    let mut paths = vec!["../secret.obj".to_owned(), absolute, "a/../../secret.obj".to_owned()];
    if cfg!(unix) {
        paths.push("link.obj".to_owned());
    }
    for path in paths {
        write(&inner, "scene.toml", &format!("[[cloth]]\nmesh.file.path = {path:?}\n"));
        let said = common::fails(&inner, 2, &["run", "scene.toml"]);
        assert!(said.contains("scene.toml, line 2"), "{said}");
        assert!(said.contains("folder") || said.contains("outside"), "{path}: {said}");
    }
}
