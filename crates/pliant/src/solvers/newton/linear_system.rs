//! Linear system of a Newton iteration: sparsity pattern, assembly, factorisation and search direction.
//!
//! The pattern is built once. Each batch emits the entries of its Hessian in a fixed order, so their
//! slots in the matrix are looked up once and assembly needs no search. Rank-one terms, which couple
//! too many vertices to be stored in the matrix, are applied separately: by Woodbury's formula with a
//! factorisation, as an operator with conjugate gradients.

use crate::linalg::{Operator, Serial, SymmetricMatrix};
use crate::simd::Point;
use crate::solvers::newton::{Hessian, PreparedNewton};
use crate::solvers::rank_one_terms::RankOneTerms;
use crate::system::System;

/// Returns the pattern of the Hessian: three rows per vertex, and all pairs of vertices that share an
/// element. Elements with rank-one terms contribute only the entries that they emit.
pub(super) fn pattern(system: &System<f64>) -> SymmetricMatrix {
    let n = 3 * system.len();
    let mut entries: Vec<(u32, u32, f64)> = (0..n as u32).map(|i| (i, i, 0.0)).collect();
    let at_rest: Vec<Point<f64>> =
        system.model.rest_positions().iter().map(|p| [p[0], p[1], p[2], 1.0]).collect();
    for (elements, batch) in system.model.elements().iter().zip(&system.batches) {
        if batch.rank_one_term_count() > 0 {
            batch.hessian(&at_rest, false, &mut |i, j, _| entries.push((i, j, 0.0)));
        }
        for e in (0..elements.len()).filter(|_| batch.rank_one_term_count() == 0) {
            let vertices = elements.vertices(e);
            for &p in vertices {
                for &q in vertices.iter().filter(|&&q| q <= p) {
                    for i in 0..3 {
                        for j in (0..3).filter(|&j| 3 * q + j <= 3 * p + i) {
                            entries.push((3 * p + i, 3 * q + j, 0.0));
                        }
                    }
                }
            }
        }
        // Duplicates are dropped after each element type to bound memory.
        entries.sort_unstable_by_key(|e| (e.0, e.1));
        entries.dedup_by_key(|e| (e.0, e.1));
    }
    if let Some(mass) = system.model.mass_matrix() {
        for column in 0..mass.size() {
            for &row in mass.column(column).0 {
                (0..3).for_each(|c| entries.push((3 * row + c, 3 * column as u32 + c, 0.0)));
            }
        }
    }
    SymmetricMatrix::from_triplets(n, entries.into_iter())
}

/// Slot of an entry of a pinned vertex, which is not stored in the matrix.
pub(super) const NO_SLOT: u32 = u32::MAX;

/// Looks up the slot of every entry that the batches emit. Their order does not depend on values.
pub(super) fn entry_slots(system: &System<f64>, matrix: &SymmetricMatrix) -> Vec<u32> {
    let free = |row: u32| system.inv_mass[row as usize / 3] > 0.0;
    let x: Vec<Point<f64>> =
        system.model.rest_positions().iter().map(|p| [p[0], p[1], p[2], 1.0]).collect();
    let mut slots = Vec::new();
    for batch in &system.batches {
        batch.hessian(&x, false, &mut |i, j, _| {
            let place = matrix.slot(i as usize, j as usize).filter(|_| free(i) && free(j));
            slots.push(place.map_or(NO_SLOT, |s| s as u32));
        });
    }
    slots
}

pub(super) fn identity(pattern: &SymmetricMatrix) -> SymmetricMatrix {
    let mut matrix = pattern.clone();
    (0..matrix.size()).for_each(|i| matrix.add(i, i, 1.0));
    matrix
}

/// The matrix plus the rank-one terms, which couple too many vertices to be stored in it.
pub(super) struct FullHessian<'a> {
    pub(super) matrix: &'a SymmetricMatrix,
    pub(super) rank_one_terms: &'a RankOneTerms<f64>,
}

impl Operator for FullHessian<'_> {
    fn size(&self) -> usize {
        self.matrix.size()
    }
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.matrix.mul_vec(x, y);
        self.rank_one_terms.apply(x, y);
    }
    fn diagonal(&self, out: &mut [f64]) {
        Operator::diagonal(self.matrix, out);
    }
}

impl PreparedNewton {
    /// Assembles the Hessian of the objective, with the identity for pinned vertices.
    pub(super) fn assemble(&mut self, h: f64, definite: bool) {
        let (matrix, x) = (&mut self.matrix, &self.x);
        matrix.set_zero();
        let free = |row: usize| x[row / 3][3] > 0.0;
        let inv_h2 = 1.0 / (h * h);
        for row in 0..3 * x.len() {
            if !free(row) {
                matrix.add(row, row, 1.0);
            } else if self.system.model.mass_matrix().is_none() {
                matrix.add(row, row, self.system.mass[row / 3] * inv_h2);
            }
        }
        if let Some(mass) = self.system.model.mass_matrix() {
            for column in 0..mass.size() {
                let (rows, values) = mass.column(column);
                for (&row, &m) in rows.iter().zip(values) {
                    let row = row as usize;
                    if free(3 * row) && free(3 * column) {
                        (0..3).for_each(|c| matrix.add(3 * row + c, 3 * column + c, m * inv_h2));
                    }
                }
            }
        }
        let mut slots = self.slots.iter();
        for batch in &self.system.batches {
            batch.hessian(x, definite, &mut |_, _, value| match slots.next() {
                Some(&slot) if slot != NO_SLOT => matrix.add_at(slot as usize, value),
                _ => {}
            });
        }
        for &v in self.contacts.vertices() {
            let v = v as usize;
            if x[v][3] > 0.0 {
                let (_, b) = self.contacts.vertex_force_and_stiffness(v, x);
                (0..3).for_each(|c| matrix.add(3 * v + c, 3 * v + c, b[c]));
                matrix.add(3 * v + 1, 3 * v, b[3]);
                matrix.add(3 * v + 2, 3 * v + 1, b[4]);
                matrix.add(3 * v + 2, 3 * v, b[5]);
            }
        }
    }

    /// Solves `H d = −∇g`. Leaves `d` zero if the matrix cannot be factored.
    pub(super) fn find_direction(&mut self, h: f64) {
        self.direction.iter_mut().zip(&self.gradient).for_each(|(d, g)| *d = -g);
        if self.cholesky.is_none() {
            self.assemble(h, true);
            self.rhs.copy_from_slice(&self.direction);
            self.direction.fill(0.0);
            self.rank_one_terms.update(&self.system, &self.x);
            let whole = FullHessian { matrix: &self.matrix, rank_one_terms: &self.rank_one_terms };
            self.cg.solve(&whole, &self.rhs, &mut self.direction);
            return;
        }
        self.assemble(h, self.settings.hessian == Hessian::PsdProjected);
        let mut positive = self.factor();
        if !positive && self.settings.hessian == Hessian::Adaptive {
            self.assemble(h, true);
            positive = self.factor();
        }
        // A sum of definite parts can fail by rounding alone; a small diagonal shift fixes that.
        let n = self.gradient.len();
        let largest = (0..n).map(|i| self.matrix.column(i).1[0].abs()).fold(0.0, f64::max);
        let mut shift = 1e-10 * largest;
        while !positive && shift < largest {
            (0..n).for_each(|i| self.matrix.add(i, i, shift));
            positive = self.factor();
            shift *= 10.0;
        }
        match &mut self.cholesky {
            Some(c) if positive => {
                c.factor.solve_single(&mut self.direction, &mut c.solve, &Serial)
            }
            _ => self.direction.fill(0.0),
        }
        if positive && !self.rank_one_terms.is_empty() {
            self.apply_rank_one_terms();
        }
    }

    /// Applies the rank-one terms, which are not in the factor, to the direction.
    pub(super) fn apply_rank_one_terms(&mut self) {
        let Some(c) = &mut self.cholesky else { return };
        let (rhs, points) = (&mut self.rhs, &mut self.force);
        self.rank_one_terms.update(&self.system, &self.x);
        self.rank_one_terms.factor(|z| {
            rhs.chunks_exact_mut(3).zip(&*z).for_each(|(to, z)| to.copy_from_slice(&z[..3]));
            c.factor.solve_single(rhs, &mut c.solve, &Serial);
            rhs.chunks_exact(3).zip(z).for_each(|(from, z)| z[..3].copy_from_slice(from));
        });
        let direction = &mut self.direction;
        direction.chunks_exact(3).zip(&mut *points).for_each(|(d, p)| p[..3].copy_from_slice(d));
        self.rank_one_terms.apply_woodbury(points);
        direction.chunks_exact_mut(3).zip(points).for_each(|(d, p)| d.copy_from_slice(&p[..3]));
    }

    /// Factors the matrix. Returns true if it is positive definite.
    pub(super) fn factor(&mut self) -> bool {
        let Some(c) = &mut self.cholesky else { return false };
        c.factor.refactor(&self.matrix, &mut c.scratch).is_ok()
    }
}
