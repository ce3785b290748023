//! Volume and pressure of inflated bodies in a running simulation. The gas law is in `model/pressure.rs`.

use crate::build::Body;
use crate::math::Vec3;
use crate::mesh::measure;
use crate::model::pressure::body_surface;
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;

impl<S: Precision> Simulation<S> {
    /// Volume that the surface of a body encloses now \[m³\]; meaningless for an open surface.
    pub fn enclosed_volume(&self, body: &Body) -> f64 {
        let info = &self.model().bodies()[body.index];
        let at = |v: u32| {
            let p = self.state().positions[v as usize];
            Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())
        };
        let Some(first) = info.triangles.first() else { return 0.0 };
        let apex = at(first[0]);
        let tet = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| at(v) - apex);
            a.dot(b.cross(c)) / 6.0
        };
        info.triangles.iter().map(tet).sum()
    }

    /// Pressure inside a body relative to that outside \[Pa\]; `None` if it was not inflated.
    pub fn pressure(&self, body: &Body) -> Option<f64> {
        let info = &self.model().bodies()[body.index];
        let pressure = info.pressure.as_ref()?;
        let rest = measure::enclosed_volume(&body_surface(info, self.model().rest_positions()));
        let relative = self.enclosed_volume(body) / rest;
        Some(pressure.bulk_modulus * (pressure.factor.at(self.state().time) - relative))
    }
}
