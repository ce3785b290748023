//! Solves for one right-hand side: Newton's system with three rows per vertex.
//!
//! Uses the same panels and the same two products as [`crate::linalg::solve`], on scalars instead of
//! points.

use crate::linalg::Factor;
use crate::linalg::fork::Fork;
use crate::linalg::layout::{SolvePanel, SubtreeLayout, strip_columns};
use crate::linalg::solve::{ChunkScratch, SolveScratch};
use crate::math::{Real, Scalar};
use crate::simd::{POINT_STRIDE, Pack, SimdLoop};

impl<S: Scalar> Factor<S> {
    /// Solves in place, in the caller's numbering. Allocates nothing.
    ///
    /// # Panics
    /// If the number of elements differs from the number of rows, or the scratch was created for
    /// another factor.
    pub fn solve_single(&self, rhs: &mut [S], scratch: &mut SolveScratch<S>, fork: &impl Fork) {
        assert_eq!(rhs.len(), self.size(), "one number per row");
        assert_eq!(scratch.subtrees.len(), self.subtrees.len(), "scratch of another factor");
        self.forward_single(self.subtrees.len() - 1, &mut scratch.subtrees, rhs, fork);
        self.backward_single(self.subtrees.len() - 1, &mut scratch.subtrees, fork);
        for (chunk, work) in self.symbolic.subtrees.iter().zip(&scratch.subtrees) {
            let places = &self.symbolic.order.to_old[chunk.columns.clone()];
            for (&old, &v) in places.iter().zip(&work.scalars) {
                rhs[old as usize] = v;
            }
        }
    }

    /// Runs the forward half, as `forward3` does for points.
    fn forward_single(&self, c: usize, works: &mut [ChunkScratch<S>], rhs: &[S], fork: &impl Fork) {
        let chunk = &self.symbolic.subtrees[c];
        let Some((work, below)) = works.split_last_mut() else { return };
        if let Some([a, b]) = chunk.children {
            let (first, second) = below.split_at_mut(below.len() - (b - a));
            fork.join(
                || self.forward_single(a, first, rhs, fork),
                || self.forward_single(b, second, rhs, fork),
            );
        }
        let (own, outside) = work.scalars.split_at_mut(chunk.columns.len());
        let places = &self.symbolic.order.to_old[chunk.columns.clone()];
        for (v, &old) in own.iter_mut().zip(places) {
            *v = rhs[old as usize];
        }
        outside.fill(S::zero());
        for child in chunk.children.into_iter().flatten() {
            let below = &below[below.len() - (c - child)];
            let columns = self.symbolic.subtrees[child].columns.len();
            let to_parent = &self.symbolic.subtrees[child].to_parent;
            for (&to, &from) in to_parent.iter().zip(&below.scalars[columns..]) {
                work.scalars[to as usize] += from;
            }
        }
        S::dispatch_packed(&mut self.half_solve_single(c, work, true));
    }

    /// Runs the backward half, as `backward3` does for points.
    fn backward_single(&self, c: usize, works: &mut [ChunkScratch<S>], fork: &impl Fork) {
        let chunk = &self.symbolic.subtrees[c];
        let Some((work, below)) = works.split_last_mut() else { return };
        if let Some(spare) = work.scalars.last_mut() {
            *spare = S::zero();
        }
        S::dispatch_packed(&mut self.half_solve_single(c, work, false));
        let Some([a, b]) = chunk.children else { return };
        for child in [a, b] {
            let at = below.len() - (c - child);
            let columns = self.symbolic.subtrees[child].columns.len();
            let to_parent = &self.symbolic.subtrees[child].to_parent;
            for (&from, to) in to_parent.iter().zip(&mut below[at].scalars[columns..]) {
                *to = work.scalars[from as usize];
            }
        }
        let (first, second) = below.split_at_mut(below.len() - (b - a));
        fork.join(
            || self.backward_single(a, first, fork),
            || self.backward_single(b, second, fork),
        );
    }

    fn half_solve_single<'a>(
        &'a self,
        c: usize,
        work: &'a mut ChunkScratch<S>,
        forward: bool,
    ) -> HalfSolveSingle<'a, S> {
        HalfSolveSingle { layout: &self.subtrees[c], values: self.values.as_slice(), work, forward }
    }
}

/// One half of the solve on the panels of one subtree.
struct HalfSolveSingle<'a, S: Scalar> {
    layout: &'a SubtreeLayout,
    values: &'a [S],
    work: &'a mut ChunkScratch<S>,
    forward: bool,
}

impl<S: Scalar> SimdLoop<S> for HalfSolveSingle<'_, S> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        let ChunkScratch { scalars: singles, sums, .. } = &mut *self.work;
        let sums = sums.as_mut_slice();
        let index = self.layout.index.offsets();
        if self.forward {
            for panel in &self.layout.panels {
                let values = &self.values[panel.start..panel.start + panel.len];
                let index = &index[panel.index..panel.index + panel.tiles * R::LANES];
                forward::<R>(panel, values, index, singles, sums);
            }
        } else {
            for panel in self.layout.panels.iter().rev() {
                let values = &self.values[panel.start..panel.start + panel.len];
                let index = &index[panel.index..panel.index + panel.tiles * R::LANES];
                backward::<R>(panel, values, index, singles, sums);
            }
        }
    }
}

#[inline(always)]
fn forward<R: Pack>(
    panel: &SolvePanel,
    values: &[R::Scalar],
    index: &[u32],
    singles: &mut [R::Scalar],
    own: &mut [R::Scalar],
) {
    let (width, lanes) = (panel.width, R::LANES);
    let own = &mut own[..width];
    let place = &mut singles[panel.first..panel.first + width];
    own.copy_from_slice(place);
    place.fill(R::Scalar::zero());
    let mut rest = values;
    for (strip, index) in index.chunks(2 * lanes).enumerate() {
        let (a, after) = rest.split_at(strip_columns(width, strip, lanes) * index.len());
        rest = after;
        let (mut low, mut high) = (R::zero(), R::zero());
        if index.len() == 2 * lanes {
            for (a, &v) in a.chunks_exact(2 * lanes).zip(&*own) {
                let v = R::splat(v);
                low += R::load(a) * v;
                high += R::load(&a[lanes..]) * v;
            }
        } else {
            for (a, &v) in a.chunks_exact(lanes).zip(&*own) {
                low += R::load(a) * R::splat(v);
            }
        }
        for (lane, &i) in index.iter().enumerate() {
            let v = if lane < lanes { low.lane(lane) } else { high.lane(lane - lanes) };
            singles[(i / POINT_STRIDE) as usize] -= v;
        }
    }
}

#[inline(always)]
fn backward<R: Pack>(
    panel: &SolvePanel,
    values: &[R::Scalar],
    index: &[u32],
    singles: &mut [R::Scalar],
    sums: &mut [R::Scalar],
) {
    let (width, lanes) = (panel.width, R::LANES);
    let sums = &mut sums[..width * lanes];
    sums.fill(R::Scalar::zero());
    let mut rest = values;
    for (strip, index) in index.chunks(2 * lanes).enumerate().rev() {
        let columns = strip_columns(width, strip, lanes);
        let (before, a) = rest.split_at(rest.len() - columns * index.len());
        rest = before;
        let low = gather::<R>(&index[..lanes], singles);
        if index.len() == 2 * lanes {
            let high = gather::<R>(&index[lanes..], singles);
            for (a, sum) in a.chunks_exact(2 * lanes).zip(sums.chunks_exact_mut(lanes)).rev() {
                let product = R::load(a) * low + R::load(&a[lanes..]) * high;
                (R::load(sum) - product).store(sum);
            }
        } else {
            for (a, sum) in a.chunks_exact(lanes).zip(sums.chunks_exact_mut(lanes)).rev() {
                (R::load(sum) - R::load(a) * low).store(sum);
            }
        }
    }
    let own = &mut singles[panel.first..panel.first + width];
    for (v, sum) in own.iter_mut().zip(sums.chunks_exact(lanes)) {
        *v = R::sum_lanes([R::load(sum), R::zero(), R::zero(), R::zero()])[0];
    }
}

/// Gathers one element per lane. No pack has more than eight lanes.
#[inline(always)]
fn gather<R: Pack>(index: &[u32], singles: &[R::Scalar]) -> R {
    let mut lanes = [R::Scalar::zero(); 8];
    for (lane, &i) in lanes.iter_mut().zip(index) {
        *lane = singles[(i / POINT_STRIDE) as usize];
    }
    R::load(&lanes)
}
