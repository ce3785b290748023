//! Reference: plain scalar f64 solvers, written for readability. **Not the engine.**
//!
//! It tests the harness without the engine (`--reference`), and gives the engine an exact result to compare
//! with. Local/global iterations on springs (Liu et al. 2013) and on tetrahedra (Bouaziz et al. 2014) with a
//! banded Cholesky factor; Gauss–Seidel over distance constraints (Müller et al. 2007), in mesh order. It has
//! no bending, no strain constraints and no whole steps.

use crate::band::BandCholesky;
use crate::geometry::{Point, det, edges_of, inverse_rows, sub};
use crate::measure;
use crate::runner::Runner;
use crate::workload::{Kind, Workload};
use std::io;
use std::time::Instant;

/// A reference solver on one workload.
pub struct Reference {
    start: Vec<Point>,
    x: Vec<Point>,
    method: Method,
}

enum Method {
    LocalGlobal(LocalGlobal),
    Distance { edges: Vec<Edge>, inv_mass: Vec<f64> },
}

struct Edge {
    ends: [usize; 2],
    rest: f64,
}

/// Element of the local step: its vertex weights and its projection target.
struct Element {
    vertices: Vec<usize>,
    /// One row per vertex: the element's matrix is positions times this. A spring has one column.
    weights: Vec<Point>,
    /// h² times stiffness (times volume).
    weight: f64,
    /// Rest length \[m\], springs only.
    rest: f64,
}

struct LocalGlobal {
    elements: Vec<Element>,
    /// System row of each free vertex.
    index: Vec<Option<usize>>,
    constant: Vec<Point>,
    rhs: Vec<Point>,
    factor: BandCholesky,
    rotations: bool,
}

impl Reference {
    /// Creates the reference for a workload, if it is supported.
    pub fn new(workload: &Workload) -> Option<Self> {
        let method = match workload.kind {
            Kind::Springs | Kind::Rotations => Method::LocalGlobal(LocalGlobal::new(workload)),
            Kind::Distance => {
                let edge = |&e: &[u32; 2]| Edge {
                    ends: e.map(|i| i as usize),
                    rest: measure::length(&workload.rest, e),
                };
                let edges = workload.edges.iter().map(edge).collect();
                Method::Distance { edges, inv_mass: workload.inv_mass.clone() }
            }
            _ => return None,
        };
        Some(Self { start: workload.start.clone(), x: workload.start.clone(), method })
    }
}

impl Runner for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn precision(&self) -> &'static str {
        "f64"
    }

    fn reset(&mut self) -> io::Result<()> {
        self.x.clone_from(&self.start);
        Ok(())
    }

    fn run(&mut self, iterations: u32) -> io::Result<f64> {
        let start = Instant::now();
        for _ in 0..iterations {
            match &mut self.method {
                Method::LocalGlobal(solver) => solver.iterate(&mut self.x),
                Method::Distance { edges, inv_mass } => project(edges, inv_mass, &mut self.x),
            }
        }
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }

    fn positions(&mut self) -> io::Result<Vec<Point>> {
        Ok(self.x.clone())
    }
}

/// Performs one Gauss–Seidel sweep over distance constraints of full stiffness.
fn project(edges: &[Edge], inv_mass: &[f64], x: &mut [Point]) {
    for &Edge { ends: [a, b], rest } in edges {
        let (wa, wb) = (inv_mass[a], inv_mass[b]);
        let d = sub(x[a], x[b]);
        let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        let s = (length - rest) / (length * (wa + wb));
        for k in 0..3 {
            x[a][k] -= wa * s * d[k];
            x[b][k] += wb * s * d[k];
        }
    }
}

impl LocalGlobal {
    fn new(workload: &Workload) -> Self {
        let mut free = 0;
        let mut number = |&w: &f64| {
            (w > 0.0).then(|| {
                free += 1;
                free - 1
            })
        };
        let index: Vec<Option<usize>> = workload.inv_mass.iter().map(&mut number).collect();
        let elements = elements(workload);
        let rows = elements.iter().map(|e| e.vertices.iter().filter_map(|&v| index[v]));
        let spread = rows.map(|r| r.clone().max().unwrap_or(0) - r.min().unwrap_or(0));
        let mut factor = BandCholesky::zeros(free, spread.max().unwrap_or(0));
        let mut constant = vec![[0.0; 3]; free];
        for (v, row) in index.iter().enumerate() {
            if let Some(i) = *row {
                let mass = 1.0 / workload.inv_mass[v];
                factor.add(i, i, mass);
                constant[i] = workload.start[v].map(|c| c * mass);
            }
        }
        for element in &elements {
            for (r, &v) in element.vertices.iter().enumerate() {
                for (c, &u) in element.vertices.iter().enumerate() {
                    let Some(i) = index[v] else { continue };
                    let product = |k: usize| element.weights[r][k] * element.weights[c][k];
                    let value = element.weight * (product(0) + product(1) + product(2));
                    match index[u] {
                        Some(j) if j <= i => factor.add(i, j, value),
                        Some(_) => {}
                        None => (0..3).for_each(|k| constant[i][k] -= value * workload.start[u][k]),
                    }
                }
            }
        }
        factor.factor();
        let rhs = constant.clone();
        let rotations = workload.kind == Kind::Rotations;
        Self { elements, index, constant, rhs, factor, rotations }
    }

    fn iterate(&mut self, x: &mut [Point]) {
        self.rhs.copy_from_slice(&self.constant);
        for element in &self.elements {
            // Current columns of the element, and their projection.
            let mut f = [[0.0; 3]; 3];
            for (&v, weights) in element.vertices.iter().zip(&element.weights) {
                for c in 0..3 {
                    for r in 0..3 {
                        f[c][r] += x[v][r] * weights[c];
                    }
                }
            }
            let p = if self.rotations { measure::rotation(f) } else { to_length(f, element.rest) };
            for (&v, weights) in element.vertices.iter().zip(&element.weights) {
                let Some(i) = self.index[v] else { continue };
                for r in 0..3 {
                    let pull: f64 = (0..3).map(|c| p[c][r] * weights[c]).sum();
                    self.rhs[i][r] += element.weight * pull;
                }
            }
        }
        self.factor.solve(&mut self.rhs);
        for (x, row) in x.iter_mut().zip(&self.index) {
            if let Some(i) = *row {
                *x = self.rhs[i];
            }
        }
    }
}

/// Scales a spring's only column to its rest length.
fn to_length(f: [Point; 3], rest: f64) -> [Point; 3] {
    let d = f[0];
    let s = rest / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
    [d.map(|c| c * s), [0.0; 3], [0.0; 3]]
}

fn elements(workload: &Workload) -> Vec<Element> {
    let weight = workload.h * workload.h * workload.stiffness;
    if workload.kind == Kind::Springs {
        let spring = |&e: &[u32; 2]| Element {
            vertices: e.map(|i| i as usize).to_vec(),
            weights: vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
            weight,
            rest: measure::length(&workload.rest, e),
        };
        return workload.edges.iter().map(spring).collect();
    }
    let cell = |&tet: &[u32; 4]| {
        let edges = edges_of(&workload.rest, tet);
        let [a, b, c] = inverse_rows(edges);
        let first = std::array::from_fn(|k| -a[k] - b[k] - c[k]);
        let volume = det(edges) / 6.0;
        let vertices = tet.map(|i| i as usize).to_vec();
        Element { vertices, weights: vec![first, a, b, c], weight: weight * volume, rest: 0.0 }
    };
    workload.tets.iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_global_iterations_lower_the_objective_and_keep_the_pins() {
        for name in ["W1", "W3-bar"] {
            let workload = Workload::named(name).expect("listed");
            let mut reference = Reference::new(&workload).expect("covered");
            let mut last = measure::objective(&workload, &workload.start);
            for _ in 0..3 {
                reference.run(1).expect("runs");
                let now = measure::objective(&workload, &reference.x);
                assert!(now < last, "{name}: {now} after {last}");
                last = now;
            }
            for (v, &w) in workload.inv_mass.iter().enumerate() {
                assert!(w > 0.0 || reference.x[v] == workload.start[v]);
            }
        }
    }

    #[test]
    fn projections_lower_the_residual() {
        let workload = Workload::named("scale-1e3").expect("listed");
        let mut reference = Reference::new(&workload).expect("covered");
        let before = measure::residual(&workload, &reference.x);
        reference.run(10).expect("runs");
        assert!(measure::residual(&workload, &reference.x) < 0.5 * before);
    }
}
