//! Welding: vertices at the same position are merged.
//!
//! Vertices are processed in order. Each joins the first earlier representative that is close enough, or
//! becomes a representative itself, so a chain of close vertices does not collapse into one. A grid stores the
//! representatives. Its cells are four tolerances wide: a vertex searches 3.4 of them on average, and none
//! holds more than a few dozen, for any input.

use std::collections::HashMap;

use super::{NONE, RepairError};

/// Representative of each vertex, with an index at most its own. Positions must be finite.
pub(super) fn weld(
    positions: &[[f64; 3]],
    tolerance: Option<f64>,
) -> Result<Vec<u32>, RepairError> {
    let Some(part) = tolerance else { return Ok((0..positions.len() as u32).collect()) };
    if !(0.0..1.0).contains(&part) {
        return Err(RepairError::Tolerance { found: part });
    }
    let (low, size) = bounds(positions);
    // Below 1e-15 of the size, cell coordinates would have gaps; such vertices are effectively equal.
    let reach = part.max(1e-15) * size;
    if !(reach > 0.0 && reach.is_finite()) {
        return Ok(weld_equal(positions));
    }
    let cell = |x: f64, d: usize| ((x - low[d]) / (4.0 * reach)).floor() as i64;
    // Latest vertex in each cell, and for each vertex its predecessor in the same cell. The map is only looked
    // up, never iterated: the result does not depend on the hasher.
    let mut latest: HashMap<[i64; 3], u32> = HashMap::new();
    let mut before = vec![NONE; positions.len()];
    let mut target = Vec::with_capacity(positions.len());
    for (v, &p) in positions.iter().enumerate() {
        let mut found = v as u32;
        let near = |d: usize| cell(p[d] - reach, d)..=cell(p[d] + reach, d);
        for (i, j, k) in
            near(0).flat_map(|i| near(1).flat_map(move |j| near(2).map(move |k| (i, j, k))))
        {
            let mut other = latest.get(&[i, j, k]).copied().unwrap_or(NONE);
            while other != NONE {
                if other < found && close(p, positions[other as usize], reach) {
                    found = other;
                }
                other = before[other as usize];
            }
        }
        if found == v as u32 {
            let place = [0, 1, 2].map(|d| cell(p[d], d));
            before[v] = latest.insert(place, found).unwrap_or(NONE);
        }
        target.push(found);
    }
    Ok(target)
}

/// Lowest corner of the bounding box of all points, and the length of its diagonal \[m\].
fn bounds(positions: &[[f64; 3]]) -> ([f64; 3], f64) {
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for p in positions {
        for d in 0..3 {
            low[d] = low[d].min(p[d]);
            high[d] = high[d].max(p[d]);
        }
    }
    let squares = (0..3).map(|d| (high[d] - low[d]) * (high[d] - low[d]));
    (low, squares.sum::<f64>().sqrt())
}

fn close(p: [f64; 3], q: [f64; 3], reach: f64) -> bool {
    let squares = (0..3).map(|d| (p[d] - q[d]) * (p[d] - q[d]));
    squares.sum::<f64>() <= reach * reach
}

/// Welds only equal positions, for a mesh whose size is zero or overflows.
fn weld_equal(positions: &[[f64; 3]]) -> Vec<u32> {
    let mut first = HashMap::with_capacity(positions.len());
    let key = |p: &[f64; 3]| p.map(|x| (x + 0.0).to_bits());
    (0..).zip(positions).map(|(v, p)| *first.entry(key(p)).or_insert(v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_vertices_join_the_first_and_chains_do_not_collapse() {
        let at = |x: f64| [x, 0.0, 0.0];
        let positions =
            [at(0.0), at(1.0), at(1e-8), at(1.0 - 1e-8), at(1.5e-7), at(-0.0), at(2.4e-7)];
        let target = weld(&positions, Some(1e-7)).unwrap();
        assert_eq!(target, [0, 1, 0, 1, 4, 0, 4]);
        assert_eq!(weld(&positions, None).unwrap(), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(weld(&positions, Some(0.0)).unwrap(), [0, 1, 2, 3, 4, 0, 6]);
        assert!(weld(&positions, Some(f64::NAN)).is_err());
        assert!(weld(&positions, Some(1.0)).is_err());
    }

    #[test]
    fn meshes_without_size_and_beyond_measure_are_welded_where_equal() {
        assert_eq!(weld(&[[3.0; 3], [3.0; 3]], Some(1e-7)).unwrap(), [0, 0]);
        let far = [[1e308; 3], [-1e308; 3], [1e308; 3]];
        assert_eq!(weld(&far, Some(1e-7)).unwrap(), [0, 1, 0]);
        assert!(weld(&[], Some(1e-7)).unwrap().is_empty());
    }
}
