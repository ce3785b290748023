//! Threads, ropes and hairs.

use crate::Error;
use crate::batch::Elements;
use crate::build::tethers::BodyTethers;
use crate::build::{Body, ModelBuilder};
use crate::elements::{EdgePlastic, EdgeStrain, LaplaceBending, RodFrame, RodJoint};
use crate::material::{Stiffening, Thread};
use crate::math::Vec3;
use crate::mesh::StrandMesh;
use crate::mesh::measure::distance;
use crate::model::contact_material::ContactMaterial;
use crate::model::strain_limit::BodyLimits;

/// Mass of the frame point beside a segment, as a fraction of the segment's mass: large enough for solvers that process
/// element by element, and small enough that its off-axis weight exerts no noticeable torque.
const FRAME_POINT_MASS_FRACTION: f64 = 0.02;
/// Distance of the frame point from the segment, relative to the segment's length. With it the frame point is as stiff
/// against twist as the ends are against bending.
const FRAME_POINT_OFFSET: f64 = 0.5;
/// Weight of the element that keeps the frame point in place, relative to the bending weight. No other force acts
/// against it.
const FRAME_STIFFNESS_RATIO: f64 = 10.0;

impl ModelBuilder {
    /// Adds a thread, rope or hair.
    pub fn strand<M>(&mut self, mesh: M, material: Thread) -> Result<Body, Error>
    where
        M: TryInto<StrandMesh>,
        Error: From<M::Error>,
    {
        self.add_strand(mesh.try_into()?, material)
    }

    fn add_strand(&mut self, mesh: StrandMesh, material: Thread) -> Result<Body, Error> {
        mesh.validate()?;
        material.validate()?;
        let x = &mesh.positions;
        let mut masses = vec![0.0; x.len()];
        let mut stretch = Elements::projective();
        let mut plastic = Elements::projective();
        let share = if material.twist.is_some() { 1.0 - FRAME_POINT_MASS_FRACTION } else { 1.0 };
        for (&[a, b], length) in mesh.segments.iter().zip(mesh.lengths()) {
            let half = 0.5 * material.density * material.section() * length * share;
            masses[a as usize] += half;
            masses[b as usize] += half;
            let weight = material.strain_weight() * length;
            match material.plasticity {
                Some(plasticity) => {
                    plastic.push([a, b], weight, EdgePlastic { length, plasticity });
                }
                None => {
                    stretch.push([a, b], weight, EdgeStrain { length, limits: material.limits });
                }
            }
            if let Some(Stiffening { limits, young }) = material.stiffening {
                let weight = young * material.section() * length;
                stretch.push([a, b], weight, EdgeStrain { length, limits });
            }
        }
        let frame_positions =
            if material.twist.is_some() { frame_points(&mesh) } else { Vec::new() };
        masses.extend(mesh.lengths().iter().take(frame_positions.len()).map(|length| {
            FRAME_POINT_MASS_FRACTION * material.density * material.section() * length
        }));
        let all: Vec<[f64; 3]> = x.iter().chain(&frame_positions).copied().collect();
        let mut body = self.add_body("strand", &all, &masses, &mesh.corners, material.damping);
        self.contact_material(&body, Some(ContactMaterial::of_thickness(2.0 * material.radius)));
        let first = body.vertices().start as u32;
        self.model.bodies[body.index].segments =
            mesh.segments.iter().map(|s| s.map(|v| first + v)).collect();
        body.frame_points = frame_positions.len();
        self.model.bodies[body.index].frame_points = frame_positions.len();
        let k = material.pbd_stiffness.map(|k| k[0]);
        let rate = material.damping.constraint;
        self.add_body_elements(&body, stretch.pbd_stiffness(k).damping(rate));
        self.add_body_elements(&body, plastic.pbd_stiffness(k).damping(rate));
        match material.twist {
            None => self.strand_bending(&body, &mesh, &material),
            Some(_) => self.strand_joints(&body, &mesh, &all, &material)?,
        }
        if let Some(limit) = material.strain_limit {
            self.model.strain_limits.push(BodyLimits::new(
                body.vertices().start as u32,
                limit,
                x,
                &mesh.segments,
                &[],
            ));
        }
        if let Some(tethers) = material.tethers {
            let edges = mesh.segments.clone();
            self.tethers.push(BodyTethers { body: body.clone(), tethers, edges });
        }
        Ok(body)
    }

    /// Adds bending by the second derivative along the curve.
    fn strand_bending(&mut self, body: &Body, mesh: &StrandMesh, material: &Thread) {
        let x = &mesh.positions;
        let mut bend = Elements::projective();
        for (_, [a, b, c]) in segment_pairs(mesh) {
            // Integrated over the half segments on both sides.
            let length = distance(x[a as usize], x[b as usize]);
            let next = distance(x[b as usize], x[c as usize]);
            let half = 0.5 * (length + next);
            let (p, q) = (1.0 / (length * half), 1.0 / (next * half));
            let coefficients = [-(p + q), p, q];
            let y = [0, 1, 2].map(|i| {
                coefficients[0] * x[b as usize][i] + p * x[a as usize][i] + q * x[c as usize][i]
            });
            let element = LaplaceBending { coefficients, curvature: distance(y, [0.0; 3]) };
            bend.push([b, a, c], material.bending() * half, element);
        }
        let k = material.pbd_stiffness.map(|k| k[1]);
        self.add_body_elements(body, bend.pbd_stiffness(k).damping(material.damping.constraint));
    }

    /// Adds bending about both axes and twist, by frames; `all` holds the vertices and then the frame points.
    fn strand_joints(
        &mut self,
        body: &Body,
        mesh: &StrandMesh,
        all: &[[f64; 3]],
        material: &Thread,
    ) -> Result<(), Error> {
        let at = |v: u32| all[v as usize];
        let frame_point = |segment: usize| (mesh.positions.len() + segment) as u32;
        let mut frames = Elements::constraint();
        for (s, (&[a, b], length)) in mesh.segments.iter().zip(mesh.lengths()).enumerate() {
            let v = [a, b, frame_point(s)];
            frames.push(
                v,
                FRAME_STIFFNESS_RATIO * material.bending() / length,
                RodFrame::new(v.map(at))?,
            );
        }
        let bending = material.bending();
        let twist = if bending > 0.0 { material.torsion() / bending } else { 0.0 };
        let mut turns = Elements::constraint();
        for (s, [a, b, c]) in segment_pairs(mesh) {
            let half = 0.5 * (distance(at(a), at(b)) + distance(at(b), at(c)));
            let v = [a, b, c, frame_point(s), frame_point(s + 1)];
            turns.push(v, bending / half, RodJoint::new(v.map(at), [1.0, 1.0, twist])?);
        }
        let rate = material.damping.constraint;
        self.add_body_elements(body, frames.pbd_stiffness(Some(1.0)).damping(rate));
        let k = material.pbd_stiffness.map(|k| k[1]);
        self.add_body_elements(body, turns.pbd_stiffness(k).damping(rate));
        Ok(())
    }
}

/// Returns the segments that the next one continues, with the three vertices of both.
fn segment_pairs(mesh: &StrandMesh) -> impl Iterator<Item = (usize, [u32; 3])> + '_ {
    mesh.segments.windows(2).enumerate().filter_map(|(s, pair)| {
        let [[a, b], [from, c]] = [pair[0], pair[1]];
        (from == b).then_some((s, [a, b, c]))
    })
}

/// Returns a frame point beside each segment, parallel-transported along the strand without twist.
fn frame_points(mesh: &StrandMesh) -> Vec<[f64; 3]> {
    let at = |v: u32| Vec3::<f64>::of(mesh.positions[v as usize]);
    let mut last: Option<(u32, Vec3<f64>)> = None;
    let place = |&[a, b]: &[u32; 2]| {
        let edge = at(b) - at(a);
        let t = edge.scale(1.0 / edge.norm());
        // The previous direction, projected across this segment: for small turns the nearest one.
        let carried = last.filter(|&(end, _)| end == a).map(|(_, d)| d);
        let across = [carried, Some(Vec3::new(0.0, 1.0, 0.0)), Some(Vec3::new(0.0, 0.0, 1.0))]
            .into_iter()
            .flatten()
            .map(|d| d - t.scale(t.dot(d)))
            .find(|d| d.norm() > 0.1);
        let d = across.unwrap_or(Vec3::new(0.0, 0.0, 1.0));
        let d = d.scale(1.0 / d.norm());
        last = Some((b, d));
        let frame_point = (at(a) + at(b)).scale(0.5) + d.scale(FRAME_POINT_OFFSET * edge.norm());
        [frame_point.x, frame_point.y, frame_point.z]
    };
    mesh.segments.iter().map(place).collect()
}
