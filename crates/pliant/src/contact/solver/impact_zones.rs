//! Impact zones: groups of connected contacts, moved apart together.
//!
//! Contacts that share vertices form a zone. Of all motions of a zone that satisfy its contacts, the least is taken in
//! the metric of the masses: `min ½ (x − x̂)ᵀ M (x − x̂)` where `n·y ≥ d` for every contact. So a zone moves freely
//! along its contacts, which rigid zones cannot (Harmon, Vouga, Tamstorf and Grinspun 2008: "Robust treatment of
//! simultaneous collisions", with inequalities for their equations: no contact pulls). Crossings that this causes are
//! found by the next test of the path, and join the zones.

use crate::contact::ContactConstraint;
use crate::contact::solver::set::ContactSet;
use crate::math::{Scalar, Vec3};
use crate::mesh::components::UnionFind;
use crate::simd::Point;

/// Maximum number of sweeps over a zone.
const MAX_ZONE_SWEEPS: usize = 400;
/// A zone is resolved if no contact penetrates by more than this fraction of its minimum distance.
const ZONE_PENETRATION_TOLERANCE: f64 = 1e-2;

/// Result of solving the zones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::contact) struct ImpactZoneStats {
    /// Number of zones that moved.
    pub moved: usize,
    /// Number of zones that remained unresolved: kinematic motion leaves no room.
    pub unresolved: usize,
}

impl ContactSet {
    /// Moves `x` so that all contacts are satisfied, zone by zone.
    pub(in crate::contact) fn solve_impact_zones<S: Scalar>(
        &self,
        x: &mut [Point<S>],
    ) -> ImpactZoneStats {
        let list = &self.list;
        // Separation constraints keep no distance.
        let keeps = |c: &ContactConstraint| !c.is_separation();
        let open = |c: &ContactConstraint| {
            c.offset > f64::NEG_INFINITY
                && c.distance(x) < -ZONE_PENETRATION_TOLERANCE * c.min_distance
        };
        if !list.iter().filter(|c| keeps(c)).any(open) {
            return ImpactZoneStats::default();
        }
        let mut sets = UnionFind::new(x.len());
        for contact in list.iter().filter(|c| keeps(c)) {
            let free = |v: &&u32| x[**v as usize][3] > S::default();
            let mut vertices = contact.vertices().iter().filter(free);
            if let Some(&first) = vertices.next() {
                vertices.for_each(|&v| sets.union(first, v));
            }
        }
        // The zone of a contact is that of any of its movable vertices.
        let mut order: Vec<(u32, u32)> = Vec::with_capacity(list.len());
        for (number, contact) in (0..).zip(list).filter(|(_, c)| keeps(c)) {
            let free = |v: &&u32| x[**v as usize][3] > S::default();
            if let Some(&v) = contact.vertices().iter().find(free) {
                order.push((sets.find(v), number));
            }
        }
        order.sort_unstable();
        let mut zones = ImpactZoneStats::default();
        for zone in order.chunk_by(|a, b| a.0 == b.0) {
            let sweeps = solve_zone(zone, list, x);
            zones.moved += usize::from(sweeps > 0);
            zones.unresolved += usize::from(sweeps == MAX_ZONE_SWEEPS);
        }
        zones
    }
}

/// Solves for the multipliers of one zone by projected Gauss–Seidel. Returns the number of sweeps until it was
/// resolved.
fn solve_zone<S: Scalar>(
    zone: &[(u32, u32)],
    list: &[ContactConstraint],
    x: &mut [Point<S>],
) -> usize {
    let contacts = || zone.iter().map(|&(_, number)| &list[number as usize]);
    let mut multipliers = vec![0.0; zone.len()];
    for sweep in 0..MAX_ZONE_SWEEPS {
        let mut max_depth = 0.0_f64;
        for (contact, multiplier) in contacts().zip(&mut multipliers) {
            let depth = -contact.distance(x);
            let inv_effective_mass = contact.inv_effective_mass(|v| x[v][3].to_f64());
            if !(inv_effective_mass > 0.0) || !depth.is_finite() {
                continue;
            }
            max_depth = max_depth.max(depth / contact.min_distance.max(f64::MIN_POSITIVE));
            let new = f64::max(*multiplier + depth / inv_effective_mass, 0.0);
            let change = new - std::mem::replace(multiplier, new);
            if change != 0.0 {
                apply_impulse(contact, contact.normal.scale(change), x);
            }
        }
        if max_depth < ZONE_PENETRATION_TOLERANCE {
            return sweep;
        }
    }
    MAX_ZONE_SWEEPS
}

/// Moves the vertices of a contact by an impulse on `y` \[kg m\].
fn apply_impulse<S: Scalar>(contact: &ContactConstraint, impulse: Vec3<f64>, x: &mut [Point<S>]) {
    for (&v, a) in contact.vertices().iter().zip(contact.coefficients()) {
        let x = &mut x[v as usize];
        let d = impulse.scale(a * x[3].to_f64());
        (0..3).for_each(|c| x[c] += S::from_f64([d.x, d.y, d.z][c]));
    }
}
