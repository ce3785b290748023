//! Times of detection: trees and grids on folded sheets, continuous tests per second.
//!
//! `cargo bench -p pliant-detect`. Times are the shortest of several runs, one thread.

#[path = "../tests/suite/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::Instant;

use common::{Random, folded_sheet};
use pliant_detect::intersect::IntersectionCheck;
use pliant_detect::{Aabb, Bvh, Grid, closest, continuous};

type Points = [[f64; 3]; 4];
type Test = fn(&Points, &Points, f64) -> Option<f64>;

/// The shortest time \[s\] of several runs.
fn shortest(runs: usize, mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        work();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

fn sheets() {
    println!(
        "triangles      pairs   build   refit    tree    grid  [ms]   tree/grid   cross tree, grid"
    );
    for (side, uneven) in [(71, 1.0), (224, 1.0), (224, 1.5), (224, 2.0), (224, 3.0), (224, 6.0)] {
        let sheet = folded_sheet(side);
        let mut boxes = sheet.boxes(0.1 / side as f64);
        // Some boxes are wider than the others, one in a thousand.
        for b in boxes.iter_mut().step_by(1000) {
            *b = b.grown(0.5 * (uneven - 1.0) / side as f64);
        }
        let widest = boxes.iter().map(Aabb::longest_side).fold(0.0, f64::max);
        let mean = boxes.iter().map(Aabb::longest_side).sum::<f64>() / boxes.len() as f64;
        let mut pairs = Vec::new();
        let mut tree = Bvh::build(&boxes);
        let mut grid = Grid::new();
        let build = shortest(5, || tree.rebuild(&boxes));
        let refit = shortest(10, || tree.refit(&boxes));
        let by_tree = shortest(10, || {
            pairs.clear();
            tree.self_pairs(&mut pairs, usize::MAX);
        });
        let by_grid = shortest(10, || {
            pairs.clear();
            grid.self_pairs(&boxes, &mut pairs, usize::MAX);
        });
        let found = pairs.len();
        let points: Vec<Aabb> = sheet
            .positions
            .iter()
            .map(|p| Aabb::from_points(&[*p]).grown(0.1 / side as f64))
            .collect();
        let point_tree = Bvh::build(&points);
        let cross_tree = shortest(10, || {
            pairs.clear();
            point_tree.pairs(&tree, &mut pairs, usize::MAX);
        });
        let cross_grid = shortest(10, || {
            pairs.clear();
            grid.pairs(&points, &boxes, &mut pairs, usize::MAX);
        });
        println!(
            "{:9} {found:10} {:7.2} {:7.3} {:7.2} {:7.2}        {:8.2}     {:7.2} {:7.2}   widest/mean {:.2}",
            boxes.len(),
            1e3 * build,
            1e3 * refit,
            1e3 * by_tree,
            1e3 * by_grid,
            (by_tree + refit) / by_grid,
            1e3 * cross_tree,
            1e3 * cross_grid,
            widest / mean,
        );
    }
}

/// Four points of size one and where they are after a motion of about `speed`.
fn queries(speed: f64, apart: f64) -> Vec<(Points, Points)> {
    let mut random = Random::new(4);
    let mut all = Vec::new();
    for _ in 0..100_000 {
        let mut start = [(); 4].map(|_| [(); 3].map(|_| random.signed()));
        start[0][2] += apart;
        if all.len() % 2 == 1 {
            start[1][2] += apart;
        }
        let end = start.map(|p| p.map(|x| x + speed * random.signed()));
        all.push((start, end));
    }
    all
}

fn continuous_tests() {
    println!("continuous tests, million queries per second (share that touches)");
    for (name, speed, apart) in [
        ("near, slow", 0.1, 0.0),
        ("near, fast", 1.0, 0.0),
        ("apart, slow", 0.1, 1.0),
        ("far", 0.1, 3.0),
    ] {
        let queries = queries(speed, apart);
        for thickness in [0.0, 1e-3] {
            let mut touching = [0, 0];
            let kinds: [Test; 2] = [continuous::vertex_triangle, continuous::edge_edge];
            let rates = [0, 1].map(|kind: usize| {
                let time = shortest(5, || {
                    touching[kind] = 0;
                    for (start, end) in &queries {
                        let answer = kinds[kind](black_box(start), end, thickness);
                        touching[kind] += usize::from(answer.is_some());
                    }
                });
                1e-6 * queries.len() as f64 / time
            });
            let share = touching.map(|t| 100.0 * t as f64 / queries.len() as f64);
            println!(
                "{name:12} thickness {thickness:5}  vertex-triangle {:6.2} ({:4.1} %)  edge-edge {:6.2} ({:4.1} %)",
                rates[0], share[0], rates[1], share[1]
            );
        }
    }
    let queries = queries(0.0, 0.0);
    let both: [fn(Points) -> closest::Closest<4>; 2] =
        [closest::vertex_triangle, closest::edge_edge];
    let rates = both.map(|closest| {
        let time = shortest(5, || {
            for (start, _) in &queries {
                black_box(closest(*black_box(start)));
            }
        });
        1e-6 * queries.len() as f64 / time
    });
    println!("closest points: vertex-triangle {:.1}, edge-edge {:.1}", rates[0], rates[1]);
}

fn intersections() {
    let sheet = folded_sheet(224);
    let mut check = IntersectionCheck::new(&sheet.triangles);
    let mut found = Vec::new();
    check.self_intersections(&sheet.positions, &mut found);
    let time = shortest(5, || check.self_intersections(&sheet.positions, &mut found));
    println!(
        "exact check of {} triangles with themselves: {:.1} ms, {} found",
        sheet.triangles.len(),
        1e3 * time,
        found.len()
    );
}

fn main() {
    sheets();
    intersections();
    continuous_tests();
}
