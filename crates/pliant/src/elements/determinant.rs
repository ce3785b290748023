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

use crate::elements::isotropic::{Eigenvalues, NEGLIGIBLE};
use crate::math::eigen::eigen_symmetric;
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

/// Returns the eigenvalues of the Hessian of half the squared distance of `s` to the set, as an energy of the singular
/// values `s`. At a bound it counts as violated.
///
/// By the implicit function theorem: with the normal `g = ∇(Π tᵢ)` and `t − s = ν g`, the nearest point moves by
/// `dt = Z (Zᵀ W Z)⁻¹ Zᵀ ds`, where `Z` spans the plane across `g` and `W = I − ν ∇²(Π tᵢ)`.
pub fn eigenvalues<const D: usize>(s: &[f64; D], min: f64, max: f64) -> Eigenvalues<D> {
    let mut all = Eigenvalues::zero();
    let product: f64 = s.iter().product();
    if product > min && product < max {
        return all;
    }
    let d = clamp_product(s, min, max);
    let t: [f64; D] = std::array::from_fn(|i| s[i] + d[i]);
    let without = |i: usize, j: usize| -> f64 {
        (0..D).filter(|&k| k != i && k != j).map(|k| t[k]).product()
    };
    let mut g: [f64; D] = std::array::from_fn(|i| without(i, i));
    let square: f64 = g.iter().map(|g| g * g).sum();
    let mut nu = 0.0;
    if square > 0.0 {
        nu = d.iter().zip(&g).map(|(d, g)| d * g).sum::<f64>() / square;
        g = g.map(|g| g / square.sqrt());
    } else {
        // Two values are zero: the last one is moved.
        g = std::array::from_fn(|i| if i + 1 == D { 1.0 } else { 0.0 });
    }
    all.scaling[0] = (1.0, g);
    let tangent = tangents(&g);
    let bend = |p: &[f64; D], q: &[f64; D]| {
        let mut sum = 0.0;
        for i in 0..D {
            sum += p[i] * q[i];
            (0..D).filter(|&j| j != i).for_each(|j| sum -= nu * p[i] * q[j] * without(i, j));
        }
        sum
    };
    let n = D - 1;
    let (mut w, mut v) = ([0.0; 4], [0.0; 4]);
    for k in 0..n * n {
        w[k] = bend(&tangent[k / n], &tangent[k % n]);
    }
    eigen_symmetric(&mut w[..n * n], &mut v[..n * n], n);
    for k in 0..n {
        let stretch = w[k * (n + 1)];
        let direction = std::array::from_fn(|i| (0..n).map(|l| v[k * n + l] * tangent[l][i]).sum());
        // Where the nearest point is not unique the curvature is unbounded, and descent needs its definite part.
        let value = if stretch > NEGLIGIBLE { 1.0 - 1.0 / stretch } else { 0.0 };
        all.scaling[k + 1] = (value, direction);
    }
    for i in 0..D {
        for j in i + 1..D {
            // Both quotients have a second form, since `tᵢ (tᵢ − sᵢ)` is the same for all i.
            let (sum, gap) = (s[i] + s[j], s[i] - s[j]);
            let (both, other) = (d[i] + d[j], d[i] - d[j]);
            all.twist[i][j] = larger_quotient([-both, other], [sum, gap + 2.0 * other]);
            all.flip[i][j] = larger_quotient([-other, both], [gap, sum + 2.0 * both]);
        }
        all.across[i] = if s[i] > NEGLIGIBLE { -d[i] / s[i] } else { 0.0 };
    }
    all
}

/// Returns the quotient with the larger divisor of two that are equal; zero where both divisors vanish.
fn larger_quotient(value: [f64; 2], divisor: [f64; 2]) -> f64 {
    let k = if divisor[0].abs() >= divisor[1].abs() { 0 } else { 1 };
    if divisor[k].abs() > NEGLIGIBLE { value[k] / divisor[k] } else { 0.0 }
}

/// Returns orthonormal directions across a unit vector of two or three numbers.
fn tangents<const D: usize>(g: &[f64; D]) -> [[f64; D]; 2] {
    let mut out = [[0.0; D]; 2];
    if D == 2 {
        (out[0][0], out[0][1]) = (-g[1], g[0]);
        return out;
    }
    let least = (1..D).fold(0, |m, i| if g[i].abs() < g[m].abs() { i } else { m });
    out[0][least] = 1.0;
    for i in 0..D {
        out[0][i] -= g[least] * g[i];
    }
    let norm = out[0].iter().map(|c| c * c).sum::<f64>().sqrt();
    out[0] = out[0].map(|c| c / norm);
    for i in 0..D {
        let (j, k) = ((i + 1) % D, (i + 2) % D);
        out[1][i] = g[j] * out[0][k] - g[k] * out[0][j];
    }
    out
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
