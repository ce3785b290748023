//! Threads kept awake for the length of a step.
//!
//! A step forks many times for a few microseconds each, with serial stretches between. A thread that
//! falls asleep in such a stretch is woken through the system, which can take longer than the work
//! that it is woken for (on two virtual processors it ate all that the second one gained). So every
//! other thread of the pool keeps looking for work until the step ends, and gives way to other
//! programs while there is none. The same holds for a thread that waits for the other half of its work:
//! rayon puts it to sleep after some microseconds, and its waking was a third of what two threads took
//! for a step on 50,000 tetrahedra.

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

/// Runs both on the threads of the pool, awake until both are done.
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

/// [`join`] without the types: what hands work to threads is compiled once, not for each fork.
fn join_erased(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    let over = AtomicBool::new(false);
    let first = || {
        at_work(a);
        // The second half may still lie in this thread's own queue: then it is run here.
        work_until(&over);
    };
    let second = || {
        let _end = End(&over);
        at_work(b)
    };
    rayon::join(first, second);
}

/// Ends a wait, also where what is waited for panics.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs `f` on this thread of a pool while up to `others` of its threads stay awake.
pub fn keep<T: Send>(others: usize, f: impl FnOnce() -> T + Send) -> T {
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
    work_until(over);
}

/// Runs whatever work there is until `over` is set.
fn work_until(over: &AtomicBool) {
    while !over.load(Ordering::Acquire) {
        if rayon::yield_now() != Some(rayon::Yield::Executed) {
            (0..32).for_each(|_| std::hint::spin_loop());
            std::thread::yield_now();
        }
    }
}
