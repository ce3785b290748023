//! Recovery from a lost graphics context: the user interface state is saved for the next viewer on the same
//! page.

use std::cell::RefCell;

use crate::app::Viewer;
use crate::client_state::ClientState;
use crate::panels::UiState;
use crate::pointer::Pointer;
use crate::view::View;

/// User interface state saved when the graphics context is lost, for the next viewer on the same page.
struct SavedUi {
    client: ClientState,
    view: View,
    pointer: Pointer,
    ui_state: UiState,
}

thread_local! {
    static SAVED_UI: RefCell<Option<SavedUi>> = const { RefCell::new(None) };
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let (client, pointer) =
            (std::mem::take(&mut self.client), std::mem::take(&mut self.pointer));
        let view = std::mem::replace(&mut self.view, View::new());
        // Textures belong to the lost context.
        let ui_state = UiState { thumbnails: None, ..std::mem::take(&mut self.ui_state) };
        SAVED_UI.with_borrow_mut(|kept| *kept = Some(SavedUi { client, view, pointer, ui_state }));
    }
}

impl Viewer {
    /// Restores the state that the previous viewer on this page saved.
    pub fn restore_saved_ui(&mut self) {
        if let Some(SavedUi { client, view, pointer, ui_state }) =
            SAVED_UI.with_borrow_mut(Option::take)
        {
            (self.client, self.view) = (client, view);
            (self.pointer, self.ui_state) = (pointer, ui_state);
        }
    }
}
