//! Pseudo-random displacements, the same in every run: the start of a scrambled body.

/// Displacement between −`size` and `size` \[m\] along each axis, from a vertex's number.
pub(super) fn jitter_offset(number: usize, size: f64) -> [f64; 3] {
    [0, 1, 2].map(|axis| {
        // SplitMix (Steele, Lea and Flood): consecutive numbers give uncorrelated values.
        let mut bits = (3 * number as u64 + axis + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        size * ((bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_fill_the_cube_and_are_the_same_every_time() {
        let points: Vec<[f64; 3]> = (0..1000).map(|i| jitter_offset(i, 2.0)).collect();
        assert!(points.iter().flatten().all(|c| c.abs() <= 2.0));
        for c in 0..3 {
            let mean = points.iter().map(|p| p[c]).sum::<f64>() / 1000.0;
            let square = points.iter().map(|p| p[c] * p[c]).sum::<f64>() / 1000.0;
            // Uniform between −2 and 2: mean 0, mean square 4/3.
            assert!(mean.abs() < 0.15 && (square - 4.0 / 3.0).abs() < 0.15, "{mean} {square}");
        }
        // The coordinates are uncorrelated: their products have mean 0.
        for [c, d] in [[0, 1], [1, 2], [2, 0]] {
            let product = points.iter().map(|p| p[c] * p[d]).sum::<f64>() / 1000.0;
            assert!(product.abs() < 0.15, "{c} {d}: {product}");
        }
        assert_eq!(jitter_offset(7, 1.0), jitter_offset(7, 1.0));
    }
}
