//! Sweeps over the contact set as loops that are compiled for the packs of the processor: relaxation, forces,
//! depenetration.

use crate::contact::solver::constraint::ContactConstraint;
use crate::contact::solver::set::ContactSet;
use crate::contact::solver::wide::WideColliderContacts;
use crate::math::Scalar;
use crate::simd::{Pack, Point, SimdLoop};

/// Maximum sweeps that remove the remaining penetration at the end of a step: of all contacts, and of those at rest.
const MAX_DEPENETRATION_SWEEPS: [usize; 2] = [4, 48];

pub(super) const PENETRATION_TOLERANCE: f64 = 0.03;

/// Relaxation sweep over all contacts, compiled for the packs that the processor has: its points are packs of four.
pub(super) struct RelaxLoop<'a, S> {
    pub wide_contacts: &'a mut WideColliderContacts,
    pub first: &'a mut [ContactConstraint],
    pub others: &'a mut [ContactConstraint],
    pub x: &'a mut [Point<S>],
    /// Largest penetration, as a fraction of the minimum distance.
    pub max_relative_depth: f64,
}

impl<S: Scalar> SimdLoop<f64> for RelaxLoop<'_, S> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f64>>(&mut self) {
        let mut max_depth = 0.0;
        self.wide_contacts.relax::<R, S>(self.first, self.x, |depth, min_distance| {
            max_depth = max_relative_depth(max_depth, depth, min_distance);
        });
        for contact in self.others.iter_mut() {
            max_depth = max_relative_depth(max_depth, contact.relax(self.x), contact.min_distance);
        }
        self.max_relative_depth = max_depth;
    }
}

/// Returns the larger of a relative penetration and the largest one so far.
#[inline(always)]
pub(in crate::contact) fn max_relative_depth(max_depth: f64, depth: f64, min_distance: f64) -> f64 {
    let is_deeper = depth > 0.0 && depth > max_depth * min_distance;
    if is_deeper { depth / min_distance.max(f64::MIN_POSITIVE) } else { max_depth }
}

/// Loop of [`ContactSet::add_forces`].
pub(super) struct ForceLoop<'a, S> {
    pub contacts: &'a ContactSet,
    pub x: &'a [Point<S>],
    pub y: &'a mut [Point<S>],
}

impl<S: Scalar> SimdLoop<f64> for ForceLoop<'_, S> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f64>>(&mut self) {
        for own in self.contacts.penalty_contacts() {
            let f = own.force(self.x);
            if f.x != 0.0 || f.y != 0.0 || f.z != 0.0 {
                own.contact.scatter(f, |_| 1.0, self.y);
            }
        }
    }
}

/// Loop of [`ContactSet::depenetrate`].
pub(super) struct DepenetrationLoop<'a, S> {
    pub list: &'a [ContactConstraint],
    pub x: &'a mut [Point<S>],
    pub resting_speed: f64,
}

impl<S: Scalar> SimdLoop<f64> for DepenetrationLoop<'_, S> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f64>>(&mut self) {
        for sweep in 0..MAX_DEPENETRATION_SWEEPS[1] {
            let all = sweep < MAX_DEPENETRATION_SWEEPS[0];
            let mut max_depth = 0.0;
            for contact in self.list {
                if contact.active && (all || contact.approach_speed > -self.resting_speed) {
                    max_depth = f64::max(max_depth, contact.depenetrate(self.x));
                }
            }
            if max_depth <= PENETRATION_TOLERANCE {
                break;
            }
        }
    }
}
