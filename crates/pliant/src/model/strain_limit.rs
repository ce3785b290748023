//! Strain limits of one body and their projection: a correction of positions and velocities after the solver of
//! a substep, whichever it was (lecture, P14 to P19). It exerts no force within the limits and conserves
//! momentum.
//!
//! The settings are in `material/strain_limit.rs`; `simulation/step/strain_limits.rs` applies the projection.
//!
//! ```text
//! loop n times
//!   every edge      σ = |x_i − x_j|/L, σ₀ = clamp(σ, σ_min, σ_max)                          P16
//!                   x_i −= m_j/(m_i + m_j) (|x_i − x_j| − σ₀ L) n,  x_j += m_i/(m_i + m_j) … n
//!   every triangle  s = √(clamp(A, A_min, A_max)/A),  x ← c + s (x − c)                     P18
//! v += (x_new − x)/h                                                                        P11
//! ```
//!
//! with `n = (x_i − x_j)/|x_i − x_j|` and `c` the centre of mass of a triangle. A pinned vertex has an infinite
//! mass: with one of them `c` is that vertex; with two the third moves along its height.
//!
//! The projections run one after another (Gauss–Seidel) and every second sweep runs backwards, because a sweep
//! propagates corrections along its order and not against it. A few sweeps leave a residual that grows with the
//! mesh; the limits are not an exact constraint.

use crate::material::strain_limit::StrainLimit;
use crate::math::Scalar;
use crate::math::point::{dot, sub};
use crate::mesh::measure::{distance, triangle_area};
use crate::simd::Point;

/// Strain limits of one body, in the model's numbering.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyLimits {
    /// Settings of the limit.
    pub limit: StrainLimit,
    /// Edges and their rest lengths \[m\].
    pub edges: Vec<([u32; 2], f64)>,
    /// Triangles and their rest areas \[m²\]; empty if areas are not limited.
    pub triangles: Vec<([u32; 3], f64)>,
}

impl BodyLimits {
    /// Creates the limits of a body with these edges and triangles, given in its own numbering; `first` is the
    /// number of its first vertex.
    pub(crate) fn new(
        first: u32,
        limit: StrainLimit,
        positions: &[[f64; 3]],
        edges: &[[u32; 2]],
        triangles: &[[u32; 3]],
    ) -> Self {
        let at = |v: u32| positions[v as usize];
        let edge = |e: &[u32; 2]| (e.map(|v| v + first), distance(at(e[0]), at(e[1])));
        let triangle = |t: &[u32; 3]| (t.map(|v| v + first), triangle_area(t.map(at)));
        let triangles = if limit.area.is_some() { triangles } else { &[] };
        Self {
            limit,
            edges: edges.iter().map(edge).collect(),
            triangles: triangles.iter().map(triangle).collect(),
        }
    }

    /// Projects vertices to the limits.
    pub(crate) fn apply<S: Scalar>(&self, x: &mut [Point<S>]) {
        for sweep in 0..self.limit.iterations {
            let forward = sweep % 2 == 0;
            for k in 0..self.edges.len() {
                let k = if forward { k } else { self.edges.len() - 1 - k };
                let (edge, length) = self.edges[k];
                limit_edge(x, edge, self.limit.stretch.map(|s| s * length));
            }
            let Some(area) = self.limit.area else { continue };
            for k in 0..self.triangles.len() {
                let k = if forward { k } else { self.triangles.len() - 1 - k };
                let (triangle, rest) = self.triangles[k];
                limit_triangle(x, triangle, area.map(|a| a * rest));
            }
        }
    }
}

/// Largest factor by which a triangle is scaled in one projection: a nearly degenerate one would be thrown.
const MAX_TRIANGLE_SCALE: f64 = 1.25;

fn limit_edge<S: Scalar>(x: &mut [Point<S>], edge: [u32; 2], [min, max]: [f64; 2]) {
    let [i, j] = edge.map(|v| v as usize);
    let (a, b, wa, wb) = (point(&x[i]), point(&x[j]), x[i][3].to_f64(), x[j][3].to_f64());
    let d = [0, 1, 2].map(|c| a[c] - b[c]);
    let length = dot(d, d).sqrt();
    let excess = length - length.max(min).min(max);
    if excess == 0.0 || !(length > 0.0) || !(wa + wb > 0.0) {
        return;
    }
    // m_j/(m_i + m_j) = w_i/(w_i + w_j) with inverse masses, which are zero where pinned.
    let share = excess / (length * (wa + wb));
    for c in 0..3 {
        x[i][c] = S::from_f64(a[c] - wa * share * d[c]);
        x[j][c] = S::from_f64(b[c] + wb * share * d[c]);
    }
}

fn limit_triangle<S: Scalar>(x: &mut [Point<S>], triangle: [u32; 3], [min, max]: [f64; 2]) {
    let at = triangle.map(|v| v as usize);
    let p = at.map(|v| point(&x[v]));
    let free = at.map(|v| x[v][3].to_f64() > 0.0);
    let area = triangle_area(p);
    let allowed = area.max(min).min(max);
    if allowed == area || !(area > 0.0) {
        return;
    }
    let scale = (allowed / area).sqrt().clamp(1.0 / MAX_TRIANGLE_SCALE, MAX_TRIANGLE_SCALE);
    let (center, scale) = match free.iter().filter(|f| **f).count() {
        3 => {
            let m = at.map(|v| 1.0 / x[v][3].to_f64());
            let sum = m[0] + m[1] + m[2];
            let mean = |c: usize| (m[0] * p[0][c] + m[1] * p[1][c] + m[2] * p[2][c]) / sum;
            ([mean(0), mean(1), mean(2)], scale)
        }
        2 => (p[free.iter().position(|f| !f).unwrap_or(0)], scale),
        1 => {
            // The foot of the free vertex's height; the area is proportional to the height, hence the square.
            let k = free.iter().position(|f| *f).unwrap_or(0);
            let (a, b) = (p[(k + 1) % 3], p[(k + 2) % 3]);
            let (base, to) = (sub(b, a), sub(p[k], a));
            let t = dot(base, to) / dot(base, base);
            ([0, 1, 2].map(|c| a[c] + t * base[c]), scale * scale)
        }
        _ => return,
    };
    for k in (0..3).filter(|&k| free[k]) {
        for c in 0..3 {
            x[at[k]][c] = S::from_f64(center[c] + scale * (p[k][c] - center[c]));
        }
    }
}

fn point<S: Scalar>(p: &Point<S>) -> [f64; 3] {
    [p[0].to_f64(), p[1].to_f64(), p[2].to_f64()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(p: [f64; 3], inv_mass: f64) -> Point<f64> {
        [p[0], p[1], p[2], inv_mass]
    }

    #[test]
    fn an_edge_ends_at_its_limit_with_its_centre_of_mass_in_place() {
        // 1 kg and 3 kg, 2 m apart, at most 1.2 m: 0.8 m too long.
        let mut x = [at([0.0; 3], 1.0), at([2.0, 0.0, 0.0], 1.0 / 3.0)];
        limit_edge(&mut x, [0, 1], [0.9, 1.2]);
        assert!((x[0][0] - 0.6).abs() < 1e-15 && (x[1][0] - 1.8).abs() < 1e-15, "{x:?}");
        // Too short by 0.3 m with one end pinned.
        let mut x = [at([0.0; 3], 0.0), at([0.0, 0.6, 0.0], 2.0)];
        limit_edge(&mut x, [0, 1], [0.9, 1.2]);
        assert!(x[0][1] == 0.0 && (x[1][1] - 0.9).abs() < 1e-15, "{x:?}");
    }

    #[test]
    fn a_triangle_ends_at_its_limit_with_pins_in_place() {
        let shape = [[0.0; 3], [2.0, 0.0, 0.0], [0.5, 1.3, 0.0]];
        for pinned in 0..3 {
            let inv = |k: usize| if k < pinned { 0.0 } else { 1.0 / (1.0 + k as f64) };
            let mut x = [0, 1, 2].map(|k| at(shape[k], inv(k)));
            limit_triangle(&mut x, [0, 1, 2], [0.5, 1.0]);
            let area = triangle_area([0, 1, 2].map(|k| point(&x[k])));
            assert!((area - 1.0).abs() < 1e-14, "{pinned} pinned: {area}");
            (0..pinned).for_each(|k| assert_eq!(point(&x[k]), shape[k]));
            if pinned == 0 {
                let moved = |c: usize| {
                    (0..3).map(|k| (1.0 + k as f64) * (x[k][c] - shape[k][c])).sum::<f64>()
                };
                assert!((0..3).all(|c| moved(c).abs() < 1e-14));
            }
        }
    }

    #[test]
    fn what_has_no_direction_stays() {
        let same = [at([1.0; 3], 1.0), at([1.0; 3], 1.0), at([1.0; 3], 1.0)];
        let mut x = same;
        limit_edge(&mut x, [0, 1], [0.9, 1.1]);
        limit_triangle(&mut x, [0, 1, 2], [0.9, 1.1]);
        assert_eq!(x, same);
    }
}
