//! Entry point of our side of the benchmark.
//!
//! `open` is the only entry point: it returns a type that implements [`Runner`], set up on a workload. Work of
//! one iteration of `run` by kind of workload:
//!
//! | kind | one iteration |
//! |---|---|
//! | `Springs`, `Rotations` | one local and one global step; `reset` is `x₀ = y = start` |
//! | `Distance`, `Dihedral`, `Strain…` | one sweep over all constraints, no integration; `reset` is `x = start` |
//! | `StepSheet`, `StepBlock` | one substep of one iteration; `run(n)` is a time step of n; `reset` is rest |
//!
//! `Strain…` stands for `StrainTriangles` and `StrainTets`. `whole_steps` is true for the last row, whose `reset`
//! is the rest state with zero velocity.
//!
//! Factorisation, colouring and packing belong in `open`, which is not timed. If our side does not support a
//! workload (the reference on several threads), it is `None`: the peers are then measured alone.

use crate::engine;
use crate::reference::Reference;
use crate::runner::Runner;
use crate::workload::Workload;

/// Solver of ours that is compared with the peers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The engine.
    Engine,
    /// The scalar f64 reference of this crate: a baseline for the harness, not the engine.
    Reference,
}

/// Opens our side on a workload; `None` if it is not supported.
pub fn open(
    side: Side,
    workload: &Workload,
    threads: usize,
) -> Result<Option<Box<dyn Runner>>, pliant::Error> {
    match side {
        Side::Engine => engine::engine(workload, threads).map(Some),
        Side::Reference if threads == 1 => {
            Ok(Reference::new(workload).map(|reference| Box::new(reference) as Box<dyn Runner>))
        }
        Side::Reference => Ok(None),
    }
}
