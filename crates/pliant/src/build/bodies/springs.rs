//! Mass-spring networks.

use crate::Error;
use crate::batch::Elements;
use crate::build::tethers::BodyTethers;
use crate::build::{Body, ModelBuilder};
use crate::elements::Spring;
use crate::material::Springs;
use crate::mesh::measure::distance;
use crate::mesh::{SpringKind, SpringNetwork};
use crate::model::strain_limit::BodyLimits;

impl ModelBuilder {
    /// Adds a mass-spring network.
    pub fn springs<M>(&mut self, network: M, material: Springs) -> Result<Body, Error>
    where
        M: TryInto<SpringNetwork>,
        Error: From<M::Error>,
    {
        self.add_springs(network.try_into()?, material)
    }

    fn add_springs(&mut self, network: SpringNetwork, material: Springs) -> Result<Body, Error> {
        network.validate()?;
        material.validate()?;
        let x = &network.positions;
        let mut set = Elements::projective();
        for spring in &network.springs {
            let [a, b] = spring.map(|v| x[v as usize]);
            set.push(*spring, material.constant, Spring { length: distance(a, b) });
        }
        let masses = vec![material.mass / x.len() as f64; x.len()];
        let body = self.add_body("springs", x, &masses, &network.corners, material.damping);
        let set = set.pbd_stiffness(material.pbd_stiffness).damping(material.damping.constraint);
        self.add_body_elements(&body, set);
        // Bend springs are meant to shorten in a fold.
        let stretching = network.springs.iter().zip(&network.kinds);
        let edges = stretching.filter(|(_, kind)| **kind != SpringKind::Bend).map(|(s, _)| *s);
        let edges: Vec<[u32; 2]> = edges.collect();
        if let Some(limit) = material.strain_limit {
            self.model.strain_limits.push(BodyLimits::new(
                body.vertices().start as u32,
                limit,
                x,
                &edges,
                &network.triangles,
            ));
        }
        if let Some(tethers) = material.tethers {
            self.tethers.push(BodyTethers { body: body.clone(), tethers, edges });
        }
        self.set_surface(&body, &network.triangles);
        Ok(body)
    }
}
