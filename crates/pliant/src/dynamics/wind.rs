//! Wind forces on triangles.
//!
//! Each triangle feels the pressure `½ ρ c |u·n| (u·n)` along its normal, with `u` the velocity of the air
//! relative to it, a third at each vertex. The impulse is that of an implicit step on the triangle's share of
//! the masses, so that a light sheet in strong wind accelerates at most to the velocity of the air and never
//! recoils.

use crate::math::{Scalar, Vec3};
use crate::model::Model;
use crate::model::motion::Wind;
use crate::simd::Point;
use crate::system::state::State;

/// Impulses of the wind, and the data to compute them.
#[derive(Default)]
pub(crate) struct WindImpulses {
    /// Impulses on the vertices \[N s\].
    pub impulses: Vec<[f64; 3]>,
    /// Mass of each vertex divided by the number of its triangles \[kg\]: the mass on which one triangle acts.
    mass_share: Vec<f64>,
}

impl WindImpulses {
    /// Allocates memory for a model; none if it has no wind.
    pub fn new(model: &Model) -> Self {
        if model.wind().is_none() {
            return Self::default();
        }
        let mut count = vec![0.0; model.len()];
        for triangle in model.bodies().iter().flat_map(|b| &b.triangles) {
            triangle.iter().for_each(|&v| count[v as usize] += 1.0);
        }
        let share = model.masses().iter().zip(&count).map(|(m, n)| m / f64::max(*n, 1.0)).collect();
        Self { impulses: vec![[0.0; 3]; model.len()], mass_share: share }
    }

    /// Computes the impulses of the air at the state's time over a step `h` \[s\].
    pub fn compute<S: Scalar>(&mut self, model: &Model, state: &State<S>, wind: &Wind, h: f64) {
        self.impulses.fill([0.0; 3]);
        let vec = |p: &Point<S>| Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64());
        let air = Vec3::<f64>::of(wind.at(state.time));
        for triangle in model.bodies().iter().flat_map(|b| &b.triangles) {
            let at = triangle.map(|v| v as usize);
            let x = at.map(|v| vec(&state.positions[v]));
            let v = at.map(|v| vec(&state.velocities[v]));
            let normal = (x[1] - x[0]).cross(x[2] - x[0]);
            let double_area = normal.norm();
            if !(double_area > 0.0) {
                continue;
            }
            let n = normal.scale(1.0 / double_area);
            let speed = (air - (v[0] + v[1] + v[2]).scale(1.0 / 3.0)).dot(n);
            // A third of the drag on the smallest share bounds the change of every vertex.
            let mass = 3.0 * at.iter().map(|&v| self.mass_share[v]).fold(f64::MAX, f64::min);
            let drag = 0.25 * wind.density * wind.drag * double_area * speed.abs();
            let impulse = n.scale(drag * speed * h / (1.0 + drag * h / mass) / 3.0);
            for v in at {
                self.impulses[v][0] += impulse.x;
                self.impulses[v][1] += impulse.y;
                self.impulses[v][2] += impulse.z;
            }
        }
    }
}
