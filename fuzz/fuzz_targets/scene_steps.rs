//! Scene → build → two steps under the scene's solver: no panic, finite positions, a snapshot that restores. Sizes are
//! clamped, so that a run takes milliseconds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use pliant::prelude::*;
use pliant_fuzz::{FilesBeside, two_steps};
use pliant_io::scene_file::parse_in_memory;
use toml::Value;

/// Entries of a list of numbers or points.
const MAX_LIST: usize = 64;
/// Bodies or colliders of a kind, pins of a body, key frames.
const MAX_TABLES: usize = 3;

const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// The largest value of a field that multiplies work.
fn largest(key: &str) -> Option<i64> {
    Some(match key {
        "columns" | "rows" | "around" => 8,
        "along" | "across" => 6,
        "vertices" => 16,
        "cells" | "iterations" | "warm_start_iterations" => 4,
        "substeps" | "per_vertex" => 3,
        "subdivisions" | "layers" | "rings" => 2,
        _ => return None,
    })
}

fn clamp(key: &str, value: &mut Value) {
    match value {
        Value::Integer(n) => *n = largest(key).map_or(*n, |most| (*n).min(most)),
        Value::Float(x) => *x = largest(key).map_or(*x, |most| x.min(most as f64)),
        Value::Array(list) => {
            let tables = list.iter().all(Value::is_table);
            list.truncate(if tables { MAX_TABLES } else { MAX_LIST });
            list.iter_mut().for_each(|item| clamp(key, item));
        }
        Value::Table(table) => table.iter_mut().for_each(|(key, value)| clamp(key, value)),
        _ => {}
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(table) = text.parse::<toml::Table>() else { return };
    let mut scene = Value::Table(table);
    clamp("", &mut scene);
    let Ok(text) = toml::to_string(&scene) else { return };
    let files = FilesBeside::from([("mesh.obj".to_owned(), OBJ.into())]);
    let Ok(file) = parse_in_memory("fuzz.toml", text, files) else { return };
    let Ok(built) = file.build() else { return };

    let mut solver = AnySolver::from(ProjectiveDynamics { iterations: 4, ..Default::default() });
    if let Some(spec) = &file.description.solver {
        // Its settings were checked when the scene was built; defaults take too long.
        solver = spec.solver().expect("a solver of that name with these settings");
        if !spec.settings.contains_key("iterations") {
            solver = solver.with_iterations(2);
        }
        if !spec.settings.contains_key("substeps") {
            solver = solver.with_substeps(1);
        }
    }
    let Ok(mut sim) = Simulation::new(built.model, solver) else { return };
    if file.description.intersection_free {
        sim.set_contact_mode(ContactMode::IntersectionFree);
    }
    two_steps(&mut sim);
});
