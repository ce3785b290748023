//! The momentum of parts that nothing holds.
//!
//! Elements pull their vertices against each other, so a solve cannot change the momentum of a part
//! that hangs together by elements and is neither pinned nor drawn to a point. Solvers that add
//! correction after correction to positions round each at the size of a position, and a substep `h`
//! turns what is lost into a velocity of that over `h`: in single precision, ten substeps at sixteen
//! metres from the origin lost half of the momentum in a thousand steps. What the solve must not
//! have changed is taken back here.

use crate::contact::Contacts;
use crate::math::{Scalar, Vec3};
use crate::mesh::components::Sets;
use crate::model::Model;
use crate::rigid_motion::Motion;
use crate::simd::Point;

/// Marks vertices of parts that are held.
const HELD: u32 = u32::MAX;

/// Coefficients of a contact that add up to less have nothing else at the other end.
const BALANCE: f64 = 1e-9;

/// The part that stands for all that a part is joined with.
fn find(root: &[u32], mut part: u32) -> u32 {
    while root[part as usize] != part {
        part = root[part as usize];
    }
    part
}

/// The parts of a model that nothing holds.
#[derive(Default)]
pub struct FreeParts {
    /// The part of each vertex, or [`HELD`]; empty where there are no free parts.
    of_vertex: Vec<u32>,
    /// One over the mass of each part [1/kg].
    inv_mass: Vec<f64>,
    /// Room for a mean over each part.
    average: Vec<[f64; 3]>,
    /// The vertices of each part, and where those of each start.
    vertices: Vec<u32>,
    starts: Vec<u32>,
    /// Parts that contacts join: one of them stands for all. And whether they are held or joined at all.
    root: Vec<u32>,
    held: Vec<bool>,
    joined: Vec<bool>,
    /// How they moved together.
    noted: Vec<Motion>,
}

impl FreeParts {
    /// Finds the parts of a model.
    pub fn new(model: &Model) -> Self {
        if model.mass_matrix().is_some() {
            // Those solve for increments and lose nothing.
            return Self::default();
        }
        let rest = model.rest_positions();
        let mut sets = Sets::new(rest.len());
        let mut holds: Vec<u32> = Vec::new();
        for elements in model.elements() {
            for e in 0..elements.len() {
                let vertices = elements.vertices(e);
                vertices.windows(2).for_each(|v| sets.join(v[0], v[1]));
                if elements.anchors(e, rest) {
                    holds.extend(vertices.first());
                }
            }
        }
        let mut number = vec![0; rest.len()];
        holds.extend(model.pins().iter().map(|pin| pin.vertex as u32));
        holds.iter().for_each(|&v| number[sets.root(v) as usize] = HELD);
        let mut mass: Vec<f64> = Vec::new();
        let mut of_vertex = Vec::with_capacity(rest.len());
        for (v, &m) in model.masses().iter().enumerate() {
            // A root is the smallest of its part, so it is numbered before the others.
            let root = sets.root(v as u32) as usize;
            if root == v && number[v] != HELD {
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
        let mut vertices: Vec<u32> =
            (0..).zip(&of_vertex).filter(|(_, part)| **part != HELD).map(|(v, _)| v).collect();
        vertices.sort_by_key(|&v| of_vertex[v as usize]);
        let of = |part: usize| vertices.partition_point(|&v| of_vertex[v as usize] < part as u32);
        let starts = (0..=parts).map(|part| of(part) as u32).collect();
        Self {
            average: vec![[0.0; 3]; parts],
            root: vec![0; parts],
            held: vec![false; parts],
            joined: vec![false; parts],
            noted: vec![Motion::default(); parts],
            of_vertex,
            inv_mass,
            vertices,
            starts,
        }
    }

    /// Notes the momenta of parts that touch each other alone, or themselves, before a solve's motion is
    /// added to their velocities `v` at `x`.
    pub fn note<S: Scalar>(
        &mut self,
        mass: &[S],
        x: &[Point<S>],
        v: &[Point<S>],
        contacts: &Contacts,
    ) {
        if self.of_vertex.is_empty() {
            return;
        }
        self.joined.fill(false);
        if !contacts.is_empty() && !contacts.blocked {
            self.join(contacts);
        }
        for root in 0..self.root.len() {
            let motion = self.touching(root).map(|vertices| {
                Motion::of(vertices.map(|i| (mass[i].to_f64(), wide(&x[i]), wide(&v[i]))))
            });
            if let Some(motion) = motion {
                self.noted[root] = motion;
            }
        }
    }

    /// Gives those parts the momenta back that they had, linear and angular: what stopped on its way lost
    /// some.
    pub fn restore_touching<S: Scalar>(&self, mass: &[S], x: &[Point<S>], v: &mut [Point<S>]) {
        for root in 0..self.root.len() {
            let Some(vertices) = self.touching(root) else { continue };
            let own = vertices.clone().map(|i| (mass[i].to_f64(), wide(&x[i]), wide(&v[i])));
            let (now, then) = (Motion::of(own), &self.noted[root]);
            let mut lost = now;
            lost.linear = then.linear - now.linear;
            // About the present centre.
            let shift = (then.centre - now.centre).cross(then.linear);
            lost.angular = then.angular + shift - now.angular;
            for i in vertices {
                let d = lost.velocity(wide(&x[i]));
                (0..3).for_each(|c| v[i][c] += S::from_f64([d.x, d.y, d.z][c]));
            }
        }
    }

    /// The vertices of the parts that a part stands for, where contacts join them and nothing holds them.
    fn touching(&self, root: usize) -> Option<impl Iterator<Item = usize> + Clone + '_> {
        if self.root[root] != root as u32 || self.held[root] || !self.joined[root] {
            return None;
        }
        let own = move |p: &usize| find(&self.root, *p as u32) == root as u32;
        let range = |p: usize| self.starts[p] as usize..self.starts[p + 1] as usize;
        let parts = (root..self.root.len()).filter(own);
        Some(parts.flat_map(move |p| &self.vertices[range(p)]).map(|&i| i as usize))
    }

    /// Finds which parts contacts join, and which they hold.
    fn join(&mut self, contacts: &Contacts) {
        self.held.fill(false);
        (0..).zip(&mut self.root).for_each(|(part, root)| *root = part);
        for contact in contacts.list() {
            let part = |v: u32| self.of_vertex[v as usize];
            let balance: f64 = contact.coefficients().iter().sum();
            let hold =
                balance.abs() > BALANCE || contact.vertices().iter().any(|&v| part(v) == HELD);
            let mut first = None;
            for part in contact.vertices().iter().map(|&v| part(v)).filter(|p| *p != HELD) {
                let root = find(&self.root, part);
                let other = *first.get_or_insert(root);
                let (low, high) = (root.min(other), root.max(other));
                self.root[high as usize] = low;
                let held = self.held[low as usize] || self.held[high as usize];
                self.held[low as usize] = held || (hold && contact.has_pressed());
                self.joined[low as usize] = true;
                first = Some(low);
            }
        }
    }

    /// Gives each part the momentum in `v` that it had before a solve over `h` \[s\] moved it from
    /// the inertial guess `s` to `x`; not those with `touched` vertices, which may have lost it.
    pub fn restore<S: Scalar>(
        &mut self,
        mass: &[S],
        s: &[Point<S>],
        x: &[Point<S>],
        v: &mut [Point<S>],
        h: f64,
        touched: &[u32],
    ) {
        self.average(mass, |i, c| (x[i][c] - s[i][c]).to_f64() / h);
        self.leave(touched);
        self.subtract_average(v);
    }

    /// Frees the increment `d` of `x` of what would move the centre of a part away from that of the
    /// inertial guess `s`; not of parts with `touched` vertices.
    pub fn keep_centres<S: Scalar>(
        &mut self,
        mass: &[S],
        s: &[Point<S>],
        x: &[Point<S>],
        d: &mut [Point<S>],
        touched: &[u32],
    ) {
        self.average(mass, |i, c| (x[i][c] - s[i][c]).to_f64() + d[i][c].to_f64());
        self.leave(touched);
        self.subtract_average(d);
    }

    /// The mean over each part, by mass, of the numbers that `of` gives for a vertex and a coordinate.
    fn average<S: Scalar>(&mut self, mass: &[S], of: impl Fn(usize, usize) -> f64) {
        self.average.fill([0.0; 3]);
        for (i, &part) in self.of_vertex.iter().enumerate() {
            if let Some(sum) = self.average.get_mut(part as usize) {
                let m = mass[i].to_f64();
                (0..3).for_each(|c| sum[c] += m * of(i, c));
            }
        }
        for (sum, inv_mass) in self.average.iter_mut().zip(&self.inv_mass) {
            *sum = sum.map(|s| s * inv_mass);
        }
    }

    /// Leaves the parts of these vertices alone.
    fn leave(&mut self, touched: &[u32]) {
        for &v in touched {
            let part = self.of_vertex.get(v as usize).map_or(HELD, |&part| part);
            if let Some(average) = self.average.get_mut(part as usize) {
                *average = [0.0; 3];
            }
        }
    }

    fn subtract_average<S: Scalar>(&self, from: &mut [Point<S>]) {
        for (from, &part) in from.iter_mut().zip(&self.of_vertex) {
            if let Some(average) = self.average.get(part as usize) {
                (0..3).for_each(|c| from[c] -= S::from_f64(average[c]));
            }
        }
    }
}

fn wide<S: Scalar>(p: &Point<S>) -> Vec3<f64> {
    Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())
}
