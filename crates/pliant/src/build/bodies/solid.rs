//! Soft solids.

use super::shares_of;
use crate::Error;
use crate::batch::Elements;
use crate::build::{Body, ModelBuilder};
use crate::elements::{TetGreen, TetNeoHookean, TetStrain, TetTrace, TetVolume};
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
        for (t, tet) in mesh.tets.iter().enumerate() {
            let (_, measure) = TetVolume::new(mesh.tet_points(t))?;
            self.spread_mass(&body, tet, material.density * measure);
        }
        match material.strain {
            Strain::Isotropic => {
                self.solid_strain(&body, &mesh, &material)?;
                self.solid_volume(&body, &mesh, &material, 1.0)?;
            }
            Strain::Corotational => {
                self.solid_strain(&body, &mesh, &material)?;
                self.solid_trace(&body, &mesh, &material)?;
            }
            Strain::NeoHookean => self.solid_neo_hookean(&body, &mesh, &material)?,
            Strain::Entries(entries) => {
                self.solid_entries(&body, &mesh, &material, &entries, frames)?;
                let ratio = entries.stretches.iter().product();
                self.solid_volume(&body, &mesh, &material, ratio)?;
            }
        }
        if let Some(limit) = material.strain_limit {
            let edges = topology::tet_edges(&mesh);
            self.model.limits.push(BodyLimits::new(&body, limit, &mesh.positions, &edges, &[]));
        }
        self.surface(&body, &mesh.surface());
        Ok(body)
    }

    fn solid_strain(&mut self, body: &Body, mesh: &TetMesh, material: &Solid) -> Result<(), Error> {
        let mut strain = Elements::projective();
        for (t, tet) in mesh.tets.iter().enumerate() {
            let (element, volume) = TetStrain::new(mesh.tet_points(t), material.limits)?;
            strain.push(*tet, material.strain_weight() * volume, element);
        }
        let k = material.pbd_stiffness.map(|k| k[0]);
        self.own(body, strain.pbd_stiffness(k).damping(material.damping.constraint));
        Ok(())
    }

    /// Poisson's ratio by the volume; none where it is zero.
    fn solid_volume(
        &mut self,
        body: &Body,
        mesh: &TetMesh,
        material: &Solid,
        ratio: f64,
    ) -> Result<(), Error> {
        let mut set = Elements::constraint();
        for (t, tet) in mesh.tets.iter().enumerate().filter(|_| material.poisson != 0.0) {
            let (mut element, volume) = TetVolume::new(mesh.tet_points(t))?;
            element.ratio = ratio;
            element.yields = material.strain == Strain::Isotropic;
            set.push(*tet, material.volume_weight() * volume, element);
        }
        let k = material.pbd_stiffness.map(|k| k[1]);
        self.own(body, set.pbd_stiffness(k).damping(material.damping.constraint));
        Ok(())
    }

    /// Poisson's ratio by the sum of the stretches; none where it is zero.
    fn solid_trace(&mut self, body: &Body, mesh: &TetMesh, material: &Solid) -> Result<(), Error> {
        let mut set = Elements::projective();
        for (t, tet) in mesh.tets.iter().enumerate().filter(|_| material.poisson != 0.0) {
            let (element, volume) = TetTrace::new(mesh.tet_points(t))?;
            set.push(*tet, 3.0 * material.volume_weight() * volume, element);
        }
        let k = material.pbd_stiffness.map(|k| k[1]);
        self.own(body, set.pbd_stiffness(k).damping(material.damping.constraint));
        Ok(())
    }

    fn solid_neo_hookean(
        &mut self,
        body: &Body,
        mesh: &TetMesh,
        material: &Solid,
    ) -> Result<(), Error> {
        let lambda = 2.0 * material.poisson / (1.0 - 2.0 * material.poisson);
        let mut set = Elements::hyperelastic();
        for (t, tet) in mesh.tets.iter().enumerate() {
            let (element, volume) = TetNeoHookean::new(mesh.tet_points(t), lambda)?;
            set.push(*tet, material.shear_weight() * volume, element);
        }
        let k = material.pbd_stiffness.map(|k| k[0]);
        self.own(body, set.pbd_stiffness(k).damping(material.damping.constraint));
        Ok(())
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
