//! Finding contacts with colliders, Position Based Dynamics §3.4.
//!
//! Everything is done in the coordinates of the collider, in which it stands still: a vertex goes
//! straight from where it was to where it would be. Where it enters on the way, the contact is the
//! plane at the entry; where it already touches or is inside, that at the surface point nearest to where
//! it would be. A vertex that only comes near gets a contact as well, since the solver may move it there.

use super::pose::Pose;
use super::shape::{Nearest, Shape};
use super::{Collider, Contact, Contacts, Touch, wide};
use crate::math::{Scalar, Vec3};
use crate::model::{BodyInfo, Model};
use crate::rigid_body::Carried;
use crate::simd::Point;

/// Steps of the walk to the entry point. Each ends at the surface or shortens what is left of the way;
/// where they do not suffice, the way almost grazes the surface, and it is taken as touched.
const STEPS: usize = 64;
/// The walk ends this near to the surface, as a part of the distance to keep.
const NEAR: f64 = 1e-3;

/// A substep as contacts see it.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a, S> {
    /// Where the vertices were \[m\].
    pub before: &'a [Point<S>],
    /// Where they would be without contacts \[m\], with their inverse masses.
    pub guess: &'a [Point<S>],
    /// Their velocities on the way [m/s].
    pub velocities: &'a [Point<S>],
    /// The times at both ends \[s\].
    pub times: [f64; 2],
}

impl Contacts {
    /// Appends the contacts of vertices with colliders, in the order of both.
    pub(super) fn find_colliders<S: Scalar>(&mut self, model: &Model, around: &Surroundings<S>) {
        for (number, collider) in model.colliders().iter().enumerate() {
            let poses = around.times.map(|t| collider.pose(t));
            let h = around.times[1] - around.times[0];
            for body in model.bodies() {
                let own = body.touch.filter(|own| !Touch::are_family(own, &collider.touch));
                let Some(touch) = own.map(|own| Touch::between(&own, &collider.touch)) else {
                    continue;
                };
                if let Some(carried) = &body.carried {
                    self.find_carried(number, collider, touch, (body, carried), &poses, around);
                    continue;
                }
                for v in body.shown().filter(|&v| around.guess[v][3] > S::default()) {
                    let path = [wide(&around.before[v]), wide(&around.guess[v])];
                    let Some((normal, offset)) =
                        plane(collider.shape(), &poses, path, touch.radius)
                    else {
                        continue;
                    };
                    let anchor = poses[1].place(poses[0].local(path[0]));
                    let other = (anchor - path[0]).scale(1.0 / h);
                    self.list.push(Contact {
                        key: [number as u32, v as u32, 0, 0],
                        gap: touch.radius,
                        anchor,
                        friction: touch.friction,
                        restitution: touch.restitution,
                        other,
                        approach: normal.dot(wide(&around.velocities[v]) - other),
                        ..Contact::new([(v as u32, 1.0)], normal, offset)
                    });
                }
            }
        }
    }
}

impl Contacts {
    /// Appends the contacts of the points that a rigid body carries with a collider.
    fn find_carried<S: Scalar>(
        &mut self,
        number: usize,
        collider: &Collider,
        touch: Touch,
        (body, carried): (&BodyInfo, &Carried),
        poses: &[Pose; 2],
        around: &Surroundings<S>,
    ) {
        let four = body.vertices.clone();
        let h = around.times[1] - around.times[0];
        if around.guess[four.clone()].iter().all(|p| !(p[3] > S::default())) {
            return;
        }
        for (point, weights) in carried.weights.iter().enumerate() {
            let at = |x: &[Point<S>]| Vec3::<f64>::of(carried.point(point, &x[four.clone()]));
            let path = [at(around.before), at(around.guess)];
            let Some((normal, offset)) = plane(collider.shape(), poses, path, touch.radius) else {
                continue;
            };
            let anchor = poses[1].place(poses[0].local(path[0]));
            let other = (anchor - path[0]).scale(1.0 / h);
            let terms = four.clone().zip(weights).map(|(v, w)| (v as u32, *w));
            self.list.push(Contact {
                key: [number as u32, four.start as u32, point as u32, 0],
                gap: touch.radius,
                anchor,
                friction: touch.friction,
                restitution: touch.restitution,
                other,
                approach: normal.dot(at(around.velocities) - other),
                ..Contact::new(terms, normal, offset)
            });
        }
    }
}

/// The half-space that a vertex on this path must stay in: normal and least `n·x` \[m\].
fn plane(
    shape: &Shape,
    poses: &[Pose; 2],
    path: [Vec3<f64>; 2],
    radius: f64,
) -> Option<(Vec3<f64>, f64)> {
    let [p, q] = [poses[0].local(path[0]), poses[1].local(path[1])];
    let d = q - p;
    // Most are far away: a bound of the way without a root tells that.
    if shape.is_beyond(p, radius + 2.0 * (d.x.abs() + d.y.abs() + d.z.abs()) + radius) {
        return None;
    }
    let way = d.norm();
    if !way.is_finite() {
        return None;
    }
    // The solver may move it as far again.
    let reach = radius + 2.0 * way + radius;
    let start = shape.nearest(p, reach)?;
    if start.distance > reach {
        return None;
    }
    let end = shape.nearest(q, reach + way)?;
    let (at, found) = match entry(shape, p, q, start, radius) {
        Some(0.0) if start.normal.dot(end.normal) > 0.5 => (q, end),
        Some(0.0) => (p, start),
        Some(t) => {
            let at = p + (q - p).scale(t);
            (at, shape.nearest(at, reach + way)?)
        }
        None => (q, end),
    };
    let normal = poses[1].turn(found.normal);
    let surface = poses[1].place(at) - normal.scale(found.distance);
    Some((normal, normal.dot(surface) + radius))
}

/// Where on the way from `p` to `q` the distance first falls to `radius`: zero where it starts so.
fn entry(shape: &Shape, p: Vec3<f64>, q: Vec3<f64>, start: Nearest, radius: f64) -> Option<f64> {
    let way = (q - p).norm();
    let (mut t, mut left) = (0.0, start.distance - radius);
    for _ in 0..STEPS {
        if left <= NEAR * radius {
            return Some(t);
        }
        // No point of the surface is nearer than this.
        t += left / way;
        if !(t <= 1.0) {
            return None;
        }
        left = shape.nearest(p + (q - p).scale(t), way + radius)?.distance - radius;
    }
    Some(t)
}
