//! The recorded frames as a binary glTF file.

use pliant::prelude::*;
use pliant::{Model, Simulation};
use pliant_io::export::GlbInMemory;
use pliant_io::skin::{Binding, Skin};

use crate::world::{Record, World};

/// Writes the records up to the present. Bodies that were thrown in later are drawn together in a point
/// before.
pub(crate) fn glb<'a>(
    world: &World,
    records: impl Iterator<Item = &'a Record>,
) -> Result<Vec<u8>, String> {
    let skins = skins(world);
    let tracks: Vec<_> = skins.iter().map(|s| s.shape.track()).collect();
    let name = format!("{}.glb", world.setup.source.name);
    let mut file = GlbInMemory::new(&name, &tracks).map_err(|e| e.to_string())?;
    let mut player: Option<(Simulation, &Record)> = None;
    let mut places = vec![Vec::new(); skins.len()];
    for record in records {
        let known =
            player.take().filter(|(_, r)| std::sync::Arc::ptr_eq(r.setup(), record.setup()));
        let mut sim = match known {
            Some((sim, _)) => sim,
            None => cheap(record, world)?,
        };
        sim.restore(record.state()).map_err(|e| e.to_string())?;
        for (skin, out) in skins.iter().zip(&mut places) {
            put(skin, &sim, &world.setup.model, out);
        }
        let frame: Vec<&[[f32; 3]]> = places.iter().map(Vec::as_slice).collect();
        file.frame(sim.state().time, &frame).map_err(|e| e.to_string())?;
        player = Some((sim, record));
    }
    file.finish().map_err(|e| e.to_string())
}

/// A simulation that only plays records: with the solver that is made ready fastest.
fn cheap(record: &Record, world: &World) -> Result<Simulation, String> {
    let model = record.setup().model.clone();
    match Simulation::new(model.clone(), Explicit::default()) {
        Ok(sim) => Ok(sim),
        Err(_) => Simulation::new(model, world.solver.solver()?).map_err(|e| e.to_string()),
    }
}

/// What is shown of everything; of bodies that have torn, what can follow that.
fn skins(world: &World) -> Vec<Skin> {
    let (setup, model) = (&world.setup, &world.setup.model);
    let known = setup.base.model.bodies().len();
    let mut skins = Vec::new();
    for body in 0..model.bodies().len() {
        let torn = model.bodies()[body].triangles != world.sim.model().bodies()[body].triangles;
        skins.push(match setup.base.skins.get(body).filter(|_| body < known) {
            _ if torn => Skin::tearing(model, body),
            Some(skin) => skin.clone(),
            None => Skin::of_body(model, body),
        });
    }
    let props = setup.base.skins.iter().skip(known);
    skins.extend(props.filter(|s| s.shape.prop().is_some_and(|p| !p.endless)).cloned());
    skins
}

/// Where the vertices of a skin are; of a body that is not there yet, all where it will come from.
fn put(skin: &Skin, sim: &Simulation, last: &Model, out: &mut Vec<[f32; 3]>) {
    let here =
        skin.vertices.end <= sim.whole().len() || matches!(skin.binding, Binding::Collider(_));
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
