//! Soft solids.

use super::shares_of;
use crate::Error;
use crate::batch::{BodyExamples, Clusters, Elements};
use crate::build::{Body, ModelBuilder};
use crate::elements::{
    FiberStrain, ShapeMatching, TetExample, TetGreen, TetNeoHookean, TetPlastic, TetStrain,
    TetTrace, TetVolume,
};
use crate::material::{ShapeClusters, Solid, Stiffening, Strain, StrainEntries};
use crate::mesh::{TetMesh, measure, topology};
use crate::strain_limit::BodyLimits;

/// Shapes that a solid may take at no cost, and those between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Examples {
    /// One to [`MOST_EXAMPLES`](crate::elements::MOST_EXAMPLES) shapes: the positions of all vertices
    /// of the mesh \[m\]. Where they are and how they are turned does not count.
    pub shapes: Vec<Vec<[f64; 3]>>,
    /// Least and largest weight of an example; a weight of 1 is its shape.
    pub range: [f64; 2],
    /// Whether the whole body follows the examples alike, instead of each tetrahedron on its own.
    pub together: bool,
}

impl Examples {
    /// Examples with weights from 0 to 1, followed by each tetrahedron on its own.
    pub fn new(shapes: Vec<Vec<[f64; 3]>>) -> Self {
        Self { shapes, range: [0.0, 1.0], together: false }
    }

    /// The same, followed by the whole body alike.
    pub fn together(self) -> Self {
        Self { together: true, ..self }
    }
}

/// What a solid's tetrahedra have of their own.
#[derive(Clone, Copy)]
enum Strained<'a> {
    /// Material axes, or none where all have the same.
    Alike(&'a [[[f64; 3]; 3]]),
    Examples(&'a Examples),
}

impl ModelBuilder {
    /// Adds a soft solid.
    pub fn solid<M>(&mut self, mesh: M, material: Solid) -> Result<Body, Error>
    where
        M: TryInto<TetMesh>,
        Error: From<M::Error>,
    {
        self.add_solid(mesh.try_into()?, material, Strained::Alike(&[]))
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
        self.add_solid(mesh, material, Strained::Alike(frames))
    }

    /// Adds a soft solid that may deform towards examples at no cost (Projective Dynamics §5.3). They
    /// take the place of strain and volume: Poisson's ratio acts on the modulus alone.
    pub fn solid_with_examples<M>(
        &mut self,
        mesh: M,
        material: Solid,
        examples: &Examples,
    ) -> Result<Body, Error>
    where
        M: TryInto<TetMesh>,
        Error: From<M::Error>,
    {
        let mesh = mesh.try_into()?;
        let plain = material.strain == Strain::Isotropic && material.plasticity.is_none();
        if !plain || material.limits != [1.0; 2] {
            let problem = "a solid with examples has a strain of its own; leave out limits, \
                           entries, shapes and plasticity";
            return Err(Error::Scene { problem: problem.to_owned() });
        }
        for (i, shape) in examples.shapes.iter().enumerate() {
            let finite = shape.iter().flatten().all(|c| c.is_finite());
            if shape.len() != mesh.positions.len() || !finite {
                let problem = format!(
                    "example {i} has {} positions for the {} vertices of the mesh{}; give the same \
                     mesh in another shape",
                    shape.len(),
                    mesh.positions.len(),
                    if finite { "" } else { ", some of them not finite" }
                );
                return Err(Error::Scene { problem });
            }
        }
        self.add_solid(mesh, material, Strained::Examples(examples))
    }

    fn add_solid(
        &mut self,
        mesh: TetMesh,
        material: Solid,
        strained: Strained,
    ) -> Result<Body, Error> {
        mesh.validate()?;
        material.validate()?;
        let masses = measure::tet_masses(&mesh, material.density);
        let body = self.body("solid", &mesh.positions, &masses, &mesh.corners, material.damping);
        for (t, tet) in mesh.tets.iter().enumerate() {
            let (_, measure) = TetVolume::new(mesh.tet_points(t))?;
            self.spread_mass(&body, tet, material.density * measure);
        }
        match (strained, material.strain) {
            (Strained::Examples(examples), _) => {
                self.solid_examples(&body, &mesh, &material, examples)?;
            }
            (_, Strain::Isotropic) => {
                self.solid_strain(&body, &mesh, &material)?;
                self.solid_volume(&body, &mesh, &material, 1.0)?;
            }
            (_, Strain::Corotational) => {
                self.solid_strain(&body, &mesh, &material)?;
                self.solid_trace(&body, &mesh, &material)?;
            }
            (_, Strain::NeoHookean) => self.solid_neo_hookean(&body, &mesh, &material)?,
            (Strained::Alike(frames), Strain::Entries(entries)) => {
                self.solid_entries(&body, &mesh, &material, &entries, frames)?;
                let ratio = entries.stretches.iter().product();
                self.solid_volume(&body, &mesh, &material, ratio)?;
            }
            (_, Strain::Shapes(clusters)) => {
                self.solid_shapes(&body, &mesh, &material, &masses, clusters);
                self.solid_volume(&body, &mesh, &material, 1.0)?;
            }
        }
        self.solid_extras(&body, &mesh, &material)?;
        if let Some(limit) = material.strain_limit {
            let edges = topology::tet_edges(&mesh);
            self.model.limits.push(BodyLimits::new(&body, limit, &mesh.positions, &edges, &[]));
        }
        self.surface(&body, &mesh.surface());
        Ok(body)
    }

    fn solid_strain(&mut self, body: &Body, mesh: &TetMesh, material: &Solid) -> Result<(), Error> {
        let mut elastic = Elements::projective();
        let mut plastic = Elements::projective();
        for (t, tet) in mesh.tets.iter().enumerate() {
            let points = mesh.tet_points(t);
            if let Some(plasticity) = material.plasticity {
                let (element, measure) = TetPlastic::new(points, plasticity)?;
                plastic.push(*tet, material.strain_weight() * measure, element);
            } else {
                let (element, measure) = TetStrain::new(points, material.limits)?;
                elastic.push(*tet, material.strain_weight() * measure, element);
            }
        }
        let k = material.pbd_stiffness.map(|k| k[0]);
        let rate = material.damping.constraint;
        self.own(body, elastic.pbd_stiffness(k).damping(rate));
        self.own(body, plastic.pbd_stiffness(k).damping(rate));
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

    /// A second phase and fibres.
    fn solid_extras(&mut self, body: &Body, mesh: &TetMesh, material: &Solid) -> Result<(), Error> {
        let k = material.pbd_stiffness.map(|k| k[0]);
        let rate = material.damping.constraint;
        if let Some(Stiffening { limits, young }) = material.stiffening {
            let weight = Solid { young, ..*material }.strain_weight();
            let mut set = Elements::projective();
            for (t, tet) in mesh.tets.iter().enumerate() {
                let (element, measure) = TetStrain::new(mesh.tet_points(t), limits)?;
                set.push(*tet, weight * measure, element);
            }
            self.own(body, set.pbd_stiffness(k).damping(rate));
        }
        if let Some(fibers) = material.fibers {
            let mut set = Elements::projective();
            for (t, tet) in mesh.tets.iter().enumerate() {
                let (direction, limits) = (fibers.direction, fibers.limits);
                let (element, measure) =
                    FiberStrain::in_tet(mesh.tet_points(t), direction, limits)?;
                set.push(*tet, fibers.young * measure, element);
            }
            self.own(body, set.pbd_stiffness(k).damping(rate));
        }
        Ok(())
    }

    fn solid_examples(
        &mut self,
        body: &Body,
        mesh: &TetMesh,
        material: &Solid,
        examples: &Examples,
    ) -> Result<(), Error> {
        let mut alone = Elements::projective();
        let mut together = BodyExamples::new();
        for (t, tet) in mesh.tets.iter().enumerate() {
            let shapes: Vec<[[f64; 3]; 4]> =
                examples.shapes.iter().map(|x| tet.map(|v| x[v as usize])).collect();
            let (element, measure) = TetExample::new(mesh.tet_points(t), &shapes, examples.range)?;
            let weight = material.strain_weight() * measure;
            if examples.together {
                together.push(*tet, weight, element);
            } else {
                alone.push(*tet, weight, element);
            }
        }
        let k = material.pbd_stiffness.map(|k| k[0]);
        let rate = material.damping.constraint;
        self.own(body, alone.pbd_stiffness(k).damping(rate));
        self.own(body, together.pbd_stiffness(k).damping(rate));
        Ok(())
    }

    /// One cluster around each vertex. A cluster's stiffness makes a stretch of all its vertices cost
    /// what the modulus says of the volume that its vertex stands for.
    fn solid_shapes(
        &mut self,
        body: &Body,
        mesh: &TetMesh,
        material: &Solid,
        masses: &[f64],
        clusters: ShapeClusters,
    ) {
        let mut neighbors = vec![Vec::new(); mesh.positions.len()];
        for [a, b] in topology::tet_edges(mesh) {
            neighbors[a as usize].push(b);
            neighbors[b as usize].push(a);
        }
        let mut set = Clusters::new();
        let mut seen = vec![u32::MAX; mesh.positions.len()];
        for v in 0..mesh.positions.len() as u32 {
            let mut vertices = vec![v];
            seen[v as usize] = v;
            let mut ring = 0..1;
            for _ in 0..clusters.rings {
                for i in ring.clone() {
                    for &n in &neighbors[vertices[i] as usize] {
                        if seen[n as usize] != v {
                            seen[n as usize] = v;
                            vertices.push(n);
                        }
                    }
                }
                ring = ring.end..vertices.len();
            }
            let rest: Vec<[f64; 3]> =
                vertices.iter().map(|&v| mesh.positions[v as usize]).collect();
            let share: Vec<f64> = vertices.iter().map(|&v| masses[v as usize]).collect();
            let cluster = ShapeMatching::new(&rest, &share);
            let volume = masses[v as usize] / material.density;
            set.push(vertices, material.young * volume / cluster.spread(), cluster);
        }
        let k = material.pbd_stiffness.map(|k| k[0]);
        self.own(body, set.pbd_stiffness(k).damping(material.damping.constraint));
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
