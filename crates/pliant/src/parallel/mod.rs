//! Parallel execution: threads, tasks and sweeps. This is the only module that creates threads.
//!
//! The division of work into tasks depends on the scene ([`Stencils`]), never on the machine; the
//! number of threads only determines which thread runs which task. Tasks that may run concurrently
//! touch different vertices, and sums are taken per task and added in task order, so the result has the
//! same bits for any number of threads. On WebAssembly everything runs on the calling thread.

mod color;
#[cfg(not(target_arch = "wasm32"))]
mod keep_awake;
mod rows;
mod stencils;
mod sweep;
mod vertex_color;

pub use crate::parallel::rows::for_rows;
pub use crate::parallel::stencils::Stencils;
pub use crate::parallel::sweep::{
    AccumulateKernel, ElementState, InPlaceKernel, sweep_accumulate, sweep_in_place, sweep_sum,
};
pub use crate::parallel::vertex_color::{NO_COLOR, color_vertices};

use crate::linalg::Fork;
use crate::simd::Lanes;

/// Minimum work for a second thread, in nanoseconds: waking one costs about 1 µs.
const MIN_PARALLEL_WORK_NS: usize = 6_000;

/// Minimum size of a task of long work, in nanoseconds. Long work is split into several tasks per
/// thread: a thread that is delayed by others then runs fewer of them, instead of making all wait.
const MIN_TASK_NS: usize = 50_000;
/// Maximum number of tasks per thread.
const MAX_TASKS_PER_THREAD: usize = 8;

/// Execution settings of kernels: number of threads and lane type. They never change a result.
#[derive(Clone, Debug)]
pub struct Exec {
    threads: usize,
    lanes: Lanes,
    #[cfg(not(target_arch = "wasm32"))]
    pool: Option<std::sync::Arc<rayon::ThreadPool>>,
}

impl Exec {
    /// Creates settings for `threads` threads (at least one; one on targets without threads).
    pub fn new(threads: usize, lanes: Lanes) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            // Without a pool (the system refused the threads) everything runs on the calling thread.
            let pool = (threads > 1)
                .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok())
                .flatten()
                .map(std::sync::Arc::new);
            Self { threads: if pool.is_some() { threads } else { 1 }, lanes, pool }
        }
        #[cfg(target_arch = "wasm32")]
        {
            let _ = threads;
            Self { threads: 1, lanes }
        }
    }

    /// Returns settings for one thread and packed lanes.
    pub fn serial() -> Self {
        Self::new(1, Lanes::Packed)
    }

    /// Returns the number of threads that run tasks.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the lane type of kernels.
    pub fn lanes(&self) -> Lanes {
        self.lanes
    }

    /// Runs `f` inside the thread pool, whose threads stay awake until it ends.
    pub fn install<T: Send>(&self, f: impl FnOnce() -> T + Send) -> T {
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(pool) = &self.pool {
            return pool.install(|| keep_awake::with_pool_awake(self.threads - 1, f));
        }
        f()
    }

    /// Runs both closures, concurrently if there are threads.
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        #[cfg(not(target_arch = "wasm32"))]
        if self.pool.is_some() {
            return keep_awake::join(a, b);
        }
        (a(), b())
    }

    /// Returns the number of tasks into which work of about `ns` nanoseconds is split.
    fn task_count(&self, ns: usize) -> usize {
        if self.threads == 1 {
            return 1;
        }
        let threads = self.threads.min(1 + ns / MIN_PARALLEL_WORK_NS);
        threads.max((ns / MIN_TASK_NS).min(MAX_TASKS_PER_THREAD * self.threads))
    }
}

impl Fork for Exec {
    fn join(&self, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
        Exec::join(self, a, b);
    }
}

/// Calls `f(offset, chunk of a, chunk of b)` on chunks that cover both slices.
pub fn for_chunks<A: Send, B: Sync>(
    exec: &Exec,
    a: &mut [A],
    b: &[B],
    f: impl Fn(usize, &mut [A], &[B]) + Sync,
) {
    // A vertex costs about 2 ns: a chunk of this length justifies a thread.
    const MIN_CHUNK_LEN: usize = 8192;
    let parts = exec.threads.min(a.len().div_ceil(MIN_CHUNK_LEN));
    split_chunks(exec, 0, a, b, parts, &f);
}

fn split_chunks<A: Send, B: Sync>(
    exec: &Exec,
    offset: usize,
    a: &mut [A],
    b: &[B],
    parts: usize,
    f: &(impl Fn(usize, &mut [A], &[B]) + Sync),
) {
    if parts <= 1 {
        return f(offset, a, b);
    }
    let left = parts / 2;
    let mid = a.len() * left / parts;
    let ((a0, a1), (b0, b1)) = (a.split_at_mut(mid), b.split_at(mid));
    exec.join(
        || split_chunks(exec, offset, a0, b0, left, f),
        || split_chunks(exec, offset + mid, a1, b1, parts - left, f),
    );
}
