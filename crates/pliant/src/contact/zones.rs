//! Impact zones: what passes something together is moved apart together.
//!
//! Contacts that share vertices form a zone. Of all motions of a zone that meet its contacts the least is
//! taken, in the metric of the masses: `min ½ (x − x̂)ᵀ M (x − x̂)` where `n·y ≥ d` for every contact. So a
//! zone may go on as it likes along its contacts, which rigid zones may not (Harmon, Vouga, Tamstorf and
//! Grinspun 2008: "Robust treatment of simultaneous collisions", with inequalities for their equations: no
//! contact pulls). What that makes pass is found by the next look at the way, and joins the zones.

use super::{Contact, Contacts};
use crate::math::{Scalar, Vec3};
use crate::mesh::components::Sets;
use crate::simd::Point;

/// Sweeps over a zone, at most.
const SWEEPS: usize = 400;
/// A zone is apart when no contact is deeper than this part of its distance.
const APART: f64 = 1e-2;

/// What became of the zones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Zones {
    /// How many had to move.
    pub moved: usize,
    /// How many of these were not apart afterwards: what moves as prescribed leaves no room.
    pub stuck: usize,
}

impl Contacts {
    /// Moves `x` so that all contacts are met, zone by zone.
    pub(super) fn separate<S: Scalar>(&self, x: &mut [Point<S>]) -> Zones {
        let list = &self.list;
        // What draws apart what crosses keeps nothing.
        let keeps = |c: &Contact| !c.draws();
        let open = |c: &Contact| c.offset > f64::NEG_INFINITY && c.distance(x) < -APART * c.gap;
        if !list.iter().filter(|c| keeps(c)).any(open) {
            return Zones::default();
        }
        let mut sets = Sets::new(x.len());
        for contact in list.iter().filter(|c| keeps(c)) {
            let free = |v: &&u32| x[**v as usize][3] > S::default();
            let mut vertices = contact.vertices().iter().filter(free);
            if let Some(&first) = vertices.next() {
                vertices.for_each(|&v| sets.join(first, v));
            }
        }
        // The zone of a contact is that of any of its vertices that can move.
        let mut order: Vec<(u32, u32)> = Vec::with_capacity(list.len());
        for (number, contact) in (0..).zip(list).filter(|(_, c)| keeps(c)) {
            let free = |v: &&u32| x[**v as usize][3] > S::default();
            if let Some(&v) = contact.vertices().iter().find(free) {
                order.push((sets.root(v), number));
            }
        }
        order.sort_unstable();
        let mut zones = Zones::default();
        for zone in order.chunk_by(|a, b| a.0 == b.0) {
            let sweeps = separate_zone(zone, list, x);
            zones.moved += usize::from(sweeps > 0);
            zones.stuck += usize::from(sweeps == SWEEPS);
        }
        zones
    }
}

/// Gauss and Seidel's method for the multipliers of one zone; how many sweeps it took until that was apart.
fn separate_zone<S: Scalar>(zone: &[(u32, u32)], list: &[Contact], x: &mut [Point<S>]) -> usize {
    let contacts = || zone.iter().map(|&(_, number)| &list[number as usize]);
    let mut multipliers = vec![0.0; zone.len()];
    for sweep in 0..SWEEPS {
        let mut deepest = 0.0_f64;
        for (contact, multiplier) in contacts().zip(&mut multipliers) {
            let depth = -contact.distance(x);
            let mobility = contact.mobility(|v| x[v][3].to_f64());
            if !(mobility > 0.0) || !depth.is_finite() {
                continue;
            }
            deepest = deepest.max(depth / contact.gap.max(f64::MIN_POSITIVE));
            let new = f64::max(*multiplier + depth / mobility, 0.0);
            let change = new - std::mem::replace(multiplier, new);
            if change != 0.0 {
                shift(contact, contact.normal.scale(change), x);
            }
        }
        if deepest < APART {
            return sweep;
        }
    }
    SWEEPS
}

/// Moves the vertices of a contact by an impulse on `y` \[kg m\].
fn shift<S: Scalar>(contact: &Contact, impulse: Vec3<f64>, x: &mut [Point<S>]) {
    for (&v, a) in contact.vertices().iter().zip(contact.coefficients()) {
        let x = &mut x[v as usize];
        let d = impulse.scale(a * x[3].to_f64());
        (0..3).for_each(|c| x[c] += S::from_f64([d.x, d.y, d.z][c]));
    }
}
