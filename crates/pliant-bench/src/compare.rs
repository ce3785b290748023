//! The comparison: ours and a peer take turns on one workload, then both are judged.

use crate::geometry::Point;
use crate::measure;
use crate::peer::{self, Peer, Program};
use crate::runner::Runner;
use crate::stats::{least, median};
use crate::table::Row;
use crate::throughput;
use crate::workload::{Kind, Workload};
use std::io;
use std::time::{Duration, Instant};

/// How much longer the second run is when iterations are measured by difference.
const EXTRA: u32 = 100;

/// Whole steps before a simulation is judged: half a second at 1/60 s.
const JUDGED_STEPS: u32 = 30;

/// Rounds are taken until the time is up, but never fewer or more than this.
const ROUNDS: std::ops::RangeInclusive<usize> = 5..=201;

/// How long everyone runs untimed before a sample.
const WARM_UP: Duration = Duration::from_millis(10);

/// The timings of one contestant \[ms\].
#[derive(Default)]
struct Samples {
    /// Runs of the workload's iterations.
    short: Vec<f64>,
    /// Runs of `EXTRA` more, where only the difference is iterations alone.
    long: Vec<f64>,
}

impl Samples {
    fn take(&mut self, runner: &mut dyn Runner, workload: &Workload) -> io::Result<()> {
        self.short.push(timed(runner, workload, workload.iterations)?);
        if runner.whole_steps() {
            self.long.push(timed(runner, workload, workload.iterations + EXTRA)?);
        }
        Ok(())
    }

    /// Milliseconds per iteration by a statistic. It is taken of each length before subtracting:
    /// the least of differences would be a disturbed short run beside an undisturbed long one.
    fn iteration(&self, workload: &Workload, of: Statistic) -> Option<f64> {
        let short = of(&self.short)?;
        match of(&self.long) {
            Some(long) => Some((long - short) / f64::from(EXTRA)),
            None => Some(short / f64::from(workload.iterations)),
        }
    }
}

type Statistic = fn(&[f64]) -> Option<f64>;

/// One run. A simulation of whole steps goes on from sample to sample, as simulations do;
/// everything else starts over each time, so that every sample is the same work, and runs untimed
/// before, everyone for as long: taking turns empties the caches and lets processors fall asleep.
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

/// Ours and the peer, either of which may be missing.
pub type Pair = [Option<Box<dyn Runner>>; 2];

/// Who stopped a comparison, and why.
pub enum Failure {
    /// Ours: the benchmark has failed.
    Ours(io::Error),
    /// The peer: it is reported as absent.
    Peer(io::Error),
}

impl Failure {
    /// The failure of ours (0) or of the peer.
    fn of(side: usize) -> impl Fn(io::Error) -> Self {
        move |error| if side == 0 { Self::Ours(error) } else { Self::Peer(error) }
    }
}

/// Ours and the peer, on `threads` threads, in turns for about `budget`.
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
            judged[side] = Some(judge(workload, &mut **runner).map_err(Failure::of(side))?);
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

/// The timings of both, round by round.
fn take_turns(
    workload: &Workload,
    pair: &mut Pair,
    budget: Duration,
) -> Result<[Samples; 2], Failure> {
    let mut times = [Samples::default(), Samples::default()];
    let mut start = Instant::now();
    for round in 0..=*ROUNDS.end() {
        if round > *ROUNDS.start() && start.elapsed() > budget {
            break;
        }
        for (side, runner) in pair.iter_mut().enumerate() {
            if let Some(runner) = runner {
                times[side].take(&mut **runner, workload).map_err(Failure::of(side))?;
            }
        }
        // The first round only warms caches and branch predictors.
        if round == 0 {
            times = [Samples::default(), Samples::default()];
            start = Instant::now();
        }
    }
    Ok(times)
}

/// The least times, which a busy machine disturbs least, and what the contestants have to say.
fn note(workload: &Workload, pair: &Pair, times: &[Samples; 2], threads: usize) -> String {
    let mut parts = Vec::new();
    for ((runner, times), side) in pair.iter().zip(times).zip(["ours", "peer"]) {
        let Some(runner) = runner else { continue };
        if let Some(ms) = times.iteration(workload, least) {
            parts.push(format!("{side} least {ms:.4}"));
        }
        parts.extend(Some(runner.note()).filter(|note| !note.is_empty()));
    }
    let ours = times[0].iteration(workload, least);
    parts.extend(ours.and_then(|ms| throughput::describe(workload, ms, threads)));
    parts.join("; ")
}

/// How many times faster the first of ours, on several threads, is than the second, on one; they
/// must end in the same bits.
pub fn speedup(workload: &Workload, pair: &mut Pair, budget: Duration) -> io::Result<Option<f64>> {
    let ours = |failure| match failure {
        Failure::Ours(error) | Failure::Peer(error) => error,
    };
    let times = take_turns(workload, pair, budget).map_err(ours)?;
    let mut hashes = Vec::new();
    for runner in pair.iter_mut().flatten() {
        hashes.push(judge(workload, &mut **runner)?.hash);
    }
    if hashes.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(io::Error::other("the result depends on the number of threads"));
    }
    let [many, one] = times.map(|t| t.iteration(workload, least));
    Ok(one.zip(many).map(|(one, many)| one / many))
}

/// The whole step beside the iteration: what assembly and integration add, shared over the
/// iterations of a step.
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
        note: format!("whole step of {} iterations, per iteration", workload.iterations),
    }
}

/// How a run ended.
struct Judged {
    error: Option<f64>,
    hash: u64,
}

/// Runs the workload once more from its start, the same for everyone and every time, and measures
/// the end.
fn judge(workload: &Workload, runner: &mut dyn Runner) -> io::Result<Judged> {
    runner.reset()?;
    for _ in 0..if workload.is_step() { JUDGED_STEPS } else { 1 } {
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
    Ok(Judged { error, hash: measure::hash(&x) })
}

/// Equation (15): `(g(x) − g(x*)) / (g(x₀) − g(x*))`, or `None` without a solution to compare to.
fn relative_gap(workload: &Workload, x: &[Point]) -> io::Result<Option<f64>> {
    let Some(solution) = solution(workload)? else { return Ok(None) };
    let [g, best, first] = [x, &solution, &workload.start].map(|x| measure::objective(workload, x));
    Ok(Some((g - best) / (first - best)))
}

/// The converged step, computed once by the Eigen peer and kept: 2000 iterations, 500 on the block,
/// where they already take half a minute.
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

/// Whether ours is as converged as the peer. Local/global iterations are the same mathematics, so
/// only rounding may differ; projections run in another order, which moves their residual a little.
/// Whole steps follow different material laws: there a finite state is all that can be asked.
pub fn check(workload: &Workload, row: &Row) -> Result<(), String> {
    let Some(ours) = row.error_ours else { return Ok(()) };
    if !ours.is_finite() {
        return Err(format!("{}: our error is not finite", workload.name));
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
        "{}: our error {ours:.3e} is above {bound:.3e}, set by {}",
        workload.name, row.peer
    ))
}
