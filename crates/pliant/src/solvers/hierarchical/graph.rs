//! Graph of a level: vertices and the springs between them.
//!
//! On the finest level a spring represents the effect of all elements on a pair of vertices. With their
//! energy at rest, `−dᵀ (∂²E/∂x_i∂x_j) d` along the unit vector `d` from i to j is the constant of the
//! spring that resists separation equally: for a spring element its own constant, for a triangle its
//! share of the membrane stiffness, for a flat hinge zero.

use crate::batch::AnyBatch;
use crate::batch::ElementPrecision;
use crate::simd::Point;
use crate::system::System;

/// A pair of connected vertices.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// The two vertices, lower index first.
    pub ends: [u32; 2],
    /// Spring constant [N/m]; zero for a pair that only defines a length.
    pub spring: f64,
    /// Rest length \[m\].
    pub length: f64,
}

/// The vertices of a level and the springs between them.
#[derive(Clone, Debug)]
pub struct LevelGraph {
    /// Vertex indices in the model.
    pub vertices: Vec<u32>,
    /// Rest positions \[m\].
    pub positions: Vec<[f64; 3]>,
    /// Masses \[kg\].
    pub mass: Vec<f64>,
    /// Inverse masses [1/kg], zero where pinned.
    pub inv_mass: Vec<f64>,
    /// True for each vertex whose body is flat at rest.
    pub flat: Vec<bool>,
    /// Edges, sorted by their ends.
    pub edges: Vec<Edge>,
}

impl LevelGraph {
    /// Builds the finest level, for steps of `h` \[s\] with the given number of iterations.
    pub fn of<S: ElementPrecision>(system: &System<S>, h: f64, iterations: usize) -> Self {
        let positions = system.model.rest_positions().to_vec();
        let n = positions.len();
        let mut flat = vec![false; n];
        for body in system.model.bodies() {
            let is_flat = is_flat(&positions[body.vertices.clone()]);
            body.all_vertices().for_each(|v| flat[v] = is_flat);
        }
        Self {
            vertices: (0..n as u32).collect(),
            mass: system.model.masses().to_vec(),
            inv_mass: system.model.inverse_masses(),
            flat,
            edges: element_springs(system, &positions, h, iterations),
            positions,
        }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.vertices.len()
    }

    /// Returns the neighbours of every vertex: other end and edge index, in the order of the edges.
    pub fn neighbours(&self) -> Vec<Vec<(u32, u32)>> {
        let mut lists = vec![Vec::new(); self.len()];
        for (e, edge) in self.edges.iter().enumerate() {
            let [a, b] = edge.ends;
            lists[a as usize].push((b, e as u32));
            lists[b as usize].push((a, e as u32));
        }
        lists
    }
}

/// Returns the distance between two points \[m\].
pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

/// Returns every pair of vertices that share an element, with the spring between them.
fn element_springs<S: ElementPrecision>(
    system: &System<S>,
    positions: &[[f64; 3]],
    h: f64,
    iterations: usize,
) -> Vec<Edge> {
    let x: Vec<Point<S>> =
        positions.iter().map(|p| [p[0], p[1], p[2], 1.0].map(S::from_f64)).collect();
    let mut list: Vec<Edge> = Vec::new();
    // Elements without their plastic state: the hierarchy must not depend on the moment at which it is built.
    let fresh: System<S>;
    let system = match system.batches.iter().any(|b| b.plastic_state_len() > 0) {
        true => {
            fresh = System::new(system.model.clone());
            &fresh
        }
        false => system,
    };
    for batch in &system.batches {
        let factor = user_stiffness_ratio(batch.as_ref(), h, iterations);
        batch.hessian(&x, false, &mut |row, column, value| {
            let (a, b) = (column / 3, row / 3);
            if a == b {
                return;
            }
            let (p, q) = (positions[a as usize], positions[b as usize]);
            let length = distance(p, q);
            let (i, j) = (row as usize % 3, column as usize % 3);
            let along = |c: usize| if length > 0.0 { (p[c] - q[c]) / length } else { 0.0 };
            let spring = -factor * value * along(i) * along(j);
            match list.last_mut() {
                Some(last) if last.ends == [a, b] => last.spring += spring,
                _ => list.push(Edge { ends: [a, b], spring, length }),
            }
        });
    }
    merge(list)
}

/// Sums the springs of each pair. Pairs that do not resist separation are kept with a zero spring.
pub fn merge(mut list: Vec<Edge>) -> Vec<Edge> {
    list.sort_by_key(|e| e.ends);
    list.dedup_by(|next, kept| {
        let same = next.ends == kept.ends;
        if same {
            kept.spring += next.spring;
            kept.length = kept.length.min(next.length);
        }
        same
    });
    for edge in &mut list {
        edge.spring = if edge.spring > 0.0 && edge.spring.is_finite() { edge.spring } else { 0.0 };
    }
    list
}

/// Returns the ratio of the stiffness that the user set for PBD to the material's. For a `k` given
/// directly and for `k = g w h² / (g w h² + 1)` alike, `k / (1 − k)` is proportional to the weight.
fn user_stiffness_ratio<S: ElementPrecision>(
    batch: &dyn AnyBatch<S>,
    h: f64,
    iterations: usize,
) -> f64 {
    /// Stiffness relative to inertia beyond which a constraint is effectively rigid.
    const MAX_RELATIVE_STIFFNESS: f64 = 1e6;
    let (mut users, mut own) = (0.0, 0.0);
    for (k, rate) in batch.stiffness(h, iterations).iter().zip(batch.squared_frequencies()) {
        let (k, rate) = (k.to_f64(), rate.to_f64() * h * h);
        users += (k / (1.0 - k)).min(MAX_RELATIVE_STIFFNESS);
        own += rate.min(MAX_RELATIVE_STIFFNESS);
    }
    if own > 0.0 && users.is_finite() { users / own } else { 1.0 }
}

/// Returns true if the points lie in a plane to a thousandth of their extent.
fn is_flat(points: &[[f64; 3]]) -> bool {
    let Some(&origin) = points.first() else { return true };
    let from = |p: &[f64; 3]| [p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    // Find the farthest point, the point farthest from that line, then test all points against that
    // plane.
    let far = |f: &dyn Fn([f64; 3]) -> f64| {
        points.iter().map(from).fold(([0.0; 3], 0.0), |best, p| {
            let value = f(p);
            if value > best.1 { (p, value) } else { best }
        })
    };
    let (u, size) = far(&|p| dot(p, p));
    let (v, _) = far(&|p| dot(cross(u, p), cross(u, p)));
    let n = cross(u, v);
    let norm = dot(n, n).sqrt();
    norm == 0.0 || points.iter().all(|p| dot(n, from(p)).abs() <= 1e-3 * norm * size.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_is_flat_and_a_tube_is_not() {
        let sheet: Vec<[f64; 3]> =
            (0..100).map(|i| [0.1 * (i % 10) as f64, 0.3 * (i / 10) as f64, 0.5]).collect();
        assert!(is_flat(&sheet));
        let bent: Vec<[f64; 3]> = sheet.iter().map(|p| [p[0], p[1], 0.05 * p[0] * p[0]]).collect();
        assert!(!is_flat(&bent));
        assert!(is_flat(&[]) && is_flat(&[[1.0; 3]; 4]));
    }
}
