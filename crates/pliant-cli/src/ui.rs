//! User output: lines, tables, a progress bar, or JSON for scripts.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::args::UiArgs;

/// Output settings.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    quiet: bool,
    json: bool,
    color: bool,
    terminal: bool,
}

impl Ui {
    /// Settings from the arguments, the environment (`NO_COLOR`) and the type of standard error.
    pub fn new(args: UiArgs) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let color = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Self { quiet: args.quiet || args.json, json: args.json, color, terminal }
    }

    /// True if results are printed as JSON.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Prints a line about progress to standard error.
    pub fn info(&self, line: impl AsRef<str>) {
        if !self.quiet {
            eprintln!("{}", line.as_ref());
        }
    }

    /// Prints a warning to standard error.
    pub fn warn(&self, line: impl AsRef<str>) {
        if !self.quiet {
            eprintln!("{} {}", self.paint("warning:", "33"), line.as_ref());
        }
    }

    /// Prints an error to standard error, also in quiet mode.
    pub fn error(&self, line: impl AsRef<str>) {
        eprintln!("{} {}", self.paint("error:", "31"), line.as_ref());
    }

    /// Prints a result to standard output.
    pub fn print(&self, line: impl AsRef<str>) {
        // A closed pipe (`| head`) is not an error.
        let _ = writeln!(std::io::stdout(), "{}", line.as_ref());
    }

    /// Prints a result as JSON, if JSON output is on.
    pub fn print_json(&self, value: &serde_json::Value) {
        if self.json {
            self.print(value.to_string());
        }
    }

    fn paint(&self, text: &str, code: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// Creates a progress bar over `frames` frames, `done` of which are complete.
    pub fn progress(&self, frames: usize, done: usize) -> Progress {
        let now = Instant::now();
        Progress { ui: *self, frames, first: done, start: now, shown: None }
    }
}

/// Text in columns, the first left-aligned and the others right-aligned.
pub fn format_table(head: &[&str], rows: &[Vec<String>]) -> String {
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
    /// Shows that `done` frames are complete, with a short status of the last one.
    pub fn update(&mut self, done: usize, words: &str) {
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

    /// Ends the line when the work stops early.
    pub fn finish(&self) {
        if self.shown.is_some() {
            eprintln!();
        }
    }
}
