//! A restless user: commands by chance, sensible and not, in any order. Nothing panics, everything stays
//! finite, and the session goes on.

use crate::common::{SOLVERS, TestSession};
use pliant::math::Random;
use pliant_session::Command;
use pliant_session::protocol::SolverChoice;

/// A user who sends commands by chance, the same in every run.
struct RandomUser(Random);

impl RandomUser {
    fn below(&mut self, n: u64) -> u64 {
        self.0.below(n as usize) as u64
    }

    /// From −1 to 1; now and then something that cannot be.
    fn number(&mut self) -> f32 {
        match self.below(200) {
            0 => f32::NAN,
            1 => f32::INFINITY,
            2 => 1e20,
            _ => self.below(2001) as f32 / 1000.0 - 1.0,
        }
    }

    fn point(&mut self, size: f32) -> [f32; 3] {
        [0; 3].map(|_| size * self.number())
    }

    fn command(&mut self, session: &TestSession) -> Command {
        let drawn = session.frame().positions.len() as u64 / 3;
        let vertex = self.below(drawn + 1) as u32;
        let recorded = session.frame().recorded_steps;
        match self.below(24) {
            0 => Command::Grab { vertex, target: self.point(1.0) },
            1..=5 => Command::Drag { target: self.point(2.0) },
            6 => Command::Release,
            7 => Command::Pin { vertex },
            8 => Command::Unpin { vertex },
            9 => Command::Throw {
                from: self.point(1.5),
                velocity: self.point(20.0),
                radius: 0.2 * self.number(),
                density: 1000.0 * self.number(),
            },
            10 => Command::Cut {
                from: [self.point(3.0), self.point(3.0)],
                to: [self.point(3.0), self.point(3.0)],
            },
            11 => Command::Solver(SolverChoice::named(SOLVERS[self.below(8) as usize])),
            12 => Command::Gravity { g: self.point(20.0).map(f64::from) },
            13 => Command::Wind { velocity: self.point(10.0).map(f64::from), gust: 0.5 },
            14 => Command::StepBack,
            15 => Command::Seek { step: recorded[0] + self.below(recorded[1] - recorded[0] + 3) },
            16 => Command::ForgetFuture,
            17 => Command::TimeStep { dt: 0.02 * f64::from(self.number()) },
            18 => {
                let all = &session.settings().parameters;
                let one = &all[self.below(all.len() as u64) as usize];
                let value = one.value * f64::from(1.0 + self.number());
                Command::Parameters { values: vec![(one.id.clone(), value)] }
            }
            19 => Command::Compare(match self.below(2) {
                0 => None,
                _ => Some(SolverChoice::named(SOLVERS[self.below(8) as usize])),
            }),
            20 if self.below(4) == 0 => Command::Reset,
            21 => Command::Share,
            22 => Command::Snapshot,
            _ => Command::ExportGlb,
        }
    }
}

#[test]
fn whatever_a_user_does_the_session_goes_on() {
    let scenes = [
        ("hanging_cloth", 7),
        ("torn_flag", 9),
        ("cloth_on_ball", 7),
        ("jelly_block", 2),
        ("plastic_bars", 1),
        ("rope", 9),
        ("balloons", 1),
        ("ripped_cloth", 7),
    ];
    let mut done = 0;
    for (i, (name, size)) in scenes.into_iter().enumerate() {
        let mut session = TestSession::scene(name, size);
        let mut user = RandomUser(Random::new(17 + i as u64));
        for _ in 0..120 {
            let command = user.command(&session);
            session.send(command);
            done += usize::from(session.errors().is_empty());
            for _ in 0..user.below(3) {
                session.events.retain(|e| !matches!(e, pliant_session::Event::Frame(_)));
                session.send(Command::Step);
            }
            assert!(session.is_finite(), "{name}");
        }
        // What it came to can be shared and opened, and leads to the same bits.
        session.errors();
        session.send_ok(Command::Release);
        session.send_ok(Command::ForgetFuture);
        session.run_steps(1);
        session.send_ok(Command::Share);
        let text = String::from_utf8(session.file().bytes).unwrap();
        let (step, hash) = (session.step(), session.hash());
        let mut other = TestSession::empty();
        other.send_ok(Command::LoadText { file: "soak.toml".to_owned(), text });
        other.run_steps(step as usize);
        assert_eq!((other.step(), other.hash()), (step, hash), "{name}");
    }
    assert!(done > 300, "{done} commands were done");
}
