//! Lists of formats in messages.

/// Joins words as alternatives: `a, b or c`.
pub(crate) fn any_of<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut words: Vec<&str> = words.into_iter().collect();
    match words.pop() {
        Some(last) if !words.is_empty() => format!("{} or {last}", words.join(", ")),
        last => last.unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::any_of;

    #[test]
    fn words_are_joined_as_alternatives() {
        assert_eq!(any_of([]), "");
        assert_eq!(any_of(["a"]), "a");
        assert_eq!(any_of(["a", "b"]), "a or b");
        assert_eq!(any_of(["a", "b", "c"]), "a, b or c");
    }
}
