//! Tests of factor updates against fresh factors: additions, removals, springs, many changes at once,
//! and rejected updates.

use std::sync::Arc;

use crate::Error;
use crate::linalg::tests::{curtain, lattice, points};
use crate::linalg::*;
use crate::math::{Fnv1a, Random, Scalar};

struct Case<S: Scalar> {
    matrix: SymmetricMatrix,
    factor: Factor<S>,
    scratch: FactorScratch,
    work: UpdateScratch,
}

impl<S: Scalar> Case<S> {
    fn new(matrix: SymmetricMatrix) -> Self {
        let symbolic = Arc::new(Symbolic::new(&matrix, OrderingHints::default()));
        let mut scratch = FactorScratch::new(&symbolic);
        let factor = Factor::new(&symbolic, &matrix, &mut scratch).unwrap();
        Self { matrix, factor, scratch, work: UpdateScratch::new(&symbolic) }
    }

    /// Applies changes to the factor and the matrix.
    fn update(&mut self, change: &LowRank) -> f64 {
        for i in 0..change.len() {
            let (weight, a) = change.change(i);
            for &(i, p) in a {
                for &(j, q) in a.iter().filter(|(j, _)| *j >= i) {
                    self.matrix.add(i as usize, j as usize, weight * p * q);
                }
            }
        }
        self.factor.update(change, &mut self.scratch, &mut self.work).unwrap()
    }

    fn fresh(&self) -> Factor<S> {
        let symbolic = self.factor.symbolic();
        Factor::new(symbolic, &self.matrix, &mut FactorScratch::new(symbolic)).unwrap()
    }

    /// Largest difference of the factor from a fresh one.
    fn difference(&self) -> f64 {
        let fresh = self.fresh();
        let pairs = self.factor.values.as_slice().iter().zip(fresh.values.as_slice());
        pairs.map(|(a, b)| (a.to_f64() - b.to_f64()).abs()).fold(0.0, f64::max)
    }

    /// Largest difference of a solution from that of a fresh factor, for a largest right-hand side of
    /// one.
    fn error(&self) -> f64 {
        let solve = |factor: &Factor<S>| {
            let mut x = points::<S>(self.matrix.size(), 5);
            factor.solve3(&mut x, &mut SolveScratch::new(factor), &Serial);
            x.iter().flat_map(|p| [0, 1, 2].map(|c| p[c].to_f64())).collect::<Vec<_>>()
        };
        let (x, expected) = (solve(&self.factor), solve(&self.fresh()));
        let size = expected.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        x.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
    }
}

#[test]
fn the_changed_factor_is_that_of_the_changed_matrix() {
    for size in [[1, 1, 1], [5, 1, 1], [23, 19, 1], [7, 6, 5]] {
        for count in [1, 3, 8, 13, 40] {
            let mut random = Random::new(count);
            let mut change = LowRank::default();
            for _ in 0..count {
                let row = random.below(size.iter().product());
                change.push(0.2 + random.signed_unit().abs(), [(row as u32, 1.0)]);
            }
            let mut double = Case::<f64>::new(lattice(size, 0.5));
            double.update(&change);
            let mut single = Case::<f32>::new(lattice(size, 0.5));
            single.update(&change);
            let (double, single) = (double.difference(), single.difference());
            // Measured 3.3e-16 and 0.
            assert!(double < 3e-15 && single < 1e-7, "{size:?} {count}: {double:e} {single:e}");
        }
    }
}

/// Fifty contacts on the curtain are added, changed and removed, some in every one of 200 steps.
fn two_hundred_steps<S: Scalar>() -> (f64, f64) {
    let base = curtain(81);
    let mut case = Case::<S>::new(base.clone());
    let mut random = Random::new(9);
    // Half of them form a patch, half are scattered.
    let patch = (0..25).map(|k| 2000 + k / 5 * 81 + k % 5);
    let mut vertices: Vec<usize> = patch.collect();
    while vertices.len() < 50 {
        let v = random.below(base.size());
        if !vertices.contains(&v) {
            vertices.push(v);
        }
    }
    let mut added = vec![0.0; vertices.len()];
    let mut growth = 0f64;
    for _ in 0..200 {
        let mut change = LowRank::default();
        for (&v, added) in vertices.iter().zip(&mut added) {
            let wanted = match random.below(4) {
                0 => 0.0,
                1 => base.column(v).1[0] * (1.0 + random.signed_unit().abs()),
                _ => continue,
            };
            if wanted != *added {
                change.push(wanted - *added, [(v as u32, 1.0)]);
                *added = wanted;
            }
        }
        growth = growth.max(case.update(&change));
    }
    // Exclude the rounding errors of the test's own matrix sums.
    case.matrix = base;
    for (&v, &added) in vertices.iter().zip(&added) {
        case.matrix.add(v, v, added);
    }
    (case.error(), growth)
}

#[test]
fn two_hundred_updates_keep_the_digits() {
    let (double, growth) = two_hundred_steps::<f64>();
    let (single, _) = two_hundred_steps::<f32>();
    // Measured 1.3e-14, no difference at all, and 6.6.
    assert!(double < 1e-13 && single < 1e-7 && growth < 60.0, "{double:e} {single:e} {growth}");
}

#[test]
fn springs_are_taken_out_and_put_back() {
    let mut case = Case::<f64>::new(curtain(30));
    let springs = [(31, 32), (31, 61), (400, 431), (700, 702), (702, 762), (899, 868)];
    let mut change = LowRank::default();
    for (a, b) in springs {
        change.push(-80.0, [(a, 1.0), (b, -1.0)]);
    }
    case.update(&change);
    // Measured 3.5e-15, and 1.7e-15 when they are back.
    let error = case.error();
    assert!(error < 3e-14, "{error:e}");
    change.clear();
    springs.iter().for_each(|&(a, b)| change.push(80.0, [(a, 1.0), (b, -1.0)]));
    change.push(50.0, [(17, 1.0)]);
    case.update(&change);
    let error = case.error();
    assert!(error < 2e-14, "{error:e}");
}

#[test]
fn a_removal_of_too_much_is_refused_and_leaves_the_factor_alone() {
    let mut case = Case::<f32>::new(curtain(12));
    let before = case.factor.values.clone();
    for weight in [-1e4, -1e300, f64::NEG_INFINITY, f64::NAN] {
        let mut change = LowRank::default();
        change.push(3.0, [(5, 1.0)]);
        change.push(weight, [(70, 1.0)]);
        let result = case.factor.update(&change, &mut case.scratch, &mut case.work);
        assert!(matches!(result, Err(Error::NotPositiveDefinite { .. })), "{weight}: {result:?}");
        assert_eq!(case.factor.values.as_slice(), before.as_slice());
        assert!(!case.scratch.holds_factor());
        case.factor.refactor(&case.matrix, &mut case.scratch).unwrap();
    }
}

/// As for the solutions, another processor must give this hash.
#[test]
fn the_same_changes_give_the_same_bits() {
    let mut hash = Fnv1a::default();
    let mut case = Case::<f64>::new(curtain(40));
    let mut change = LowRank::default();
    for k in 0..37 {
        change.push(100.0 - k as f64, [(k * 41, 1.0)]);
    }
    case.update(&change);
    for v in case.factor.values.as_slice() {
        hash.word(v.canonical_bits());
    }
    assert_eq!(hash.value(), 0x2c0fdd1638ced2ba, "{:#x}", hash.value());
}

#[test]
#[should_panic(expected = "coupled")]
fn rows_that_are_not_coupled_are_no_change() {
    let mut change = LowRank::default();
    change.push(1.0, [(0, 1.0), (899, -1.0)]);
    let mut case = Case::<f64>::new(curtain(30));
    let _ = case.factor.update(&change, &mut case.scratch, &mut case.work);
}
