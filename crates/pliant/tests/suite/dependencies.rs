//! Dependencies of the engine's folders point one way: what a folder names with `crate::` stands in its own layer or
//! below. And its files stay readable: few beside the folders, none long.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The layers, from the foundations up. Folders of one layer may name each other.
const LAYERS: &[&[&str]] = &[
    &["error", "math", "simd", "linalg", "mesh", "parallel", "fields"],
    &["element", "elements", "batch"],
    &["material"],
    &["model"],
    &["rigid"],
    &["build"],
    &["contact"],
    &["system"],
    &["dynamics"],
    &["topology"],
    &["report"],
    &["solvers"],
    &["simulation"],
];

/// Lines of a source file at most, and of the file in the middle.
const MAX_LINES: usize = 500;
const MAX_MEDIAN_LINES: usize = 160;

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every source file of the engine with its path below `src/`.
fn files(folder: &Path, out: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the engine") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source file");
            let name = path.strip_prefix(source()).expect("below src").to_string_lossy();
            out.push((name.replace('\\', "/"), text));
        }
    }
}

fn all_files() -> Vec<(String, String)> {
    let mut all = Vec::new();
    files(&source(), &mut all);
    all.sort();
    assert!(all.len() > 200, "{} files", all.len());
    all
}

/// The text without comments and without unit tests, which may use what they like.
fn code(text: &str) -> String {
    let tests = text.find("#[cfg(test)]\nmod ").filter(|&at| text[at..].contains("{\n"));
    let lines = text[..tests.unwrap_or(text.len())].lines();
    lines.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The names that follow `crate::` in a text, those in braces too.
fn named(code: &str) -> BTreeSet<String> {
    let word = |text: &str| -> String {
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut names = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                let group = &group[..group.find('}').expect("a closing brace")];
                names.extend(group.split(',').map(|name| word(name.trim())));
            }
            None => {
                names.insert(word(rest));
            }
        }
    }
    names
}

/// Folder of each item that the crate's root exports.
fn exports(all: &[(String, String)]) -> BTreeMap<String, String> {
    let root = &all.iter().find(|(name, _)| name == "lib.rs").expect("lib.rs").1;
    let mut from = BTreeMap::new();
    for (at, _) in root.match_indices("pub use crate::") {
        let path = &root[at + "pub use crate::".len()..];
        let path = &path[..path.find(';').expect("the end of a use")];
        let folder = path.split("::").next().expect("a folder").to_string();
        let items = path.rsplit("::").next().expect("items");
        for item in items.split(|c: char| !c.is_alphanumeric() && c != '_') {
            from.insert(item.to_string(), folder.clone());
        }
    }
    from
}

#[test]
fn dependencies_of_the_engine_point_one_way() {
    let all = all_files();
    let exports = exports(&all);
    let layer = |name: &str| LAYERS.iter().position(|layer| layer.contains(&name));
    let mut wrong = Vec::new();
    for (file, text) in &all {
        let own = file.split('/').next().expect("a name").trim_end_matches(".rs");
        if own == "lib" || own == "prelude" {
            continue;
        }
        let above = layer(own).unwrap_or_else(|| panic!("{own} stands in no layer"));
        for name in named(&code(text)) {
            let folder = exports.get(&name).unwrap_or(&name);
            // Macros of the crate's root belong to no folder.
            if let Some(below) = layer(folder)
                && below > above
            {
                wrong.push(format!("{file} names crate::{name}, of {folder}"));
            }
        }
    }
    assert!(wrong.is_empty(), "a layer names one above it:\n{}", wrong.join("\n"));
}

#[test]
fn files_of_the_engine_are_short_and_stand_in_folders() {
    let all = all_files();
    let beside = all.iter().filter(|(name, _)| !name.contains('/')).count();
    assert!(beside <= 4, "{beside} files beside the folders");
    let mut lines: Vec<_> = all.iter().map(|(name, text)| (text.lines().count(), name)).collect();
    lines.sort();
    let (longest, name) = lines[lines.len() - 1];
    assert!(longest <= MAX_LINES, "{name} has {longest} lines");
    let median = lines[lines.len() / 2].0;
    assert!(median <= MAX_MEDIAN_LINES, "the median is {median} lines");
}
