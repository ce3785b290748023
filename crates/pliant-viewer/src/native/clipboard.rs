//! The clipboard of the system, in place of the one that `egui-winit` keeps to itself.

use egui::{Event, OutputCommand, PlatformOutput};
use egui_winit::State;

/// Contents of the clipboard inside, so that it pastes something that can be replaced.
const SOMETHING: &str = " ";

/// The clipboard, from its first use on.
#[derive(Default)]
pub struct Clipboard(Option<arboard::Clipboard>);

impl Clipboard {
    /// Takes the place of the clipboard inside.
    pub fn replace(state: &mut State) -> Self {
        state.set_clipboard_text(SOMETHING.to_owned());
        Self::default()
    }

    fn board(&mut self) -> Option<&mut arboard::Clipboard> {
        if self.0.is_none() {
            self.0 = arboard::Clipboard::new().ok();
        }
        self.0.as_mut()
    }

    /// Copies texts that the panels want copied.
    pub fn copy(&mut self, output: &mut PlatformOutput) {
        output.commands.retain(|command| match command {
            OutputCommand::CopyText(text) => {
                // Without a clipboard there is nothing to be done.
                let _ = self.board().map(|board| board.set_text(text.as_str()));
                false
            }
            _ => true,
        });
    }

    /// Gives events from an index on the text of the clipboard where they paste; they go where there is none.
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
