//! The sweep kernels: one per face, generic over the element.

use std::marker::PhantomData;

use crate::element::{Faces, violation};
use crate::math::{Real, Scalar, Vec3};
use crate::parallel::{InPlace, Onto, Reduce};
use crate::simd::{Pack, lanes_of};

/// The data of a batch as its kernels see it.
pub struct Data<'a, S, F> {
    /// Rest data: number `q` of lane `l` of pack `p` at `(p * K + q) * PACK + l`.
    pub parameters: &'a [S],
    /// One number per slot: a weight or a stiffness, whichever the kernel asks for.
    pub scale: &'a [S],
    /// The element's faces.
    pub faces: PhantomData<F>,
}

impl<S: Scalar, F> Data<'_, S, F> {
    #[inline(always)]
    fn rest<R: Pack<Scalar = S>, const N: usize, const K: usize>(&self, slot: usize) -> [R; K] {
        let width = lanes_of::<S>(N);
        // One comparison for the pack instead of two for each number.
        let pack = slot / width * (K * width);
        let own = &self.parameters[pack..pack + K * width];
        let mut rest = [R::zero(); K];
        for q in 0..K {
            rest[q] = R::load(&own[q * width + slot % width..]);
        }
        rest
    }

    #[inline(always)]
    fn scale<R: Pack<Scalar = S>>(&self, slot: usize) -> R {
        R::load(&self.scale[slot..slot + R::LANES])
    }
}

#[inline(always)]
fn positions<R: Real, const N: usize>(x: &[[R; 4]; N]) -> [Vec3<R>; N] {
    let mut p = [Vec3::zero(); N];
    for k in 0..N {
        p[k] = Vec3::new(x[k][0], x[k][1], x[k][2]);
    }
    p
}

#[inline(always)]
fn spares<R: Real, const N: usize>(x: &[[R; 4]; N]) -> [R; N] {
    let mut w = [R::zero(); N];
    for k in 0..N {
        w[k] = x[k][3];
    }
    w
}

#[inline(always)]
fn add<R: Real>(x: &mut [R; 4], d: Vec3<R>) {
    x[0] += d.x;
    x[1] += d.y;
    x[2] += d.z;
}

/// Keeps a quotient finite where all vertices are pinned or the gradient vanishes.
#[inline(always)]
fn floor<R: Real>() -> R {
    R::of(if R::Scalar::EPSILON > 1e-10 { 1e-20 } else { 1e-200 })
}

/// Position Based Dynamics eq. (9): `scale` holds the stiffness `k'` of an iteration.
pub struct Relax<'a, S, F>(pub Data<'a, S, F>);

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> InPlace<S, N>
    for Kernel<Relax<'_, S, F>, K>
{
    const MEMORY: bool = false;
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &mut [[R; 4]; N], _: &mut R) {
        let data = &self.0.0;
        let rest = data.rest::<R, N, K>(slot);
        let w = spares(x);
        let (c, g) = violation::<F, R, N, K>(&rest, &positions(x));
        // The quotient first: for springs it does not wait for the square root.
        let s = c * (data.scale::<R>(slot) / F::response(&rest, &g, &w).max(floor()));
        for k in 0..N {
            add(&mut x[k], g[k].scale(-(s * w[k])));
        }
    }
}

/// XPBD: `scale` holds the weight, the memory the Lagrange multiplier (Macklin et al. 2016).
///
/// With `κ = w h²` in place of the compliance `1/κ`, so that a weight of zero is harmless:
/// `Δλ = (−C κ − λ) / (Σ m⁻¹|∇C|² κ + 1)`.
pub struct Compliant<'a, S, F> {
    /// The batch.
    pub data: Data<'a, S, F>,
    /// The squared substep \[s²\].
    pub h2: S,
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> InPlace<S, N>
    for Kernel<Compliant<'_, S, F>, K>
{
    const MEMORY: bool = true;
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &mut [[R; 4]; N], lambda: &mut R) {
        let data = &self.0.data;
        let rest = data.rest::<R, N, K>(slot);
        let w = spares(x);
        let (c, g) = F::constraint(&rest, &positions(x));
        let kappa = data.scale::<R>(slot) * R::splat(self.0.h2);
        let response = F::response(&rest, &g, &w);
        let mut step = (-(c * kappa) - *lambda) / (response * kappa + R::one());
        if F::UNILATERAL {
            // The multiplier only pushes.
            step = (*lambda + step).max(R::zero()) - *lambda;
        }
        *lambda += step;
        for k in 0..N {
            add(&mut x[k], g[k].scale(step * w[k]));
        }
    }
}

/// The full correction of each constraint, times `scale`, added to `y`; the spare counts.
pub struct Correct<'a, S, F> {
    /// The batch.
    pub data: Data<'a, S, F>,
    /// Count each element as one, instead of by its scale.
    pub count_elements: bool,
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Onto<S, N>
    for Kernel<Correct<'_, S, F>, K>
{
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &[[R; 4]; N], y: &mut [[R; 4]; N]) {
        let data = &self.0.data;
        let rest = data.rest::<R, N, K>(slot);
        let w = spares(x);
        let scale = data.scale::<R>(slot);
        let count = if self.0.count_elements { R::one() } else { scale };
        let (c, g) = violation::<F, R, N, K>(&rest, &positions(x));
        let s = c * scale / F::response(&rest, &g, &w).max(floor());
        for k in 0..N {
            add(&mut y[k], g[k].scale(-(s * w[k])));
            y[k][3] += count;
        }
    }
}

/// Projective Dynamics: adds `w Aᵀ(p − A x)` to `y`; `scale` holds the projective weight.
pub struct Pull<'a, S, F>(pub Data<'a, S, F>);

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Onto<S, N>
    for Kernel<Pull<'_, S, F>, K>
{
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &[[R; 4]; N], y: &mut [[R; 4]; N]) {
        let rest = self.0.0.rest::<R, N, K>(slot);
        let (pull, _) = F::pull(&rest, &positions(x));
        let w = self.0.0.scale::<R>(slot);
        for k in 0..N {
            add(&mut y[k], pull[k].scale(w));
        }
    }
}

/// Adds the force `−∇E` to `y`; `scale` holds the weight.
pub struct Force<'a, S, F>(pub Data<'a, S, F>);

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Onto<S, N>
    for Kernel<Force<'_, S, F>, K>
{
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &[[R; 4]; N], y: &mut [[R; 4]; N]) {
        let rest = self.0.0.rest::<R, N, K>(slot);
        let force = F::force(&rest, &positions(x));
        let w = self.0.0.scale::<R>(slot);
        for k in 0..N {
            add(&mut y[k], force[k].scale(w));
        }
    }
}

/// Takes the fraction `scale` of the relative velocity along each constraint out of the velocities
/// `y` (Strain Based Dynamics eq. 23, normalised over the whole constraint with its masses).
pub struct Damp<'a, S, F>(pub Data<'a, S, F>);

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Onto<S, N>
    for Kernel<Damp<'_, S, F>, K>
{
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &[[R; 4]; N], y: &mut [[R; 4]; N]) {
        let rest = self.0.0.rest::<R, N, K>(slot);
        let w = spares(x);
        let v = positions(y);
        let (c, g) = F::constraint(&rest, &positions(x));
        let mut along = g[0].dot(v[0]);
        for k in 1..N {
            along += g[k].dot(v[k]);
        }
        if F::UNILATERAL {
            // A satisfied inequality does not act.
            along = R::select_lt(c, R::zero(), along, R::zero());
        }
        let s = self.0.0.scale::<R>(slot) * along / F::response(&rest, &g, &w).max(floor());
        for k in 0..N {
            add(&mut y[k], g[k].scale(-(s * w[k])));
        }
    }
}

/// The energy of each element; `scale` holds the weight.
pub struct Energy<'a, S, F>(pub Data<'a, S, F>);

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Reduce<S, N>
    for Kernel<Energy<'_, S, F>, K>
{
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &[[R; 4]; N]) -> R {
        let rest = self.0.0.rest::<R, N, K>(slot);
        F::energy(&rest, &positions(x)) * self.0.0.scale(slot)
    }
}

/// The energy that Projective Dynamics minimises; `scale` holds the projective weight.
pub struct Distance<'a, S, F>(pub Data<'a, S, F>);

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Reduce<S, N>
    for Kernel<Distance<'_, S, F>, K>
{
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &[[R; 4]; N]) -> R {
        let rest = self.0.0.rest::<R, N, K>(slot);
        F::pull(&rest, &positions(x)).1 * self.0.0.scale(slot)
    }
}

/// A kernel with its number of rest data spelled out, which the sweeps' traits do not carry.
pub struct Kernel<T, const K: usize>(pub T);
