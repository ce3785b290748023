//! Throughput of projections in relation to memory bandwidth.
//!
//! A sweep must at least read 16 bytes per distance constraint (two indices, rest length, stiffness) and read
//! and write 16 bytes per vertex, once. These bytes over the time of a sweep are compared with a plain copy
//! that reads and writes as many, on as many threads.

use crate::stats::minimum;
use crate::workload::{Kind, Workload};
use pliant::parallel::{Exec, for_chunks};
use pliant::simd::Lanes;
use std::hint::black_box;
use std::time::Instant;

/// Number of timed copies, of which the fastest counts.
const COPIES: usize = 30;

/// Describes the throughput of a sweep in `ms` milliseconds, for workloads of projections.
pub fn describe(workload: &Workload, ms: f64, threads: usize) -> Option<String> {
    if !matches!(workload.kind, Kind::Distance | Kind::Dihedral) {
        return None;
    }
    let count = workload.edges.len() + workload.dihedrals.len();
    let rate = format!("{:.0} M constraints/s", count as f64 / ms * 1e-3);
    if !workload.name.starts_with("scale") {
        return Some(rate);
    }
    let bytes = 16 * workload.edges.len() + 32 * workload.rest.len();
    let (used, copied) = (bytes as f64 / ms * 1e-6, copy_rate(bytes, threads)?);
    let share = 100.0 * used / copied;
    Some(format!("{rate}, {used:.1} GB/s, a copy {copied:.1} GB/s ({share:.0} %)"))
}

/// Rate in gigabytes per second, read and written, of a copy that moves this many bytes in total.
fn copy_rate(bytes: usize, threads: usize) -> Option<f64> {
    let exec = Exec::new(threads, Lanes::Packed);
    let source = vec![[1.0_f32; 4]; bytes / 32];
    let mut target = vec![[0.0_f32; 4]; bytes / 32];
    let mut copy = || {
        let begin = Instant::now();
        exec.install(|| {
            for_chunks(&exec, &mut target, black_box(&source), |_, to, from| {
                to.copy_from_slice(from);
            });
        });
        black_box(&mut target);
        begin.elapsed().as_secs_f64()
    };
    let times: Vec<f64> = (0..COPIES).map(|_| copy()).collect();
    Some(bytes as f64 * 1e-9 / minimum(&times)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_projections_have_a_throughput() {
        let named = |name: &str| Workload::named(name).expect("listed");
        assert_eq!(describe(&named("W3-bar"), 1.0, 1), None);
        let text = describe(&named("W2-distance"), 1.0, 1);
        assert_eq!(text.as_deref(), Some("19 M constraints/s"));
        assert!(describe(&named("scale-1e3"), 1.0, 2).is_some_and(|t| t.contains("a copy")));
    }
}
