//! Threads, ropes and hairs.

use crate::Error;
use crate::batch::Elements;
use crate::build::{Body, ModelBuilder};
use crate::elements::{EdgeStrain, LaplaceBending};
use crate::material::Thread;
use crate::mesh::StrandMesh;
use crate::mesh::measure::distance;
use crate::strain_limit::BodyLimits;
use crate::tethers::BodyTethers;

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
        let mut bend = Elements::projective();
        for (s, &[a, b]) in mesh.segments.iter().enumerate() {
            let length = distance(x[a as usize], x[b as usize]);
            let half = 0.5 * material.density * material.section() * length;
            masses[a as usize] += half;
            masses[b as usize] += half;
            let element = EdgeStrain { length, limits: material.limits };
            stretch.push([a, b], material.strain_weight() * length, element);
            let Some(&[_, c]) = mesh.segments.get(s + 1).filter(|next| next[0] == b) else {
                continue;
            };
            // The second derivative along the curve, over the half segments on both sides.
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
        let body = self.body("strand", x, &masses, &mesh.corners, material.damping);
        let k = material.pbd_stiffness;
        let rate = material.damping.constraint;
        self.own(&body, stretch.pbd_stiffness(k.map(|k| k[0])).damping(rate));
        self.own(&body, bend.pbd_stiffness(k.map(|k| k[1])).damping(rate));
        if let Some(limit) = material.strain_limit {
            self.model.limits.push(BodyLimits::new(&body, limit, x, &mesh.segments, &[]));
        }
        if let Some(tethers) = material.tethers {
            let edges = mesh.segments.clone();
            self.tethers.push(BodyTethers { body: body.clone(), tethers, edges });
        }
        Ok(body)
    }
}
