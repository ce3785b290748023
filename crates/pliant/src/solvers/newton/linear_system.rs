//! Linear system of a Newton iteration: sparsity pattern, slots and assembly.
//!
//! The pattern is built once, in full blocks of three rows and columns for each pair of vertices. Each
//! batch adds its Hessian in a fixed order, so the slots are looked up once and assembly needs no search.
//! Two kinds of terms are not stored in the matrix, because they couple too many vertices or others in
//! every step: rank-one terms and contacts between several vertices. They are applied as operators.

use crate::batch::{AnyBatch, BlockSlot, HessianBlocks};
use crate::contact::{ContactSet, CoupledBlock};
use crate::linalg::{Operator, Preconditioned, Serial, SymmetricMatrix};
use crate::simd::Point;
use crate::solvers::newton::{Cholesky, PreparedNewton};
use crate::solvers::rank_one_terms::RankOneTerms;
use crate::system::System;

/// Returns the pattern of the Hessian: three rows per vertex, and all pairs of vertices that share an
/// element. Elements with rank-one terms contribute only the pairs of the entries that they emit.
pub(super) fn pattern(system: &System<f64>) -> SymmetricMatrix {
    let mut pairs: Vec<(u32, u32)> = (0..system.len() as u32).map(|v| (v, v)).collect();
    let at_rest = rest_points(system);
    for (elements, batch) in system.model.elements().iter().zip(&system.batches) {
        if batch.rank_one_term_count() > 0 {
            batch.hessian(&at_rest, false, &mut |i, j, _| pairs.push((i.max(j) / 3, i.min(j) / 3)));
        } else {
            for e in 0..elements.len() {
                let vertices = elements.vertices(e);
                for &p in vertices {
                    pairs.extend(vertices.iter().filter(|&&q| q <= p).map(|&q| (p, q)));
                }
            }
        }
        // Duplicates are dropped after each element type to bound memory.
        pairs.sort_unstable();
        pairs.dedup();
    }
    if let Some(mass) = system.model.mass_matrix() {
        for column in 0..mass.size() {
            pairs.extend(mass.column(column).0.iter().map(|&row| (row, column as u32)));
        }
    }
    let entries = pairs.iter().flat_map(|&(p, q)| {
        let all = (0..3).flat_map(move |i| (0..3).map(move |j| (3 * p + i, 3 * q + j, 0.0)));
        all.filter(|(row, column, _)| row >= column)
    });
    SymmetricMatrix::from_triplets(3 * system.len(), entries)
}

fn rest_points(system: &System<f64>) -> Vec<Point<f64>> {
    system.model.rest_positions().iter().map(|p| [p[0], p[1], p[2], 1.0]).collect()
}

/// Slots in the matrix of what a batch adds to it, in its order.
pub(super) enum BatchSlots {
    /// Blocks of pairs of vertices.
    Blocks(Vec<BlockSlot>),
    /// Single entries, of batches that have no blocks.
    Entries(Vec<u32>),
}

/// Slot of an entry of a pinned vertex, which is not stored in the matrix.
const NO_SLOT: u32 = u32::MAX;

impl BatchSlots {
    /// Looks up the slots of every batch.
    pub(super) fn find(system: &System<f64>, matrix: &SymmetricMatrix) -> Vec<Self> {
        let free = |vertex: u32| system.inv_mass[vertex as usize] > 0.0;
        let x = rest_points(system);
        let of = |batch: &dyn AnyBatch<f64>| {
            let mut blocks = Vec::new();
            let listed = batch.list_hessian_blocks(&mut |vertices| {
                for (p, &vp) in vertices.iter().enumerate() {
                    blocks.extend(vertices[..=p].iter().map(|&vq| {
                        let stored = free(vp) && free(vq);
                        if stored { BlockSlot::find(matrix, vp, vq) } else { BlockSlot::NONE }
                    }));
                }
            });
            if listed {
                return Self::Blocks(blocks);
            }
            let mut entries = Vec::new();
            batch.hessian(&x, false, &mut |i, j, _| {
                let stored = free(i / 3) && free(j / 3);
                let slot = matrix.slot(i as usize, j as usize).filter(|_| stored);
                entries.push(slot.map_or(NO_SLOT, |s| s as u32));
            });
            Self::Entries(entries)
        };
        system.batches.iter().map(|b| of(b.as_ref())).collect()
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Blocks(slots) => 12 * slots.len(),
            Self::Entries(slots) => 4 * slots.len(),
        }
    }
}

pub(super) fn identity(pattern: &SymmetricMatrix) -> SymmetricMatrix {
    let mut matrix = pattern.clone();
    (0..matrix.size()).for_each(|i| matrix.add_diagonal(i, 1.0));
    matrix
}

/// Stiffness of the contacts at the present positions.
#[derive(Default)]
pub(super) struct ContactStiffness {
    /// Blocks of contacts of one vertex, which are added to the matrix.
    single: Vec<(u32, [f64; 6])>,
    /// Blocks of contacts between several vertices.
    coupled: Vec<CoupledBlock>,
    /// Values of the matrix without the bounds of the latter.
    saved: Vec<f64>,
}

impl ContactStiffness {
    /// Computes the stiffness of all contacts.
    pub(super) fn update(&mut self, contacts: &ContactSet, x: &[Point<f64>]) {
        contacts.stiffness_blocks(x, &mut self.single, &mut self.coupled);
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<(u32, [f64; 6])>() * self.single.capacity()
            + size_of::<CoupledBlock>() * self.coupled.capacity()
            + 8 * self.saved.capacity()
    }
}

/// The matrix plus what is not stored in it: rank-one terms, and contacts between several vertices.
pub(super) struct FullHessian<'a> {
    pub(super) matrix: &'a SymmetricMatrix,
    pub(super) rank_one_terms: &'a mut RankOneTerms<f64>,
    pub(super) contacts: &'a ContactSet,
    pub(super) contact_stiffness: &'a ContactStiffness,
    pub(super) inv_mass: &'a [f64],
    /// Preconditioner.
    pub(super) cholesky: Option<&'a mut Cholesky>,
    /// Scratch for the preconditioner.
    pub(super) points: &'a mut [Point<f64>],
}

impl Preconditioned for FullHessian<'_> {
    fn precondition(&mut self, z: &mut [f64]) {
        let Some(c) = &mut self.cholesky else { return };
        c.factor.solve_single(z, &mut c.solve, &Serial);
        apply_rank_one_terms(self.rank_one_terms, self.points, z);
    }
}

/// Applies the rank-one terms, which are not in the factor, to a solution with it.
pub(super) fn apply_rank_one_terms(
    terms: &mut RankOneTerms<f64>,
    points: &mut [Point<f64>],
    z: &mut [f64],
) {
    if terms.is_empty() {
        return;
    }
    z.chunks_exact(3).zip(&mut *points).for_each(|(d, p)| p[..3].copy_from_slice(d));
    terms.apply_woodbury(points);
    z.chunks_exact_mut(3).zip(points).for_each(|(d, p)| d.copy_from_slice(&p[..3]));
}

impl Operator for FullHessian<'_> {
    fn size(&self) -> usize {
        self.matrix.size()
    }
    fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.matrix.mul_vec_by_blocks(x, y);
        self.rank_one_terms.apply(x, y);
        let free = |v: usize| self.inv_mass[v] > 0.0;
        self.contacts.add_coupled_products(&self.contact_stiffness.coupled, free, x, y);
    }
    fn diagonal(&self, out: &mut [f64]) {
        Operator::diagonal(self.matrix, out);
        self.contacts.bound_coupled_blocks(&self.contact_stiffness.coupled, |v, b| {
            if self.inv_mass[v] > 0.0 {
                (0..3).for_each(|c| out[3 * v + c] += b[c]);
            }
        });
    }
}

impl PreparedNewton {
    /// Assembles the Hessian of the objective, with the identity for pinned vertices, without the terms
    /// that are not stored in the matrix.
    pub(super) fn assemble(&mut self, h: f64, definite: bool) {
        let (matrix, x) = (&mut self.matrix, &self.x);
        matrix.set_zero();
        let free = |vertex: usize| x[vertex][3] > 0.0;
        let inv_h2 = 1.0 / (h * h);
        let lumped = self.system.model.mass_matrix().is_none();
        for v in 0..x.len() {
            let inertia = if lumped { self.system.mass[v] * inv_h2 } else { 0.0 };
            let own = if free(v) { inertia } else { 1.0 };
            (0..3).for_each(|c| matrix.add_diagonal(3 * v + c, own));
        }
        if let Some(mass) = self.system.model.mass_matrix() {
            for column in 0..mass.size() {
                let (rows, values) = mass.column(column);
                for (&row, &m) in rows.iter().zip(values) {
                    let row = row as usize;
                    if free(row) && free(column) {
                        (0..3).for_each(|c| matrix.add(3 * row + c, 3 * column + c, m * inv_h2));
                    }
                }
            }
        }
        for (batch, slots) in self.system.batches.iter().zip(&self.slots) {
            match slots {
                BatchSlots::Blocks(slots) => {
                    let mut to = HessianBlocks::new(matrix.values_mut(), slots);
                    batch.add_hessian_blocks(x, definite, &mut to);
                }
                BatchSlots::Entries(slots) => {
                    let mut slots = slots.iter();
                    batch.hessian(x, definite, &mut |_, _, value| match slots.next() {
                        Some(&slot) if slot != NO_SLOT => matrix.add_at(slot as usize, value),
                        _ => {}
                    });
                }
            }
        }
        for &(v, block) in &self.contact_stiffness.single {
            if free(v as usize) {
                add_block(matrix, v as usize, block);
            }
        }
    }

    /// Adds bounds of the contacts between several vertices to the matrix, for a factor.
    /// [`PreparedNewton::remove_contact_bounds`] restores its values exactly.
    pub(super) fn add_contact_bounds(&mut self) {
        let own = &mut self.contact_stiffness;
        if own.coupled.is_empty() {
            return;
        }
        own.saved.clear();
        own.saved.extend_from_slice(self.matrix.values());
        let (matrix, x) = (&mut self.matrix, &self.x);
        self.contacts.bound_coupled_blocks(&own.coupled, |v, block| {
            if x[v][3] > 0.0 {
                add_block(matrix, v, block);
            }
        });
    }

    /// Removes the bounds of the contacts between several vertices from the matrix.
    pub(super) fn remove_contact_bounds(&mut self) {
        let own = &self.contact_stiffness;
        if !own.coupled.is_empty() {
            self.matrix.values_mut().copy_from_slice(&own.saved);
        }
    }
}

/// Adds a block by its entries xx, yy, zz, xy, yz, zx to the diagonal.
fn add_block(matrix: &mut SymmetricMatrix, v: usize, b: [f64; 6]) {
    (0..3).for_each(|c| matrix.add_diagonal(3 * v + c, b[c]));
    matrix.add(3 * v + 1, 3 * v, b[3]);
    matrix.add(3 * v + 2, 3 * v + 1, b[4]);
    matrix.add(3 * v + 2, 3 * v, b[5]);
}
