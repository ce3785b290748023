//! Cutting a hexahedral cell into tets, so that neighbouring cells agree on their common faces.
//!
//! The corners of a cell are numbered by the bits of their coordinates: corner 1 is at x, corner
//! 2 at y, corner 4 at z, and corner 6 at y and z.
//!
//! **Five tets**: one in the middle, on four corners of which no two are adjacent, and one at each
//! of the other corners. Neighbours agree if the middle tets alternate like the colours of a
//! three-dimensional chessboard. No direction is preferred.
//!
//! **Six tets** (Kuhn's subdivision): one for each path along the edges from corner 0 to corner 7. All contain the
//! diagonal 0–7, and neighbours agree if their cells are translates or mirror images. With corner 0 towards the middle
//! of a body and corner 7 outwards, no tet has all its vertices on the surface, so none becomes flat when the surface
//! is rounded.

use crate::math::tan;

/// The five tets of a cell, positive if the cell is right-handed; `odd` mirrors the cut.
pub(super) fn five_tets(corners: [u32; 8], odd: bool) -> [[u32; 4]; 5] {
    const EVEN: [[usize; 4]; 5] =
        [[0, 3, 6, 5], [1, 0, 5, 3], [2, 0, 3, 6], [4, 0, 6, 5], [7, 3, 5, 6]];
    EVEN.map(|[a, b, c, d]| {
        // The mirror image in x inverts every tet; the swap of the last two vertices undoes that.
        let tet = if odd { [a ^ 1, b ^ 1, d ^ 1, c ^ 1] } else { [a, b, c, d] };
        tet.map(|k| corners[k])
    })
}

/// The six tets of a cell, positive if the cell is right-handed. The diagonal starts at corner
/// `start` (0 to 7) and ends at the opposite one.
pub(super) fn six_tets(corners: [u32; 8], start: usize) -> [[u32; 4]; 6] {
    const STEPS: [[usize; 2]; 6] = [[1, 2], [2, 4], [4, 1], [2, 1], [4, 2], [1, 4]];
    let mut tets = [[0; 4]; 6];
    for (k, [first, second]) in STEPS.into_iter().enumerate() {
        let way = [start, start ^ first, start ^ first ^ second, start ^ 7];
        tets[k] = way.map(|c| corners[c]);
        // The last three paths are odd permutations of the axes, and each mirroring is odd too.
        if (k >= 3) != (start.count_ones() % 2 == 1) {
            tets[k].swap(2, 3);
        }
    }
    tets
}

/// The corner of a cell that is nearest to the middle of a lattice of 2n cells a side.
pub(super) fn innermost_corner(n: usize, cell: [usize; 3]) -> usize {
    (0..3).map(|d| usize::from(cell[d] < n) << d).sum()
}

/// Maps a point of the cube `[−1, 1]ᴰ` to the ball: the shell on which the largest coordinate is `r` becomes the sphere
/// of radius `r`, and equal distances on each side of the cube become equal angles, which keeps the cells similar in
/// shape.
pub(super) fn cube_to_sphere<const D: usize>(point: [f64; D]) -> [f64; D] {
    let r = point.iter().fold(0.0_f64, |r, x| r.max(x.abs()));
    if r == 0.0 {
        return point;
    }
    let spread = point.map(|x| tan(std::f64::consts::FRAC_PI_4 * x / r));
    let length = spread.iter().map(|x| x * x).sum::<f64>().sqrt();
    spread.map(|x| r * x / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::measure::tet_volume;

    fn volumes(tets: &[[u32; 4]]) -> Vec<f64> {
        let point = |c: u32| [(c & 1) as f64, (c >> 1 & 1) as f64, (c >> 2) as f64];
        tets.iter().map(|tet| 6.0 * tet_volume(tet.map(point))).collect()
    }

    #[test]
    fn the_tets_of_a_unit_cell_are_positive_and_fill_it() {
        let corners = [0, 1, 2, 3, 4, 5, 6, 7];
        for odd in [false, true] {
            assert_eq!(volumes(&five_tets(corners, odd)), [2.0, 1.0, 1.0, 1.0, 1.0]);
        }
        for start in 0..8 {
            let tets = six_tets(corners, start);
            assert_eq!(volumes(&tets), [1.0; 6]);
            assert!(tets.iter().all(|t| t.contains(&(start as u32))));
            assert!(tets.iter().all(|t| t.contains(&(start as u32 ^ 7))));
        }
    }
}
