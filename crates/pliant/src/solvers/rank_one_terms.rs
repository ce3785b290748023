//! Rank-one terms that couple very many vertices at once: `H = K + Σ u uᵀ` with a sparse `K`.
//!
//! The energy of an enclosed volume resists one direction, in which all vertices of its surface move
//! outwards, with a stiffness `u uᵀ` that would fill the matrix. It is left out of the factor and
//! applied by the formula of Sherman, Morrison and Woodbury:
//!
//! ```text
//! H⁻¹ r = y − Z c     with  y = K⁻¹ r,  Z = K⁻¹ U,  (I + Uᵀ Z) c = Uᵀ y
//! ```
//!
//! `u` changes with the positions, so `Z` is recomputed in each iteration. Surfaces that are not
//! connected by elements share one solve, because `K⁻¹` does not couple them.

use crate::batch::ElementPrecision;
use crate::math::Vec3;
use crate::mesh::components::UnionFind;
use crate::simd::Point;
use crate::system::System;

/// The vectors `u` of a system and the data to invert with them. Allocates only when created.
pub(super) struct RankOneTerms<S> {
    /// Terms; those of one component are consecutive.
    terms: Vec<Term>,
    components: Vec<Component>,
    /// `U` and `Z`. Each pair of vectors holds at most one term of every component.
    layers: Vec<[Vec<Point<S>>; 2]>,
    /// `I + Uᵀ Z` of each component, then its Cholesky factor.
    matrix: Vec<f64>,
    /// Coefficients `c` of a component.
    coefficients: Vec<f64>,
}

/// One vector `u`.
struct Term {
    batch: usize,
    index: usize,
    layer: usize,
    vertices: Vec<u32>,
}

/// Vertices connected by elements, with at least one rank-one term among them.
struct Component {
    vertices: Vec<u32>,
    terms: std::ops::Range<usize>,
    /// Start of its matrix in `RankOneTerms::matrix`.
    matrix: usize,
}

impl<S: ElementPrecision> RankOneTerms<S> {
    /// Collects the rank-one terms of a system.
    pub fn new(system: &System<S>) -> Self {
        let mut own = Self {
            terms: Vec::new(),
            components: Vec::new(),
            layers: Vec::new(),
            matrix: Vec::new(),
            coefficients: Vec::new(),
        };
        if system.batches.iter().all(|b| b.rank_one_term_count() == 0) {
            return own;
        }
        let mut sets = connected_components(system);
        let x: Vec<Point<S>> = system
            .model
            .rest_positions()
            .iter()
            .map(|p| [p[0], p[1], p[2], 0.0].map(S::from_f64))
            .collect();
        let mut found: Vec<(u32, Term)> = Vec::new();
        for (batch, b) in system.batches.iter().enumerate() {
            for which in 0..b.rank_one_term_count() {
                let mut vertices = Vec::new();
                b.rank_one_term(which, &x, &mut |v, _| vertices.push(v));
                let root = vertices.first().map_or(0, |&v| sets.find(v));
                found.push((root, Term { batch, index: which, layer: 0, vertices }));
            }
        }
        found.sort_by_key(|(root, _)| *root);
        for same in found.chunk_by_mut(|a, b| a.0 == b.0) {
            let (root, start, count) = (same[0].0, own.terms.len(), same.len());
            let all = 0..system.len() as u32;
            let vertices = all.filter(|&v| sets.find(v) == root).collect();
            own.components.push(Component {
                vertices,
                terms: start..start + count,
                matrix: own.matrix.len(),
            });
            own.matrix.resize(own.matrix.len() + count * count, 0.0);
            own.coefficients.resize(own.coefficients.len().max(count), 0.0);
            for (layer, (_, term)) in same.iter_mut().enumerate() {
                let vertices = std::mem::take(&mut term.vertices);
                own.terms.push(Term { layer, vertices, ..*term });
            }
        }
        let layers = own.terms.iter().map(|t| t.layer + 1).max().unwrap_or(0);
        let vector = || vec![Point::default(); system.len()];
        own.layers = (0..layers).map(|_| [vector(), vector()]).collect();
        own
    }

    /// Returns true if there are no terms.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Computes `U` at `x`; zero for pinned vertices.
    pub fn update(&mut self, system: &System<S>, x: &[Point<S>]) {
        self.layers.iter_mut().for_each(|[u, _]| u.fill(Point::default()));
        for term in &self.terms {
            let [u, _] = &mut self.layers[term.layer];
            system.batches[term.batch].rank_one_term(term.index, x, &mut |v, d: Vec3<f64>| {
                if system.inv_mass[v as usize] > S::default() {
                    u[v as usize] = [d.x, d.y, d.z, 0.0].map(S::from_f64);
                }
            });
        }
    }

    /// Computes `Z` for the current `U`; `solve` replaces a vector by `K⁻¹` times it.
    pub fn factor(&mut self, mut solve: impl FnMut(&mut [Point<S>])) {
        for [u, z] in &mut self.layers {
            z.copy_from_slice(u);
            solve(z);
        }
        for part in &self.components {
            let (terms, n) = (&self.terms[part.terms.clone()], part.terms.len());
            let matrix = &mut self.matrix[part.matrix..part.matrix + n * n];
            for i in 0..n {
                let u = &self.layers[terms[i].layer][0];
                for j in 0..=i {
                    let z = &self.layers[terms[j].layer][1];
                    let one = if i == j { 1.0 } else { 0.0 };
                    matrix[i * n + j] = one + dot_over(&terms[i].vertices, u, z);
                }
            }
            factor_small(matrix, n);
        }
    }

    /// Converts `y = K⁻¹ r` into `H⁻¹ r`.
    pub fn apply_woodbury(&mut self, y: &mut [Point<S>]) {
        for part in &self.components {
            let (terms, n) = (&self.terms[part.terms.clone()], part.terms.len());
            let c = &mut self.coefficients[..n];
            for (c, term) in c.iter_mut().zip(terms) {
                *c = dot_over(&term.vertices, &self.layers[term.layer][0], y);
            }
            solve_small(&self.matrix[part.matrix..part.matrix + n * n], c);
            if c.iter().any(|c| !c.is_finite()) {
                continue;
            }
            for &v in &part.vertices {
                let v = v as usize;
                for (c, term) in c.iter().zip(terms) {
                    let z = self.layers[term.layer][1][v];
                    (0..3)
                        .for_each(|q| y[v][q] = S::from_f64(y[v][q].to_f64() - c * z[q].to_f64()));
                }
            }
        }
    }

    /// Adds `U Uᵀ x` to `y`, three numbers for each vertex.
    pub fn apply(&self, x: &[f64], y: &mut [f64]) {
        for term in &self.terms {
            let u = &self.layers[term.layer][0];
            let entry = |v: u32, c: usize| (u[v as usize][c].to_f64(), 3 * v as usize + c);
            let own = || term.vertices.iter().flat_map(|&v| [0, 1, 2].map(|c| entry(v, c)));
            let along: f64 = own().map(|(u, i)| u * x[i]).sum();
            own().for_each(|(u, i)| y[i] += along * u);
        }
    }

    /// Returns the error of the forces along `U` \[N\] caused by rounding of positions `x`, divided by
    /// the relative rounding error of a number.
    pub fn rounding_error(&self, x: &[Point<S>]) -> f64 {
        let of = |term: &Term| {
            let u = &self.layers[term.layer][0];
            let own = term.vertices.iter().map(|&v| (&u[v as usize], &x[v as usize]));
            let moved: f64 = own.map(|(u, x)| dot(u, x).abs()).sum();
            moved * dot_over(&term.vertices, u, u).sqrt()
        };
        self.terms.iter().map(of).sum()
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let lists: usize = self.terms.iter().map(|t| 4 * t.vertices.len() + 32).sum();
        let parts: usize = self.components.iter().map(|p| 4 * p.vertices.len()).sum();
        let vectors: usize = self.layers.iter().map(|l| 2 * size_of_val(l[0].as_slice())).sum();
        lists + parts + vectors + 8 * (self.matrix.len() + self.coefficients.len())
    }
}

/// Returns the sets of vertices connected by elements and a consistent mass matrix.
fn connected_components<S: ElementPrecision>(system: &System<S>) -> UnionFind {
    let mut sets = UnionFind::new(system.len());
    for elements in system.model.elements() {
        for e in 0..elements.len() {
            elements.vertices(e).windows(2).for_each(|v| sets.union(v[0], v[1]));
        }
    }
    if let Some(mass) = system.model.mass_matrix() {
        for column in 0..mass.size() {
            mass.column(column).0.iter().for_each(|&row| sets.union(row, column as u32));
        }
    }
    sets
}

/// Returns the sum of `a·b` over some vertices.
fn dot_over<S: ElementPrecision>(vertices: &[u32], a: &[Point<S>], b: &[Point<S>]) -> f64 {
    vertices.iter().map(|&v| dot(&a[v as usize], &b[v as usize])).sum()
}

fn dot<S: ElementPrecision>(a: &Point<S>, b: &Point<S>) -> f64 {
    (0..3).map(|c| a[c].to_f64() * b[c].to_f64()).sum()
}

/// Computes the Cholesky factor of a small matrix, in its lower triangle; NaN if it does not exist.
fn factor_small(a: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            a[i * n + j] = match i == j {
                true if sum > 0.0 => sum.sqrt(),
                true => f64::NAN,
                false => sum / a[j * n + j],
            };
        }
    }
}

/// Solves with the factor, in place.
fn solve_small(a: &[f64], b: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        let known: f64 = (0..i).map(|k| a[i * n + k] * b[k]).sum();
        b[i] = (b[i] - known) / a[i * n + i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| a[k * n + i] * b[k]).sum();
        b[i] = (b[i] - known) / a[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_small_solve_inverts() {
        let full = [4.0, 1.0, 0.5, 1.0, 3.0, -0.25, 0.5, -0.25, 2.0];
        let (mut a, mut b) = (full, [1.0, -2.0, 3.0]);
        factor_small(&mut a, 3);
        solve_small(&a, &mut b);
        for (row, goal) in full.chunks_exact(3).zip([1.0, -2.0, 3.0]) {
            let got: f64 = row.iter().zip(b).map(|(a, b)| a * b).sum();
            assert!((got - goal).abs() < 5e-15, "{got}"); // measured 4e-16
        }
    }
}
