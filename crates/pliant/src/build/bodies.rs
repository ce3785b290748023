//! Bodies from meshes: which elements a cloth, a solid, a strand or a spring network is made of.

use super::rings::Rings;
use super::{Body, ModelBuilder};
use crate::Error;
use crate::batch::Elements;
use crate::elements::{
    Dihedral, EdgeStrain, LaplaceBending, Spring, TetGreen, TetStrain, TetVolume, TriangleArea,
    TriangleGreen, TriangleStrain, warp_direction,
};
use crate::material::{
    Bend, Fabric, Solid, Springs, Strain, StrainEntries, Stretch, Thread, Weave,
};
use crate::mesh::measure::{self, distance, triangle_area};
use crate::mesh::topology;
use crate::mesh::{SpringKind, SpringNetwork, StrandMesh, TetMesh, TriMesh};
use crate::strain_limit::BodyLimits;

impl ModelBuilder {
    /// Adds a cloth, shell or sheet.
    pub fn cloth<M>(&mut self, mesh: M, fabric: Fabric) -> Result<Body, Error>
    where
        M: TryInto<TriMesh>,
        Error: From<M::Error>,
    {
        self.add_cloth(mesh.try_into()?, fabric)
    }

    fn add_cloth(&mut self, mesh: TriMesh, fabric: Fabric) -> Result<Body, Error> {
        mesh.validate()?;
        fabric.validate()?;
        let masses = measure::triangle_masses(&mesh, fabric.density);
        let body = self.body("cloth", &mesh.positions, &masses, &mesh.corners, fabric.damping);
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            self.spread_mass(
                &body,
                triangle,
                fabric.density * triangle_area(mesh.triangle_points(t)),
            );
        }
        self.cloth_stretch(&body, &mesh, &fabric)?;
        self.cloth_bend(&body, &mesh, &fabric);
        if let Some(limit) = fabric.strain_limit {
            let edges = topology::edges(&mesh);
            let limits = BodyLimits::new(&body, limit, &mesh.positions, &edges, &mesh.triangles);
            self.model.limits.push(limits);
        }
        self.surface(&body, &mesh.triangles);
        self.model.bodies[body.index].uvs = mesh.uvs;
        Ok(body)
    }

    fn cloth_stretch(&mut self, body: &Body, mesh: &TriMesh, fabric: &Fabric) -> Result<(), Error> {
        let k = fabric.pbd_stiffness.map(|k| k[0]);
        let rate = fabric.damping.constraint;
        if fabric.stretch == Stretch::Edges {
            let mut set = Elements::projective();
            let edges = topology::edges(mesh);
            let mut share = vec![0.0; edges.len()];
            for (t, triangle) in mesh.triangles.iter().enumerate() {
                let area = triangle_area(mesh.triangle_points(t));
                for i in 0..3 {
                    let (a, b) = (triangle[i], triangle[(i + 1) % 3]);
                    if let Ok(e) = edges.binary_search(&[a.min(b), a.max(b)]) {
                        share[e] += area;
                    }
                }
            }
            for (edge, area) in edges.iter().zip(share) {
                let [a, b] = edge.map(|v| mesh.positions[v as usize]);
                let element = EdgeStrain { length: distance(a, b), limits: fabric.limits };
                set.push(*edge, fabric.edge_weight(area), element);
            }
            self.own(body, set.pbd_stiffness(k).damping(rate));
            return Ok(());
        }
        if let Stretch::Woven(weave) = fabric.stretch {
            return self.cloth_weave(body, mesh, fabric, &weave);
        }
        let mut strain = Elements::projective();
        let mut area = Elements::constraint();
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let points = mesh.triangle_points(t);
            let (element, measure) = TriangleStrain::new(points, fabric.limits)?;
            strain.push(*triangle, fabric.strain_weight() * measure, element);
            if fabric.poisson != 0.0 {
                let (element, measure) = TriangleArea::new(points)?;
                area.push(*triangle, fabric.area_weight() * measure, element);
            }
        }
        self.own(body, strain.pbd_stiffness(k).damping(rate));
        self.own(body, area.pbd_stiffness(k).damping(rate));
        Ok(())
    }

    fn cloth_weave(
        &mut self,
        body: &Body,
        mesh: &TriMesh,
        fabric: &Fabric,
        weave: &Weave,
    ) -> Result<(), Error> {
        let (stiffest, shares) = shares_of(fabric.weave_stiffness(weave));
        let mut strain = Elements::constraint();
        let mut area = Elements::constraint();
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let points = mesh.triangle_points(t);
            let warp = mesh
                .uvs
                .as_ref()
                .and_then(|uvs| warp_direction(points, triangle.map(|v| uvs[v as usize])));
            let (element, measure) =
                TriangleGreen::new(points, warp, weave.stretches, shares, weave.measure)?;
            strain.push(*triangle, stiffest * measure, element);
            if fabric.poisson != 0.0 {
                let (mut element, measure) = TriangleArea::new(points)?;
                element.ratio = weave.stretches.iter().product();
                area.push(*triangle, fabric.area_weight() * measure, element);
            }
        }
        let k = fabric.pbd_stiffness.map(|k| k[0]);
        let rate = fabric.damping.constraint;
        self.own(body, strain.pbd_stiffness(k).damping(rate));
        self.own(body, area.pbd_stiffness(k).damping(rate));
        Ok(())
    }

    fn cloth_bend(&mut self, body: &Body, mesh: &TriMesh, fabric: &Fabric) {
        let k = fabric.pbd_stiffness.map(|k| k[1]);
        let rate = fabric.damping.constraint;
        match fabric.bend {
            _ if fabric.bending == 0.0 => {}
            Bend::Limp => {}
            Bend::Dihedral => {
                let mut set = Elements::constraint();
                for hinge in topology::hinges(mesh) {
                    let [a, b] = hinge.edge.map(|v| mesh.positions[v as usize]);
                    let area: f64 = hinge
                        .triangles
                        .iter()
                        .map(|&t| triangle_area(mesh.triangle_points(t as usize)))
                        .sum();
                    let v = [hinge.opposite[0], hinge.opposite[1], hinge.edge[0], hinge.edge[1]];
                    let rest = v.map(|v| mesh.positions[v as usize]);
                    set.push(v, fabric.hinge_weight(distance(a, b), area), Dihedral::new(rest));
                }
                self.own(body, set.pbd_stiffness(k).damping(rate));
            }
            Bend::MeanCurvature => {
                let mut rings = Rings::default();
                for stencil in measure::laplace_stencils(mesh) {
                    let y = stencil.apply(&mesh.positions);
                    let curvature = distance(y, [0.0; 3]);
                    rings.push(
                        &stencil.vertices,
                        fabric.bending * stencil.area,
                        stencil.coefficients,
                        curvature,
                    );
                }
                rings.finish(self, body, k, rate);
            }
        }
    }

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
        Ok(body)
    }

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
        let body = self.body("springs", x, &masses, &network.corners, material.damping);
        let set = set.pbd_stiffness(material.pbd_stiffness).damping(material.damping.constraint);
        self.own(&body, set);
        if let Some(limit) = material.strain_limit {
            // Springs against bending are meant to shorten in a fold.
            let stretching = network.springs.iter().zip(&network.kinds);
            let edges: Vec<[u32; 2]> = stretching
                .filter(|(_, kind)| **kind != SpringKind::Bend)
                .map(|(s, _)| *s)
                .collect();
            self.model.limits.push(BodyLimits::new(&body, limit, x, &edges, &network.triangles));
        }
        self.surface(&body, &network.triangles);
        Ok(body)
    }
}

/// The largest of several stiffnesses, and each as a share of it, so that PBD's stiffness of the
/// stiffest is the user's.
fn shares_of<const M: usize>(stiffness: [f64; M]) -> (f64, [f64; M]) {
    let stiffest = stiffness.iter().copied().fold(0.0, f64::max);
    let share = |k: f64| if stiffest > 0.0 { k / stiffest } else { 0.0 };
    (stiffest, stiffness.map(share))
}
