//! How much memory the process holds, as Linux tells; elsewhere nothing is known.

/// The most that the process has held since [`forget_peak`] \[bytes\].
pub fn peak() -> Option<f64> {
    of_status("VmHWM:")
}

/// What the process holds now \[bytes\].
pub fn now() -> Option<f64> {
    of_status("VmRSS:")
}

/// Lets the peak start anew from what is held now.
pub fn forget_peak() {
    // Where this is not possible the peak stays that of the whole run: too much, never too little.
    _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn of_status(field: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(1024.0 * kilobytes)
}
