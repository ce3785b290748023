//! Lines for the user: what was done, and what could not be done.

/// A line, and until when it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// What it says.
    pub text: String,
    /// Whether something went wrong.
    pub wrong: bool,
    /// Until when it is shown \[s\].
    pub until: f64,
}

/// The lines that are shown.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    /// The lines, the newest last.
    pub list: Vec<Message>,
    /// The last line that there was.
    pub last: String,
}

/// How many are shown at once.
const SHOWN: usize = 4;

impl Messages {
    /// Says something at a time \[s\]; the same again is said once.
    pub fn say(&mut self, now: f64, text: impl Into<String>, wrong: bool) {
        let text = text.into();
        self.last.clone_from(&text);
        // Time to read it, and a little more for what went wrong.
        let long = 3.0 + 0.05 * text.len() as f64 + if wrong { 4.0 } else { 0.0 };
        self.list.retain(|m| m.text != text);
        self.list.push(Message { text, wrong, until: now + long });
        if self.list.len() > SHOWN {
            self.list.remove(0);
        }
    }

    /// Forgets what was shown long enough.
    pub fn age(&mut self, now: f64) {
        self.list.retain(|m| m.until > now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_away_and_are_not_repeated() {
        let mut messages = Messages::default();
        messages.say(0.0, "saved", false);
        messages.say(1.0, "saved", false);
        assert_eq!(messages.list.len(), 1);
        (0..9).for_each(|k| messages.say(1.0, format!("line {k}"), true));
        assert_eq!(messages.list.len(), SHOWN);
        messages.age(1000.0);
        assert!(messages.list.is_empty());
        assert_eq!(messages.last, "line 8");
    }
}
