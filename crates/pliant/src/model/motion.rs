//! Prescribed motion of pinned vertices, colliders and blades; wind.

use crate::math::{Vec3, cos, sin};

/// Prescribed motion of a vertex over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Fixed at its start.
    Fixed,
    /// Through points \[m\] at times \[s\], linear between them; constant before the first and after the last.
    Path(Vec<(f64, [f64; 3])>),
    /// Rotation about an axis through a point \[m\], at an angular rate [rad/s], while the axis moves at the
    /// velocity `drift` [m/s].
    Spin {
        /// A point on the axis \[m\].
        center: [f64; 3],
        /// Direction of the axis; its length does not matter.
        axis: [f64; 3],
        /// Angular rate [rad/s].
        rate: f64,
        /// Velocity of the axis [m/s].
        drift: [f64; 3],
    },
}

impl Motion {
    /// Position at `time` \[s\] of a vertex that starts at `start` \[m\].
    pub fn at(&self, start: [f64; 3], time: f64) -> [f64; 3] {
        match self {
            Self::Fixed => start,
            Self::Path(points) => interpolate_path(points, start, time),
            Self::Spin { center, axis, rate, drift } => {
                let (c, a) = (Vec3::of(*center), Vec3::<f64>::of(*axis));
                let r = Vec3::of(start) - c;
                let length = a.norm();
                let k =
                    if length > 0.0 { a.scale(1.0 / length) } else { Vec3::of([0.0, 1.0, 0.0]) };
                let (s, co) = (sin(rate * time), cos(rate * time));
                // Rodrigues' rotation.
                let turned = r.scale(co) + k.cross(r).scale(s) + k.scale(k.dot(r) * (1.0 - co));
                let p = c + turned + Vec3::of(*drift).scale(time);
                [p.x, p.y, p.z]
            }
        }
    }

    /// True if all numbers are finite, times increase and axes are not zero.
    pub fn is_valid(&self) -> bool {
        match self {
            Self::Fixed => true,
            Self::Path(points) => {
                points.iter().all(|(t, p)| t.is_finite() && p.iter().all(|c| c.is_finite()))
                    && points.windows(2).all(|w| w[0].0 < w[1].0)
                    && !points.is_empty()
            }
            Self::Spin { center, axis, rate, drift } => {
                center.iter().chain(axis).chain(drift).chain([rate]).all(|c| c.is_finite())
                    && axis.iter().any(|&c| c != 0.0)
            }
        }
    }
}

fn interpolate_path(points: &[(f64, [f64; 3])], start: [f64; 3], time: f64) -> [f64; 3] {
    let after = points.partition_point(|(t, _)| *t <= time);
    match (after.checked_sub(1).map(|i| points[i]), points.get(after)) {
        (Some((t0, a)), Some((t1, b))) => {
            let s = (time - t0) / (t1 - t0);
            [0, 1, 2].map(|i| a[i] + s * (b[i] - a[i]))
        }
        (Some((_, last)), None) => last,
        (None, Some((_, first))) => *first,
        (None, None) => start,
    }
}

/// Wind: pressure on triangles from the velocity of the air relative to them, along their normals (Projective
/// Dynamics §7.1). The forces are computed in `dynamics/wind.rs`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// Mean velocity of the air [m/s].
    pub velocity: [f64; 3],
    /// Strength of gusts, as a fraction of the mean velocity.
    pub gust: f64,
    /// Time between gusts \[s\].
    pub period: f64,
    /// Density of the air [kg/m³].
    pub density: f64,
    /// Drag coefficient of a flat plate across the wind.
    pub drag: f64,
}

impl Wind {
    /// Steady wind of air at 20 °C.
    pub fn steady(velocity: [f64; 3]) -> Self {
        // 1.2 kg/m³: air at 20 °C; 1.2: a square plate across the flow (Hoerner 1965).
        Self { velocity, gust: 0.0, period: 2.0, density: 1.2, drag: 1.2 }
    }

    /// Adds gusts of a strength (fraction of the mean) every `period` seconds.
    pub fn gusts(self, strength: f64, period: f64) -> Self {
        Self { gust: strength, period, ..self }
    }

    /// Velocity of the air at a time \[s\]: two incommensurate waves, the same in every run.
    pub fn at(&self, time: f64) -> [f64; 3] {
        let phase = std::f64::consts::TAU * time / self.period;
        let wave = 0.6 * sin(phase) + 0.4 * sin(2.618 * phase + 1.3);
        self.velocity.map(|c| c * (1.0 + self.gust * wave))
    }

    /// True if all numbers are finite and within their ranges.
    pub fn is_valid(&self) -> bool {
        self.velocity.iter().all(|c| c.is_finite())
            && self.gust.is_finite()
            && self.period > 0.0
            && self.density >= 0.0
            && self.drag >= 0.0
            && self.density.is_finite()
            && self.drag.is_finite()
            && self.period.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_passes_its_points_and_holds_at_its_ends() {
        let path = Motion::Path(vec![(1.0, [0.0; 3]), (2.0, [2.0, 0.0, 0.0])]);
        assert_eq!(path.at([9.0; 3], 0.0), [0.0; 3]);
        assert_eq!(path.at([9.0; 3], 1.5), [1.0, 0.0, 0.0]);
        assert_eq!(path.at([9.0; 3], 5.0), [2.0, 0.0, 0.0]);
    }

    #[test]
    fn a_quarter_turn_about_x_takes_y_to_z() {
        let spin = Motion::Spin {
            center: [0.0; 3],
            axis: [2.0, 0.0, 0.0],
            rate: std::f64::consts::FRAC_PI_2,
            drift: [1.0, 0.0, 0.0],
        };
        let p = spin.at([0.0, 1.0, 0.0], 1.0);
        assert!((p[0] - 1.0).abs() + p[1].abs() + (p[2] - 1.0).abs() < 1e-15);
    }
}
