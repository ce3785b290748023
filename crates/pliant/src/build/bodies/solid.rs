//! Deformable solids.

use crate::Error;
use crate::batch::{BodyExamples, Clusters, Elements};
use crate::build::bodies::relative_stiffness;
use crate::build::{Body, ModelBuilder};
use crate::elements::{
    FiberStrain, ShapeMatching, TetCorotationalVolume, TetExample, TetGreen, TetNeoHookean,
    TetPlastic, TetStrain, TetVolume,
};
use crate::material::{ShapeClusters, Solid, Stiffening, Strain, StrainComponents};
use crate::mesh::{TetMesh, measure, topology};
use crate::model::strain_limit::BodyLimits;

/// Example shapes of a solid: they and the shapes between them cost no energy.
#[derive(Clone, Debug, PartialEq)]
pub struct Examples {
    /// One to [`MAX_EXAMPLES`](crate::elements::MAX_EXAMPLES) shapes: the positions of all vertices of the mesh \[m\].
    /// Translation and rotation of a shape have no effect.
    pub shapes: Vec<Vec<[f64; 3]>>,
    /// Smallest and largest weight of an example; at a weight of 1 the rest shape is the example.
    pub range: [f64; 2],
    /// True if the whole body shares the example weights, instead of separate weights for each tetrahedron.
    pub whole_body: bool,
}

impl Examples {
    /// Makes examples with weights from 0 to 1, separate for each tetrahedron.
    pub fn new(shapes: Vec<Vec<[f64; 3]>>) -> Self {
        Self { shapes, range: [0.0, 1.0], whole_body: false }
    }

    /// Makes the whole body share the example weights.
    pub fn whole_body(self) -> Self {
        Self { whole_body: true, ..self }
    }
}

/// Data that differ between the tetrahedra of a solid.
#[derive(Clone, Copy)]
enum StrainSource<'a> {
    /// Material axes of each tetrahedron, or none if they are the same in all.
    MaterialFrames(&'a [[[f64; 3]; 3]]),
    Examples(&'a Examples),
}

impl ModelBuilder {
    /// Adds a deformable solid.
    pub fn solid<M>(&mut self, mesh: M, material: Solid) -> Result<Body, Error>
    where
        M: TryInto<TetMesh>,
        Error: From<M::Error>,
    {
        self.add_solid(mesh.try_into()?, material, StrainSource::MaterialFrames(&[]))
    }

    /// Adds a solid whose stiffness by components of Green's strain has separate material axes in every tetrahedron
    /// (Strain Based Dynamics §3.6): fibres of a muscle, the layers of a skin. `frames` holds three orthonormal vectors
    /// for each tetrahedron.
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
        let is_valid =
            frames.len() == mesh.tets.len() && matches!(material.strain, Strain::Components(_));
        if !is_valid {
            let problem = format!(
                "there are {} frames for {} tetrahedra; use one frame per tetrahedron, and a \
                 material with Strain::Components",
                frames.len(),
                mesh.tets.len()
            );
            return Err(Error::Scene { problem });
        }
        self.add_solid(mesh, material, StrainSource::MaterialFrames(frames))
    }

    /// Adds a solid that may deform towards examples at no cost (Projective Dynamics §5.3). The example elements
    /// replace strain and volume: Poisson's ratio affects the modulus alone.
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
            let problem = "a solid with examples cannot have limits, strain components, shape \
                matching or plasticity; remove them";
            return Err(Error::Scene { problem: problem.to_owned() });
        }
        for (i, shape) in examples.shapes.iter().enumerate() {
            let finite = shape.iter().flatten().all(|c| c.is_finite());
            if shape.len() != mesh.positions.len() || !finite {
                let problem = format!(
                    "example {i} has {} positions, the mesh {} vertices{}; an example must be a \
                     finite deformation of the mesh",
                    shape.len(),
                    mesh.positions.len(),
                    if finite { "" } else { ", some of them not finite" }
                );
                return Err(Error::Scene { problem });
            }
        }
        self.add_solid(mesh, material, StrainSource::Examples(examples))
    }

    fn add_solid(
        &mut self,
        mesh: TetMesh,
        material: Solid,
        strain_source: StrainSource,
    ) -> Result<Body, Error> {
        mesh.validate()?;
        material.validate()?;
        let masses = measure::tet_masses(&mesh, material.density);
        let body =
            self.add_body("solid", &mesh.positions, &masses, &mesh.corners, material.damping);
        for (t, tet) in mesh.tets.iter().enumerate() {
            let (_, measure) = TetVolume::new(mesh.tet_points(t))?;
            self.add_consistent_mass(&body, tet, material.density * measure);
        }
        match (strain_source, material.strain) {
            (StrainSource::Examples(examples), _) => {
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
            (StrainSource::MaterialFrames(frames), Strain::Components(entries)) => {
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
            self.model.strain_limits.push(BodyLimits::new(
                body.vertices().start as u32,
                limit,
                &mesh.positions,
                &edges,
                &[],
            ));
        }
        self.set_surface(&body, &mesh.surface());
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
        self.add_body_elements(body, elastic.pbd_stiffness(k).damping(rate));
        self.add_body_elements(body, plastic.pbd_stiffness(k).damping(rate));
        Ok(())
    }

    /// Adds volume elements for Poisson's ratio; none if it is zero.
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
            element.disabled_near_inversion = material.strain == Strain::Isotropic;
            set.push(*tet, material.volume_weight() * volume, element);
        }
        let k = material.pbd_stiffness.map(|k| k[1]);
        self.add_body_elements(body, set.pbd_stiffness(k).damping(material.damping.constraint));
        Ok(())
    }

    /// Adds trace elements (sum of the stretches) for Poisson's ratio; none if it is zero.
    fn solid_trace(&mut self, body: &Body, mesh: &TetMesh, material: &Solid) -> Result<(), Error> {
        let mut set = Elements::projective();
        for (t, tet) in mesh.tets.iter().enumerate().filter(|_| material.poisson != 0.0) {
            let (element, volume) = TetCorotationalVolume::new(mesh.tet_points(t))?;
            set.push(*tet, 3.0 * material.volume_weight() * volume, element);
        }
        let k = material.pbd_stiffness.map(|k| k[1]);
        self.add_body_elements(body, set.pbd_stiffness(k).damping(material.damping.constraint));
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
        self.add_body_elements(body, set.pbd_stiffness(k).damping(material.damping.constraint));
        Ok(())
    }

    /// Adds the second phase and the fibres.
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
            self.add_body_elements(body, set.pbd_stiffness(k).damping(rate));
        }
        if let Some(fibers) = material.fibers {
            let mut set = Elements::projective();
            for (t, tet) in mesh.tets.iter().enumerate() {
                let (direction, limits) = (fibers.direction, fibers.limits);
                let (element, measure) =
                    FiberStrain::in_tet(mesh.tet_points(t), direction, limits)?;
                set.push(*tet, fibers.young * measure, element);
            }
            self.add_body_elements(body, set.pbd_stiffness(k).damping(rate));
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
            if examples.whole_body {
                together.push(*tet, weight, element);
            } else {
                alone.push(*tet, weight, element);
            }
        }
        let k = material.pbd_stiffness.map(|k| k[0]);
        let rate = material.damping.constraint;
        self.add_body_elements(body, alone.pbd_stiffness(k).damping(rate));
        self.add_body_elements(body, together.pbd_stiffness(k).damping(rate));
        Ok(())
    }

    /// Adds one cluster around each vertex. Its stiffness is chosen so that a uniform stretch of the cluster costs the
    /// energy that the modulus gives for the volume of the central vertex.
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
        self.add_body_elements(body, set.pbd_stiffness(k).damping(material.damping.constraint));
    }

    fn solid_entries(
        &mut self,
        body: &Body,
        mesh: &TetMesh,
        material: &Solid,
        entries: &StrainComponents,
        frames: &[[[f64; 3]; 3]],
    ) -> Result<(), Error> {
        let (stiffest, shares) = relative_stiffness(material.component_stiffness(entries));
        let mut strain = Elements::constraint();
        for (t, tet) in mesh.tets.iter().enumerate() {
            let frame = frames.get(t).copied().unwrap_or(entries.frame);
            let (stretches, measure) = (entries.stretches, entries.measure);
            let (element, volume) =
                TetGreen::new(mesh.tet_points(t), frame, stretches, shares, measure)?;
            strain.push(*tet, stiffest * volume, element);
        }
        let k = material.pbd_stiffness.map(|k| k[0]);
        self.add_body_elements(body, strain.pbd_stiffness(k).damping(material.damping.constraint));
        Ok(())
    }
}
