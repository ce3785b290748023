//! A session with what it told sorted out.

#![allow(dead_code)]

use pliant_session::protocol::{Frame, SavedFile, SceneInfo, Settings, SolverChoice};
use pliant_session::{Command, Event, Session};

/// A session under test.
pub struct TestSession {
    pub session: Session,
    pub events: Vec<Event>,
}

impl TestSession {
    /// Without a scene.
    pub fn empty() -> Self {
        Self { session: Session::new(pliant_session::thread::clock), events: Vec::new() }
    }

    /// With a built-in scene.
    pub fn scene(name: &str, size: u32) -> Self {
        let mut session = Self::empty();
        session.send(Command::LoadScene { name: name.to_owned(), size: Some(size) });
        session.expect_no_error();
        session
    }

    /// Sends a command and takes what is told.
    pub fn send(&mut self, command: Command) {
        self.session.handle(command);
        self.events.extend(self.session.advance());
    }

    /// Sends a command that must be done.
    pub fn send_ok(&mut self, command: Command) {
        self.send(command);
        self.expect_no_error();
    }

    pub fn run_steps(&mut self, count: usize) {
        for _ in 0..count {
            // What was told before is not needed any more.
            self.events.retain(|e| !matches!(e, Event::Frame(_)));
            self.send_ok(Command::Step);
        }
    }

    pub fn set_solver(&mut self, name: &str) {
        self.send_ok(Command::Solver(SolverChoice::named(name)));
    }

    pub fn errors(&mut self) -> Vec<String> {
        let mut errors = Vec::new();
        self.events.retain(|e| match e {
            Event::Error(problem) => {
                errors.push(problem.clone());
                false
            }
            _ => true,
        });
        errors
    }

    pub fn expect_no_error(&mut self) {
        let errors = self.errors();
        assert!(errors.is_empty(), "{errors:?}");
    }

    /// The last frame that was told.
    pub fn frame(&self) -> &Frame {
        let frames = self.events.iter().rev();
        frames.clone().find_map(|e| if let Event::Frame(f) = e { Some(f) } else { None }).unwrap()
    }

    pub fn hash(&self) -> u64 {
        self.frame().hash
    }

    pub fn step(&self) -> u64 {
        self.frame().step
    }

    pub fn info(&self) -> &SceneInfo {
        let all = self.events.iter().rev();
        all.clone().find_map(|e| if let Event::Scene(s) = e { Some(s) } else { None }).unwrap()
    }

    pub fn settings(&self) -> &Settings {
        let last = self.events.iter().rev().find_map(|e| match e {
            Event::Settings(s) => Some(s.as_ref()),
            Event::Scene(s) => Some(&s.settings),
            _ => None,
        });
        last.unwrap()
    }

    pub fn notes(&self) -> Vec<String> {
        let of = |e: &Event| if let Event::Note(n) = e { Some(n.clone()) } else { None };
        self.events.iter().filter_map(of).collect()
    }

    pub fn file(&self) -> SavedFile {
        let of = |e: &Event| match e {
            Event::File(f) | Event::Snapshot(f) => Some(f.clone()),
            _ => None,
        };
        self.events.iter().rev().find_map(of).unwrap()
    }

    /// Position of a drawn vertex.
    pub fn at(&self, vertex: u32) -> [f32; 3] {
        let x = &self.frame().positions[3 * vertex as usize..];
        [x[0], x[1], x[2]]
    }

    pub fn is_finite(&self) -> bool {
        self.frame().positions.iter().all(|c| c.is_finite())
    }
}

pub fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (0..3).map(|c| (a[c] - b[c]) * (a[c] - b[c])).sum::<f32>().sqrt()
}

/// Solvers that run a cloth.
pub const SOLVERS: [&str; 12] = [
    "projective",
    "projective+anderson",
    "projective@bdf2",
    "xpbd",
    "vbd",
    "pbd",
    "pbd_jacobi",
    "hpbd",
    "constrained",
    "newton",
    "newton@midpoint",
    "verlet",
];
