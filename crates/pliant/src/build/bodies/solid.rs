//! Soft solids.

use super::shares_of;
use crate::Error;
use crate::batch::Elements;
use crate::build::{Body, ModelBuilder};
use crate::elements::{TetGreen, TetStrain, TetVolume};
use crate::material::{Solid, Strain, StrainEntries};
use crate::mesh::{TetMesh, measure, topology};
use crate::strain_limit::BodyLimits;

impl ModelBuilder {
    /// Adds a soft solid.
    pub fn solid<M>(&mut self, mesh: M, material: Solid) -> Result<Body, Error>
    where
        M: TryInto<TetMesh>,
        Error: From<M::Error>,
    {
        self.add_solid(mesh.try_into()?, material, &[])
    }

    /// Adds a soft solid whose stiffness by entries of Green's strain has axes of its own in every
    /// tetrahedron (Strain Based Dynamics §3.6): fibres of a muscle, the layers of a skin. `frames`
    /// holds three unit vectors at right angles for each tetrahedron.
    pub fn solid_with_frames<M>(
        &mut self,
        mesh: M,
        material: Solid,
        frames: &[[[f64; 3]; 3]],
    ) -> Result<Body, Error>
    where
        M: TryInto<TetMesh>,
        Error: From<M::Error>,
    {
        let mesh = mesh.try_into()?;
        let sane = frames.len() == mesh.tets.len() && matches!(material.strain, Strain::Entries(_));
        if !sane {
            let problem = format!(
                "there are {} frames for {} tetrahedra; give one for each, and a solid with \
                 Strain::Entries",
                frames.len(),
                mesh.tets.len()
            );
            return Err(Error::Scene { problem });
        }
        self.add_solid(mesh, material, frames)
    }

    fn add_solid(
        &mut self,
        mesh: TetMesh,
        material: Solid,
        frames: &[[[f64; 3]; 3]],
    ) -> Result<Body, Error> {
        mesh.validate()?;
        material.validate()?;
        let masses = measure::tet_masses(&mesh, material.density);
        let body = self.body("solid", &mesh.positions, &masses, &mesh.corners, material.damping);
        let k = material.pbd_stiffness;
        let rate = material.damping.constraint;
        let mut volume = Elements::constraint();
        let ratio = match material.strain {
            Strain::Isotropic => {
                let mut strain = Elements::projective();
                for (t, tet) in mesh.tets.iter().enumerate() {
                    let (element, measure) = TetStrain::new(mesh.tet_points(t), material.limits)?;
                    strain.push(*tet, material.strain_weight() * measure, element);
                }
                self.own(&body, strain.pbd_stiffness(k.map(|k| k[0])).damping(rate));
                1.0
            }
            Strain::Entries(entries) => {
                self.solid_entries(&body, &mesh, &material, &entries, frames)?;
                entries.stretches.iter().product()
            }
        };
        for (t, tet) in mesh.tets.iter().enumerate() {
            let (mut element, measure) = TetVolume::new(mesh.tet_points(t))?;
            if material.poisson != 0.0 {
                element.ratio = ratio;
                element.yields = material.strain == Strain::Isotropic;
                volume.push(*tet, material.volume_weight() * measure, element);
            }
            self.spread_mass(&body, tet, material.density * measure);
        }
        self.own(&body, volume.pbd_stiffness(k.map(|k| k[1])).damping(rate));
        if let Some(limit) = material.strain_limit {
            let edges = topology::tet_edges(&mesh);
            self.model.limits.push(BodyLimits::new(&body, limit, &mesh.positions, &edges, &[]));
        }
        self.surface(&body, &mesh.surface());
        Ok(body)
    }

    fn solid_entries(
        &mut self,
        body: &Body,
        mesh: &TetMesh,
        material: &Solid,
        entries: &StrainEntries,
        frames: &[[[f64; 3]; 3]],
    ) -> Result<(), Error> {
        let (stiffest, shares) = shares_of(material.entry_stiffness(entries));
        let mut strain = Elements::constraint();
        for (t, tet) in mesh.tets.iter().enumerate() {
            let frame = frames.get(t).copied().unwrap_or(entries.frame);
            let (stretches, measure) = (entries.stretches, entries.measure);
            let (element, volume) =
                TetGreen::new(mesh.tet_points(t), frame, stretches, shares, measure)?;
            strain.push(*tet, stiffest * volume, element);
        }
        let k = material.pbd_stiffness.map(|k| k[0]);
        self.own(body, strain.pbd_stiffness(k).damping(material.damping.constraint));
        Ok(())
    }
}
