//! Consistent orientation of neighbouring triangles, and outward orientation of closed pieces.

use pliant::mesh::measure::tet_volume;

use super::manifold::sides;

/// Counts of reoriented items.
pub(super) struct OrientationFix {
    /// Number of flipped triangles.
    pub triangles: usize,
    /// Number of closed pieces flipped as a whole to face outwards.
    pub pieces: usize,
}

/// Triangle across a side, and whether its orientation is opposed.
#[derive(Clone, Copy)]
struct Neighbour {
    triangle: u32,
    opposed: bool,
}

/// Orients triangles with at most two per edge; returns two that conflict as an error.
pub(super) fn orient(
    positions: &[[f64; 3]],
    triangles: &mut [[u32; 3]],
    outward: bool,
) -> Result<OrientationFix, [u32; 2]> {
    let across = neighbours(triangles);
    let mut flip: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut turned = OrientationFix { triangles: 0, pieces: 0 };
    let mut piece = Vec::new();
    for seed in 0..triangles.len() {
        if flip[seed].is_some() {
            continue;
        }
        // Collects the piece connected to the first triangle across sides, with consistent orientation.
        flip[seed] = Some(false);
        piece.clear();
        piece.push(seed);
        let (mut next, mut closed) = (0, true);
        while let Some(&t) = piece.get(next) {
            next += 1;
            let here = flip[t] == Some(true);
            for side in across[t] {
                let Some(Neighbour { triangle, opposed }) = side else {
                    closed = false;
                    continue;
                };
                let (u, wanted) = (triangle as usize, here != opposed);
                match flip[u] {
                    None => {
                        flip[u] = Some(wanted);
                        piece.push(u);
                    }
                    Some(found) if found == wanted => {}
                    Some(_) => return Err([t.min(u) as u32, t.max(u) as u32]),
                }
            }
        }
        // The orientation of the majority is kept, unless a closed piece would then face inwards.
        let against = piece.iter().filter(|&&t| flip[t] == Some(true)).count();
        let mut other = 2 * against > piece.len();
        if closed && outward {
            let volume = piece_volume(positions, triangles, &piece, &flip);
            let inwards = (volume < 0.0) != other && volume != 0.0;
            turned.pieces += usize::from(inwards);
            other ^= inwards;
        }
        for &t in &piece {
            if (flip[t] == Some(true)) != other {
                triangles[t].swap(1, 2);
                turned.triangles += 1;
            }
        }
    }
    Ok(turned)
}

/// Neighbours of each triangle across its three sides.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<[Option<Neighbour>; 3]> {
    let mut across = vec![[None; 3]; triangles.len()];
    let sides = sides(triangles);
    for group in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, a), (_, b)] = *group {
            let start = |side: u32| triangles[(side / 3) as usize][(side % 3) as usize];
            // Consistently oriented neighbours traverse their common edge in opposite directions.
            let opposed = start(a) == start(b);
            let mut set = |side: u32, other: u32| {
                let neighbour = Neighbour { triangle: other / 3, opposed };
                across[(side / 3) as usize][(side % 3) as usize] = Some(neighbour);
            };
            set(a, b);
            set(b, a);
        }
    }
    across
}

/// Volume \[m³\] enclosed by a closed piece with its flips applied; rounding noise counts as zero.
fn piece_volume(
    positions: &[[f64; 3]],
    triangles: &[[u32; 3]],
    piece: &[usize],
    flip: &[Option<bool>],
) -> f64 {
    let apex = positions[triangles[piece[0]][0] as usize];
    let (mut volume, mut size) = (0.0, 0.0);
    for &t in piece {
        let [a, b, c] = triangles[t].map(|v| positions[v as usize]);
        let part = tet_volume([apex, a, b, c]);
        volume += if flip[t] == Some(true) { -part } else { part };
        size += part.abs();
    }
    if f64::abs(volume) > 1e-12 * size { volume } else { 0.0 }
}
