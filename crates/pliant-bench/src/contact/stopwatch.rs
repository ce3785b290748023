//! Time on one thread: that of the processor where Linux tells it, so that the turns of other programs do not
//! count; else that of the wall.

use std::sync::OnceLock;
use std::time::Instant;

/// A moment to measure from.
pub struct Stopwatch(f64);

impl Stopwatch {
    /// Starts on this thread.
    pub fn start() -> Self {
        Self(seconds())
    }

    /// Milliseconds since; to be asked on the same thread.
    pub fn ms(&self) -> f64 {
        1e3 * (seconds() - self.0)
    }
}

/// The time \[s\] from some moment on.
pub fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    processor().unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64())
}

/// How long this thread has run so far \[s\].
#[cfg(target_os = "linux")]
fn processor() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64)
}

#[cfg(not(target_os = "linux"))]
fn processor() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_time_and_never_more_than_the_wall_says() {
        let (watch, wall) = (Stopwatch::start(), Instant::now());
        let mut sum = 0.0_f64;
        while wall.elapsed().as_secs_f64() < 0.05 {
            sum += std::hint::black_box(1.0_f64).sqrt();
        }
        let (ms, most) = (watch.ms(), wall.elapsed().as_secs_f64() * 1e3);
        assert!(sum > 0.0 && ms > 0.0 && ms < most + 0.1, "{ms} {most}");
    }
}
