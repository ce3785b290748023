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
        let live = self.live()?;
        let done = &self.timeline.entries()[..self.timeline.position()];
        share::write(&live.scene.source, done, self.last_step_hash)
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
        let (share, live) = (self.shared_text()?, self.live()?);
        let saved_scene = SavedScene {
            time_step: live.sim.time_step(),
            grabbed_vertices: live.grabbed_vertices.clone(),
            material_values: live.scene.material_values.clone(),
            solver: live.solver.clone(),
            edits: live.scene.edits.clone(),
        };
        let (state, hash) = (live.sim.snapshot(), live.sim.hash());
        let saved = SavedState { share, setup: saved_scene.write()?, state, hash };
        let name = format!("{}-{}.pliant", live.scene.source.name, live.sim.state().step);
        self.events.push(Event::Snapshot(SavedFile { name, bytes: saved.write() }));
        Ok(())
    }

    /// Continues from a saved state.
    pub(super) fn load_snapshot(&mut self, bytes: &[u8]) -> Result<(), String> {
        let saved = SavedState::read(bytes)?;
        let shared = share::read("the saved state", &saved.share)?;
        let saved_scene = SavedScene::read(&saved.setup)?;
        let edited_scene = EditedScene::from_edits(
            Arc::new(shared.source),
            saved_scene.material_values,
            saved_scene.edits,
        )?;
        let mut live = LiveSimulation::with_solver(
            Arc::new(edited_scene),
            saved_scene.solver,
            saved_scene.time_step,
            self.run_config,
        )?;
        live.sim.restore(&saved.state).map_err(|e| e.to_string())?;
        if saved.hash != live.sim.hash() {
            return Err(
                "the saved state is corrupt: its hash does not match; save it again".to_owned()
            );
        }
        live.grabbed_vertices = saved_scene.grabbed_vertices;
        let mut timeline = Timeline::from_entries(shared.entries);
        timeline.seek(usize::MAX);
        self.start(live, timeline);
        Ok(())
    }

    /// Emits the recorded frames up to now, as a file.
    pub(super) fn export(&mut self) -> Result<(), String> {
        let live = self.live()?;
        let step = live.sim.state().step;
        let bytes = export::glb(live, self.history.up_to(step))?;
        let name = format!("{}.glb", live.scene.source.name);
        self.events.push(Event::File(SavedFile { name, bytes }));
        Ok(())
    }
}
