//! Execution of two independent tasks, concurrently or one after the other.

/// Runs two tasks that share no data. Results never depend on the implementation.
pub trait Fork: Sync {
    /// Runs both, in any order or concurrently, and returns when both are done.
    fn join(&self, a: impl FnOnce() + Send, b: impl FnOnce() + Send);
}

/// Runs the tasks one after the other on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Serial;

impl Fork for Serial {
    fn join(&self, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
        a();
        b();
    }
}

/// Runs the tasks concurrently on the threads of the current rayon pool. Call from inside the pool
/// (`install`, `scope`): entering it from outside costs tens of microseconds per call, more than a
/// small solve gains. From inside, two threads were 1.5 to 1.7 times as fast as one on the curtain and
/// the block (one run).
#[cfg(not(target_arch = "wasm32"))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

#[cfg(not(target_arch = "wasm32"))]
impl Fork for Threads {
    fn join(&self, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
        rayon::join(a, b);
    }
}
