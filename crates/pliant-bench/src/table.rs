//! One row of results, as a line of the table or as a JSON object.

/// Result of one comparison.
#[derive(Default)]
pub struct Row {
    /// Name of the workload.
    pub workload: String,
    /// Name of the peer; `none` if ours ran alone.
    pub peer: String,
    /// Number of threads of both.
    pub threads: usize,
    /// Floating-point precision, ours/peer.
    pub precision: String,
    /// Milliseconds per iteration, ours.
    pub ours_ms: Option<f64>,
    /// Milliseconds per iteration, the peer.
    pub peer_ms: Option<f64>,
    /// Speedup of ours on these threads over one thread.
    pub speedup: Option<f64>,
    /// Error of ours.
    pub error_ours: Option<f64>,
    /// Error of the peer.
    pub error_peer: Option<f64>,
    /// Hash of our positions.
    pub hash: Option<u64>,
    /// Note for the reader.
    pub note: String,
}

impl Row {
    /// Ratio of the peer's time to ours.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.peer_ms? / self.ours_ms?)
    }

    /// Formats the row as a JSON object; unmeasured values are null.
    pub fn json(&self) -> String {
        let hash = self.hash.map_or("null".to_owned(), |h| format!("\"{h:016x}\""));
        format!(
            "{{\"workload\":{},\"peer\":{},\"threads\":{},\"precision\":{},\"ours_ms\":{},\
             \"peer_ms\":{},\"ratio\":{},\"speedup\":{},\"error_ours\":{},\"error_peer\":{},\"hash\":{hash},\
             \"note\":{}}}",
            text(&self.workload),
            text(&self.peer),
            self.threads,
            text(&self.precision),
            number(self.ours_ms),
            number(self.peer_ms),
            number(self.ratio()),
            number(self.speedup),
            number(self.error_ours),
            number(self.error_peer),
            text(&self.note),
        )
    }

    /// Formats the row as a line under [`heading`].
    pub fn line(&self) -> String {
        let cell = |value: Option<f64>, digits: usize| {
            value.map_or("—".to_owned(), |v| format!("{v:.digits$}"))
        };
        let error = |value: Option<f64>| value.map_or("—".to_owned(), |v| format!("{v:.2e}"));
        format!(
            "{:<13} {:<14} {:>2}  {:<9} {:>9} {:>9} {:>7} {:>5}  {:>9} {:>9}  {}",
            self.workload,
            self.peer,
            self.threads,
            self.precision,
            cell(self.ours_ms, 4),
            cell(self.peer_ms, 4),
            cell(self.ratio(), 2),
            self.speedup.map_or(String::new(), |s| format!("{s:.2}")),
            error(self.error_ours),
            error(self.error_peer),
            self.note,
        )
    }
}

/// Heading of the table.
pub fn heading() -> String {
    format!(
        "{:<13} {:<14} {:>2}  {:<9} {:>9} {:>9} {:>7} {:>5}  {:>9} {:>9}  {}",
        "workload",
        "peer",
        "th",
        "precision",
        "Pliant ms",
        "peer ms",
        "ratio",
        "1:th",
        "error",
        "peer err",
        "note"
    )
}

fn number(value: Option<f64>) -> String {
    match value {
        Some(v) if v.is_finite() => format!("{v:.6e}"),
        _ => "null".to_owned(),
    }
}

fn text(value: &str) -> String {
    let mut quoted = String::from("\"");
    for c in value.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            c if c < ' ' => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_is_null() {
        let row = Row { peer_ms: Some(2.0), note: "a \"b\"".into(), ..Row::default() };
        let json = row.json();
        assert!(json.contains("\"ours_ms\":null") && json.contains("\"ratio\":null"));
        assert!(json.contains("\"peer_ms\":2.000000e0") && json.contains("a \\\"b\\\""));
        assert_eq!(Row { ours_ms: Some(0.5), ..row }.ratio(), Some(4.0));
    }
}
