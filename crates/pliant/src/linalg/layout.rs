//! Memory layout of the factor for the solve.
//!
//! Each panel is [−T⁻¹; L_below T⁻¹] (see [`crate::linalg::solve`]), cut into strips of two packs of
//! rows (the last may have one); a strip stores its columns one after the other. The forward half
//! therefore reads all values in one ascending stream and the backward half in one descending stream.
//! The strips of the triangle stop at their last row's column. Rows of the last strip beyond the panel
//! are zero and refer to a padding point at the end of the subtree's local points.

use crate::linalg::supernodes::TILE;
use crate::linalg::symbolic::{Panel, Symbolic};
use crate::math::Scalar;
use crate::simd::IndexList;

/// A panel of the solve.
#[derive(Clone, Debug)]
pub struct SolvePanel {
    /// First row of the panel's triangle, in the subtree's local numbering.
    pub first: usize,
    /// Number of columns.
    pub width: usize,
    /// Number of packs of rows.
    pub tiles: usize,
    /// Start of its rows in the subtree's index list.
    pub index: usize,
    /// Start of its values.
    pub start: usize,
    /// Number of values.
    pub len: usize,
}

/// Panels of a subtree and the local points of their rows.
#[derive(Clone, Debug)]
pub struct SubtreeLayout {
    /// Panels, in order of elimination.
    pub panels: Vec<SolvePanel>,
    /// Local point of each row of each panel, padded to whole tiles.
    pub index: IndexList,
}

/// Returns the number of columns stored in a strip.
#[inline(always)]
pub fn strip_columns(width: usize, strip: usize, lanes: usize) -> usize {
    width.min((strip + 1) * 2 * lanes)
}

/// Returns the layout of all panels for packs of `lanes`, and the total number of values.
pub fn build_layout(symbolic: &Symbolic, lanes: usize) -> (Vec<SubtreeLayout>, usize) {
    let mut used = 0;
    let mut chunks = Vec::new();
    for chunk in &symbolic.subtrees {
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
            index.extend(symbolic.rows(panel).iter().map(|&row| chunk.local_index(row)));
            index.resize(start + tiles * lanes, spare);
            used += len;
        }
        chunks.push(SubtreeLayout { panels, index: IndexList::new(&index) });
    }
    (chunks, used)
}

/// Copies a panel from the tiles of the factor to the strips of the solve, rounding to `S`.
pub fn store_panel<S: Scalar>(panel: &Panel, from: &[f64], place: &SolvePanel, to: &mut [S]) {
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
