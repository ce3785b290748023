//! The direct solver on the two matrices of the global step that matter most, against faer's
//! solvers in the same run and against the time to read the factor twice from memory.
//!
//! `cargo bench -p pliant-bench --features faer --bench linalg`; every time is the least of many.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, Mat, Par, Side};
use pliant::linalg::{
    Factor, FactorScratch, Fork, OrderingHints, Serial, SolveScratch, Symbolic, SymmetricMatrix,
    Threads,
};
use pliant::math::Scalar;

/// The least time of a call \[ms\], over at least 30 calls and 0.6 s.
fn least(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    let mut best = Duration::MAX;
    let mut calls = 0;
    while calls < 30 || start.elapsed() < Duration::from_millis(600) {
        let before = Instant::now();
        call();
        best = best.min(before.elapsed());
        calls += 1;
    }
    best.as_secs_f64() * 1e3
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

/// 81 × 81 vertices; structural springs, one diagonal per quad, skip-one bending springs.
fn curtain() -> (SymmetricMatrix, Vec<[f64; 3]>) {
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
    let positions = (0..N * N).map(|v| [(v % N) as f64, (v / N) as f64, 0.0]).collect();
    (springs(N * N, 900.0 / 6561.0, &pairs), positions)
}

/// 25 × 20 × 20 cells, each cut into five tetrahedra, mirrored in every other cell.
fn block() -> (SymmetricMatrix, Vec<[f64; 3]>) {
    const SIZE: [usize; 3] = [26, 21, 21];
    // The corners of the inner tetrahedron; each corner left out makes another with its neighbours.
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
    let n = SIZE.iter().product();
    let place = |v: usize| [v % 26, v / 26 % 21, v / (26 * 21)].map(|x| x as f64);
    (springs(n, 900.0 / n as f64, &pairs), (0..n).map(place).collect())
}

/// Reads an array as fast as one thread can \[ms\].
fn stream(bytes: usize) -> f64 {
    let data = vec![1u64; bytes / 8];
    least(|| {
        let mut sums = [0u64; 16];
        for chunk in data.chunks_exact(16) {
            for (sum, v) in sums.iter_mut().zip(chunk) {
                *sum ^= v;
            }
        }
        black_box(sums);
    })
}

struct Times {
    factor: f64,
    solve: f64,
}

fn ours<S: Scalar>(a: &SymmetricMatrix, positions: &[[f64; 3]], peer: &Times) {
    let hints = OrderingHints { positions: Some(positions), ..OrderingHints::default() };
    let start = Instant::now();
    let symbolic = Arc::new(Symbolic::new(a, hints));
    let analysis = start.elapsed().as_secs_f64() * 1e3;
    let mut work = FactorScratch::new(&symbolic);
    let mut factor = Factor::<S>::new(&symbolic, a, &mut work).expect("positive definite");
    let time = least(|| factor.refactor(a, &mut work).expect("positive definite"));
    let solve = solve_time(&factor, &Serial);
    // From inside the pool, as the engine runs it: entering it takes tens of microseconds.
    let threads = rayon::scope(|_| solve_time(&factor, &Threads));
    let mut scratch = SolveScratch::new(&factor);
    let mut rhs = vec![S::one(); a.size()];
    let single = least(|| {
        rhs.fill(S::one());
        factor.solve_single(&mut rhs, &mut scratch, &Serial);
    });
    let floor = 2.0 * stream(factor.stored() * size_of::<S>());
    let (panels, chunks) = (symbolic.panels.len(), symbolic.subtrees.len());
    println!(
        "  ours {}: analysis {analysis:.1}, factor {time:.2} (x{:.2} of faer's), solve3 {solve:.3} \
         (x{:.2}), 2 threads {threads:.3} (x{:.2}), solve1 {single:.3}; floor {floor:.3} (x{:.2})",
        S::NAME,
        time / peer.factor,
        peer.solve / solve,
        solve / threads,
        solve / floor
    );
    println!(
        "       entries {}, stored {}, {panels} panels, {chunks} chunks, factor {} KB, scratch {} KB",
        symbolic.entries(),
        factor.stored(),
        factor.bytes() / 1024,
        work.bytes() / 1024
    );
}

fn solve_time<S: Scalar>(factor: &Factor<S>, fork: &impl Fork) -> f64 {
    let mut scratch = SolveScratch::new(factor);
    // The same right-hand side each time: repeated solves would run into denormals.
    let right: Vec<_> = (0..factor.size())
        .map(|i| [S::one(), S::from_f64(i as f64 % 7.0), S::from_f64(-2.0), S::zero()])
        .collect();
    let mut x = right.clone();
    let copy = least(|| x.copy_from_slice(black_box(&right)));
    let both = least(|| {
        x.copy_from_slice(black_box(&right));
        factor.solve3(&mut x, &mut scratch, fork);
    });
    both - copy
}

fn faers(a: &SymmetricMatrix, name: &str, threshold: SupernodalThreshold) -> Times {
    let n = a.size();
    let mut starts = vec![0usize];
    let mut rows = Vec::new();
    let mut values = Vec::new();
    for j in 0..n {
        rows.extend(a.column(j).0.iter().map(|&i| i as usize));
        values.extend(a.column(j).1);
        starts.push(rows.len());
    }
    let pattern = SymbolicSparseColMatRef::new_checked(n, n, &starts, None, &rows);
    let matrix = SparseColMatRef::new(pattern, &values[..]);
    let params =
        CholeskySymbolicParams { supernodal_flop_ratio_threshold: threshold, ..Default::default() };
    let symbolic =
        factorize_symbolic_cholesky(pattern, Side::Lower, SymmetricOrdering::Amd, params).unwrap();
    let mut l = vec![0.0; symbolic.len_val()];
    let request = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
    let mut memory = MemBuffer::new(request);
    let mut factor = || {
        let stack = MemStack::new(&mut memory);
        let none = Default::default();
        symbolic
            .factorize_numeric_llt(
                &mut l,
                matrix,
                Side::Lower,
                none,
                Par::Seq,
                stack,
                Default::default(),
            )
            .unwrap();
    };
    let time = least(&mut factor);
    let llt = faer::sparse::linalg::cholesky::LltRef::new(&symbolic, &l);
    let mut memory = MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(3, Par::Seq));
    let right = Mat::<f64>::from_fn(n, 3, |i, j| (i % 7 + j) as f64);
    let mut rhs = right.clone();
    let solve = least(|| {
        let stack = MemStack::new(&mut memory);
        rhs.copy_from(&right);
        llt.solve_in_place_with_conj(Conj::No, rhs.as_mut(), Par::Seq, stack);
    });
    println!("  faer {name}: factor {time:.2}, solve {solve:.3}, stored {}", l.len());
    Times { factor: time, solve }
}

fn main() {
    for (name, (a, positions)) in [("curtain", curtain()), ("block", block())] {
        println!("{name}: n = {}, entries {} [ms]", a.size(), a.entries());
        let peer = faers(&a, "supernodal", SupernodalThreshold::FORCE_SUPERNODAL);
        faers(&a, "simplicial", SupernodalThreshold::FORCE_SIMPLICIAL);
        ours::<f64>(&a, &positions, &peer);
        ours::<f32>(&a, &positions, &peer);
    }
}
