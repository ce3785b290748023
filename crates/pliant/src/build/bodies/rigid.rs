//! Rigid bodies, and what is fastened to them.

use super::super::{Body, ModelBuilder};
use crate::Error;
use crate::batch::Elements;
use crate::damping::Damping;
use crate::elements::{TetStrain, Tie};
use crate::mesh::TriMesh;
use crate::rigid_body::{Carried, MassProperties};

/// How much stiffer than inertia over a frame, `m/h²`, the element is that holds a rigid body together: as
/// stiff as inertia over a tenth of it. What it leaves is taken out at the end of a substep; far stiffer,
/// Projective Dynamics would hardly turn the body.
const HOLD: f64 = 100.0;
/// How much stiffer than inertia over a frame an attachment is: that of the vertex and of a quarter of the
/// body.
const FASTEN: f64 = 100.0;

/// What is fastened to a rigid body.
#[derive(Clone, Copy, Debug)]
pub(in crate::build) struct Fastened {
    vertex: usize,
    body: usize,
}

impl ModelBuilder {
    /// Adds a rigid body: a solid with a closed surface and a density \[kg/m³\]. It moves freely, and what
    /// it touches or holds moves it.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// # fn main() -> Result<(), pliant::Error> {
    /// let mut scene = ModelBuilder::new();
    /// let cube = scene.rigid(Collider::cuboid([0.0; 3], [0.1; 3]).surface_mesh(), 500.0)?;
    /// scene.collider(Collider::plane([0.0, -0.2, 0.0], [0.0, 1.0, 0.0]));
    /// let mut sim = Simulation::new(scene.build()?, ProjectiveDynamics::default())?;
    /// for _ in 0..60 {
    ///     sim.step();
    /// }
    /// assert!((cube.centre(&sim)[1] + 0.15).abs() < 2e-3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn rigid<M>(&mut self, surface: M, density: f64) -> Result<Body, Error>
    where
        M: TryInto<TriMesh>,
        Error: From<M::Error>,
    {
        Ok(self.carry(Carried::new(&surface.try_into()?, density)?))
    }

    /// Adds a rigid body whose mass is known: its surface may be open, and its density anything.
    pub fn rigid_with<M>(&mut self, surface: M, mass: &MassProperties) -> Result<Body, Error>
    where
        M: TryInto<TriMesh>,
        Error: From<M::Error>,
    {
        Ok(self.carry(Carried::with(&surface.try_into()?, mass)?))
    }

    fn carry(&mut self, (mass, places, carried): (f64, [[f64; 3]; 4], Carried)) -> Body {
        let body = self.body("rigid", &places, &[0.25 * mass; 4], &[], Damping::default());
        self.model.bodies[body.index].carried = Some(carried);
        body
    }

    /// Fastens a vertex to a rigid body at the place where both are at the start: each pulls the other.
    pub fn fasten(&mut self, vertex: usize, to: &Body) {
        self.fastened.push(Fastened { vertex, body: to.index });
    }

    /// Adds the elements that hold rigid bodies together and what is fastened to them, now that the time
    /// step is known.
    pub(in crate::build) fn hold_rigid(&mut self) -> Result<(), Error> {
        let h = self.model.time_step;
        let mut held = Elements::projective();
        for body in self.new_bodies() {
            let Some(carried) = &body.carried else { continue };
            let first = body.vertices.start;
            let four = [0, 1, 2, 3].map(|k| (first + k) as u32);
            let (element, _) = TetStrain::new(four.map(|v| self.model.rest[v as usize]), [1.0; 2])?;
            let mass: f64 = self.model.masses[body.vertices.clone()].iter().sum();
            let size = carried.size();
            held.push(four, HOLD * mass * size * size / (h * h), element);
        }
        self.elements(held.pbd_stiffness(Some(1.0)));
        let mut ties = Elements::projective();
        for Fastened { vertex, body } in std::mem::take(&mut self.fastened) {
            let points = self.model.len();
            if vertex >= points {
                return Err(Error::NoSuchVertex { what: "what is fastened", vertex, points });
            }
            let info = &self.model.bodies[body];
            if info.carried.is_none() {
                let problem = format!("{} is not rigid; fasten to a rigid body", info.name);
                return Err(Error::Scene { problem });
            }
            let first = info.vertices.start;
            let four = [0, 1, 2, 3].map(|k| self.model.positions[first + k]);
            let tie = Tie::new(self.model.positions[vertex], four)?;
            let vertices = [vertex, first, first + 1, first + 2, first + 3].map(|v| v as u32);
            let mass = self.model.masses[vertex] + self.model.masses[first];
            let weight = FASTEN * mass / (h * h);
            ties.push(vertices, weight, tie);
        }
        self.elements(ties.pbd_stiffness(Some(1.0)));
        Ok(())
    }
}
