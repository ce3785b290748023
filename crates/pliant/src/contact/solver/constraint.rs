//! Contact constraint: a half-space for a linear combination of vertices, with Coulomb friction.
//!
//! The constraint is `n·y ≥ d` for `y = Σ a_k x_k` (Position Based Dynamics §3.4). Position-based solvers project it,
//! with a multiplier `λ`: the trial value moves `y` onto the plane and back to its anchor, and is clamped to the
//! friction cone, `λ_n ≥ 0` and `|λ_t| ≤ μ λ_n`. Energy-based solvers use [`PenaltyContact`], its augmented Lagrangian.
//! Restitution and the limit of separation velocity follow Müller et al. 2020, "Detailed rigid body simulation with
//! extended position based dynamics", §3.6.

use crate::math::{Scalar, Vec3};
use crate::simd::Point;

/// Maximum number of vertices of a contact.
pub const MAX_VERTICES: usize = 8;

/// Fraction of the missing distance at the start that is required at the end of a substep.
const RECOVERY_FRACTION: f64 = 0.3;
/// A contact is detected anew if its closest points have slid, or its normal has turned, by this fraction of the
/// distance between them.
const MAX_REFRESH_SLIP: f64 = 0.25;

/// Friction sticks if it transmits less than this fraction of its limit.
const STICKING_FRICTION_FRACTION: f64 = 0.999;

/// Contact constraint: `y = Σ a_k x_k` of up to [`MAX_VERTICES`] vertices must stay where `n·y ≥ d`.
///
/// A vertex against a collider is `y = x`; for two features of bodies the coefficients add up to zero, so that the
/// contact conserves momentum.
///
/// Solvers and sweeps read the first fields repeatedly, the others once: hence their order. The fields that show that a
/// contact is idle fill two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct ContactConstraint {
    /// Unit normal: the direction of the force.
    pub normal: Vec3<f64>,
    /// Least admissible `n·y` \[m\].
    pub offset: f64,
    /// Multiplier: the force transmitted so far \[N\], or for position-based solvers that force times the squared step
    /// \[kg m\].
    pub multiplier: Vec3<f64>,
    /// Number of vertices.
    pub(in crate::contact) count: u32,
    /// True if the contact has transmitted force in this substep.
    pub(in crate::contact) active: bool,
    /// True if friction stuck in the substep's solve.
    pub(in crate::contact) sticking: bool,
    /// True if both sides consist of the model's vertices, so that the contact can be refreshed.
    pub(in crate::contact) is_refreshable: bool,
    pub(in crate::contact) vertices: [u32; MAX_VERTICES],
    pub(in crate::contact) coefficients: [f64; MAX_VERTICES],
    /// Position of `y` at the end of the substep without slip \[m\].
    pub anchor: Vec3<f64>,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Minimum distance \[m\].
    pub(in crate::contact) min_distance: f64,
    /// For energy-based solvers, the most that friction transmits \[N\]: what the normal force last allowed. Constant
    /// during a minimization, since with a limit that changes with the force there is no minimum.
    pub(in crate::contact) friction_limit: f64,
    /// `offset` for the full minimum distance, without gradual recovery \[m\].
    pub(in crate::contact) full_offset: f64,
    /// Key of the features in contact: identifies and orders contacts.
    pub(in crate::contact) key: [u32; 4],
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Relative velocity along the normal before the substep's solve, negative if closing [m/s].
    pub approach_speed: f64,
    /// Velocity of the other side, if that is not made of the model's vertices [m/s].
    pub other_velocity: Vec3<f64>,
}

impl ContactConstraint {
    /// Creates the constraint that a combination of vertices stays on one side of a plane. Terms of the same vertex are
    /// added up.
    pub fn new(
        terms: impl IntoIterator<Item = (u32, f64)>,
        normal: Vec3<f64>,
        offset: f64,
    ) -> Self {
        let (mut vertices, mut coefficients, mut count) =
            ([0; MAX_VERTICES], [0.0; MAX_VERTICES], 0);
        for (v, a) in terms {
            match vertices[..count].iter().position(|&w| w == v) {
                Some(k) => coefficients[k] += a,
                None => {
                    (vertices[count], coefficients[count]) = (v, a);
                    count += 1;
                }
            }
        }
        // Unused entries must be valid indices.
        let first = vertices[0];
        vertices[count..].fill(first);
        Self {
            vertices,
            coefficients,
            count: count as u32,
            key: [u32::MAX; 4],
            normal,
            offset,
            full_offset: offset,
            min_distance: 0.0,
            is_refreshable: false,
            anchor: Vec3::zero(),
            friction: 0.0,
            restitution: 0.0,
            approach_speed: 0.0,
            other_velocity: Vec3::zero(),
            multiplier: Vec3::zero(),
            friction_limit: 0.0,
            active: false,
            sticking: false,
        }
    }

    /// Orders contacts by the features in contact, and those of the same features by normal and offset.
    pub(in crate::contact) fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let numbers = |c: &Self| [c.normal.x, c.normal.y, c.normal.z, c.offset].map(f64::to_bits);
        self.key.cmp(&other.key).then_with(|| numbers(self).cmp(&numbers(other)))
    }

    /// Returns this contact, warm-started from an older one of the same features: its normal multiplier is kept.
    pub(in crate::contact) fn warm_started_from(&self, older: &Self) -> Self {
        let along = older.multiplier.dot(self.normal).max(0.0);
        Self { active: older.active, multiplier: self.normal.scale(along), ..*self }
    }

    /// Prepares the contact for the next substep, which starts at `x`. Returns false if that is impossible; then the
    /// contact requires nothing any more.
    pub(in crate::contact) fn refresh<S: Scalar>(
        &mut self,
        x: &[Point<S>],
        velocities: &[Point<S>],
    ) -> bool {
        let y = self.combine(x);
        let along = self.normal.dot(y);
        let across = y - self.normal.scale(along);
        let slid =
            !(across.norm_squared() <= (MAX_REFRESH_SLIP * along) * (MAX_REFRESH_SLIP * along));
        (self.multiplier, self.friction_limit) = (Vec3::zero(), 0.0);
        (self.active, self.sticking) = (false, false);
        if !self.is_refreshable || !(along > 0.0) || slid {
            (self.offset, self.full_offset) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            self.restitution = 0.0;
            return false;
        }
        (self.offset, self.full_offset) =
            (target_distance(along, self.min_distance), self.min_distance);
        self.anchor = y;
        self.approach_speed = self.normal.dot(self.combine(velocities));
        true
    }

    /// Sets `sticking` according to the multiplier, if that is not zero.
    pub(in crate::contact) fn mark_sticking(&mut self) {
        let along = self.normal.dot(self.multiplier);
        if along > 0.0 {
            let across = (self.multiplier - self.normal.scale(along)).norm();
            self.sticking = across < STICKING_FRICTION_FRACTION * self.friction * along;
        }
    }

    /// Returns the vector from `y` at `x` to its friction anchor \[m\], across the normal.
    pub(in crate::contact) fn tangential_drift<S: Scalar>(&self, x: &[Point<S>]) -> Vec3<f64> {
        self.tangential(self.anchor - self.combine(x))
    }

    /// Returns the tangential part of a vector.
    pub(in crate::contact) fn tangential(&self, v: Vec3<f64>) -> Vec3<f64> {
        v - self.normal.scale(self.normal.dot(v))
    }

    /// Returns true if the penetration at `x` exceeds a fraction of the minimum distance.
    pub(in crate::contact) fn penetrates<S: Scalar>(&self, x: &[Point<S>], fraction: f64) -> bool {
        self.distance(x) < -fraction * self.min_distance
    }

    /// Returns true for a separation constraint, which draws intersecting surfaces apart instead of keeping a distance.
    pub(in crate::contact) fn is_separation(&self) -> bool {
        self.full_offset == f64::NEG_INFINITY && self.offset > f64::NEG_INFINITY
    }

    /// Returns true if the contact has transmitted force.
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// Returns the vertices that take part.
    #[inline(always)]
    pub fn vertices(&self) -> &[u32] {
        &self.vertices[..self.count as usize]
    }

    /// Returns the coefficients of the vertices.
    #[inline(always)]
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients[..self.count as usize]
    }

    /// Returns the signed distance of `y` to the plane \[m\], positive on the admissible side.
    pub fn distance<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.normal.dot(self.combine(x)) - self.offset
    }

    #[inline(always)]
    pub(in crate::contact) fn combine<S: Scalar>(&self, x: &[Point<S>]) -> Vec3<f64> {
        // Lengths known at compile time.
        match self.count {
            1 => self.combine_first::<S, 1>(x),
            2..=4 => self.combine_first::<S, 4>(x),
            _ => self.combine_first::<S, MAX_VERTICES>(x),
        }
    }

    /// Combines the first `N` vertices; those beyond do not count.
    #[inline(always)]
    fn combine_first<S: Scalar, const N: usize>(&self, x: &[Point<S>]) -> Vec3<f64> {
        // Four components at once are as fast as three.
        let mut y = [0.0; 4];
        for k in 0..N {
            let p = point_to_f64(&x[self.vertices[k] as usize]);
            (0..4).for_each(|c| y[c] += self.coefficients[k] * p[c]);
        }
        Vec3::new(y[0], y[1], y[2])
    }

    /// Adds a vector to points, times the coefficient of each vertex and a factor of its own.
    #[inline(always)]
    pub(in crate::contact) fn scatter<S: Scalar>(
        &self,
        v: Vec3<f64>,
        factor: impl Fn(&Point<S>) -> f64,
        to: &mut [Point<S>],
    ) {
        let v = [v.x, v.y, v.z, 0.0];
        for (&vertex, a) in self.vertices().iter().zip(self.coefficients()) {
            let to = &mut to[vertex as usize];
            let scale = a * factor(to);
            (0..4).for_each(|c| to[c] += S::from_f64(v[c] * scale));
        }
    }

    /// Returns the inverse effective mass `Σ a² / m`, from the given inverse masses.
    pub(in crate::contact) fn inv_effective_mass(&self, inv_mass: impl Fn(usize) -> f64) -> f64 {
        let of = |(&v, a): (&u32, &f64)| a * a * inv_mass(v as usize);
        self.vertices().iter().zip(self.coefficients()).map(of).sum()
    }

    /// Clamps a trial multiplier to Coulomb's cone: first along the normal, then across it.
    #[inline(always)]
    fn clamp_to_friction_cone(&self, trial: Vec3<f64>) -> Vec3<f64> {
        let along = self.normal.dot(trial);
        if !(along > 0.0) {
            return Vec3::zero();
        }
        let across = trial - self.normal.scale(along);
        self.normal.scale(along) + clamp_length(across, self.friction * along)
    }

    /// Moves the vertices so that `y` is admissible and slips only as far as friction allows. Returns the penetration
    /// before \[m\]; zero if the contact is idle.
    #[inline(always)]
    pub(in crate::contact) fn relax<S: Scalar>(&mut self, x: &mut [Point<S>]) -> f64 {
        // Lengths known at compile time: most of the time of a crumpled cloth is spent here.
        match self.count {
            1 => self.relax_first::<S, 1>(x),
            2..=4 => self.relax_first::<S, 4>(x),
            _ => self.relax_first::<S, MAX_VERTICES>(x),
        }
    }

    /// Relaxes with the first `N` vertices; those beyond do not count.
    #[inline(always)]
    fn relax_first<S: Scalar, const N: usize>(&mut self, x: &mut [Point<S>]) -> f64 {
        let y = self.combine_first::<S, N>(x);
        let along = self.offset - self.normal.dot(y);
        let previous = self.multiplier;
        let idle = previous.x == 0.0 && previous.y == 0.0 && previous.z == 0.0;
        if idle && along <= 0.0 {
            // Most contacts are idle.
            return 0.0;
        }
        let (mut scales, mut inv_effective_mass) = ([0.0; N], 0.0);
        for k in 0..N {
            let (w, a) = (x[self.vertices[k] as usize][3].to_f64(), self.coefficients[k]);
            scales[k] = a * w;
            inv_effective_mass += a * a * w;
        }
        if !(inv_effective_mass > 0.0) {
            return 0.0;
        }
        let slip = self.anchor - y;
        let across = slip - self.normal.scale(self.normal.dot(slip));
        let wanted = (self.normal.scale(along) + across).scale(1.0 / inv_effective_mass);
        let multiplier = self.clamp_to_friction_cone(previous + wanted);
        let change = multiplier - previous;
        self.multiplier = multiplier;
        self.active |= multiplier.dot(self.normal) > 0.0;
        let change = [change.x, change.y, change.z, 0.0];
        for k in 0..N {
            let x = &mut x[self.vertices[k] as usize];
            (0..4).for_each(|c| x[c] += S::from_f64(change[c] * scales[k]));
        }
        along
    }

    /// Moves the vertices so that `y` keeps its full minimum distance; not by forces, hence without friction. Returns
    /// the penetration before, as a fraction of that distance.
    #[inline(always)]
    pub(in crate::contact) fn depenetrate<S: Scalar>(&self, x: &mut [Point<S>]) -> f64 {
        let depth = self.depth(x);
        if !(depth > 0.0) {
            return 0.0;
        }
        let inv_effective_mass = self.inv_effective_mass(|v| x[v][3].to_f64());
        if !(inv_effective_mass > 0.0) {
            return 0.0;
        }
        for (&v, a) in self.vertices().iter().zip(self.coefficients()) {
            let x = &mut x[v as usize];
            let d = self.normal.scale(a * x[3].to_f64() * depth / inv_effective_mass);
            (0..3).for_each(|c| x[c] += S::from_f64([d.x, d.y, d.z][c]));
        }
        depth / self.min_distance.max(f64::MIN_POSITIVE)
    }

    /// Returns the penetration at `x`, relative to the full minimum distance \[m\]; negative if that is kept.
    #[inline(always)]
    pub(in crate::contact) fn depth<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.full_offset - self.normal.dot(self.combine(x))
    }

    /// Applies restitution to the relative velocity along the normal: an approach faster than `resting_speed` [m/s] is
    /// returned in the ratio of the coefficient of restitution, and any remaining approach is removed, with the
    /// friction that this allows. The contact then separates no faster than that, or than was required of it in a
    /// substep of `h` \[s\]: any excess was pushed too far, and as velocity it would feed on itself where a few
    /// iterations leave cloth stretched between its contacts (as in Müller et al. 2020, "Detailed rigid body simulation
    /// with extended position based dynamics", §3.6).
    pub(in crate::contact) fn apply_restitution<S: Scalar>(
        &self,
        v: &mut [Point<S>],
        inv_mass: &[S],
        resting_speed: f64,
        h: f64,
    ) {
        let inv_effective_mass = self.inv_effective_mass(|i| inv_mass[i].to_f64());
        if !(inv_effective_mass > 0.0) {
            return;
        }
        let least = if self.approach_speed > -resting_speed {
            0.0
        } else {
            -self.restitution * self.approach_speed
        };
        let most = f64::max(least, (self.offset - self.normal.dot(self.anchor)) / h);
        let relative = self.combine(v) - self.other_velocity;
        let now = self.normal.dot(relative);
        let wanted = now.max(least).min(most);
        if wanted == now {
            return;
        }
        let along = (wanted - now) / inv_effective_mass;
        let across = self.tangential(relative).scale(-1.0 / inv_effective_mass);
        let impulse =
            self.normal.scale(along) + clamp_length(across, self.friction * f64::max(along, 0.0));
        for (&i, a) in self.vertices().iter().zip(self.coefficients()) {
            let d = impulse.scale(a * inv_mass[i as usize].to_f64());
            let v = &mut v[i as usize];
            (0..3).for_each(|c| v[c] += S::from_f64([d.x, d.y, d.z][c]));
        }
    }
}

/// Returns the distance required at the end of a substep that starts at distance `d0` \[m\].
pub(in crate::contact) fn target_distance(d0: f64, min_distance: f64) -> f64 {
    if d0 < min_distance { d0 + RECOVERY_FRACTION * (min_distance - d0) } else { min_distance }
}

/// Returns a point in double precision, with its inverse mass.
#[inline(always)]
fn point_to_f64<S: Scalar>(p: &Point<S>) -> [f64; 4] {
    [p[0].to_f64(), p[1].to_f64(), p[2].to_f64(), p[3].to_f64()]
}

/// Returns a vector, shortened to `limit` if it is longer.
#[inline(always)]
pub(in crate::contact) fn clamp_length(v: Vec3<f64>, limit: f64) -> Vec3<f64> {
    let square = v.norm_squared();
    if square > limit * limit { v.scale(limit / square.sqrt()) } else { v }
}

/// Contact with a stiffness, for energy-based solvers: an augmented Lagrangian.
///
/// Its force is `λ − w (y − y*)`: along the normal if that pushes, across it up to the friction limit. It is the
/// gradient of a convex energy, since the limit is constant.
#[derive(Clone, Copy)]
pub(in crate::contact) struct PenaltyContact<'a> {
    pub contact: &'a ContactConstraint,
    /// Stiffness w \[N/m\].
    pub stiffness: f64,
}

impl PenaltyContact<'_> {
    /// Returns the force without limits \[N\]: along the normal and across it.
    #[inline(always)]
    fn trial<S: Scalar>(&self, x: &[Point<S>]) -> (f64, Vec3<f64>) {
        let own = self.contact;
        let y = own.combine(x);
        let along = own.offset - own.normal.dot(y);
        let slip = own.anchor - y;
        let across = slip - own.normal.scale(own.normal.dot(slip));
        let pressure = own.normal.dot(own.multiplier);
        let sideways = own.multiplier - own.normal.scale(pressure);
        (pressure + self.stiffness * along, sideways + across.scale(self.stiffness))
    }

    /// Returns the force on `y` \[N\].
    #[inline(always)]
    pub fn force<S: Scalar>(&self, x: &[Point<S>]) -> Vec3<f64> {
        let (along, across) = self.trial(x);
        self.contact.normal.scale(along.max(0.0))
            + clamp_length(across, self.contact.friction_limit)
    }

    /// Returns true if the contact transmits force at `x`.
    pub fn is_active<S: Scalar>(&self, x: &[Point<S>]) -> bool {
        self.trial(x).0 > 0.0
    }

    /// Returns true if friction sticks at `x`.
    pub fn is_sticking<S: Scalar>(&self, x: &[Point<S>]) -> bool {
        let (along, across) = self.trial(x);
        along > 0.0 && across.norm() < STICKING_FRICTION_FRACTION * self.contact.friction_limit
    }

    /// Returns the most that friction may transmit at `x` \[N\].
    pub fn friction_limit<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.contact.friction * self.trial(x).0.max(0.0)
    }

    /// Returns the energy \[J\].
    pub fn energy<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        if !(self.stiffness > 0.0) {
            return 0.0;
        }
        let (along, across) = self.trial(x);
        let (along, across, limit) = (along.max(0.0), across.norm(), self.contact.friction_limit);
        let sticking = across.min(limit);
        // Beyond the limit it grows linearly.
        0.5 * (along * along + sticking * sticking) / self.stiffness
            + limit * (across - sticking) / self.stiffness
    }

    /// Returns the stiffness matrix of `y` at `x` \[N/m\], positive semi-definite: entries xx, yy, zz, xy, yz, zx.
    pub fn block<S: Scalar>(&self, x: &[Point<S>]) -> [f64; 6] {
        let (along, across) = self.trial(x);
        let (length, limit) = (across.norm(), self.contact.friction_limit);
        let normal = if along > 0.0 { self.stiffness } else { 0.0 };
        // A slipping contact has the stiffness force / length, and none along the slip.
        let slips = length > limit;
        let tangent = self.stiffness * if slips { limit / length } else { 1.0 };
        let n = self.contact.normal;
        let t = if slips { across.scale(1.0 / length) } else { Vec3::zero() };
        let entry = |unit: f64, n: f64, t: f64| normal * n + tangent * (unit - n - t);
        [
            entry(1.0, n.x * n.x, t.x * t.x),
            entry(1.0, n.y * n.y, t.y * t.y),
            entry(1.0, n.z * n.z, t.z * t.z),
            entry(0.0, n.x * n.y, t.x * t.y),
            entry(0.0, n.y * n.z, t.y * t.z),
            entry(0.0, n.z * n.x, t.z * t.x),
        ]
    }

    /// Returns the fraction of the stiffness that bounds it at one vertex if the others move as well: `|a_k| Σ |a|`.
    pub fn share(&self, place: usize) -> f64 {
        let coefficients = self.contact.coefficients();
        coefficients[place].abs() * coefficients.iter().map(|a| a.abs()).sum::<f64>()
    }
}
