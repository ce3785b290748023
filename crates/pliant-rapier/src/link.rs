//! A world and a simulation, linked.

use crate::place::{Place, wide};
use crate::vector::{V, norm, sub};
use crate::ward::{Ward, end_of_step, is_movable};
use crate::{Error, shape};
use pliant::MassProperties;
use pliant::prelude::*;
use rapier3d::math::{Matrix, Vector};
use rapier3d::prelude as rapier;
use rapier3d::prelude::{ColliderHandle, PhysicsWorld, RigidBody, RigidBodyHandle, RigidBodySet};

/// What rapier keeps apart by itself.
const FAMILY: u32 = u32::from_be_bytes(*b"rapi");

/// What of a rapier world takes part in a simulation, and what of the simulation hangs on it.
#[derive(Clone, Debug, Default)]
pub struct Link {
    wards: Vec<Ward>,
    attached: Vec<Attached>,
    /// Where the bodies that nothing moves were when they were linked.
    starts: Vec<(RigidBodyHandle, Place)>,
}

/// A pinned vertex that follows a body which nothing moves.
#[derive(Clone, Debug)]
struct Attached {
    vertex: usize,
    body: RigidBodyHandle,
    /// Where the body was at the start.
    start: Place,
}

impl Link {
    /// Adds all colliders of a world that are no sensors to a scene.
    pub fn new(scene: &mut ModelBuilder, world: &mut PhysicsWorld) -> Result<Self, Error> {
        Self::only(scene, world, |_, _| true)
    }

    /// Adds those colliders of a world that are wanted, and no sensors, to a scene.
    pub fn only(
        scene: &mut ModelBuilder,
        world: &mut PhysicsWorld,
        wanted: impl Fn(ColliderHandle, &rapier::Collider) -> bool,
    ) -> Result<Self, Error> {
        let mut link = Self::default();
        let takes_part = |handle: ColliderHandle, own: &rapier::Collider| {
            own.is_enabled() && !own.is_sensor() && wanted(handle, own)
        };
        for (handle, own) in world.colliders.iter().filter(|(h, c)| takes_part(*h, c)) {
            if own.deformable_mesh_ref().is_some() {
                return Err(Error::Shape { collider: handle, shape: "soft body of rapier's" });
            }
            let body = own.parent().and_then(|parent| world.bodies.get(parent));
            if body.is_none_or(RigidBody::is_fixed) {
                stand(scene, handle, own)?;
            }
        }
        for (handle, own) in world.bodies.iter_mut().filter(|(_, b)| b.is_enabled()) {
            if !is_movable(own) {
                link.starts.push((handle, Place::of(own.position())));
            }
            if own.is_fixed() || own.is_soft_frame() {
                continue;
            }
            own.recompute_mass_properties_from_colliders(&world.colliders);
            let colliders: Vec<(ColliderHandle, &rapier::Collider)> = own
                .colliders()
                .iter()
                .filter_map(|&h| Some((h, world.colliders.get(h)?)))
                .filter(|(h, c)| takes_part(*h, c))
                .collect();
            if !colliders.is_empty() {
                link.wards.push(take_in(scene, handle, own, &colliders)?);
            }
        }
        Ok(link)
    }

    /// Attaches a vertex of the scene to a body at the place where both are at the start. A dynamic body feels
    /// it; with others the vertex goes along exactly.
    pub fn attach(
        &mut self,
        scene: &mut ModelBuilder,
        vertex: usize,
        to: RigidBodyHandle,
    ) -> Result<(), Error> {
        if let Some(ward) = self.wards.iter().find(|w| w.handle == to && w.is_moved()) {
            scene.fasten(vertex, &ward.body);
            return Ok(());
        }
        let start = self.starts.iter().find(|(handle, _)| *handle == to).map(|(_, place)| *place);
        let Some(start) = start else { return Err(Error::NotLinked { body: to }) };
        scene.pin(vertex);
        self.attached.push(Attached { vertex, body: to, start });
        Ok(())
    }

    /// The body of the simulation that stands for one of rapier's.
    pub fn body(&self, handle: RigidBodyHandle) -> Option<&Body> {
        self.wards.iter().find(|w| w.handle == handle).map(|w| &w.body)
    }

    /// One step of both, as long as a step of the simulation.
    pub fn step<S: Precision>(
        &mut self,
        sim: &mut Simulation<S>,
        world: &mut PhysicsWorld,
    ) -> Result<(), Error> {
        self.lead(sim, &mut world.bodies, world.gravity)?;
        sim.step();
        self.answer(sim, &mut world.bodies, world.gravity)?;
        world.integration_parameters.dt = sim.time_step() as f32;
        world.step();
        self.let_go(&mut world.bodies);
        Ok(())
    }

    /// Before a step of the simulation: its rigid bodies are sent to where rapier's will be. `gravity` is rapier's
    /// [m/s²].
    pub fn lead<S: Precision>(
        &mut self,
        sim: &mut Simulation<S>,
        bodies: &mut RigidBodySet,
        gravity: Vector,
    ) -> Result<(), Error> {
        self.let_go(bodies);
        let model = sim.model().clone();
        for ward in &mut self.wards {
            let own = bodies.get(ward.handle).filter(|own| is_movable(own) == ward.is_moved());
            let (body, kind) = (ward.handle, ward.kind());
            let own = own.ok_or(Error::Gone { body, kind })?;
            let known = model.bodies().get(ward.body.index);
            if known.is_none_or(|b| b.vertices != ward.body.vertices()) {
                return Err(Error::OtherScene { body: ward.body.index });
            }
            let pull = wide(gravity).map(|g| g * f64::from(own.gravity_scale()));
            ward.lead(sim, own, [pull, model.gravity()])?;
        }
        for Attached { vertex, body, start } in &self.attached {
            let gone = Error::Gone { body: *body, kind: "carrying" };
            let own = bodies.get(*body).ok_or(gone)?;
            let end = end_of_step(own, sim.time_step());
            let Some(at) = model.start_positions().get(*vertex) else { continue };
            sim.move_pin(*vertex, end.point(start.local(*at)))?;
        }
        Ok(())
    }

    /// After a step of the simulation, and before one of the world: what the rigid bodies gained is given to
    /// rapier's, as impulses and as forces that [`Link::let_go`] withdraws.
    pub fn answer<S: Precision>(
        &mut self,
        sim: &Simulation<S>,
        bodies: &mut RigidBodySet,
        gravity: Vector,
    ) -> Result<(), Error> {
        for ward in &mut self.wards {
            let (body, kind) = (ward.handle, ward.kind());
            let own = bodies.get_mut(body).ok_or(Error::Gone { body, kind })?;
            ward.answer(sim, own, wide(gravity));
        }
        Ok(())
    }

    /// After a step of the world: what was given as forces for that step is withdrawn.
    pub fn let_go(&mut self, bodies: &mut RigidBodySet) {
        for ward in &mut self.wards {
            if let Some(own) = bodies.get_mut(ward.handle) {
                ward.let_go(own);
            }
        }
    }
}

/// Adds what stands still.
fn stand(
    scene: &mut ModelBuilder,
    handle: ColliderHandle,
    own: &rapier::Collider,
) -> Result<(), Error> {
    for collider in shape::colliders(handle, own.shape(), own.position())? {
        let (friction, restitution) = (f64::from(own.friction()), f64::from(own.restitution()));
        let restitution = restitution.clamp(0.0, 1.0);
        scene.collider(collider.friction(friction).restitution(restitution).family(FAMILY));
    }
    Ok(())
}

/// Adds a rigid body that stands for one that moves.
fn take_in(
    scene: &mut ModelBuilder,
    handle: RigidBodyHandle,
    own: &RigidBody,
    colliders: &[(ColliderHandle, &rapier::Collider)],
) -> Result<Ward, Error> {
    let mut parts = Vec::new();
    for (collider, own) in colliders {
        for part in shape::colliders(*collider, own.shape(), own.position())? {
            if !part.shape().is_finite() {
                return Err(Error::MovingHalfSpace { collider: *collider });
            }
            parts.push(part);
        }
    }
    let (collider, first) = colliders[0];
    let refused = |problem| Error::Collider { collider, problem };
    let surface = shape::surface(&parts);
    let place = Place::of(own.position());
    let movable = is_movable(own);
    let mass = if movable { mass_of(own, &place) } else { stand_in(&surface.positions) };
    let body = scene.rigid_with(surface, &mass).map_err(refused)?;
    if let Some(touch) = scene.touch_of(&body) {
        let touch = Touch {
            friction: f64::from(first.friction()),
            restitution: f64::from(first.restitution()).clamp(0.0, 1.0),
            family: Some(FAMILY),
            ..touch
        };
        scene.touch(&body, Some(touch));
    }
    if !movable {
        body.vertices().for_each(|v| scene.pin(v));
    }
    let four = scene.positions_mut(&body).to_vec();
    Ok(Ward::new(handle, body, &four, &place, movable.then_some(mass.mass)))
}

/// The mass of a body where it is.
fn mass_of(own: &RigidBody, place: &Place) -> MassProperties {
    let local = &own.mass_properties().local_mprops;
    let inertia = local.reconstruct_inertia_matrix();
    // Its columns turned, then its rows: R I Rᵀ.
    let columns = columns(inertia).map(|c| place.vector(c));
    let rows = [0, 1, 2].map(|r| place.vector(columns.map(|c| c[r])));
    let centre = place.point(wide(local.local_com));
    MassProperties::with_inertia(f64::from(local.mass()), centre, rows)
}

fn columns(m: Matrix) -> [V; 3] {
    [m.x_axis, m.y_axis, m.z_axis].map(wide)
}

/// A mass for what moves as prescribed, which nothing feels: a ball about the middle of its points.
fn stand_in(points: &[V]) -> MassProperties {
    let low = points.iter().fold([f64::INFINITY; 3], |m, p| [0, 1, 2].map(|c| m[c].min(p[c])));
    let high = points.iter().fold([-f64::INFINITY; 3], |m, p| [0, 1, 2].map(|c| m[c].max(p[c])));
    let radius = 0.5 * norm(sub(high, low));
    let inertia = 0.4 * radius * radius;
    let middle = [0, 1, 2].map(|c| 0.5 * (low[c] + high[c]));
    let diagonal = [[inertia, 0.0, 0.0], [0.0, inertia, 0.0], [0.0, 0.0, inertia]];
    MassProperties::with_inertia(1.0, middle, diagonal)
}
