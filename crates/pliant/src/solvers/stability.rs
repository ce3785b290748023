//! Upper bound on the oscillation frequencies of a model: the largest eigenvalue of `M⁻¹ Σ w AᵀA`.
//!
//! `Σ w AᵀA` bounds the Hessian of the elastic energy from above: everywhere for elements in projective
//! form, near the rest state for scalar ones. Its largest eigenvalue relative to the mass matrix is the
//! largest ω² \[1/s²\]. Power iteration approaches it from below and Gershgorin's circles bound it from
//! above; the result lies between the two.

use crate::batch::AnyBatch;
use crate::batch::ElementPrecision;
use crate::linalg::SymmetricMatrix;
use crate::system::System;

/// Number of power iterations. The quotient is then within a few percent, however close the
/// eigenvalues.
const POWER_ITERATIONS: usize = 60;
/// Factor that covers the error of the quotient remaining after `POWER_ITERATIONS`.
const SAFETY_FACTOR: f64 = 1.05;

/// Returns a bound on the largest ω² of a model's oscillations [1/s²], a few percent above it.
pub(super) fn max_squared_frequency<S: ElementPrecision>(system: &System<S>) -> f64 {
    let inv: Vec<f64> = system.inv_mass.iter().map(|w| w.to_f64()).collect();
    let mut entries: Vec<(u32, u32, f64)> = Vec::new();
    for batch in &system.batches {
        batch.assemble_laplacian(&mut |i, j, k| {
            // M^-1/2 K M^-1/2 is symmetric and has the same eigenvalues.
            let scale = (inv[i as usize] * inv[j as usize]).sqrt();
            if scale > 0.0 {
                entries.push((i, j, k * scale));
            }
        });
    }
    let matrix = SymmetricMatrix::from_triplets(inv.len(), entries.into_iter());
    // Rank-one terms are not in the matrix. Each batch adds at most its largest squared frequency.
    let coupled = |b: &dyn AnyBatch<S>| {
        b.squared_frequencies().iter().map(|r| r.to_f64()).fold(0.0, f64::max)
    };
    let coupling = system.batches.iter().filter(|b| b.rank_one_term_count() > 0);
    let coupling: f64 = coupling.map(|b| coupled(b.as_ref())).sum();
    (SAFETY_FACTOR * power_iteration_estimate(&matrix)).min(gershgorin_bound(&matrix, &inv))
        + coupling
}

/// Returns Rayleigh's quotient after `POWER_ITERATIONS` power iterations.
fn power_iteration_estimate(matrix: &SymmetricMatrix) -> f64 {
    let n = matrix.size();
    // Neighbours move against each other, unevenly: the shape of the fastest oscillation.
    let mut v: Vec<f64> =
        (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 } + 0.3 * (i % 7) as f64).collect();
    let mut w = vec![0.0; n];
    let mut quotient = 0.0;
    for _ in 0..POWER_ITERATIONS {
        let norm = v.iter().map(|c| c * c).sum::<f64>().sqrt();
        if !(norm > 0.0) {
            break;
        }
        v.iter_mut().for_each(|c| *c /= norm);
        matrix.mul_vec(&v, &mut w);
        quotient = v.iter().zip(&w).map(|(a, b)| a * b).sum();
        std::mem::swap(&mut v, &mut w);
    }
    quotient
}

/// Returns Gershgorin's bound on `M⁻¹K`, which has the same eigenvalues as `M^-½ K M^-½`.
fn gershgorin_bound(matrix: &SymmetricMatrix, inv: &[f64]) -> f64 {
    let mut sums = vec![0.0; inv.len()];
    for column in 0..matrix.size() {
        let (rows, values) = matrix.column(column);
        for (&row, k) in rows.iter().zip(values) {
            let row = row as usize;
            if inv[row] == 0.0 || inv[column] == 0.0 {
                continue;
            }
            let ratio = (inv[row] / inv[column]).sqrt();
            sums[row] += k.abs() * ratio;
            if row != column {
                sums[column] += k.abs() / ratio;
            }
        }
    }
    sums.into_iter().fold(0.0, f64::max)
}
