//! The linear algebra of the global steps: one sparse symmetric positive definite matrix, factored
//! once and solved very many times.
//!
//! [`SymmetricMatrix`] → [`Symbolic`] (order, panels) → [`Factor`] (LLᵀ, in double precision,
//! stored for the solve in either) → [`Factor::solve3`]. [`Factor::update`] follows a change of low
//! rank, [`ChangingDiagonal`] and [`Removals`] choose between that and factoring again. [`ConjugateGradients`] is the iterative
//! alternative. [`Ldl`] factors the indefinite systems of [`Saddle`], constraints with multipliers.
//! Every result has the same bits on every machine and for any number of threads.

mod aligned;
mod cg;
mod chunks;
mod diagonal;
mod etree;
mod factor;
mod fork;
mod layout;
mod ldl;
pub mod ordering;
mod panel;
mod panel_update;
mod path;
mod removal;
mod saddle;
mod solve;
mod solve1;
mod sparse;
mod supernodes;
mod symbolic;
#[cfg(test)]
mod tests;
mod update;
#[cfg(test)]
mod update_tests;
mod work;

pub use cg::{CgReport, ConjugateGradients, Operator};
pub use diagonal::{ChangingDiagonal, Followed, Strategy};
pub use factor::{Factor, FactorScratch};
#[cfg(not(target_arch = "wasm32"))]
pub use fork::Threads;
pub use fork::{Fork, Serial};
pub use ldl::Ldl;
pub use ordering::{Hints, Permutation};
pub use removal::Removals;
pub use saddle::{Saddle, SaddleMethod, SaddleReport};
pub use solve::SolveScratch;
pub use sparse::SymmetricMatrix;
pub use symbolic::{Chunk, Panel, Symbolic};
pub use update::{LowRank, UpdateScratch};
pub use work::Work;
