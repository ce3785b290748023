//! What the viewer shows at first: a scene, a file, or what a link says.
//!
//! A link's fragment is `#scene=NAME`, with `&size=N`, `&solver=NAME`, `&iterations=N` and
//! `&substeps=N` where wanted, `&speed=` and a number or `max`, `&paused` to stand still, `&steps=N` to do so
//! after some; or `#share=` and a shared file, packed.

use pliant_session::Command;
use pliant_session::protocol::SolverChoice;

use crate::link::GivenFile;
use crate::pack;

/// The scene that is shown where nothing else is asked for.
pub const FIRST: &str = "hanging_cloth";

/// The most steps that a link takes before it stands still.
const MOST_STEPS: u32 = 10_000;

/// What to begin with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// What is sent to the simulation, in order.
    pub commands: Vec<Command>,
    /// A file that the user gave.
    pub file: Option<GivenFile>,
}

impl Start {
    /// The scene that is shown where nothing else is asked for.
    pub fn first() -> Self {
        Self::scene(FIRST, None)
    }

    /// A file that the user gave.
    pub fn file(file: GivenFile) -> Self {
        Self { commands: Vec::new(), file: Some(file) }
    }

    /// The same under another solver.
    pub fn under(mut self, solver: &str) -> Self {
        let at = self.commands.len().min(1);
        self.commands.insert(at, Command::Solver(SolverChoice::named(solver)));
        self
    }

    /// A built-in scene.
    pub fn scene(name: &str, size: Option<u32>) -> Self {
        let load = Command::LoadScene { name: name.to_owned(), size };
        Self { commands: vec![load, Command::Play], file: None }
    }

    /// What the fragment of a link asks for; what it cannot mean is said in words.
    pub fn from_fragment(fragment: &str) -> Result<Self, String> {
        let fragment = fragment.trim_start_matches('#');
        if let Some(packed) = fragment.strip_prefix("share=") {
            let text = pack::unpack(packed)?;
            let load = Command::LoadText { file: "the link".to_owned(), text };
            return Ok(Self { commands: vec![load, Command::Play], file: None });
        }
        let (mut name, mut size, mut play) = (FIRST.to_owned(), None, true);
        let mut solver: Option<SolverChoice> = None;
        let (mut speed, mut steps) = (None, None);
        for pair in fragment.split('&').filter(|p| !p.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let count = || {
                let number = value.parse::<u32>();
                number.map_err(|_| format!("{value:?} is no number for {key} in the link"))
            };
            match key {
                "scene" => name = value.to_owned(),
                "size" => size = Some(count()?),
                "paused" => play = false,
                "steps" => steps = Some(count()?),
                "speed" => speed = Some(pace(value)?),
                "solver" => {
                    let name = value.replace("%2B", "+").replace("%40", "@");
                    solver.get_or_insert_default().name = name;
                }
                "iterations" => solver.get_or_insert_default().iterations = Some(count()?),
                "substeps" => solver.get_or_insert_default().substeps = Some(count()?),
                _ => return Err(format!("the link says {key:?}, which means nothing here")),
            }
        }
        let mut start = Self::scene(&name, size);
        if let Some(solver) = solver {
            if solver.name.is_empty() {
                return Err("the link sets a solver's numbers but names no solver".to_owned());
            }
            start.commands.insert(1, Command::Solver(solver));
        }
        start.commands.extend(speed.map(|speed| Command::Pace { speed }));
        if let Some(steps) = steps {
            play = false;
            start.commands.extend((0..steps.min(MOST_STEPS)).map(|_| Command::Step));
        }
        if !play {
            start.commands.retain(|c| *c != Command::Play);
        }
        Ok(start)
    }
}

/// Simulated seconds per second, or as many as can be.
fn pace(value: &str) -> Result<f64, String> {
    if value == "max" {
        return Ok(f64::INFINITY);
    }
    let number = value.parse::<f64>().ok().filter(|v| *v > 0.0);
    number.ok_or_else(|| format!("{value:?} is no speed: a number above zero, or max"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_scene_size_and_solver() {
        let start = Start::from_fragment("#scene=curtain&size=81&solver=mass_spring&iterations=10")
            .expect("a link");
        let solver = SolverChoice {
            name: "mass_spring".into(),
            iterations: Some(10),
            ..SolverChoice::default()
        };
        let load = Command::LoadScene { name: "curtain".into(), size: Some(81) };
        assert_eq!(start.commands, [load, Command::Solver(solver), Command::Play]);
        let stepped = Start::from_fragment("scene=rope&steps=3").expect("a link");
        assert_eq!(stepped.commands[1..], [Command::Step, Command::Step, Command::Step]);
        let paused = Start::from_fragment("scene=rope&paused").expect("a link");
        assert_eq!(paused.commands.len(), 1);
    }

    #[test]
    fn no_link_is_the_first_scene() {
        assert_eq!(Start::from_fragment(""), Ok(Start::scene(FIRST, None)));
        assert!(pliant_scenes::by_name(FIRST).is_some());
    }

    #[test]
    fn what_a_link_cannot_mean_is_said() {
        for bad in ["size=big", "solvr=x", "iterations=3", "share=!!"] {
            assert!(Start::from_fragment(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_packed_file_comes_out_again() {
        let text = "name = \"a scene\"\n".repeat(40);
        let start = Start::from_fragment(&format!("#share={}", pack::pack(&text))).expect("a link");
        let load = Command::LoadText { file: "the link".into(), text };
        assert_eq!(start.commands[0], load);
    }
}
