//! Lost graphics: what a viewer knew is kept for the next one on the same page.

use std::cell::RefCell;

use crate::app::Viewer;
use crate::hand::Hand;
use crate::panels::Desk;
use crate::view::View;
use crate::world::World;

/// What a viewer knew when the graphics were taken from it, for the next one on the same page.
struct Kept {
    world: World,
    view: View,
    hand: Hand,
    desk: Desk,
}

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let (world, hand) = (std::mem::take(&mut self.world), std::mem::take(&mut self.hand));
        let view = std::mem::replace(&mut self.view, View::new());
        // Textures belong to the graphics that are lost.
        let desk = Desk { thumbnails: None, ..std::mem::take(&mut self.desk) };
        KEPT.with_borrow_mut(|kept| *kept = Some(Kept { world, view, hand, desk }));
    }
}

impl Viewer {
    /// Knows again what the last viewer on this page knew.
    pub fn remember(&mut self) {
        if let Some(Kept { world, view, hand, desk }) = KEPT.with_borrow_mut(Option::take) {
            (self.world, self.view) = (world, view);
            (self.hand, self.desk) = (hand, desk);
        }
    }
}
