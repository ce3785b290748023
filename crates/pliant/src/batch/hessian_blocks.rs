//! Assembly of Hessians in blocks of three rows and columns, through slots that were looked up once.

use crate::linalg::SymmetricMatrix;

/// Place of the block of two vertices in a [`SymmetricMatrix`] with full blocks: the index of its first row in each of
/// its three columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSlot([u32; 3]);

impl BlockSlot {
    /// Block of a pinned vertex, which is not stored.
    pub const NONE: Self = Self([u32::MAX; 3]);

    /// Looks up the block of two vertices.
    ///
    /// # Panics
    /// If the matrix has no such block.
    pub fn find(matrix: &SymmetricMatrix, p: u32, q: u32) -> Self {
        let (row, column) = (3 * p.max(q) as usize, 3 * p.min(q) as usize);
        Self(std::array::from_fn(|j| {
            // Of a diagonal block only the rows from the diagonal on are stored.
            let first = row.max(column + j);
            let slot = matrix.slot(first, column + j).expect("the pattern has every block");
            (slot + row - first) as u32
        }))
    }
}

/// Values of a symmetric matrix to which batches add the blocks of their elements, in the order in which they list them
/// ([`list_hessian_blocks`](crate::batch::EnergyBatch::list_hessian_blocks)).
#[derive(Debug)]
pub struct HessianBlocks<'a> {
    values: &'a mut [f64],
    slots: std::slice::Iter<'a, BlockSlot>,
}

impl<'a> HessianBlocks<'a> {
    /// Adds to the values of a matrix; `slots` has those of one batch.
    pub fn new(values: &'a mut [f64], slots: &'a [BlockSlot]) -> Self {
        Self { values, slots: slots.iter() }
    }

    /// Adds the lower triangle of an element's Hessian times its weight: `blocks` in the order (0, 0), (1, 0), (1, 1),
    /// (2, 0) and so on.
    #[inline]
    pub fn add(&mut self, vertices: &[u32], weight: f64, blocks: &[[f64; 9]]) {
        let mut blocks = blocks.iter();
        for (p, &vp) in vertices.iter().enumerate() {
            for &vq in &vertices[..=p] {
                let (Some(b), Some(&slot)) = (blocks.next(), self.slots.next()) else { return };
                if slot != BlockSlot::NONE {
                    self.add_block(slot, [vp, vq], weight, b);
                }
            }
        }
    }

    #[inline(always)]
    fn add_block(
        &mut self,
        BlockSlot(slot): BlockSlot,
        [p, q]: [u32; 2],
        weight: f64,
        b: &[f64; 9],
    ) {
        for j in 0..3 {
            let at = slot[j] as usize;
            let to = &mut self.values[at..at + 3];
            let column = if p > q {
                [b[j], b[3 + j], b[6 + j]]
            } else {
                [b[3 * j], b[3 * j + 1], b[3 * j + 2]]
            };
            let first = if p == q { j } else { 0 };
            for i in first..3 {
                to[i] += weight * column[i];
            }
        }
    }
}
