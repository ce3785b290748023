//! Parallel computation of independent rows.

use crate::parallel::Exec;

/// Calls `f(first row, rows)` on parts of `a` that consist of whole rows of `row` entries and together
/// cover it. The total work takes about `ns` nanoseconds.
pub fn for_rows<A: Send>(
    exec: &Exec,
    a: &mut [A],
    row: usize,
    ns: usize,
    f: impl Fn(usize, &mut [A]) + Sync,
) {
    let rows = a.len() / row.max(1);
    split_rows(exec, (0, row), a, exec.task_count(ns).min(rows), &f);
}

fn split_rows<A: Send>(
    exec: &Exec,
    (first, row): (usize, usize),
    a: &mut [A],
    parts: usize,
    f: &(dyn Fn(usize, &mut [A]) + Sync),
) {
    if parts <= 1 {
        return f(first, a);
    }
    let left = parts / 2;
    let middle = a.len() / row * left / parts;
    let (low, high) = a.split_at_mut(middle * row);
    exec.join(
        || split_rows(exec, (first, row), low, left, f),
        || split_rows(exec, (first + middle, row), high, parts - left, f),
    );
}
