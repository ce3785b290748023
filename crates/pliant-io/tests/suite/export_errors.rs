//! Contract: invalid exports are refused with a name and a remedy, and leave no file behind.

use crate::export_sample::{self, FPS, files, folder, push, time, tube, tube_at};
use pliant_io::export::{self, ExportError, Exporter, FORMATS, Files, Strands, Timing, Track};

const TIMING: Timing = Timing { fps: FPS };

fn begin(folder: &str, extension: &str) -> (std::path::PathBuf, Box<dyn Exporter>) {
    let (folder, tube) = (export_sample::folder(folder), tube());
    let path = folder.join(format!("sample.{extension}"));
    (folder, export::create(path, &[Track::surface(&tube)], TIMING).expect("a new export"))
}

fn refusal(result: Result<Box<dyn Exporter>, ExportError>) -> String {
    result.err().expect("a refusal").to_string()
}

#[test]
fn an_unknown_ending_lists_the_known_ones() {
    let tube = tube();
    let message = refusal(export::create("a/cloth.abc", &[Track::surface(&tube)], TIMING));
    assert!(message.contains("cloth.abc"), "{message}");
    for extension in export::extensions() {
        assert!(message.contains(extension), "{message}");
    }
}

#[test]
fn a_missing_folder_is_named_with_a_remedy() {
    let path = folder("missing").join("no such folder").join("cloth.glb");
    let tube = tube();
    let message = refusal(export::create(path, &[Track::surface(&tube)], TIMING));
    assert!(
        message.contains("no such folder") && message.contains("create the folder"),
        "{message}"
    );
}

#[test]
fn frames_that_do_not_fit_are_refused_and_change_nothing() {
    for extension in export::extensions() {
        let (folder, mut export) = begin(&format!("refused_{extension}"), extension);
        let mut frame = tube_at(0.0);
        export.frame(0.0, &[&frame]).expect("a frame that fits");

        let short = export.frame(time(1), &[&frame[1..]]);
        assert!(matches!(short, Err(ExportError::Length { frame: 1, given: 175, .. })));
        let two = export.frame(time(1), &[&frame, &frame]);
        assert!(matches!(two, Err(ExportError::Bodies { given: 2, expected: 1, .. })));
        let same_time = export.frame(0.0, &[&frame]);
        assert!(matches!(same_time, Err(ExportError::Time { .. })));
        frame[7][1] = f32::NAN;
        let broken = export.frame(time(1), &[&frame]);
        assert!(matches!(broken, Err(ExportError::NotFinite { vertex: 7, .. })));

        export.frame(time(1), &[&tube_at(time(1))]).expect("a frame that fits");
        let paths = export.finish().expect("whole files");
        assert_eq!(files(&folder).len(), paths.len());
        if extension == "pc2" {
            let bytes = std::fs::read(&paths[0]).expect("the file");
            assert_eq!(bytes.len(), 32 + 2 * 12 * 176, "two frames, none of the refused");
        }
    }
}

#[test]
fn an_export_dropped_unfinished_leaves_only_whole_frames() {
    for format in FORMATS {
        let extension = format.extension;
        let (folder, mut export) = begin(&format!("dropped_{extension}"), extension);
        push(export.as_mut(), 3, false);
        assert!(!folder.join(format!("sample.{extension}")).exists(), "not before it is whole");
        drop(export);
        let whole = match format.files {
            Files::PerFrame => (1..=3).map(|k| format!("sample_{k:04}.{extension}")).collect(),
            Files::Single | Files::PerBody => Vec::new(),
        };
        assert_eq!(files(&folder), whole);
    }
}

#[test]
fn an_older_file_stays_until_the_new_one_is_whole() {
    let folder = folder("older");
    let path = folder.join("sample.glb");
    std::fs::write(&path, "older").expect("a file");
    let tube = tube();
    let mut export = export::create(&path, &[Track::surface(&tube)], TIMING).expect("an export");
    push(export.as_mut(), 2, false);
    assert_eq!(std::fs::read(&path).expect("the file"), b"older");
    export.finish().expect("a whole file");
    assert_eq!(std::fs::read(&path).expect("the file")[..4], *b"glTF");
}

#[test]
fn no_frames_are_nothing_to_write() {
    for extension in export::extensions() {
        let (folder, export) = begin(&format!("empty_{extension}"), extension);
        assert!(matches!(export.finish(), Err(ExportError::NoFrames { .. })));
        assert!(files(&folder).is_empty());
    }
}

#[test]
fn uneven_frames_are_written_or_refused_as_such() {
    for extension in export::extensions() {
        let (_, mut export) = begin(&format!("uneven_{extension}"), extension);
        export.frame(0.0, &[&tube_at(0.0)]).expect("a frame that fits");
        let late = export.frame(1.7 / FPS, &[&tube_at(0.1)]);
        let is_uneven = matches!(late, Err(ExportError::Uneven { .. }));
        assert!(is_uneven || (late.is_ok() && extension != "pc2"), "{extension}: {late:?}");
    }
}

#[test]
fn tracks_whose_indices_do_not_fit_are_refused() {
    let path = folder("tracks").join("sample.glb");
    let refuse = |surface: &pliant_io::Surface| {
        refusal(export::create(&path, &[Track::surface(surface)], TIMING))
    };
    let mut surface = tube();
    surface.triangles[3][1] = 5000;
    assert!(refuse(&surface).contains("triangle 3"));
    let mut surface = tube();
    surface.uvs.as_mut().expect("UVs").corners[4][0] = 9999;
    assert!(refuse(&surface).contains("triangle 4"));
    let mut surface = tube();
    surface.groups[1].triangles.push(320);
    assert!(refuse(&surface).contains("\"arm\""));
    let mut surface = tube();
    surface.triangles.clear();
    assert!(refuse(&surface).contains("no triangles"));

    let single = Strands { lengths: vec![3, 1], ..Strands::default() };
    let message = refusal(export::create(&path, &[Track::strands(&single)], TIMING));
    assert!(message.contains("polyline 1"), "{message}");
    assert!(matches!(export::create(&path, &[], TIMING).err(), Some(ExportError::NoTracks)));
    let still = Timing { fps: 0.0 };
    let result = export::create(&path, &[Track::surface(&tube())], still);
    assert!(matches!(result.err(), Some(ExportError::Fps { .. })));
}

#[test]
fn a_full_disk_is_told_as_such() {
    let source = std::io::Error::from(std::io::ErrorKind::StorageFull);
    let error = ExportError::Io { path: "cloth.usda".into(), source };
    assert!(error.to_string().contains("disk is full"), "{error}");
}

#[test]
fn a_glb_that_would_pass_four_gibibytes_is_refused_before_it_does() {
    // A single triangle: the weights of n frames alone take 4 n² bytes.
    let surface = pliant_io::Surface {
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2]],
        ..pliant_io::Surface::default()
    };
    let path = folder("too_large").join("sample.glb");
    let tracks = [Track::surface(&surface)];
    let mut export =
        export::create_glb_without_normals(path, &tracks, TIMING).expect("a new export");
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let refused = (0..40_000).find_map(|k| export.frame(time(k), &[&positions]).err());
    let Some(ExportError::TooLarge { frame, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert!((30_000..32_768).contains(&frame), "{frame}");
}
