//! Which panels of L a change of the matrix reaches.
//!
//! A change `w a aᵀ` alters the columns of L on the path from the first column of `a` up to the root
//! of the elimination tree (Davis and Hager 1999), here panel by panel. Changes are followed four by
//! four along all their paths: those of neighbouring vertices meet soon. Where two such sets meet, a
//! panel takes eight changes at once.

use super::Symbolic;
use super::etree::ROOT;

/// Changes that are followed as one.
pub const SMALL: usize = 4;
/// Changes that a panel takes at once, where two such sets reach it.
pub const LARGE: usize = 2 * SMALL;
/// Changes at most: the sets that reach a panel are bits.
pub const MOST_CHANGES: usize = u128::BITS as usize * SMALL;

/// Changes that a panel takes at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// The first of them.
    pub first: usize,
    /// [`LARGE`] or [`SMALL`].
    pub size: usize,
}

/// The panels that some groups reach.
#[derive(Clone, Debug)]
pub struct Paths {
    /// The panel above each panel.
    parent: Vec<u32>,
    /// The sets of [`SMALL`] changes that reach each panel, one bit for each.
    reached_by: Vec<u128>,
    /// The reached panels, ascending.
    pub panels: Vec<u32>,
    /// Where the rows of each reached panel start among the rows of all of them.
    pub base: Vec<u32>,
    /// Rows of all reached panels.
    pub rows: usize,
}

impl Paths {
    /// Nothing reached yet.
    pub fn new(symbolic: &Symbolic) -> Self {
        let above =
            |panel| symbolic.rows(panel).first().map(|&row| symbolic.panel_of[row as usize]);
        let parent: Vec<u32> =
            symbolic.panels.iter().map(|panel| above(panel).unwrap_or(ROOT)).collect();
        Self {
            reached_by: vec![0; parent.len()],
            base: vec![0; parent.len()],
            panels: Vec::with_capacity(parent.len()),
            rows: 0,
            parent,
        }
    }

    /// Finds what changes reach whose first columns are given, ascending.
    ///
    /// # Panics
    /// If there are more than [`MOST_CHANGES`].
    pub fn find(&mut self, symbolic: &Symbolic, columns: &[u32]) {
        assert!(columns.len() <= MOST_CHANGES, "too many changes at once");
        for &panel in &self.panels {
            self.reached_by[panel as usize] = 0;
        }
        self.panels.clear();
        for (set, columns) in columns.chunks(SMALL).enumerate() {
            let bit = 1 << set;
            for &column in columns {
                let mut panel = symbolic.panel_of[column as usize];
                while panel != ROOT && self.reached_by[panel as usize] & bit == 0 {
                    if self.reached_by[panel as usize] == 0 {
                        self.panels.push(panel);
                    }
                    self.reached_by[panel as usize] |= bit;
                    panel = self.parent[panel as usize];
                }
            }
        }
        self.panels.sort_unstable();
        self.rows = 0;
        for &panel in &self.panels {
            self.base[panel as usize] = self.rows as u32;
            self.rows += symbolic.panels[panel as usize].width;
        }
    }

    /// The groups that reach a panel, ascending.
    #[inline(always)]
    pub fn reaching(&self, panel: u32) -> impl Iterator<Item = Group> + use<> {
        let mut left = self.reached_by[panel as usize];
        std::iter::from_fn(move || {
            let set = left.trailing_zeros() as usize;
            if set >= u128::BITS as usize {
                return None;
            }
            // The second of two neighbours comes along.
            let both = set.is_multiple_of(2) && left >> set & 2 != 0;
            let (taken, size) = if both { (3, LARGE) } else { (1, SMALL) };
            left &= !(taken << set);
            Some(Group { first: SMALL * set, size })
        })
    }

    /// Where a row of a reached panel stands among the rows of all of them.
    #[inline(always)]
    pub fn place(&self, symbolic: &Symbolic, row: u32) -> usize {
        let panel = symbolic.panel_of[row as usize] as usize;
        self.base[panel] as usize + row as usize - symbolic.panels[panel].first
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        16 * self.reached_by.capacity()
            + 4 * (self.parent.capacity() + self.base.capacity() + self.panels.capacity())
    }
}
