//! Benchmark of the engine against peers on the same work, in the same run, with the ratio of times. See the
//! README of the crate.

mod band;
mod cli;
mod compare;
mod contact;
mod engine;
mod geometry;
mod measure;
mod ours;
mod peer;
#[cfg(feature = "rapier")]
mod rapier;
mod reference;
mod runner;
mod stats;
mod table;
mod throughput;
mod workload;

use cli::{Options, Request, Setup};
use compare::Failure;
use peer::{Peer, Program};
use runner::Runner;
use std::process::{Command, ExitCode};
use std::time::Duration;
use workload::{Kind, NAMES, Workload};

fn main() -> ExitCode {
    let options = match cli::parse(std::env::args().skip(1)) {
        Ok(Request::Run(options)) => options,
        Ok(Request::Help(text)) => {
            print!("{text}");
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::from(2);
        }
    };
    let needed = options.only.is_empty()
        || NAMES.iter().any(|(name, _)| options.only.iter().any(|only| only == name));
    let missing = needed && [Program::Eigen, Program::Pypbd].iter().any(|p| !p.is_ready());
    if options.setup == Setup::Only || options.setup == Setup::Auto && missing {
        set_up();
    }
    if options.setup == Setup::Only {
        return ExitCode::SUCCESS;
    }
    warn_if_busy();
    if !options.json {
        println!("{}", table::heading());
    }
    let mut failures = Vec::new();
    let mut strain_cost = StrainCost::default();
    let wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|o| o == name);
    for (name, _) in NAMES {
        if wanted(name) {
            let workload = Workload::named(name).expect("every listed workload exists");
            for threads in thread_counts(name, &options) {
                let times = run(&workload, threads, &options, &mut failures);
                strain_cost.note(name, times);
            }
        }
    }
    if let (false, Some(line)) = (options.json, strain_cost.line()) {
        println!("{line}");
    }
    let studies = contact::NAMES.iter().filter(|(name, _)| wanted(name));
    for outcome in studies.filter_map(|(name, _)| contact::run(name)) {
        for row in &outcome.rows {
            println!("{}", if options.json { row.json() } else { row.line() });
        }
        if !options.json {
            outcome.lines.iter().for_each(|line| println!("{line}"));
        }
        failures.extend(outcome.failures);
    }
    for failure in &failures {
        eprintln!("FAILED {failure}");
    }
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Cost of strain triangles compared with the edges of the same mesh, ours and the peer's.
#[derive(Default)]
struct StrainCost {
    /// Milliseconds of a sweep over triangles and over edges.
    ms: [[Option<f64>; 2]; 2],
}

impl StrainCost {
    fn note(&mut self, name: &str, ms: [Option<f64>; 2]) {
        match name {
            "W4-tri" => self.ms[0] = ms,
            "W4-edges" => self.ms[1] = ms,
            _ => {}
        }
    }

    fn line(&self) -> Option<String> {
        let ratio = |side: usize| Some(self.ms[0][side]? / self.ms[1][side]?);
        let mut text =
            format!("strain triangles against edges of the same mesh: {:.1}×", ratio(0)?);
        if let Some(peer) = ratio(1) {
            text += &format!(" (peer {peer:.1}×)");
        }
        Some(text)
    }
}

/// Runs the setup script; a peer that it cannot provide is reported as absent later.
fn set_up() {
    let script = peer::home().join("setup");
    // Standard output is reserved for the results.
    let status = Command::new(&script).stdout(std::io::stderr()).status();
    if !status.is_ok_and(|s| s.success()) {
        eprintln!("{} did not provide every peer", script.display());
    }
}

/// Warns on standard error if other programs use the cores: they then distort the times, and OpenMP's spinning
/// threads (pypbd on two) can appear ten times slower than they are.
fn warn_if_busy() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|l| l.parse::<f64>().ok()).unwrap_or(0.0);
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    if load > 0.5 * cores as f64 {
        eprintln!(
            "warning: the machine is busy (load {load:.1} on {cores} cores); only minimum times \
             are reliable"
        );
    }
}

/// Thread counts of a workload: one unless requested otherwise; scaling and the large block are measured with
/// one and two.
fn thread_counts(name: &str, options: &Options) -> Vec<usize> {
    match options.threads {
        Some(threads) => vec![threads],
        None if name.starts_with("scale") || name == "W3-block" => vec![1, 2],
        None => vec![1],
    }
}

/// Runs one workload against its peer, prints the rows and records failures. Returns the milliseconds per
/// iteration, ours and the peer's.
fn run(
    workload: &Workload,
    threads: usize,
    options: &Options,
    failures: &mut Vec<String>,
) -> [Option<f64>; 2] {
    let (peer, mut absent) = match find_peer(workload, threads) {
        PeerStatus::Ready(peer) => (Some(peer), None),
        PeerStatus::Unavailable(name, why) => (None, Some((name, why))),
        PeerStatus::None => (None, None),
    };
    let ours = match ours::open(options.side, workload, threads) {
        Ok(ours) => ours,
        Err(problem) => {
            failures.push(format!("{}: {problem}", workload.name));
            return [None; 2];
        }
    };
    let mut pair = [ours, peer];
    let budget = Duration::from_secs_f64(options.seconds);
    let mut rows = compare::compare(workload, &mut pair, threads, budget);
    if let (Err(Failure::Peer(problem)), Some(peer)) = (&rows, &pair[1]) {
        // A failing peer is not a failure of ours: continue without it.
        absent = Some((peer.name(), problem.to_string()));
        pair[1] = None;
        rows = compare::compare(workload, &mut pair, threads, budget);
    }
    let mut rows = match rows {
        Ok(rows) => rows,
        Err(Failure::Ours(problem) | Failure::Peer(problem)) => {
            failures.push(format!("{}: {problem}", workload.name));
            return [None; 2];
        }
    };
    let times = [rows[0].ours_ms, rows[0].peer_ms];
    if threads > 1 && pair[0].is_some() {
        match speedup(workload, pair[0].take(), options) {
            Ok(speedup) => rows[0].speedup = speedup,
            Err(problem) => failures.push(format!("{}: {problem}", workload.name)),
        }
    }
    for mut row in rows {
        if let Some((name, why)) = &absent {
            row.peer = (*name).to_owned();
            row.note = format!("absent: {why}");
        } else if row.ours_ms.is_none() && pair[1].is_none() {
            row.note = "no peer and no result of Pliant".into();
        } else if threads > 1 && row.peer != Program::Pypbd.name() && pair[1].is_some() {
            row.note.push_str("; the peer has one thread");
        }
        println!("{}", if options.json { row.json() } else { row.line() });
        failures.extend(compare::check(workload, &row).err());
    }
    times
}

/// Compares ours on several threads with ours on one.
fn speedup(
    workload: &Workload,
    ours: Option<Box<dyn Runner>>,
    options: &Options,
) -> std::io::Result<Option<f64>> {
    let one = ours::open(options.side, workload, 1).map_err(std::io::Error::other)?;
    compare::speedup(workload, &mut [ours, one], Duration::from_secs_f64(options.seconds))
}

/// Availability of a workload's peer.
enum PeerStatus {
    /// The peer is ready to run.
    Ready(Box<dyn Runner>),
    /// The peer is unavailable: its name, and how to install it.
    Unavailable(&'static str, String),
    /// This workload has no peer.
    None,
}

/// Finds the peer of a workload.
fn find_peer(workload: &Workload, threads: usize) -> PeerStatus {
    let program = match workload.kind {
        Kind::Springs | Kind::Rotations => Program::Eigen,
        Kind::StepSheet | Kind::StepBlock => return rapier(workload),
        // A million constraints take pypbd minutes to set up from Python.
        _ if workload.edges.len() > 200_000 => return PeerStatus::None,
        _ => Program::Pypbd,
    };
    if !program.is_ready() {
        let why = format!("run crates/pliant-bench/setup {}", program.name());
        return PeerStatus::Unavailable(program.name(), why);
    }
    match Peer::start(program, workload, threads) {
        Ok(peer) => PeerStatus::Ready(Box::new(peer)),
        Err(problem) => PeerStatus::Unavailable(program.name(), problem.to_string()),
    }
}

#[cfg(feature = "rapier")]
fn rapier(workload: &Workload) -> PeerStatus {
    rapier::Rapier::new(workload).map_or(PeerStatus::None, |peer| PeerStatus::Ready(Box::new(peer)))
}

#[cfg(not(feature = "rapier"))]
fn rapier(_workload: &Workload) -> PeerStatus {
    PeerStatus::Unavailable("rapier3d", "build with the feature `rapier`".to_owned())
}
