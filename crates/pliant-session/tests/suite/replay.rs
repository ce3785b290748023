//! Going on, back, and on again gives the same bits; so do a saved state and a shared scene.

use crate::common::TestSession;
use pliant_session::protocol::SolverChoice;
use pliant_session::{Command, Event};

#[test]
fn every_scene_loads_and_takes_a_step() {
    for scene in pliant_scenes::all() {
        // Small, where the scene allows it: what counts is that each of them is drawn.
        let small = (scene.default_size as u32 / 3).max(3);
        let mut session = TestSession::empty();
        session.send(Command::LoadScene { name: scene.name.to_owned(), size: Some(small) });
        if !session.errors().is_empty() {
            session.send(Command::LoadScene { name: scene.name.to_owned(), size: None });
        }
        session.expect_no_error();
        let info = session.info().clone();
        let last = info.bodies.last().unwrap();
        let drawn = (last.first_vertex + last.vertex_count) as usize;
        assert!(drawn > 1, "{}", scene.name);
        let cells = |b: &pliant_session::protocol::RenderBody| b.triangles.len() + b.segments.len();
        assert!(info.bodies.iter().any(|b| cells(b) > 0), "{} shows nothing", scene.name);
        for body in &info.bodies {
            let (first, end) = (body.first_vertex, body.first_vertex + body.vertex_count);
            let own = |v: &u32| (first..end).contains(v);
            assert!(body.triangles.iter().flatten().all(own), "{}", scene.name);
            assert!(body.segments.iter().flatten().all(own), "{}", scene.name);
        }
        session.send_ok(Command::Step);
        let frame = session.frame();
        assert_eq!(frame.positions.len(), 3 * drawn, "{}", scene.name);
        assert_eq!(frame.strain.len(), drawn, "{}", scene.name);
        assert_eq!(frame.colliders.len(), info.colliders.len(), "{}", scene.name);
        assert!(session.is_finite(), "{}", scene.name);
    }
}

#[test]
fn stepping_back_restores_the_hash_and_stepping_on_gives_the_same_bits() {
    for solver in ["projective", "projective@bdf2", "xpbd", "newton"] {
        let mut session = TestSession::scene("cloth_on_ball", 11);
        session.set_solver(solver);
        let mut hashes = vec![session.hash()];
        for _ in 0..30 {
            session.run_steps(1);
            hashes.push(session.hash());
        }
        for step in (10..30).rev() {
            session.send_ok(Command::StepBack);
            assert_eq!((session.step(), session.hash()), (step, hashes[step as usize]), "{solver}");
        }
        session.send_ok(Command::Seek { step: 25 });
        assert_eq!(session.hash(), hashes[25]);
        session.send_ok(Command::Seek { step: 4 });
        assert_eq!(session.frame().recorded_steps, [0, 30]);
        for hash in &hashes[5..] {
            session.run_steps(1);
            assert_eq!(session.hash(), *hash, "{solver} at step {}", session.step());
        }
    }
}

#[test]
fn what_tears_comes_back_whole_and_tears_again() {
    let mut session = TestSession::scene("torn_sheet", 13);
    let whole = session.info().bodies[0].vertex_count;
    let mut hashes = vec![session.hash()];
    for _ in 0..120 {
        session.run_steps(1);
        hashes.push(session.hash());
    }
    let torn = session.frame().positions.len();
    assert!(torn > 3 * whole as usize, "nothing tore");
    session.send_ok(Command::Seek { step: 2 });
    assert_eq!(session.hash(), hashes[2]);
    assert_eq!(session.frame().positions.len(), 3 * whole as usize);
    for hash in &hashes[3..] {
        session.run_steps(1);
        assert_eq!(session.hash(), *hash, "at step {}", session.step());
    }
    assert_eq!(session.frame().positions.len(), torn);
}

#[test]
fn what_was_done_is_played_again_after_going_back() {
    let mut session = TestSession::scene("hanging_cloth", 11);
    let own = session.settings().solver.name.clone();
    session.run_steps(5);
    session.send_ok(Command::Grab { vertex: 60, target: session.at(60) });
    for i in 0..5 {
        session.send_ok(Command::Drag { target: [0.3, -0.1, 0.05 * i as f32] });
        session.run_steps(1);
    }
    session.send_ok(Command::Release);
    session.send_ok(Command::Gravity { g: [0.0, -3.0, 1.0] });
    session.send_ok(Command::Throw {
        from: [0.5, 0.5, 0.2],
        velocity: [0.0, -2.0, 0.0],
        radius: 0.1,
        density: 500.0,
    });
    session.run_steps(5);
    session.set_solver("vbd");
    session.run_steps(5);
    let (hash, bodies) = (session.hash(), session.frame().positions.len());
    session.send_ok(Command::Seek { step: 3 });
    assert!(session.frame().replaying);
    assert!(session.frame().positions.len() < bodies);
    assert_eq!(session.settings().gravity, [0.0, -9.81, 0.0]);
    assert_eq!(session.settings().solver.name, own);
    session.run_steps(17);
    assert_eq!((session.step(), session.hash()), (20, hash));
    assert_eq!(session.settings().solver.name, "vbd");
    // And is not, where the user goes another way.
    session.send_ok(Command::Seek { step: 3 });
    session.send_ok(Command::ForgetFuture);
    assert!(!session.frame().replaying);
    session.run_steps(17);
    assert_ne!(session.hash(), hash);
}

/// A scene with everything done to it.
fn busy() -> TestSession {
    let mut session = TestSession::scene("hanging_cloth", 11);
    session.send_ok(Command::Parameters {
        values: vec![("cloth[0].young".to_owned(), 2e4), ("solver.iterations".to_owned(), 7.0)],
    });
    session.run_steps(3);
    session.send_ok(Command::Wind { velocity: [0.0, 0.0, 4.0], gust: 0.3 });
    session.send_ok(Command::Pin { vertex: 33 });
    session.run_steps(4);
    session.send_ok(Command::Grab { vertex: 100, target: session.at(100) });
    for i in 0..6 {
        session.send_ok(Command::Drag { target: [0.4, -0.3, 0.3 + 0.1 * i as f32] });
        session.run_steps(1);
    }
    session.send_ok(Command::Release);
    session.send_ok(Command::Unpin { vertex: 0 });
    session.send_ok(Command::TimeStep { dt: 0.01 });
    session.send_ok(Command::Cut {
        from: [[0.53, -2.0, -1.0], [0.53, -2.0, 2.0]],
        to: [[0.53, 1.0, -1.0], [0.53, 1.0, 2.0]],
    });
    session.send_ok(Command::Throw {
        from: [0.5, 0.3, 0.3],
        velocity: [0.0, -1.0, 0.0],
        radius: 0.08,
        density: 300.0,
    });
    session.run_steps(10);
    session.set_solver("vbd");
    session.run_steps(5);
    session
}

#[test]
fn a_shared_scene_gives_the_same_hash_at_the_same_step() {
    let mut session = busy();
    let (step, hash) = (session.step(), session.hash());
    session.send_ok(Command::Share);
    let text = String::from_utf8(session.file().bytes).unwrap();
    let mut other = TestSession::empty();
    other.send_ok(Command::LoadText { file: "shared.toml".to_owned(), text: text.clone() });
    other.run_steps(step as usize);
    assert_eq!((other.step(), other.hash()), (step, hash));
    assert!(other.notes().iter().any(|n| n.contains("bit-identical")), "{:?}", other.notes());
    // What is done after the last step changes the state, but not where the step led.
    other.send_ok(Command::Pin { vertex: 50 });
    other.send_ok(Command::Share);
    let text_with_pin = String::from_utf8(other.file().bytes).unwrap();
    let mut third = TestSession::empty();
    third.send_ok(Command::LoadText { file: "pinned.toml".to_owned(), text: text_with_pin });
    third.run_steps(step as usize);
    assert!(third.notes().iter().any(|n| n.contains("bit-identical")), "{:?}", third.notes());
    third.run_steps(1);
    other.run_steps(1);
    assert_eq!(third.hash(), other.hash());
    other.send_ok(Command::Seek { step });
    other.send_ok(Command::ForgetFuture);
    // Shared again, it is the same text.
    other.send_ok(Command::Share);
    let again = String::from_utf8(other.file().bytes).unwrap();
    assert_eq!(again[again.find("[share]").unwrap()..], text[text.find("[share]").unwrap()..]);
}

#[test]
fn a_saved_state_goes_on_with_the_same_bits() {
    let mut session = busy();
    session.send_ok(Command::Snapshot);
    let bytes = session.file().bytes;
    let hash = session.hash();
    session.run_steps(10);
    let mut other = TestSession::empty();
    other.send_ok(Command::LoadSnapshot { bytes: bytes.clone() });
    assert_eq!(other.hash(), hash);
    other.run_steps(10);
    assert_eq!(other.hash(), session.hash());
    // What is damaged is refused and changes nothing.
    let before = other.hash();
    for cut in (0..bytes.len()).step_by(bytes.len() / 40) {
        other.send(Command::LoadSnapshot { bytes: bytes[..cut].to_vec() });
        assert_eq!(other.errors().len(), 1, "{cut} bytes");
    }
    for flip in (0..bytes.len()).step_by(bytes.len() / 40) {
        let mut bad = bytes.clone();
        bad[flip] ^= 0x55;
        other.send(Command::LoadSnapshot { bytes: bad });
        // A letter in a comment or a name may change without harm; never the state.
        if other.errors().is_empty() {
            assert_eq!(other.hash(), hash);
            other.send_ok(Command::LoadSnapshot { bytes: bytes.clone() });
            other.run_steps(10);
        }
        assert_eq!(other.hash(), before);
    }
}

#[test]
fn resetting_keeps_settings_and_forgets_what_was_done() {
    let mut session = TestSession::scene("hanging_cloth", 9);
    session.send_ok(Command::Gravity { g: [0.0, -2.0, 0.0] });
    session.set_solver("xpbd");
    session.send_ok(Command::Pin { vertex: 40 });
    session.run_steps(5);
    session.send_ok(Command::Reset);
    assert_eq!((session.step(), session.settings().gravity), (0, [0.0, -2.0, 0.0]));
    assert_eq!(session.settings().solver.name, "xpbd");
    assert!(!session.settings().pinned.contains(&40));
    let start = session.hash();
    session.run_steps(5);
    let hash = session.hash();
    session.send_ok(Command::Reset);
    assert_eq!(session.hash(), start);
    session.run_steps(5);
    assert_eq!(session.hash(), hash);
}

#[test]
fn a_solver_that_refuses_leaves_the_running_one() {
    let mut session = TestSession::scene("hanging_cloth", 9);
    session.run_steps(3);
    let (hash, own) = (session.hash(), session.settings().solver.name.clone());
    session.send(Command::Solver(SolverChoice::named("mass_spring")));
    let errors = session.errors();
    assert!(errors.len() == 1 && errors[0].contains("mass_spring"), "{errors:?}");
    assert_eq!((session.hash(), &session.settings().solver.name), (hash, &own));
    let refusals = &session.info().solvers;
    let of = |name: &str| refusals.iter().find(|s| s.name == name).unwrap().refusal.clone();
    assert!(of("mass_spring").is_some() && of("projective").is_none() && of("newton").is_none());
}

#[test]
fn threads_do_not_change_a_bit() {
    let run = |count: u32| {
        let mut session = TestSession::scene("cloth_on_ball", 15);
        session.send_ok(Command::Threads { count });
        session.run_steps(10);
        session.send_ok(Command::Grab { vertex: 7, target: session.at(7) });
        session.run_steps(5);
        session.hash()
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn at_most_two_frames_are_ahead_of_the_user_interface() {
    let mut session = TestSession::scene("rope", 9);
    session.send_ok(Command::Speed { speed: f64::INFINITY });
    session.send_ok(Command::Ack { frame: session.frame().number });
    session.send_ok(Command::Play);
    let count = |session: &mut TestSession| {
        session.events.clear();
        for _ in 0..20 {
            session.events.extend(session.session.advance());
        }
        session.events.iter().filter(|e| matches!(e, Event::Frame(_))).count()
    };
    assert!(count(&mut session) <= 2);
    assert_eq!(count(&mut session), 0);
    assert_eq!(session.session.wait(), None);
    session.session.handle(Command::Ack { frame: u64::MAX });
    assert_eq!(count(&mut session), 2);
}

#[test]
fn choices_of_a_solver_are_shown_changed_shared_and_refused() {
    let mut session = TestSession::scene("hanging_cloth", 7);
    session.set_solver("newton");
    let shown = |session: &TestSession, id: &str| {
        let settings = session.settings();
        settings.parameters.iter().find(|p| p.id == id).cloned()
    };
    let hessian = shown(&session, "solver.hessian").unwrap();
    assert_eq!(hessian.choices, ["adaptive", "projected", "exact", "unmodified"]);
    assert!(shown(&session, "solver.cg_tolerance").is_none());
    let set = |id: &str, value: f64| Command::Parameters { values: vec![(id.to_owned(), value)] };
    session.send_ok(set("solver.linear_solver", 1.0));
    session.send_ok(set("solver.cg_tolerance", 1e-4));
    session.send_ok(set("solver.line_search", 0.0));
    assert_eq!(shown(&session, "solver.cg_tolerance").unwrap().value, 1e-4);
    session.send(set("solver.hessian", 4.0));
    let errors = session.errors();
    assert!(errors.len() == 1 && errors[0].contains("adaptive"), "{errors:?}");
    session.run_steps(4);
    session.send_ok(Command::Share);
    let text = String::from_utf8(session.file().bytes).unwrap();
    let mut other = TestSession::empty();
    other.send_ok(Command::LoadText { file: "shared.toml".to_owned(), text });
    other.run_steps(4);
    assert_eq!(other.hash(), session.hash());
    assert_eq!(shown(&other, "solver.line_search").unwrap().value, 0.0);
    // The number that only this choice uses goes with it.
    other.send_ok(set("solver.linear_solver", 0.0));
    assert!(shown(&other, "solver.cg_tolerance").is_none());
    other.run_steps(1);
}
