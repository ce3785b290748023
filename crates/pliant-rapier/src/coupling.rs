//! Coupling of a rapier world and a simulation.

use crate::isometry::{Isometry, to_f64};
use crate::proxy::{RigidProxy, end_of_step, is_movable};
use crate::vector::{V, norm, sub};
use crate::{Error, shape};
use pliant::MassProperties;
use pliant::prelude::*;
use rapier3d::math::{Matrix, Vector};
use rapier3d::prelude as rapier;
use rapier3d::prelude::{ColliderHandle, PhysicsWorld, RigidBody, RigidBodyHandle, RigidBodySet};

/// Collision group of all proxies: rapier itself handles collisions between its bodies.
const COLLISION_GROUP: u32 = u32::from_be_bytes(*b"rapi");

/// Coupling between the bodies of a rapier world and their counterparts in a simulation.
#[derive(Clone, Debug, Default)]
pub struct RapierCoupling {
    proxies: Vec<RigidProxy>,
    attached: Vec<PinnedAttachment>,
    /// Initial poses, at coupling time, of the bodies that are not moved by contact.
    starts: Vec<(RigidBodyHandle, Isometry)>,
}

/// A pinned vertex that follows a body that contact does not move.
#[derive(Clone, Debug)]
struct PinnedAttachment {
    vertex: usize,
    body: RigidBodyHandle,
    /// Initial pose of the body.
    start: Isometry,
}

impl RapierCoupling {
    /// Adds all colliders of a world to a scene, except sensors.
    pub fn new(scene: &mut ModelBuilder, world: &mut PhysicsWorld) -> Result<Self, Error> {
        Self::only(scene, world, |_, _| true)
    }

    /// Adds the selected colliders of a world to a scene, except sensors.
    pub fn only(
        scene: &mut ModelBuilder,
        world: &mut PhysicsWorld,
        wanted: impl Fn(ColliderHandle, &rapier::Collider) -> bool,
    ) -> Result<Self, Error> {
        let mut coupling = Self::default();
        let takes_part = |handle: ColliderHandle, own: &rapier::Collider| {
            own.is_enabled() && !own.is_sensor() && wanted(handle, own)
        };
        for (handle, own) in world.colliders.iter().filter(|(h, c)| takes_part(*h, c)) {
            if own.deformable_mesh_ref().is_some() {
                return Err(Error::Shape { collider: handle, shape: "soft body of rapier" });
            }
            let body = own.parent().and_then(|parent| world.bodies.get(parent));
            if body.is_none_or(RigidBody::is_fixed) {
                add_fixed_collider(scene, handle, own)?;
            }
        }
        for (handle, own) in world.bodies.iter_mut().filter(|(_, b)| b.is_enabled()) {
            if !is_movable(own) {
                coupling.starts.push((handle, Isometry::of(own.position())));
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
                coupling.proxies.push(make_proxy(scene, handle, own, &colliders)?);
            }
        }
        Ok(coupling)
    }

    /// Attaches a vertex of the scene to a body at their initial relative position. A dynamic body receives the
    /// reaction; with other bodies the vertex follows exactly.
    pub fn attach(
        &mut self,
        scene: &mut ModelBuilder,
        vertex: usize,
        to: RigidBodyHandle,
    ) -> Result<(), Error> {
        if let Some(proxy) = self.proxies.iter().find(|w| w.handle == to && w.is_moved()) {
            scene.attach_to_rigid(vertex, &proxy.body);
            return Ok(());
        }
        let start = self.starts.iter().find(|(handle, _)| *handle == to).map(|(_, place)| *place);
        let Some(start) = start else { return Err(Error::NotCoupled { body: to }) };
        scene.pin(vertex);
        self.attached.push(PinnedAttachment { vertex, body: to, start });
        Ok(())
    }

    /// Simulated proxy of a rapier body.
    pub fn body(&self, handle: RigidBodyHandle) -> Option<&Body> {
        self.proxies.iter().find(|w| w.handle == handle).map(|w| &w.body)
    }

    /// Advances both by one time step of the simulation.
    pub fn step<S: Precision>(
        &mut self,
        sim: &mut Simulation<S>,
        world: &mut PhysicsWorld,
    ) -> Result<(), Error> {
        self.drive_proxies(sim, &mut world.bodies, world.gravity)?;
        sim.step();
        self.apply_reactions(sim, &mut world.bodies, world.gravity)?;
        world.integration_parameters.dt = sim.time_step() as f32;
        world.step();
        self.remove_applied_forces(&mut world.bodies);
        Ok(())
    }

    /// Drives the proxies and the attached pins to the predicted poses of rapier's bodies; call it before a step
    /// of the simulation. `gravity` is rapier's [m/s²].
    pub fn drive_proxies<S: Precision>(
        &mut self,
        sim: &mut Simulation<S>,
        bodies: &mut RigidBodySet,
        gravity: Vector,
    ) -> Result<(), Error> {
        self.remove_applied_forces(bodies);
        let model = sim.model().clone();
        for proxy in &mut self.proxies {
            let own = bodies.get(proxy.handle).filter(|own| is_movable(own) == proxy.is_moved());
            let (body, kind) = (proxy.handle, proxy.kind());
            let own = own.ok_or(Error::BodyChanged { body, kind })?;
            let known = model.bodies().get(proxy.body.index);
            if known.is_none_or(|b| b.vertices != proxy.body.vertices()) {
                return Err(Error::SceneMismatch { body: proxy.body.index });
            }
            let pull = to_f64(gravity).map(|g| g * f64::from(own.gravity_scale()));
            proxy.drive_proxy(sim, own, [pull, model.gravity()])?;
        }
        for PinnedAttachment { vertex, body, start } in &self.attached {
            let gone = Error::BodyChanged { body: *body, kind: "carrying" };
            let own = bodies.get(*body).ok_or(gone)?;
            let end = end_of_step(own, sim.time_step());
            let Some(at) = model.start_positions().get(*vertex) else { continue };
            sim.move_pin(*vertex, end.transform_point(start.inverse_transform_point(*at)))?;
        }
        Ok(())
    }

    /// Applies the momentum gained by the proxies to rapier's bodies, as impulses and as forces that
    /// [`Self::remove_applied_forces`] removes; call it after a step of the simulation and before one of the
    /// world.
    pub fn apply_reactions<S: Precision>(
        &mut self,
        sim: &Simulation<S>,
        bodies: &mut RigidBodySet,
        gravity: Vector,
    ) -> Result<(), Error> {
        for proxy in &mut self.proxies {
            let (body, kind) = (proxy.handle, proxy.kind());
            let own = bodies.get_mut(body).ok_or(Error::BodyChanged { body, kind })?;
            proxy.apply_reaction(sim, own, to_f64(gravity));
        }
        Ok(())
    }

    /// Removes the forces that were applied for a step; call it after the step of the world.
    pub fn remove_applied_forces(&mut self, bodies: &mut RigidBodySet) {
        for proxy in &mut self.proxies {
            if let Some(own) = bodies.get_mut(proxy.handle) {
                proxy.remove_applied_wrench(own);
            }
        }
    }
}

/// Adds a static collider.
fn add_fixed_collider(
    scene: &mut ModelBuilder,
    handle: ColliderHandle,
    own: &rapier::Collider,
) -> Result<(), Error> {
    for collider in shape::colliders(handle, own.shape(), own.position())? {
        let (friction, restitution) = (f64::from(own.friction()), f64::from(own.restitution()));
        let restitution = restitution.clamp(0.0, 1.0);
        scene.collider(
            collider.friction(friction).restitution(restitution).collision_group(COLLISION_GROUP),
        );
    }
    Ok(())
}

/// Adds a proxy for a moving rigid body.
fn make_proxy(
    scene: &mut ModelBuilder,
    handle: RigidBodyHandle,
    own: &RigidBody,
    colliders: &[(ColliderHandle, &rapier::Collider)],
) -> Result<RigidProxy, Error> {
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
    let place = Isometry::of(own.position());
    let movable = is_movable(own);
    let mass = if movable { mass_of(own, &place) } else { placeholder_mass(&surface.positions) };
    let body = scene.rigid_with_mass(surface, &mass).map_err(refused)?;
    if let Some(material) = scene.contact_material_of(&body) {
        let material = ContactMaterial {
            friction: f64::from(first.friction()),
            restitution: f64::from(first.restitution()).clamp(0.0, 1.0),
            collision_group: Some(COLLISION_GROUP),
            ..material
        };
        scene.contact_material(&body, Some(material));
    }
    if !movable {
        body.vertices().for_each(|v| scene.pin(v));
    }
    let four = scene.positions_mut(&body).to_vec();
    Ok(RigidProxy::new(handle, body, &four, &place, movable.then_some(mass.mass)))
}

/// Mass properties of a body at a pose.
fn mass_of(own: &RigidBody, place: &Isometry) -> MassProperties {
    let local = &own.mass_properties().local_mprops;
    let inertia = local.reconstruct_inertia_matrix();
    // Rotates the columns, then the rows: R I Rᵀ.
    let columns = columns(inertia).map(|c| place.transform_vector(c));
    let rows = [0, 1, 2].map(|r| place.transform_vector(columns.map(|c| c[r])));
    let centre = place.transform_point(to_f64(local.local_com));
    MassProperties::with_inertia(f64::from(local.mass()), centre, rows)
}

fn columns(m: Matrix) -> [V; 3] {
    [m.x_axis, m.y_axis, m.z_axis].map(to_f64)
}

/// Placeholder mass of a kinematic body, which has no effect: a ball around the mean of its points.
fn placeholder_mass(points: &[V]) -> MassProperties {
    let low = points.iter().fold([f64::INFINITY; 3], |m, p| [0, 1, 2].map(|c| m[c].min(p[c])));
    let high = points.iter().fold([-f64::INFINITY; 3], |m, p| [0, 1, 2].map(|c| m[c].max(p[c])));
    let radius = 0.5 * norm(sub(high, low));
    let inertia = 0.4 * radius * radius;
    let middle = [0, 1, 2].map(|c| 0.5 * (low[c] + high[c]));
    let diagonal = [[inertia, 0.0, 0.0], [0.0, inertia, 0.0], [0.0, 0.0, inertia]];
    MassProperties::with_inertia(1.0, middle, diagonal)
}
