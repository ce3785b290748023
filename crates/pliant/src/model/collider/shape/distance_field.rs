//! Distance field: a signed distance sampled on a grid, interpolated trilinearly.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Error;
use crate::math::Vec3;
use crate::mesh::TriMesh;
use crate::model::collider::Collider;
use crate::model::collider::shape::{ColliderShape, Shape, ShapeForm, SignedDistance};

/// Six tetrahedra of a cell around its diagonal, with corners by bits of their index. All have the same
/// orientation.
const CUBE_TETS: [[usize; 4]; 6] =
    [[0, 1, 3, 7], [0, 3, 2, 7], [0, 2, 6, 7], [0, 6, 4, 7], [0, 4, 5, 7], [0, 5, 1, 7]];

/// Distances \[m\] at the points of a grid, negative inside.
#[derive(Clone, Debug)]
pub struct DistanceField {
    counts: [usize; 3],
    spacing: f64,
    values: Arc<Vec<f64>>,
}

impl DistanceField {
    /// Creates a field of `counts` points along x, y and z with a spacing \[m\]; x runs fastest, then y.
    pub fn new(counts: [usize; 3], spacing: f64, values: Vec<f64>) -> Result<Self, Error> {
        let invalid = |field, value, remedy| {
            Err(Error::Quantity { name: "distance field", field, value, remedy })
        };
        if counts.iter().any(|&n| n < 2) {
            return invalid("points", 1.0, "there must be at least two points along each axis");
        }
        let points = counts.iter().try_fold(1usize, |n, &c| n.checked_mul(c));
        if points != Some(values.len()) {
            let remedy = "there must be one distance per grid point";
            return invalid("distances", values.len() as f64, remedy);
        }
        if !(spacing > 0.0 && spacing.is_finite()) {
            return invalid("spacing", spacing, "it must be positive [m]");
        }
        if let Some(&value) = values.iter().find(|v| !v.is_finite()) {
            return invalid("distance", value, "distances must be finite [m]");
        }
        Ok(Self { counts, spacing, values: Arc::new(values) })
    }

    /// Signed distance at a point. The normal is the direction of central differences over one spacing, which
    /// has no jumps at the sides of cells.
    fn sample(&self, p: Vec3<f64>) -> SignedDistance {
        let half = 0.5 * self.spacing;
        let slope = |d: [f64; 3]| {
            let d = Vec3::of(d).scale(half);
            self.distance(p + d) - self.distance(p - d)
        };
        let out = Vec3::new(slope([1.0, 0.0, 0.0]), slope([0.0, 1.0, 0.0]), slope([0.0, 0.0, 1.0]));
        let length: f64 = out.norm();
        let normal = if length > 0.0 { out.scale(1.0 / length) } else { Vec3::of([0.0, 1.0, 0.0]) };
        SignedDistance { distance: self.distance(p), normal }
    }

    /// Distance interpolated linearly between the points; outside the grid, plus the distance to the grid.
    fn distance(&self, p: Vec3<f64>) -> f64 {
        let mut cell = [0; 3];
        let mut part = [0.0; 3];
        let mut beyond = Vec3::zero();
        for (c, v) in [p.x, p.y, p.z].into_iter().enumerate() {
            let last = (self.counts[c] - 1) as f64;
            let u = v / self.spacing;
            let inside = if u.is_finite() { u.clamp(0.0, last) } else { 0.0 };
            let away = (u - inside) * self.spacing;
            beyond += Vec3::of([0, 1, 2].map(|k| if k == c { away } else { 0.0 }));
            cell[c] = (inside as usize).min(self.counts[c] - 2);
            part[c] = inside - cell[c] as f64;
        }
        let [nx, ny, _] = self.counts;
        let weight = |c: usize, i: usize| if i == 1 { part[c] } else { 1.0 - part[c] };
        let mut distance = beyond.norm();
        for corner in 0..8 {
            let [i, j, k] = [corner & 1, corner >> 1 & 1, corner >> 2];
            let value = self.values[((cell[2] + k) * ny + cell[1] + j) * nx + cell[0] + i];
            distance += value * weight(0, i) * weight(1, j) * weight(2, k);
        }
        distance
    }

    /// Returns the zero level set, by marching tetrahedra.
    fn zero_level_set(&self) -> TriMesh {
        let [nx, ny, nz] = self.counts;
        let mut out = TriMesh::default();
        let mut known = BTreeMap::new();
        for (i, j, k) in (0..nz - 1)
            .flat_map(|k| (0..ny - 1).flat_map(move |j| (0..nx - 1).map(move |i| (i, j, k))))
        {
            let corner = |c: usize| ((k + (c >> 2)) * ny + j + (c >> 1 & 1)) * nx + i + (c & 1);
            for tet in CUBE_TETS {
                let tet = tet.map(corner);
                let inside: Vec<usize> =
                    tet.iter().copied().filter(|&v| self.values[v] < 0.0).collect();
                let outside: Vec<usize> =
                    tet.iter().copied().filter(|&v| self.values[v] >= 0.0).collect();
                let mut cut = |a: usize, b: usize| {
                    self.zero_crossing_vertex(a, b, &mut known, &mut out.positions)
                };
                let patch = match (&inside[..], &outside[..]) {
                    ([a], [p, q, r]) => vec![cut(*a, *p), cut(*a, *q), cut(*a, *r)],
                    ([a, b], [p, q]) => vec![cut(*a, *p), cut(*a, *q), cut(*b, *q), cut(*b, *p)],
                    ([a, b, c], [p]) => vec![cut(*a, *p), cut(*b, *p), cut(*c, *p)],
                    _ => continue,
                };
                let away = self.grid_point(outside[0]) - self.grid_point(inside[0]);
                let at = |v: u32| Vec3::<f64>::of(out.positions[v as usize]);
                let facing = (at(patch[1]) - at(patch[0])).cross(at(patch[2]) - at(patch[0]));
                for n in 2..patch.len() {
                    let [a, b, c] = [patch[0], patch[n - 1], patch[n]];
                    out.triangles.push(if facing.dot(away) < 0.0 { [a, c, b] } else { [a, b, c] });
                }
            }
        }
        out
    }

    /// Returns the vertex between two points of the grid; creates it on first use.
    fn zero_crossing_vertex(
        &self,
        a: usize,
        b: usize,
        known: &mut BTreeMap<[usize; 2], u32>,
        positions: &mut Vec<[f64; 3]>,
    ) -> u32 {
        *known.entry([a.min(b), a.max(b)]).or_insert_with(|| {
            let (low, high) = (a.min(b), a.max(b));
            let (d, e) = (self.values[low], self.values[high]);
            let [p, q] = [self.grid_point(low), self.grid_point(high)];
            let p = p + (q - p).scale(d / (d - e));
            positions.push([p.x, p.y, p.z]);
            positions.len() as u32 - 1
        })
    }

    fn grid_point(&self, index: usize) -> Vec3<f64> {
        let [nx, ny, _] = self.counts;
        let at = [index % nx, index / nx % ny, index / nx / ny];
        Vec3::of(at.map(|i| i as f64 * self.spacing))
    }
}

impl Collider {
    /// Signed distance sampled on a grid with its first point at a corner \[m\].
    pub fn distance_field(corner: [f64; 3], field: DistanceField) -> Self {
        Self::new(Shape::DistanceField(field), corner)
    }
}

impl ColliderShape for DistanceField {
    const NAME: &'static str = "distance field";
    const IS_ROUND: bool = true;
    // Its values would fill a scene file.
    const FORMS: &'static [ShapeForm] = &[];

    fn nearest(&self, p: Vec3<f64>, _: f64) -> Option<SignedDistance> {
        Some(self.sample(p))
    }

    fn surface_mesh(&self, _: f64) -> TriMesh {
        self.zero_level_set()
    }

    // A ball: along a diagonal `d` of a cell the surface is straight instead of round, off by at most
    // d²/8r = 9e-3 m; measured 5.7e-3.
    #[cfg(test)]
    const TOLERANCE: f64 = 9e-3;

    #[cfg(test)]
    fn samples() -> Vec<Self> {
        let (n, spacing) = (13, 0.1);
        let value = |i: usize| {
            let at = [i % n, i / n % n, i / n / n].map(|c| c as f64 * spacing - 0.6);
            Vec3::<f64>::of(at).norm() - 0.42
        };
        let values = (0..n * n * n).map(value).collect();
        vec![DistanceField::new([n; 3], spacing, values).expect("a valid field")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sampled_ball_is_a_ball() {
        let n = 21;
        let at = |i: usize| -1.0 + 0.1 * i as f64;
        let mut values = Vec::new();
        for k in 0..n {
            for j in 0..n {
                for i in 0..n {
                    let square = at(i) * at(i) + at(j) * at(j) + at(k) * at(k);
                    values.push(square.sqrt() - 0.5);
                }
            }
        }
        let field = DistanceField::new([n; 3], 0.1, values).unwrap();
        let near = |p| {
            let n = field.nearest(Vec3::of(p), 1.0).unwrap();
            (n.distance, [n.normal.x, n.normal.y, n.normal.z])
        };
        let (d, normal) = near([1.0 + 0.6, 1.0, 1.0 + 0.1]);
        let length = (0.36f64 + 0.01).sqrt();
        assert!((d - (length - 0.5)).abs() < 2e-3, "{d}");
        assert!((normal[0] - 0.6 / length).abs() < 1e-2 && normal[1].abs() < 1e-2);
        assert!(near([5.0, 1.0, 1.0]).0 > 2.9);
    }
}
