//! Entries of Green's strain as constraints, Strain Based Dynamics §3.2 to §3.6: what triangles and
//! tetrahedra share.
//!
//! With `f_i` the image of material axis `i` (column `i` of the deformation gradient, `f_i = Σ a_ik x_k`)
//! and `s_i` its rest stretch:
//!
//! ```text
//! stretch   C = |f_i| − s_i           eq. (14), solved by one projection
//!           C = (f_i·f_i − s_i²) / 2  eq. (9)
//! shear     C = f_i·f_j / |f_i||f_j|  eq. (15), apart from stretch
//!           C = f_i·f_j               eq. (10)
//! ```
//!
//! Near rest all of them measure strain and shear angle, so that one stiffness serves: eq. (9) is
//! halved for that, which changes nothing of its projection.

use crate::Error;
use crate::math::{Real, Scalar, Vec3};

/// Which of the paper's functions measure strain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GreenMeasure {
    /// Stretch by eq. (9) instead of its square root, eq. (14).
    pub plain_stretch: bool,
    /// Shear by eq. (10), which grows with the stretch, instead of eq. (15).
    pub plain_shear: bool,
}

impl GreenMeasure {
    /// As numbers: one for each function that is plain.
    pub(super) fn flags(self) -> [f64; 2] {
        [f64::from(self.plain_stretch), f64::from(self.plain_shear)]
    }
}

/// The image of a material axis.
#[inline(always)]
fn image<R: Real, const N: usize>(a: &[R; N], x: &[Vec3<R>; N]) -> Vec3<R> {
    // The first coefficient is minus the sum of the others: edges need one product less.
    let mut f = (x[1] - x[0]).scale(a[1]);
    for k in 2..N {
        f += (x[k] - x[0]).scale(a[k]);
    }
    f
}

/// `C` and `∇C` of the stretch along an axis with coefficients `a`.
#[inline(always)]
pub(super) fn stretch<R: Real, const N: usize>(
    a: &[R; N],
    rest: R,
    plain: R,
    x: &[Vec3<R>; N],
) -> (R, [Vec3<R>; N]) {
    let f = image(a, x);
    let square = f.norm_squared();
    let length = square.sqrt();
    let inverse = R::one().div_or_zero(length, R::of(R::Scalar::TINY));
    let half = R::of(0.5);
    let c = R::select_lt(plain, half, length - rest, (square - rest * rest) * half);
    let direction = f.scale(R::select_lt(plain, half, inverse, R::one()));
    let mut g = [Vec3::zero(); N];
    for k in 0..N {
        g[k] = direction.scale(a[k]);
    }
    (c, g)
}

/// `C` and `∇C` of the shear between axes with coefficients `a` and `b`.
#[inline(always)]
pub(super) fn shear<R: Real, const N: usize>(
    a: &[R; N],
    b: &[R; N],
    plain: R,
    x: &[Vec3<R>; N],
) -> (R, [Vec3<R>; N]) {
    let (f, g) = (image(a, x), image(b, x));
    let (ff, gg, fg) = (f.norm_squared(), g.norm_squared(), f.dot(g));
    let half = R::of(0.5);
    let tiny = R::of(R::Scalar::TINY);
    // Eq. (36), with the plain function where the divisors are one and the second term is none.
    let inverse = R::one().div_or_zero((ff * gg).sqrt(), tiny);
    let inverse = R::select_lt(plain, half, inverse, R::one());
    let c = fg * inverse;
    let along = R::select_lt(plain, half, c, R::zero());
    let by_f = g.scale(inverse) - f.scale(along.div_or_zero(ff, tiny));
    let by_g = f.scale(inverse) - g.scale(along.div_or_zero(gg, tiny));
    let mut gradient = [Vec3::zero(); N];
    for k in 0..N {
        gradient[k] = by_f.scale(a[k]) + by_g.scale(b[k]);
    }
    (c, gradient)
}

/// Refuses rest stretches that are not positive and stiffnesses below zero.
pub(super) fn check(name: &'static str, stretches: &[f64], shares: &[f64]) -> Result<(), Error> {
    let wrong = |value: &&f64, least: f64| !(**value >= least && value.is_finite());
    if let Some(&value) = stretches.iter().find(|s| wrong(s, f64::MIN_POSITIVE)) {
        let remedy = "give positive rest stretches, 1 for none";
        return Err(Error::Quantity { name, field: "rest stretch", value, remedy });
    }
    if let Some(&value) = shares.iter().find(|s| wrong(s, 0.0)) {
        let remedy = "give a stiffness of zero or more for each entry of the strain";
        return Err(Error::Quantity { name, field: "stiffness", value, remedy });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vertices of a tetrahedron and coefficients of two axes that sum to zero over them.
    fn sample() -> ([Vec3<f64>; 4], [[f64; 4]; 2]) {
        let x = [[0.1, 0.2, 0.0], [1.1, 0.3, -0.2], [0.0, 0.9, 0.4], [0.3, -0.1, 1.2]];
        (x.map(Vec3::of), [[-1.1, 0.9, 0.1, 0.1], [-0.8, -0.3, 1.2, -0.1]])
    }

    #[test]
    fn gradients_are_derivatives_for_every_measure() {
        let (x, [a, b]) = sample();
        let value = |which: usize, x: &[Vec3<f64>; 4]| match which {
            0 | 1 => stretch(&a, 0.9, which as f64, x),
            _ => shear(&a, &b, which as f64 - 2.0, x),
        };
        for which in 0..4 {
            let (_, gradient) = value(which, &x);
            for k in 0..4 {
                for (axis, exact) in
                    [gradient[k].x, gradient[k].y, gradient[k].z].iter().enumerate()
                {
                    let mut d = [0.0; 3];
                    d[axis] = 1e-5;
                    let (mut plus, mut minus) = (x, x);
                    plus[k] += Vec3::of(d);
                    minus[k] -= Vec3::of(d);
                    let measured = (value(which, &plus).0 - value(which, &minus).0) / 2e-5;
                    // Measured: 2e-11 at most.
                    assert!((measured - exact).abs() < 2e-10, "{which} {k} {axis}");
                }
            }
        }
    }

    #[test]
    fn one_projection_solves_the_square_root_of_stretch_and_not_its_square() {
        let (x, [a, _]) = sample();
        let project = |plain: f64| {
            let (c, g) = stretch(&a, 0.5, plain, &x);
            let s = c / g.iter().map(|g| g.norm_squared()).sum::<f64>();
            let moved: [Vec3<f64>; 4] = std::array::from_fn(|k| x[k] - g[k].scale(s));
            stretch(&a, 0.5, plain, &moved).0
        };
        assert!(project(0.0).abs() < 1e-15);
        assert!(project(1.0).abs() > 1e-2);
    }
}
