//! Axis-aligned bounding boxes.

use crate::vector::Vector;

/// An axis-aligned bounding box, closed: its faces belong to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Corner with the smallest coordinates \[m\].
    pub min: [f64; 3],
    /// Corner with the largest coordinates \[m\].
    pub max: [f64; 3],
}

impl Aabb {
    /// Empty box: it overlaps nothing and is the identity of [`Self::union`].
    pub const EMPTY: Self = Self { min: [f64::INFINITY; 3], max: [f64::NEG_INFINITY; 3] };

    /// Smallest box around points. Built from the start and end positions of all points of an element, it
    /// contains the element during the whole linear motion.
    #[inline]
    pub fn from_points(points: &[[f64; 3]]) -> Self {
        let mut all = Self::EMPTY;
        for p in points {
            for k in 0..3 {
                all.min[k] = all.min[k].min(p[k]);
                all.max[k] = all.max[k].max(p[k]);
            }
        }
        all
    }

    /// Smallest box around two boxes.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        let mut all = *self;
        for k in 0..3 {
            all.min[k] = all.min[k].min(other.min[k]);
            all.max[k] = all.max[k].max(other.max[k]);
        }
        all
    }

    /// Enlarges the box by `margin` \[m\] on each side, rounded outwards. Elements closer than a thickness have
    /// overlapping boxes if each grows by half of it.
    #[inline]
    pub fn grown(&self, margin: f64) -> Self {
        Self {
            min: self.min.map(|x| (x - margin).next_down()),
            max: self.max.map(|x| (x + margin).next_up()),
        }
    }

    /// True if the boxes have a point in common; touching counts.
    #[inline(always)]
    pub fn overlaps(&self, other: &Self) -> bool {
        // No short-circuit evaluation: six comparisons cost less than a mispredicted branch.
        (self.min[0] <= other.max[0])
            & (other.min[0] <= self.max[0])
            & (self.min[1] <= other.max[1])
            & (other.min[1] <= self.max[1])
            & (self.min[2] <= other.max[2])
            & (other.min[2] <= self.max[2])
    }

    /// Squared distance of a point \[m²\], zero inside.
    #[inline]
    pub fn distance_squared(&self, p: [f64; 3]) -> f64 {
        let mut sum = 0.0;
        for k in 0..3 {
            let d = (self.min[k] - p[k]).max(p[k] - self.max[k]).max(0.0);
            sum += d * d;
        }
        sum
    }

    /// Longest side \[m\]; zero for the empty box.
    #[inline]
    pub fn longest_side(&self) -> f64 {
        (0..3).fold(0.0, |side: f64, k| side.max(self.max[k] - self.min[k]))
    }

    /// Twice the centre.
    #[inline]
    pub(crate) fn double_center(&self) -> Vector {
        [0, 1, 2].map(|k| self.min[k] + self.max[k])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_boxes_overlap_and_empty_ones_do_not() {
        let a = Aabb::from_points(&[[0.0; 3], [1.0; 3]]);
        let b = Aabb::from_points(&[[1.0, 0.0, 0.0], [2.0, 1.0, 1.0]]);
        let c = Aabb::from_points(&[[1.0_f64.next_up(), 0.0, 0.0], [2.0, 1.0, 1.0]]);
        assert!(a.overlaps(&b) && !a.overlaps(&c));
        assert!(!a.overlaps(&Aabb::EMPTY) && !Aabb::EMPTY.overlaps(&Aabb::EMPTY));
        assert_eq!(a.union(&Aabb::EMPTY), a);
        assert_eq!(Aabb::EMPTY.longest_side(), 0.0);
    }

    #[test]
    fn growing_rounds_outwards() {
        let a = Aabb::from_points(&[[1.0; 3]]).grown(1e-30);
        assert!(a.min[0] < 1.0 && a.max[0] > 1.0);
    }

    #[test]
    fn distances() {
        let a = Aabb::from_points(&[[0.0; 3], [1.0; 3]]);
        assert_eq!(a.distance_squared([0.5, 1.0, 0.0]), 0.0);
        assert_eq!(a.distance_squared([-3.0, 0.5, 5.0]), 25.0);
    }
}
