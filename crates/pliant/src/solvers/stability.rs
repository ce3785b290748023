//! How fast a model can oscillate: the largest eigenvalue of `M⁻¹ Σ w AᵀA`.
//!
//! `Σ w AᵀA` bounds the Hessian of the elastic energy from above, for elements in projective form
//! wherever they are, for scalar ones near rest. Its largest eigenvalue against the masses is the
//! largest ω² \[1/s²\]. Power iteration approaches it from below, Gershgorin's circles bound it from
//! above; the answer lies between.

use crate::batch::AnyBatch;
use crate::linalg::SymmetricMatrix;
use crate::system::{Precision, System};

/// Power iterations: the quotient is then within a few percent, however close the eigenvalues.
const ITERATIONS: usize = 60;
/// What is left to the eigenvalue after that many.
const MARGIN: f64 = 1.05;

/// A bound on the largest ω² of a model's oscillations [1/s²], a few percent above it.
pub(super) fn fastest_squared<S: Precision>(system: &System<S>) -> f64 {
    let inv: Vec<f64> = system.inv_mass.iter().map(|w| w.to_f64()).collect();
    let mut entries: Vec<(u32, u32, f64)> = Vec::new();
    for batch in &system.batches {
        batch.stamp(&mut |i, j, k| {
            // M^-1/2 K M^-1/2 is symmetric and has the same eigenvalues.
            let scale = (inv[i as usize] * inv[j as usize]).sqrt();
            if scale > 0.0 {
                entries.push((i, j, k * scale));
            }
        });
    }
    let matrix = SymmetricMatrix::from_triplets(inv.len(), entries.into_iter());
    // What is not in the matrix adds at most its own square of a frequency.
    let coupled = |b: &dyn AnyBatch<S>| b.rates().iter().map(|r| r.to_f64()).fold(0.0, f64::max);
    let coupling = system.batches.iter().filter(|b| b.couplings() > 0);
    let coupling: f64 = coupling.map(|b| coupled(b.as_ref())).sum();
    (MARGIN * from_below(&matrix)).min(from_above(&matrix, &inv)) + coupling
}

/// Rayleigh's quotient after some power iterations.
fn from_below(matrix: &SymmetricMatrix) -> f64 {
    let n = matrix.size();
    // Neighbours against each other, unevenly: the fastest oscillation looks like that.
    let mut v: Vec<f64> =
        (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 } + 0.3 * (i % 7) as f64).collect();
    let mut w = vec![0.0; n];
    let mut quotient = 0.0;
    for _ in 0..ITERATIONS {
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

/// Gershgorin's bound on `M⁻¹K`, which has the eigenvalues of `M^-½ K M^-½`.
fn from_above(matrix: &SymmetricMatrix, inv: &[f64]) -> f64 {
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
