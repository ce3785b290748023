//! Tests of the direct solver as a whole: comparison with a dense factor, lattices, and its guarantees
//! (same bits, typed errors, independence of disconnected parts of a matrix).

use std::sync::Arc;

use crate::Error;
use crate::linalg::*;
use crate::math::{Fnv1a, Random, Scalar};
use crate::simd::Point;

/// The Laplacian of a lattice with unit weights, plus `mass` on the diagonal.
pub fn lattice(size: [usize; 3], mass: f64) -> SymmetricMatrix {
    let mut entries = Vec::new();
    let number = |i: usize, j: usize, k: usize| ((k * size[1] + j) * size[0] + i) as u32;
    for k in 0..size[2] {
        for j in 0..size[1] {
            for i in 0..size[0] {
                let a = number(i, j, k);
                entries.push((a, a, mass));
                let steps = [(i + 1, j, k), (i, j + 1, k), (i, j, k + 1)];
                for (i, j, k) in steps {
                    if i < size[0] && j < size[1] && k < size[2] {
                        let b = number(i, j, k);
                        entries.extend([(a, a, 1.0), (b, b, 1.0), (a, b, -1.0)]);
                    }
                }
            }
        }
    }
    SymmetricMatrix::from_triplets(size.iter().product(), entries.into_iter())
}

/// The global matrix of a curtain of `n` × `n` vertices, 900 / n² of mass over the squared step each:
/// structural springs, one diagonal per quad, skip-one bending springs, of 80 N/m.
pub fn curtain(n: usize) -> SymmetricMatrix {
    let mut entries: Vec<(u32, u32, f64)> = Vec::new();
    for v in 0..n * n {
        let (i, j) = (v % n, v / n);
        entries.push((v as u32, v as u32, 900.0 / (n * n) as f64));
        for (di, dj) in [(1, 0), (0, 1), (1, 1), (2, 0), (0, 2)] {
            if i + di < n && j + dj < n {
                let (a, b) = (v as u32, (v + dj * n + di) as u32);
                entries.extend([(a, a, 80.0), (b, b, 80.0), (a, b, -80.0)]);
            }
        }
    }
    SymmetricMatrix::from_triplets(n * n, entries.into_iter())
}

/// The positions of the vertices of a lattice.
pub fn lattice_positions(size: [usize; 3]) -> Vec<[f64; 3]> {
    let n: usize = size.iter().product();
    let place = |v: usize| {
        let (i, j, k) = (v % size[0], v / size[0] % size[1], v / (size[0] * size[1]));
        [i as f64, j as f64, k as f64]
    };
    (0..n).map(place).collect()
}

/// A diagonally dominant matrix with about `per_row` random couplings per row.
fn random_matrix(n: usize, per_row: usize, seed: u64) -> SymmetricMatrix {
    let mut random = Random::new(seed);
    let mut entries = Vec::new();
    for i in 0..n as u32 {
        entries.push((i, i, 0.5));
        for _ in 0..per_row {
            let j = random.below(n) as u32;
            if j != i && (j as usize) < n {
                let v = random.signed_unit();
                entries.extend([(i, j, v), (i, i, v.abs()), (j, j, v.abs())]);
            }
        }
    }
    SymmetricMatrix::from_triplets(n, entries.into_iter())
}

/// Dense Cholesky factorisation, for comparison.
fn dense_solve(a: &SymmetricMatrix, b: &[f64]) -> Vec<f64> {
    let n = a.size();
    let mut l = vec![vec![0.0; n]; n];
    for j in 0..n {
        for (&i, &v) in a.column(j).0.iter().zip(a.column(j).1) {
            l[i as usize][j] = v;
        }
    }
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let v = l[i][j] - sum;
            l[i][j] = if i == j { v.sqrt() } else { v / l[j][j] };
        }
    }
    let mut x = b.to_vec();
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| l[i][k] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i][i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| l[k][i] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i][i];
    }
    x
}

fn factor<S: Scalar>(a: &SymmetricMatrix, hints: OrderingHints) -> Factor<S> {
    let symbolic = Arc::new(Symbolic::new(a, hints));
    let mut scratch = FactorScratch::new(&symbolic);
    Factor::new(&symbolic, a, &mut scratch).unwrap()
}

pub fn points<S: Scalar>(n: usize, seed: u64) -> Vec<Point<S>> {
    let mut random = Random::new(seed);
    (0..n)
        .map(|i| {
            let xyz = [0; 3].map(|_| S::from_f64(random.signed_unit()));
            [xyz[0], xyz[1], xyz[2], S::from_f64(i as f64)]
        })
        .collect()
}

/// Largest residual for a largest right-hand side of one, for three components and for one.
fn residual<S: Scalar>(a: &SymmetricMatrix, factor: &Factor<S>) -> f64 {
    let b = points::<S>(a.size(), 7);
    let mut x = b.clone();
    let mut scratch = SolveScratch::new(factor);
    factor.solve3(&mut x, &mut scratch, &Serial);
    let mut single: Vec<S> = b.iter().map(|p| p[1]).collect();
    factor.solve_single(&mut single, &mut scratch, &Serial);
    let mut worst = 0f64;
    let mut image = vec![0.0; a.size()];
    for component in 0..4 {
        let side = if component == 3 { 1 } else { component };
        let solution: Vec<f64> = if component == 3 {
            single.iter().map(|v| v.to_f64()).collect()
        } else {
            x.iter().map(|p| p[component].to_f64()).collect()
        };
        a.mul_vec(&solution, &mut image);
        for (image, b) in image.iter().zip(&b) {
            worst = worst.max((image - b[side].to_f64()).abs());
        }
    }
    assert!(x.iter().enumerate().all(|(i, p)| p[3].to_f64() == i as f64), "the spare changed");
    worst
}

fn bits<S: Scalar>(points: &[Point<S>]) -> Vec<u64> {
    points.iter().flatten().map(|v| v.canonical_bits()).collect()
}

#[test]
fn random_matrices_agree_with_a_dense_factor() {
    for (n, per_row, seed) in
        [(1, 0, 1), (2, 1, 2), (9, 3, 3), (40, 2, 4), (90, 5, 5), (130, 60, 6)]
    {
        let a = random_matrix(n, per_row, seed);
        let factor: Factor<f64> = factor(&a, OrderingHints::default());
        let b = points::<f64>(n, seed);
        let mut x = b.clone();
        factor.solve3(&mut x, &mut SolveScratch::new(&factor), &Serial);
        for component in 0..3 {
            let b: Vec<f64> = b.iter().map(|p| p[component]).collect();
            for (x, expected) in x.iter().zip(dense_solve(&a, &b)) {
                // Measured 3.4e-16.
                assert!((x[component] - expected).abs() < 5e-15, "{n}: {x:?} {expected}");
            }
        }
    }
}

#[test]
fn residuals_are_at_rounding_on_grids_and_lattices() {
    for size in [[40, 37, 1], [12, 11, 10]] {
        let a = lattice(size, 0.01);
        let positions = lattice_positions(size);
        let hints = OrderingHints { positions: Some(&positions), ..OrderingHints::default() };
        let double = residual(&a, &factor::<f64>(&a, hints));
        let single = residual(&a, &factor::<f32>(&a, hints));
        // Measured 1.1e-14 and 2.9e-6.
        assert!(double < 1e-12 && single < 1e-5, "{size:?}: {double:e} {single:e}");
    }
}

#[test]
fn threads_and_refactoring_change_no_bits() {
    let size = [36, 26, 24];
    let a = lattice(size, 0.5);
    let positions = lattice_positions(size);
    let symbolic = Arc::new(Symbolic::new(
        &a,
        OrderingHints { positions: Some(&positions), ..OrderingHints::default() },
    ));
    assert!(symbolic.subtrees.len() >= 3, "{} chunks", symbolic.subtrees.len());
    let mut work = FactorScratch::new(&symbolic);
    let mut factor: Factor<f32> = Factor::new(&symbolic, &a, &mut work).unwrap();
    let mut scratch = SolveScratch::new(&factor);
    let b = points::<f32>(a.size(), 3);
    let mut serial = b.clone();
    factor.solve3(&mut serial, &mut scratch, &Serial);
    let mut threaded = b.clone();
    factor.solve3(&mut threaded, &mut scratch, &Threads);
    assert_eq!(bits(&serial), bits(&threaded));

    factor.refactor(&lattice(size, 3.0), &mut work).unwrap();
    let mut other = b.clone();
    factor.solve3(&mut other, &mut scratch, &Serial);
    assert_ne!(bits(&serial), bits(&other));
    factor.refactor(&a, &mut work).unwrap();
    let mut again = b.clone();
    factor.solve3(&mut again, &mut scratch, &Serial);
    assert_eq!(bits(&serial), bits(&again));
}

/// The order of every sum is part of the contract: another processor, instruction set or thread count
/// must give this hash. It changes only with the elimination order or the panels.
#[test]
fn solutions_have_the_same_bits_on_every_machine() {
    let mut hash = Fnv1a::default();
    for (n, per_row) in [(300, 3), (700, 2)] {
        let a = random_matrix(n, per_row, 11);
        let mut single = points::<f32>(n, 1);
        let factor32: Factor<f32> = factor(&a, OrderingHints::default());
        factor32.solve3(&mut single, &mut SolveScratch::new(&factor32), &Serial);
        let mut double = points::<f64>(n, 2);
        let factor64: Factor<f64> = factor(&a, OrderingHints::default());
        factor64.solve3(&mut double, &mut SolveScratch::new(&factor64), &Serial);
        let mut alone: Vec<f64> = double.iter().map(|p| p[0]).collect();
        factor64.solve_single(&mut alone, &mut SolveScratch::new(&factor64), &Serial);
        let alone = alone.iter().map(|v| v.canonical_bits());
        for bits in bits(&single).into_iter().chain(bits(&double)).chain(alone) {
            hash.word(bits);
        }
    }
    assert_eq!(hash.value(), 0x1621fca6c7023b2e, "{:#x}", hash.value());
}

#[test]
fn a_refused_matrix_names_its_row_and_leaves_the_factor_alone() {
    let good = lattice([6, 6, 1], 1.0);
    let symbolic = Arc::new(Symbolic::new(&good, OrderingHints::default()));
    let mut work = FactorScratch::new(&symbolic);
    let mut factor: Factor<f64> = Factor::new(&symbolic, &good, &mut work).unwrap();
    let before = factor.values.clone();
    for bad in [-1e9, f64::NAN, f64::INFINITY] {
        let mut matrix = good.clone();
        matrix.add(17, 17, bad);
        match factor.refactor(&matrix, &mut work) {
            Err(Error::NotPositiveDefinite { row: 17, pivot }) => {
                assert!(pivot < 0.0 || !pivot.is_finite())
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(factor.values.as_slice(), before.as_slice());

    // Without mass the Laplacian is singular; the last pivot is rounding noise.
    let singular = lattice([6, 6, 1], 0.0);
    let last = *symbolic.order.to_old.last().unwrap() as usize;
    match factor.refactor(&singular, &mut work) {
        Err(Error::NotPositiveDefinite { row, .. }) => assert_eq!(row, last),
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_rows_and_one_row_are_solved() {
    let none = SymmetricMatrix::from_triplets(0, std::iter::empty());
    let empty: Factor<f32> = factor(&none, OrderingHints::default());
    empty.solve3(&mut [], &mut SolveScratch::new(&empty), &Serial);
    let one = SymmetricMatrix::from_triplets(1, [(0, 0, 4.0)].into_iter());
    let factor: Factor<f32> = factor(&one, OrderingHints::default());
    let mut x = [[8.0, -4.0, 2.0, 9.0]];
    factor.solve3(&mut x, &mut SolveScratch::new(&factor), &Serial);
    assert_eq!(x, [[2.0, -1.0, 0.5, 9.0]]);
}

#[test]
fn a_nan_stays_in_its_own_part() {
    // Parts of several sizes, their rows interleaved.
    let parts = [lattice([7, 5, 3], 0.1), lattice([30, 30, 1], 0.2), lattice([1, 1, 1], 1.0)];
    let n: usize = parts.iter().map(SymmetricMatrix::size).sum();
    let mut number = vec![Vec::new(); parts.len()];
    let mut next = 0;
    for i in 0..n {
        for (part, number) in parts.iter().zip(&mut number) {
            if i < part.size() {
                number.push(next);
                next += 1;
            }
        }
    }
    let mut entries = Vec::new();
    for (part, number) in parts.iter().zip(&number) {
        for j in 0..part.size() {
            for (&i, &v) in part.column(j).0.iter().zip(part.column(j).1) {
                entries.push((number[i as usize], number[j], v));
            }
        }
    }
    let a = SymmetricMatrix::from_triplets(n, entries.into_iter());
    let factor: Factor<f32> = factor(&a, OrderingHints::default());
    let mut scratch = SolveScratch::new(&factor);
    let b = points::<f32>(n, 5);
    let mut clean = b.clone();
    factor.solve3(&mut clean, &mut scratch, &Serial);
    for sick in 0..parts.len() {
        let mut x = b.clone();
        x[number[sick][0] as usize][0] = f32::NAN;
        factor.solve3(&mut x, &mut scratch, &Serial);
        for (part, number) in number.iter().enumerate() {
            let same = number.iter().all(|&i| bits(&[x[i as usize]]) == bits(&[clean[i as usize]]));
            assert_eq!(same, part != sick);
        }
    }
}

#[test]
fn three_rows_per_vertex_are_ordered_as_one() {
    let vertices = lattice([6, 5, 4], 1.0);
    let mut entries = Vec::new();
    for j in 0..vertices.size() {
        for (&i, &v) in vertices.column(j).0.iter().zip(vertices.column(j).1) {
            for a in 0..3 {
                entries.push((3 * i + a, 3 * j as u32 + a, v));
                let b = (a + 1) % 3;
                if i as usize != j {
                    entries.push((3 * i + a, 3 * j as u32 + b, 0.1 * v));
                }
            }
        }
    }
    let a = SymmetricMatrix::from_triplets(3 * vertices.size(), entries.into_iter());
    let positions = lattice_positions([6, 5, 4]);
    let factor: Factor<f64> = factor(&a, OrderingHints { block: 3, positions: Some(&positions) });
    assert!(residual(&a, &factor) < 1e-12);
}
