//! Keeps the threads of the pool awake during a step.
//!
//! A step forks many times for a few microseconds each, with serial sections between. A thread that
//! goes to sleep in such a section is woken by the operating system, which can take longer than the
//! work it is woken for (on two virtual processors this cost all that the second one gained). Every
//! other thread of the pool therefore polls for work until the step ends, and yields to other programs
//! while there is none. The same applies to a thread that waits for the other half of its work: rayon
//! puts it to sleep after some microseconds, and waking it took a third of the time of a step with two
//! threads on 50,000 tetrahedra.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// True while this thread is inside a task. Polling until the end of the step from there would
    /// deadlock.
    static IN_TASK: Cell<bool> = const { Cell::new(false) };
}

/// Marks the thread as inside a task while `f` runs.
pub fn in_task<T>(f: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IN_TASK.set(self.0);
        }
    }
    let _restore = Restore(IN_TASK.replace(true));
    f()
}

/// Runs both closures on the threads of the pool, which stay awake until both are done.
pub fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut a, mut b) = (Some(a), Some(b));
    let (mut left, mut right) = (None, None);
    join_erased(&mut || left = a.take().map(|a| a()), &mut || right = b.take().map(|b| b()));
    let (Some(left), Some(right)) = (left, right) else { unreachable!("both have run") };
    (left, right)
}

/// Type-erased [`join`]: the code that distributes work to threads is compiled once, not for each fork.
fn join_erased(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    let over = AtomicBool::new(false);
    let first = || {
        in_task(a);
        // The second half may still be in this thread's own queue; it is then run here.
        work_until(&over);
    };
    let second = || {
        let _end = SetOnDrop(&over);
        in_task(b)
    };
    rayon::join(first, second);
}

/// Sets a flag on drop, so that a wait also ends if the awaited task panics.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs `f` on this thread of a pool while up to `others` of its threads stay awake.
pub fn with_pool_awake<T: Send>(others: usize, f: impl FnOnce() -> T + Send) -> T {
    let over = AtomicBool::new(false);
    let watched = || {
        let _end = SetOnDrop(&over);
        in_task(f)
    };
    rayon::join(watched, || keep_all_awake(others, &over)).0
}

/// Keeps threads awake by nested joins, which, unlike spawns, do not allocate.
fn keep_all_awake(others: usize, over: &AtomicBool) {
    if others > 0 && !over.load(Ordering::Acquire) {
        rayon::join(|| keep_awake(over), || keep_all_awake(others - 1, over));
    }
}

fn keep_awake(over: &AtomicBool) {
    if IN_TASK.get() {
        return;
    }
    work_until(over);
}

/// Runs available work until `over` is set.
fn work_until(over: &AtomicBool) {
    while !over.load(Ordering::Acquire) {
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            (0..32).for_each(|_| std::hint::spin_loop());
            std::thread::yield_now();
        }
    }
}
