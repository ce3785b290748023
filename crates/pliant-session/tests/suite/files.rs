//! Files in and out: meshes that are dropped, animations, and what is refused.

use crate::common::{self, TestSession};
use pliant_session::protocol::{MeshRole, SolverChoice, decode, encode};
use pliant_session::{Command, Event};

/// A closed cube with a seam: eight corners, one of them twice.
const CUBE: &str = "o cube\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0 0 0\n\
                    f 1 4 3\nf 1 3 2\nf 5 6 7\nf 5 7 8\nf 9 2 6\nf 9 6 5\nf 4 8 7\nf 4 7 3\nf 1 5 8\nf 1 8 4\n\
                    f 2 3 7\nf 2 7 6\n";

#[test]
fn a_dropped_mesh_falls_as_cloth_and_as_a_solid_whose_surface_follows() {
    for role in [MeshRole::Cloth, MeshRole::Solid] {
        let mut session = TestSession::empty();
        let bytes = CUBE.as_bytes().to_vec();
        session.send_ok(Command::LoadMesh { file: "cube.obj".to_owned(), bytes, role });
        let info = session.info().clone();
        assert_eq!((info.bodies.len(), info.bodies[0].vertex_count), (1, 9), "{role:?}");
        assert!(info.notes.iter().any(|n| n.contains("12 triangles")), "{:?}", info.notes);
        assert!(info.notes.iter().any(|n| n.contains("weld")), "{:?}", info.notes);
        let start = session.at(6);
        session.send_ok(Command::Grab { vertex: 6, target: start });
        session.run_steps(20);
        assert!(common::distance(session.at(6), start) < 0.1, "{role:?}");
        session.send_ok(Command::Release);
        session.run_steps(120);
        let lowest = (0..9).map(|v| session.at(v)[1]).fold(f32::MAX, f32::min);
        // A solid lies on the lattice that fills it, which reaches up to a cell beyond its surface.
        let most = if role == MeshRole::Solid { 1.0 / 12.0 } else { 0.01 };
        assert!(lowest.abs() < most, "{role:?}: it lies at {lowest} m");
        assert!(session.at(6)[1] < start[1] - 0.1, "{role:?}");
        // It can be shared as well, with its mesh.
        session.send_ok(Command::Share);
        let (step, hash) = (session.step(), session.hash());
        let text = String::from_utf8(session.file().bytes).unwrap();
        let mut other = TestSession::empty();
        other.send_ok(Command::LoadText { file: "cube.toml".to_owned(), text });
        other.run_steps(step as usize);
        assert_eq!(other.hash(), hash, "{role:?}");
    }
}

#[test]
fn every_object_of_a_dropped_mesh_is_a_body() {
    let two = format!("{CUBE}o sheet\nv 2 0 0\nv 3 0 0\nv 2 0 1\nf 10 12 11\n");
    let mut session = TestSession::empty();
    let (file, bytes) = ("two.obj".to_owned(), two.clone().into_bytes());
    session.send_ok(Command::LoadMesh { file: file.clone(), bytes, role: MeshRole::Cloth });
    let names: Vec<&str> = session.info().bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    session.run_steps(3);
    // Two of one name cannot be told apart.
    let bytes = two.replace("o sheet", "o cube").into_bytes();
    session.send(Command::LoadMesh { file, bytes, role: MeshRole::Cloth });
    assert!(session.errors().len() <= 1);
}

#[test]
fn recorded_frames_are_a_gltf_file_with_a_morph_target_each() {
    let mut session = TestSession::scene("cloth_on_ball", 9);
    session.run_steps(10);
    session.send_ok(Command::Throw {
        from: [0.0, 1.5, 0.0],
        velocity: [0.0; 3],
        radius: 0.1,
        density: 300.0,
    });
    session.run_steps(5);
    session.send_ok(Command::ExportGlb);
    let file = session.file();
    assert_eq!(file.name, "cloth_on_ball.glb");
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(&file.bytes).unwrap();
    let blob = blob.unwrap();
    let names: Vec<&str> = document.nodes().filter_map(|n| n.name()).collect();
    assert!(names.contains(&"ball 1"), "{names:?}");
    let mesh = document.meshes().next().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    // The start and fifteen steps: the first is the mesh, the others are targets.
    assert_eq!(primitive.morph_targets().count(), 15);
    let reader = primitive.reader(|_| Some(&blob));
    assert_eq!(
        reader.read_positions().unwrap().count() as u32,
        session.info().bodies[0].vertex_count
    );
    assert_eq!(document.animations().count(), 1);
}

#[test]
fn a_torn_cloth_can_be_exported() {
    let mut session = TestSession::scene("hanging_cloth", 9);
    session.run_steps(3);
    session.send_ok(Command::Cut {
        from: [[-5.0, -0.4, -5.0], [-5.0, -0.4, 5.0]],
        to: [[5.0, -0.4, -5.0], [5.0, -0.4, 5.0]],
    });
    session.run_steps(10);
    session.send_ok(Command::ExportGlb);
    let document = gltf::Gltf::from_slice(&session.file().bytes).unwrap();
    let primitive = document.meshes().next().unwrap().primitives().next().unwrap();
    assert_eq!(primitive.morph_targets().count(), 13);
}

#[test]
fn what_is_malformed_is_refused_in_words_and_changes_nothing() {
    let mut session = TestSession::scene("hanging_cloth", 9);
    session.run_steps(3);
    let hash = session.hash();
    let nan = f32::NAN;
    let text = |text: &str| Command::LoadText { file: "x.toml".to_owned(), text: text.to_owned() };
    let mesh = |file: &str, bytes: &[u8], role| Command::LoadMesh {
        file: file.to_owned(),
        bytes: bytes.to_vec(),
        role,
    };
    let parameter =
        |name: &str, value| Command::Parameters { values: vec![(name.to_owned(), value)] };
    let ball = |radius, density, x| Command::Throw {
        from: [x, 0.0, 0.0],
        velocity: [0.0; 3],
        radius,
        density,
    };
    let bad = vec![
        Command::LoadScene { name: "no such scene".to_owned(), size: None },
        Command::LoadScene { name: "rope".to_owned(), size: Some(0) },
        Command::LoadScene { name: "rope".to_owned(), size: Some(u32::MAX) },
        text(""),
        text("[[cloth]]\nmesh = 3"),
        text("nonsense = ["),
        text("é = [\n\u{1F600}"),
        text("[[cloth]]\n[cloth.mesh.file]\npath = \"../secret.obj\"\n"),
        text("[share]\nversion = 1\n"),
        text("[share]\nversion = 7\n"),
        text("[share]\nversion = 1\n[[share.action]]\nstep = 1\ndo = \"dance\"\n"),
        mesh("a.obj", b"v 0 0", MeshRole::Cloth),
        mesh("a.obj", b"", MeshRole::Cloth),
        mesh("a.glb", b"glTF nonsense", MeshRole::Solid),
        mesh("a.exe", b"MZ", MeshRole::Solid),
        mesh("open.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", MeshRole::Solid),
        Command::Solver(SolverChoice::named("magic")),
        Command::Solver(SolverChoice { iterations: Some(0), ..SolverChoice::named("xpbd") }),
        Command::Solver(SolverChoice { substeps: Some(u32::MAX), ..SolverChoice::named("xpbd") }),
        Command::TimeStep { dt: f64::NAN },
        Command::TimeStep { dt: -1.0 },
        Command::Gravity { g: [f64::NAN, 0.0, 0.0] },
        Command::Wind { velocity: [0.0, f64::INFINITY, 0.0], gust: 0.0 },
        parameter("cloth[0].young", f64::NAN),
        parameter("cloth[0].young", -1.0),
        parameter("cloth[7].young", 1.0),
        parameter("cloth[x].young", 1.0),
        parameter("solver.magic", 1.0),
        parameter("solver.iterations", -3.0),
        parameter("solver.iterations", 20_000.0),
        Command::Grab { vertex: 100_000, target: [0.0; 3] },
        Command::Grab { vertex: 1, target: [nan, 0.0, 0.0] },
        Command::Drag { target: [0.0, nan, 0.0] },
        Command::Pin { vertex: u32::MAX },
        Command::Unpin { vertex: u32::MAX },
        ball(0.0, 1.0, 0.0),
        ball(0.1, -1.0, 0.0),
        ball(0.1, 1.0, nan),
        Command::Cut { from: [[nan; 3]; 2], to: [[0.0; 3]; 2] },
        Command::Compare(Some(SolverChoice::named("magic"))),
        Command::Compare(Some(SolverChoice::named("mass_spring"))),
        Command::LoadSnapshot { bytes: vec![1, 2, 3] },
        Command::Seek { step: 77 },
        Command::Speed { speed: f64::NAN },
        Command::Speed { speed: -1.0 },
    ];
    for command in bad {
        let what = format!("{command:?}");
        session.send(command);
        let errors = session.errors();
        assert_eq!(errors.len(), 1, "{what}: {errors:?}");
        assert!(errors[0].len() > 15, "{what}: {errors:?}");
        session.send_ok(Command::Pause);
        session.send_ok(Command::ForgetFuture);
        assert_eq!(session.hash(), hash, "{what}");
    }
    // Nothing of it is left.
    session.run_steps(5);
    let mut other = TestSession::scene("hanging_cloth", 9);
    other.run_steps(8);
    assert_eq!(session.hash(), other.hash());
}

#[test]
fn without_a_scene_every_command_is_answered() {
    let mut session = TestSession::empty();
    for command in [
        Command::Play,
        Command::Step,
        Command::StepBack,
        Command::Reset,
        Command::Grab { vertex: 0, target: [0.0; 3] },
        Command::Share,
        Command::Snapshot,
        Command::ExportGlb,
        Command::Cut { from: [[0.0; 3]; 2], to: [[1.0; 3]; 2] },
    ] {
        session.send(command);
        assert_eq!(session.errors().len(), 1);
    }
    session.send_ok(Command::Release);
    session.send_ok(Command::Drag { target: [0.0; 3] });
}

#[test]
fn messages_come_back_from_their_bytes() {
    let mut session = TestSession::scene("free_flight", 3);
    session.run_steps(1);
    for event in &session.events {
        let back: Event = decode(&encode(event)).unwrap();
        assert_eq!(back, *event);
    }
    let command = Command::Grab { vertex: 3, target: [1.0, 2.0, 3.0] };
    assert_eq!(decode::<Command>(&encode(&command)), Ok(command));
    assert!(decode::<Command>(&[255, 255, 255]).is_err());
    // Positions are one after the other: four bytes each and little else.
    let bytes = encode(&session.frame().positions);
    assert!(bytes.len() <= 4 * session.frame().positions.len() + 4);
}
