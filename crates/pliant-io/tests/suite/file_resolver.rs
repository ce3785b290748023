//! Contract: a file on disk is read with the files of its own folder, and with no others, however
//! it asks for them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::samples;
use pliant_io::import::{Limits, Problem, read, read_with};

/// A folder of its own for a test, gone when dropped.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new(name: &str) -> Self {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(path.join("inside/sub")).unwrap();
        Self(path)
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_sample_is_read_from_disk_by_its_ending() {
    let place = TempFolder::new("endings");
    for sample in samples::all() {
        let path = place.put(&sample.name, &sample.bytes);
        for (name, bytes) in &sample.beside {
            place.put(name, bytes);
        }
        let read = read(&path).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read, sample.read().unwrap(), "{}", sample.name);
    }
    let shouting = place.put("LOUD.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_eq!(read(shouting).unwrap().into_surfaces()[0].name, "LOUD");
}

#[test]
fn buffers_beside_and_below_are_read_and_others_are_not() {
    let place = TempFolder::new("buffers");
    let (_, buffer) = samples::gltf(None);
    place.put("secret.bin", &buffer);
    place.put("inside/near.bin", &buffer);
    place.put("inside/sub/below it.bin", &buffer);
    let attempt = |uri: &str| {
        let path = place.put("inside/scene.gltf", samples::gltf(Some(uri)).0);
        read(path).map_err(|error| error.problem)
    };
    assert!(attempt("near.bin").is_ok());
    assert!(attempt("./near.bin").is_ok());
    assert!(attempt("sub/below%20it.bin").is_ok());
    let absolute = place.0.join("secret.bin").display().to_string();
    for uri in [
        "../secret.bin",
        "sub/../../secret.bin",
        "%2E%2E/secret.bin",
        "..%2fsecret.bin",
        "sub/..%2f..%2fsecret.bin",
        &absolute,
        &format!("file://{absolute}"),
        "/etc/passwd",
        "//etc/passwd",
    ] {
        let problem = attempt(uri).unwrap_err();
        assert!(matches!(problem, Problem::Outside { .. }), "{uri}: {problem}");
    }
    assert!(matches!(attempt("far.bin"), Err(Problem::Missing { .. })));
    // A folder is no file.
    assert!(matches!(attempt("sub"), Err(Problem::Missing { .. })));
}

#[cfg(unix)]
#[test]
fn symbolic_links_may_not_lead_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    let place = TempFolder::new("links");
    let (_, buffer) = samples::gltf(None);
    place.put("secret.bin", &buffer);
    place.put("inside/near.bin", &buffer);
    let _ = symlink(place.0.join("secret.bin"), place.0.join("inside/out.bin"));
    let _ = symlink("../secret.bin", place.0.join("inside/relative.bin"));
    let _ = symlink("..", place.0.join("inside/up"));
    let _ = symlink("near.bin", place.0.join("inside/in.bin"));
    let _ = symlink("loop.bin", place.0.join("inside/loop.bin"));
    let attempt = |uri: &str| {
        let path = place.put("inside/scene.gltf", samples::gltf(Some(uri)).0);
        read(path).map_err(|error| error.problem)
    };
    assert!(attempt("in.bin").is_ok());
    for uri in ["out.bin", "relative.bin", "up/secret.bin"] {
        let problem = attempt(uri).unwrap_err();
        assert!(matches!(problem, Problem::Outside { .. }), "{uri}: {problem}");
    }
    assert!(matches!(attempt("loop.bin"), Err(Problem::Missing { .. })));
    // What the user names is taken as it is, through a link as well.
    let _ = symlink(
        place.put("real.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        place.0.join("link.obj"),
    );
    assert!(read(place.0.join("link.obj")).is_ok());
}

#[test]
fn a_material_library_is_never_opened() {
    let place = TempFolder::new("materials");
    let text = "mtllib ../../../../etc/passwd /dev/zero\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert!(read(place.put("inside/a.obj", text)).is_ok());
}

#[test]
fn what_is_no_file_or_too_large_or_unknown_is_refused() {
    let place = TempFolder::new("others");
    let problem = |name: &str| read(place.0.join(name)).unwrap_err().problem;
    assert!(matches!(problem("none.obj"), Problem::Unreadable { .. }));
    fs::create_dir_all(place.0.join("folder.obj")).unwrap();
    assert!(matches!(problem("folder.obj"), Problem::Unreadable { .. }));
    assert!(matches!(problem("a.blend"), Problem::UnknownFormat { .. }));
    assert!(matches!(problem("noending"), Problem::UnknownFormat { .. }));
    let path = place.put("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let error = read_with(path, &Limits { bytes: 10, ..Limits::default() }).unwrap_err();
    assert!(matches!(error.problem, Problem::TooLarge { most: 10, .. }));
}
