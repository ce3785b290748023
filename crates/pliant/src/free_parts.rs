//! The momentum of parts that nothing holds.
//!
//! Elements pull their vertices against each other, so a solve cannot change the momentum of a part
//! that hangs together by elements and is neither pinned nor drawn to a point. Solvers that add
//! correction after correction to positions round each at the size of a position, and a substep `h`
//! turns what is lost into a velocity of that over `h`: in single precision, ten substeps at sixteen
//! metres from the origin lost half of the momentum in a thousand steps. What the solve must not
//! have changed is taken back here.

use crate::math::Scalar;
use crate::mesh::components::Sets;
use crate::model::Model;
use crate::simd::Point;

/// Marks vertices of parts that are held.
const HELD: u32 = u32::MAX;

/// The parts of a model that nothing holds.
#[derive(Default)]
pub struct FreeParts {
    /// The part of each vertex, or [`HELD`]; empty where there are no free parts.
    of_vertex: Vec<u32>,
    /// One over the mass of each part [1/kg].
    inv_mass: Vec<f64>,
    /// Room for a mean over each part.
    average: Vec<[f64; 3]>,
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
        Self { of_vertex, average: vec![[0.0; 3]; inv_mass.len()], inv_mass }
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
