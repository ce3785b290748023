//! Messages for the user: results and errors.

/// A message and its expiry time.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Text of the message.
    pub text: String,
    /// True for errors.
    pub is_error: bool,
    /// Time until which it is shown \[s\].
    pub expires_at: f64,
}

/// Visible messages.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// Messages, the newest last.
    pub list: Vec<Message>,
    /// Text of the latest message.
    pub last: String,
}

/// Maximum number of visible messages.
const MAX_VISIBLE: usize = 4;

impl Messages {
    /// Adds a message at a time \[s\]; a repeated message replaces the earlier one.
    pub fn push(&mut self, now: f64, text: impl Into<String>, is_error: bool) {
        let text = text.into();
        self.last.clone_from(&text);
        // Reading time, and more for errors.
        let long = 3.0 + 0.05 * text.len() as f64 + if is_error { 4.0 } else { 0.0 };
        self.list.retain(|m| m.text != text);
        self.list.push(Message { text, is_error, expires_at: now + long });
        if self.list.len() > MAX_VISIBLE {
            self.list.remove(0);
        }
    }

    /// Removes messages that have been shown long enough.
    pub fn remove_expired(&mut self, now: f64) {
        self.list.retain(|m| m.expires_at > now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_away_and_are_not_repeated() {
        let mut messages = Messages::default();
        messages.push(0.0, "saved", false);
        messages.push(1.0, "saved", false);
        assert_eq!(messages.list.len(), 1);
        (0..9).for_each(|k| messages.push(1.0, format!("line {k}"), true));
        assert_eq!(messages.list.len(), MAX_VISIBLE);
        messages.remove_expired(1000.0);
        assert!(messages.list.is_empty());
        assert_eq!(messages.last, "line 8");
    }
}
