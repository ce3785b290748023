//! System clipboard, in place of the internal one of `egui-winit`.

use egui::{Event, OutputCommand, PlatformOutput};
use egui_winit::State;

/// Contents of the internal clipboard, so that a paste produces an event that can be replaced.
const PLACEHOLDER: &str = " ";

/// System clipboard, opened at its first use.
#[derive(Default)]
pub struct Clipboard(Option<arboard::Clipboard>);

impl Clipboard {
    /// Replaces the internal clipboard.
    pub fn replace(state: &mut State) -> Self {
        state.set_clipboard_text(PLACEHOLDER.to_owned());
        Self::default()
    }

    fn board(&mut self) -> Option<&mut arboard::Clipboard> {
        if self.0.is_none() {
            self.0 = arboard::Clipboard::new().ok();
        }
        self.0.as_mut()
    }

    /// Copies the texts of copy commands.
    pub fn copy(&mut self, output: &mut PlatformOutput) {
        output.commands.retain(|command| match command {
            OutputCommand::CopyText(text) => {
                // Without a clipboard the text is dropped.
                let _ = self.board().map(|board| board.set_text(text.as_str()));
                false
            }
            _ => true,
        });
    }

    /// Replaces the text of paste events, from an index on, by the text of the clipboard; without one they
    /// are removed.
    pub fn paste(&mut self, events: &mut Vec<Event>, from: usize) {
        for k in (from..events.len()).rev() {
            let Event::Paste(text) = &mut events[k] else { continue };
            let copied = self.board().and_then(|b| b.get_text().ok()).unwrap_or_default();
            *text = copied.replace("\r\n", "\n");
            if text.is_empty() {
                events.remove(k);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_copy_no_text_stay() {
        let mut output = PlatformOutput::default();
        output.commands.push(OutputCommand::OpenUrl(egui::OpenUrl::same_tab("a")));
        Clipboard::default().copy(&mut output);
        assert_eq!(output.commands.len(), 1);
        let mut events = vec![Event::Copy];
        Clipboard::default().paste(&mut events, 0);
        assert_eq!(events, [Event::Copy]);
    }
}
