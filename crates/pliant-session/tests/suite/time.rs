//! Going on, back, and on again gives the same bits; so do a saved state and a shared scene.

use crate::common::Desk;
use pliant_session::protocol::SolverChoice;
use pliant_session::{Command, Event};

#[test]
fn every_scene_loads_and_takes_a_step() {
    for scene in pliant_scenes::all() {
        // Small, where the scene allows it: what counts is that each of them is drawn.
        let small = (scene.default_size as u32 / 3).max(3);
        let mut desk = Desk::empty();
        desk.tell(Command::LoadScene { name: scene.name.to_owned(), size: Some(small) });
        if !desk.errors().is_empty() {
            desk.tell(Command::LoadScene { name: scene.name.to_owned(), size: None });
        }
        desk.expect_no_error();
        let info = desk.info().clone();
        let last = info.bodies.last().unwrap();
        let drawn = (last.first + last.count) as usize;
        assert!(drawn > 1, "{}", scene.name);
        let cells = |b: &pliant_session::protocol::DrawnBody| b.triangles.len() + b.segments.len();
        assert!(info.bodies.iter().any(|b| cells(b) > 0), "{} shows nothing", scene.name);
        for body in &info.bodies {
            let (first, end) = (body.first, body.first + body.count);
            let own = |v: &u32| (first..end).contains(v);
            assert!(body.triangles.iter().flatten().all(own), "{}", scene.name);
            assert!(body.segments.iter().flatten().all(own), "{}", scene.name);
        }
        desk.order(Command::Step);
        let frame = desk.frame();
        assert_eq!(frame.positions.len(), 3 * drawn, "{}", scene.name);
        assert_eq!(frame.strain.len(), drawn, "{}", scene.name);
        assert_eq!(frame.colliders.len(), info.colliders.len(), "{}", scene.name);
        assert!(desk.is_finite(), "{}", scene.name);
    }
}

#[test]
fn stepping_back_restores_the_hash_and_stepping_on_gives_the_same_bits() {
    for solver in ["projective", "projective@bdf2", "xpbd", "newton"] {
        let mut desk = Desk::scene("cloth_on_ball", 11);
        desk.solver(solver);
        let mut hashes = vec![desk.hash()];
        for _ in 0..30 {
            desk.steps(1);
            hashes.push(desk.hash());
        }
        for step in (10..30).rev() {
            desk.order(Command::StepBack);
            assert_eq!((desk.step(), desk.hash()), (step, hashes[step as usize]), "{solver}");
        }
        desk.order(Command::Seek { step: 25 });
        assert_eq!(desk.hash(), hashes[25]);
        desk.order(Command::Seek { step: 4 });
        assert_eq!(desk.frame().recorded, [0, 30]);
        for hash in &hashes[5..] {
            desk.steps(1);
            assert_eq!(desk.hash(), *hash, "{solver} at step {}", desk.step());
        }
    }
}

#[test]
fn what_tears_comes_back_whole_and_tears_again() {
    let mut desk = Desk::scene("torn_sheet", 13);
    let whole = desk.info().bodies[0].count;
    let mut hashes = vec![desk.hash()];
    for _ in 0..120 {
        desk.steps(1);
        hashes.push(desk.hash());
    }
    let torn = desk.frame().positions.len();
    assert!(torn > 3 * whole as usize, "nothing tore");
    desk.order(Command::Seek { step: 2 });
    assert_eq!(desk.hash(), hashes[2]);
    assert_eq!(desk.frame().positions.len(), 3 * whole as usize);
    for hash in &hashes[3..] {
        desk.steps(1);
        assert_eq!(desk.hash(), *hash, "at step {}", desk.step());
    }
    assert_eq!(desk.frame().positions.len(), torn);
}

#[test]
fn what_was_done_is_played_again_after_going_back() {
    let mut desk = Desk::scene("hanging_cloth", 11);
    desk.steps(5);
    desk.order(Command::Grab { vertex: 60, target: desk.at(60) });
    for i in 0..5 {
        desk.order(Command::Drag { target: [0.3, -0.1, 0.05 * i as f32] });
        desk.steps(1);
    }
    desk.order(Command::Release);
    desk.order(Command::Gravity { g: [0.0, -3.0, 1.0] });
    desk.order(Command::Throw {
        from: [0.5, 0.5, 0.2],
        velocity: [0.0, -2.0, 0.0],
        radius: 0.1,
        density: 500.0,
    });
    desk.steps(5);
    desk.solver("xpbd");
    desk.steps(5);
    let (hash, bodies) = (desk.hash(), desk.frame().positions.len());
    desk.order(Command::Seek { step: 3 });
    assert!(desk.frame().replaying);
    assert!(desk.frame().positions.len() < bodies);
    assert_eq!(desk.settings().gravity, [0.0, -9.81, 0.0]);
    assert_eq!(desk.settings().solver.name, "projective");
    desk.steps(17);
    assert_eq!((desk.step(), desk.hash()), (20, hash));
    assert_eq!(desk.settings().solver.name, "xpbd");
    // And is not, where the user goes another way.
    desk.order(Command::Seek { step: 3 });
    desk.order(Command::ForgetFuture);
    assert!(!desk.frame().replaying);
    desk.steps(17);
    assert_ne!(desk.hash(), hash);
}

/// A scene with everything done to it.
fn busy() -> Desk {
    let mut desk = Desk::scene("hanging_cloth", 11);
    desk.order(Command::Parameters {
        values: vec![("cloth[0].young".to_owned(), 2e4), ("solver.iterations".to_owned(), 7.0)],
    });
    desk.steps(3);
    desk.order(Command::Wind { velocity: [0.0, 0.0, 4.0], gust: 0.3 });
    desk.order(Command::Pin { vertex: 33 });
    desk.steps(4);
    desk.order(Command::Grab { vertex: 100, target: desk.at(100) });
    for i in 0..6 {
        desk.order(Command::Drag { target: [0.4, -0.3, 0.3 + 0.1 * i as f32] });
        desk.steps(1);
    }
    desk.order(Command::Release);
    desk.order(Command::Unpin { vertex: 0 });
    desk.order(Command::TimeStep { dt: 0.01 });
    desk.order(Command::Cut {
        from: [[0.53, -2.0, -1.0], [0.53, -2.0, 2.0]],
        to: [[0.53, 1.0, -1.0], [0.53, 1.0, 2.0]],
    });
    desk.order(Command::Throw {
        from: [0.5, 0.3, 0.3],
        velocity: [0.0, -1.0, 0.0],
        radius: 0.08,
        density: 300.0,
    });
    desk.steps(10);
    desk.solver("vbd");
    desk.steps(5);
    desk
}

#[test]
fn a_shared_scene_gives_the_same_hash_at_the_same_step() {
    let mut desk = busy();
    let (step, hash) = (desk.step(), desk.hash());
    desk.order(Command::Share);
    let text = String::from_utf8(desk.file().bytes).unwrap();
    let mut other = Desk::empty();
    other.order(Command::LoadText { file: "shared.toml".to_owned(), text: text.clone() });
    other.steps(step as usize);
    assert_eq!((other.step(), other.hash()), (step, hash));
    assert!(other.notes().iter().any(|n| n.contains("to the last bit")), "{:?}", other.notes());
    // What is done after the last step changes the state, but not where the step led.
    other.order(Command::Pin { vertex: 50 });
    other.order(Command::Share);
    let text_with_pin = String::from_utf8(other.file().bytes).unwrap();
    let mut third = Desk::empty();
    third.order(Command::LoadText { file: "pinned.toml".to_owned(), text: text_with_pin });
    third.steps(step as usize);
    assert!(third.notes().iter().any(|n| n.contains("to the last bit")), "{:?}", third.notes());
    third.steps(1);
    other.steps(1);
    assert_eq!(third.hash(), other.hash());
    other.order(Command::Seek { step });
    other.order(Command::ForgetFuture);
    // Shared again, it is the same text.
    other.order(Command::Share);
    let again = String::from_utf8(other.file().bytes).unwrap();
    assert_eq!(again[again.find("[share]").unwrap()..], text[text.find("[share]").unwrap()..]);
}

#[test]
fn a_saved_state_goes_on_with_the_same_bits() {
    let mut desk = busy();
    desk.order(Command::Snapshot);
    let bytes = desk.file().bytes;
    let hash = desk.hash();
    desk.steps(10);
    let mut other = Desk::empty();
    other.order(Command::LoadSnapshot { bytes: bytes.clone() });
    assert_eq!(other.hash(), hash);
    other.steps(10);
    assert_eq!(other.hash(), desk.hash());
    // What is damaged is refused and changes nothing.
    let before = other.hash();
    for cut in (0..bytes.len()).step_by(bytes.len() / 40) {
        other.tell(Command::LoadSnapshot { bytes: bytes[..cut].to_vec() });
        assert_eq!(other.errors().len(), 1, "{cut} bytes");
    }
    for flip in (0..bytes.len()).step_by(bytes.len() / 40) {
        let mut bad = bytes.clone();
        bad[flip] ^= 0x55;
        other.tell(Command::LoadSnapshot { bytes: bad });
        // A letter in a comment or a name may change without harm; never the state.
        if other.errors().is_empty() {
            assert_eq!(other.hash(), hash);
            other.order(Command::LoadSnapshot { bytes: bytes.clone() });
            other.steps(10);
        }
        assert_eq!(other.hash(), before);
    }
}

#[test]
fn resetting_keeps_settings_and_forgets_what_was_done() {
    let mut desk = Desk::scene("hanging_cloth", 9);
    desk.order(Command::Gravity { g: [0.0, -2.0, 0.0] });
    desk.solver("xpbd");
    desk.order(Command::Pin { vertex: 40 });
    desk.steps(5);
    desk.order(Command::Reset);
    assert_eq!((desk.step(), desk.settings().gravity), (0, [0.0, -2.0, 0.0]));
    assert_eq!(desk.settings().solver.name, "xpbd");
    assert!(!desk.settings().pinned.contains(&40));
    let start = desk.hash();
    desk.steps(5);
    let hash = desk.hash();
    desk.order(Command::Reset);
    assert_eq!(desk.hash(), start);
    desk.steps(5);
    assert_eq!(desk.hash(), hash);
}

#[test]
fn a_solver_that_refuses_leaves_the_running_one() {
    let mut desk = Desk::scene("hanging_cloth", 9);
    desk.steps(3);
    let hash = desk.hash();
    desk.tell(Command::Solver(SolverChoice::named("mass_spring")));
    let errors = desk.errors();
    assert!(errors.len() == 1 && errors[0].contains("mass_spring"), "{errors:?}");
    assert_eq!((desk.hash(), desk.settings().solver.name.as_str()), (hash, "projective"));
    let refusals = &desk.info().solvers;
    let of = |name: &str| refusals.iter().find(|s| s.name == name).unwrap().refusal.clone();
    assert!(of("mass_spring").is_some() && of("projective").is_none() && of("newton").is_none());
}

#[test]
fn threads_do_not_change_a_bit() {
    let run = |count: u32| {
        let mut desk = Desk::scene("cloth_on_ball", 15);
        desk.order(Command::Threads { count });
        desk.steps(10);
        desk.order(Command::Grab { vertex: 7, target: desk.at(7) });
        desk.steps(5);
        desk.hash()
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn at_most_two_frames_are_ahead_of_the_user_interface() {
    let mut desk = Desk::scene("rope", 9);
    desk.order(Command::Pace { speed: f64::INFINITY });
    desk.order(Command::Ack { frame: desk.frame().number });
    desk.order(Command::Play);
    let count = |desk: &mut Desk| {
        desk.events.clear();
        for _ in 0..20 {
            desk.events.extend(desk.session.advance());
        }
        desk.events.iter().filter(|e| matches!(e, Event::Frame(_))).count()
    };
    assert!(count(&mut desk) <= 2);
    assert_eq!(count(&mut desk), 0);
    assert_eq!(desk.session.wait(), None);
    desk.session.handle(Command::Ack { frame: u64::MAX });
    assert_eq!(count(&mut desk), 2);
}
