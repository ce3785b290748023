//! Strain limiting: a correction of positions and velocities after the solver of a substep, whichever
//! it was (lecture, P14 to P19). It exerts no force within the limits and leaves the momentum alone.
//!
//! ```text
//! loop n times
//!   every edge      σ = |x_i − x_j|/L, σ₀ = clamp(σ, σ_min, σ_max)                          P16
//!                   x_i −= m_j/(m_i + m_j) (|x_i − x_j| − σ₀ L) n,  x_j += m_i/(m_i + m_j) … n
//!   every triangle  s = √(clamp(A, A_min, A_max)/A),  x ← c + s (x − c)                     P18
//! v += (x_new − x)/h                                                                        P11
//! ```
//!
//! with `n = (x_i − x_j)/|x_i − x_j|` and `c` the centre of mass of a triangle. A pinned vertex has
//! an infinite mass: with one of them `c` is that vertex; with two the third moves along its height.
//!
//! The projections go one after another (Gauss–Seidel) and every second sweep runs backwards, because
//! the order of a sweep carries corrections along it and not against it. A few sweeps leave a
//! residual that grows with the mesh; the limits are not an exact constraint.

use crate::Error;
use crate::build::Body;
use crate::mesh::measure::{distance, triangle_area};
use crate::model::Model;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::system::Precision;

/// How far a body may stretch, whatever its stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainLimit {
    /// Smallest and largest length of an edge, in parts of its rest length.
    pub stretch: [f64; 2],
    /// Smallest and largest area of a triangle, in parts of its rest area; for cloth and springs.
    pub area: Option<[f64; 2]>,
    /// Gauss–Seidel sweeps after each substep.
    pub iterations: usize,
}

/// Sweeps unless set: a hanging net of 8 × 8 vertices then keeps a limit of 10 % to within 0.2 %.
const ITERATIONS: usize = 20;

impl StrainLimit {
    /// Lengths of edges from `min` to `max` times those at rest.
    pub fn new(min: f64, max: f64) -> Self {
        Self { stretch: [min, max], area: None, iterations: ITERATIONS }
    }

    /// The same with areas of triangles from `min` to `max` times those at rest.
    pub fn area(self, min: f64, max: f64) -> Self {
        Self { area: Some([min, max]), ..self }
    }

    /// The same with another number of sweeps.
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }

    /// Checks every number; `triangles` says whether the material has areas to limit.
    pub(crate) fn validate(&self, name: &'static str, triangles: bool) -> Result<(), Error> {
        let refuse = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        let pairs = [("strain limit", Some(self.stretch)), ("area limit", self.area)];
        for (field, [min, max]) in pairs.into_iter().filter_map(|(f, p)| Some((f, p?))) {
            if !(0.0..=1.0).contains(&min) {
                return refuse(field, min, "give a lower limit from 0 to 1");
            }
            if !(max >= 1.0 && max.is_finite()) {
                return refuse(field, max, "give a finite upper limit of 1 or more");
            }
        }
        if self.iterations == 0 {
            return refuse("strain limit's iterations", 0.0, "give at least one");
        }
        match self.area {
            Some([min, _]) if !triangles => {
                refuse("area limit", min, "leave it out: only cloth and springs have one")
            }
            _ => Ok(()),
        }
    }
}

/// The limits of one body, by the model's vertex numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyLimits {
    /// How far it may stretch.
    pub limit: StrainLimit,
    /// Edges and their rest lengths \[m\].
    pub edges: Vec<([u32; 2], f64)>,
    /// Triangles and their rest areas \[m²\]; empty without limits of areas.
    pub triangles: Vec<([u32; 3], f64)>,
}

impl BodyLimits {
    /// The limits of a body with these edges and triangles, in its own vertex numbers.
    pub(crate) fn new(
        body: &Body,
        limit: StrainLimit,
        positions: &[[f64; 3]],
        edges: &[[u32; 2]],
        triangles: &[[u32; 3]],
    ) -> Self {
        let first = body.vertices().start as u32;
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

    /// Moves vertices within the limits.
    fn apply<S: Precision>(&self, x: &mut [Point<S>]) {
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

/// A triangle is scaled by no more than this at a time: nearly without area it would be thrown.
const SCALE: f64 = 1.25;

fn limit_edge<S: Precision>(x: &mut [Point<S>], edge: [u32; 2], [min, max]: [f64; 2]) {
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

fn limit_triangle<S: Precision>(x: &mut [Point<S>], triangle: [u32; 3], [min, max]: [f64; 2]) {
    let at = triangle.map(|v| v as usize);
    let p = at.map(|v| point(&x[v]));
    let free = at.map(|v| x[v][3].to_f64() > 0.0);
    let area = triangle_area(p);
    let allowed = area.max(min).min(max);
    if allowed == area || !(area > 0.0) {
        return;
    }
    let scale = (allowed / area).sqrt().clamp(1.0 / SCALE, SCALE);
    let (center, scale) = match free.iter().filter(|f| **f).count() {
        3 => {
            let m = at.map(|v| 1.0 / x[v][3].to_f64());
            let sum = m[0] + m[1] + m[2];
            let mean = |c: usize| (m[0] * p[0][c] + m[1] * p[1][c] + m[2] * p[2][c]) / sum;
            ([mean(0), mean(1), mean(2)], scale)
        }
        2 => (p[free.iter().position(|f| !f).unwrap_or(0)], scale),
        1 => {
            // The foot of the free vertex's height; areas go with the height, hence the square.
            let k = free.iter().position(|f| *f).unwrap_or(0);
            let (a, b) = (p[(k + 1) % 3], p[(k + 2) % 3]);
            let (base, to) = ([0, 1, 2].map(|c| b[c] - a[c]), [0, 1, 2].map(|c| p[k][c] - a[c]));
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

fn point<S: Precision>(p: &Point<S>) -> [f64; 3] {
    [p[0].to_f64(), p[1].to_f64(), p[2].to_f64()]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Room for the positions before the correction, where a model has limits.
pub(crate) fn room<S: Precision>(model: &Model) -> Vec<Point<S>> {
    vec![Point::default(); if model.strain_limits().is_empty() { 0 } else { model.len() }]
}

impl<S: Precision> Simulation<S> {
    /// Brings bodies with strain limits within them, positions and velocities.
    pub(crate) fn limit_strain(&mut self, h: f64) {
        let model = &self.system.model;
        if model.strain_limits().is_empty() {
            return;
        }
        let (state, was) = (&mut self.state, &mut self.scratch.unlimited);
        was.copy_from_slice(&state.positions);
        model.strain_limits().iter().for_each(|body| body.apply(&mut state.positions));
        let inv_h = S::from_f64(1.0 / h);
        for ((x, was), v) in state.positions.iter().zip(was).zip(&mut state.velocities) {
            (0..3).for_each(|c| v[c] += (x[c] - was[c]) * inv_h);
        }
    }
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
