//! What a contestant is to the harness: something that runs iterations on a workload.
//!
//! Peers and our engine implement the same trait, so they are timed and judged by the same code.

use crate::geometry::Point;
use std::io;

/// One contestant, set up on one workload.
pub trait Runner {
    /// Its name in the table.
    fn name(&self) -> &'static str;

    /// Its arithmetic: `f32` or `f64`.
    fn precision(&self) -> &'static str;

    /// Whether `run` cannot leave out the rest of a time step (integration, velocities): the
    /// harness then times two runs of different lengths and takes the difference.
    fn whole_steps(&self) -> bool {
        false
    }

    /// Back to the start of the workload. Never timed.
    fn reset(&mut self) -> io::Result<()>;

    /// Runs that many iterations from where it is; answers the milliseconds they took, measured
    /// as close to the iterations as possible.
    fn run(&mut self, iterations: u32) -> io::Result<f64>;

    /// The vertices now \[m\], in the workload's order.
    fn positions(&mut self) -> io::Result<Vec<Point>>;

    /// What a reader should know: sizes, counts.
    fn note(&self) -> String {
        String::new()
    }
}
