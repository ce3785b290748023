//! What a session tells of its scene, its settings and each step.

use pliant::Simulation;

use crate::drawn::{self, Drawing};
use crate::material;
use crate::protocol::{
    Comparison, ContactPoint, Counts, Energy, Event, Frame, Grabbed, Rival, SceneInfo, Settings,
};
use crate::solver;

use super::Session;

/// Contacts that are told one by one, at most.
const MOST_CONTACTS: usize = 1000;

impl Session {
    /// Tells everything there is to draw and to set.
    pub(super) fn send_scene(&mut self) {
        let (Some(world), Some(drawing)) = (&self.world, &self.drawing) else { return };
        let base = &world.setup.base;
        let colliders = drawn::colliders(&world.setup);
        let model = &world.setup.model;
        let name = match base.description.name.as_str() {
            "" => world.setup.source.name.clone(),
            name => name.to_owned(),
        };
        let info = SceneInfo {
            name,
            summary: base.description.summary.clone(),
            size: world.setup.source.size,
            version: self.version,
            bodies: drawing.bodies.clone(),
            bounds: drawn::bounds(model, &colliders),
            colliders,
            vertices: model.len() as u32,
            elements: model.elements().iter().map(|e| e.len() as u32).sum(),
            solvers: solver::list(model),
            notes: base.notes.clone(),
            settings: self.settings_now(),
        };
        self.events.push(Event::Scene(Box::new(info)));
    }

    /// Tells what is set.
    pub(super) fn send_settings(&mut self) {
        if self.world.is_some() {
            let settings = Box::new(self.settings_now());
            self.events.push(Event::Settings(settings));
        }
    }

    fn settings_now(&self) -> Settings {
        let (Some(world), Some(drawing)) = (&self.world, &self.drawing) else {
            return Settings::default();
        };
        let model = world.sim.model();
        let wind = model.wind();
        let mut held: Vec<u32> = model.pins().iter().map(|p| p.vertex as u32).collect();
        held.sort_unstable();
        let drawn = drawing.vertex_of.iter().enumerate();
        let pinned = drawn.filter(|(_, v)| held.binary_search(v).is_ok()).map(|(i, _)| i as u32);
        let mut parameters = world.solver.parameters();
        parameters.extend(material::parameters(&world.setup.base.description));
        Settings {
            solver: world.solver.choice(),
            rival: world.rival.as_ref().map(|(settings, _)| settings.choice()),
            time_step: world.sim.time_step(),
            gravity: model.gravity(),
            wind: wind.map_or([0.0; 3], |w| w.velocity),
            gust: wind.map_or(0.0, |w| w.gust),
            speed: self.speed,
            pinned: pinned.collect(),
            parameters,
        }
    }

    /// Tells what is to be seen now.
    pub(super) fn send_frame(&mut self, comparison: Option<Comparison>) {
        let (Some(world), Some(drawing)) = (&self.world, &self.drawing) else { return };
        self.sent += 1;
        let (sim, report) = (&world.sim, world.sim.report());
        let (step, strain) = (sim.state().step, drawing.strain(sim));
        let contact = |(point, normal): ([f64; 3], [f64; 3])| ContactPoint {
            point: point.map(|c| c as f32),
            normal: normal.map(|c| c as f32),
        };
        let range = |[low, high]: [f32; 2], s: &f32| [low.min(*s), high.max(*s)];
        let frame = Frame {
            number: self.sent,
            version: self.version,
            step,
            time: sim.state().time,
            hash: sim.hash(),
            recorded: self.records.range().unwrap_or([step; 2]),
            replaying: self.timeline.has_future(),
            positions: drawing.positions(sim),
            strain_range: strain.iter().fold([0.0; 2], range),
            strain,
            contacts: sim.touching().take(MOST_CONTACTS).map(contact).collect(),
            counts: Counts {
                colliders: report.contacts.colliders as u32,
                pairs: report.contacts.pairs as u32,
                unresolved: report.contacts.unresolved as u32,
                deepest: report.contacts.deepest,
            },
            colliders: drawn::collider_poses(sim.model(), sim.state().time),
            grabbed: self
                .hand
                .as_ref()
                .map(|hand| Grabbed { vertex: hand.drawn, target: hand.pointer.map(|c| c as f32) }),
            energy: energy(sim),
            residual: report.residual,
            iterations: report.iterations as u32,
            ms: 1e3 * self.took[0],
            stages: report.seconds,
            warnings: warnings(sim),
            rival: self.rival(comparison).map(Box::new),
        };
        self.events.push(Event::Frame(Box::new(frame)));
    }

    fn rival(&self, comparison: Option<Comparison>) -> Option<Rival> {
        let (world, drawing) = (self.world.as_ref()?, self.drawing.as_ref()?);
        let (settings, sim) = world.rival.as_ref()?;
        let own: &Drawing = self.rival_drawing.as_ref().unwrap_or(drawing);
        let pairs = world.sim.state().positions.iter().zip(&sim.state().positions);
        let apart = pairs.map(|(a, b)| {
            (0..3).map(|c| f64::from(a[c] - b[c]) * f64::from(a[c] - b[c])).sum::<f64>().sqrt()
        });
        Some(Rival {
            solver: settings.name.clone(),
            hash: sim.hash(),
            positions: own.positions(sim),
            strain: own.strain(sim),
            bodies: self.rival_drawing.as_ref().map_or_else(Vec::new, |d| d.bodies.clone()),
            energy: energy(sim),
            residual: sim.report().residual,
            iterations: sim.report().iterations as u32,
            ms: 1e3 * self.took[1],
            warnings: warnings(sim),
            apart: apart.fold(0.0, f64::max),
            comparison,
        })
    }
}

fn energy(sim: &Simulation) -> Energy {
    let report = sim.report();
    Energy { kinetic: report.kinetic, elastic: report.elastic, potential: report.potential }
}

fn warnings(sim: &Simulation) -> Vec<String> {
    sim.report().warnings.iter().take(8).map(ToString::to_string).collect()
}
