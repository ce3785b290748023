//! Tree and grid find the pairs that all against all finds: on random, clustered, even, uneven and
//! degenerate boxes, built and refitted. And their work grows hardly faster than the mesh, counted
//! in visits, not in seconds.

use crate::common::{Random, folded_sheet};
use pliant_detect::grid::{Method, choose_method};
use pliant_detect::{Aabb, Bvh, Grid};

fn brute_force(a: &[Aabb], b: &[Aabb]) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            let apart = (0..3).any(|k| x.max[k] < y.min[k] || y.max[k] < x.min[k]);
            if !apart {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

fn sorted(mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    pairs.sort_unstable();
    pairs
}

fn boxes(
    random: &mut Random,
    n: usize,
    spread: f64,
    size: impl Fn(&mut Random) -> f64,
) -> Vec<Aabb> {
    (0..n)
        .map(|_| {
            let p = [(); 3].map(|_| random.signed() * spread);
            let size = size(random);
            Aabb::from_points(&[p, p.map(|x| x + random.unit() * size)])
        })
        .collect()
}

/// Sets of boxes of every kind, with their names.
fn sets(random: &mut Random) -> Vec<(&'static str, Vec<Aabb>)> {
    let lattice = |random: &mut Random| {
        (0..300)
            .map(|_| {
                let p = [(); 3].map(|_| random.below(6) as f64);
                Aabb::from_points(&[p, p.map(|x| x + 1.0)])
            })
            .collect()
    };
    let clusters = |random: &mut Random| {
        let mut all = Vec::new();
        for scale in [1e-6, 1e-3, 1.0, 1e3] {
            all.extend(boxes(random, 80, scale, |_| 0.2 * scale));
        }
        all
    };
    vec![
        ("none", Vec::new()),
        ("one", boxes(random, 1, 1.0, |_| 1.0)),
        ("two", boxes(random, 2, 1.0, |_| 1.0)),
        ("even", boxes(random, 400, 1.0, |_| 0.2)),
        ("uneven", boxes(random, 400, 1.0, |r| 0.01 / (0.005 + r.unit()))),
        ("points", boxes(random, 300, 1.0, |_| 0.0)),
        (
            "on a line",
            boxes(random, 300, 1.0, |_| 0.1)
                .iter()
                .map(|b| Aabb::from_points(&[[b.min[0], 0.0, 0.0], [b.max[0], 0.0, 0.0]]))
                .collect(),
        ),
        ("touching on a lattice", lattice(random)),
        ("clusters", clusters(random)),
        ("all equal", vec![Aabb::from_points(&[[1.0; 3], [2.0; 3]]); 60]),
        ("all one point", vec![Aabb::from_points(&[[1e9; 3]]); 60]),
        (
            "far off",
            boxes(random, 200, 1.0, |_| 0.3)
                .iter()
                .map(|b| Aabb { min: b.min.map(|x| x + 1e9), max: b.max.map(|x| x + 1e9) })
                .collect(),
        ),
        ("partly empty", [vec![Aabb::EMPTY; 20], boxes(random, 100, 1.0, |_| 0.5)].concat()),
    ]
}

#[test]
fn tree_and_grid_find_what_all_against_all_finds() {
    let mut random = Random::new(7);
    for round in 0..20 {
        let sets = sets(&mut random);
        let mut grid = Grid::new();
        for (name, a) in &sets {
            let expected: Vec<_> = brute_force(a, a).into_iter().filter(|[i, j]| i < j).collect();
            let (mut tree_pairs, mut grid_pairs) = (Vec::new(), Vec::new());
            Bvh::build(a).self_pairs(&mut tree_pairs, usize::MAX);
            grid.self_pairs(a, &mut grid_pairs, usize::MAX);
            assert_eq!(sorted(tree_pairs), expected, "tree, {name}, round {round}");
            assert_eq!(sorted(grid_pairs), expected, "grid, {name}, round {round}");
            for (other, b) in &sets {
                let expected = brute_force(a, b);
                let (mut tree_pairs, mut grid_pairs) = (Vec::new(), Vec::new());
                Bvh::build(a).pairs(&Bvh::build(b), &mut tree_pairs, usize::MAX);
                grid.pairs(a, b, &mut grid_pairs, usize::MAX);
                assert_eq!(sorted(tree_pairs), expected, "tree, {name} and {other}");
                assert_eq!(sorted(grid_pairs), expected, "grid, {name} and {other}");
            }
        }
    }
}

#[test]
fn a_refitted_tree_finds_what_all_against_all_finds() {
    let mut random = Random::new(8);
    let mut a = boxes(&mut random, 300, 1.0, |_| 0.2);
    let mut tree = Bvh::build(&a);
    for _ in 0..10 {
        for b in &mut a {
            let shift = [(); 3].map(|_| random.signed() * 0.5);
            for k in 0..3 {
                b.min[k] += shift[k];
                b.max[k] += shift[k];
            }
        }
        tree.refit(&a);
        let mut pairs = Vec::new();
        tree.self_pairs(&mut pairs, usize::MAX);
        let expected: Vec<_> = brute_force(&a, &a).into_iter().filter(|[i, j]| i < j).collect();
        assert_eq!(sorted(pairs), expected);
    }
}

#[test]
fn boxes_and_points_find_their_elements() {
    let mut random = Random::new(9);
    for (name, a) in sets(&mut random) {
        let tree = Bvh::build(&a);
        for query in boxes(&mut random, 50, 1.5, |_| 0.7) {
            let mut found = Vec::new();
            tree.overlapping(&query, &mut found);
            found.sort_unstable();
            let expected: Vec<u32> =
                brute_force(&[query], &a).into_iter().map(|[_, j]| j).collect();
            assert_eq!(found, expected, "{name}");

            // The centre of each box stands for its shape.
            let distance = |i: u32| {
                let b = &a[i as usize];
                let d = [0, 1, 2].map(|k| 0.5 * (b.min[k] + b.max[k]) - query.min[k]);
                d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
            };
            for limit in [0.5, f64::INFINITY] {
                let mut expected: Option<(u32, f64)> = None;
                for i in (0..a.len() as u32).filter(|&i| distance(i) <= limit * limit) {
                    if expected.is_none_or(|(_, d)| distance(i) < d) {
                        expected = Some((i, distance(i)));
                    }
                }
                assert_eq!(tree.nearest(query.min, limit, distance), expected, "{name}");
            }
        }
    }
}

#[test]
fn what_is_not_a_number_does_not_panic() {
    let mut random = Random::new(10);
    let mut a = boxes(&mut random, 100, 1.0, |_| 0.3);
    for (i, b) in a.iter_mut().enumerate() {
        match i % 10 {
            0 => b.min[i % 3] = f64::NAN,
            1 => b.max = [f64::NAN; 3],
            2 => b.max[i % 3] = f64::INFINITY,
            3 => b.min = [f64::NEG_INFINITY; 3],
            _ => {}
        }
    }
    let tree = Bvh::build(&a);
    tree.self_pairs(&mut Vec::new(), usize::MAX);
    tree.nearest([0.0; 3], 1.0, |_| f64::NAN);
    Grid::new().self_pairs(&a, &mut Vec::new(), usize::MAX);
    choose_method(&a);
}

#[test]
fn the_same_input_gives_the_same_order() {
    let mut random = Random::new(11);
    let a = boxes(&mut random, 500, 1.0, |_| 0.3);
    let all = || {
        let (mut tree, mut grid) = (Vec::new(), Vec::new());
        Bvh::build(&a).self_pairs(&mut tree, usize::MAX);
        Grid::new().self_pairs(&a, &mut grid, usize::MAX);
        (tree, grid)
    };
    assert_eq!(all(), all());
}

#[test]
fn the_choice_follows_the_evenness() {
    let mut random = Random::new(12);
    let mut a = boxes(&mut random, 500, 1.0, |_| 0.1);
    assert_eq!(choose_method(&a), Method::Grid);
    a.push(Aabb::from_points(&[[0.0; 3], [1.0; 3]]));
    assert_eq!(choose_method(&a), Method::Tree);
}

/// The exponent with which a count grows from the first sheet to the last.
fn exponent(counts: &[(usize, u64)]) -> f64 {
    let ((n0, c0), (n1, c1)) = (counts[0], counts[counts.len() - 1]);
    log2(c1 as f64 / c0 as f64) / log2(n1 as f64 / n0 as f64)
}

/// The binary logarithm, by squaring: precise enough for a slope.
fn log2(mut x: f64) -> f64 {
    let (mut log, mut bit) = (0.0, 1.0);
    while x >= 2.0 {
        (x, log) = (0.5 * x, log + 1.0);
    }
    for _ in 0..40 {
        (x, bit) = (x * x, 0.5 * bit);
        if x >= 2.0 {
            (x, log) = (0.5 * x, log + bit);
        }
    }
    log
}

#[test]
fn work_grows_hardly_faster_than_the_sheet() {
    let (mut tree, mut grid, mut nearest) = (Vec::new(), Vec::new(), Vec::new());
    for side in [22, 71, 224] {
        let sheet = folded_sheet(side);
        let boxes = sheet.boxes(0.1 / side as f64);
        let n = boxes.len();
        let built = Bvh::build(&boxes);
        tree.push((n, built.self_pairs(&mut Vec::new(), usize::MAX)));
        grid.push((n, Grid::new().self_pairs(&boxes, &mut Vec::new(), usize::MAX)));
        let mut asked = 0;
        for p in &sheet.positions {
            built.nearest(*p, f64::INFINITY, |i| {
                asked += 1;
                boxes[i as usize].distance_squared(*p)
            });
        }
        nearest.push((n, asked));
    }
    let found = [exponent(&tree), exponent(&grid), exponent(&nearest)];
    println!("{found:?} {tree:?} {grid:?} {nearest:?}");
    assert!(found.iter().all(|e| *e < 1.15), "{found:?} {tree:?} {grid:?} {nearest:?}");
}
