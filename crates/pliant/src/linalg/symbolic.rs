//! Symbolic structure of L, computed once per pattern: elimination order, panels and their rows,
//! subtrees for parallel solves. Only integers are involved, so it is the same on every machine.
//!
//! A panel holds `width` consecutive columns of L: first the rows of its own triangle, then the `rows`
//! below. Wide supernodes are split into several panels, because the factorisation computes the inverse
//! of each triangle and the solve multiplies by it.

use std::ops::Range;

use crate::linalg::SymmetricMatrix;
use crate::linalg::etree::{NO_PARENT, column_counts, elimination_tree, postorder};
use crate::linalg::ordering::{AdjacencyGraph, OrderingHints, Permutation, order};
use crate::linalg::subtrees::{SupernodeGroup, partition};
use crate::linalg::supernodes::{Supernodes, TILE};

/// Maximum number of columns of a panel.
const MAX_PANEL_WIDTH: usize = 64;

/// Consecutive columns of L with the same rows below.
#[derive(Clone, Debug)]
pub struct Panel {
    /// First column.
    pub first: usize,
    /// Number of columns.
    pub width: usize,
    /// Range of the rows below in [`Symbolic::rows`].
    pub rows: Range<usize>,
    /// Offset of the panel in the storage of the numeric factor, which is in tiles of eight rows.
    pub offset: usize,
}

impl Panel {
    /// Returns the number of rows: the panel's own and those below.
    pub fn height(&self) -> usize {
        self.width + self.rows.len()
    }

    /// Number of values in the storage of the numeric factor.
    pub fn storage(&self) -> usize {
        self.height().next_multiple_of(TILE) * self.width
    }
}

/// Columns that are solved together, above two subtrees that are independent of each other.
#[derive(Clone, Debug)]
pub struct Subtree {
    /// The two subtrees below.
    pub children: Option<[usize; 2]>,
    /// The subtree's own columns.
    pub columns: Range<usize>,
    /// Panels of these columns.
    pub panels: Range<usize>,
    /// Rows of subtrees above to which this one and those below it contribute, ascending.
    pub ancestor_rows: Vec<u32>,
    /// Each ancestor row in the local numbering of the subtree above.
    pub to_parent: Vec<u32>,
}

impl Subtree {
    /// Returns the number of rows in the local numbering: own columns, then ancestor rows.
    pub fn size(&self) -> usize {
        self.columns.len() + self.ancestor_rows.len()
    }

    /// Returns the local index of a row.
    pub fn local_index(&self, row: u32) -> u32 {
        if (row as usize) < self.columns.end {
            return row - self.columns.start as u32;
        }
        let rank =
            self.ancestor_rows.binary_search(&row).expect("the outside rows hold every such row");
        (self.columns.len() + rank) as u32
    }
}

/// Structure of the factor of every matrix with one pattern.
#[derive(Clone, Debug)]
pub struct Symbolic {
    /// Permutation from the caller's rows to the elimination order.
    pub order: Permutation,
    /// Panels, in order of elimination.
    pub panels: Vec<Panel>,
    /// Rows below all panels, ascending within each.
    pub rows: Vec<u32>,
    /// Panel of each column.
    pub panel_of: Vec<u32>,
    /// Subtrees, children before parents; the last is the top.
    pub subtrees: Vec<Subtree>,
    /// Offset of each stored entry of the matrix in the storage of the numeric factor.
    pub slots: Vec<usize>,
    /// Number of values in the storage of the numeric factor.
    pub storage: usize,
}

impl Symbolic {
    /// Analyses the pattern of a matrix.
    pub fn new(matrix: &SymmetricMatrix, hints: OrderingHints) -> Self {
        Self::with_order(matrix, order(matrix, hints))
    }

    /// Analyses the pattern of a matrix for a given order of elimination.
    pub fn with_order(matrix: &SymmetricMatrix, order: Permutation) -> Self {
        let graph = AdjacencyGraph::of(matrix, 1);
        // Renumber so that every subtree is contiguous.
        let parent = elimination_tree(&graph, &order);
        let listed = postorder(&parent);
        let order =
            Permutation::from_list(listed.iter().map(|&j| order.to_old[j as usize]).collect());
        let parent = elimination_tree(&graph, &order);
        let count = column_counts(&graph, &order, &parent);
        let nodes = Supernodes::find(&parent, &count);
        let groups = partition(&nodes.parent, &nodes.work);
        // Renumber so that every group is contiguous.
        let listed =
            groups.iter().flat_map(|g| &g.members).flat_map(|&s| &nodes.columns[s as usize]);
        let order = Permutation::from_list(listed.map(|&j| order.to_old[j as usize]).collect());

        let mut out = Self {
            panel_of: vec![0; order.to_old.len()],
            order,
            panels: Vec::new(),
            rows: Vec::new(),
            subtrees: Vec::new(),
            slots: Vec::new(),
            storage: 0,
        };
        out.list_panels(&graph, &nodes, &groups);
        out.link_subtrees();
        out.find_slots(matrix);
        out
    }

    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.panel_of.len()
    }

    /// Returns the rows below a panel.
    pub fn rows(&self, panel: &Panel) -> &[u32] {
        &self.rows[panel.rows.clone()]
    }

    /// Returns the number of entries of L in the panels, including the zeros stored by merging.
    pub fn entries(&self) -> usize {
        self.panels.iter().map(|p| p.width * (p.width + 1) / 2 + p.width * p.rows.len()).sum()
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let outside: usize = self.subtrees.iter().map(|c| 8 * c.ancestor_rows.capacity()).sum();
        outside
            + 4 * (2 * self.size() + self.panel_of.capacity() + self.rows.capacity())
            + size_of::<usize>() * self.slots.capacity()
            + size_of::<Panel>() * self.panels.capacity()
    }

    fn list_panels(
        &mut self,
        graph: &AdjacencyGraph,
        nodes: &Supernodes,
        groups: &[SupernodeGroup],
    ) {
        let mut children = vec![Vec::new(); nodes.parent.len()];
        for (node, &up) in nodes.parent.iter().enumerate() {
            if up != NO_PARENT {
                children[up as usize].push(node);
            }
        }
        let mut patterns: Vec<Vec<u32>> = vec![Vec::new(); nodes.parent.len()];
        let mut seen = vec![NO_PARENT; self.size()];
        let mut first = 0;
        for group in groups {
            let (columns_start, panels_start) = (first, self.panels.len());
            for &node in &group.members {
                let end = first + nodes.columns[node as usize].len();
                // Rows of the matrix in these columns and those passed up by the children.
                let mut pattern = Vec::new();
                let couplings = (first..end)
                    .flat_map(|j| graph.neighbours(self.order.to_old[j] as usize))
                    .map(|&i| self.order.to_new[i as usize]);
                let handed = children[node as usize].iter().flat_map(|&c| &patterns[c]).copied();
                for row in couplings.chain(handed) {
                    if row as usize >= end && seen[row as usize] != node {
                        seen[row as usize] = node;
                        pattern.push(row);
                    }
                }
                pattern.sort_unstable();
                self.split(first..end, &pattern);
                patterns[node as usize] = pattern;
                first = end;
            }
            self.subtrees.push(Subtree {
                children: group.children.map(|c| c.map(|i| i as usize)),
                columns: columns_start..first,
                panels: panels_start..self.panels.len(),
                ancestor_rows: Vec::new(),
                to_parent: Vec::new(),
            });
        }
    }

    /// Adds one supernode as one or more panels of nearly equal width.
    fn split(&mut self, columns: Range<usize>, pattern: &[u32]) {
        let pieces = columns.len().div_ceil(MAX_PANEL_WIDTH);
        let width = columns.len().div_ceil(pieces).next_multiple_of(TILE);
        for first in columns.clone().step_by(width) {
            let end = (first + width).min(columns.end);
            let start = self.rows.len();
            self.rows.extend(end as u32..columns.end as u32);
            self.rows.extend(pattern);
            self.panel_of[first..end].fill(self.panels.len() as u32);
            let rows = start..self.rows.len();
            let panel = Panel { first, width: end - first, rows, offset: self.storage };
            self.storage += panel.storage();
            self.panels.push(panel);
        }
    }

    /// Finds the ancestor rows of each subtree and their local indices in the subtree above.
    fn link_subtrees(&mut self) {
        for c in 0..self.subtrees.len() {
            let chunk = &self.subtrees[c];
            let mut outside = Vec::new();
            for panel in &self.panels[chunk.panels.clone()] {
                outside.extend(self.rows(panel));
            }
            for &child in chunk.children.iter().flatten() {
                outside.extend(&self.subtrees[child].ancestor_rows);
            }
            outside.retain(|&row| row as usize >= chunk.columns.end);
            outside.sort_unstable();
            outside.dedup();
            self.subtrees[c].ancestor_rows = outside;
        }
        for c in 0..self.subtrees.len() {
            for child in self.subtrees[c].children.into_iter().flatten() {
                let parent = &self.subtrees[c];
                let outside = &self.subtrees[child].ancestor_rows;
                let to_parent = outside.iter().map(|&row| parent.local_index(row)).collect();
                self.subtrees[child].to_parent = to_parent;
            }
        }
    }

    fn find_slots(&mut self, matrix: &SymmetricMatrix) {
        self.slots.reserve_exact(matrix.entries());
        for j in 0..matrix.size() {
            for &i in matrix.column(j).0 {
                let (a, b) = (self.order.to_new[i as usize], self.order.to_new[j]);
                let (column, row) = (a.min(b), a.max(b));
                let panel = &self.panels[self.panel_of[column as usize] as usize];
                let position = match (row as usize).checked_sub(panel.first + panel.width) {
                    None => row as usize - panel.first,
                    Some(_) => {
                        let below = self.rows(panel).binary_search(&row);
                        panel.width + below.expect("every entry of the matrix is an entry of L")
                    }
                };
                let tile = position / TILE * panel.width + (column as usize - panel.first);
                self.slots.push(panel.offset + tile * TILE + position % TILE);
            }
        }
    }
}
