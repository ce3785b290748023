//! Solving for one right-hand side: Newton's system with three rows per vertex.
//!
//! The same panels and the same two products as in [`super::solve`], on numbers instead of points.

use super::Factor;
use super::fork::Fork;
use super::layout::{ChunkLayout, SolvePanel, strip_columns};
use super::solve::{SolveScratch, Work};
use crate::math::{Real, Scalar};
use crate::simd::{Job, OFFSET, Pack};

impl<S: Scalar> Factor<S> {
    /// Solves in place, in the caller's numbering. Allocates nothing.
    ///
    /// # Panics
    /// If there are not as many numbers as rows, or the scratch was made for another factor.
    pub fn solve1(&self, rhs: &mut [S], scratch: &mut SolveScratch<S>, fork: &impl Fork) {
        assert_eq!(rhs.len(), self.size(), "one number per row");
        assert_eq!(scratch.chunks.len(), self.chunks.len(), "scratch of another factor");
        self.forward1(self.chunks.len() - 1, &mut scratch.chunks, rhs, fork);
        self.backward1(self.chunks.len() - 1, &mut scratch.chunks, fork);
        for (chunk, work) in self.symbolic.chunks.iter().zip(&scratch.chunks) {
            let places = &self.symbolic.order.to_old[chunk.columns.clone()];
            for (&old, &v) in places.iter().zip(&work.singles) {
                rhs[old as usize] = v;
            }
        }
    }

    /// As the forward half on points.
    fn forward1(&self, c: usize, works: &mut [Work<S>], rhs: &[S], fork: &impl Fork) {
        let chunk = &self.symbolic.chunks[c];
        let Some((work, below)) = works.split_last_mut() else { return };
        if let Some([a, b]) = chunk.children {
            let (first, second) = below.split_at_mut(below.len() - (b - a));
            fork.join(
                || self.forward1(a, first, rhs, fork),
                || self.forward1(b, second, rhs, fork),
            );
        }
        let (own, outside) = work.singles.split_at_mut(chunk.columns.len());
        let places = &self.symbolic.order.to_old[chunk.columns.clone()];
        for (v, &old) in own.iter_mut().zip(places) {
            *v = rhs[old as usize];
        }
        outside.fill(S::zero());
        for child in chunk.children.into_iter().flatten() {
            let below = &below[below.len() - (c - child)];
            let columns = self.symbolic.chunks[child].columns.len();
            let to_parent = &self.symbolic.chunks[child].to_parent;
            for (&to, &from) in to_parent.iter().zip(&below.singles[columns..]) {
                work.singles[to as usize] += from;
            }
        }
        S::dispatch_packed(&mut self.half1(c, work, true));
    }

    /// As the backward half on points.
    fn backward1(&self, c: usize, works: &mut [Work<S>], fork: &impl Fork) {
        let chunk = &self.symbolic.chunks[c];
        let Some((work, below)) = works.split_last_mut() else { return };
        if let Some(spare) = work.singles.last_mut() {
            *spare = S::zero();
        }
        S::dispatch_packed(&mut self.half1(c, work, false));
        let Some([a, b]) = chunk.children else { return };
        for child in [a, b] {
            let at = below.len() - (c - child);
            let columns = self.symbolic.chunks[child].columns.len();
            let to_parent = &self.symbolic.chunks[child].to_parent;
            for (&from, to) in to_parent.iter().zip(&mut below[at].singles[columns..]) {
                *to = work.singles[from as usize];
            }
        }
        let (first, second) = below.split_at_mut(below.len() - (b - a));
        fork.join(|| self.backward1(a, first, fork), || self.backward1(b, second, fork));
    }

    fn half1<'a>(&'a self, c: usize, work: &'a mut Work<S>, forward: bool) -> Half1<'a, S> {
        Half1 { layout: &self.chunks[c], values: self.values.as_slice(), work, forward }
    }
}

/// One half of the solve on the panels of one chunk.
struct Half1<'a, S: Scalar> {
    layout: &'a ChunkLayout,
    values: &'a [S],
    work: &'a mut Work<S>,
    forward: bool,
}

impl<S: Scalar> Job<S> for Half1<'_, S> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        let Work { singles, sums, .. } = &mut *self.work;
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
            singles[(i / OFFSET) as usize] -= v;
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

/// One number per lane. No pack has more than eight.
#[inline(always)]
fn gather<R: Pack>(index: &[u32], singles: &[R::Scalar]) -> R {
    let mut lanes = [R::Scalar::zero(); 8];
    for (lane, &i) in lanes.iter_mut().zip(index) {
        *lane = singles[(i / OFFSET) as usize];
    }
    R::load(&lanes)
}
