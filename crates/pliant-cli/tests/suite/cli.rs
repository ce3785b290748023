//! Contract: the command does what its help says, tells users what is wrong and where, and gives
//! scripts exit codes and JSON.

use std::path::Path;

use crate::common::{self, fails, hash, ok};

fn stdout_text(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn alone_it_simulates_the_default_scene_and_says_what_to_try() {
    let folder = tempfile::tempdir().unwrap();
    let output = ok(folder.path(), &[]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("Try next"), "{said}");
    for file in ["out/tablecloth.glb", "out/tablecloth.png"] {
        let size = std::fs::metadata(folder.path().join(file)).unwrap().len();
        assert!(size > 10_000, "{file}: {size}");
    }
}

#[test]
fn every_scene_written_as_a_file_gives_the_same_hash() {
    let folder = tempfile::tempdir().unwrap();
    for scene in pliant_scenes::all() {
        let name = scene.name;
        ok(folder.path(), &["list", "scenes", "--write", name]);
        let file = format!("{name}.toml");
        let run = |what: &str| {
            let args = ["run", what, "--frames", "3", "--json", "--out", "x.plc"];
            hash(&ok(folder.path(), &args))
        };
        let by_name = run(name);
        assert_eq!(run(&file), by_name, "{name}");
        // And as the scene function builds it.
        let model = (scene.build)(scene.default_size).unwrap();
        let solver = scene.describe(1).solver.unwrap_or_default().solver().unwrap();
        let mut sim = pliant::Simulation::new(model, solver).unwrap();
        for _ in 0..3 {
            sim.step();
        }
        assert_eq!(format!("{:016x}", sim.hash()), by_name, "{name}");
    }
}

#[test]
fn mistakes_in_a_scene_file_are_shown_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        (
            "[[cloth]]\nmesh.grid = { columns = 4, rows = 4 }\ncolour = 3\n",
            "line 3, column 1",
            "colour",
        ),
        (
            "[[cloth]]\nmesh.grid = { columns = 4, rows = -4 }\n",
            "line 2, column 35",
            "whole number",
        ),
        ("[[cloth]]\nmesh.grid = { columns = 4, rows = 4\n", "line 2", ""),
        ("gravity = [0, 1]\n", "line 1", ""),
        (
            "[[cloth]]\nmaterial.preset = \"silc\"\nmesh.grid = { columns = 4, rows = 4 }\n",
            "line 2",
            "silk",
        ),
        (
            "[[cloth]]\nmesh.grid = { columns = 4, rows = 4 }\n[[cloth.pin]]\nat.vertices = [16]\n",
            "line 3",
            "16",
        ),
        ("[[cloth]]\nmesh = {}\n", "line 2", "grid"),
        (
            "[[cloth]]\nmesh.grid = { columns = 4, rows = 4 }\n[[cloth.pin]]\nat.box = [[5,5,5],[6,6,6]]\n",
            "line 3",
            "selection is empty",
        ),
        ("[[cloth]]\nmesh.grid = { columns = 1, rows = 4 }\n", "line 2", "at least"),
        ("[[cloth]]\nmesh.file.path = \"no.obj\"\n", "line 2", "no.obj"),
        (
            "[[cloth]]\nmesh.grid = { columns = 4, rows = 4 }\nmaterial.density = -1.0\n",
            "line 3",
            "density",
        ),
        (
            "[[rigid]]\ndensity = 100\nmesh.grid = { columns = 4, rows = 4 }\n",
            "line 3",
            "open at the edge",
        ),
        (
            "[[cloth]]\nmesh.grid = { columns = 4, rows = 4 }\n[[cloth.attach_to]]\nat.vertices = [1]\nto = \"cube\"\n",
            "line 3",
            "there is no rigid body \"cube\"",
        ),
        ("", "scene.toml", "no vertices"),
    ];
    for (scene, place, word) in cases {
        std::fs::write(folder.path().join("scene.toml"), scene).unwrap();
        let said = fails(folder.path(), 2, &["run", "scene.toml"]);
        println!("{said}");
        assert!(said.contains(place) && said.contains(word), "{scene}\n{said}");
    }
}

#[test]
fn wrong_arguments_end_with_code_two_and_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(fails(folder, 2, &["run", "hanging-cloht"]).contains("did you mean hanging_cloth"));
    assert!(fails(folder, 2, &["run", "rope", "--solver", "magic"]).contains("projective"));
    assert!(fails(folder, 2, &["run", "rope", "--out", "x.mp4"]).contains("glb"));
    assert!(fails(folder, 2, &["run", "rope", "--iterations", "0"]).contains("from 1"));
    assert!(fails(folder, 2, &["run", "rope", "--dt", "-1"]).contains("step"));
    assert!(fails(folder, 2, &["run", "torus", "--solver", "mass-spring"]).contains("projective"));
    assert!(fails(folder, 2, &["explain", "coton"]).contains("cotton"));
    assert!(fails(folder, 2, &["render", "rope", "--out", "x.jpg"]).contains("png"));
    assert!(fails(folder, 2, &["convert", "no.plc", "x.glb"]).contains("no.plc"));
    assert!(fails(folder, 2, &["convert", "no.plc", "x.csv"]).contains("pliant run"));
}

/// Numbers of a column of a CSV file, by the solver of each row.
fn column(csv: &str, name: &str) -> Vec<(String, f64)> {
    let at = csv.lines().next().unwrap().split(',').position(|head| head == name).unwrap();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].to_owned(), cells[at].parse().unwrap())
    };
    csv.lines().skip(1).map(row).collect()
}

#[test]
fn solvers_come_nearer_to_the_motion_with_their_substeps() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let solvers = "projective,projective:substeps=10,newton,newton:substeps=8,verlet";
    let scene = ["compare", "hanging-cloth", "--size", "7", "--frames", "12", "--solvers", solvers];
    let output = ok(folder, &scene);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("reference: newton, f64,") && said.contains("0 of 12 frames"), "{said}");
    let csv = std::fs::read_to_string(folder.join("out/compare/table.csv")).unwrap();
    let errors = column(&csv, "error_percent_of_size");
    let of = |label: &str| errors.iter().find(|(l, _)| l == label).unwrap().1;
    assert!(of("projective:substeps=10") < 0.2 * of("projective"), "{csv}");
    // Newton is measured like any other: implicit Euler is of first order.
    let ratio = of("newton") / of("newton:substeps=8");
    assert!(of("newton") > 0.0 && (5.0..12.0).contains(&ratio), "{ratio}\n{csv}");
    assert!(of("verlet") < of("newton:substeps=8"), "{csv}");
    for extension in ["svg", "png"] {
        assert!(folder.join(format!("out/compare/error-motion.{extension}")).exists());
    }
    assert!(folder.join("out/compare/bodies.png").exists());
    let wrong = |solvers: &str, words: &str| {
        let told = fails(folder, 2, &["compare", "rope", "--solvers", solvers]);
        assert!(told.contains(words), "{told}");
    };
    wrong("xpbd:levels=2", "xpbd has no setting \"levels\"");
    wrong("xpbd:levels", "NAME=VALUE");
}

#[test]
fn single_steps_are_compared_with_verified_minimisers() {
    let folder = tempfile::tempdir().unwrap();
    for scene in [["hanging-cloth", "9"], ["twisting-bar", "1"]] {
        let out = format!("compare-{}", scene[0]);
        let args = ["compare", scene[0], "--size", scene[1], "--frames", "12", "--out", &out];
        let output = ok(folder.path(), &[&args[..], &["--reference", "step"]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("the minimisers of 8 steps") && !said.contains("warning"), "{said}");
        let table = stdout_text(&output);
        let folder = folder.path().join(&out);
        for solver in ["projective", "xpbd", "pbd", "newton"] {
            assert!(table.contains(solver), "{table}");
        }
        let csv = std::fs::read_to_string(folder.join("table.csv")).unwrap();
        let errors = column(&csv, "relative_energy_error");
        let newton = errors.iter().find(|(label, _)| label == "newton").unwrap().1;
        assert!(newton < 1e-10, "{csv}");
        let curves = std::fs::read_to_string(folder.join("curves.csv")).unwrap();
        let mut errors = column(&curves, "relative_energy_error");
        // Newton with one iteration is far from the minimiser, and is said to be.
        let newton = errors.iter().find(|(label, _)| label == "newton").unwrap().1;
        assert!(newton > 1e-6, "{curves}");
        errors.retain(|(label, _)| label == "projective");
        let errors: Vec<f64> = errors.into_iter().map(|(_, error)| error).collect();
        assert_eq!(errors.len(), 9);
        assert!(errors.windows(2).all(|w| w[1] <= w[0] * 1.000_001), "{errors:?}");
        assert!(errors[8] < 0.5 * errors[0], "{errors:?}");
        for chart in ["error-iterations", "error-time"] {
            let svg = std::fs::read_to_string(folder.join(format!("{chart}.svg"))).unwrap();
            assert!(svg.starts_with("<svg") && svg.contains("projective"), "{chart}");
            assert!(folder.join(format!("{chart}.png")).exists());
        }
    }
}

#[test]
fn the_frontier_has_the_cheapest_setting_for_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let args = ["compare", "rope", "--size", "9", "--frames", "10", "--frontier", "--solvers"];
    let table = stdout_text(&ok(folder, &[&args[..], &["projective,xpbd"]].concat()));
    assert!(table.contains("0.3 %") && table.contains(" × "), "{table}");
    let csv = std::fs::read_to_string(folder.join("out/compare/frontier.csv")).unwrap();
    let (errors, times) = (column(&csv, "error_percent_of_size"), column(&csv, "ms_per_frame"));
    let on_front = csv.lines().skip(1).map(|line| line.ends_with("true"));
    let points: Vec<(f64, f64, bool)> =
        errors.iter().zip(&times).zip(on_front).map(|((e, t), front)| (e.1, t.1, front)).collect();
    let front: Vec<_> = points.iter().filter(|p| p.2).collect();
    assert!(front.len() > 1 && front.len() < points.len(), "{csv}");
    for f in front {
        assert!(!points.iter().any(|p| p.0 < f.0 && p.1 < f.1), "{f:?}\n{csv}");
    }
    assert!(errors.iter().any(|(_, error)| *error < 0.3), "{csv}");
    let told = fails(folder, 2, &["compare", "rope", "--frontier", "--reference", "step"]);
    assert!(told.contains("remove --reference step"), "{told}");
}

#[test]
fn comparing_all_runs_every_solver_on_one_scene_file_or_says_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ok(folder, &["list", "scenes", "--write", "curtain", "--size", "5"]);
    ok(folder, &["compare", "curtain.toml", "--all", "--frames", "4"]);
    let motion = std::fs::read_to_string(folder.join("out/compare/table.csv")).unwrap();
    let step = ["compare", "curtain.toml", "--all", "--frames", "4", "--reference", "step"];
    let output = ok(folder, &step);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let table = std::fs::read_to_string(folder.join("out/compare/table.csv")).unwrap();
    let has = |text: &str, name: &str| text.lines().any(|l| l.split(',').next() == Some(name));
    use pliant::solvers::{ACCELERATED, INTEGRATED, LIST};
    for (name, _) in LIST.iter().chain(ACCELERATED).chain(INTEGRATED) {
        assert!(has(&motion, name), "{name} is missing:\n{motion}");
    }
    for (name, _) in LIST.iter().chain(ACCELERATED) {
        let explicit = ["explicit", "symplectic", "verlet"].contains(name);
        assert_eq!(has(&table, name), !explicit, "{name}:\n{table}\n{said}");
        assert!(!explicit || said.contains(&format!("{name} skipped")), "{said}");
    }
    for (name, _) in INTEGRATED {
        assert!(said.contains(name) && !has(&table, name), "{name}: {said}");
    }
    let refused = ok(folder, &["compare", "torus", "--size", "1", "--all", "--frames", "2"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("mass_spring skipped"), "{said}");
}

#[test]
fn caches_are_drawn_and_converted_and_meshes_checked() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ok(folder, &["run", "free-flight", "--frames", "12", "--out", "a.plc", "a.csv"]);
    let csv = std::fs::read_to_string(folder.join("a.csv")).unwrap();
    assert_eq!(csv.lines().count(), 13);
    ok(
        folder,
        &["render", "a.plc", "--out", "a.png", "a.gif", "--width", "160", "--height", "100"],
    );
    ok(folder, &["convert", "a.plc", "b.glb"]);
    ok(folder, &["convert", "a.plc", "b.usda"]);
    for file in ["a.png", "a.gif", "b.glb", "b.usda"] {
        assert!(folder.join(file).metadata().unwrap().len() > 1000, "{file}");
    }
    ok(folder, &["convert", "a.plc", "c.ply"]);
    let report = stdout_text(&ok(folder, &["check", "c_0001.ply"]));
    assert!(report.contains("triangles"), "{report}");
    let found = common::pliant(folder).args(["check", "a.csv"]).output().unwrap();
    assert_eq!(found.status.code(), Some(2));
    // A cache that was cut off is good up to its last whole frame; garbage is refused.
    let whole = std::fs::read(folder.join("a.plc")).unwrap();
    std::fs::write(folder.join("cut.plc"), &whole[..whole.len() - 5]).unwrap();
    ok(folder, &["convert", "cut.plc", "d.pc2"]);
    std::fs::write(folder.join("bad.plc"), &whole[..20]).unwrap();
    assert!(fails(folder, 2, &["render", "bad.plc"]).contains("bad.plc"));
}

#[test]
fn the_matrix_has_every_element_under_every_solver_or_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let table = stdout_text(&ok(folder.path(), &["list", "--matrix"]));
    for info in pliant::elements::registry() {
        let row = table.lines().find(|l| l.split_whitespace().next() == Some(info.name));
        let row = row.unwrap_or_else(|| panic!("{} is missing:\n{table}", info.name));
        let marks = row.split_whitespace().skip(1).count();
        // The solver for springs alone is no column.
        assert_eq!(marks, pliant::solvers::LIST.len() - 1, "{row}");
        assert!(!row.contains('–'), "{row}");
    }
    assert!(table.contains("mass_spring supports only pin and spring"), "{table}");
    let json = stdout_text(&ok(folder.path(), &["list", "--matrix", "--json"]));
    assert_eq!(
        json.lines().count(),
        pliant::elements::registry().len() * pliant::solvers::LIST.len()
    );
}

#[test]
fn lists_schema_and_completions_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (what, word) in [
        ("scenes", "rope"),
        ("solvers", "xpbd"),
        ("settings", "line_search"),
        ("elements", "dihedral"),
        ("materials", "denim"),
    ] {
        assert!(stdout_text(&ok(folder, &["list", what])).contains(word), "{what}");
        let json = stdout_text(&ok(folder, &["list", what, "--json"]));
        for line in json.lines() {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(value["name"].is_string() && value["summary"].is_string());
        }
    }
    let schema: serde_json::Value =
        serde_json::from_str(&stdout_text(&ok(folder, &["schema"]))).unwrap();
    assert!(schema["properties"]["cloth"].is_object());
    assert!(stdout_text(&ok(folder, &["completions", "bash"])).contains("_pliant"));
    assert!(stdout_text(&ok(folder, &["explain", "rubber"])).contains("Source"));
    assert!(stdout_text(&ok(folder, &["--help"])).contains("Examples"));
    let bench = ["bench", "rope", "--frames", "3", "--json"];
    assert!(stdout_text(&ok(folder, &bench)).contains("ms_per_frame"));
}

#[test]
fn settings_of_solvers_come_from_arguments_and_scene_files() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = |args: &[&str]| {
        let common = ["--frames", "5", "--json", "--out", "x.plc"];
        hash(&ok(folder, &[&["run"], args, &common].concat()))
    };
    let rope = ["rope", "--size", "9", "--solver", "hpbd"];
    let coarse = run(&rope);
    let plain = run(&[&rope[..], &["--set", "levels=0"]].concat());
    assert_ne!(coarse, plain);
    assert_eq!(run(&["rope", "--size", "9", "--solver", "pbd"]), plain, "no levels are PBD");
    ok(folder, &["list", "scenes", "--write", "rope", "--size", "9"]);
    let text = std::fs::read_to_string(folder.join("rope.toml")).unwrap();
    let start = text.find("[solver]").unwrap();
    let end = start + text[start..].find("\n[").unwrap_or(text.len() - start);
    let with = |solver: &str| {
        let text = format!("{}[solver]\n{solver}\n{}", &text[..start], &text[end..]);
        std::fs::write(folder.join("own.toml"), text).unwrap();
    };
    with("name = \"hpbd\"\nlevels = 0\n");
    assert_eq!(run(&["own.toml"]), plain);
    // Settings of the file belong to the file's solver.
    assert_eq!(run(&["own.toml", "--solver", "hpbd"]), plain);
    assert_eq!(run(&["own.toml", "--set", "levels=8"]), coarse);
    assert!(text[start..end].contains("name"));

    let wrong = |args: &[&str], words: &str| {
        let told = fails(folder, 2, &[&["run", "rope"], args].concat());
        assert!(told.contains(words), "{told}");
    };
    wrong(
        &["--solver", "xpbd", "--set", "levels=2"],
        "xpbd has no setting \"levels\"; its settings are iterations",
    );
    wrong(
        &["--solver", "newton", "--set", "hessian=best"],
        "it must be one of adaptive, projected, exact",
    );
    wrong(&["--solver", "verlet", "--iterations", "3"], "verlet has no setting \"iterations\"");
    wrong(&["--set", "levels"], "NAME=VALUE");
    with("name = \"hpbd\"\nlevel = 0\n");
    let told = fails(folder, 2, &["run", "own.toml"]);
    assert!(told.contains("unknown field `level`") && told.contains("line "), "{told}");
    with("name = \"xpbd\"\nlevels = 0\n");
    let told = fails(folder, 2, &["run", "own.toml"]);
    assert!(told.contains("no setting \"levels\"") && told.contains("line "), "{told}");
    let help = stdout_text(&ok(folder, &["run", "--help"]));
    assert!(help.contains("warm_start_iterations") && help.contains("newton@bdf2"), "{help}");
}

#[test]
fn every_format_is_in_the_list_the_help_the_errors_and_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let text = |args: &[&str]| stdout_text(&ok(folder, args));
    // Words rather than parts of words: `obj` is a part of "object".
    let has =
        |text: &str, word: &str| text.split(|c: char| !c.is_alphanumeric()).any(|w| w == word);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-format.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (list, run) = (text(&["list", "formats", "--json"]), text(&["run", "--help"]));
    let error = fails(folder, 2, &["run", "rope", "--out", "x.mp4"]);
    let (mut read, mut written) = (0, 0);
    for line in list.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let (names, summary) =
            (value["name"].as_str().unwrap(), value["summary"].as_str().unwrap());
        for name in names.split(", ") {
            assert!(page.contains(&format!("`{name}`")), "{name}");
            if summary.starts_with("read: ") {
                assert!(pliant_io::import::extensions().any(|e| e == name), "{name}");
                assert!(has(&text(&["check", "--help"]), name), "{name}");
                assert!(has(&text(&["convert", "--help"]), name), "{name}");
                read += 1;
            } else {
                assert!(has(&run, name) && has(&error, name), "{name}: {error}");
                // A report takes a run.
                assert_eq!(has(&text(&["convert", "--help"]), name), name != "csv", "{name}");
                written += 1;
            }
        }
    }
    assert_eq!(read, pliant_io::import::extensions().count());
    assert_eq!(written, pliant_io::export::extensions().count() + 4);
    let found = common::pliant(folder).args(["check", "a.blend"]).output().unwrap();
    let words = stdout_text(&found);
    assert!(pliant_io::import::extensions().all(|e| has(&words, e)), "{words}");
}

#[test]
fn quiet_says_nothing_and_threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let run = |threads: &str| {
        let args =
            ["run", "curtain", "--frames", "5", "--threads", threads, "--json", "--out", "t.plc"];
        let output = ok(folder, &args);
        assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        hash(&output)
    };
    assert_eq!(run("1"), run("3"));
    let quiet = ok(folder, &["run", "rope", "--frames", "2", "--quiet", "--out", "q.plc"]);
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty());
}

#[test]
fn contacts_are_said_counted_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let scene = "[[cloth]]\nmesh.grid = { columns = 5, rows = 5, width = 0.3 }\nplace.move = [-0.15, 0.11, -0.15]\n\
                 [[collider]]\nname = \"ball\"\nsphere = { center = [0, 0, 0], radius = 0.1 }\n\
                 [[collider]]\nplane.point = [0, -0.1, 0]\n";
    std::fs::write(folder.join("scene.toml"), scene).unwrap();
    let outs = ["a.csv", "a.obj", "a.plc", "a.png"];
    let args = ["run", "scene.toml", "--frames", "40", "--out"];
    let output = ok(folder, &[&args[..], &outs[..]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = said.lines().find(|l| l.starts_with("contacts at the end")).expect(&said);
    assert!(line.contains("with colliders") && line.contains("max penetration"), "{line}");
    let csv = std::fs::read_to_string(folder.join("a.csv")).unwrap();
    let column = |line: &str, k: usize| line.split(',').nth(k).unwrap_or("").to_owned();
    let (head, last) = (csv.lines().next().unwrap(), csv.lines().last().unwrap());
    assert_eq!(column(head, 8), "contacts_colliders");
    assert!(column(last, 8).parse::<usize>().unwrap() > 0, "{last}");
    // The ball is a mesh of its own, the plane is not; without them, only the cloth is left.
    let objects = |file: &str| {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        text.lines().filter(|l| l.starts_with("o ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(objects("a_0001.obj")[1..], ["o ball"]);
    ok(folder, &[&args[..4], &["--no-colliders", "--out", "b.obj", "b.png"]].concat());
    assert_eq!(objects("b_0001.obj").len(), 1);
    ok(folder, &["convert", "a.plc", "c.obj"]);
    assert_eq!(objects("c_0001.obj")[1..], ["o ball"]);
    ok(folder, &["convert", "a.plc", "d.obj", "--no-colliders"]);
    assert_eq!(objects("d_0001.obj").len(), 1);
    // A cache is drawn as its run is.
    ok(folder, &["render", "a.plc", "--frame", "40", "--out", "cache.png"]);
    ok(folder, &["render", "scene.toml", "--frame", "40", "--out", "scene.png"]);
    let read = |file: &str| std::fs::read(folder.join(file)).unwrap();
    assert_eq!(read("cache.png"), read("scene.png"));
    assert_ne!(read("a.png"), read("b.png"));
}
