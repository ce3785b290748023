//! Operation counts of factorisations and factor updates, computed from the structure alone.
//!
//! The choice between the two depends on these counts and never on measured time, so it is the same on
//! every machine.

use crate::linalg::panel::BLOCK;
use crate::linalg::supernodes::TILE;
use crate::linalg::symbolic::{Panel, Symbolic};

/// Cost of one product of an update, in products of a factorisation. Measured on one core of a Zen 3
/// server (the bench `low_rank`), nanoseconds per product: a factorisation 0.117 on the curtain of
/// 6,561 vertices and 0.088 to 0.103 on a block of 50,000 tetrahedra; updates of 50 vertices 0.082 (a
/// patch) and 0.098 (scattered) on the curtain, 0.076 to 0.087 on the block, of one vertex 0.088 to
/// 0.12. At the break-even point, 150 scattered vertices on the curtain, updates take 0.13.
const UPDATE_COST_RATIO: f64 = 0.8;

/// Operations of the kernels, including those on stored zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlopCount {
    /// Number of multiply-add pairs.
    pub multiply_adds: u64,
    /// Number of factor entries written, counted each time.
    pub updated_entries: u64,
}

impl FlopCount {
    /// Returns the cost of factoring a matrix of this structure.
    pub fn of_factorization(symbolic: &Symbolic) -> Self {
        let mut work = Self::default();
        for panel in &symbolic.panels {
            work.add_factor(panel);
        }
        work
    }

    /// Returns the cost as an update, in products of a factorisation.
    pub fn update_cost(&self) -> f64 {
        UPDATE_COST_RATIO * self.multiply_adds as f64
    }

    /// Returns the cost as a factorisation, in its products.
    pub fn factor_cost(&self) -> f64 {
        self.multiply_adds as f64
    }

    fn add_factor(&mut self, panel: &Panel) {
        let (width, height) = (panel.width, panel.height());
        let tiles = height.div_ceil(TILE);
        let mut products = 0;
        for j in (0..width).step_by(BLOCK) {
            let columns = BLOCK.min(width - j);
            let rows = TILE * (tiles - j / TILE);
            // Subtract the preceding columns, divide by the triangle.
            products += rows * columns * j + rows * columns * (columns + 1) / 2;
            // The inverse: subtract the following columns in the rows that have them, divide by the
            // triangle.
            let end = j + columns;
            for tile in j / TILE..tiles {
                let filled = width.min(TILE * (tile + 1)).max(end);
                products += TILE * columns * (filled - end) + TILE * columns * (columns + 1) / 2;
            }
        }
        // Products of the rows below with each other.
        for row in (width / BLOCK * BLOCK..height).step_by(BLOCK) {
            products += TILE * (tiles - row / TILE) * BLOCK * width;
        }
        self.multiply_adds += products as u64;
        let outer = panel.rows.len() * (panel.rows.len() + 1) / 2;
        self.updated_entries += (2 * TILE * tiles * width + outer) as u64;
    }

    /// Adds the cost of updating a panel by a group of `size` changes.
    pub(super) fn add_update(&mut self, panel: &Panel, size: usize) {
        let triangles = panel.width.div_ceil(TILE);
        let tiles = panel.height().div_ceil(TILE);
        let below = (tiles - triangles) * panel.width;
        // The triangle's tiles stop at their last row's column; their upper half is not mixed.
        let own: usize = (1..=triangles).map(|t| panel.width.min(TILE * t)).sum();
        let mixed = TILE * 3 / 4;
        self.multiply_adds += (TILE * (below * 2 * size + own * (3 * size + mixed))) as u64;
        self.updated_entries += (TILE * (below + own)) as u64;
    }
}
