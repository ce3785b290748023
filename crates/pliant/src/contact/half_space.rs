//! One contact: a half-space for a combination of vertices, with friction.

use crate::math::{Scalar, Vec3};
use crate::simd::Point;

/// Vertices of a contact at most.
pub const MOST: usize = 8;

/// The part of a distance that is missing at the start, and is asked for at the end.
const RECOVERY: f64 = 0.3;
/// A contact is looked at anew where its feet have slid, or its normal has turned, by this part of the
/// distance between them.
const SLID: f64 = 0.25;

/// Friction that transmits less than this part of what it may holds.
const HELD: f64 = 0.999;

/// `y = Σ a_k x_k` of up to [`MOST`] vertices must stay where `n·y ≥ d`.
///
/// A vertex against a collider is `y = x`; two features of bodies have coefficients that add up to zero,
/// so that the contact gives no momentum.
///
/// Solvers and sweeps read the first fields again and again, and the others once: hence their order. What tells that a
/// contact has nothing to do stands in two lines of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Contact {
    /// The unit normal: the direction of the force.
    pub normal: Vec3<f64>,
    /// The least `n·y` \[m\].
    pub offset: f64,
    /// What the contact has transmitted so far: a force \[N\], or for position-based solvers that times
    /// the squared step \[kg m\].
    pub multiplier: Vec3<f64>,
    /// How many vertices there are.
    pub(super) count: u32,
    /// Whether it has transmitted anything.
    pub(super) pressed: bool,
    /// Whether friction held it in the substep's solve.
    pub(super) held: bool,
    /// Whether all that meets is made of vertices, so that it can be renewed.
    pub(super) renewable: bool,
    pub(super) vertices: [u32; MOST],
    pub(super) coefficients: [f64; MOST],
    /// Where `y` would be at the end of the substep if nothing slipped \[m\].
    pub anchor: Vec3<f64>,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// The distance to keep \[m\].
    pub(super) gap: f64,
    /// For solvers of energies, the most that friction transmits \[N\]: what the normal force last
    /// allowed. Held while they look for a minimum, which a limit that changes with the force has none of.
    pub(super) limit: f64,
    /// What `offset` would be if all of the distance to keep were asked for at once \[m\].
    pub(super) whole: f64,
    /// Which features meet: tells it from others, and orders them.
    pub(super) key: [u32; 4],
    /// The part of the approach that is given back.
    pub restitution: f64,
    /// Velocity along the normal before the substep's solve, negative where it closes [m/s].
    pub approach: f64,
    /// Velocity of the other side, where that is not made of vertices [m/s].
    pub other: Vec3<f64>,
}

impl Contact {
    /// A combination of vertices that must stay on one side of a plane. Terms of the same vertex are added
    /// up.
    pub fn new(
        terms: impl IntoIterator<Item = (u32, f64)>,
        normal: Vec3<f64>,
        offset: f64,
    ) -> Self {
        let (mut vertices, mut coefficients, mut count) = ([0; MOST], [0.0; MOST], 0);
        for (v, a) in terms {
            match vertices[..count].iter().position(|&w| w == v) {
                Some(k) => coefficients[k] += a,
                None => {
                    (vertices[count], coefficients[count]) = (v, a);
                    count += 1;
                }
            }
        }
        // What does not count can be looked at all the same.
        let first = vertices[0];
        vertices[count..].fill(first);
        Self {
            vertices,
            coefficients,
            count: count as u32,
            key: [u32::MAX; 4],
            normal,
            offset,
            whole: offset,
            gap: 0.0,
            renewable: false,
            anchor: Vec3::zero(),
            friction: 0.0,
            restitution: 0.0,
            approach: 0.0,
            other: Vec3::zero(),
            multiplier: Vec3::zero(),
            limit: 0.0,
            pressed: false,
            held: false,
        }
    }

    /// By the features that meet; between the same ones by all that may tell two apart.
    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let numbers = |c: &Self| [c.normal.x, c.normal.y, c.normal.z, c.offset].map(f64::to_bits);
        self.key.cmp(&other.key).then_with(|| numbers(self).cmp(&numbers(other)))
    }

    /// The contact as it is seen now, in the place of an older one: what that transmitted, it did.
    pub(super) fn after(&self, older: &Self) -> Self {
        let along = older.multiplier.dot(self.normal).max(0.0);
        Self { pressed: older.pressed, multiplier: self.normal.scale(along), ..*self }
    }

    /// Makes the contact that of the next substep, which starts at `x`; whether that is possible. Else it
    /// asks for nothing any more.
    pub(super) fn renew<S: Scalar>(&mut self, x: &[Point<S>], velocities: &[Point<S>]) -> bool {
        let y = self.combine(x);
        let along = self.normal.dot(y);
        let across = y - self.normal.scale(along);
        let slid = !(across.norm_squared() <= (SLID * along) * (SLID * along));
        (self.multiplier, self.limit) = (Vec3::zero(), 0.0);
        (self.pressed, self.held) = (false, false);
        if !self.renewable || !(along > 0.0) || slid {
            (self.offset, self.whole) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
            self.restitution = 0.0;
            return false;
        }
        (self.offset, self.whole) = (recovered(along, self.gap), self.gap);
        self.anchor = y;
        self.approach = self.normal.dot(self.combine(velocities));
        true
    }

    /// Notes whether friction held it, as far as what it has transmitted tells.
    pub(super) fn note_held(&mut self) {
        let along = self.normal.dot(self.multiplier);
        if along > 0.0 {
            let across = (self.multiplier - self.normal.scale(along)).norm();
            self.held = across < HELD * self.friction * along;
        }
    }

    /// How far `y` is at `x` from where friction holds it \[m\], across the normal.
    pub(super) fn crept<S: Scalar>(&self, x: &[Point<S>]) -> Vec3<f64> {
        self.across(self.anchor - self.combine(x))
    }

    /// The part of a vector across the normal.
    pub(super) fn across(&self, v: Vec3<f64>) -> Vec3<f64> {
        v - self.normal.scale(self.normal.dot(v))
    }

    /// Whether `x` is deeper in than a part of the distance to keep.
    pub(super) fn is_deep<S: Scalar>(&self, x: &[Point<S>], part: f64) -> bool {
        self.distance(x) < -part * self.gap
    }

    /// Whether it draws apart what crosses, instead of keeping a distance.
    pub(super) fn draws(&self) -> bool {
        self.whole == f64::NEG_INFINITY && self.offset > f64::NEG_INFINITY
    }

    /// Whether it has transmitted anything.
    pub fn has_pressed(&self) -> bool {
        self.pressed
    }

    /// The vertices that take part.
    #[inline(always)]
    pub fn vertices(&self) -> &[u32] {
        &self.vertices[..self.count as usize]
    }

    /// Their coefficients.
    #[inline(always)]
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients[..self.count as usize]
    }

    /// How far `y` is on the right side \[m\].
    pub fn distance<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.normal.dot(self.combine(x)) - self.offset
    }

    #[inline(always)]
    pub(super) fn combine<S: Scalar>(&self, x: &[Point<S>]) -> Vec3<f64> {
        // Lengths that the compiler knows.
        match self.count {
            1 => self.combine_first::<S, 1>(x),
            2..=4 => self.combine_first::<S, 4>(x),
            _ => self.combine_first::<S, MOST>(x),
        }
    }

    /// The same, where vertices from `N` on do not count.
    #[inline(always)]
    fn combine_first<S: Scalar, const N: usize>(&self, x: &[Point<S>]) -> Vec3<f64> {
        // Four numbers at once are as fast as three.
        let mut y = [0.0; 4];
        for k in 0..N {
            let p = all_wide(&x[self.vertices[k] as usize]);
            (0..4).for_each(|c| y[c] += self.coefficients[k] * p[c]);
        }
        Vec3::new(y[0], y[1], y[2])
    }

    /// Adds a vector, times the coefficient of each vertex and a factor of its own, to points.
    #[inline(always)]
    pub(super) fn spread<S: Scalar>(
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

    /// `Σ a² / m`, from the inverse masses that positions carry.
    pub(super) fn mobility(&self, inv_mass: impl Fn(usize) -> f64) -> f64 {
        let of = |(&v, a): (&u32, &f64)| a * a * inv_mass(v as usize);
        self.vertices().iter().zip(self.coefficients()).map(of).sum()
    }

    /// Where a trial multiplier lies in Coulomb's cone; along the normal first, then across it.
    #[inline(always)]
    fn admissible(&self, trial: Vec3<f64>) -> Vec3<f64> {
        let along = self.normal.dot(trial);
        if !(along > 0.0) {
            return Vec3::zero();
        }
        let across = trial - self.normal.scale(along);
        self.normal.scale(along) + within(across, self.friction * along)
    }

    /// Moves the vertices so that `y` is admissible and slips only as far as friction must let it. How deep it
    /// was before \[m\].
    #[inline(always)]
    pub(super) fn relax<S: Scalar>(&mut self, x: &mut [Point<S>]) -> f64 {
        // Lengths that the compiler knows: most of the time of a crumpled cloth is spent here.
        match self.count {
            1 => self.relax_first::<S, 1>(x),
            2..=4 => self.relax_first::<S, 4>(x),
            _ => self.relax_first::<S, MOST>(x),
        }
    }

    /// The same, where vertices from `N` on do not count.
    #[inline(always)]
    fn relax_first<S: Scalar, const N: usize>(&mut self, x: &mut [Point<S>]) -> f64 {
        let y = self.combine_first::<S, N>(x);
        let along = self.offset - self.normal.dot(y);
        let held = self.multiplier;
        let idle = held.x == 0.0 && held.y == 0.0 && held.z == 0.0;
        if idle && along <= 0.0 {
            // Most are.
            return 0.0;
        }
        let (mut scales, mut mobility) = ([0.0; N], 0.0);
        for k in 0..N {
            let (w, a) = (x[self.vertices[k] as usize][3].to_f64(), self.coefficients[k]);
            scales[k] = a * w;
            mobility += a * a * w;
        }
        if !(mobility > 0.0) {
            return 0.0;
        }
        let slip = self.anchor - y;
        let across = slip - self.normal.scale(self.normal.dot(slip));
        let wanted = (self.normal.scale(along) + across).scale(1.0 / mobility);
        let multiplier = self.admissible(held + wanted);
        let change = multiplier - held;
        self.multiplier = multiplier;
        self.pressed |= multiplier.dot(self.normal) > 0.0;
        let change = [change.x, change.y, change.z, 0.0];
        for k in 0..N {
            let x = &mut x[self.vertices[k] as usize];
            (0..4).for_each(|c| x[c] += S::from_f64(change[c] * scales[k]));
        }
        along
    }

    /// Moves the vertices so that `y` keeps all of its distance; not by forces, so without friction. By which
    /// part of that distance it was too deep.
    #[inline(always)]
    pub(super) fn part<S: Scalar>(&self, x: &mut [Point<S>]) -> f64 {
        let depth = self.depth(x);
        if !(depth > 0.0) {
            return 0.0;
        }
        let mobility = self.mobility(|v| x[v][3].to_f64());
        if !(mobility > 0.0) {
            return 0.0;
        }
        for (&v, a) in self.vertices().iter().zip(self.coefficients()) {
            let x = &mut x[v as usize];
            let d = self.normal.scale(a * x[3].to_f64() * depth / mobility);
            (0..3).for_each(|c| x[c] += S::from_f64([d.x, d.y, d.z][c]));
        }
        depth / self.gap.max(f64::MIN_POSITIVE)
    }

    /// How much of the whole distance to keep is missing at `x` \[m\], negative where it is kept.
    #[inline(always)]
    pub(super) fn depth<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.whole - self.normal.dot(self.combine(x))
    }

    /// Gives the relative velocity along the normal what restitution leaves of the approach, if that was faster than
    /// `slow` [m/s], and takes what is left of an approach, with the friction that this allows. What transmitted force parts no faster than that, or than
    /// was asked of it in a substep of `h` \[s\]: more was pushed too far, and taken as velocity it would feed on itself
    /// where a few iterations leave cloth stretched between its contacts (as in Müller et al. 2020, "Detailed rigid
    /// body simulation with extended position based dynamics", §3.6).
    pub(super) fn bounce<S: Scalar>(&self, v: &mut [Point<S>], inv_mass: &[S], slow: f64, h: f64) {
        let mobility = self.mobility(|i| inv_mass[i].to_f64());
        if !(mobility > 0.0) {
            return;
        }
        let least = if self.approach > -slow { 0.0 } else { -self.restitution * self.approach };
        let most = f64::max(least, (self.offset - self.normal.dot(self.anchor)) / h);
        let relative = self.combine(v) - self.other;
        let now = self.normal.dot(relative);
        let wanted = now.max(least).min(most);
        if wanted == now {
            return;
        }
        let along = (wanted - now) / mobility;
        let across = self.across(relative).scale(-1.0 / mobility);
        let impulse =
            self.normal.scale(along) + within(across, self.friction * f64::max(along, 0.0));
        for (&i, a) in self.vertices().iter().zip(self.coefficients()) {
            let d = impulse.scale(a * inv_mass[i as usize].to_f64());
            let v = &mut v[i as usize];
            (0..3).for_each(|c| v[c] += S::from_f64([d.x, d.y, d.z][c]));
        }
    }
}

/// The distance that is asked for at the end of a substep where it is `d0` \[m\] at its start.
pub(super) fn recovered(d0: f64, gap: f64) -> f64 {
    if d0 < gap { d0 + RECOVERY * (gap - d0) } else { gap }
}

/// A point in double precision, with its inverse mass.
#[inline(always)]
fn all_wide<S: Scalar>(p: &Point<S>) -> [f64; 4] {
    [p[0].to_f64(), p[1].to_f64(), p[2].to_f64(), p[3].to_f64()]
}

/// A vector, shortened to `limit` where it is longer.
#[inline(always)]
pub(super) fn within(v: Vec3<f64>, limit: f64) -> Vec3<f64> {
    let square = v.norm_squared();
    if square > limit * limit { v.scale(limit / square.sqrt()) } else { v }
}

/// A contact with the stiffness that solvers of energies give it: an augmented Lagrangian.
///
/// Its force is `λ − w (y − y*)`, along the normal where that pushes, across it as far as the limit of
/// friction; the slope of a convex energy, since the limit is held.
#[derive(Clone, Copy)]
pub(super) struct Weighted<'a> {
    pub contact: &'a Contact,
    /// w \[N/m\].
    pub stiffness: f64,
}

impl Weighted<'_> {
    /// What the force would be without limits \[N\]: along the normal and across it.
    #[inline(always)]
    fn trial<S: Scalar>(&self, x: &[Point<S>]) -> (f64, Vec3<f64>) {
        let own = self.contact;
        let y = own.combine(x);
        let along = own.offset - own.normal.dot(y);
        let slip = own.anchor - y;
        let across = slip - own.normal.scale(own.normal.dot(slip));
        let held = own.normal.dot(own.multiplier);
        let sideways = own.multiplier - own.normal.scale(held);
        (held + self.stiffness * along, sideways + across.scale(self.stiffness))
    }

    /// The force on `y` \[N\].
    #[inline(always)]
    pub fn force<S: Scalar>(&self, x: &[Point<S>]) -> Vec3<f64> {
        let (along, across) = self.trial(x);
        self.contact.normal.scale(along.max(0.0)) + within(across, self.contact.limit)
    }

    /// Whether it transmits anything at `x`.
    pub fn pushes<S: Scalar>(&self, x: &[Point<S>]) -> bool {
        self.trial(x).0 > 0.0
    }

    /// Whether friction holds it at `x`.
    pub fn holds<S: Scalar>(&self, x: &[Point<S>]) -> bool {
        let (along, across) = self.trial(x);
        along > 0.0 && across.norm() < HELD * self.contact.limit
    }

    /// The most that friction may transmit at `x` \[N\].
    pub fn grip<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        self.contact.friction * self.trial(x).0.max(0.0)
    }

    /// The energy \[J\].
    pub fn energy<S: Scalar>(&self, x: &[Point<S>]) -> f64 {
        if !(self.stiffness > 0.0) {
            return 0.0;
        }
        let (along, across) = self.trial(x);
        let (along, across, limit) = (along.max(0.0), across.norm(), self.contact.limit);
        let held = across.min(limit);
        // Beyond the limit it grows in proportion.
        0.5 * (along * along + held * held) / self.stiffness
            + limit * (across - held) / self.stiffness
    }

    /// The stiffness by `y` at `x` \[N/m\], positive semi-definite: entries xx, yy, zz, xy, yz, zx.
    pub fn block<S: Scalar>(&self, x: &[Point<S>]) -> [f64; 6] {
        let (along, across) = self.trial(x);
        let (length, limit) = (across.norm(), self.contact.limit);
        let normal = if along > 0.0 { self.stiffness } else { 0.0 };
        // What slips is as stiff as its force over its length, and not at all along the slip.
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

    /// The part of the stiffness that bounds it at one vertex when the others move as well:
    /// `|a_k| Σ |a|`.
    pub fn share(&self, place: usize) -> f64 {
        let coefficients = self.contact.coefficients();
        coefficients[place].abs() * coefficients.iter().map(|a| a.abs()).sum::<f64>()
    }
}
