//! Events on the scene, its settings and each step.

use pliant::Simulation;

use crate::material;
use crate::protocol::{
    Comparison, ContactCounts, ContactPoint, Energy, Event, Frame, Grabbed, SceneInfo,
    SecondSimFrame, Settings,
};
use crate::render_mesh::{self, RenderMesh};
use crate::solver;

use super::Session;

/// Maximum number of contact points sent individually.
const MAX_SENT_CONTACTS: usize = 1000;

impl Session {
    /// Emits all geometry and settings.
    pub(super) fn send_scene(&mut self) {
        let (Some(live), Some(render_mesh)) = (&self.live, &self.render_mesh) else { return };
        let base = &live.scene.built;
        let colliders = render_mesh::colliders(&live.scene);
        let model = &live.scene.model;
        let name = match base.description.name.as_str() {
            "" => live.scene.source.name.clone(),
            name => name.to_owned(),
        };
        let info = SceneInfo {
            name,
            summary: base.description.summary.clone(),
            size: live.scene.source.size,
            version: self.version,
            bodies: render_mesh.bodies.clone(),
            bounds: render_mesh::bounds(model, &colliders),
            colliders,
            vertices: model.len() as u32,
            elements: model.elements().iter().map(|e| e.len() as u32).sum(),
            solvers: solver::list_solvers(model),
            notes: base.notes.clone(),
            settings: self.current_settings(),
        };
        self.events.push(Event::Scene(Box::new(info)));
    }

    /// Emits the settings.
    pub(super) fn send_settings(&mut self) {
        if self.live.is_some() {
            let settings = Box::new(self.current_settings());
            self.events.push(Event::Settings(settings));
        }
    }

    fn current_settings(&self) -> Settings {
        let (Some(live), Some(render_mesh)) = (&self.live, &self.render_mesh) else {
            return Settings::default();
        };
        let model = live.sim.model();
        let wind = model.wind();
        let mut pinned_vertices: Vec<u32> = model.pins().iter().map(|p| p.vertex as u32).collect();
        pinned_vertices.sort_unstable();
        let render_vertices = render_mesh.simulated_vertex.iter().enumerate();
        let pinned = render_vertices
            .filter(|(_, v)| pinned_vertices.binary_search(v).is_ok())
            .map(|(i, _)| i as u32);
        let mut parameters = live.solver.parameters();
        parameters.extend(material::parameters(&live.scene.built.description));
        Settings {
            solver: live.solver.choice(),
            second_solver: live.second_sim.as_ref().map(|(settings, _)| settings.choice()),
            time_step: live.sim.time_step(),
            gravity: model.gravity(),
            wind: wind.map_or([0.0; 3], |w| w.velocity),
            gust: wind.map_or(0.0, |w| w.gust),
            speed: self.speed,
            pinned: pinned.collect(),
            parameters,
        }
    }

    /// Emits the current frame.
    pub(super) fn send_frame(&mut self, comparison: Option<Comparison>) {
        let (Some(live), Some(render_mesh)) = (&self.live, &self.render_mesh) else { return };
        self.frames_sent += 1;
        let (sim, report) = (&live.sim, live.sim.report());
        let (step, strain) = (sim.state().step, render_mesh.strain(sim));
        let contact = |(point, normal): ([f64; 3], [f64; 3])| ContactPoint {
            point: point.map(|c| c as f32),
            normal: normal.map(|c| c as f32),
        };
        let range = |[low, high]: [f32; 2], s: &f32| [low.min(*s), high.max(*s)];
        let frame = Frame {
            number: self.frames_sent,
            version: self.version,
            step,
            time: sim.state().time,
            hash: sim.hash(),
            recorded_steps: self.history.range().unwrap_or([step; 2]),
            replaying: self.timeline.has_future(),
            positions: render_mesh.positions(sim),
            strain_range: strain.iter().fold([0.0; 2], range),
            strain,
            contacts: sim.contact_points().take(MAX_SENT_CONTACTS).map(contact).collect(),
            counts: ContactCounts {
                colliders: report.contacts.colliders as u32,
                pairs: report.contacts.pairs as u32,
                unresolved_crossings: report.contacts.unresolved_crossings as u32,
                max_penetration: report.contacts.max_penetration,
            },
            colliders: render_mesh::collider_poses(sim.model(), sim.state().time),
            grabbed: self.grab.as_ref().map(|grab| Grabbed {
                vertex: grab.render_vertex,
                target: grab.target.map(|c| c as f32),
            }),
            energy: energy(sim),
            residual: report.residual,
            iterations: report.iterations as u32,
            ms: 1e3 * self.step_seconds[0],
            stage_seconds: report.seconds,
            warnings: warnings(sim),
            second_sim: self.second_sim_frame(comparison).map(Box::new),
        };
        self.events.push(Event::Frame(Box::new(frame)));
    }

    fn second_sim_frame(&self, comparison: Option<Comparison>) -> Option<SecondSimFrame> {
        let (live, render_mesh) = (self.live.as_ref()?, self.render_mesh.as_ref()?);
        let (settings, sim) = live.second_sim.as_ref()?;
        let own: &RenderMesh = self.second_render_mesh.as_ref().unwrap_or(render_mesh);
        let pairs = live.sim.state().positions.iter().zip(&sim.state().positions);
        let apart = pairs.map(|(a, b)| {
            (0..3).map(|c| f64::from(a[c] - b[c]) * f64::from(a[c] - b[c])).sum::<f64>().sqrt()
        });
        Some(SecondSimFrame {
            solver: settings.name.clone(),
            hash: sim.hash(),
            positions: own.positions(sim),
            strain: own.strain(sim),
            bodies: self.second_render_mesh.as_ref().map_or_else(Vec::new, |d| d.bodies.clone()),
            energy: energy(sim),
            residual: sim.report().residual,
            iterations: sim.report().iterations as u32,
            ms: 1e3 * self.step_seconds[1],
            warnings: warnings(sim),
            max_separation: apart.fold(0.0, f64::max),
            comparison,
        })
    }
}

fn energy(sim: &Simulation) -> Energy {
    let report = sim.report();
    Energy {
        kinetic: report.kinetic_energy,
        elastic: report.elastic_energy,
        potential: report.potential_energy,
    }
}

fn warnings(sim: &Simulation) -> Vec<String> {
    sim.report().warnings.iter().take(8).map(ToString::to_string).collect()
}
