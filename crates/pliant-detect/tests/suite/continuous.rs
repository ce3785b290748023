//! The continuous tests miss nothing.
//!
//! Integer positions, so that an exact reference (`exact/`) can say whether and when the features
//! touch. Random motions and every degenerate kind that we could think of: flat motions, parallel
//! edges, touches exactly at the start, the end, halfway, at a corner, along an edge, and passes
//! that miss by little; turned and sheared by random integer matrices, moved far off, scaled from
//! 1e-6 to 1e3. A query fails if the reference touches and the answer is none or later, or if the
//! distance at the time of the answer is more than promised.
//!
//! `PLIANT_DETECT_QUERIES` sets the number of queries of each of the two tests.

use crate::common::Random;
use crate::exact;
use pliant_detect::{closest, continuous};

const QUERIES: usize = 200_000;

type Lattice = [[i64; 3]; 4];
type Points = [[f64; 3]; 4];

fn point(random: &mut Random, r: i64) -> [i64; 3] {
    [random.int(r), random.int(r), random.int(r)]
}

fn points(random: &mut Random, r: i64) -> Lattice {
    [(); 4].map(|_| point(random, r))
}

fn along(a: [i64; 3], u: [i64; 3], s: i64) -> [i64; 3] {
    [0, 1, 2].map(|i| a[i] + s * u[i])
}

/// A vertex on a triangle: often on a side or a corner.
fn vertex_on_triangle(random: &mut Random) -> Lattice {
    let [a, u, v, _] = points(random, 2);
    let i = random.below(4);
    let j = random.below(4 - i) as i64;
    let i = i as i64;
    [along(along(a, u, i), v, j), a, along(a, u, 3), along(a, v, 3)]
}

/// Two edges that meet: often at an end, sometimes parallel.
fn meeting_edges(random: &mut Random) -> Lattice {
    let [p, u, v, _] = points(random, 2);
    let v = if random.below(4) == 0 { u } else { v };
    let (s, t) = (random.below(4) as i64, random.below(4) as i64);
    [along(p, u, -s), along(p, u, 3 - s), along(p, v, -t), along(p, v, 3 - t)]
}

/// Start and end of one query, before it is turned, moved and scaled.
fn motion(random: &mut Random, touching: fn(&mut Random) -> Lattice) -> (Lattice, Lattice) {
    let kind = random.below(12);
    match kind {
        // At random, coarsely and finely.
        0 => (points(random, 4), points(random, 4)),
        1 => (points(random, 1), points(random, 1)),
        2 => (points(random, 20), points(random, 20)),
        // All in one plane, all the time.
        3 => {
            let flat = |mut x: Lattice| {
                x.iter_mut().for_each(|p| p[2] = 0);
                x
            };
            (flat(points(random, 4)), flat(points(random, 4)))
        }
        // All on one line, all the time.
        4 => {
            let thin = |x: Lattice| x.map(|p| [p[0], 0, 0]);
            (thin(points(random, 4)), thin(points(random, 4)))
        }
        // Parallel edges all the time; for a vertex and a triangle something skew.
        5 => {
            let parallel = |mut x: Lattice, s: i64| {
                x[3] = along(x[2], [0, 1, 2].map(|i| x[1][i] - x[0][i]), s);
                x
            };
            (
                parallel(points(random, 3), 1),
                parallel(points(random, 3), [1, -1, 2][random.below(3)]),
            )
        }
        // Touching at the start or at the end.
        6 => (touching(random), points(random, 4)),
        7 => (points(random, 4), touching(random)),
        // Touching halfway, moving in any way.
        8 => {
            let (x, v) = (touching(random), points(random, 3));
            pass(x, v)
        }
        // Touching halfway while only one of the two moves, often tangentially.
        9 => {
            let (x, mut v) = (touching(random), points(random, 1));
            (v[1], v[2], v[3]) = ([0; 3], [0; 3], [0; 3]);
            pass(x, v)
        }
        // A common motion on top of a slow one.
        10 => {
            let x = points(random, 2);
            let shift = point(random, 1000);
            let mut y = x;
            for p in &mut y {
                *p = along(along(*p, shift, 1), point(random, 1), 1);
            }
            (x, y)
        }
        // A pass that misses by little, or just does not: a touch on a fine lattice, nudged.
        _ => {
            let fine = |x: Lattice| x.map(|p| p.map(|c| c << 16));
            let (start, mut end) = pass(fine(touching(random)), fine(points(random, 3)));
            end[0] = along(end[0], point(random, 1), 1 << random.below(12));
            (start, end)
        }
    }
}

fn pass(x: Lattice, v: Lattice) -> (Lattice, Lattice) {
    let at = |s: i64| [0, 1, 2, 3].map(|p| along(x[p], v[p], s));
    (at(-1), at(1))
}

/// Turned and sheared: incidences stay.
fn turned(random: &mut Random, motion: (Lattice, Lattice)) -> (Lattice, Lattice) {
    if random.below(2) == 0 {
        return motion;
    }
    let m = [point(random, 2), point(random, 2), point(random, 2)];
    let turn = |p: [i64; 3]| m.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
    (motion.0.map(turn), motion.1.map(turn))
}

#[derive(Default, Debug)]
struct Tally {
    queries: usize,
    touching: usize,
    found: usize,
    missed: usize,
    late: usize,
    false_alarms: usize,
    /// The largest distance at the time of an answer, over the reach.
    largest_gap: f64,
}

/// Grazing at the limit of precision: a touch halfway on a lattice of 2⁴⁴ steps, where each point
/// is off by a step or two at the start and at the end.
fn by_a_rounding(random: &mut Random, touching: fn(&mut Random) -> Lattice) -> (Lattice, Lattice) {
    let fine = |x: Lattice| x.map(|p| p.map(|c| c << 44));
    let (mut start, mut end) = pass(fine(touching(random)), fine(points(random, 3)));
    for p in start.iter_mut().chain(&mut end) {
        *p = along(*p, point(random, 2), 1);
    }
    (start, end)
}

fn run(
    seed: u64,
    queries: usize,
    motion: impl Fn(&mut Random) -> (Lattice, Lattice),
    reference: fn(&Lattice, &Lattice) -> Option<exact::Root>,
    tested: fn(&Points, &Points, f64) -> Option<f64>,
    distance: fn(Points) -> f64,
) -> Tally {
    let mut random = Random::new(seed);
    let mut tally = Tally::default();
    for _ in 0..queries {
        let (start, end) = motion(&mut random);
        let truth = reference(&start, &end);

        // Powers of two and integers below 2⁵³: the floats are the lattice exactly.
        let offset = if random.below(4) == 0 { point(&mut random, 1 << 30) } else { [0; 3] };
        let scale = 1.0 / (1_u64 << 20) as f64 * (1_u64 << random.below(31)) as f64;
        let points = |x: Lattice| x.map(|p| along(p, offset, 1).map(|c| c as f64 * scale));
        let (from, to) = (points(start), points(end));
        let answer = tested(&from, &to, 0.0);

        tally.queries += 1;
        match (truth, answer) {
            (Some(mut first), Some(time)) => {
                tally.touching += 1;
                tally.found += 1;
                if first.is_certainly_before(time) {
                    println!("late: {time} after {} in {start:?} {end:?}", first.near());
                    tally.late += 1;
                }
            }
            (Some(mut first), None) => {
                println!("missed: {} in {start:?} {end:?}", first.near());
                tally.touching += 1;
                tally.missed += 1;
            }
            (None, Some(_)) => tally.false_alarms += 1,
            (None, None) => {}
        }
        if let Some(time) = answer {
            // Before the offset, so that interpolation loses nothing to it.
            let plain = |x: Lattice| x.map(|p| p.map(|c| c as f64));
            let (from, to) = (plain(start), plain(end));
            let mut now = from;
            let mut reach = 0.0_f64;
            for (i, p) in now.iter_mut().enumerate() {
                *p = [0, 1, 2].map(|k| (1.0 - time) * from[i][k] + time * to[i][k]);
                for j in 0..4 {
                    for x in [from, to] {
                        let d = [0, 1, 2].map(|k| x[i][k] - x[j][k]);
                        reach = reach.max((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt());
                    }
                }
            }
            if reach > 0.0 {
                tally.largest_gap = tally.largest_gap.max(distance(now) / reach);
            }
        }
    }
    println!("{tally:?}");
    tally
}

fn check(tally: &Tally) {
    assert_eq!((tally.missed, tally.late), (0, 0), "{tally:?}");
    assert!(tally.largest_gap <= 1.01e-6, "{tally:?}");
    // The queries are of both kinds, in earnest.
    assert!(tally.touching > tally.queries / 10 && tally.touching < tally.queries * 9 / 10);
}

fn queries() -> usize {
    std::env::var("PLIANT_DETECT_QUERIES").map_or(QUERIES, |n| n.parse().unwrap())
}

fn vertex_triangle(queries: usize, motion: impl Fn(&mut Random) -> (Lattice, Lattice)) -> Tally {
    let distance = |x| closest::vertex_triangle(x).distance();
    run(1, queries, motion, exact::vertex_triangle, continuous::vertex_triangle, distance)
}

fn edge_edge(queries: usize, motion: impl Fn(&mut Random) -> (Lattice, Lattice)) -> Tally {
    let distance = |x| closest::edge_edge(x).distance();
    run(2, queries, motion, exact::edge_edge, continuous::edge_edge, distance)
}

#[test]
fn a_vertex_never_slips_through_a_triangle() {
    check(&vertex_triangle(queries(), |random| {
        let motion = motion(random, vertex_on_triangle);
        turned(random, motion)
    }));
}

#[test]
fn an_edge_never_slips_through_an_edge() {
    check(&edge_edge(queries(), |random| {
        let motion = motion(random, meeting_edges);
        turned(random, motion)
    }));
}

#[test]
fn nothing_slips_through_by_a_rounding() {
    let queries = queries() / 100;
    check(&vertex_triangle(queries, |random| by_a_rounding(random, vertex_on_triangle)));
    check(&edge_edge(queries, |random| by_a_rounding(random, meeting_edges)));
}
