//! Contract: every form of a collider shape is read, written, refused, built, collided with and documented as the
//! table of fields in its own file says.
//!
//! `docs/scene-format.md` has the table of shapes that these tables give. After a change of them,
//!
//! ```text
//! PLIANT_UPDATE_DOCS=1 cargo test -p pliant-io --test suite shape_forms::
//! ```
//!
//! writes it.

use std::path::Path;

use crate::doc_table;
use pliant::contact::shape::{Shape, ShapeForm};
use pliant::math::Vec3;
use pliant::prelude::*;
use pliant_io::scene_file::{self, SceneFile};

const CLOTH: &str = "[[cloth]]\nmesh.grid = { columns = 17, rows = 17, width = 0.4 }\n\
                     place.move = [-0.2, 0.25, -0.2]\n";

fn read(text: &str) -> Result<SceneFile, String> {
    scene_file::parse("scene.toml", text.to_owned(), Path::new(".")).map_err(|e| e.to_string())
}

fn on_collider(form: &ShapeForm) -> SceneFile {
    read(&format!("{CLOTH}[[collider]]\n{} = {}\n", form.name, form.example)).expect(form.name)
}

#[test]
fn every_example_survives_writing() {
    for form in Shape::forms() {
        let file = on_collider(form);
        let written = scene_file::write(&file.description).unwrap();
        let again = read(&written).unwrap_or_else(|e| panic!("{}: {e}\n{written}", form.name));
        assert_eq!(file.description, again.description, "{}", form.name);
        assert_eq!(file.description.collider[0].shape[0].name, form.name);
    }
}

#[test]
fn a_cloth_comes_to_lie_on_every_example() {
    for form in Shape::forms() {
        let model = on_collider(form).build().unwrap().model;
        let collider = model.colliders()[0].clone();
        let mut sim = Simulation::new(model, Xpbd::default()).unwrap();
        let mut most = 0;
        let mut deepest = 0.0_f64;
        for _ in 0..45 {
            sim.step();
            most = most.max(sim.report().contacts.colliders);
            for p in &sim.state().positions {
                let p = Vec3::of([0, 1, 2].map(|c| f64::from(p[c])));
                let local = collider.pose(0.0).inverse_transform_point(p);
                if let Some(near) = collider.shape().nearest(local, 0.1) {
                    deepest = deepest.max(-near.distance);
                }
            }
        }
        println!("{}: {most} contacts, penetration {:.2e} m", form.name, deepest);
        assert!(most > 3, "{}: {most} contacts", form.name);
        assert!(deepest < 1e-4, "{}: {deepest} m deep", form.name);
    }
}

#[test]
fn closed_shapes_are_rigid_bodies_too_and_others_are_refused() {
    for form in Shape::forms() {
        let text = format!("[[rigid]]\nmass = 0.5\n{} = {}\n", form.name, form.example);
        if form.is_closed {
            let model = read(&text).unwrap().build().expect(form.name).model;
            let mass: f64 = model.masses().iter().sum();
            assert!((mass - 0.5).abs() < 1e-12, "{}: {mass} kg", form.name);
        } else {
            let problem = read(&text).unwrap_err();
            let unknown = format!("line 3, column 1: unknown field `{}`", form.name);
            assert!(problem.contains(&unknown), "{problem}");
        }
    }
}

#[test]
fn wrong_fields_are_refused_at_their_place() {
    let mut tables = 0;
    for form in Shape::forms().filter(|form| !form.fields[0].name.is_empty()) {
        let (name, first) = (form.name, form.fields[0].name);
        let wrong = form.example.replacen(first, "bogus", 1);
        let problem = read(&format!("[[collider]]\n{name} = {wrong}\n")).unwrap_err();
        let column = name.len() + " = { ".len() + 1;
        let expected = format!("line 2, column {column}: unknown field `bogus`, expected one of `");
        assert!(problem.contains(&expected), "{problem}");
        let problem = read(&format!("[[collider]]\n{name} = {{}}\n")).unwrap_err();
        assert!(problem.contains("line 2") && problem.contains("missing field `"), "{problem}");
        let problem = read(&format!("[[collider]]\n{name} = {{ {first} = true }}\n")).unwrap_err();
        assert!(problem.contains("line 2") && problem.contains("invalid type"), "{problem}");
        tables += 1;
    }
    assert!(tables > 5, "{tables}");
}

#[test]
fn the_schema_has_every_shape_with_its_fields() {
    let schema: serde_json::Value = serde_json::from_str(&scene_file::schema()).unwrap();
    for form in Shape::forms() {
        let of = |owner: &str| schema["$defs"][owner]["properties"][form.name].clone();
        let own = of("ColliderSpec");
        assert!(own["description"].is_string(), "{}: {own}", form.name);
        assert_eq!(of("RigidBody").is_object(), form.is_closed, "{}", form.name);
        for field in form.fields.iter().filter(|field| !field.name.is_empty()) {
            let meaning = own["properties"][field.name]["description"].as_str().unwrap();
            assert!(meaning.starts_with(field.meaning), "{meaning}");
        }
    }
    assert!(schema["$defs"]["SheetMesh"].is_object());
}

/// Fields of a form, as the table of shapes lists them.
fn fields_of(form: &ShapeForm) -> String {
    let fields = form.fields.iter().map(|field| {
        let name = if field.name.is_empty() { String::new() } else { format!("`{}`", field.name) };
        let default = field.default_text().map(|text| format!("({text})"));
        let unit =
            (!field.unit.is_empty() && !field.name.is_empty()).then(|| field.unit.to_owned());
        let head: Vec<String> =
            [Some(name), unit, default].into_iter().flatten().filter(|s| !s.is_empty()).collect();
        match head.join(" ") {
            head if head.is_empty() => field.meaning.to_owned(),
            head => format!("{head}: {}", field.meaning),
        }
    });
    fields.collect::<Vec<_>>().join("; ")
}

#[test]
fn the_page_on_scene_files_has_the_table_of_shapes() {
    let row = |form: &ShapeForm| {
        let rigid = if form.is_closed { "yes" } else { "no" };
        vec![format!("`{}`", form.name), fields_of(form), form.solid.to_owned(), rigid.to_owned()]
    };
    let rows: Vec<_> = Shape::forms().map(row).collect();
    let head = ["shape", "fields (default)", "solid", "`[[rigid]]`"];
    doc_table::check_table("docs/scene-format.md", &head, &rows);
}
