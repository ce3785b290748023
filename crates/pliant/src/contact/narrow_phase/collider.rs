//! Contact detection of vertices with colliders, Position Based Dynamics §3.4.
//!
//! Everything is computed in the coordinates of the collider, in which it is at rest: a vertex moves in a straight line
//! from its previous to its predicted position. If it enters on the way, found by sphere tracing, the contact plane is
//! the one at the entry point; if it already touches or is inside, the one at the surface point nearest to its
//! predicted position. A vertex that only comes near gets a contact as well, since the solver may move it there.

use crate::contact::ContactConstraint;
use crate::contact::solver::set::{ContactSet, to_f64};
use crate::math::{Scalar, Vec3};
use crate::model::collider::Collider;
use crate::model::collider::pose::Pose;
use crate::model::collider::shape::{Shape, SignedDistance};
use crate::model::contact_material::ContactMaterial;
use crate::model::rigid_frame::RigidFrame;
use crate::model::{BodyInfo, Model};
use crate::simd::Point;

/// Maximum steps to the entry point. Each ends at the surface or shortens the rest of the path; if they do not suffice,
/// the path almost grazes the surface, and counts as touching.
const MAX_SPHERE_TRACING_STEPS: usize = 64;
/// Distance to the surface at which tracing stops, as a fraction of the contact radius.
const ENTRY_TOLERANCE: f64 = 1e-3;

/// Motion of all vertices in a substep, as input to contact detection.
#[derive(Clone, Copy, Debug)]
pub struct SubstepMotion<'a, S> {
    /// Positions at the start \[m\].
    pub previous: &'a [Point<S>],
    /// Predicted positions, without contacts \[m\], with the inverse masses.
    pub predicted: &'a [Point<S>],
    /// Velocities on the path [m/s].
    pub velocities: &'a [Point<S>],
    /// Times of the start and the end \[s\].
    pub times: [f64; 2],
}

impl ContactSet {
    /// Appends the contacts of vertices with colliders, ordered by collider, then by vertex.
    pub(in crate::contact) fn append_collider_contacts<S: Scalar>(
        &mut self,
        model: &Model,
        motion: &SubstepMotion<S>,
    ) {
        for (number, collider) in model.colliders().iter().enumerate() {
            let poses = motion.times.map(|t| collider.pose(t));
            let h = motion.times[1] - motion.times[0];
            for body in model.bodies() {
                let own = body
                    .contact_material
                    .filter(|own| !ContactMaterial::share_group(own, &collider.contact_material));
                let Some(material) =
                    own.map(|own| ContactMaterial::combine(&own, &collider.contact_material))
                else {
                    continue;
                };
                if let Some(frame) = &body.rigid_frame {
                    self.append_rigid_contacts(
                        number,
                        collider,
                        material,
                        (body, frame),
                        &poses,
                        motion,
                    );
                    continue;
                }
                for v in body.visible_vertices().filter(|&v| motion.predicted[v][3] > S::default())
                {
                    let path = [to_f64(&motion.previous[v]), to_f64(&motion.predicted[v])];
                    let Some((normal, offset)) =
                        contact_plane(collider.shape(), &poses, path, material.radius)
                    else {
                        continue;
                    };
                    let anchor =
                        poses[1].transform_point(poses[0].inverse_transform_point(path[0]));
                    let other = (anchor - path[0]).scale(1.0 / h);
                    self.list.push(ContactConstraint {
                        key: [number as u32, v as u32, 0, 0],
                        min_distance: material.radius,
                        anchor,
                        friction: material.friction,
                        restitution: material.restitution,
                        other_velocity: other,
                        approach_speed: normal.dot(to_f64(&motion.velocities[v]) - other),
                        ..ContactConstraint::new([(v as u32, 1.0)], normal, offset)
                    });
                }
            }
        }
    }
}

impl ContactSet {
    /// Appends the contacts of points carried by a rigid body with a collider.
    fn append_rigid_contacts<S: Scalar>(
        &mut self,
        number: usize,
        collider: &Collider,
        material: ContactMaterial,
        (body, frame): (&BodyInfo, &RigidFrame),
        poses: &[Pose; 2],
        motion: &SubstepMotion<S>,
    ) {
        let four = body.vertices.clone();
        let h = motion.times[1] - motion.times[0];
        if motion.predicted[four.clone()].iter().all(|p| !(p[3] > S::default())) {
            return;
        }
        for (point, weights) in frame.weights.iter().enumerate() {
            let at = |x: &[Point<S>]| Vec3::<f64>::of(frame.point(point, &x[four.clone()]));
            let path = [at(motion.previous), at(motion.predicted)];
            let Some((normal, offset)) =
                contact_plane(collider.shape(), poses, path, material.radius)
            else {
                continue;
            };
            let anchor = poses[1].transform_point(poses[0].inverse_transform_point(path[0]));
            let other = (anchor - path[0]).scale(1.0 / h);
            let terms = four.clone().zip(weights).map(|(v, w)| (v as u32, *w));
            self.list.push(ContactConstraint {
                key: [number as u32, four.start as u32, point as u32, 0],
                min_distance: material.radius,
                anchor,
                friction: material.friction,
                restitution: material.restitution,
                other_velocity: other,
                approach_speed: normal.dot(at(motion.velocities) - other),
                ..ContactConstraint::new(terms, normal, offset)
            });
        }
    }
}

/// Returns the half-space that a vertex on this path must stay in: its normal and the least `n·x` \[m\].
fn contact_plane(
    shape: &Shape,
    poses: &[Pose; 2],
    path: [Vec3<f64>; 2],
    radius: f64,
) -> Option<(Vec3<f64>, f64)> {
    let [p, q] =
        [poses[0].inverse_transform_point(path[0]), poses[1].inverse_transform_point(path[1])];
    let d = q - p;
    // Most are far away: an upper bound of the displacement without a square root rejects them.
    if shape.surely_farther(p, radius + 2.0 * (d.x.abs() + d.y.abs() + d.z.abs()) + radius) {
        return None;
    }
    let distance = d.norm();
    if !distance.is_finite() {
        return None;
    }
    // The solver may move the vertex as far again.
    let reach = radius + 2.0 * distance + radius;
    let start = shape.nearest(p, reach)?;
    if start.distance > reach {
        return None;
    }
    let end = shape.nearest(q, reach + distance)?;
    let (at, found) = match sphere_trace(shape, p, q, start, radius) {
        Some(0.0) if start.normal.dot(end.normal) > 0.5 => (q, end),
        Some(0.0) => (p, start),
        Some(t) => {
            let at = p + (q - p).scale(t);
            (at, shape.nearest(at, reach + distance)?)
        }
        None => (q, end),
    };
    let normal = poses[1].transform_vector(found.normal);
    let surface = poses[1].transform_point(at) - normal.scale(found.distance);
    Some((normal, normal.dot(surface) + radius))
}

/// Returns the fraction of the path from `p` to `q` at which the distance first falls to `radius`; zero if it starts
/// so.
fn sphere_trace(
    shape: &Shape,
    p: Vec3<f64>,
    q: Vec3<f64>,
    start: SignedDistance,
    radius: f64,
) -> Option<f64> {
    let distance = (q - p).norm();
    let (mut t, mut left) = (0.0, start.distance - radius);
    for _ in 0..MAX_SPHERE_TRACING_STEPS {
        if left <= ENTRY_TOLERANCE * radius {
            return Some(t);
        }
        // No point of the surface is nearer than this.
        t += left / distance;
        if !(t <= 1.0) {
            return None;
        }
        left = shape.nearest(p + (q - p).scale(t), distance + radius)?.distance - radius;
    }
    Some(t)
}
