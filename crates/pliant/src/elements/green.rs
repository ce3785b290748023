//! Components of Green's strain as constraints, Strain Based Dynamics §3.2 to §3.6, shared by triangles and tetrahedra.
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
//! Near rest all of them measure strain and shear angle, so that one stiffness serves all: eq. (9) is halved for that,
//! which does not change its projection.

use crate::Error;
use crate::element::RelaxationParams;
use crate::math::{Real, Scalar, Vec3};

/// Selection of the paper's strain functions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GreenMeasure {
    /// Stretch by eq. (9) instead of its square root, eq. (14).
    pub plain_stretch: bool,
    /// Shear by eq. (10), which grows with the stretch, instead of eq. (15).
    pub plain_shear: bool,
}

impl GreenMeasure {
    /// Returns the selection as numbers: one for each function that is plain.
    pub(super) fn flags(self) -> [f64; 2] {
        [f64::from(self.plain_stretch), f64::from(self.plain_shear)]
    }
}

/// The image of a material axis.
#[inline(always)]
fn image<R: Real, const N: usize>(a: &[R; N], x: &[Vec3<R>; N]) -> Vec3<R> {
    // The first coefficient is minus the sum of the others: with edges one product less is needed.
    let mut f = (x[1] - x[0]).scale(a[1]);
    for k in 2..N {
        f += (x[k] - x[0]).scale(a[k]);
    }
    f
}

/// Returns `C` of the stretch along an axis with image `f`, and its gradient with respect to `f`.
#[inline(always)]
fn stretch_of<R: Real>(f: Vec3<R>, rest: R, plain: R) -> (R, Vec3<R>) {
    let square = f.norm_squared();
    let length = square.sqrt();
    let inverse = R::one().div_or_zero(length, R::of(R::Scalar::TINY));
    let half = R::of(0.5);
    let c = R::select_lt(plain, half, length - rest, (square - rest * rest) * half);
    (c, f.scale(R::select_lt(plain, half, inverse, R::one())))
}

/// Returns `C` of the shear between axes with images `f` and `g`, and its gradients with respect to `f` and `g`.
#[inline(always)]
fn shear_of<R: Real>(f: Vec3<R>, g: Vec3<R>, plain: R) -> (R, Vec3<R>, Vec3<R>) {
    let (ff, gg, fg) = (f.norm_squared(), g.norm_squared(), f.dot(g));
    let half = R::of(0.5);
    let tiny = R::of(R::Scalar::TINY);
    // Eq. (36); for the plain function the divisors are one and the second term is zero.
    let inverse = R::one().div_or_zero((ff * gg).sqrt(), tiny);
    let inverse = R::select_lt(plain, half, inverse, R::one());
    let c = fg * inverse;
    let along = R::select_lt(plain, half, c, R::zero());
    let by_f = g.scale(inverse) - f.scale(along.div_or_zero(ff, tiny));
    let by_g = f.scale(inverse) - g.scale(along.div_or_zero(gg, tiny));
    (c, by_f, by_g)
}

/// Returns `C` and `∇C` of the stretch along an axis with coefficients `a`.
#[inline(always)]
pub(super) fn stretch<R: Real, const N: usize>(
    a: &[R; N],
    rest: R,
    plain: R,
    x: &[Vec3<R>; N],
) -> (R, [Vec3<R>; N]) {
    let (c, direction) = stretch_of(image(a, x), rest, plain);
    let mut g = [Vec3::zero(); N];
    for k in 0..N {
        g[k] = direction.scale(a[k]);
    }
    (c, g)
}

/// Returns `C` and `∇C` of the shear between axes with coefficients `a` and `b`.
#[inline(always)]
pub(super) fn shear<R: Real, const N: usize>(
    a: &[R; N],
    b: &[R; N],
    plain: R,
    x: &[Vec3<R>; N],
) -> (R, [Vec3<R>; N]) {
    let (c, by_f, by_g) = shear_of(image(a, x), image(b, x), plain);
    let mut gradient = [Vec3::zero(); N];
    for k in 0..N {
        gradient[k] = by_f.scale(a[k]) + by_g.scale(b[k]);
    }
    (c, gradient)
}

/// The images of an element's `D` axes while Position Based Dynamics corrects the components of its strain one after
/// another.
///
/// A correction that displaces the images by `q` moves vertex `k` by `m_k⁻¹ Σ a_ik q_i`, which moves the images by
/// `G q`, with `G = A M⁻¹ Aᵀ`. So the components are corrected in the space of the images, and the vertices move once
/// at the end: for tetrahedra a third less arithmetic.
pub(super) struct Images<R, const D: usize, const N: usize> {
    images: [Vec3<R>; D],
    /// The sum of the corrections so far.
    push: [Vec3<R>; D],
    /// `A M⁻¹`.
    spread: [[R; N]; D],
    /// `G`.
    response: [[R; D]; D],
    plain_stretch: R,
    plain_shear: R,
}

impl<R: Real, const D: usize, const N: usize> Images<R, D, N> {
    /// Computes the images of axes with coefficients `a`; the flags of the measure are those of
    /// [`GreenMeasure::flags`].
    #[inline(always)]
    pub(super) fn new(
        a: &[[R; N]; D],
        [plain_stretch, plain_shear]: [R; 2],
        inv_mass: &[R; N],
        x: &[Vec3<R>; N],
    ) -> Self {
        let mut images = [Vec3::zero(); D];
        let mut spread = [[R::zero(); N]; D];
        let mut response = [[R::zero(); D]; D];
        for i in 0..D {
            images[i] = image(&a[i], x);
            for k in 0..N {
                spread[i][k] = a[i][k] * inv_mass[k];
            }
            for j in 0..=i {
                let mut sum = spread[i][0] * a[j][0];
                for k in 1..N {
                    sum += spread[i][k] * a[j][k];
                }
                response[i][j] = sum;
                response[j][i] = sum;
            }
        }
        let push = [Vec3::zero(); D];
        Self { images, push, spread, response, plain_stretch, plain_shear }
    }

    // Both corrections below are `−C k / response · ∂C/∂f` with the common roots and quotients of the constraint and
    // its gradient cancelled. Each correction depends on the previous one, so latency counts, and a division takes as
    // long as three products.

    /// Corrects constraint `which`, the stretch along axis `i`.
    #[inline(always)]
    pub(super) fn relax_stretch(
        &mut self,
        which: usize,
        i: usize,
        rest: R,
        own: &impl RelaxationParams<R, N>,
        inv_mass: &[R; N],
    ) {
        let (f, half, plain) = (self.images[i], R::of(0.5), self.plain_stretch);
        let square = f.norm_squared();
        let length = square.sqrt();
        let c = R::select_lt(plain, half, length - rest, (square - rest * rest) * half);
        // The gradient is `f / |f|`, or `f` itself.
        let (own_response, slack) = (self.response[i][i], own.regularization(which, inv_mass));
        let rooted = (own_response + slack) * length;
        let response = R::select_lt(plain, half, rooted, own_response * square + slack);
        let s = (c * own.stiffness(which)).div_or_zero(response, R::of(R::Scalar::TINY));
        self.push(i, f.scale(-s));
    }

    /// Corrects constraint `which`, the shear between axes `i` and `j`.
    ///
    /// With images f, g and `c = f·g / |f||g|` the gradients are `(g − (f·g/ff) f) / |f||g|` and
    /// `(f − (f·g/gg) g) / |f||g|`; their squares are `(1 − c²)/ff` and `(1 − c²)/gg`, their product
    /// `−c (1 − c²)/|f||g|`.
    #[inline(always)]
    pub(super) fn relax_shear(
        &mut self,
        which: usize,
        [i, j]: [usize; 2],
        own: &impl RelaxationParams<R, N>,
        inv_mass: &[R; N],
    ) {
        let (f, g, half, plain) = (self.images[i], self.images[j], R::of(0.5), self.plain_shear);
        let tiny = R::of(R::Scalar::TINY);
        let (ff, gg, fg) = (f.norm_squared(), g.norm_squared(), f.dot(g));
        let along_f = R::select_lt(plain, half, fg.div_or_zero(ff, tiny), R::zero());
        let along_g = R::select_lt(plain, half, fg.div_or_zero(gg, tiny), R::zero());
        // For parallel images the gradients are only rounding error: keep the quotient small.
        let across = (R::one() - along_f * along_g).max(R::of(R::Scalar::EPSILON));
        let both = self.response[i][j] * (fg + fg);
        let both = R::select_lt(plain, half, -both, both);
        let sides = self.response[i][i] * gg + self.response[j][j] * ff;
        let slack =
            own.regularization(which, inv_mass) * R::select_lt(plain, half, ff * gg, R::one());
        let s = (fg * own.stiffness(which)).div_or_zero(across * (sides + both) + slack, tiny);
        self.push(i, (g - f.scale(along_f)).scale(-s));
        self.push(j, (f - g.scale(along_g)).scale(-s));
    }

    #[inline(always)]
    fn push(&mut self, i: usize, q: Vec3<R>) {
        self.push[i] += q;
        for j in 0..D {
            self.images[j] += q.scale(self.response[j][i]);
        }
    }

    /// Moves the vertices by all corrections.
    #[inline(always)]
    pub(super) fn apply(&self, x: &mut [Vec3<R>; N]) {
        for k in 0..N {
            for i in 0..D {
                x[k] += self.push[i].scale(self.spread[i][k]);
            }
        }
    }
}

/// Rejects rest stretches that are not positive and stiffnesses below zero.
pub(super) fn validate(name: &'static str, stretches: &[f64], shares: &[f64]) -> Result<(), Error> {
    let is_invalid = |value: &&f64, least: f64| !(**value >= least && value.is_finite());
    if let Some(&value) = stretches.iter().find(|s| is_invalid(s, f64::MIN_POSITIVE)) {
        let remedy = "it must be positive; 1 is no stretch";
        return Err(Error::Quantity { name, field: "rest stretch", value, remedy });
    }
    if let Some(&value) = shares.iter().find(|s| is_invalid(s, 0.0)) {
        let remedy = "the stiffness of every strain component must be finite and not negative";
        return Err(Error::Quantity { name, field: "stiffness", value, remedy });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{ByConstraint, ConstraintGroup, relax_sequentially};
    use crate::elements::{TetGreen, TriangleGreen};

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

    /// Stiffnesses and regularisations of six constraints.
    struct Own([f64; 6]);

    impl<const N: usize> RelaxationParams<f64, N> for Own {
        fn stiffness(&self, which: usize) -> f64 {
            self.0[which]
        }
        fn regularization(&self, which: usize, inv_mass: &[f64; N]) -> f64 {
            1e-3 * self.0[5 - which] * inv_mass[0]
        }
    }

    #[test]
    fn corrections_by_images_are_those_by_gradients() {
        let own = Own([1.0, 0.7, 0.4, 0.9, 0.2, 0.6]);
        let (x, _) = sample();
        let inv_mass = [0.5, 2.0, 0.0, 1.0];
        let rest = [[0.0; 3], [1.0, 0.1, 0.0], [0.2, 1.1, 0.1], [0.1, -0.1, 0.9]];
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for flags in 0..4 {
            let measure = GreenMeasure { plain_stretch: flags & 1 > 0, plain_shear: flags & 2 > 0 };
            let (tet, _) = TetGreen::new(rest, axes, [0.9, 1.0, 1.1], [1.0; 6], measure).unwrap();
            let (by_images, by_gradients) = (&mut x.clone(), &mut x.clone());
            TetGreen::relax(&tet.parameters(), &own, &inv_mass, by_images);
            let parameters = &tet.parameters();
            relax_sequentially::<ByConstraint<TetGreen, 6>, _, 4, 20>(
                parameters,
                &own,
                &inv_mass,
                by_gradients,
            );
            for k in 0..4 {
                assert!((by_images[k] - by_gradients[k]).norm() < 1e-14, "{measure:?} {k}");
                assert_eq!((by_images[k] - x[k]).norm() > 0.01, inv_mass[k] > 0.0, "{k}");
            }

            let corners = [rest[0], rest[1], rest[2]];
            let (triangle, _) =
                TriangleGreen::new(corners, None, [0.9, 1.1], [1.0; 3], measure).unwrap();
            let (x, inv_mass) = ([x[0], x[1], x[2]], [0.5, 2.0, 1.0]);
            let (by_images, by_gradients) = (&mut x.clone(), &mut x.clone());
            TriangleGreen::relax(&triangle.parameters(), &own, &inv_mass, by_images);
            relax_sequentially::<ByConstraint<TriangleGreen, 3>, _, 3, 11>(
                &triangle.parameters(),
                &own,
                &inv_mass,
                by_gradients,
            );
            for k in 0..3 {
                assert!((by_images[k] - by_gradients[k]).norm() < 1e-14, "{measure:?} {k}");
            }
        }
    }
}
