//! The sweep kernels: one per face, generic over the element.

use std::marker::PhantomData;

use crate::element::{Faces, Multipliers, Relaxation, each_constraint, least_response, violated};
use crate::math::{Real, Scalar, Vec3};
use crate::parallel::{InPlace, Memory, Onto};
use crate::simd::{Pack, lanes_of};

/// The data of a batch as its kernels see it.
pub struct Data<'a, S, F> {
    /// Rest data: number `q` of lane `l` of pack `p` at `(p * K + q) * PACK + l`.
    pub parameters: &'a [S],
    /// One number per constraint: a weight or a stiffness, whichever the kernel asks for. That of
    /// constraint `m` of lane `l` of pack `p` at `(p * CONSTRAINTS + m) * PACK + l`.
    pub scale: &'a [S],
    /// `|∇C|²` at rest of each constraint, ordered likewise, where it can vanish elsewhere.
    pub slope: &'a [S],
    /// The element's faces.
    pub faces: PhantomData<F>,
}

impl<S: Scalar, F> Data<'_, S, F> {
    /// The rest data of the elements from `slot` on.
    #[inline(always)]
    pub fn rest<R: Pack<Scalar = S>, const N: usize, const K: usize>(&self, slot: usize) -> [R; K] {
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

    /// The weights, or whatever `scale` holds, of constraint `which` of the elements from `slot` on.
    #[inline(always)]
    pub fn scale<R: Pack<Scalar = S>, const N: usize, const K: usize>(
        &self,
        slot: usize,
        which: usize,
    ) -> R
    where
        F: Faces<N, K>,
    {
        of_constraint::<R, F, N, K>(self.scale, slot, which)
    }

    /// What is added to the square of a gradient that can vanish.
    #[inline(always)]
    fn slack<R: Pack<Scalar = S>, const N: usize, const K: usize>(
        &self,
        slot: usize,
        which: usize,
    ) -> R
    where
        F: Faces<N, K>,
    {
        if !F::VANISHES {
            return R::zero();
        }
        of_constraint::<R, F, N, K>(self.slope, slot, which) * R::of(SLACK)
    }

    /// `Σ m⁻¹|∇C|²` with what is added to it, to divide by.
    #[inline(always)]
    fn response<R: Pack<Scalar = S>, const N: usize, const K: usize>(
        &self,
        slot: usize,
        which: usize,
        rest: &[R; K],
        g: &[Vec3<R>; N],
        inv_mass: &[R; N],
    ) -> R
    where
        F: Faces<N, K>,
    {
        let mut response = F::response(rest, g, inv_mass);
        if F::VANISHES {
            response += self.slack::<R, N, K>(slot, which) * mean(inv_mass);
        }
        response.max(least_response())
    }
}

/// The part of the squared gradient at rest that is added to that of constraints whose gradient can
/// vanish: a correction of an ordinary shape falls short by a thousandth, and none is longer than
/// some twenty times the element.
const SLACK: f64 = 1e-3;

/// The numbers of constraint `which` of the elements from `slot` on.
#[inline(always)]
fn of_constraint<R: Pack, F: Faces<N, K>, const N: usize, const K: usize>(
    numbers: &[R::Scalar],
    slot: usize,
    which: usize,
) -> R {
    if F::CONSTRAINTS == 1 {
        return R::load(&numbers[slot..slot + R::LANES]);
    }
    let width = lanes_of::<R::Scalar>(N);
    let at = (slot / width * F::CONSTRAINTS + which) * width + slot % width;
    R::load(&numbers[at..at + R::LANES])
}

#[inline(always)]
fn mean<R: Real, const N: usize>(numbers: &[R; N]) -> R {
    let mut sum = numbers[0];
    for k in 1..N {
        sum += numbers[k];
    }
    sum * R::of(1.0 / N as f64)
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
fn put<R: Real, const N: usize>(x: &mut [[R; 4]; N], p: &[Vec3<R>; N]) {
    for k in 0..N {
        [x[k][0], x[k][1], x[k][2]] = [p[k].x, p[k].y, p[k].z];
    }
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

/// Position Based Dynamics eq. (9): `scale` holds the stiffness `k'` of an iteration.
pub struct Relax<'a, S, F>(pub Data<'a, S, F>);

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> InPlace<S, N>
    for Kernel<Relax<'_, S, F>, K>
{
    type Unit = F::Element;

    const MEMORY: usize = 0;
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &mut [[R; 4]; N], _: &mut Memory<S>) {
        let data = &self.0.0;
        let rest = data.rest::<R, N, K>(slot);
        let w = spares(x);
        let mut p = positions(x);
        F::relax(&rest, &OfElement::<_, _, K>(data, slot), &w, &mut p);
        put(x, &p);
    }
}

/// The numbers of the constraints of the elements from a slot on.
struct OfElement<'a, S, F, const K: usize>(&'a Data<'a, S, F>, usize);

impl<R: Pack, F: Faces<N, K>, const N: usize, const K: usize> Relaxation<R, N>
    for OfElement<'_, R::Scalar, F, K>
{
    #[inline(always)]
    fn stiffness(&self, which: usize) -> R {
        self.0.scale::<R, N, K>(self.1, which)
    }
    #[inline(always)]
    fn slack(&self, which: usize, inv_mass: &[R; N]) -> R {
        self.0.slack::<R, N, K>(self.1, which) * mean(inv_mass)
    }
}

/// XPBD: `scale` holds the weights, the memory the multipliers.
pub struct Compliant<'a, S, F> {
    /// The batch.
    pub data: Data<'a, S, F>,
    /// The squared substep \[s²\].
    pub h2: S,
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> InPlace<S, N>
    for Kernel<Compliant<'_, S, F>, K>
{
    type Unit = F::Element;

    const MEMORY: usize = F::MULTIPLIERS;
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &mut [[R; 4]; N], memory: &mut Memory<S>) {
        let data = &self.0.data;
        let rest = data.rest::<R, N, K>(slot);
        let w = spares(x);
        let mut p = positions(x);
        let h2 = R::splat(self.0.h2);
        each_constraint!(F, N, K, which => {
            let kappa = data.scale::<R, N, K>(slot, which) * h2;
            let mut slack = R::zero();
            if F::VANISHES {
                slack = data.slack::<R, N, K>(slot, which) * mean(&w);
            }
            F::relax_compliant(which, &rest, kappa, slack, &w, &mut p, memory);
        });
        put(x, &p);
    }
}

impl<R: Pack> Multipliers<R> for Memory<'_, R::Scalar> {
    #[inline(always)]
    fn get(&self, q: usize) -> R {
        self.load(q)
    }
    #[inline(always)]
    fn set(&mut self, q: usize, value: R) {
        self.store(q, value);
    }
}

/// What is made of `C` and `∇C` of each constraint. Elements whose pull is their force are not asked
/// for the last two.
#[derive(Clone, Copy)]
pub enum Answer {
    /// Adds the full correction, times `scale`, to `y`; the spare counts.
    Correct {
        /// Count each element as one, instead of by its scale.
        count_elements: bool,
    },
    /// Takes the fraction `scale` of the relative velocity along each constraint out of the velocities
    /// `y` (Strain Based Dynamics eq. 23, normalised over the whole constraint with its masses).
    Damp,
    /// Adds the force `−w C ∇C` to `y`; `scale` holds the weight.
    Force,
    /// Sums the energy `w/2 C²`; `scale` holds the weight.
    Energy,
}

/// The answers that follow from `C` and `∇C`: one kernel, because these are most of each.
pub struct Gradient<'a, S, F> {
    /// The batch.
    pub data: Data<'a, S, F>,
    /// What is asked for.
    pub answer: Answer,
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Onto<S, N>
    for Kernel<Gradient<'_, S, F>, K>
{
    type Unit = F::Element;

    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(
        &self,
        slot: usize,
        x: &[[R; 4]; N],
        y: &mut [[R; 4]; N],
        _: bool,
    ) -> R {
        let data = &self.0.data;
        let rest = data.rest::<R, N, K>(slot);
        let w = spares(x);
        let mut energy = R::zero();
        each_constraint!(unrolled F, N, K, which => {
            let scale = data.scale::<R, N, K>(slot, which);
            let (c, g) = F::constraint(which, &rest, &positions(x));
            match self.0.answer {
                Answer::Correct { count_elements } => {
                    let count = if count_elements { R::one() } else { scale };
                    let response = data.response::<R, N, K>(slot, which, &rest, &g, &w);
                    let s = violated::<F, R, N, K>(c) * scale / response;
                    for k in 0..N {
                        add(&mut y[k], g[k].scale(-(s * w[k])));
                        y[k][3] += count;
                    }
                }
                Answer::Damp => {
                    let v = positions(y);
                    let mut along = g[0].dot(v[0]);
                    for k in 1..N {
                        along += g[k].dot(v[k]);
                    }
                    if F::UNILATERAL {
                        // A satisfied inequality does not act.
                        along = R::select_lt(c, R::zero(), along, R::zero());
                    }
                    let response = data.response::<R, N, K>(slot, which, &rest, &g, &w);
                    let s = scale * along / response;
                    for k in 0..N {
                        add(&mut y[k], g[k].scale(-(s * w[k])));
                    }
                }
                Answer::Force if !F::PULL_IS_FORCE => {
                    let c = violated::<F, R, N, K>(c);
                    for k in 0..N {
                        add(&mut y[k], g[k].scale(-c).scale(scale));
                    }
                }
                Answer::Energy if !F::PULL_IS_FORCE => {
                    let c = violated::<F, R, N, K>(c);
                    energy += c * c * R::of(0.5) * scale;
                }
                Answer::Force | Answer::Energy => {}
            }
        });
        energy
    }
}

/// Projective Dynamics: adds `w Aᵀ(p − A x)` to `y`, or sums what that minimises; `scale` holds the
/// projective weight.
pub struct Pull<'a, S, F>(pub Data<'a, S, F>);

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Onto<S, N>
    for Kernel<Pull<'_, S, F>, K>
{
    type Unit = F::Element;

    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(
        &self,
        slot: usize,
        x: &[[R; 4]; N],
        y: &mut [[R; 4]; N],
        summed: bool,
    ) -> R {
        let rest = self.0.0.rest::<R, N, K>(slot);
        let mut sum = R::zero();
        each_constraint!(F, N, K, which => {
            let slack = self.0.0.slack::<R, N, K>(slot, which);
            let (pull, distance) = F::pull(which, &rest, slack, &positions(x), summed);
            let w = self.0.0.scale::<R, N, K>(slot, which);
            for k in 0..N {
                add(&mut y[k], pull[k].scale(w));
            }
            sum += distance * w;
        });
        sum
    }
}

/// A kernel with its number of rest data spelled out, which the sweeps' traits do not carry.
pub struct Kernel<T, const K: usize>(pub T);
