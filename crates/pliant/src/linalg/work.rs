//! What it takes to factor a matrix and to change a factor, counted from the structure alone.
//!
//! The choice between both rests on these counts and never on a clock, so that it is the same on
//! every machine.

use super::panel::BLOCK;
use super::supernodes::TILE;
use super::symbolic::{Panel, Symbolic};

/// The cost of a product of an update, in products of a factorisation. Measured on one core of a
/// Zen 3 server (the bench `low_rank`), nanoseconds per product: a factorisation 0.117 on the curtain
/// of 6,561 vertices and 0.088 to 0.103 on a block of 50,000 tetrahedra; updates of 50 vertices 0.082
/// (a patch) and 0.098 (scattered) on the curtain, 0.076 to 0.087 on the block, of one vertex 0.088 to
/// 0.12. Where both cost the same, at 150 scattered vertices on the curtain, updates take 0.13.
const UPDATE_PRODUCT: f64 = 0.8;

/// Operations of the kernels, with the zeros that they work on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Multiplications, each with an addition.
    pub products: u64,
    /// Numbers of the factor that were changed, counted each time.
    pub entries: u64,
}

impl Work {
    /// What factoring a matrix of this structure takes.
    pub fn of_factor(symbolic: &Symbolic) -> Self {
        let mut work = Self::default();
        for panel in &symbolic.panels {
            work.add_factor(panel);
        }
        work
    }

    /// The cost as an update, in products of a factorisation.
    pub fn update_cost(&self) -> f64 {
        UPDATE_PRODUCT * self.products as f64
    }

    /// The cost as a factorisation, in its products.
    pub fn factor_cost(&self) -> f64 {
        self.products as f64
    }

    fn add_factor(&mut self, panel: &Panel) {
        let (width, height) = (panel.width, panel.height());
        let tiles = height.div_ceil(TILE);
        let mut products = 0;
        for j in (0..width).step_by(BLOCK) {
            let columns = BLOCK.min(width - j);
            let rows = TILE * (tiles - j / TILE);
            // Minus the columns before, divided by the triangle.
            products += rows * columns * j + rows * columns * (columns + 1) / 2;
            // The inverse: minus the columns after, of the rows where there are any, divided.
            let end = j + columns;
            for tile in j / TILE..tiles {
                let filled = width.min(TILE * (tile + 1)).max(end);
                products += TILE * columns * (filled - end) + TILE * columns * (columns + 1) / 2;
            }
        }
        // The products of the rows below with each other.
        for row in (width / BLOCK * BLOCK..height).step_by(BLOCK) {
            products += TILE * (tiles - row / TILE) * BLOCK * width;
        }
        self.products += products as u64;
        let outer = panel.rows.len() * (panel.rows.len() + 1) / 2;
        self.entries += (2 * TILE * tiles * width + outer) as u64;
    }

    /// Counts the change of a panel by a group of `size` changes.
    pub(super) fn add_update(&mut self, panel: &Panel, size: usize) {
        let triangles = panel.width.div_ceil(TILE);
        let tiles = panel.height().div_ceil(TILE);
        let below = (tiles - triangles) * panel.width;
        // The triangle's tiles stop at their last row's column; their upper half is not mixed.
        let own: usize = (1..=triangles).map(|t| panel.width.min(TILE * t)).sum();
        let mixed = TILE * 3 / 4;
        self.products += (TILE * (below * 2 * size + own * (3 * size + mixed))) as u64;
        self.entries += (TILE * (below + own)) as u64;
    }
}
