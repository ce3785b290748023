//! The structure of L, found once for a pattern: the order, the panels and their rows, the chunks
//! for parallel solves. Integers only, so it is the same on every machine.
//!
//! A panel holds `width` consecutive columns of L: first the rows of its own triangle, then the
//! `rows` below. Wide supernodes are split into several panels, because the solve multiplies by the
//! inverse of each triangle and the factor computes it.

use std::ops::Range;

use super::SymmetricMatrix;
use super::chunks::{Group, partition};
use super::etree::{ROOT, column_counts, elimination_tree, postorder};
use super::ordering::{Graph, Hints, Permutation, order};
use super::supernodes::{Supernodes, TILE};

/// The widest panel, in columns.
const WIDEST: usize = 64;

/// Consecutive columns of L with the same rows below.
#[derive(Clone, Debug)]
pub struct Panel {
    /// The first column.
    pub first: usize,
    /// The number of columns.
    pub width: usize,
    /// Where the rows below stand in [`Symbolic::rows`].
    pub rows: Range<usize>,
    /// Where the panel stands in the storage of the numeric factor, in tiles of eight rows.
    pub offset: usize,
}

impl Panel {
    /// All rows: the panel's own and those below.
    pub fn height(&self) -> usize {
        self.width + self.rows.len()
    }

    /// Numbers in the storage of the numeric factor.
    pub fn storage(&self) -> usize {
        self.height().next_multiple_of(TILE) * self.width
    }
}

/// Columns that are solved together, above two chunks that are independent of each other.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// The two chunks below.
    pub children: Option<[usize; 2]>,
    /// The chunk's own columns.
    pub columns: Range<usize>,
    /// The panels of these columns.
    pub panels: Range<usize>,
    /// The rows of chunks above that this one and those below it contribute to, ascending.
    pub outside: Vec<u32>,
    /// Each outside row in the local numbering of the chunk above.
    pub to_parent: Vec<u32>,
}

impl Chunk {
    /// Rows in the local numbering: the own columns, then the outside rows.
    pub fn size(&self) -> usize {
        self.columns.len() + self.outside.len()
    }

    /// The local number of a row.
    pub fn local(&self, row: u32) -> u32 {
        if (row as usize) < self.columns.end {
            return row - self.columns.start as u32;
        }
        let rank = self.outside.binary_search(&row).expect("the outside rows hold every such row");
        (self.columns.len() + rank) as u32
    }
}

/// The structure of the factor of every matrix with one pattern.
#[derive(Clone, Debug)]
pub struct Symbolic {
    /// From the caller's rows to the order of elimination.
    pub order: Permutation,
    /// The panels, in order of elimination.
    pub panels: Vec<Panel>,
    /// The rows below of all panels, ascending within each.
    pub rows: Vec<u32>,
    /// The panel of each column.
    pub panel_of: Vec<u32>,
    /// The chunks, children before parents; the last is the top.
    pub chunks: Vec<Chunk>,
    /// Where each stored entry of the matrix stands in the storage of the numeric factor.
    pub slots: Vec<usize>,
    /// Numbers in the storage of the numeric factor.
    pub storage: usize,
}

impl Symbolic {
    /// Analyses the pattern of a matrix.
    pub fn new(matrix: &SymmetricMatrix, hints: Hints) -> Self {
        Self::with_order(matrix, order(matrix, hints))
    }

    /// Analyses the pattern of a matrix for a given order of elimination.
    pub fn with_order(matrix: &SymmetricMatrix, order: Permutation) -> Self {
        let graph = Graph::of(matrix, 1);
        // Renumber so that every subtree is contiguous.
        let parent = elimination_tree(&graph, &order);
        let listed = postorder(&parent);
        let order =
            Permutation::from_list(listed.iter().map(|&j| order.to_old[j as usize]).collect());
        let parent = elimination_tree(&graph, &order);
        let count = column_counts(&graph, &order, &parent);
        let nodes = Supernodes::find(&parent, &count);
        let groups = partition(&nodes.parent, &nodes.work);
        // Renumber so that every chunk is contiguous.
        let listed =
            groups.iter().flat_map(|g| &g.members).flat_map(|&s| &nodes.columns[s as usize]);
        let order = Permutation::from_list(listed.map(|&j| order.to_old[j as usize]).collect());

        let mut out = Self {
            panel_of: vec![0; order.to_old.len()],
            order,
            panels: Vec::new(),
            rows: Vec::new(),
            chunks: Vec::new(),
            slots: Vec::new(),
            storage: 0,
        };
        out.list_panels(&graph, &nodes, &groups);
        out.link_chunks();
        out.find_slots(matrix);
        out
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.panel_of.len()
    }

    /// The rows below a panel.
    pub fn rows(&self, panel: &Panel) -> &[u32] {
        &self.rows[panel.rows.clone()]
    }

    /// The entries of L in the panels, with the zeros that merging stores.
    pub fn entries(&self) -> usize {
        self.panels.iter().map(|p| p.width * (p.width + 1) / 2 + p.width * p.rows.len()).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let outside: usize = self.chunks.iter().map(|c| 8 * c.outside.capacity()).sum();
        outside
            + 4 * (2 * self.size() + self.panel_of.capacity() + self.rows.capacity())
            + size_of::<usize>() * self.slots.capacity()
            + size_of::<Panel>() * self.panels.capacity()
    }

    fn list_panels(&mut self, graph: &Graph, nodes: &Supernodes, groups: &[Group]) {
        let mut children = vec![Vec::new(); nodes.parent.len()];
        for (node, &up) in nodes.parent.iter().enumerate() {
            if up != ROOT {
                children[up as usize].push(node);
            }
        }
        let mut patterns: Vec<Vec<u32>> = vec![Vec::new(); nodes.parent.len()];
        let mut seen = vec![ROOT; self.size()];
        let mut first = 0;
        for group in groups {
            let (columns_start, panels_start) = (first, self.panels.len());
            for &node in &group.members {
                let end = first + nodes.columns[node as usize].len();
                // The rows of the matrix in these columns and those handed up by the children.
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
            self.chunks.push(Chunk {
                children: group.children.map(|c| c.map(|i| i as usize)),
                columns: columns_start..first,
                panels: panels_start..self.panels.len(),
                outside: Vec::new(),
                to_parent: Vec::new(),
            });
        }
    }

    /// Lists one supernode as one or more panels of nearly equal width.
    fn split(&mut self, columns: Range<usize>, pattern: &[u32]) {
        let pieces = columns.len().div_ceil(WIDEST);
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

    /// Finds the outside rows of each chunk and their place in the chunk above.
    fn link_chunks(&mut self) {
        for c in 0..self.chunks.len() {
            let chunk = &self.chunks[c];
            let mut outside = Vec::new();
            for panel in &self.panels[chunk.panels.clone()] {
                outside.extend(self.rows(panel));
            }
            for &child in chunk.children.iter().flatten() {
                outside.extend(&self.chunks[child].outside);
            }
            outside.retain(|&row| row as usize >= chunk.columns.end);
            outside.sort_unstable();
            outside.dedup();
            self.chunks[c].outside = outside;
        }
        for c in 0..self.chunks.len() {
            for child in self.chunks[c].children.into_iter().flatten() {
                let parent = &self.chunks[c];
                let outside = &self.chunks[child].outside;
                let to_parent = outside.iter().map(|&row| parent.local(row)).collect();
                self.chunks[child].to_parent = to_parent;
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
