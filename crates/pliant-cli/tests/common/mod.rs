//! The command as a user runs it.
#![allow(dead_code)]

use std::path::Path;
use std::process::{Command, Output};

/// The command in a folder.
pub fn pliant(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
    command.current_dir(folder);
    command
}

/// Runs it and expects success.
pub fn ok(folder: &Path, args: &[&str]) -> Output {
    let output = pliant(folder).args(args).output().expect("the command starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "pliant {}: {errors}", args.join(" "));
    output
}

/// Runs it and expects this exit code; gives what it says.
pub fn fails(folder: &Path, code: i32, args: &[&str]) -> String {
    let output = pliant(folder).args(args).output().expect("the command starts");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "pliant {}: {errors}", args.join(" "));
    errors
}

/// The state's hash that a run with `--json` prints.
pub fn hash(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    let at = text.find("\"hash\":\"").expect("a hash") + 8;
    text[at..at + 16].to_owned()
}
