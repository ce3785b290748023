//! The global matrix of Projective Dynamics.

use crate::batch::ElementPrecision;
use crate::linalg::SymmetricMatrix;
use crate::system::System;

/// Returns `M/h² + Σ w AᵀA`, with the rows and columns of pinned vertices replaced by the identity.
pub(super) fn global_matrix<S: ElementPrecision>(system: &System<S>, h: f64) -> SymmetricMatrix {
    let free = |v: u32| system.inv_mass[v as usize].to_f64() > 0.0;
    let inv_h2 = 1.0 / (h * h);
    let mut entries: Vec<(u32, u32, f64)> = Vec::new();
    for v in 0..system.len() as u32 {
        entries.push((v, v, if free(v) { 0.0 } else { 1.0 }));
    }
    let mut add = |i: u32, j: u32, value: f64| {
        if free(i) && free(j) {
            entries.push((i, j, value));
        }
    };
    match system.model.mass_matrix() {
        None => {
            let masses = system.model.masses();
            masses.iter().enumerate().for_each(|(v, m)| add(v as u32, v as u32, m * inv_h2));
        }
        Some(mass) => {
            for column in 0..mass.size() {
                let (rows, values) = mass.column(column);
                for (&row, &m) in rows.iter().zip(values) {
                    add(row, column as u32, m * inv_h2);
                }
            }
        }
    }
    system.batches.iter().for_each(|b| b.assemble_laplacian(&mut add));
    SymmetricMatrix::from_triplets(system.len(), entries.into_iter())
}
