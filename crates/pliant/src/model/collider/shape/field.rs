//! Distance field: a signed distance sampled on a grid, interpolated trilinearly.

use std::sync::Arc;

use crate::Error;
use crate::math::Vec3;
use crate::model::collider::shape::SignedDistance;

/// Distances \[m\] at the points of a grid, negative inside.
#[derive(Clone, Debug)]
pub struct DistanceField {
    pub(crate) counts: [usize; 3],
    pub(crate) spacing: f64,
    pub(crate) values: Arc<Vec<f64>>,
}

impl DistanceField {
    /// Creates a field of `counts` points along x, y and z with a spacing \[m\]; x runs fastest, then y.
    pub fn new(counts: [usize; 3], spacing: f64, values: Vec<f64>) -> Result<Self, Error> {
        let wrong = |field, value, remedy| {
            Err(Error::Quantity { name: "distance field", field, value, remedy })
        };
        if counts.iter().any(|&n| n < 2) {
            return wrong("points", 1.0, "give at least two points along each axis");
        }
        let points = counts.iter().try_fold(1usize, |n, &c| n.checked_mul(c));
        if points != Some(values.len()) {
            let remedy = "give one distance for each point of the grid";
            return wrong("distances", values.len() as f64, remedy);
        }
        if !(spacing > 0.0 && spacing.is_finite()) {
            return wrong("spacing", spacing, "give a positive spacing [m]");
        }
        if let Some(&value) = values.iter().find(|v| !v.is_finite()) {
            return wrong("distance", value, "give finite distances [m]");
        }
        Ok(Self { counts, spacing, values: Arc::new(values) })
    }

    pub(crate) fn problem(&self) -> Option<&'static str> {
        None
    }

    /// Signed distance at a point. The normal is the direction of central differences over one spacing, which
    /// has no jumps at the sides of cells.
    pub(crate) fn nearest(&self, p: Vec3<f64>) -> SignedDistance {
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
}
