//! Results in rows, each computed on its own.

use super::Exec;

/// Calls `f(first row, rows)` on parts of `a` that are whole rows of `row` entries and cover it;
/// the work takes about `ns` nanoseconds in all.
pub fn for_rows<A: Send>(
    exec: &Exec,
    a: &mut [A],
    row: usize,
    ns: usize,
    f: impl Fn(usize, &mut [A]) + Sync,
) {
    let rows = a.len() / row.max(1);
    halves(exec, (0, row), a, exec.worth(ns).min(rows), &f);
}

fn halves<A: Send>(
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
        || halves(exec, (first, row), low, left, f),
        || halves(exec, (first + middle, row), high, parts - left, f),
    );
}
