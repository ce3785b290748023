//! Time of one thread: processor time on Linux, so that time used by other programs does not count; wall-clock
//! time elsewhere.

use std::sync::OnceLock;
use std::time::Instant;

/// Start time of a measurement.
pub struct Stopwatch(f64);

impl Stopwatch {
    /// Starts a measurement on this thread.
    pub fn start() -> Self {
        Self(seconds())
    }

    /// Elapsed milliseconds; must be called on the same thread.
    pub fn ms(&self) -> f64 {
        1e3 * (seconds() - self.0)
    }
}

/// Time \[s\] since an arbitrary origin.
pub fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    processor().unwrap_or_else(|| START.get_or_init(Instant::now).elapsed().as_secs_f64())
}

/// Processor time of this thread \[s\].
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
