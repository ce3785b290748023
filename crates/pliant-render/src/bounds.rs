//! Axis-aligned bounding boxes for framing the camera.

use crate::vector::{Vec3, is_finite};

/// Bounding box of points; initially empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Minimum coordinates \[m\].
    pub min: [f32; 3],
    /// Maximum coordinates \[m\].
    pub max: [f32; 3],
}

impl Default for Bounds {
    fn default() -> Self {
        Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] }
    }
}

impl Bounds {
    /// Bounding box of points \[m\]. Points that are not finite are ignored.
    pub fn of(points: &[[f32; 3]]) -> Self {
        let mut bounds = Self::default();
        bounds.extend(points);
        bounds
    }

    /// Extends the box by points \[m\]. Call it with every frame of an animation.
    pub fn extend(&mut self, points: &[[f32; 3]]) {
        for p in points.iter().filter(|p| is_finite(p)) {
            for c in 0..3 {
                self.min[c] = self.min[c].min(p[c]);
                self.max[c] = self.max[c].max(p[c]);
            }
        }
    }

    /// The part of the box inside another one; the box itself if they are disjoint.
    pub fn clipped(&self, to: &Self) -> Self {
        let min = [0, 1, 2].map(|c| self.min[c].max(to.min[c]));
        let max = [0, 1, 2].map(|c| self.max[c].min(to.max[c]));
        let part = Self { min, max };
        if part.is_empty() { *self } else { part }
    }

    /// The box with this margin on all sides \[m\].
    pub fn inflated(&self, by: f32) -> Self {
        Self { min: self.min.map(|c| c - by), max: self.max.map(|c| c + by) }
    }

    /// True if the box contains no point.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|c| self.min[c] > self.max[c])
    }

    /// Returns the box, or one of a metre around the origin if it is empty.
    pub(crate) fn or_unit(self) -> Self {
        if self.is_empty() { Self { min: [-0.5; 3], max: [0.5; 3] } } else { self }
    }

    pub(crate) fn center(&self) -> Vec3 {
        (Vec3::from(self.min) + Vec3::from(self.max)) * 0.5
    }

    /// Length of the diagonal \[m\].
    pub fn diagonal(&self) -> f32 {
        (Vec3::from(self.max) - Vec3::from(self.min)).length().max(1e-6)
    }

    pub(crate) fn corners(&self) -> [Vec3; 8] {
        let pick = |i: usize, c: usize| if i >> c & 1 == 0 { self.min[c] } else { self.max[c] };
        std::array::from_fn(|i| Vec3::new(pick(i, 0), pick(i, 1), pick(i, 2)))
    }
}

/// Share of the weight on each side of an axis that is left out to find the main part.
const TAIL: f32 = 0.05;
/// Distance from the main part, relative to its diagonal, up to which points count.
const REACH: f32 = 1.0;
/// Number of samples of which the main part is found, at most.
const MAX_SAMPLES: usize = 400_000;

/// Bounding box of weighted points without runaways.
///
/// The main part is the box between the 5 % and 95 % quantiles of the weight along each axis. Points count up to
/// its diagonal away from it, so that the box of a connected body is its whole bounding box, and that of a
/// body with a few vertices or fragments far away is the body's.
#[derive(Clone, Debug, Default)]
pub struct WeightedBounds {
    points: Vec<[f32; 3]>,
    weights: Vec<f32>,
}

impl WeightedBounds {
    /// Adds points \[m\] with their weights, such as their share of the area. Points that are not finite are ignored.
    pub fn extend(&mut self, points: &[[f32; 3]], weights: &[f32]) {
        let sound = points.iter().zip(weights).filter(|(p, _)| is_finite(p));
        for (point, weight) in sound {
            self.points.push(*point);
            self.weights.push(weight.max(0.0));
        }
    }

    /// The box.
    pub fn bounds(&self) -> Bounds {
        let all = Bounds::of(&self.points);
        let stride = self.points.len().div_ceil(MAX_SAMPLES).max(1);
        let mut order: Vec<usize> = (0..self.points.len()).step_by(stride).collect();
        let total: f64 = order.iter().map(|&k| f64::from(self.weights[k])).sum();
        if !(total > 0.0 && total.is_finite()) {
            return all;
        }
        let mut main = Bounds::default();
        for c in 0..3 {
            order.sort_unstable_by(|&a, &b| self.points[a][c].total_cmp(&self.points[b][c]));
            let tail = f64::from(TAIL) * total;
            main.min[c] = self.beyond(order.iter(), tail).map_or(0.0, |p| p[c]);
            main.max[c] = self.beyond(order.iter().rev(), tail).map_or(0.0, |p| p[c]);
        }
        let near = main.inflated(REACH * main.diagonal());
        let inside = |p: &&[f32; 3]| (0..3).all(|c| near.min[c] <= p[c] && p[c] <= near.max[c]);
        let mut bounds = main;
        self.points.iter().filter(inside).for_each(|p| bounds.extend(&[*p]));
        bounds
    }

    /// The first of points in this order with more than `weight` up to it.
    fn beyond<'k>(
        &self,
        mut order: impl Iterator<Item = &'k usize>,
        weight: f64,
    ) -> Option<[f32; 3]> {
        let mut sum = 0.0;
        let reached = order.find(|&&k| {
            sum += f64::from(self.weights[k]);
            sum > weight
        });
        reached.map(|&k| self.points[k])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of a flat square metre.
    fn sheet() -> Vec<[f32; 3]> {
        (0..900).map(|k| [(k % 30) as f32 / 29.0, 0.0, (k / 30) as f32 / 29.0]).collect()
    }

    fn bounds_of(points: &[[f32; 3]]) -> Bounds {
        let mut bounds = WeightedBounds::default();
        bounds.extend(points, &vec![1.0; points.len()]);
        bounds.bounds()
    }

    #[test]
    fn a_connected_body_is_framed_whole() {
        let sheet = sheet();
        assert_eq!(bounds_of(&sheet), Bounds::of(&sheet));
        // A rope, and a hanging rope with a heavy end.
        let rope: Vec<[f32; 3]> = (0..100).map(|k| [0.0, -0.01 * k as f32, 0.0]).collect();
        assert_eq!(bounds_of(&rope), Bounds::of(&rope));
        let mut heavy = WeightedBounds::default();
        let weights: Vec<f32> = (0..100).map(|k| if k > 90 { 5.0 } else { 1.0 }).collect();
        heavy.extend(&rope, &weights);
        assert_eq!(heavy.bounds(), Bounds::of(&rope));
    }

    #[test]
    fn runaways_do_not_count() {
        let sheet = sheet();
        let mut debris = sheet.clone();
        debris.extend((0..20).map(|k| [30.0 + k as f32, -80.0, 5.0]));
        debris.push([f32::NAN, 0.0, 0.0]);
        debris.push([1e30, -1e30, 0.0]);
        assert_eq!(bounds_of(&debris), Bounds::of(&sheet));
        // A light body beside the sheet counts, far away it does not.
        let mut two = WeightedBounds::default();
        two.extend(&sheet, &vec![1.0; sheet.len()]);
        two.extend(&[[0.5, 0.4, 0.5]], &[0.01]);
        assert_eq!(two.bounds().max, [1.0, 0.4, 1.0]);
        two.extend(&[[0.5, 4.0, 0.5]], &[0.01]);
        assert_eq!(two.bounds().max, [1.0, 0.4, 1.0]);
    }

    #[test]
    fn without_points_or_weights_there_is_a_box_all_the_same() {
        assert!(WeightedBounds::default().bounds().is_empty());
        let mut weightless = WeightedBounds::default();
        weightless.extend(&sheet(), &[0.0; 900]);
        assert_eq!(weightless.bounds(), Bounds::of(&sheet()));
    }
}
