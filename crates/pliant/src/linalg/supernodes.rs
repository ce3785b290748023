//! Supernodes: runs of columns of L with the same rows below, stored as one dense panel.
//!
//! A child is merged into its parent if the zeros this stores cost the solve less time than the panel
//! it saves. The cost of a panel, in entries of L read, is an estimate: its padded entries, a share for
//! each row (gathered and scattered once) and one for the panel itself. Two and four times the share of
//! a row, or three times that of a panel, made the solve up to 9 % slower in single precision; smaller
//! shares were not tried. Merging is not limited to the last child: the columns are renumbered
//! afterwards.

use crate::linalg::etree::NO_PARENT;

/// Rows per tile of the factor and of the single-precision solve; the unit of the cost estimate.
pub const TILE: usize = 8;
/// Cost of one row of a panel, in entries.
const ROW_COST: u64 = 4;
/// Cost of a panel, in entries.
const PANEL_COST: u64 = 64;

/// A forest of supernodes, children before parents.
#[derive(Clone, Debug, Default)]
pub struct Supernodes {
    /// Parent of each supernode, or [`NO_PARENT`].
    pub parent: Vec<u32>,
    /// Columns of each supernode, ascending, in the numbering of the elimination tree.
    pub columns: Vec<Vec<u32>>,
    /// Cost of solving with each supernode, in entries of L.
    pub work: Vec<u64>,
}

impl Supernodes {
    /// Finds the supernodes of a postordered elimination tree and merges them.
    pub fn find(parent: &[u32], count: &[u32]) -> Self {
        let mut merger = Merger::fundamental(parent, count);
        for node in 0..merger.parent.len() {
            merger.absorb_children(node);
        }
        merger.finish()
    }
}

/// Returns the cost of solving with a panel of `width` columns and `below` rows below them.
fn cost(width: usize, below: usize) -> u64 {
    let tiles = (width + below).div_ceil(TILE);
    // The tiles of the triangle hold only the columns up to their last row.
    let triangle = width / TILE;
    let entries = TILE * TILE * triangle * (triangle + 1) / 2 + (tiles - triangle) * TILE * width;
    entries as u64 + ROW_COST * (tiles * TILE) as u64 + PANEL_COST
}

struct Merger {
    parent: Vec<u32>,
    children: Vec<Vec<u32>>,
    columns: Vec<Vec<u32>>,
    below: Vec<usize>,
    merged: Vec<bool>,
}

impl Merger {
    fn fundamental(parent: &[u32], count: &[u32]) -> Self {
        let n = parent.len();
        let mut node_of = vec![0u32; n];
        let mut columns: Vec<Vec<u32>> = Vec::new();
        for j in 0..n {
            let continues = j > 0 && parent[j - 1] == j as u32 && count[j - 1] == count[j] + 1;
            if !continues {
                columns.push(Vec::new());
            }
            node_of[j] = columns.len() as u32 - 1;
            columns[node_of[j] as usize].push(j as u32);
        }
        let mut merger = Self {
            parent: Vec::new(),
            children: vec![Vec::new(); columns.len()],
            below: Vec::new(),
            merged: vec![false; columns.len()],
            columns,
        };
        for (node, columns) in merger.columns.iter().enumerate() {
            let last = columns[columns.len() - 1] as usize;
            merger.below.push(count[last] as usize - 1);
            let up =
                if parent[last] == NO_PARENT { NO_PARENT } else { node_of[parent[last] as usize] };
            merger.parent.push(up);
            if up != NO_PARENT {
                merger.children[up as usize].push(node as u32);
            }
        }
        merger
    }

    fn absorb_children(&mut self, node: usize) {
        // The child with the most rows is most similar to its parent.
        let mut waiting = std::mem::take(&mut self.children[node]);
        waiting.sort_unstable_by_key(|&c| (std::cmp::Reverse(self.below[c as usize]), c));
        let mut next = 0;
        while next < waiting.len() {
            let child = waiting[next] as usize;
            next += 1;
            let (wide, narrow) = (self.columns[node].len(), self.columns[child].len());
            let apart = cost(wide, self.below[node]) + cost(narrow, self.below[child]);
            if cost(wide + narrow, self.below[node]) < apart {
                self.merged[child] = true;
                let columns = std::mem::take(&mut self.columns[child]);
                self.columns[node].extend(columns);
                waiting.append(&mut self.children[child]);
            } else {
                self.parent[child] = node as u32;
                self.children[node].push(child as u32);
            }
        }
    }

    fn finish(mut self) -> Supernodes {
        let mut renumbered = vec![NO_PARENT; self.parent.len()];
        let mut kept = 0;
        for node in 0..self.parent.len() {
            if !self.merged[node] {
                renumbered[node] = kept;
                kept += 1;
            }
        }
        let mut out = Supernodes::default();
        for node in 0..self.parent.len() {
            if self.merged[node] {
                continue;
            }
            let mut columns = std::mem::take(&mut self.columns[node]);
            columns.sort_unstable();
            let up = self.parent[node];
            out.parent.push(if up == NO_PARENT { NO_PARENT } else { renumbered[up as usize] });
            out.work.push(cost(columns.len(), self.below[node]));
            out.columns.push(columns);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dense_matrix_is_one_supernode() {
        let s = Supernodes::find(&[1, 2, 3, NO_PARENT], &[4, 3, 2, 1]);
        assert_eq!(s.columns, [[0, 1, 2, 3]]);
    }

    #[test]
    fn separate_roots_are_never_merged() {
        let s = Supernodes::find(&[1, NO_PARENT, 3, NO_PARENT], &[2, 1, 2, 1]);
        assert_eq!(s.columns, [[0, 1], [2, 3]]);
    }
}
