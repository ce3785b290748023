//! Files of a session: scenes and states that are opened, and what can be saved.

use std::sync::Arc;

use crate::action::Timeline;
use crate::export;
use crate::protocol::{Event, SavedFile};
use crate::setup::Setup;
use crate::share::{self, Saved, SavedSetup};
use crate::world::World;

use super::Session;

impl Session {
    /// Opens a scene file, shared or not.
    pub(super) fn load_text(&mut self, file: &str, text: &str) -> Result<(), String> {
        let shared = share::read(file, text)?;
        self.load(shared.source, shared.entries)?;
        self.expected = shared.present;
        self.check_hash();
        Ok(())
    }

    fn shared(&self) -> Result<String, String> {
        let world = self.world()?;
        let done = &self.timeline.entries()[..self.timeline.place()];
        share::write(&world.setup.source, done, self.mark)
    }

    /// Gives the scene with all that was done to it, as a file.
    pub(super) fn share(&mut self) -> Result<(), String> {
        let (text, name) = (self.shared()?, self.world()?.setup.source.name.clone());
        let file = SavedFile { name: format!("{name}.toml"), bytes: text.into_bytes() };
        self.events.push(Event::File(file));
        Ok(())
    }

    /// Gives the state with all that it belongs to, as a file.
    pub(super) fn save(&mut self) -> Result<(), String> {
        let (share, world) = (self.shared()?, self.world()?);
        let setup = SavedSetup {
            time_step: world.sim.time_step(),
            in_hand: world.in_hand.clone(),
            values: world.setup.values.clone(),
            solver: world.solver.clone(),
            changes: world.setup.changes.clone(),
        };
        let (state, hash) = (world.sim.snapshot(), world.sim.hash());
        let saved = Saved { share, setup: setup.write()?, state, hash };
        let name = format!("{}-{}.pliant", world.setup.source.name, world.sim.state().step);
        self.events.push(Event::Snapshot(SavedFile { name, bytes: saved.write() }));
        Ok(())
    }

    /// Goes on from a saved state.
    pub(super) fn load_snapshot(&mut self, bytes: &[u8]) -> Result<(), String> {
        let saved = Saved::read(bytes)?;
        let shared = share::read("the saved state", &saved.share)?;
        let own = SavedSetup::read(&saved.setup)?;
        let setup = Setup::of(Arc::new(shared.source), own.values, own.changes)?;
        let mut world = World::with(Arc::new(setup), own.solver, own.time_step, self.machine)?;
        world.sim.restore(&saved.state).map_err(|e| e.to_string())?;
        if saved.hash != world.sim.hash() {
            return Err("the saved state is damaged: its hash is another; save it again".to_owned());
        }
        world.in_hand = own.in_hand;
        let mut timeline = Timeline::of(shared.entries);
        timeline.go_to(usize::MAX);
        self.begin(world, timeline);
        Ok(())
    }

    /// Gives the recorded frames up to now, as a file.
    pub(super) fn export(&mut self) -> Result<(), String> {
        let world = self.world()?;
        let step = world.sim.state().step;
        let bytes = export::glb(world, self.records.up_to(step))?;
        let name = format!("{}.glb", world.setup.source.name);
        self.events.push(Event::File(SavedFile { name, bytes }));
        Ok(())
    }
}
