//! Every way in which a model, a mesh or a solver can be refused, with the offender named and a
//! remedy.

use thiserror::Error;

/// Why something was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// The matrix of the global step is not positive definite.
    #[error(
        "the system matrix is not positive definite at row {row} (pivot {pivot:.3e}); \
         give every vertex a positive mass and every element a non-negative weight"
    )]
    NotPositiveDefinite {
        /// The row of the failing pivot: a vertex (or three times a vertex plus its axis).
        row: usize,
        /// The value of the pivot.
        pivot: f64,
    },
}
