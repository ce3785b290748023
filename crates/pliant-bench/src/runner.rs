//! Contestant interface: a runner performs iterations on a workload.
//!
//! Peers and our engine implement the same trait, so the same code times and evaluates them.

use crate::geometry::Point;
use std::io;

/// One contestant, set up on one workload.
pub trait Runner {
    /// Name in the table.
    fn name(&self) -> &'static str;

    /// Floating-point precision: `f32` or `f64`.
    fn precision(&self) -> &'static str;

    /// True if `run` cannot omit the rest of a time step (integration, velocities): the harness then times two
    /// runs of different lengths and takes the difference.
    fn whole_steps(&self) -> bool {
        false
    }

    /// Resets to the start of the workload. Never timed.
    fn reset(&mut self) -> io::Result<()>;

    /// Runs that many iterations from the current state; returns the milliseconds they took, measured as close
    /// to the iterations as possible.
    fn run(&mut self, iterations: u32) -> io::Result<f64>;

    /// Current vertex positions \[m\], in the workload's order.
    fn positions(&mut self) -> io::Result<Vec<Point>>;

    /// Note for the reader, such as sizes and counts.
    fn note(&self) -> String {
        String::new()
    }
}
