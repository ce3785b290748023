//! Turning triangles so that neighbours face the same side, and closed pieces outwards.

use pliant::mesh::measure::tet_volume;

use super::manifold::sides;

/// What was turned.
pub(super) struct Turned {
    /// How many triangles.
    pub triangles: usize,
    /// How many closed pieces as a whole, to face outwards.
    pub pieces: usize,
}

/// The triangle across a side, and whether it faces the other side of the surface.
#[derive(Clone, Copy)]
struct Neighbour {
    triangle: u32,
    opposed: bool,
}

/// Orients triangles of at most two to an edge; or names two that cannot agree.
pub(super) fn orient(
    positions: &[[f64; 3]],
    triangles: &mut [[u32; 3]],
    outward: bool,
) -> Result<Turned, [u32; 2]> {
    let across = neighbours(triangles);
    let mut flip: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut turned = Turned { triangles: 0, pieces: 0 };
    let mut piece = Vec::new();
    for seed in 0..triangles.len() {
        if flip[seed].is_some() {
            continue;
        }
        // All that hangs together with the first, by sides, and as it faces.
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
        // The side of most stays, unless the inside of a closed piece would look out.
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

/// The neighbours of each triangle across its three sides.
fn neighbours(triangles: &[[u32; 3]]) -> Vec<[Option<Neighbour>; 3]> {
    let mut across = vec![[None; 3]; triangles.len()];
    let sides = sides(triangles);
    for group in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, a), (_, b)] = *group {
            let start = |side: u32| triangles[(side / 3) as usize][(side % 3) as usize];
            // Neighbours that face the same side run along their edge in opposite directions.
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

/// The volume \[m³\] that a closed piece encloses as its flips say; noise counts as zero.
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
