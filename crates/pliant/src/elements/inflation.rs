//! Volume factor of inflated bodies over time: the factor `k` of `enclosed_volume.rs`, the target volume relative to
//! the volume at rest.

/// The amount of gas over time, relative to the volume at rest.
#[derive(Clone, Debug, PartialEq)]
pub enum Inflation {
    /// A constant factor.
    Constant(f64),
    /// Factors at given times \[s\], interpolated linearly; constant before the first and after the last.
    Path(Vec<(f64, f64)>),
}

impl From<f64> for Inflation {
    fn from(factor: f64) -> Self {
        Self::Constant(factor)
    }
}

impl Inflation {
    /// The factor at `time` \[s\].
    pub fn at(&self, time: f64) -> f64 {
        let points = match self {
            Self::Constant(factor) => return *factor,
            Self::Path(points) => points,
        };
        let after = points.partition_point(|(t, _)| *t <= time);
        match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
            (Some((t0, a)), Some((t1, b))) => a + (time - t0) / (t1 - t0) * (b - a),
            (Some((_, last)), None) => last,
            (None, Some((_, first))) => *first,
            (None, None) => 1.0,
        }
    }

    /// True if the factors are finite and not negative, and the times finite and increasing.
    pub fn is_valid(&self) -> bool {
        let good = |k: f64| k >= 0.0 && k.is_finite();
        match self {
            Self::Constant(factor) => good(*factor),
            Self::Path(points) => {
                points.iter().all(|(t, k)| t.is_finite() && good(*k))
                    && points.windows(2).all(|w| w[0].0 < w[1].0)
                    && !points.is_empty()
            }
        }
    }
}
