//! Following contacts: changing the factor against factoring again, on the matrices of a curtain of
//! 81 × 81 vertices and a block of 50,000 tetrahedra.
//!
//! `cargo bench -p pliant --bench low_rank`; every time is the least of many, in microseconds.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pliant::linalg::{
    Factor, FactorScratch, FlopCount, LowRank, OrderingHints, Serial, SolveScratch, Symbolic,
    SymmetricMatrix, UpdateScratch,
};
use pliant::math::{Random, Scalar};

/// The least time of a call \[µs\], over at least 20 calls and 0.3 s.
fn least(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut best = Duration::MAX;
    let mut calls = 0;
    while calls < 20 || start.elapsed() < Duration::from_millis(300) {
        let before = Instant::now();
        call();
        best = best.min(before.elapsed());
        calls += 1;
    }
    best.as_secs_f64() * 1e6
}

/// Springs between pairs of vertices and a mass over the squared step on each.
fn springs(n: usize, mass: f64, pairs: &[(usize, usize)]) -> SymmetricMatrix {
    let masses = (0..n as u32).map(|i| (i, i, mass));
    let springs = pairs.iter().flat_map(|&(a, b)| {
        let (a, b) = (a as u32, b as u32);
        [(a, a, 80.0), (b, b, 80.0), (a, b, -80.0)]
    });
    SymmetricMatrix::from_triplets(n, masses.chain(springs))
}

/// A matrix, the positions of its vertices, and the vertices that contacts may touch.
struct Case {
    name: &'static str,
    matrix: SymmetricMatrix,
    positions: Vec<[f64; 3]>,
    surface: Vec<u32>,
    centre: [f64; 3],
}

/// Structural springs, one diagonal per quad, skip-one bending springs.
fn curtain() -> Case {
    const N: usize = 81;
    let mut pairs = Vec::new();
    for j in 0..N {
        for i in 0..N {
            for (di, dj) in [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2)] {
                if i + di < N && j + dj < N {
                    pairs.push((j * N + i, (j + dj) * N + i + di));
                }
            }
        }
    }
    Case {
        name: "curtain",
        matrix: springs(N * N, 900.0 / 6561.0, &pairs),
        positions: (0..N * N).map(|v| [(v % N) as f64, (v / N) as f64, 0.0]).collect(),
        surface: (0..(N * N) as u32).collect(),
        centre: [30.0, 47.0, 0.0],
    }
}

/// 25 × 20 × 20 cells, each cut into five tetrahedra, mirrored in every other cell.
fn block() -> Case {
    const SIZE: [usize; 3] = [26, 21, 21];
    const INNER: [[usize; 4]; 2] = [[0, 3, 5, 6], [1, 2, 4, 7]];
    let vertex = |i: usize, j: usize, k: usize| (k * SIZE[1] + j) * SIZE[0] + i;
    let mut pairs = Vec::new();
    for k in 0..SIZE[2] - 1 {
        for j in 0..SIZE[1] - 1 {
            for i in 0..SIZE[0] - 1 {
                let corner = |c: usize| vertex(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
                let inner = INNER[(i + j + k) % 2];
                for (a, &p) in inner.iter().enumerate() {
                    pairs.extend(inner[a + 1..].iter().map(|&q| (corner(p), corner(q))));
                    pairs.extend([1, 2, 4].map(|axis| (corner(p), corner(p ^ axis))));
                }
            }
        }
    }
    for pair in &mut pairs {
        *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let n: usize = SIZE.iter().product();
    let place = |v: usize| [v % 26, v / 26 % 21, v / (26 * 21)].map(|x| x as f64);
    Case {
        name: "block",
        matrix: springs(n, 900.0 / n as f64, &pairs),
        positions: (0..n).map(place).collect(),
        surface: (0..(26 * 21) as u32).collect(),
        centre: [12.0, 9.0, 0.0],
    }
}

impl Case {
    /// The vertices of the surface that are nearest to the centre.
    fn patch(&self, count: usize) -> Vec<u32> {
        let mut near = self.surface.clone();
        let distance = |&v: &u32| {
            let d: [f64; 3] =
                std::array::from_fn(|c| self.positions[v as usize][c] - self.centre[c]);
            ((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * 8.0) as u64
        };
        near.sort_by_key(|v| (distance(v), *v));
        near.truncate(count);
        near
    }

    /// Vertices all over the surface.
    fn scattered(&self, count: usize) -> Vec<u32> {
        let mut random = Random::new(1);
        let mut list = self.surface.clone();
        for i in 0..count {
            let j = i + random.below(list.len() - i);
            list.swap(i, j);
        }
        list.truncate(count);
        list
    }
}

fn contacts(matrix: &SymmetricMatrix, vertices: &[u32], sign: f64) -> LowRank {
    let mut change = LowRank::default();
    for &v in vertices {
        change.push(sign * matrix.column(v as usize).1[0], [(v, 1.0)]);
    }
    change
}

/// Subtracts columns of the inverse, four at a time, each times a point: what Woodbury's formula
/// adds to a solve, without its small system.
fn correct<S: Scalar>(x: &mut [[S; 4]], columns: &[S]) {
    let z: [[S; 4]; 4] = black_box([[S::from_f64(1e-3); 4]; 4]);
    for columns in columns.chunks_exact(4 * x.len()) {
        for (x, c) in x.iter_mut().zip(columns.chunks_exact(4)) {
            for k in 0..4 {
                x[k] -= c[0] * z[0][k] + c[1] * z[1][k] + c[2] * z[2][k] + c[3] * z[3][k];
            }
        }
    }
}

fn measure<S: Scalar>(case: &Case) {
    let hints = OrderingHints { positions: Some(&case.positions), ..OrderingHints::default() };
    let symbolic = Arc::new(Symbolic::new(&case.matrix, hints));
    let mut scratch = FactorScratch::new(&symbolic);
    let mut factor = Factor::<S>::new(&symbolic, &case.matrix, &mut scratch).expect("definite");
    let again = least(|| factor.refactor(&case.matrix, &mut scratch).expect("definite"));
    let mut solve = SolveScratch::new(&factor);
    let mut single = vec![S::one(); case.matrix.size()];
    let column = least(|| {
        single.fill(S::one());
        factor.solve_single(&mut single, &mut solve, &Serial);
    });
    let right = vec![[S::one(); 4]; case.matrix.size()];
    let mut x = right.clone();
    let three = least(|| {
        x.copy_from_slice(black_box(&right));
        factor.solve3(&mut x, &mut solve, &Serial);
    });
    let whole = FlopCount::of_factorization(&symbolic);
    println!(
        "{} {}: factor again {again:.0} ({} products, {} entries), solve three {three:.0}, \
         one column of the inverse {column:.0}",
        case.name,
        S::NAME,
        whole.multiply_adds,
        whole.updated_entries
    );
    for count in [1_usize, 10, 50] {
        let columns = vec![S::from_f64(1e-3); count.next_multiple_of(4) * case.matrix.size()];
        let more = least(|| correct(black_box(&mut x), &columns));
        println!(
            "  woodbury {count}: columns {:.0}, then {more:.0} more in every solve",
            count as f64 * column
        );
    }
    let mut work = UpdateScratch::new(&symbolic);
    for (kind, pick) in
        [("patch", Case::patch as fn(&Case, usize) -> Vec<u32>), ("scattered", Case::scattered)]
    {
        for count in [1, 10, 50, 150] {
            let vertices = pick(case, count);
            let more = contacts(&case.matrix, &vertices, 1.0);
            let less = contacts(&case.matrix, &vertices, -1.0);
            let planned = work.plan(&symbolic, &more);
            let ratio = whole.multiply_adds as f64 / planned.multiply_adds as f64;
            let plan = least(|| {
                black_box(work.plan(&symbolic, &more));
            });
            // In turns, so that a busy machine spoils neither alone.
            let (mut add, mut remove, mut again) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
            least(|| {
                let start = Instant::now();
                factor.update(&more, &mut scratch, &mut work).expect("definite");
                let added = start.elapsed().as_secs_f64();
                factor.update(&less, &mut scratch, &mut work).expect("definite");
                let removed = start.elapsed().as_secs_f64();
                factor.refactor(&case.matrix, &mut scratch).expect("definite");
                let end = start.elapsed().as_secs_f64();
                add = add.min(added * 1e6);
                remove = remove.min((removed - added) * 1e6);
                again = again.min((end - removed) * 1e6);
            });
            println!(
                "  {kind} {count}: add {add:.0}, remove {remove:.0}, factor again {again:.0} (x{:.1} of \
                 add), plan {plan:.1}; {} products (x{ratio:.1} fewer), {} entries",
                again / add,
                planned.multiply_adds,
                planned.updated_entries
            );
        }
    }
}

fn main() {
    for case in [curtain(), block()] {
        measure::<f64>(&case);
        measure::<f32>(&case);
    }
}
