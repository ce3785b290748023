//! Contract: every format of the lists is described, documented and tested: its samples are read, its exports come back
//! where they can be imported, and what it cannot hold is refused with those that can.
//!
//! `docs/scene-format.md` and the page of this crate have the tables that the lists give. After a change of them,
//!
//! ```text
//! PLIANT_UPDATE_DOCS=1 cargo test -p pliant-io --test suite formats::
//! ```
//!
//! writes them.

use std::collections::BTreeSet;
use std::path::Path;

use crate::doc_table;
use crate::export_sample::{FPS, files, folder, strand, time, tube, tube_at, write};
use crate::samples;
use pliant_io::Surface;
use pliant_io::export::{self, ExportError, Files, Timing, Track};
use pliant_io::import::{self, Format};

const PAGE: &str = "docs/scene-format.md";
const CRATE_PAGE: &str = "crates/pliant-io/README.md";

fn code(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[test]
fn every_extension_names_one_format_of_each_list() {
    for list in [import::extensions().collect::<Vec<_>>(), export::extensions().collect()] {
        let distinct: BTreeSet<&str> = list.iter().copied().collect();
        assert_eq!(distinct.len(), list.len(), "{list:?}");
        for extension in list {
            assert!(extension.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()));
        }
    }
    for format in import::FORMATS {
        assert!(!format.name.is_empty() && !format.content.is_empty(), "{format:?}");
        for extension in format.extensions {
            let loud = format!("folder.x/FILE.{}", extension.to_uppercase());
            assert_eq!(Format::of_file(loud).unwrap(), *format);
        }
    }
    for format in export::FORMATS {
        assert!(!format.name.is_empty() && !format.preserves.is_empty(), "{format:?}");
        let loud = format.extension.to_uppercase();
        assert_eq!(export::Format::of_extension(&loud).unwrap().name, format.name);
    }
}

#[test]
fn an_unknown_extension_lists_the_known_ones() {
    let error = Format::of_file("folder/cloth.blend").unwrap_err().to_string();
    assert!(error.starts_with("folder/cloth.blend: unknown extension \"blend\""), "{error}");
    for extension in import::extensions() {
        assert!(error.contains(extension), "{error}");
    }
    assert!(Format::of_file("folder/cloth").is_err());
}

#[test]
fn every_import_format_has_samples_and_a_fuzz_target_with_seeds() {
    let samples = samples::all();
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let entries = |folder: &Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let targets: Vec<_> = entries(&fuzz.join("fuzz_targets"));
    for format in import::FORMATS {
        for extension in format.extensions {
            let ending = format!(".{extension}");
            assert!(samples.iter().any(|s| s.name.ends_with(&ending)), "no sample {ending}");
        }
        let reads = |path: &&std::path::PathBuf| {
            let text = std::fs::read_to_string(path).unwrap();
            format.extensions.iter().any(|e| text.contains(&format!("\"fuzz.{e}\"")))
        };
        let target = targets.iter().find(reads);
        let target = target.unwrap_or_else(|| panic!("no fuzz target reads {format:?}"));
        let seeds = fuzz.join("seeds").join(target.file_stem().unwrap());
        assert!(!entries(&seeds).is_empty(), "{format:?}");
    }
}

/// Positions of all triangle corners, in single precision as files have them.
fn corners(surface: &Surface) -> Vec<[f32; 3]> {
    let point = |v: &u32| surface.positions[*v as usize].map(|c| c as f32);
    surface.triangles.as_flattened().iter().map(point).collect()
}

#[test]
fn exports_that_can_be_imported_come_back() {
    let mut tried = 0;
    for format in export::FORMATS.iter().filter(|f| Format::of_extension(f.extension).is_some()) {
        let name = format!("sample.{}", format.extension);
        let paths = write(&folder(&format!("back_{}", format.extension)), &name, 3, false);
        let last = paths.len() - 1;
        for (frame, path) in [(0, &paths[0]), (2 * last / last.max(1), &paths[last])] {
            let back = import::read(path).unwrap().into_surfaces().remove(0);
            let expected = Surface {
                positions: tube_at(time(frame)).iter().map(|p| p.map(f64::from)).collect(),
                ..tube()
            };
            let mut found = corners(&back);
            let mut wanted = corners(&expected);
            if format.files == Files::Single {
                // Triangles of the same group are together.
                let order = |p: &[f32; 3]| p.map(f32::to_bits);
                found.sort_by_key(order);
                wanted.sort_by_key(order);
            }
            assert_eq!(found, wanted, "{}", path.display());
        }
        tried += 1;
    }
    assert!(tried >= 3, "{tried}");
}

#[test]
fn finish_names_every_file_and_leaves_no_other() {
    for format in export::FORMATS {
        let name = format!("sample.{}", format.extension);
        let folder = folder(&format!("only_{}", format.extension));
        let paths = write(&folder, &name, 3, format.has_strands);
        let mut told: Vec<String> =
            paths.iter().map(|p| p.file_name().unwrap().to_string_lossy().into()).collect();
        told.sort();
        assert_eq!(files(&folder), told);
        let expected = match format.files {
            Files::Single => 1,
            Files::PerBody => 1 + usize::from(format.has_strands),
            Files::PerFrame => 3,
        };
        assert_eq!(told.len(), expected, "{told:?}");
    }
}

/// The tube with a vertex for each corner, as a body that may tear.
fn tearing_tube() -> Surface {
    let whole = tube();
    let welds = whole.triangles.as_flattened().to_vec();
    Surface {
        positions: welds.iter().map(|v| whole.positions[*v as usize]).collect(),
        triangles: (0..whole.triangles.len() as u32)
            .map(|t| [3 * t, 3 * t + 1, 3 * t + 2])
            .collect(),
        welds,
        ..whole
    }
}

/// Property of a format.
type Holds = fn(&export::Format) -> bool;

#[test]
fn what_a_format_cannot_hold_is_refused_with_those_that_can() {
    let (tube, strand) = (tearing_tube(), strand());
    let timing = Timing { fps: FPS };
    for format in export::FORMATS {
        let folder = folder(&format!("holds_{}", format.extension));
        let path = folder.join(format!("sample.{}", format.extension));
        let tears = export::create(&path, &[Track::surface(&tube)], timing).err();
        assert_eq!(format.has_tears, tears.is_none(), "{tears:?}");
        let strands = export::create(&path, &[Track::strands(&strand)], timing).err();
        assert_eq!(format.has_strands, strands.is_none(), "{strands:?}");
        let holds: [(_, _, Holds); 2] =
            [(tears, "Sleeve \"left\"", |f| f.has_tears), (strands, "thread", |f| f.has_strands)];
        for (error, body, holds) in holds {
            let Some(error) = error else { continue };
            assert!(matches!(error, ExportError::Tears { .. } | ExportError::Strands { .. }));
            let text = error.to_string();
            assert!(text.contains(body), "{text}");
            let named = text.rsplit("; use ").next().unwrap();
            for other in export::FORMATS {
                let is_named = named.split([' ', ',']).any(|word| word == other.extension);
                assert_eq!(is_named, holds(other), "{}: {text}", other.extension);
            }
        }
        assert!(files(&folder).is_empty(), "{:?}", files(&folder));
    }
}

#[test]
fn the_page_on_scene_files_has_the_table_of_meshes() {
    let row = |f: &Format| vec![f.name.to_owned(), code(f.extensions), f.content.to_owned()];
    let rows: Vec<_> = import::FORMATS.iter().map(row).collect();
    doc_table::check_table(PAGE, &["format", "extensions", "content that is read"], &rows);
}

#[test]
fn the_page_on_scene_files_has_the_table_of_exports() {
    let holds = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
    let row = |f: &export::Format| {
        let form = format!("{}: {}", f.name, f.form);
        let files = f.files.to_string();
        vec![code(&[f.extension]), form, files, f.preserves.to_owned(), holds(f.has_tears)]
    };
    let rows: Vec<_> = export::FORMATS.iter().map(row).collect();
    let head = ["animation", "form", "files", "preserves", "torn bodies"];
    doc_table::check_table(PAGE, &head, &rows);
}

#[test]
fn the_page_of_the_crate_names_all_formats() {
    let imports: Vec<&str> = import::FORMATS.iter().map(|f| f.name).collect();
    let exports: Vec<&str> = export::FORMATS.iter().map(|f| f.name).collect();
    for (start, names) in
        [("| import, with repair |", imports), ("| export of animations |", exports)]
    {
        doc_table::check(CRATE_PAGE, start, "\n", &format!("{start} {} |\n", names.join(", ")));
    }
}
