//! Contract: a run that is killed at any instant goes on from its last checkpoint to the same final
//! state, bit for bit. Ctrl-C writes a checkpoint and exits with 130.

mod common;

use std::path::Path;
use std::time::{Duration, Instant};

use common::{hash, ok, pliant};
use pliant::math::Random;

/// The scene: small, so that a run is mostly checkpoints.
const SCENE: [&str; 4] = ["run", "hanging_cloth", "--size", "12"];

fn checkpointing<'a>(folder: &'a str, frames: &'a str) -> Vec<&'a str> {
    let mut args = SCENE.to_vec();
    args.extend(["--frames", frames, "--json", "--checkpoint", folder, "--every", "3"]);
    args
}

/// Two hundred instants with `PLIANT_THOROUGH=1`, else fifty.
#[test]
fn a_run_killed_at_many_instants_ends_in_the_same_state() {
    let instants = if std::env::var_os("PLIANT_THOROUGH").is_some() { 200 } else { 50 };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let begin = Instant::now();
    ok(folder, &checkpointing("whole", "300"));
    let whole_run = begin.elapsed();
    let mut args = SCENE.to_vec();
    args.extend(["--frames", "300", "--json", "--out", "plain.plc"]);
    let expected = hash(&ok(folder, &args));

    let mut random = Random::new(0);
    let (mut kills, mut finished, mut round) = (0, 0, 0);
    while kills < instants {
        let name = format!("run{round}");
        let mut first = true;
        loop {
            let mut args = checkpointing(&name, "300");
            if !first {
                args.push("--resume");
            }
            first = false;
            let mut child = pliant(folder)
                .args(&args)
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            // Anywhere from the start of the process to past its end.
            let most = (whole_run.as_micros() as u64).clamp(2_000, 400_000);
            std::thread::sleep(Duration::from_micros(random.next_u64() % most));
            let _ = child.kill();
            let output = child.wait_with_output().unwrap();
            if output.status.success() {
                assert_eq!(hash(&output), expected, "after {kills} kills");
                finished += 1;
                break;
            }
            kills += 1;
        }
        round += 1;
    }
    println!("{kills} kills, {finished} runs finished, {:.1} s", begin.elapsed().as_secs_f64());
    assert!(finished >= 2, "runs must get to their end now and then");
}

#[test]
fn a_resumed_run_exports_all_frames() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ok(folder, &checkpointing("part", "10"));
    let mut args = checkpointing("part", "16");
    args.extend(["--resume", "--out", "resumed.pc2"]);
    let resumed = hash(&ok(folder, &args));
    let mut args = SCENE.to_vec();
    args.extend(["--frames", "16", "--json", "--out", "plain.pc2"]);
    assert_eq!(hash(&ok(folder, &args)), resumed);
    assert_eq!(read(folder, "resumed.pc2"), read(folder, "plain.pc2"));
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap()
}

#[test]
fn a_checkpoint_of_another_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ok(folder, &checkpointing("mine", "4"));
    let mut args = checkpointing("mine", "8");
    args.extend(["--resume", "--solver", "pbd"]);
    let said = common::fails(folder, 2, &args);
    assert!(said.contains("belongs to another run") && said.contains("solver"), "{said}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_a_checkpoint_and_exits_with_130() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    // Far too long to end by itself.
    let mut child = pliant(folder).args(checkpointing("stopped", "100000000")).spawn().unwrap();
    let checkpoint = folder.join("stopped/checkpoint");
    while !checkpoint.exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let interrupt = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupt.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let found = pliant_io::checkpoint::Checkpoint::load(&checkpoint).unwrap().unwrap();
    assert!(found.frames > 0);
}
