//! Scaling of collision detection from ten thousand to a million triangles, on a pile of sheets that press and
//! slide against each other (`pile.rs`).
//!
//! | figure | meaning |
//! |---|---|
//! | tree, grid | a bare search for pairs of boxes, by `pliant-detect` |
//! | collide | the stage of a step that finds contacts before the solve |
//! | contact | total cost of contact, including crossing prevention and response: see below |
//!
//! `contact` is the step time of the pile minus that of the same pile whose sheets pass through each other.
//!
//! Times are minima over a few steps or searches. Memory is the peak of the process minus its value before the
//! model was built.

use super::stopwatch::{self, Stopwatch};
use super::{Outcome, growth, memory, pile};
use crate::table::Row;
use pliant::Stage;
use pliant::prelude::*;
use pliant_detect::{Aabb, Bvh, Grid as Cells};

/// Approximate numbers of triangles.
const SIZES: [usize; 5] = [10_000, 31_600, 100_000, 316_000, 1_000_000];
/// Number of engine steps at each size; the first allocates memory.
const STEPS: usize = 3;
/// Number of searches at each size.
const SEARCHES: usize = 3;
/// Names of the measured costs in the last line.
const FIGURES: [&str; 4] = ["tree", "grid", "collide", "contact"];

/// Milliseconds at one size, in the order of [`FIGURES`], and additional results.
struct Costs {
    triangles: usize,
    ms: [f64; 4],
    pairs: usize,
    contacts: usize,
    searches: usize,
    failures: usize,
    bytes: Option<f64>,
    hash: u64,
}

/// Runs all sizes.
pub fn run() -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    let mut points: [Vec<(f64, f64)>; 4] = Default::default();
    for size in SIZES {
        let costs = measure(size).map_err(|e| e.to_string())?;
        for (points, ms) in points.iter_mut().zip(costs.ms) {
            points.push((costs.triangles as f64, ms));
        }
        if costs.failures > 0 {
            let troubles = costs.failures;
            outcome
                .failures
                .push(format!("detect-scale: {troubles} unresolved pairs or skipped substeps"));
        }
        outcome.rows.push(row(&costs));
    }
    let grown = FIGURES.iter().zip(&points).map(|(name, points)| {
        let p = growth::exponent(points).unwrap_or(f64::NAN);
        format!("{name} n^{p:.2}")
    });
    let grown: Vec<String> = grown.collect();
    outcome
        .lines
        .push(format!("growth of detection from 1e4 to 1e6 triangles: {}", grown.join(", ")));
    Ok(outcome)
}

fn row(costs: &Costs) -> Row {
    let Costs { triangles, ms: [tree, grid, collide, contact], .. } = costs;
    let memory = costs.bytes.map_or("memory unknown".to_owned(), |bytes| {
        format!("{:.0} MB, {:.0} bytes per triangle", 1e-6 * bytes, bytes / *triangles as f64)
    });
    Row {
        workload: "detect-scale".to_owned(),
        peer: "none".to_owned(),
        threads: 1,
        precision: "f32/—".to_owned(),
        ours_ms: Some(*contact),
        hash: Some(costs.hash),
        note: format!(
            "{triangles} triangles: contact {contact:.1} ms per step, of which collide \
             {collide:.1}; {} broad phases in {} steps, {} contacts; tree alone {tree:.1}, grid \
             alone {grid:.1}, {} pairs; {memory}",
            costs.searches,
            STEPS - 1,
            costs.contacts,
            costs.pairs
        ),
        ..Row::default()
    }
}

fn measure(size: usize) -> Result<Costs, pliant::Error> {
    let sheets = pile::sheets(size)?;
    let triangles = sheets.iter().map(|s| s.triangles.len()).sum();
    let (tree, grid, pairs) = searches(&sheets);
    let free = step_ms(&mut simulation(&sheets, false)?, |_| {});
    let before = memory::now();
    memory::reset_peak();
    let mut sim = simulation(&sheets, true)?;
    let (mut collide, mut searches, mut contacts, mut troubles) = (f64::INFINITY, 0, 0, 0);
    let whole = step_ms(&mut sim, |sim| {
        let report = sim.report();
        collide = collide.min(1e3 * report.seconds_in(Stage::Collide));
        searches += report.contacts.searches;
        contacts = contacts.max(report.contacts.pairs);
        troubles += report.contacts.unresolved_crossings
            + report.contacts.skipped_substeps
            + report.warnings.len();
    });
    Ok(Costs {
        triangles,
        ms: [tree, grid, collide, whole - free],
        pairs,
        contacts,
        searches,
        failures: troubles,
        bytes: memory::peak().zip(before).map(|(peak, before)| peak - before),
        hash: sim.hash(),
    })
}

fn simulation(sheets: &[TriMesh], touching: bool) -> Result<Simulation, pliant::Error> {
    let solver = Pbd { iterations: 1, ..Pbd::default() };
    let mut sim = Simulation::new(pile::model(sheets, touching)?, solver)?;
    sim.set_diagnostics(false);
    sim.set_clock(stopwatch::seconds);
    Ok(sim)
}

/// Minimum milliseconds of a step, without the first; `look` is called with the simulation after each step.
fn step_ms(sim: &mut Simulation, mut look: impl FnMut(&Simulation)) -> f64 {
    let mut least = f64::INFINITY;
    for step in 0..STEPS {
        let watch = Stopwatch::start();
        sim.step();
        if step > 0 {
            least = least.min(watch.ms());
            look(sim);
        }
    }
    least
}

/// Minimum milliseconds of a search by a rebuilt tree and by a grid, and the number of pairs.
fn searches(sheets: &[TriMesh]) -> (f64, f64, usize) {
    let of = |sheet: &TriMesh, t| {
        Aabb::from_points(&sheet.triangle_points(t)).grown(0.5 * pile::THICKNESS)
    };
    let all = sheets.iter().flat_map(|s| (0..s.triangles.len()).map(move |t| of(s, t)));
    let boxes: Vec<Aabb> = all.collect();
    let (mut tree, mut cells) = (Bvh::build(&[]), Cells::new());
    let mut pairs = Vec::new();
    let (mut by_tree, mut by_grid) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..SEARCHES {
        let watch = Stopwatch::start();
        pairs.clear();
        tree.rebuild(&boxes);
        tree.self_pairs(&mut pairs, usize::MAX);
        by_tree = by_tree.min(watch.ms());
        let watch = Stopwatch::start();
        pairs.clear();
        cells.self_pairs(&boxes, &mut pairs, usize::MAX);
        by_grid = by_grid.min(watch.ms());
    }
    (by_tree, by_grid, pairs.len())
}
