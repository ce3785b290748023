//! Contract: the settings of all solvers are in the schema and on the page about scene files as the solvers describe them.

use std::collections::BTreeMap;

use pliant::solvers::{ACCELERATED, AnySolver, INTEGRATED, LIST, SettingInfo};
use pliant_io::scene_file;
use pliant_scenes::describe::all_settings;

use crate::doc_table;

/// Default of each solver for a setting, with the solvers that share it.
fn defaults(SettingInfo { name, meaning, .. }: &SettingInfo) -> String {
    let mut by_value: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (solver, setting) in
        AnySolver::all_settings().iter().filter(|(_, s)| s.name == *name && s.meaning == *meaning)
    {
        // Variants have the settings of their solver.
        if LIST.iter().any(|(base, _)| base == solver)
            || solver.starts_with("pbd_") && *name == "alpha"
        {
            by_value.entry(setting.value.to_string()).or_default().push(solver);
        }
    }
    let group = |(value, solvers): (String, Vec<&str>)| {
        let solvers: Vec<String> = solvers.iter().map(|name| format!("`{name}`")).collect();
        format!("{value} ({})", solvers.join(", "))
    };
    by_value.into_iter().map(group).collect::<Vec<_>>().join("; ")
}

#[test]
fn the_page_on_scene_files_has_the_table_of_settings() {
    let rows: Vec<Vec<String>> = all_settings()
        .iter()
        .map(|(setting, _)| {
            vec![
                format!("`{}`", setting.name),
                setting.values(),
                defaults(setting),
                setting.meaning.to_owned(),
            ]
        })
        .collect();
    assert!(rows.len() > 10);
    let head = ["setting", "values", "default (solvers)", "meaning"];
    doc_table::check_table("docs/scene-format.md", &head, &rows);
}

#[test]
fn the_schema_has_every_setting() {
    let schema: serde_json::Value = serde_json::from_str(&scene_file::schema()).unwrap();
    let table = &schema["$defs"]["SolverSpec"];
    assert_eq!(table["additionalProperties"], false);
    for (setting, solvers) in all_settings() {
        let own = &table["properties"][setting.name];
        let text = own["description"].as_str().unwrap_or_else(|| panic!("{}", setting.name));
        assert!(text.contains(setting.meaning) && text.contains(solvers[0]), "{text}");
    }
}

#[test]
fn the_page_on_solvers_names_every_solver_and_no_other() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/solvers.md");
    let page = std::fs::read_to_string(path).unwrap();
    let start = page.find("| solver | method |").expect("the table of solvers");
    let end = start + page[start..].find("\n\n").unwrap();
    let mut named = Vec::new();
    for row in page[start..end].lines().skip(2) {
        let cell = row.split('|').nth(1).unwrap();
        let names = cell.split('`').skip(1).step_by(2).map(str::to_owned);
        let names: Vec<String> = names.collect();
        // `+chebyshev` continues the names before it.
        let (forms, whole): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| name.starts_with('+'));
        let continued =
            forms.iter().flat_map(|form| whole.iter().map(move |w| format!("{w}{form}")));
        named.extend(continued.collect::<Vec<_>>());
        named.extend(whole);
    }
    for name in &named {
        assert!(AnySolver::by_name(name).is_ok(), "{name} is no solver");
    }
    for (name, _) in LIST.iter().chain(ACCELERATED) {
        assert!(named.iter().any(|known| known == name), "docs/solvers.md lacks {name}");
    }
    for (name, _) in INTEGRATED {
        let (_, integrator) = name.split_once('@').unwrap();
        assert!(page.contains(&format!("`@{integrator}`")), "docs/solvers.md lacks @{integrator}");
    }
}
