//! Launch options of the viewer: a scene, a file, or the fragment of a link.
//!
//! A link's fragment is `#scene=NAME`, optionally with `&size=N`, `&solver=NAME`, `&iterations=N` and
//! `&substeps=N`, `&speed=` and a number or `max`, `&paused` to start paused, `&steps=N` to pause after a
//! number of steps; or `#share=` and a compressed shared file.

use pliant_session::Command;
use pliant_session::protocol::SolverChoice;

use crate::platform::UserFile;
use crate::url_codec;

/// Scene shown by default.
pub const DEFAULT_SCENE: &str = "hanging_cloth";

/// Maximum number of steps that a link takes before it pauses.
const MAX_LINK_STEPS: u32 = 10_000;

/// Initial commands and files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LaunchOptions {
    /// Commands to send to the simulation, in order.
    pub commands: Vec<Command>,
    /// File given by the user.
    pub file: Option<UserFile>,
}

impl LaunchOptions {
    /// Options for the default scene.
    pub fn default_scene() -> Self {
        Self::scene(DEFAULT_SCENE, None)
    }

    /// Options for a file given by the user.
    pub fn file(file: UserFile) -> Self {
        Self { commands: Vec::new(), file: Some(file) }
    }

    /// The same options with another solver.
    pub fn with_solver(mut self, solver: &str) -> Self {
        let at = self.commands.len().min(1);
        self.commands.insert(at, Command::Solver(SolverChoice::named(solver)));
        self
    }

    /// Options for a built-in scene.
    pub fn scene(name: &str, size: Option<u32>) -> Self {
        let load = Command::LoadScene { name: name.to_owned(), size };
        Self { commands: vec![load, Command::Play], file: None }
    }

    /// Options from the fragment of a link; the error describes an invalid fragment.
    pub fn from_fragment(fragment: &str) -> Result<Self, String> {
        let fragment = fragment.trim_start_matches('#');
        if let Some(packed) = fragment.strip_prefix("share=") {
            let text = url_codec::decode(packed)?;
            let load = Command::LoadText { file: "the link".to_owned(), text };
            return Ok(Self { commands: vec![load, Command::Play], file: None });
        }
        let (mut name, mut size, mut play) = (DEFAULT_SCENE.to_owned(), None, true);
        let mut solver: Option<SolverChoice> = None;
        let (mut speed, mut steps) = (None, None);
        for pair in fragment.split('&').filter(|p| !p.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let count = || {
                let number = value.parse::<u32>();
                number.map_err(|_| format!("invalid link: {key} is {value:?}; it must be a number"))
            };
            match key {
                "scene" => name = value.to_owned(),
                "size" => size = Some(count()?),
                "paused" => play = false,
                "steps" => steps = Some(count()?),
                "speed" => speed = Some(parse_speed(value)?),
                "solver" => {
                    let name = value.replace("%2B", "+").replace("%40", "@");
                    solver.get_or_insert_default().name = name;
                }
                "iterations" => solver.get_or_insert_default().iterations = Some(count()?),
                "substeps" => solver.get_or_insert_default().substeps = Some(count()?),
                _ => return Err(format!("invalid link: unknown key {key:?}")),
            }
        }
        let mut start = Self::scene(&name, size);
        if let Some(solver) = solver {
            if solver.name.is_empty() {
                return Err("invalid link: iterations or substeps without a solver".to_owned());
            }
            start.commands.insert(1, Command::Solver(solver));
        }
        start.commands.extend(speed.map(|speed| Command::Speed { speed }));
        if let Some(steps) = steps {
            play = false;
            start.commands.extend((0..steps.min(MAX_LINK_STEPS)).map(|_| Command::Step));
        }
        if !play {
            start.commands.retain(|c| *c != Command::Play);
        }
        Ok(start)
    }
}

/// Parses simulated seconds per second, or `max`.
fn parse_speed(value: &str) -> Result<f64, String> {
    if value == "max" {
        return Ok(f64::INFINITY);
    }
    let number = value.parse::<f64>().ok().filter(|v| *v > 0.0);
    number.ok_or_else(|| {
        format!("invalid link: speed is {value:?}; it must be a positive number or max")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_names_scene_size_and_solver() {
        let start =
            LaunchOptions::from_fragment("#scene=curtain&size=81&solver=mass_spring&iterations=10")
                .expect("a link");
        let solver = SolverChoice {
            name: "mass_spring".into(),
            iterations: Some(10),
            ..SolverChoice::default()
        };
        let load = Command::LoadScene { name: "curtain".into(), size: Some(81) };
        assert_eq!(start.commands, [load, Command::Solver(solver), Command::Play]);
        let stepped = LaunchOptions::from_fragment("scene=rope&steps=3").expect("a link");
        assert_eq!(stepped.commands[1..], [Command::Step, Command::Step, Command::Step]);
        let paused = LaunchOptions::from_fragment("scene=rope&paused").expect("a link");
        assert_eq!(paused.commands.len(), 1);
    }

    #[test]
    fn no_link_is_the_first_scene() {
        assert_eq!(LaunchOptions::from_fragment(""), Ok(LaunchOptions::scene(DEFAULT_SCENE, None)));
        assert!(pliant_scenes::by_name(DEFAULT_SCENE).is_some());
    }

    #[test]
    fn what_a_link_cannot_mean_is_said() {
        for bad in ["size=big", "solvr=x", "iterations=3", "share=!!"] {
            assert!(LaunchOptions::from_fragment(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_packed_file_comes_out_again() {
        let text = "name = \"a scene\"\n".repeat(40);
        let start = LaunchOptions::from_fragment(&format!("#share={}", url_codec::encode(&text)))
            .expect("a link");
        let load = Command::LoadText { file: "the link".into(), text };
        assert_eq!(start.commands[0], load);
    }
}
