//! Sweep kernels: one per solver form, generic over the element.

use std::marker::PhantomData;

use crate::element::{Multipliers, RelaxationParams, each_constraint, min_inv_effective_mass};
use crate::element::{SolverForms, clamp_violation};
use crate::math::{Real, Scalar, Vec3};
use crate::parallel::{AccumulateKernel, ElementState, InPlaceKernel};
use crate::simd::{Pack, lanes_of};

/// The data of a batch that its kernels read.
pub struct KernelData<'a, S, F> {
    /// Rest data: number `q` of lane `l` of pack `p` at `(p * K + q) * PACK + l`.
    pub parameters: &'a [S],
    /// One number per constraint: a weight or a stiffness, depending on the kernel. The number of constraint `m` of
    /// lane `l` of pack `p` is at `(p * CONSTRAINTS + m) * PACK + l`.
    pub scale: &'a [S],
    /// `|∇C|²` at rest of each constraint, in the same order, for elements whose gradient can vanish.
    pub rest_gradient_squared: &'a [S],
    /// The solver forms of the element.
    pub forms: PhantomData<F>,
}

impl<S: Scalar, F> KernelData<'_, S, F> {
    /// The rest data of the elements from `slot` on.
    #[inline(always)]
    pub fn rest<R: Pack<Scalar = S>, const N: usize, const K: usize>(&self, slot: usize) -> [R; K] {
        let width = lanes_of::<S>(N);
        // One bounds check for the pack instead of two for each number.
        let pack = slot / width * (K * width);
        let own = &self.parameters[pack..pack + K * width];
        let mut rest = [R::zero(); K];
        for q in 0..K {
            rest[q] = R::load(&own[q * width + slot % width..]);
        }
        rest
    }

    /// The values of `scale` for constraint `which` of the elements from `slot` on.
    #[inline(always)]
    pub fn scale<R: Pack<Scalar = S>, const N: usize, const K: usize>(
        &self,
        slot: usize,
        which: usize,
    ) -> R
    where
        F: SolverForms<N, K>,
    {
        load_constraint::<R, F, N, K>(self.scale, slot, which)
    }

    /// The regularisation added to the square of a gradient that can vanish.
    #[inline(always)]
    fn regularization<R: Pack<Scalar = S>, const N: usize, const K: usize>(
        &self,
        slot: usize,
        which: usize,
    ) -> R
    where
        F: SolverForms<N, K>,
    {
        if !F::GRADIENT_CAN_VANISH {
            return R::zero();
        }
        load_constraint::<R, F, N, K>(self.rest_gradient_squared, slot, which)
            * R::of(GRADIENT_REGULARIZATION)
    }

    /// The regularised `Σ m⁻¹|∇C|²`, to divide by.
    #[inline(always)]
    fn inv_effective_mass<R: Pack<Scalar = S>, const N: usize, const K: usize>(
        &self,
        slot: usize,
        which: usize,
        rest: &[R; K],
        g: &[Vec3<R>; N],
        inv_mass: &[R; N],
    ) -> R
    where
        F: SolverForms<N, K>,
    {
        let mut response = F::inv_effective_mass(rest, g, inv_mass);
        if F::GRADIENT_CAN_VANISH {
            response += self.regularization::<R, N, K>(slot, which) * mean(inv_mass);
        }
        response.max(min_inv_effective_mass())
    }
}

/// Regularisation of constraints whose gradient can vanish, as a fraction of the squared gradient at rest: a correction
/// of an ordinary shape falls short by a thousandth, and none is longer than some twenty times the element.
const GRADIENT_REGULARIZATION: f64 = 1e-3;

/// The values of `all` for constraint `which` of the elements from `slot` on.
#[inline(always)]
fn load_constraint<R: Pack, F: SolverForms<N, K>, const N: usize, const K: usize>(
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
fn set_positions<R: Real, const N: usize>(x: &mut [[R; 4]; N], p: &[Vec3<R>; N]) {
    for k in 0..N {
        [x[k][0], x[k][1], x[k][2]] = [p[k].x, p[k].y, p[k].z];
    }
}

#[inline(always)]
fn inv_masses<R: Real, const N: usize>(x: &[[R; 4]; N]) -> [R; N] {
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
pub struct Relax<'a, S, F>(pub KernelData<'a, S, F>);

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> InPlaceKernel<S, N>
    for Kernel<Relax<'_, S, F>, K>
{
    type Unit = F::Element;

    const STATE_LEN: usize = 0;
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(
        &self,
        slot: usize,
        x: &mut [[R; 4]; N],
        _: &mut ElementState<S>,
    ) {
        let data = &self.0.0;
        let rest = data.rest::<R, N, K>(slot);
        let w = inv_masses(x);
        let mut p = positions(x);
        F::relax(&rest, &ElementConstraints::<_, _, K>(data, slot), &w, &mut p);
        set_positions(x, &p);
    }
}

/// The parameters of the constraints of the elements from a slot on.
struct ElementConstraints<'a, S, F, const K: usize>(&'a KernelData<'a, S, F>, usize);

impl<R: Pack, F: SolverForms<N, K>, const N: usize, const K: usize> RelaxationParams<R, N>
    for ElementConstraints<'_, R::Scalar, F, K>
{
    #[inline(always)]
    fn stiffness(&self, which: usize) -> R {
        self.0.scale::<R, N, K>(self.1, which)
    }
    #[inline(always)]
    fn regularization(&self, which: usize, inv_mass: &[R; N]) -> R {
        self.0.regularization::<R, N, K>(self.1, which) * mean(inv_mass)
    }
}

/// XPBD: `scale` holds the weights; the kernel state holds the multipliers.
pub struct RelaxCompliant<'a, S, F> {
    /// The batch.
    pub data: KernelData<'a, S, F>,
    /// The squared substep \[s²\].
    pub h2: S,
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> InPlaceKernel<S, N>
    for Kernel<RelaxCompliant<'_, S, F>, K>
{
    type Unit = F::Element;

    const STATE_LEN: usize = F::MULTIPLIERS;
    const COST_NS: usize = F::COST_NS;

    #[inline(always)]
    fn apply<R: Pack<Scalar = S>>(
        &self,
        slot: usize,
        x: &mut [[R; 4]; N],
        state: &mut ElementState<S>,
    ) {
        let data = &self.0.data;
        let rest = data.rest::<R, N, K>(slot);
        let w = inv_masses(x);
        let mut p = positions(x);
        let h2 = R::splat(self.0.h2);
        each_constraint!(F, N, K, which => {
            let kappa = data.scale::<R, N, K>(slot, which) * h2;
            let mut slack = R::zero();
            if F::GRADIENT_CAN_VANISH {
                slack = data.regularization::<R, N, K>(slot, which) * mean(&w);
            }
            F::relax_compliant(which, &rest, kappa, slack, &w, &mut p, state);
        });
        set_positions(x, &p);
    }
}

impl<R: Pack> Multipliers<R> for ElementState<'_, R::Scalar> {
    #[inline(always)]
    fn get(&self, q: usize) -> R {
        self.load(q)
    }
    #[inline(always)]
    fn set(&mut self, q: usize, value: R) {
        self.store(q, value);
    }
}

/// Quantity to compute from `C` and `∇C` of each constraint. The last two are not used for elements whose projective
/// force is their force.
#[derive(Clone, Copy)]
pub enum GradientOutput {
    /// Adds the full correction, times `scale`, to `y`; the fourth number of each point counts.
    JacobiCorrection {
        /// True to count each element as one, instead of by its scale.
        count_elements: bool,
    },
    /// Removes the fraction `scale` of the relative velocity along each constraint from the velocities `y` (Strain
    /// Based Dynamics eq. 23, normalised over the whole constraint with its masses).
    Damping,
    /// Adds the force `−w C ∇C` to `y`; `scale` holds the weight.
    Force,
    /// Sums the energy `w/2 C²`; `scale` holds the weight.
    Energy,
}

/// Kernel for the quantities that follow from `C` and `∇C`: a single one, because `C` and `∇C` are most of the work of
/// each.
pub struct Gradient<'a, S, F> {
    /// The batch.
    pub data: KernelData<'a, S, F>,
    /// The quantity to compute.
    pub output: GradientOutput,
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> AccumulateKernel<S, N>
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
        let w = inv_masses(x);
        let mut energy = R::zero();
        each_constraint!(unrolled F, N, K, which => {
            let scale = data.scale::<R, N, K>(slot, which);
            let (c, g) = F::constraint(which, &rest, &positions(x));
            match self.0.output {
                GradientOutput::JacobiCorrection { count_elements } => {
                    let count = if count_elements { R::one() } else { scale };
                    let response = data.inv_effective_mass::<R, N, K>(slot, which, &rest, &g, &w);
                    let s = clamp_violation::<F, R, N, K>(c) * scale / response;
                    for k in 0..N {
                        add(&mut y[k], g[k].scale(-(s * w[k])));
                        y[k][3] += count;
                    }
                }
                GradientOutput::Damping => {
                    let v = positions(y);
                    let mut along = g[0].dot(v[0]);
                    for k in 1..N {
                        along += g[k].dot(v[k]);
                    }
                    if F::UNILATERAL {
                        // A satisfied inequality does not act.
                        along = R::select_lt(c, R::zero(), along, R::zero());
                    }
                    let response = data.inv_effective_mass::<R, N, K>(slot, which, &rest, &g, &w);
                    let s = scale * along / response;
                    for k in 0..N {
                        add(&mut y[k], g[k].scale(-(s * w[k])));
                    }
                }
                GradientOutput::Force if !F::PROJECTIVE_ENERGY_IS_EXACT => {
                    let c = clamp_violation::<F, R, N, K>(c);
                    for k in 0..N {
                        add(&mut y[k], g[k].scale(-c).scale(scale));
                    }
                }
                GradientOutput::Energy if !F::PROJECTIVE_ENERGY_IS_EXACT => {
                    let c = clamp_violation::<F, R, N, K>(c);
                    energy += c * c * R::of(0.5) * scale;
                }
                GradientOutput::Force | GradientOutput::Energy => {}
            }
        });
        energy
    }
}

/// Projective Dynamics: adds `w Aᵀ(p − A x)` to `y`, or sums the energy of that force; `scale` holds the projective
/// weight.
pub struct ProjectiveForce<'a, S, F>(pub KernelData<'a, S, F>);

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> AccumulateKernel<S, N>
    for Kernel<ProjectiveForce<'_, S, F>, K>
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
            let slack = self.0.0.regularization::<R, N, K>(slot, which);
            let (pull, distance) = F::projective_force(which, &rest, slack, &positions(x), summed);
            let w = self.0.0.scale::<R, N, K>(slot, which);
            for k in 0..N {
                add(&mut y[k], pull[k].scale(w));
            }
            sum += distance * w;
        });
        sum
    }
}

/// A kernel with its number of rest data as a const parameter, which the sweeps' traits do not have.
pub struct Kernel<T, const K: usize>(pub T);
