//! The only place that mentions threads.
//!
//! Work is cut into tasks by the scene ([`Stencils`]), never by the machine; threads only decide
//! who runs which task. Tasks that may run at the same time touch different vertices, and sums
//! are taken per task and added in task order, so the result has the same bits for any number of
//! threads. On WebAssembly everything runs on the calling thread.

mod color;
mod rows;
mod stencils;
mod sweep;
mod vertex_color;
#[cfg(not(target_arch = "wasm32"))]
mod vigil;

pub use rows::for_rows;
pub use stencils::Stencils;
pub use sweep::{InPlace, Memory, Onto, sum_onto, update, update_onto};
pub use vertex_color::{NO_COLOR, color_vertices};

use crate::linalg::Fork;
use crate::simd::Lanes;

/// Work below this many nanoseconds is not worth a second thread: waking one costs about 1 µs.
const WORTH_A_THREAD_NS: usize = 6_000;

/// Where work is long, it is handed out in parts of at least this many nanoseconds, several for each
/// thread: one that others hold up then runs fewer of them, instead of making everyone wait.
const PART_NS: usize = 50_000;
/// Parts for each thread, at most.
const PARTS: usize = 8;

/// How kernels are run: on how many threads, with which lanes. It never changes a result.
#[derive(Clone, Debug)]
pub struct Exec {
    threads: usize,
    lanes: Lanes,
    #[cfg(not(target_arch = "wasm32"))]
    pool: Option<std::sync::Arc<rayon::ThreadPool>>,
}

impl Exec {
    /// Runs on `threads` threads (at least one; one on targets without threads).
    pub fn new(threads: usize, lanes: Lanes) -> Self {
        #[cfg(not(target_arch = "wasm32"))]
        {
            // Without a pool (the system refused the threads) everything runs on the caller.
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

    /// One thread, packed lanes.
    pub fn serial() -> Self {
        Self::new(1, Lanes::Packed)
    }

    /// How many threads run tasks.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Which lanes run kernels.
    pub fn lanes(&self) -> Lanes {
        self.lanes
    }

    /// Runs `f` inside the thread pool, whose threads stay awake until it ends.
    pub fn install<T: Send>(&self, f: impl FnOnce() -> T + Send) -> T {
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(pool) = &self.pool {
            return pool.install(|| vigil::keep(self.threads - 1, f));
        }
        f()
    }

    /// Runs both, at the same time where threads allow.
    pub fn join<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        #[cfg(not(target_arch = "wasm32"))]
        if self.pool.is_some() {
            return vigil::join(a, b);
        }
        (a(), b())
    }

    /// Into how many parts work of about `ns` nanoseconds is worth cutting.
    fn worth(&self, ns: usize) -> usize {
        if self.threads == 1 {
            return 1;
        }
        let threads = self.threads.min(1 + ns / WORTH_A_THREAD_NS);
        threads.max((ns / PART_NS).min(PARTS * self.threads))
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
    // A vertex costs about 2 ns: a chunk of this many is worth a thread.
    const CHUNK: usize = 8192;
    let parts = exec.threads.min(a.len().div_ceil(CHUNK));
    halves(exec, 0, a, b, parts, &f);
}

fn halves<A: Send, B: Sync>(
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
        || halves(exec, offset, a0, b0, left, f),
        || halves(exec, offset + mid, a1, b1, parts - left, f),
    );
}
