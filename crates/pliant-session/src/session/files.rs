//! Files of a session: scenes and states to open, and files to save.

use std::sync::Arc;

use crate::action::Timeline;
use crate::edited_scene::EditedScene;
use crate::export;
use crate::live_simulation::LiveSimulation;
use crate::protocol::{Event, SavedFile};
use crate::share::{self, SavedScene, SavedState};

use super::Session;

impl Session {
    /// Loads a scene file, shared or not.
    pub(super) fn load_text(&mut self, file: &str, text: &str) -> Result<(), String> {
        let shared = share::read(file, text)?;
        self.load(shared.source, shared.entries)?;
        self.shared_hash = shared.final_step_hash;
        self.verify_shared_hash();
        Ok(())
    }

    fn shared_text(&self) -> Result<String, String> {
        let world = self.live()?;
        let done = &self.timeline.entries()[..self.timeline.position()];
        share::write(&world.scene.source, done, self.last_step_hash)
    }

    /// Emits the scene with all its actions, as a file.
    pub(super) fn share(&mut self) -> Result<(), String> {
        let (text, name) = (self.shared_text()?, self.live()?.scene.source.name.clone());
        let file = SavedFile { name: format!("{name}.toml"), bytes: text.into_bytes() };
        self.events.push(Event::File(file));
        Ok(())
    }

    /// Emits the state with its scene, as a file.
    pub(super) fn save_snapshot(&mut self) -> Result<(), String> {
        let (share, world) = (self.shared_text()?, self.live()?);
        let setup = SavedScene {
            time_step: world.sim.time_step(),
            grabbed_vertices: world.grabbed_vertices.clone(),
            material_values: world.scene.material_values.clone(),
            solver: world.solver.clone(),
            edits: world.scene.edits.clone(),
        };
        let (state, hash) = (world.sim.snapshot(), world.sim.hash());
        let saved = SavedState { share, setup: setup.write()?, state, hash };
        let name = format!("{}-{}.pliant", world.scene.source.name, world.sim.state().step);
        self.events.push(Event::Snapshot(SavedFile { name, bytes: saved.write() }));
        Ok(())
    }

    /// Continues from a saved state.
    pub(super) fn load_snapshot(&mut self, bytes: &[u8]) -> Result<(), String> {
        let saved = SavedState::read(bytes)?;
        let shared = share::read("the saved state", &saved.share)?;
        let saved_scene = SavedScene::read(&saved.setup)?;
        let setup = EditedScene::from_edits(
            Arc::new(shared.source),
            saved_scene.material_values,
            saved_scene.edits,
        )?;
        let mut world = LiveSimulation::with_solver(
            Arc::new(setup),
            saved_scene.solver,
            saved_scene.time_step,
            self.run_config,
        )?;
        world.sim.restore(&saved.state).map_err(|e| e.to_string())?;
        if saved.hash != world.sim.hash() {
            return Err("the saved state is damaged: its hash is another; save it again".to_owned());
        }
        world.grabbed_vertices = saved_scene.grabbed_vertices;
        let mut timeline = Timeline::from_entries(shared.entries);
        timeline.seek(usize::MAX);
        self.start(world, timeline);
        Ok(())
    }

    /// Emits the recorded frames up to now, as a file.
    pub(super) fn export(&mut self) -> Result<(), String> {
        let world = self.live()?;
        let step = world.sim.state().step;
        let bytes = export::glb(world, self.history.up_to(step))?;
        let name = format!("{}.glb", world.scene.source.name);
        self.events.push(Event::File(SavedFile { name, bytes }));
        Ok(())
    }
}
