//! Rigid motion of a set of vertices, and damping of the deviation from it, Position Based Dynamics §3.5.

use crate::math::{Mat3, Scalar, Vec3};
use crate::simd::Point;

/// Mass, centre of mass, momenta and inertia of a set of vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidMotion {
    /// Mass \[kg\].
    pub mass: f64,
    /// Centre of mass \[m\].
    pub centre: Vec3<f64>,
    /// Linear momentum, and angular momentum about the centre of mass [kg m/s, kg m²/s].
    pub linear_momentum: Vec3<f64>,
    pub angular_momentum: Vec3<f64>,
    inertia: [Vec3<f64>; 3],
}

impl Default for RigidMotion {
    fn default() -> Self {
        let zero = Vec3::<f64>::zero();
        Self {
            mass: 0.0,
            centre: zero,
            linear_momentum: zero,
            angular_momentum: zero,
            inertia: [zero; 3],
        }
    }
}

impl RigidMotion {
    /// Computes the rigid motion of vertices with mass \[kg\], position `x` \[m\] and velocity `v` [m/s].
    pub fn from_vertices(
        vertices: impl Iterator<Item = (f64, Vec3<f64>, Vec3<f64>)> + Clone,
    ) -> Self {
        let mut own = Self::default();
        for (m, x, v) in vertices.clone() {
            own.mass += m;
            own.centre += x.scale(m);
            own.linear_momentum += v.scale(m);
        }
        own.centre = own.centre.scale(1.0 / own.mass);
        for (m, x, v) in vertices {
            let r = x - own.centre;
            own.angular_momentum += r.cross(v).scale(m);
            let square = r.norm_squared();
            own.inertia[0] += (Vec3::of([square, 0.0, 0.0]) - r.scale(r.x)).scale(m);
            own.inertia[1] += (Vec3::of([0.0, square, 0.0]) - r.scale(r.y)).scale(m);
            own.inertia[2] += (Vec3::of([0.0, 0.0, square]) - r.scale(r.z)).scale(m);
        }
        own
    }

    /// Angular velocity [rad/s] for an angular momentum [kg m²/s].
    pub fn angular_velocity(&self, angular: Vec3<f64>) -> Vec3<f64> {
        solve_inertia(&self.inertia, angular)
    }

    /// Velocity at a point \[m\] of a rigid body with these momenta.
    pub fn velocity(&self, x: Vec3<f64>) -> Vec3<f64> {
        self.linear_momentum.scale(1.0 / self.mass)
            + self.angular_velocity(self.angular_momentum).cross(x - self.centre)
    }
}

/// Removes the fraction `k` of every velocity's deviation from the body's rigid motion; `own` are the body's
/// vertices.
///
/// The rigid motion is that of the free vertices: `v_cm + ω × r`, with `ω = I⁻¹ L`.
pub fn damp_deviations<S: Scalar>(
    own: impl Iterator<Item = usize> + Clone,
    x: &[Point<S>],
    v: &mut [Point<S>],
    mass: &[S],
    k: f64,
) {
    let vec = |p: &Point<S>| Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64());
    let free = own.filter(|&i| x[i][3] > S::default());
    let (mut total, mut x_cm, mut v_cm) = (0.0, Vec3::<f64>::zero(), Vec3::<f64>::zero());
    for i in free.clone() {
        let m = mass[i].to_f64();
        total += m;
        x_cm += vec(&x[i]).scale(m);
        v_cm += vec(&v[i]).scale(m);
    }
    if total == 0.0 {
        return;
    }
    let (x_cm, v_cm) = (x_cm.scale(1.0 / total), v_cm.scale(1.0 / total));
    let mut angular_momentum = Vec3::<f64>::zero();
    // I = Σ m (|r|² − r rᵀ), by columns.
    let mut inertia = [Vec3::<f64>::zero(); 3];
    for i in free.clone() {
        let (m, r) = (mass[i].to_f64(), vec(&x[i]) - x_cm);
        angular_momentum += r.cross(vec(&v[i])).scale(m);
        let square = r.norm_squared();
        inertia[0] += (Vec3::of([square, 0.0, 0.0]) - r.scale(r.x)).scale(m);
        inertia[1] += (Vec3::of([0.0, square, 0.0]) - r.scale(r.y)).scale(m);
        inertia[2] += (Vec3::of([0.0, 0.0, square]) - r.scale(r.z)).scale(m);
    }
    let omega = solve_inertia(&inertia, angular_momentum);
    for i in free.clone() {
        let rigid = v_cm + omega.cross(vec(&x[i]) - x_cm);
        let d = (rigid - vec(&v[i])).scale(k);
        for (c, d) in [d.x, d.y, d.z].into_iter().enumerate() {
            v[i][c] += S::from_f64(d);
        }
    }
}

/// Returns `I⁻¹ L`. The inertia of collinear vertices about their line is zero: a small regularisation replaces
/// it.
fn solve_inertia(columns: &[Vec3<f64>; 3], l: Vec3<f64>) -> Vec3<f64> {
    let trace = columns[0].x + columns[1].y + columns[2].z;
    if !(trace > 0.0) {
        return Vec3::zero();
    }
    let e = 1e-12 * trace;
    let i = Mat3::from_cols(
        columns[0] + Vec3::of([e, 0.0, 0.0]),
        columns[1] + Vec3::of([0.0, e, 0.0]),
        columns[2] + Vec3::of([0.0, 0.0, e]),
    );
    // Symmetric: the transposed cofactor matrix is the cofactor matrix.
    let det = i.det();
    if det.abs() > 0.0 { i.cofactor().mul_vec(l).scale(1.0 / det) } else { Vec3::zero() }
}
