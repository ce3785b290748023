//! Sparse linear algebra of the global steps: one symmetric positive definite matrix, factored once and
//! solved many times.
//!
//! [`SymmetricMatrix`] → [`Symbolic`] (order, panels) → [`Factor`] (LLᵀ, computed in double precision,
//! stored for the solve in either) → [`Factor::solve3`]. [`Factor::update`] applies a low-rank change;
//! [`UpdatableFactor`] and [`Downdater`] choose between an update and a new factorisation.
//! [`ConjugateGradients`] is the iterative alternative. [`Ldl`] factors the indefinite systems of
//! [`Saddle`], constraints with multipliers. Every result has the same bits on every machine and for
//! any number of threads.

mod aligned;
mod cg;
mod downdate;
mod etree;
mod factor;
mod flop_count;
mod fork;
mod layout;
mod ldl;
pub mod ordering;
mod panel;
mod panel_update;
mod path;
mod saddle;
mod solve;
mod solve_single;
mod sparse;
mod subtrees;
mod supernodes;
mod symbolic;
#[cfg(test)]
mod tests;
mod updatable_factor;
mod update;
#[cfg(test)]
mod update_tests;

pub use crate::linalg::cg::{CgReport, ConjugateGradients, Operator, Preconditioned};
pub use crate::linalg::downdate::Downdater;
pub use crate::linalg::factor::{Factor, FactorScratch};
pub use crate::linalg::flop_count::FlopCount;
#[cfg(not(target_arch = "wasm32"))]
pub use crate::linalg::fork::Threads;
pub use crate::linalg::fork::{Fork, Serial};
pub use crate::linalg::ldl::Ldl;
pub use crate::linalg::ordering::{OrderingHints, Permutation};
pub use crate::linalg::saddle::{Saddle, SaddleMethod, SaddleReport};
pub use crate::linalg::solve::SolveScratch;
pub use crate::linalg::sparse::SymmetricMatrix;
pub use crate::linalg::symbolic::{Panel, Subtree, Symbolic};
pub use crate::linalg::updatable_factor::{FactorUpdate, UpdatableFactor, UpdateStrategy};
pub use crate::linalg::update::{LowRank, UpdateScratch};
