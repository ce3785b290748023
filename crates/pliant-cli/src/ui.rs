//! User output: lines, tables, a progress bar, or JSON for scripts.

use std::fmt::Write;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::args::UiArgs;

/// Layout of the progress bar; the status is cut off at the end of the line.
const TEMPLATE: &str = "{bar:24} {pos}/{len} frames  {per_frame}  {left}  {wide_msg}";

/// Output settings.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    quiet: bool,
    json: bool,
    color: bool,
}

impl Ui {
    /// Settings from the arguments, the environment (`NO_COLOR`) and the type of standard error.
    pub fn new(args: UiArgs) -> Self {
        let terminal = io::stderr().is_terminal();
        let color = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        Self { quiet: args.quiet || args.json, json: args.json, color }
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
        let _ = io::Write::write_fmt(&mut io::stdout(), format_args!("{}\n", line.as_ref()));
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
        let target = match self.quiet {
            true => ProgressDrawTarget::hidden(),
            // Hidden if standard error is no terminal.
            false => ProgressDrawTarget::stderr(),
        };
        // Means of the whole run: those of the crate follow the last seconds, and take resumed frames for new ones.
        let per_frame = move |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(out, "{:.1} ms/frame", 1e3 * time_per_frame(state, done));
        };
        let left = move |state: &ProgressState, out: &mut dyn Write| {
            let frames = state.len().unwrap_or(0).saturating_sub(state.pos());
            let _ = write!(out, "{:.0} s remaining", time_per_frame(state, done) * frames as f64);
        };
        let style = ProgressStyle::with_template(TEMPLATE)
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("█░")
            .with_key("per_frame", per_frame)
            .with_key("left", left);
        let bar = ProgressBar::with_draw_target(Some(frames as u64), target).with_style(style);
        Progress { ui: *self, bar: bar.with_position(done as u64) }
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

/// A progress bar on one line of a terminal; hidden in quiet mode and where standard error is no terminal.
#[derive(Debug)]
pub struct Progress {
    ui: Ui,
    bar: ProgressBar,
}

impl Progress {
    /// Shows that `done` frames are complete, with a short status of the last one.
    pub fn update(&self, done: usize, status: String) {
        self.bar.set_message(status);
        self.bar.set_position(done as u64);
        if self.bar.length().is_some_and(|frames| done as u64 >= frames) {
            self.finish();
        }
    }

    /// Prints a warning above the bar.
    pub fn warn(&self, line: impl AsRef<str>) {
        self.bar.suspend(|| self.ui.warn(line));
    }

    /// Ends the line, also when the work stops early.
    pub fn finish(&self) {
        self.bar.abandon();
    }
}

/// Mean time per frame \[s\] since the bar was created with `first` frames complete.
fn time_per_frame(state: &ProgressState, first: usize) -> f64 {
    state.elapsed().as_secs_f64() / state.pos().saturating_sub(first as u64).max(1) as f64
}
