//! Parts of the documentation that tests write: `PLIANT_UPDATE_DOCS=1` writes them, without it they are compared.

use std::path::Path;
use std::sync::Mutex;

/// One page may have several parts, whose tests run at the same time.
static PAGE: Mutex<()> = Mutex::new(());

/// Compares a part of a page of the repository with what it should be. The part starts at `start` and goes on to the
/// first `end`, of which it includes the first line end.
pub fn check(page: &str, start: &str, end: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let _guard = PAGE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let text = std::fs::read_to_string(&path).unwrap();
    let from = text.find(start).unwrap_or_else(|| panic!("{page} has no {start}"));
    let to = from + text[from..].find(end).unwrap_or_else(|| panic!("{start} has no end")) + 1;
    if std::env::var_os("PLIANT_UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{}{expected}{}", &text[..from], &text[to..])).unwrap();
        return;
    }
    assert_eq!(&text[from..to], expected, "{page}: PLIANT_UPDATE_DOCS=1 writes this part");
}

/// Compares a table of a page, found by its head, with its rows.
pub fn check_table(page: &str, head: &[&str], rows: &[Vec<String>]) {
    let head = row(head);
    let line = "|---".repeat(head.matches(" | ").count() + 1);
    let rows: String = rows.iter().map(|cells| row(cells)).collect();
    check(page, head.trim_end(), "\n\n", &format!("{head}{line}|\n{rows}"));
}

fn row<T: AsRef<str>>(cells: &[T]) -> String {
    let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
    format!("| {} |\n", cells.join(" | "))
}
