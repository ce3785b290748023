//! Counts crossings exactly, edge against triangle: of bodies with themselves and each other, rigid and torn ones
//! included, and with colliders that have corners.

use pliant::contact::{Collider, Shape};
use pliant::math::Vec3;
use pliant::mesh::TriMesh;
use pliant::prelude::*;
use pliant_detect::intersect::{EdgeTriangle, IntersectionCheck};

/// Counter of intersections in a simulation that may tear.
pub struct IntersectionCounter {
    tears: usize,
    /// Of all bodies, by the model's vertices and then the points that rigid bodies carry.
    triangles: Vec<[u32; 3]>,
    check: IntersectionCheck,
    /// Of each vertex, the body's number and whether that touches itself.
    owner: Vec<(usize, bool)>,
    colliders: Vec<(Collider, TriMesh)>,
    collider_check: IntersectionCheck,
}

impl IntersectionCounter {
    /// For the bodies and colliders of a simulation.
    pub fn new(sim: &Simulation) -> Self {
        let sharp = |c: &&Collider| matches!(c.shape(), Shape::Cuboid(_) | Shape::Mesh(_));
        let colliders: Vec<(Collider, TriMesh)> = (sim.model().colliders().iter().filter(sharp))
            .map(|c| (c.clone(), c.shape().surface_mesh(1.0)))
            .collect();
        let (mut corners, mut first) = (Vec::new(), 0);
        for (_, mesh) in &colliders {
            corners.extend(mesh.triangles.iter().map(|t| t.map(|v| v + first)));
            first += mesh.positions.len() as u32;
        }
        let props = IntersectionCheck::new(&corners);
        let check = IntersectionCheck::new(&[]);
        let mut new = Self {
            tears: 0,
            triangles: vec![],
            check,
            owner: vec![],
            colliders,
            collider_check: props,
        };
        new.rebuild(sim);
        new
    }

    /// Takes the triangles anew.
    fn rebuild(&mut self, sim: &Simulation) {
        let model = sim.model();
        self.owner = vec![(0, false); model.len()];
        self.triangles.clear();
        for (number, body) in model.bodies().iter().enumerate() {
            let itself =
                body.contact_material.is_some_and(|t| t.collides_with >= CollidesWith::Itself);
            body.all_vertices().for_each(|v| self.owner[v] = (number, itself));
            self.triangles.extend(&body.triangles);
            if let Some(carried) = &body.rigid_frame {
                let first = self.owner.len() as u32;
                self.triangles.extend(carried.triangles.iter().map(|t| t.map(|v| first + v)));
                self.owner.resize(self.owner.len() + carried.weights.len(), (number, false));
            }
        }
        self.check = IntersectionCheck::new(&self.triangles);
        self.tears = sim.tears().len();
    }

    /// Number of edges that cross triangles: of bodies, and between bodies and colliders.
    pub fn count(&mut self, sim: &Simulation) -> [usize; 2] {
        if sim.tears().len() != self.tears {
            self.rebuild(sim);
        }
        let (state, model) = (sim.state(), sim.model());
        let mut x: Vec<[f64; 3]> =
            state.positions.iter().map(|p| [p[0], p[1], p[2]].map(f64::from)).collect();
        for body in model.bodies() {
            if let Some(carried) = &body.rigid_frame {
                let four = &state.positions[body.vertices.clone()];
                x.extend((0..carried.weights.len()).map(|k| carried.point(k, four)));
            }
        }
        let mut found = Vec::new();
        self.check.self_intersections(&x, &mut found);
        found.retain(|f| self.is_violation(f, model));
        let (mut corners, mut pierced) = (Vec::new(), [Vec::new(), Vec::new()]);
        for (collider, mesh) in &self.colliders {
            let pose = collider.pose(state.time);
            corners.extend(mesh.positions.iter().map(|p| {
                let q = pose.transform_point(Vec3::of(*p));
                [q.x, q.y, q.z]
            }));
        }
        self.check.intersections(&x, &mut self.collider_check, &corners, &mut pierced);
        [found.len(), pierced[0].len() + pierced[1].len()]
    }

    /// True if an intersection violates the contract: not where a body may cross itself, and not beside a tear,
    /// where both sides coincide when they separate.
    fn is_violation(&self, found: &EdgeTriangle, model: &Model) -> bool {
        let triangle = self.triangles[found.triangle as usize];
        let [a, b] = [found.edge[0], triangle[0]].map(|v| self.owner[v as usize]);
        if a.0 != b.0 {
            return true;
        }
        let rest = |v: u32| model.rest_positions()[v as usize];
        a.1 && !found.edge.iter().any(|&e| triangle.iter().any(|&v| rest(e) == rest(v)))
    }
}
