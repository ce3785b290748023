//! The curtain of Liu, Bargteil, O'Brien and Kavan, "Fast simulation of mass-spring systems",
//! 2013, table 1: 81 × 81 vertices and 32,158 springs.
//!
//! ```text
//!   o———o———o     structural: every side of every quad        2 n (n − 1)   12,960
//!   | \ | \ |     shear: one diagonal of every quad           (n − 1)²       6,400
//!   o———o———o     bend: from (i, j) to (i + 2, j)             2 n (n − 2)   12,798
//!   :.......:           and to (i, j + 2)
//! ```
//!
//! Springs are listed kind by kind, each kind row by row.

use crate::Error;
use crate::mesh::validate::require_at_least;
use crate::mesh::{Grid, SpringKind, SpringNetwork};

/// A generator of square curtains, by default 1 m wide, in the xy plane, hanging down from the
/// side of corners 0 and 1, with corner 0 at the origin.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Curtain {
    n: usize,
    width: f64,
    origin: [f64; 3],
}

impl Curtain {
    /// A curtain of `n` × `n` vertices; the paper's has 81.
    pub fn new(n: usize) -> Self {
        Self { n, width: 1.0, origin: [0.0; 3] }
    }

    /// The width and height \[m\].
    pub fn size(mut self, width: f64) -> Self {
        self.width = width;
        self
    }

    /// The position \[m\] of corner 0.
    pub fn at(mut self, origin: [f64; 3]) -> Self {
        self.origin = origin;
        self
    }

    /// Makes the network.
    pub fn build(self) -> Result<SpringNetwork, Error> {
        require_at_least(2, "the curtain's number of vertices per side", self.n)?;
        let mesh = Grid::square(self.n).size(self.width).vertical().at(self.origin).build()?;
        let network = SpringNetwork::from_kinds(
            &mesh,
            [
                (SpringKind::Structural, self.springs(&[[1, 0], [0, 1]])),
                (SpringKind::Shear, self.springs(&[[1, 1]])),
                (SpringKind::Bend, self.springs(&[[2, 0], [0, 2]])),
            ],
        );
        network.validate()?;
        Ok(network)
    }

    /// Returns the springs from every vertex to the vertex at each offset, where there is one.
    fn springs(&self, offsets: &[[usize; 2]]) -> Vec<[u32; 2]> {
        let n = self.n;
        let mut list = Vec::with_capacity(offsets.len() * n * n);
        for j in 0..n {
            for i in 0..n {
                for &[di, dj] in offsets {
                    if i + di < n && j + dj < n {
                        let a = (i + j * n) as u32;
                        list.push([a, a + (di + dj * n) as u32]);
                    }
                }
            }
        }
        list
    }
}

impl TryFrom<Curtain> for SpringNetwork {
    type Error = Error;
    fn try_from(curtain: Curtain) -> Result<Self, Error> {
        curtain.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_curtain_has_the_paper_s_counts() {
        let network = Curtain::new(81).build().unwrap();
        assert_eq!(network.positions.len(), 6_561);
        assert_eq!(network.count(SpringKind::Structural), 12_960);
        assert_eq!(network.count(SpringKind::Shear), 6_400);
        assert_eq!(network.count(SpringKind::Bend), 12_798);
        assert_eq!(network.springs.len(), 32_158);
    }

    #[test]
    fn springs_have_the_lengths_of_their_kinds() {
        let network = Curtain::new(5).size(4.0).at([1.0, 2.0, 3.0]).build().unwrap();
        for (length, kind) in network.rest_lengths().into_iter().zip(&network.kinds) {
            let expected = match kind {
                SpringKind::Structural => 1.0,
                SpringKind::Shear => 2.0_f64.sqrt(),
                SpringKind::Bend => 2.0,
            };
            assert!((length - expected).abs() < 1e-15);
        }
        // Corners 0 and 1 are the upper ones.
        let corner = |k: usize| network.positions[network.corners[k] as usize];
        assert_eq!((corner(0), corner(1)), ([1.0, 2.0, 3.0], [5.0, 2.0, 3.0]));
        assert_eq!((corner(2), corner(3)), ([5.0, -2.0, 3.0], [1.0, -2.0, 3.0]));
    }

    #[test]
    fn impossible_curtains_are_refused() {
        assert!(Curtain::new(2).build().is_ok());
        assert!(Curtain::new(1).build().is_err());
        assert!(Curtain::new(usize::MAX).build().is_err());
        assert!(Curtain::new(9).size(f64::NAN).build().is_err());
    }
}
