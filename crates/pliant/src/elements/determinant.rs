//! Bounds on a product of singular values, shared by area and volume bounds.
//!
//! Projective Dynamics eq. (24): the nearest `t` to the singular values `s` with `Π tᵢ = goal`.
//! At the nearest point `tᵢ (tᵢ − sᵢ) = μ` for one multiplier μ. Of the two solutions of each
//! quadratic all but the smallest value take the larger, so that everything follows from the
//! smallest, `t`: `μ = t (t − s_min)`, `tⱼ = (sⱼ + √(sⱼ² + 4 μ))/2`. Along that curve the product
//! grows with `t`, and Newton's method inside a bracket finds the goal.
//!
//! The paper's own steps, eq. (26), reach the set but not its nearest point: they do not correct along the set if they
//! start far from it, and then the projective force is not the energy's gradient.

use crate::math::{Real, Scalar};

/// Steps of Newton's method. Measured on four million samples of singular values up to 10, inverted ones included: the
/// product is reached to within 5e-15; with twelve steps to within 2e-5 (the worst are three values close together,
/// such as 1.93, 1.91, 1.90).
const NEWTON_STEPS: usize = 16;

/// Returns the change of singular values `s` that brings their product into `min..=max`, with `0 ≤ min`. `s` is in
/// descending order, and only its last value may be negative.
#[inline(always)]
pub fn clamp_product<R: Real, const N: usize>(s: &[R; N], min: R, max: R) -> [R; N] {
    let (zero, tiny) = (R::zero(), R::of(R::Scalar::TINY));
    let least = s[N - 1];
    let mut others = R::one();
    for j in 0..N - 1 {
        others *= s[j];
    }
    let product = others * least;
    let goal = product.clamp(min, max);

    // If the product must grow, the smallest value stays below the N-th root of the goal; if it must shrink, below
    // itself.
    let mut low = R::select_lt(product, goal, least.max(zero), zero);
    let mut high = R::select_lt(product, goal, goal.max(R::one()), least);
    let mut t = R::select_lt(product, goal, high, goal.div_or_zero(others, tiny));
    let mut d = [zero; N];
    for step in 0..NEWTON_STEPS {
        let mu = t * (t - least);
        let (mut rest, mut rate) = (R::one(), zero);
        for j in 0..N - 1 {
            let root = (s[j] * s[j] + mu * R::of(4.0)).max(zero).sqrt();
            let tj = (s[j] + root) * R::of(0.5);
            rest *= tj;
            rate += (t + t - least).div_or_zero(root * tj, tiny);
            d[j] = mu.div_or_zero(tj, tiny);
        }
        d[N - 1] = t - least;
        if step + 1 == NEWTON_STEPS {
            break;
        }
        let value = R::select_lt(zero, t, t * rest, zero);
        low = R::select_lt(value, goal, low.max(t), low);
        high = R::select_lt(value, goal, high, high.min(t));
        let next = t + (goal - value).div_or_zero(rest * (R::one() + t * rate), tiny);
        // If Newton's method leaves the bracket, or products overflow, bisect.
        let middle = (low + high) * R::of(0.5);
        let next = R::select_lt(next.abs(), R::of(1e38), next, middle);
        t = R::select_lt(next, low, middle, R::select_lt(high, next, middle, next));
    }
    // Inside the bounds the change is exactly zero.
    for k in 0..N {
        d[k] = R::select_lt(product, goal, d[k], R::select_lt(goal, product, d[k], zero));
    }
    d
}

#[cfg(test)]
mod tests {
    use super::clamp_product;
    use crate::math::testing::Random;

    /// The product is reached, and no step along the set is nearer.
    #[test]
    fn the_nearest_product_is_found() {
        let mut random = Random::new(3);
        let mut worst = 0.0_f64;
        for k in 0..20_000 {
            let size = [1.0, 3.0, 10.0][k % 3];
            let mut s = [0; 3].map(|_| random.range(0.0, size));
            s.sort_by(|a, b| b.total_cmp(a));
            s[2] *= if k % 2 == 0 { -1.0 } else { 1.0 };
            let product = s[0] * s[1] * s[2];
            let goal = product.clamp(0.9, 1.1);
            let d = clamp_product(&s, 0.9, 1.1);
            let t = [s[0] + d[0], s[1] + d[1], s[2] + d[2]];
            worst = worst.max((t[0] * t[1] * t[2] - goal).abs() / goal.max(1.0));
            let distance = |t: [f64; 3]| (0..3).map(|i| (t[i] - s[i]) * (t[i] - s[i])).sum::<f64>();
            if product == goal {
                assert_eq!(d, [0.0; 3]);
                continue;
            }
            // Any other point of the set.
            let (a, b) = (random.range(0.05, size), random.range(0.05, size));
            let other = [a, b, goal / (a * b)];
            assert!(distance(t) <= distance(other) * (1.0 + 1e-12), "{s:?}: {t:?}, {other:?}");
        }
        // Measured 7.3e-14, from rounding.
        println!("bound: worst product {worst:.1e}");
        assert!(worst < 7e-13, "{worst:e}");
    }

    #[test]
    fn two_equal_values_far_above_the_bound_part() {
        // (10, 10) is nearer to (9.89, 0.11) than to (1.05, 1.05).
        let d = clamp_product(&[10.0_f64, 10.0], 0.9, 1.1);
        assert!((d[0] + 0.111).abs() < 1e-3 && (d[1] + 9.889).abs() < 1e-3, "{d:?}");
    }

    #[test]
    fn extremes_are_finite() {
        for s in [0.0_f64, 1e-30, 1e30] {
            for sign in [1.0, -1.0] {
                assert!(clamp_product(&[s, s, sign * s], 0.9, 1.1).iter().all(|d| d.is_finite()));
                let s = s as f32;
                let d = clamp_product(&[s, s, sign as f32 * s], 0.9, 1.1);
                assert!(d.iter().all(|d| d.is_finite()), "{s}: {d:?}");
                let d = clamp_product(&[s, 0.0], 0.9, 1.1);
                assert!(d.iter().all(|d| d.is_finite()), "{s}: {d:?}");
            }
        }
    }
}
