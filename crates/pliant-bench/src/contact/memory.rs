//! Memory use of the process, as reported by Linux; unavailable on other systems.

/// Peak memory use of the process since [`reset_peak`] \[bytes\].
pub fn peak() -> Option<f64> {
    of_status("VmHWM:")
}

/// Current memory use of the process \[bytes\].
pub fn now() -> Option<f64> {
    of_status("VmRSS:")
}

/// Resets the peak to the current memory use.
pub fn reset_peak() {
    // If this fails, the peak is that of the whole run: too high, never too low.
    _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn of_status(field: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(1024.0 * kilobytes)
}
