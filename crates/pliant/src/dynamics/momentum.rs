//! Momentum of unconstrained components.
//!
//! Elements exert internal forces, so a solve cannot change the momentum of a component that is connected by
//! elements and is neither pinned nor attached to a point. Solvers that add correction after correction to
//! positions round each at the size of a position, and a substep `h` turns the loss into a velocity of that
//! over `h`: in single precision, ten substeps at sixteen metres from the origin lost half of the momentum in a
//! thousand steps. The change that the solve must not have made is removed here.

use crate::contact::ContactSet;
use crate::dynamics::rigid_motion::RigidMotion;
use crate::math::{Scalar, Vec3};
use crate::mesh::components::UnionFind;
use crate::model::Model;
use crate::simd::Point;

/// Component number of vertices in constrained components.
const CONSTRAINED: u32 = u32::MAX;

/// Largest sum of a contact's coefficients at which it acts between vertices alone. With a larger sum its other
/// side is not a vertex.
const BALANCE_TOLERANCE: f64 = 1e-9;

/// Unconstrained components of a model.
#[derive(Default)]
pub struct FreeComponents {
    /// Component of each vertex, or [`CONSTRAINED`]; empty if there are no unconstrained components.
    component_of_vertex: Vec<u32>,
    /// Inverse mass of each component [1/kg].
    inv_mass: Vec<f64>,
    /// Mean over each component, by mass.
    averages: Vec<[f64; 3]>,
    /// Vertices sorted by component, and the offset of each component in the list.
    vertices: Vec<u32>,
    starts: Vec<u32>,
    /// Sets of components joined by contacts, and flags of each root: constrained, in contact.
    joined: UnionFind,
    constrained: Vec<bool>,
    in_contact: Vec<bool>,
    /// Rigid motion of each set before the solve, stored at its root.
    saved_motion: Vec<RigidMotion>,
}

impl FreeComponents {
    /// Finds the unconstrained components of a model.
    pub fn new(model: &Model) -> Self {
        if model.mass_matrix().is_some() {
            // Solvers with a mass matrix solve for increments and lose no momentum.
            return Self::default();
        }
        let rest = model.rest_positions();
        let mut sets = UnionFind::new(rest.len());
        let mut holds: Vec<u32> = Vec::new();
        for elements in model.elements() {
            for e in 0..elements.len() {
                let vertices = elements.vertices(e);
                vertices.windows(2).for_each(|v| sets.union(v[0], v[1]));
                if elements.exerts_net_force(e, rest) {
                    holds.extend(vertices.first());
                }
            }
        }
        let mut number = vec![0; rest.len()];
        holds.extend(model.pins().iter().map(|pin| pin.vertex as u32));
        holds.iter().for_each(|&v| number[sets.find(v) as usize] = CONSTRAINED);
        let mut mass: Vec<f64> = Vec::new();
        let mut of_vertex = Vec::with_capacity(rest.len());
        for (v, &m) in model.masses().iter().enumerate() {
            // A root is the smallest vertex of its component, so it is numbered before the others.
            let root = sets.find(v as u32) as usize;
            if root == v && number[v] != CONSTRAINED {
                number[v] = mass.len() as u32;
                mass.push(0.0);
            }
            of_vertex.push(number[root]);
            if let Some(sum) = mass.get_mut(number[root] as usize) {
                *sum += m;
            }
        }
        if mass.is_empty() {
            return Self::default();
        }
        let inv_mass: Vec<f64> = mass.iter().map(|m| 1.0 / m).collect();
        let parts = inv_mass.len();
        let mut vertices: Vec<u32> = (0..)
            .zip(&of_vertex)
            .filter(|(_, part)| **part != CONSTRAINED)
            .map(|(v, _)| v)
            .collect();
        vertices.sort_by_key(|&v| of_vertex[v as usize]);
        let of = |part: usize| vertices.partition_point(|&v| of_vertex[v as usize] < part as u32);
        let starts = (0..=parts).map(|part| of(part) as u32).collect();
        Self {
            averages: vec![[0.0; 3]; parts],
            joined: UnionFind::new(parts),
            constrained: vec![false; parts],
            in_contact: vec![false; parts],
            saved_motion: vec![RigidMotion::default(); parts],
            component_of_vertex: of_vertex,
            inv_mass,
            vertices,
            starts,
        }
    }

    /// Saves the momenta of components that touch only each other or themselves, before a solve's motion is
    /// added to their velocities `v` at `x`.
    pub fn save_momenta<S: Scalar>(
        &mut self,
        mass: &[S],
        x: &[Point<S>],
        v: &[Point<S>],
        contacts: &ContactSet,
    ) {
        if self.component_of_vertex.is_empty() {
            return;
        }
        self.in_contact.fill(false);
        if !contacts.is_empty() && !contacts.blocked_by_kinematic {
            self.join_by_contacts(contacts);
        }
        for root in 0..self.joined.len() {
            let motion = self.contact_group(root).map(|vertices| {
                RigidMotion::from_vertices(
                    vertices.map(|i| (mass[i].to_f64(), to_f64(&x[i]), to_f64(&v[i]))),
                )
            });
            if let Some(motion) = motion {
                self.saved_motion[root] = motion;
            }
        }
    }

    /// Restores the linear and angular momenta of those components: clamped vertices lost some.
    pub fn restore_contact_momenta<S: Scalar>(
        &self,
        mass: &[S],
        x: &[Point<S>],
        v: &mut [Point<S>],
    ) {
        for root in 0..self.joined.len() {
            let Some(vertices) = self.contact_group(root) else { continue };
            let own = vertices.clone().map(|i| (mass[i].to_f64(), to_f64(&x[i]), to_f64(&v[i])));
            let (now, then) = (RigidMotion::from_vertices(own), &self.saved_motion[root]);
            let mut lost = now;
            lost.linear_momentum = then.linear_momentum - now.linear_momentum;
            // About the current centre of mass.
            let shift = (then.centre - now.centre).cross(then.linear_momentum);
            lost.angular_momentum = then.angular_momentum + shift - now.angular_momentum;
            for i in vertices {
                let d = lost.velocity(to_f64(&x[i]));
                (0..3).for_each(|c| v[i][c] += S::from_f64([d.x, d.y, d.z][c]));
            }
        }
    }

    /// Returns the vertices of the set of components with this root; `None` if it is no root, is constrained,
    /// or has no contact.
    fn contact_group(&self, root: usize) -> Option<impl Iterator<Item = usize> + Clone + '_> {
        if self.joined.root(root as u32) != root as u32
            || self.constrained[root]
            || !self.in_contact[root]
        {
            return None;
        }
        let own = move |p: &usize| self.joined.root(*p as u32) == root as u32;
        let range = |p: usize| self.starts[p] as usize..self.starts[p + 1] as usize;
        let parts = (root..self.joined.len()).filter(own);
        Some(parts.flat_map(move |p| &self.vertices[range(p)]).map(|&i| i as usize))
    }

    /// Joins components in contact and marks those that contacts constrain.
    fn join_by_contacts(&mut self, contacts: &ContactSet) {
        self.constrained.fill(false);
        self.joined.reset();
        for contact in contacts.list() {
            let part = |v: u32| self.component_of_vertex[v as usize];
            let balance: f64 = contact.coefficients().iter().sum();
            let holds = balance.abs() > BALANCE_TOLERANCE
                || contact.vertices().iter().any(|&v| part(v) == CONSTRAINED);
            let mut first = None;
            for part in contact.vertices().iter().map(|&v| part(v)).filter(|p| *p != CONSTRAINED) {
                let root = self.joined.find(part);
                let other = *first.get_or_insert(root);
                let (low, high) = (root.min(other), root.max(other));
                self.joined.union(low, high);
                let constrained = self.constrained[low as usize] || self.constrained[high as usize];
                self.constrained[low as usize] = constrained || (holds && contact.is_active());
                self.in_contact[low as usize] = true;
                first = Some(low);
            }
        }
    }

    /// Restores in `v` the momentum that each component had before a solve over `h` \[s\] moved it from the
    /// predicted positions `s` to `x`. Components with `touched` vertices are left out: contacts may have
    /// changed their momentum.
    pub fn restore_momenta<S: Scalar>(
        &mut self,
        mass: &[S],
        s: &[Point<S>],
        x: &[Point<S>],
        v: &mut [Point<S>],
        h: f64,
        touched: &[u32],
    ) {
        self.compute_averages(mass, |i, c| (x[i][c] - s[i][c]).to_f64() / h);
        self.exclude_touched(touched);
        self.subtract_average(v);
    }

    /// Removes from the increment `d` of `x` the part that moves the centre of mass of a component away from
    /// that of the predicted positions `s`. Components with `touched` vertices are left out.
    pub fn preserve_centres_of_mass<S: Scalar>(
        &mut self,
        mass: &[S],
        s: &[Point<S>],
        x: &[Point<S>],
        d: &mut [Point<S>],
        touched: &[u32],
    ) {
        self.compute_averages(mass, |i, c| (x[i][c] - s[i][c]).to_f64() + d[i][c].to_f64());
        self.exclude_touched(touched);
        self.subtract_average(d);
    }

    /// Computes the mean over each component, by mass, of the values that `of` gives for a vertex and a
    /// coordinate.
    fn compute_averages<S: Scalar>(&mut self, mass: &[S], of: impl Fn(usize, usize) -> f64) {
        self.averages.fill([0.0; 3]);
        for (i, &part) in self.component_of_vertex.iter().enumerate() {
            if let Some(sum) = self.averages.get_mut(part as usize) {
                let m = mass[i].to_f64();
                (0..3).for_each(|c| sum[c] += m * of(i, c));
            }
        }
        for (sum, inv_mass) in self.averages.iter_mut().zip(&self.inv_mass) {
            *sum = sum.map(|s| s * inv_mass);
        }
    }

    /// Sets the mean of components with these vertices to zero, which leaves them unchanged.
    fn exclude_touched(&mut self, touched: &[u32]) {
        for &v in touched {
            let part = self.component_of_vertex.get(v as usize).map_or(CONSTRAINED, |&part| part);
            if let Some(average) = self.averages.get_mut(part as usize) {
                *average = [0.0; 3];
            }
        }
    }

    fn subtract_average<S: Scalar>(&self, from: &mut [Point<S>]) {
        for (from, &part) in from.iter_mut().zip(&self.component_of_vertex) {
            if let Some(average) = self.averages.get(part as usize) {
                (0..3).for_each(|c| from[c] -= S::from_f64(average[c]));
            }
        }
    }
}

fn to_f64<S: Scalar>(p: &Point<S>) -> Vec3<f64> {
    Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())
}
