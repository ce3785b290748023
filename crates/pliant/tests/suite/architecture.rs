//! ARCHITECTURE.md is true: every path that it names exists. And no test is left out.

use std::path::Path;

#[test]
fn every_path_named_in_the_architecture_page_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let quoted = page.split('`').skip(1).step_by(2);
    let paths: Vec<&str> = quoted
        .filter(|q| ["crates/", "examples/", ".ci/"].iter().any(|start| q.starts_with(start)))
        .collect();
    assert!(paths.len() > 30, "the page names its files in backticks");
    let missing: Vec<&&str> = paths.iter().filter(|p| !root.join(p).exists()).collect();
    assert!(missing.is_empty(), "named but not there: {missing:?}");
}

#[test]
fn every_source_folder_of_the_engine_is_named() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let source = root.join("crates/pliant/src");
    for entry in std::fs::read_dir(source).expect("the source folder") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        // One-file helpers such as system.rs are found beside their users; folders must be named.
        if !name.ends_with(".rs") {
            assert!(page.contains(&format!("crates/pliant/src/{name}/")), "{name} is not named");
        }
    }
}

/// A file that `main.rs` does not name would be compiled by nothing, and pass.
#[test]
fn every_file_of_a_suite_is_part_of_it() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut suites = 0;
    for member in std::fs::read_dir(crates).expect("the crates") {
        let suite = member.expect("an entry").path().join("tests/suite");
        let Ok(entries) = std::fs::read_dir(&suite) else { continue };
        suites += 1;
        let main = std::fs::read_to_string(suite.join("main.rs")).expect("the suite's main.rs");
        for entry in entries {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
            let listed = main.lines().any(|line| line == format!("mod {name};"));
            assert!(listed || name == "main", "{} is no part of its suite", path.display());
        }
    }
    assert!(suites >= 8, "{suites}");
}
