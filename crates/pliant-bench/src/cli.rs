//! Command line of the benchmark.

use crate::contact;
use crate::ours::Side;
use crate::workload;

/// Parsed options.
pub struct Options {
    /// Workloads to run; all of them if empty.
    pub only: Vec<String>,
    /// If true, prints one JSON object per line instead of a table.
    pub json: bool,
    /// Number of threads for all contestants that support it; `None`: 1, and 1 and 2 for the scale workloads.
    pub threads: Option<usize>,
    /// Sampling time per row \[s\].
    pub seconds: f64,
    /// Policy for building missing peers before the run.
    pub setup: Setup,
    /// Engine or reference.
    pub side: Side,
}

/// Policy for running the setup script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setup {
    /// Runs it if a peer is missing.
    Auto,
    /// Runs only the setup script.
    Only,
    /// Never runs it.
    Never,
}

/// Action requested on the command line.
pub enum Request {
    /// Run the benchmark.
    Run(Options),
    /// Print this text and stop.
    Help(String),
}

/// Parses the arguments after the program name.
pub fn parse(arguments: impl IntoIterator<Item = String>) -> Result<Request, String> {
    let mut options = Options {
        only: vec![],
        json: false,
        threads: None,
        seconds: 2.0,
        setup: Setup::Auto,
        side: Side::Engine,
    };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "-h" | "--help" => return Ok(Request::Help(help())),
            "--json" => options.json = true,
            "--reference" => options.side = Side::Reference,
            "--setup" => options.setup = Setup::Only,
            "--no-setup" => options.setup = Setup::Never,
            "--only" => options.only.extend(matching(&value()?)?),
            "--threads" => {
                let text = value()?;
                let threads = text.parse().ok().filter(|&n: &usize| (1..=256).contains(&n));
                options.threads =
                    Some(threads.ok_or(format!("--threads is {text}; it must be from 1 to 256"))?);
            }
            "--seconds" => {
                let text = value()?;
                let seconds = text.parse().ok().filter(|&s: &f64| (0.0..=600.0).contains(&s));
                options.seconds =
                    seconds.ok_or(format!("--seconds is {text}; it must be from 0 to 600"))?;
            }
            _ => return Err(format!("unknown argument {argument}; see --help")),
        }
    }
    Ok(Request::Run(options))
}

/// Workloads that one `--only` selects: a name, several separated by commas, or the prefix of a name.
fn matching(text: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    for part in text.split(',') {
        let before = found.len();
        let exact = names().any(|(name, _)| name == part);
        let fits = |name: &str| if exact { name == part } else { name.starts_with(part) };
        found.extend(names().filter(|(name, _)| fits(name)).map(|(name, _)| name.to_owned()));
        if found.len() == before {
            let names: Vec<&str> = names().map(|(name, _)| name).collect();
            return Err(format!("there is no workload `{part}`; use one of {}", names.join(", ")));
        }
    }
    Ok(found)
}

/// Names and descriptions of all workloads and contact studies.
fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    workload::NAMES.into_iter().chain(contact::NAMES)
}

fn help() -> String {
    let mut text = String::from(
        "Runs other engines (peers) and Pliant alternately on the same work and prints the ratio \
         of their times.

  cargo run --release -p pliant-bench -- [options]

  --only NAME     workloads to run: a name, a prefix (W2, scale) or several, separated by commas
  --threads N     number of threads, where supported (1; the scale workloads: 1 and 2)
  --seconds S     sampling time per row (2); at least 5 rounds are taken
  --json          one JSON object per line instead of a table
  --reference     run the scalar f64 reference instead of the engine
  --setup         build the peers into the crate's build/ folder and exit
  --no-setup      do not build peers; missing ones are reported as absent
  --help          print this text

Milliseconds are per iteration over the whole workload: the median over rounds in which Pliant and
the peer alternate, so that disturbances affect both. Factorisation, colouring and loading are not timed.
ratio = peer / Pliant: above 1, Pliant is faster. precision is Pliant/peer.
1:th = Pliant on one thread / Pliant on the given threads, minimum times of both.
error, W1 and W3: equation (15) of \"Fast Simulation of Mass-Spring Systems\" after 10 iterations,
(g(x) - g(x*)) / (g(x0) - g(x*)), with x* computed once by the Eigen peer and cached in build/work.
error, contact-drop: maximum penetration over the run [m], measured from positions: the deficit of the distance
of the cloth from the ball and the ground. Its milliseconds are per step.
error, other workloads: root mean square of the constraints after the run.
hash: hash of Pliant's positions after the run.
The exit code is 1 if the error of Pliant exceeds the peer's by more than the stated margin, or if
surfaces of Pliant intersect.

Workloads:
",
    );
    for (name, what) in names() {
        text.push_str(&format!("  {name:<14}{what}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_takes_names_prefixes_and_lists() {
        assert_eq!(matching("W1"), Ok(vec!["W1".to_owned()]));
        assert_eq!(matching("W3,scale").map(|names| names.len()), Ok(6));
        assert!(matching("W9").is_err());
    }

    #[test]
    fn wrong_arguments_are_explained() {
        let error = |text: &str| parse(text.split(' ').map(str::to_owned)).err();
        assert!(error("--threads 0").is_some_and(|e| e.contains("1 to 256")));
        assert!(error("--only").is_some_and(|e| e.contains("needs a value")));
        assert!(error("--fast").is_some_and(|e| e.contains("--help")));
        assert!(error("--json --threads 2").is_none());
    }
}
