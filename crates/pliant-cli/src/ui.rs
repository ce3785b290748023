//! What the user sees: lines, tables, a progress bar, or JSON for scripts.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::args::UiArgs;

/// How to talk to the user.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    quiet: bool,
    json: bool,
    color: bool,
    terminal: bool,
}

impl Ui {
    /// From the arguments, the environment (`NO_COLOR`) and what standard error is.
    pub fn new(args: UiArgs) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let color = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Self { quiet: args.quiet || args.json, json: args.json, color, terminal }
    }

    /// Whether results are printed as JSON.
    pub fn json(&self) -> bool {
        self.json
    }

    /// A line about what is going on, on standard error.
    pub fn say(&self, line: impl AsRef<str>) {
        if !self.quiet {
            eprintln!("{}", line.as_ref());
        }
    }

    /// A warning, on standard error.
    pub fn warn(&self, line: impl AsRef<str>) {
        if !self.quiet {
            eprintln!("{} {}", self.paint("warning:", "33"), line.as_ref());
        }
    }

    /// An error, on standard error, however quiet.
    pub fn error(&self, line: impl AsRef<str>) {
        eprintln!("{} {}", self.paint("error:", "31"), line.as_ref());
    }

    /// A result, on standard output.
    pub fn result(&self, line: impl AsRef<str>) {
        // A closed pipe (`| head`) is no reason to complain.
        let _ = writeln!(std::io::stdout(), "{}", line.as_ref());
    }

    /// A result as JSON, if that is asked for.
    pub fn record(&self, value: &serde_json::Value) {
        if self.json {
            self.result(value.to_string());
        }
    }

    fn paint(&self, text: &str, code: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A progress bar over `frames` frames, of which `done` are done.
    pub fn progress(&self, frames: usize, done: usize) -> Progress {
        let now = Instant::now();
        Progress { ui: *self, frames, first: done, start: now, shown: None }
    }
}

/// Columns of text, the first to the left and the others to the right.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |c: usize| {
        let cells = rows.iter().map(|r| r[c].chars().count());
        cells.chain([head[c].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let mut out = String::new();
        for (c, cell) in cells.iter().enumerate() {
            let gap = " ".repeat(widths[c] - cell.chars().count());
            match c {
                0 => out += &format!("{cell}{gap}"),
                _ => out += &format!("  {gap}{cell}"),
            }
        }
        out.trim_end().to_owned()
    };
    let head: Vec<String> = head.iter().map(|h| (*h).to_owned()).collect();
    let all = std::iter::once(line(&head)).chain(rows.iter().map(|r| line(r)));
    all.collect::<Vec<_>>().join("\n")
}

/// A progress bar on one line of a terminal.
#[derive(Debug)]
pub struct Progress {
    ui: Ui,
    frames: usize,
    first: usize,
    start: Instant,
    shown: Option<Instant>,
}

impl Progress {
    /// Shows that `done` frames are done, with a few words on the last one.
    pub fn show(&mut self, done: usize, words: &str) {
        let last = done >= self.frames;
        let due = self.shown.is_none_or(|t| t.elapsed() > Duration::from_millis(80));
        if self.ui.quiet || !self.ui.terminal || !(due || last) {
            return;
        }
        self.shown = Some(Instant::now());
        const CELLS: usize = 24;
        let full = CELLS * done / self.frames.max(1);
        let bar = "█".repeat(full) + &"░".repeat(CELLS - full);
        let steps = (done - self.first).max(1) as f64;
        let per = self.start.elapsed().as_secs_f64() / steps;
        let left = per * (self.frames - done) as f64;
        let text = format!(
            "{bar} {done}/{} frames  {:.1} ms/frame  {words}  {left:.0} s left",
            self.frames,
            1e3 * per
        );
        eprint!("\r\x1b[2K{text}");
        if last {
            eprintln!();
        }
        let _ = std::io::stderr().flush();
    }

    /// Leaves the line, when the work ends early.
    pub fn end(&self) {
        if self.shown.is_some() {
            eprintln!();
        }
    }
}
