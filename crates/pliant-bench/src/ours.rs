//! Where our side enters the benchmark.
//!
//! `open` is the one place: it gives a type that implements [`Runner`], set up on a workload. What
//! each kind of workload asks of `run`:
//!
//! | kind | one iteration |
//! |---|---|
//! | `Springs`, `Rotations` | one local and one global step; `reset` is `x₀ = y = start` |
//! | `Distance`, `Dihedral`, `StrainTriangles`, `StrainTets` | one sweep over all constraints, without integration; `reset` is `x = start` |
//! | `StepSheet`, `StepBlock` | `run(n)` is one whole time step of n substeps with one iteration each; `reset` is the rest state without velocity; `whole_steps` is true |
//!
//! Factorisation, colouring and packing belong in `open`, which is not timed. Where there is nothing
//! of ours (the reference on several threads) it is `None`: the peers are then measured alone.

use crate::engine;
use crate::reference::Reference;
use crate::runner::Runner;
use crate::workload::Workload;

/// Which of our solvers stands against the peers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The engine.
    Engine,
    /// The scalar f64 reference of this crate: a yardstick for the harness, not the engine.
    Reference,
}

/// Our side on a workload, or `None` where there is none.
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
