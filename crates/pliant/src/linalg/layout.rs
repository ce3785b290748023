//! How the factor lies in memory for the solve.
//!
//! Each panel is [−T⁻¹; L_below T⁻¹] (see [`super::solve`]), cut into strips of two packs of rows
//! (the last may have one); a strip holds its columns one after the other. So the forward half reads
//! all numbers in one ascending stream and the backward half in one descending stream. The strips
//! of the triangle stop at their last row's column. The rows of the last strip beyond the panel are
//! zeros and stand for a spare point at the end of the chunk's local points.

use super::supernodes::TILE;
use super::symbolic::{Panel, Symbolic};
use crate::math::Scalar;
use crate::simd::IndexList;

/// One panel of the solve.
#[derive(Clone, Debug)]
pub struct SolvePanel {
    /// The first own row in the chunk's local numbering.
    pub first: usize,
    /// Columns.
    pub width: usize,
    /// Packs of rows.
    pub tiles: usize,
    /// Where its rows start in the chunk's index list.
    pub index: usize,
    /// Where its numbers start.
    pub start: usize,
    /// How many numbers it has.
    pub len: usize,
}

/// The panels of a chunk and the local points their rows stand for.
#[derive(Clone, Debug)]
pub struct ChunkLayout {
    /// The panels, in order of elimination.
    pub panels: Vec<SolvePanel>,
    /// The local points of the rows of each panel, padded to whole tiles.
    pub index: IndexList,
}

/// The columns held by a strip.
#[inline(always)]
pub fn strip_columns(width: usize, strip: usize, lanes: usize) -> usize {
    width.min((strip + 1) * 2 * lanes)
}

/// The places of all panels, for packs of `lanes`, and how many numbers they take.
pub fn lay_out(symbolic: &Symbolic, lanes: usize) -> (Vec<ChunkLayout>, usize) {
    let mut used = 0;
    let mut chunks = Vec::new();
    for chunk in &symbolic.chunks {
        let spare = chunk.size() as u32;
        let mut index = Vec::new();
        let mut panels = Vec::new();
        for panel in &symbolic.panels[chunk.panels.clone()] {
            let tiles = panel.height().div_ceil(lanes);
            let whole = (0..tiles / 2).map(|s| strip_columns(panel.width, s, lanes) * 2 * lanes);
            let len = whole.sum::<usize>() + tiles % 2 * panel.width * lanes;
            let first = panel.first - chunk.columns.start;
            let start = index.len();
            panels.push(SolvePanel {
                first,
                width: panel.width,
                tiles,
                index: start,
                start: used,
                len,
            });
            index.extend(first as u32..(first + panel.width) as u32);
            index.extend(symbolic.rows(panel).iter().map(|&row| chunk.local(row)));
            index.resize(start + tiles * lanes, spare);
            used += len;
        }
        chunks.push(ChunkLayout { panels, index: IndexList::new(&index) });
    }
    (chunks, used)
}

/// Copies a panel from the tiles of the factor to the strips of the solve, rounding to `S`.
pub fn store<S: Scalar>(panel: &Panel, from: &[f64], place: &SolvePanel, to: &mut [S]) {
    let lanes = S::PACK;
    let mut to = &mut to[place.start..place.start + place.len];
    for first in (0..place.tiles).step_by(2) {
        let packs = (place.tiles - first).min(2);
        let columns = strip_columns(panel.width, first / 2, lanes);
        let (strip, rest) = to.split_at_mut(columns * packs * lanes);
        to = rest;
        for pack in 0..packs {
            let row = (first + pack) * lanes;
            let source = &from[row / TILE * TILE * panel.width..];
            let columns = strip.chunks_exact_mut(packs * lanes).zip(source.chunks_exact(TILE));
            for (out, column) in columns {
                let out = &mut out[pack * lanes..(pack + 1) * lanes];
                for (out, &v) in out.iter_mut().zip(&column[row % TILE..]) {
                    *out = S::from_f64(v);
                }
            }
        }
    }
}
