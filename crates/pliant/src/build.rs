//! ModelBuilder: describes a scene, checks it, and builds the model.
//!
//! Every mistake of a user is found here, with the offending index and a remedy; what is built can
//! be simulated.

mod rings;

use std::any::Any;

use crate::Error;
use crate::batch::{AnyElements, Elements};
use crate::damping::Damping;
use crate::elements::{
    Dihedral, EdgeStrain, LaplaceBending, Pin, Spring, TetStrain, TetVolume, TriangleArea,
    TriangleStrain,
};
use crate::linalg::SymmetricMatrix;
use crate::material::{Bend, Fabric, Solid, Springs, Stretch, Thread};
use crate::mesh::measure::{self, distance, triangle_area};
use crate::mesh::topology;
use crate::mesh::{SpringNetwork, StrandMesh, TetMesh, TriMesh};
use crate::model::{BodyInfo, MassModel, Model, PinnedVertex};
use crate::motion::{Motion, Wind};
use rings::Rings;

/// A body of a model under construction: which vertices are its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its place among the bodies.
    pub index: usize,
    first: usize,
    count: usize,
    corners: Vec<u32>,
}

/// Stands for a vertex that a body does not have; refused when the model is built.
const NO_VERTEX: usize = usize::MAX;

impl Body {
    /// The model's number of this body's vertex `i`.
    pub fn vertex(&self, i: usize) -> usize {
        if i < self.count { self.first + i } else { NO_VERTEX }
    }

    /// The model's numbers of all its vertices.
    pub fn vertices(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }

    /// The model's number of a corner that the mesh generator named.
    pub fn corner(&self, i: usize) -> usize {
        self.corners.get(i).map_or(NO_VERTEX, |&c| self.first + c as usize)
    }
}

/// Describes a scene: bodies, pins, forces. The solver is chosen later.
///
/// Gravity is 9.81 m/s² downwards (−y) and the time step 1/60 s unless set.
#[derive(Debug)]
pub struct ModelBuilder {
    model: Model,
    mass_model: MassModel,
    /// Entries of the consistent mass matrix \[kg\].
    mass_entries: Vec<(u32, u32, f64)>,
}

impl Default for ModelBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ModelBuilder {
    /// An empty scene.
    pub fn new() -> Self {
        let model = Model {
            positions: Vec::new(),
            rest: Vec::new(),
            velocities: Vec::new(),
            masses: Vec::new(),
            mass_matrix: None,
            bodies: Vec::new(),
            elements: Vec::new(),
            pins: Vec::new(),
            gravity: [0.0, -9.81, 0.0],
            forces: Vec::new(),
            wind: None,
            time_step: 1.0 / 60.0,
        };
        Self { model, mass_model: MassModel::Lumped, mass_entries: Vec::new() }
    }

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
        self.add_solid(mesh.try_into()?, material)
    }

    fn add_solid(&mut self, mesh: TetMesh, material: Solid) -> Result<Body, Error> {
        mesh.validate()?;
        material.validate()?;
        let masses = measure::tet_masses(&mesh, material.density);
        let body = self.body("solid", &mesh.positions, &masses, &mesh.corners, material.damping);
        let mut strain = Elements::projective();
        let mut volume = Elements::constraint();
        for (t, tet) in mesh.tets.iter().enumerate() {
            let points = mesh.tet_points(t);
            let (element, measure) = TetStrain::new(points, material.limits)?;
            strain.push(*tet, material.strain_weight() * measure, element);
            if material.poisson != 0.0 {
                let (element, measure) = TetVolume::new(points)?;
                volume.push(*tet, material.volume_weight() * measure, element);
            }
            self.spread_mass(&body, tet, material.density * measure);
        }
        let k = material.pbd_stiffness;
        let rate = material.damping.constraint;
        self.own(&body, strain.pbd_stiffness(k.map(|k| k[0])).damping(rate));
        self.own(&body, volume.pbd_stiffness(k.map(|k| k[1])).damping(rate));
        self.surface(&body, &mesh.surface());
        Ok(body)
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
        self.surface(&body, &network.triangles);
        Ok(body)
    }

    /// Adds free vertices with masses \[kg\] and no elements: the ground for elements of your own.
    pub fn points(&mut self, positions: &[[f64; 3]], masses: &[f64]) -> Result<Body, Error> {
        if positions.len() != masses.len() {
            return Err(Error::Quantity {
                name: "points",
                field: "number of masses",
                value: masses.len() as f64,
                remedy: "give one mass for each position",
            });
        }
        Ok(self.body("points", positions, masses, &[], Damping::default()))
    }

    /// Adds elements of any type, by the model's vertex numbers.
    pub fn elements(&mut self, mut elements: impl AnyElements) {
        if elements.is_empty() {
            return;
        }
        for group in &mut self.model.elements {
            let any: &mut dyn Any = elements.as_any_mut();
            if group.append(any) {
                return;
            }
        }
        self.model.elements.push(Box::new(elements));
    }

    /// Adds boxed elements of any type, by the model's vertex numbers.
    pub fn boxed_elements(&mut self, mut elements: Box<dyn AnyElements>) {
        for group in &mut self.model.elements {
            if group.append(elements.as_any_mut()) {
                return;
            }
        }
        self.model.elements.push(elements);
    }

    /// Holds a vertex where it is.
    pub fn pin(&mut self, vertex: usize) {
        self.pin_moving(vertex, Motion::Fixed);
    }

    /// Moves a vertex along a prescribed motion.
    pub fn pin_moving(&mut self, vertex: usize, motion: Motion) {
        // The last word on a vertex counts.
        self.model.pins.retain(|p| p.vertex != vertex);
        self.model.pins.push(PinnedVertex { vertex, motion });
    }

    /// Draws a vertex to a point \[m\] with a spring of a constant [N/m].
    pub fn attach(&mut self, vertex: usize, target: [f64; 3], constant: f64) {
        let mut set = Elements::projective();
        let index = u32::try_from(vertex).unwrap_or(u32::MAX);
        set.push([index], constant, Pin { target });
        self.elements(set);
    }

    /// Sets gravity [m/s²].
    pub fn gravity(&mut self, gravity: [f64; 3]) {
        self.model.gravity = gravity;
    }

    /// Adds a constant force \[N\] to a vertex.
    pub fn force(&mut self, vertex: usize, force: [f64; 3]) -> Result<(), Error> {
        let points = self.model.len();
        if vertex == NO_VERTEX {
            return Err(Error::NoSuchCorner { what: "force" });
        }
        if vertex >= points {
            return Err(Error::NoSuchVertex { what: "a force", vertex, points });
        }
        self.model.forces.resize(points, [0.0; 3]);
        for c in 0..3 {
            self.model.forces[vertex][c] += force[c];
        }
        Ok(())
    }

    /// Sets the wind, which presses on the surfaces of all bodies.
    pub fn wind(&mut self, wind: Wind) {
        self.model.wind = Some(wind);
    }

    /// Sets the time step of a frame \[s\].
    pub fn time_step(&mut self, dt: f64) {
        self.model.time_step = dt;
    }

    /// Sets how masses act.
    pub fn mass_model(&mut self, mass_model: MassModel) {
        self.mass_model = mass_model;
    }

    /// Names a body, for messages and exports.
    pub fn name(&mut self, body: &Body, name: &str) {
        self.model.bodies[body.index].name = name.to_owned();
    }

    /// Where a body's vertices start \[m\]; change them to start away from rest.
    pub fn positions_mut(&mut self, body: &Body) -> &mut [[f64; 3]] {
        &mut self.model.positions[body.vertices()]
    }

    /// A body's velocities at the start [m/s].
    pub fn velocities_mut(&mut self, body: &Body) -> &mut [[f64; 3]] {
        &mut self.model.velocities[body.vertices()]
    }

    /// Checks everything and builds the model.
    pub fn build(self) -> Result<Model, Error> {
        let mut model = self.model;
        let points = model.len();
        if points == 0 {
            return Err(Error::EmptyModel);
        }
        finite("position", &model.positions)?;
        finite("rest position", &model.rest)?;
        finite("velocity", &model.velocities)?;
        finite("force", &model.forces)?;
        if let Some(vertex) = model.masses.iter().position(|&m| !(m > 0.0 && m.is_finite())) {
            return Err(Error::Mass { vertex, mass: model.masses[vertex] });
        }
        if let Some(value) = model.gravity.iter().find(|c| !c.is_finite()) {
            let remedy = "give three finite numbers [m/s²]";
            return Err(Error::Quantity { name: "scene", field: "gravity", value: *value, remedy });
        }
        if model.wind.is_some_and(|w| !w.is_valid()) {
            let remedy = "give finite numbers, a positive period and no negative density or drag";
            return Err(Error::Quantity { name: "scene", field: "wind", value: f64::NAN, remedy });
        }
        crate::simulation::check_time_step(model.time_step)?;
        for pin in &model.pins {
            match pin.vertex {
                NO_VERTEX => return Err(Error::NoSuchCorner { what: "pin" }),
                vertex if vertex >= points => {
                    return Err(Error::NoSuchVertex { what: "a pin", vertex, points });
                }
                vertex if !pin.motion.is_valid() => return Err(Error::BadMotion { vertex }),
                _ => {}
            }
        }
        model.elements.retain(|e| !e.is_empty());
        model.elements.iter().try_for_each(|e| e.validate(points))?;
        if !model.forces.is_empty() {
            model.forces.resize(points, [0.0; 3]);
        }
        if self.mass_model == MassModel::Consistent {
            model.mass_matrix =
                Some(SymmetricMatrix::from_triplets(points, self.mass_entries.into_iter()));
        }
        Ok(model)
    }

    fn body(
        &mut self,
        kind: &str,
        positions: &[[f64; 3]],
        masses: &[f64],
        corners: &[u32],
        damping: Damping,
    ) -> Body {
        let (index, first) = (self.model.bodies.len(), self.model.len());
        let body = Body { index, first, count: positions.len(), corners: corners.to_vec() };
        self.model.positions.extend_from_slice(positions);
        self.model.rest.extend_from_slice(positions);
        self.model.velocities.resize(first + positions.len(), [0.0; 3]);
        self.model.masses.extend_from_slice(masses);
        self.model.bodies.push(BodyInfo {
            name: format!("{kind} {index}"),
            vertices: body.vertices(),
            triangles: Vec::new(),
            uvs: None,
            damping,
        });
        if kind == "strand" || kind == "springs" || kind == "points" {
            let diagonal = masses.iter().enumerate();
            self.mass_entries
                .extend(diagonal.map(|(i, &m)| ((first + i) as u32, (first + i) as u32, m)));
        }
        body
    }

    /// The consistent mass of a simplex with `n` vertices: `m (1 + δ) / (n (n + 1))`.
    fn spread_mass(&mut self, body: &Body, vertices: &[u32], mass: f64) {
        let n = vertices.len() as f64;
        let share = mass / (n * (n + 1.0));
        for &i in vertices {
            for &j in vertices.iter().filter(|&&j| j <= i) {
                let m = if i == j { 2.0 * share } else { share };
                self.mass_entries.push((i + body.first as u32, j + body.first as u32, m));
            }
        }
    }

    fn surface(&mut self, body: &Body, triangles: &[[u32; 3]]) {
        let offset = body.first as u32;
        self.model.bodies[body.index].triangles =
            triangles.iter().map(|t| t.map(|v| v + offset)).collect();
    }

    /// Adds elements given in a body's own vertex numbers.
    fn own(&mut self, body: &Body, mut elements: impl AnyElements) {
        elements.shift(body.first as u32);
        self.elements(elements);
    }
}

fn finite(what: &'static str, values: &[[f64; 3]]) -> Result<(), Error> {
    match values.iter().position(|v| v.iter().any(|c| !c.is_finite())) {
        Some(vertex) => Err(Error::VertexNotFinite { what, vertex }),
        None => Ok(()),
    }
}
