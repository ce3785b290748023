//! Displacements by chance, the same in every run: how a scrambled body starts.

/// A displacement between −`size` and `size` \[m\] along each axis, by a vertex's number.
pub(super) fn scattered(number: usize, size: f64) -> [f64; 3] {
    [0, 1, 2].map(|axis| {
        // Steele, Lea and Flood's SplitMix: neighbours in number are strangers in place.
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
        let points: Vec<[f64; 3]> = (0..1000).map(|i| scattered(i, 2.0)).collect();
        assert!(points.iter().flatten().all(|c| c.abs() <= 2.0));
        for c in 0..3 {
            let mean = points.iter().map(|p| p[c]).sum::<f64>() / 1000.0;
            let square = points.iter().map(|p| p[c] * p[c]).sum::<f64>() / 1000.0;
            // Even between −2 and 2: mean 0, mean square 4/3.
            assert!(mean.abs() < 0.15 && (square - 4.0 / 3.0).abs() < 0.15, "{mean} {square}");
        }
        // And no coordinate knows of another: their products are 0 in the mean.
        for [c, d] in [[0, 1], [1, 2], [2, 0]] {
            let product = points.iter().map(|p| p[c] * p[d]).sum::<f64>() / 1000.0;
            assert!(product.abs() < 0.15, "{c} {d}: {product}");
        }
        assert_eq!(scattered(7, 1.0), scattered(7, 1.0));
    }
}
