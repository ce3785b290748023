//! Pseudo-random displacements, the same in every run: the start of a scrambled body.

use pliant::math::Random;

/// Displacement between −`size` and `size` \[m\] along each axis, from a vertex's number.
pub(super) fn jitter_offset(number: usize, size: f64) -> [f64; 3] {
    let mut random = Random::after(3 * number as u64);
    [0; 3].map(|_| size * random.signed_unit())
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
