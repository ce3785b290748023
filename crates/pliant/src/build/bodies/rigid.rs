//! Rigid bodies, and vertices attached to them.

use crate::Error;
use crate::batch::Elements;
use crate::build::{Body, ModelBuilder};
use crate::elements::{PointAttachment, TetStrain};
use crate::material::damping::Damping;
use crate::mesh::TriMesh;
use crate::model::rigid_frame::{MassProperties, RigidFrame};

/// Stiffness of the element that holds a rigid body together, relative to inertia over a frame, `m/h²`: as stiff as
/// inertia over a tenth of a frame. The remaining deformation is removed at the end of a substep; with a far stiffer
/// element Projective Dynamics would hardly rotate the body.
const RIGID_STIFFNESS_RATIO: f64 = 100.0;
/// Stiffness of an attachment, relative to inertia over a frame: the inertia of the vertex and of a quarter of the
/// body.
const ATTACHMENT_STIFFNESS_RATIO: f64 = 100.0;

/// A vertex attached to a rigid body.
#[derive(Clone, Copy, Debug)]
pub(in crate::build) struct RigidAttachment {
    vertex: usize,
    body: usize,
}

impl ModelBuilder {
    /// Adds a rigid body: a solid with a closed surface and a density \[kg/m³\]. It moves freely, and contacts and
    /// attachments act on it.
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
    /// assert!((cube.centre_of_mass(&sim)[1] + 0.15).abs() < 2e-3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn rigid<M>(&mut self, surface: M, density: f64) -> Result<Body, Error>
    where
        M: TryInto<TriMesh>,
        Error: From<M::Error>,
    {
        Ok(self.add_rigid(RigidFrame::new(&surface.try_into()?, density)?))
    }

    /// Adds a rigid body of given mass: its surface may be open, and its density need not be uniform.
    pub fn rigid_with_mass<M>(&mut self, surface: M, mass: &MassProperties) -> Result<Body, Error>
    where
        M: TryInto<TriMesh>,
        Error: From<M::Error>,
    {
        Ok(self.add_rigid(RigidFrame::with_mass(&surface.try_into()?, mass)?))
    }

    fn add_rigid(&mut self, (mass, positions, frame): (f64, [[f64; 3]; 4], RigidFrame)) -> Body {
        let body = self.add_body("rigid", &positions, &[0.25 * mass; 4], &[], Damping::default());
        self.model.bodies[body.index].rigid_frame = Some(frame);
        body
    }

    /// Attaches a vertex to a rigid body at their relative position at the start. The attachment acts on both.
    pub fn attach_to_rigid(&mut self, vertex: usize, to: &Body) {
        self.rigid_attachments.push(RigidAttachment { vertex, body: to.index });
    }

    /// Adds the elements that hold rigid bodies together and the attachments, once the time step is known.
    pub(in crate::build) fn attach_rigid_vertices(&mut self) -> Result<(), Error> {
        let h = self.model.time_step;
        let mut strain = Elements::projective();
        for body in self.new_bodies() {
            let Some(frame) = &body.rigid_frame else { continue };
            let first = body.vertices.start;
            let four = [0, 1, 2, 3].map(|k| (first + k) as u32);
            let (element, _) =
                TetStrain::new(four.map(|v| self.model.rest_positions[v as usize]), [1.0; 2])?;
            let mass: f64 = self.model.masses[body.vertices.clone()].iter().sum();
            let size = frame.radius_of_gyration();
            strain.push(four, RIGID_STIFFNESS_RATIO * mass * size * size / (h * h), element);
        }
        self.elements(strain.pbd_stiffness(Some(1.0)));
        let mut attachments = Elements::projective();
        for RigidAttachment { vertex, body } in std::mem::take(&mut self.rigid_attachments) {
            let points = self.model.len();
            if vertex >= points {
                return Err(Error::NoSuchVertex { what: "an attachment", vertex, points });
            }
            let info = &self.model.bodies[body];
            if info.rigid_frame.is_none() {
                let problem = format!("{} is not a rigid body; attach to a rigid body", info.name);
                return Err(Error::Scene { problem });
            }
            let first = info.vertices.start;
            let four = [0, 1, 2, 3].map(|k| self.model.positions[first + k]);
            let attachment = PointAttachment::new(self.model.positions[vertex], four)?;
            let vertices = [vertex, first, first + 1, first + 2, first + 3].map(|v| v as u32);
            let mass = self.model.masses[vertex] + self.model.masses[first];
            let weight = ATTACHMENT_STIFFNESS_RATIO * mass / (h * h);
            attachments.push(vertices, weight, attachment);
        }
        self.elements(attachments.pbd_stiffness(Some(1.0)));
        Ok(())
    }
}
