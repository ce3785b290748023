//! Peers in another process: a program that reads commands and writes one line per answer.
//!
//! The protocol is `setup FILE`, `reset`, `run N`, `dump FILE`, `quit`; an answer is one line, `ok …` or `error
//! …`. The peer times itself, so that the pipe does not affect the results, and blocks on its standard input
//! while the others run.

use crate::geometry::Point;
use crate::runner::Runner;
use crate::workload::Workload;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// External peer programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// Our C++ baseline on Eigen.
    Eigen,
    /// pypbd from PyPI.
    Pypbd,
}

impl Program {
    /// Name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eigen => "eigen",
            Self::Pypbd => "pypbd",
        }
    }

    /// File that must exist for the program to run.
    fn needs(self) -> PathBuf {
        match self {
            Self::Eigen => home().join("build/eigen_local_global"),
            Self::Pypbd => home().join("build/venv/bin/python"),
        }
    }

    /// True if that file exists and is not older than its source.
    pub fn is_ready(self) -> bool {
        let built = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
        let source = home().join("peers/eigen_local_global.cpp");
        match built(&self.needs()) {
            Some(time) if self == Self::Eigen => built(&source).is_none_or(|s| s <= time),
            found => found.is_some(),
        }
    }

    fn command(self, threads: usize) -> Command {
        let mut command = Command::new(self.needs());
        if self == Self::Pypbd {
            command.arg(home().join("peers/pypbd_peer.py"));
        }
        command.env("OMP_NUM_THREADS", threads.to_string());
        command
    }
}

/// Folder of this crate, in which the peers are built.
pub fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Path of a file exchanged with a peer.
pub fn work_file(name: &str) -> PathBuf {
    home().join("build/work").join(name)
}

/// A running peer process.
pub struct Peer {
    program: Program,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    note: String,
    dump: PathBuf,
}

impl Peer {
    /// Starts the peer and sends it the workload.
    pub fn start(program: Program, workload: &Workload, threads: usize) -> io::Result<Self> {
        let file = work_file(&format!("{}.workload", workload.name));
        std::fs::create_dir_all(work_file(""))?;
        workload.write(&file)?;
        let mut child = program
            .command(threads)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let lost = || io::Error::other("the peer has no pipes");
        let input = child.stdin.take().ok_or_else(lost)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(lost)?);
        let dump = work_file(&format!("{}-{}.positions", workload.name, program.name()));
        let mut peer = Self { program, child, input, output, note: String::new(), dump };
        peer.note = peer.ask(&format!("setup {}", file.display()))?;
        Ok(peer)
    }

    /// Sends one command; returns the text after `ok`.
    fn ask(&mut self, command: &str) -> io::Result<String> {
        writeln!(self.input, "{command}")?;
        self.input.flush()?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(io::Error::other(format!("exited without an answer to `{command}`")));
            }
            let line = line.trim();
            // A library may print to standard output: only `ok` and `error` are answers.
            if let Some(answer) = line.strip_prefix("ok") {
                return Ok(answer.trim().to_owned());
            }
            if let Some(problem) = line.strip_prefix("error") {
                return Err(io::Error::other(problem.trim().to_owned()));
            }
        }
    }
}

impl Runner for Peer {
    fn name(&self) -> &'static str {
        self.program.name()
    }

    fn precision(&self) -> &'static str {
        "f64"
    }

    fn whole_steps(&self) -> bool {
        self.program == Program::Pypbd
    }

    fn reset(&mut self) -> io::Result<()> {
        self.ask("reset").map(drop)
    }

    fn run(&mut self, iterations: u32) -> io::Result<f64> {
        let answer = self.ask(&format!("run {iterations}"))?;
        let first = answer.split_whitespace().next().unwrap_or_default();
        first.parse().map_err(|_| io::Error::other(format!("invalid time `{answer}`")))
    }

    fn positions(&mut self) -> io::Result<Vec<Point>> {
        let file = self.dump.clone();
        self.ask(&format!("dump {}", file.display()))?;
        read_positions(&file)
    }

    fn note(&self) -> String {
        self.note.clone()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The peer may already have exited, so errors are ignored.
        _ = writeln!(self.input, "quit");
        _ = self.input.flush();
        _ = self.child.wait();
    }
}

/// Reads positions as a peer dumps them: three little-endian f64 per vertex.
pub fn read_positions(path: &Path) -> io::Result<Vec<Point>> {
    let bytes = std::fs::read(path)?;
    let (numbers, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() || numbers.len() % 3 != 0 {
        return Err(io::Error::other(format!("{} is truncated", path.display())));
    }
    let numbers: Vec<f64> = numbers.iter().map(|&b| f64::from_le_bytes(b)).collect();
    Ok(numbers.as_chunks::<3>().0.to_vec())
}
