//! Cloth, shells and sheets.

use crate::Error;
use crate::batch::Elements;
use crate::build::bodies::relative_stiffness;
use crate::build::rings::Rings;
use crate::build::tethers::BodyTethers;
use crate::build::{Body, ModelBuilder};
use crate::elements::{
    Dihedral, EdgePlastic, EdgeStrain, FiberStrain, TriangleArea, TriangleGreen, TrianglePlastic,
    TriangleStrain, warp_direction,
};
use crate::material::{Bend, Fabric, Stiffening, Stretch, Weave};
use crate::mesh::measure::{self, distance, triangle_area};
use crate::mesh::{TriMesh, topology};
use crate::model::contact_material::ContactMaterial;
use crate::model::strain_limit::BodyLimits;

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
        let body = self.add_body("cloth", &mesh.positions, &masses, &mesh.corners, fabric.damping);
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            self.add_consistent_mass(
                &body,
                triangle,
                fabric.density * triangle_area(mesh.triangle_points(t)),
            );
        }
        self.cloth_stretch(&body, &mesh, &fabric)?;
        self.cloth_bend(&body, &mesh, &fabric);
        if let Some(limit) = fabric.strain_limit {
            let edges = topology::edges(&mesh);
            let limits = BodyLimits::new(
                body.vertices().start as u32,
                limit,
                &mesh.positions,
                &edges,
                &mesh.triangles,
            );
            self.model.strain_limits.push(limits);
        }
        if let Some(tethers) = fabric.tethers {
            let edges = topology::edges(&mesh);
            self.tethers.push(BodyTethers { body: body.clone(), tethers, edges });
        }
        self.set_surface(&body, &mesh.triangles);
        self.model.bodies[body.index].uvs = mesh.uvs;
        self.contact_material(
            &body,
            Some(ContactMaterial::of_thickness(fabric.thickness).with_self_collision()),
        );
        Ok(body)
    }

    fn cloth_stretch(&mut self, body: &Body, mesh: &TriMesh, fabric: &Fabric) -> Result<(), Error> {
        match fabric.stretch {
            Stretch::Edges => self.cloth_net(body, mesh, fabric),
            Stretch::Membrane => self.cloth_membrane(body, mesh, fabric)?,
            Stretch::Woven(weave) => self.cloth_weave(body, mesh, fabric, &weave)?,
        }
        if let Some(fibers) = fabric.fibers {
            let mut set = Elements::projective();
            for (t, triangle) in mesh.triangles.iter().enumerate() {
                let points = mesh.triangle_points(t);
                let (element, area) =
                    FiberStrain::in_triangle(points, fibers.direction, fibers.limits)?;
                set.push(*triangle, fibers.young * fabric.thickness * area, element);
            }
            let k = fabric.pbd_stiffness.map(|k| k[0]);
            self.add_body_elements(body, set.pbd_stiffness(k).damping(fabric.damping.constraint));
        }
        Ok(())
    }

    fn cloth_net(&mut self, body: &Body, mesh: &TriMesh, fabric: &Fabric) {
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
        let mut elastic = Elements::projective();
        let mut plastic = Elements::projective();
        for (edge, area) in edges.iter().zip(share) {
            let [a, b] = edge.map(|v| mesh.positions[v as usize]);
            let (length, weight) = (distance(a, b), fabric.edge_weight(area));
            match fabric.plasticity {
                Some(plasticity) => plastic.push(*edge, weight, EdgePlastic { length, plasticity }),
                None => elastic.push(*edge, weight, EdgeStrain { length, limits: fabric.limits }),
            }
            if let Some(Stiffening { limits, young }) = fabric.stiffening {
                let weight = young * fabric.thickness * area;
                elastic.push(*edge, weight, EdgeStrain { length, limits });
            }
        }
        let k = fabric.pbd_stiffness.map(|k| k[0]);
        let rate = fabric.damping.constraint;
        self.add_body_elements(body, elastic.pbd_stiffness(k).damping(rate));
        self.add_body_elements(body, plastic.pbd_stiffness(k).damping(rate));
    }

    fn cloth_membrane(
        &mut self,
        body: &Body,
        mesh: &TriMesh,
        fabric: &Fabric,
    ) -> Result<(), Error> {
        let mut elastic = Elements::projective();
        let mut plastic = Elements::projective();
        let mut area = Elements::constraint();
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let points = mesh.triangle_points(t);
            if let Some(plasticity) = fabric.plasticity {
                let (element, measure) = TrianglePlastic::new(points, plasticity)?;
                plastic.push(*triangle, fabric.strain_weight() * measure, element);
            } else {
                let (element, measure) = TriangleStrain::new(points, fabric.limits)?;
                elastic.push(*triangle, fabric.strain_weight() * measure, element);
            }
            if fabric.poisson != 0.0 {
                let (element, measure) = TriangleArea::new(points)?;
                area.push(*triangle, fabric.area_weight() * measure, element);
            }
        }
        let k = fabric.pbd_stiffness.map(|k| k[0]);
        let rate = fabric.damping.constraint;
        self.add_body_elements(body, elastic.pbd_stiffness(k).damping(rate));
        self.add_body_elements(body, plastic.pbd_stiffness(k).damping(rate));
        self.add_body_elements(body, area.pbd_stiffness(k).damping(rate));
        self.cloth_stiffening(body, mesh, fabric)
    }

    fn cloth_stiffening(
        &mut self,
        body: &Body,
        mesh: &TriMesh,
        fabric: &Fabric,
    ) -> Result<(), Error> {
        let Some(Stiffening { limits, young }) = fabric.stiffening else { return Ok(()) };
        let mut set = Elements::projective();
        let weight = Fabric { young, ..*fabric }.strain_weight();
        for (t, triangle) in mesh.triangles.iter().enumerate() {
            let (element, measure) = TriangleStrain::new(mesh.triangle_points(t), limits)?;
            set.push(*triangle, weight * measure, element);
        }
        let k = fabric.pbd_stiffness.map(|k| k[0]);
        self.add_body_elements(body, set.pbd_stiffness(k).damping(fabric.damping.constraint));
        Ok(())
    }

    fn cloth_weave(
        &mut self,
        body: &Body,
        mesh: &TriMesh,
        fabric: &Fabric,
        weave: &Weave,
    ) -> Result<(), Error> {
        let (stiffest, shares) = relative_stiffness(fabric.weave_stiffness(weave));
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
        self.add_body_elements(body, strain.pbd_stiffness(k).damping(rate));
        self.add_body_elements(body, area.pbd_stiffness(k).damping(rate));
        self.cloth_stiffening(body, mesh, fabric)
    }

    fn cloth_bend(&mut self, body: &Body, mesh: &TriMesh, fabric: &Fabric) {
        let k = fabric.pbd_stiffness.map(|k| k[1]);
        let rate = fabric.damping.constraint;
        match fabric.bend {
            _ if fabric.bending == 0.0 => {}
            Bend::None => {}
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
                self.add_body_elements(body, set.pbd_stiffness(k).damping(rate));
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
}
