//! Comparison: ours and a peer run alternately on one workload, then both results are evaluated.

use crate::geometry::Point;
use crate::measure;
use crate::peer::{self, Peer, Program};
use crate::runner::Runner;
use crate::stats::{median, minimum};
use crate::table::Row;
use crate::throughput;
use crate::workload::{Kind, Workload};
use std::io;
use std::time::{Duration, Instant};

/// Extra iterations of the second run when iterations are measured by difference.
const EXTRA_ITERATIONS: u32 = 100;

/// Number of whole steps before a simulation is evaluated: half a second at 1/60 s.
const EVALUATION_STEPS: u32 = 30;

/// Bounds on the number of rounds; between them, rounds run until the time budget is used up.
const ROUND_LIMITS: std::ops::RangeInclusive<usize> = 5..=201;

/// Duration of the untimed warm-up before each sample.
const WARM_UP: Duration = Duration::from_millis(10);

/// Timings of one contestant \[ms\].
#[derive(Default)]
struct Samples {
    /// Times of runs with the workload's iterations.
    short: Vec<f64>,
    /// Times of runs with [`EXTRA_ITERATIONS`] more, where only the difference isolates the iterations.
    long: Vec<f64>,
}

impl Samples {
    fn take(&mut self, runner: &mut dyn Runner, workload: &Workload) -> io::Result<()> {
        self.short.push(timed(runner, workload, workload.iterations)?);
        if runner.whole_steps() {
            self.long.push(timed(runner, workload, workload.iterations + EXTRA_ITERATIONS)?);
        }
        Ok(())
    }

    /// Milliseconds per iteration by a statistic. The statistic is taken for each run length before
    /// subtracting: the minimum of differences would pair a disturbed short run with an undisturbed long one.
    fn iteration(&self, workload: &Workload, of: Statistic) -> Option<f64> {
        let short = of(&self.short)?;
        match of(&self.long) {
            Some(long) => Some((long - short) / f64::from(EXTRA_ITERATIONS)),
            None => Some(short / f64::from(workload.iterations)),
        }
    }
}

type Statistic = fn(&[f64]) -> Option<f64>;

/// Times one run. A simulation of whole steps continues from sample to sample, as simulations do. All other
/// workloads restart, so that every sample is the same work, after an untimed warm-up of equal length for all
/// contestants: alternating runs empty the caches and let processors enter sleep states.
fn timed(runner: &mut dyn Runner, workload: &Workload, iterations: u32) -> io::Result<f64> {
    if !workload.is_step() {
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            runner.reset()?;
            runner.run(iterations)?;
        }
        runner.reset()?;
    }
    runner.run(iterations)
}

/// Ours and the peer; either may be missing.
pub type Pair = [Option<Box<dyn Runner>>; 2];

/// Error that ended a comparison, by side.
pub enum Failure {
    /// Ours failed, and with it the benchmark.
    Ours(io::Error),
    /// The peer failed; it is reported as absent.
    Peer(io::Error),
}

impl Failure {
    /// Wraps an error of ours (0) or of the peer (1).
    fn of(side: usize) -> impl Fn(io::Error) -> Self {
        move |error| if side == 0 { Self::Ours(error) } else { Self::Peer(error) }
    }
}

/// Compares ours and the peer on `threads` threads, alternating for about `budget`.
pub fn compare(
    workload: &Workload,
    pair: &mut Pair,
    threads: usize,
    budget: Duration,
) -> Result<Vec<Row>, Failure> {
    let times = take_turns(workload, pair, budget)?;
    let mut judged = [None, None];
    for (side, runner) in pair.iter_mut().enumerate() {
        if let Some(runner) = runner {
            judged[side] = Some(evaluate(workload, &mut **runner).map_err(Failure::of(side))?);
        }
    }
    let [ours, peer] = &*pair;
    let precision = |r: &Option<Box<dyn Runner>>| r.as_ref().map_or("—", |r| r.precision());
    let row = Row {
        workload: workload.name.clone(),
        peer: peer.as_ref().map_or("none", |p| p.name()).to_owned(),
        threads,
        precision: format!("{}/{}", precision(ours), precision(peer)),
        ours_ms: times[0].iteration(workload, median),
        peer_ms: times[1].iteration(workload, median),
        error_ours: judged[0].as_ref().and_then(|j| j.error),
        error_peer: judged[1].as_ref().and_then(|j| j.error),
        speedup: None,
        hash: judged[0].as_ref().map(|j| j.hash),
        note: note(workload, pair, &times, threads),
    };
    let mut rows = vec![row];
    if workload.is_step() {
        rows.push(step_row(&rows[0], workload, &times));
    }
    Ok(rows)
}

/// Timings of both, round by round.
fn take_turns(
    workload: &Workload,
    pair: &mut Pair,
    budget: Duration,
) -> Result<[Samples; 2], Failure> {
    let mut times = [Samples::default(), Samples::default()];
    let mut start = Instant::now();
    for round in 0..=*ROUND_LIMITS.end() {
        if round > *ROUND_LIMITS.start() && start.elapsed() > budget {
            break;
        }
        for (side, runner) in pair.iter_mut().enumerate() {
            if let Some(runner) = runner {
                times[side].take(&mut **runner, workload).map_err(Failure::of(side))?;
            }
        }
        // The first round only warms up caches and branch predictors.
        if round == 0 {
            times = [Samples::default(), Samples::default()];
            start = Instant::now();
        }
    }
    Ok(times)
}

/// Minimum times, which are least affected by a busy machine, and the notes of the contestants.
fn note(workload: &Workload, pair: &Pair, times: &[Samples; 2], threads: usize) -> String {
    let mut parts = Vec::new();
    for ((runner, times), side) in pair.iter().zip(times).zip(["Pliant", "peer"]) {
        let Some(runner) = runner else { continue };
        if let Some(ms) = times.iteration(workload, minimum) {
            parts.push(format!("{side} minimum {ms:.4}"));
        }
        parts.extend(Some(runner.note()).filter(|note| !note.is_empty()));
    }
    let ours = times[0].iteration(workload, minimum);
    parts.extend(ours.and_then(|ms| throughput::describe(workload, ms, threads)));
    parts.join("; ")
}

/// Speedup of the first run of ours, on several threads, over the second, on one thread; both must end with
/// identical bits.
pub fn speedup(workload: &Workload, pair: &mut Pair, budget: Duration) -> io::Result<Option<f64>> {
    let ours = |failure| match failure {
        Failure::Ours(error) | Failure::Peer(error) => error,
    };
    let times = take_turns(workload, pair, budget).map_err(ours)?;
    let mut hashes = Vec::new();
    for runner in pair.iter_mut().flatten() {
        hashes.push(evaluate(workload, &mut **runner)?.hash);
    }
    if hashes.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(io::Error::other("the result depends on the number of threads"));
    }
    let [many, one] = times.map(|t| t.iteration(workload, minimum));
    Ok(one.zip(many).map(|(one, many)| one / many))
}

/// Row for the whole step: what assembly and integration add to the iterations, divided by the number of
/// iterations per step.
fn step_row(row: &Row, workload: &Workload, times: &[Samples; 2]) -> Row {
    let share = |t: &Samples| median(&t.short).map(|ms| ms / f64::from(workload.iterations));
    Row {
        workload: row.workload.clone(),
        peer: format!("{}-step", row.peer),
        precision: row.precision.clone(),
        threads: row.threads,
        ours_ms: share(&times[0]),
        peer_ms: share(&times[1]),
        speedup: None,
        error_ours: row.error_ours,
        error_peer: row.error_peer,
        hash: row.hash,
        note: format!("complete step of {} iterations, per iteration", workload.iterations),
    }
}

/// Result of a run.
struct Evaluation {
    error: Option<f64>,
    hash: u64,
}

/// Runs the workload once more from its start, equally for all contestants and every time, and evaluates the
/// final state.
fn evaluate(workload: &Workload, runner: &mut dyn Runner) -> io::Result<Evaluation> {
    runner.reset()?;
    for _ in 0..if workload.is_step() { EVALUATION_STEPS } else { 1 } {
        runner.run(workload.iterations)?;
    }
    let x = runner.positions()?;
    if x.len() != workload.rest.len() {
        let (got, wanted) = (x.len(), workload.rest.len());
        return Err(io::Error::other(format!("{got} positions instead of {wanted}")));
    }
    let error = if workload.is_local_global() {
        relative_gap(workload, &x)?
    } else {
        Some(measure::residual(workload, &x))
    };
    Ok(Evaluation { error, hash: measure::hash(&x) })
}

/// Relative error by equation (15), `(g(x) − g(x*)) / (g(x₀) − g(x*))`; `None` without a reference solution.
fn relative_gap(workload: &Workload, x: &[Point]) -> io::Result<Option<f64>> {
    let Some(solution) = solution(workload)? else { return Ok(None) };
    let [g, best, first] = [x, &solution, &workload.start].map(|x| measure::objective(workload, x));
    Ok(Some((g - best) / (first - best)))
}

/// Converged solution of the step, computed once by the Eigen peer and cached: 2000 iterations, 500 on the
/// block, where they already take half a minute.
fn solution(workload: &Workload) -> io::Result<Option<Vec<Point>>> {
    if !Program::Eigen.is_ready() {
        return Ok(None);
    }
    let key = measure::hash(&workload.start) ^ workload.stiffness.to_bits() ^ workload.h.to_bits();
    let file = peer::work_file(&format!("{}-{key:016x}.solution", workload.name));
    if !file.exists() {
        let iterations = if workload.tets.len() > 10_000 { 500 } else { 2000 };
        let mut eigen = Peer::start(Program::Eigen, workload, 1)?;
        eigen.run(iterations)?;
        let bytes = eigen.positions()?.into_iter().flatten().flat_map(f64::to_le_bytes);
        std::fs::write(&file, bytes.collect::<Vec<u8>>())?;
    }
    peer::read_positions(&file).map(Some)
}

/// Checks that ours is as converged as the peer. Local/global iterations are mathematically equal, so only
/// rounding may differ; projections run in another order, which changes their residual slightly. Whole steps
/// use different material laws, so only finite results can be required.
pub fn check(workload: &Workload, row: &Row) -> Result<(), String> {
    let Some(ours) = row.error_ours else { return Ok(()) };
    if !ours.is_finite() {
        return Err(format!("{}: the error of Pliant is not finite", workload.name));
    }
    let Some(peer) = row.error_peer else { return Ok(()) };
    let bound = match workload.kind {
        Kind::Springs | Kind::Rotations => 1.02 * peer + 1e-4,
        Kind::StepSheet | Kind::StepBlock => return Ok(()),
        _ => 1.25 * peer,
    };
    if ours <= bound {
        return Ok(());
    }
    Err(format!(
        "{}: the error of Pliant, {ours:.3e}, exceeds {bound:.3e}, set by {}",
        workload.name, row.peer
    ))
}
