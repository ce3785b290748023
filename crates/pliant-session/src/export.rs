//! Export of recorded frames as a binary glTF file.

use pliant::prelude::*;
use pliant::{Model, Simulation};
use pliant_io::export::GlbInMemory;
use pliant_io::skin::{Binding, Skin};

use crate::live_simulation::{LiveSimulation, Record};

/// Writes the records up to the present. Bodies thrown in later have all their vertices at one point before
/// they appear.
pub(crate) fn glb<'a>(
    live: &LiveSimulation,
    records: impl Iterator<Item = &'a Record>,
) -> Result<Vec<u8>, String> {
    let skins = skins(live);
    let tracks: Vec<_> = skins.iter().map(|s| s.shape.track()).collect();
    let name = format!("{}.glb", live.scene.source.name);
    let mut file = GlbInMemory::new(&name, &tracks).map_err(|e| e.to_string())?;
    let mut playback: Option<(Simulation, &Record)> = None;
    let mut places = vec![Vec::new(); skins.len()];
    for record in records {
        let known =
            playback.take().filter(|(_, r)| std::sync::Arc::ptr_eq(r.scene(), record.scene()));
        let mut sim = match known {
            Some((sim, _)) => sim,
            None => playback_simulation(record, live)?,
        };
        sim.restore(record.snapshot()).map_err(|e| e.to_string())?;
        for (skin, out) in skins.iter().zip(&mut places) {
            skin_positions(skin, &sim, &live.scene.model, out);
        }
        let frame: Vec<&[[f32; 3]]> = places.iter().map(Vec::as_slice).collect();
        file.frame(sim.state().time, &frame).map_err(|e| e.to_string())?;
        playback = Some((sim, record));
    }
    file.finish().map_err(|e| e.to_string())
}

/// A simulation that only plays records, with the solver that is prepared fastest.
fn playback_simulation(record: &Record, live: &LiveSimulation) -> Result<Simulation, String> {
    let model = record.scene().model.clone();
    match Simulation::new(model.clone(), Explicit::default()) {
        Ok(sim) => Ok(sim),
        Err(_) => Simulation::new(model, live.solver.solver()?).map_err(|e| e.to_string()),
    }
}

/// Rendered surfaces of all bodies and finite colliders; torn bodies get skins that follow tears.
fn skins(live: &LiveSimulation) -> Vec<Skin> {
    let (edited_scene, model) = (&live.scene, &live.scene.model);
    let known = edited_scene.built.model.bodies().len();
    let mut skins = Vec::new();
    for body in 0..model.bodies().len() {
        let torn = model.bodies()[body].triangles != live.sim.model().bodies()[body].triangles;
        skins.push(match edited_scene.built.skins.get(body).filter(|_| body < known) {
            _ if torn => Skin::tearing(model, body),
            Some(skin) => skin.clone(),
            None => Skin::of_body(model, body),
        });
    }
    let props = edited_scene.built.skins.iter().skip(known);
    skins.extend(props.filter(|s| s.shape.collider_mesh().is_some_and(|p| !p.infinite)).cloned());
    skins
}

/// Positions of the vertices of a skin; for a body that does not exist yet, all at the point where it will
/// appear.
fn skin_positions(skin: &Skin, sim: &Simulation, last: &Model, out: &mut Vec<[f32; 3]>) {
    let here = skin.vertices.end <= sim.original_model().len()
        || matches!(skin.binding, Binding::Collider(_));
    if here {
        skin.positions_in(sim, out);
        return;
    }
    let own = &last.start_positions()[skin.vertices.clone()];
    let count = own.len().max(1) as f64;
    let middle = [0, 1, 2].map(|c| (own.iter().map(|p| p[c]).sum::<f64>() / count) as f32);
    out.clear();
    out.resize(skin.len(), middle);
}
