//! Threads kept awake for the length of a step.
//!
//! A step forks many times for a few microseconds each, with serial stretches between. A thread that
//! falls asleep in such a stretch is woken through the system, which can take longer than the work
//! that it is woken for (on two virtual processors it ate all that the second one gained). So every
//! other thread of the pool keeps looking for work until the step ends, and gives way to other
//! programs while there is none.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Whether this thread is inside a task. A vigil begun there would wait for itself.
    static AT_WORK: Cell<bool> = const { Cell::new(false) };
}

/// Marks the thread as inside a task while `f` runs.
pub fn at_work<T>(f: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            AT_WORK.set(self.0);
        }
    }
    let _restore = Restore(AT_WORK.replace(true));
    f()
}

/// Runs `f` on this thread of a pool while up to `others` of its threads stay awake.
pub fn keep<T: Send>(others: usize, f: impl FnOnce() -> T + Send) -> T {
    /// Ends the vigil also where `f` panics.
    struct End<'a>(&'a AtomicBool);
    impl Drop for End<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let over = AtomicBool::new(false);
    let watched = || {
        let _end = End(&over);
        at_work(f)
    };
    rayon::join(watched, || watch_all(others, &over)).0
}

/// Joins, not spawns: these allocate nothing.
fn watch_all(others: usize, over: &AtomicBool) {
    if others > 0 && !over.load(Ordering::Acquire) {
        rayon::join(|| watch(over), || watch_all(others - 1, over));
    }
}

fn watch(over: &AtomicBool) {
    if AT_WORK.get() {
        return;
    }
    while !over.load(Ordering::Acquire) {
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            (0..32).for_each(|_| std::hint::spin_loop());
            std::thread::yield_now();
        }
    }
}
