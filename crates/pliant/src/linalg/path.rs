//! Paths in the elimination tree: the panels of L that a change of the matrix affects.
//!
//! A change `w a aᵀ` alters the columns of L on the path from the first column of `a` up to the root of
//! the elimination tree (Davis and Hager 1999), here panel by panel. Changes are processed in sets of
//! four along the union of their paths, since the paths of neighbouring vertices soon merge. Where two
//! such sets reach the same panel, it is updated by eight changes at once.

use crate::linalg::Symbolic;
use crate::linalg::etree::NO_PARENT;

/// Number of changes processed as one set.
pub const SMALL_GROUP: usize = 4;
/// Number of changes applied to a panel at once where two sets reach it.
pub const LARGE_GROUP: usize = 2 * SMALL_GROUP;
/// Maximum number of changes: the sets that reach a panel are stored as bits.
pub const MAX_CHANGES: usize = u128::BITS as usize * SMALL_GROUP;

/// A group of changes applied to a panel at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeGroup {
    /// Index of the first change.
    pub first: usize,
    /// [`LARGE_GROUP`] or [`SMALL_GROUP`].
    pub size: usize,
}

/// The panels reached by a list of changes.
#[derive(Clone, Debug)]
pub struct Paths {
    /// Parent of each panel.
    parent: Vec<u32>,
    /// Sets of [`SMALL_GROUP`] changes that reach each panel, one bit per set.
    reached_by: Vec<u128>,
    /// Reached panels, ascending.
    pub panels: Vec<u32>,
    /// Start of the rows of each reached panel in the concatenated rows of all reached panels.
    pub row_starts: Vec<u32>,
    /// Number of rows of all reached panels.
    pub row_count: usize,
}

impl Paths {
    /// Creates paths that reach no panel.
    pub fn new(symbolic: &Symbolic) -> Self {
        let above =
            |panel| symbolic.rows(panel).first().map(|&row| symbolic.panel_of[row as usize]);
        let parent: Vec<u32> =
            symbolic.panels.iter().map(|panel| above(panel).unwrap_or(NO_PARENT)).collect();
        Self {
            reached_by: vec![0; parent.len()],
            row_starts: vec![0; parent.len()],
            panels: Vec::with_capacity(parent.len()),
            row_count: 0,
            parent,
        }
    }

    /// Finds the panels reached by changes with the given first columns, ascending.
    ///
    /// # Panics
    /// If there are more than [`MAX_CHANGES`].
    pub fn find(&mut self, symbolic: &Symbolic, columns: &[u32]) {
        assert!(columns.len() <= MAX_CHANGES, "too many changes at once");
        for &panel in &self.panels {
            self.reached_by[panel as usize] = 0;
        }
        self.panels.clear();
        for (set, columns) in columns.chunks(SMALL_GROUP).enumerate() {
            let bit = 1 << set;
            for &column in columns {
                let mut panel = symbolic.panel_of[column as usize];
                while panel != NO_PARENT && self.reached_by[panel as usize] & bit == 0 {
                    if self.reached_by[panel as usize] == 0 {
                        self.panels.push(panel);
                    }
                    self.reached_by[panel as usize] |= bit;
                    panel = self.parent[panel as usize];
                }
            }
        }
        self.panels.sort_unstable();
        self.row_count = 0;
        for &panel in &self.panels {
            self.row_starts[panel as usize] = self.row_count as u32;
            self.row_count += symbolic.panels[panel as usize].width;
        }
    }

    /// Returns the groups that reach a panel, ascending.
    #[inline(always)]
    pub fn reaching(&self, panel: u32) -> impl Iterator<Item = ChangeGroup> + use<> {
        let mut left = self.reached_by[panel as usize];
        std::iter::from_fn(move || {
            let set = left.trailing_zeros() as usize;
            if set >= u128::BITS as usize {
                return None;
            }
            // Two adjacent sets form one large group.
            let both = set.is_multiple_of(2) && left >> set & 2 != 0;
            let (taken, size) = if both { (3, LARGE_GROUP) } else { (1, SMALL_GROUP) };
            left &= !(taken << set);
            Some(ChangeGroup { first: SMALL_GROUP * set, size })
        })
    }

    /// Returns the position of a row of a reached panel in the concatenated rows.
    #[inline(always)]
    pub fn place(&self, symbolic: &Symbolic, row: u32) -> usize {
        let panel = symbolic.panel_of[row as usize] as usize;
        self.row_starts[panel] as usize + row as usize - symbolic.panels[panel].first
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        16 * self.reached_by.capacity()
            + 4 * (self.parent.capacity() + self.row_starts.capacity() + self.panels.capacity())
    }
}
