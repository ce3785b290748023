//! Pressure inside closed surfaces: balloons (Position Based Dynamics §4.4).
//!
//! The gas inside wants `k` times the volume at rest, `V₀`, and resists every other volume with a
//! bulk stiffness `κ` \[Pa\]:
//!
//! ```text
//! E = κ/(2 V₀) (V − k V₀)²         energy [J]
//! p = κ (k − V/V₀)                 pressure above that outside [Pa]
//! ```
//!
//! `k` is the paper's `k_pressure`. With `κ` the pressure of the air this is a gas of `k` times the air
//! that the surface encloses at rest, at constant temperature, to first order about `V = k V₀`. A stiffer
//! one comes closer to the paper's constraint `V = k V₀`.
//!
//! The element is [`EnclosedVolume`](crate::elements::EnclosedVolume).

use crate::Error;
use crate::batch::Clusters;
use crate::build::{Body, ModelBuilder};
use crate::elements::EnclosedVolume;
use crate::math::Vec3;
use crate::mesh::topology::boundary_edges;
use crate::mesh::{TriMesh, measure};
use crate::model::BodyInfo;
use crate::simulation::Simulation;
use crate::system::Precision;

/// How much air there is, in parts of the volume at rest, over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Inflation {
    /// Always the same.
    Constant(f64),
    /// Through factors at times \[s\], evenly between them; held before and after.
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

    /// Whether its factors are finite and not negative, and its times finite and increasing.
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

/// What is inside a closed surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Pressure {
    /// The volume that it wants, in parts of that at rest: the paper's `k_pressure`.
    pub factor: Inflation,
    /// Pressure for each part of the rest volume that is lacking \[Pa\].
    pub bulk: f64,
}

/// The pressure of the air at sea level \[Pa\].
const AIR: f64 = 101_325.0;

impl Pressure {
    /// Air: its bulk stiffness at constant temperature is its pressure, 101,325 Pa.
    pub fn air(factor: impl Into<Inflation>) -> Self {
        Self { factor: factor.into(), bulk: AIR }
    }

    fn validate(&self) -> Result<(), Error> {
        let bad =
            |field, value, remedy| Err(Error::Quantity { name: "pressure", field, value, remedy });
        if !self.factor.is_valid() {
            let value = if let Inflation::Constant(k) = self.factor { k } else { f64::NAN };
            let remedy = "give finite factors of zero or more, at finite times that increase";
            return bad("factor", value, remedy);
        }
        if !(self.bulk > 0.0 && self.bulk.is_finite()) {
            return bad("bulk stiffness", self.bulk, "give a positive, finite stiffness [Pa]");
        }
        Ok(())
    }
}

impl ModelBuilder {
    /// Fills the closed surface of a body with gas. The last word on a body counts.
    ///
    /// It refuses, with an error that names the place, a surface that is open or does not face outwards.
    pub fn inflate(&mut self, body: &Body, pressure: Pressure) -> Result<(), Error> {
        pressure.validate()?;
        let info = &self.model.bodies[body.index];
        let surface = surface(info, &self.model.rest);
        if let Some(edge) = boundary_edges(&surface).first() {
            return Err(Error::OpenSurface { name: info.name.clone(), edge: *edge });
        }
        let volume = measure::enclosed_volume(&surface);
        if !(volume > 0.0 && volume.is_finite()) {
            return Err(Error::NoInside { name: info.name.clone(), volume });
        }
        self.model.bodies[body.index].pressure = Some(pressure);
        Ok(())
    }

    /// Adds the elements of everything that is inflated.
    pub(crate) fn fill_balloons(&mut self) -> Result<(), Error> {
        let mut set = Clusters::new();
        let mut rates = Vec::new();
        for info in self.new_bodies() {
            let Some(pressure) = &info.pressure else { continue };
            let offset = info.vertices.start as u32;
            let mesh = surface(info, &self.model.rest);
            let (vertices, triangles) = used(&mesh.triangles);
            let rest: Vec<_> = vertices.iter().map(|&v| mesh.positions[v as usize]).collect();
            let element = EnclosedVolume::new(&rest, triangles, pressure.factor.clone())?;
            let weight = pressure.bulk * element.volume();
            set.push(vertices.iter().map(|v| v + offset).collect(), weight, element);
            rates.push(info.damping.constraint);
        }
        self.elements(set.damping_each(rates));
        Ok(())
    }
}

/// The surface of a body, by its own vertex numbers.
fn surface(info: &BodyInfo, rest: &[[f64; 3]]) -> TriMesh {
    let offset = info.vertices.start as u32;
    let triangles = info.triangles.iter().map(|t| t.map(|v| v - offset)).collect();
    TriMesh { positions: rest[info.vertices.clone()].to_vec(), triangles, ..TriMesh::default() }
}

/// The vertices that triangles use, ascending, and the triangles by their places in that list.
fn used(triangles: &[[u32; 3]]) -> (Vec<u32>, Vec<[u32; 3]>) {
    let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let place = |v: u32| vertices.partition_point(|&u| u < v) as u32;
    let triangles = triangles.iter().map(|t| t.map(place)).collect();
    (vertices, triangles)
}

impl<S: Precision> Simulation<S> {
    /// The volume that the surface of a body encloses now \[m³\]; of an open surface it means nothing.
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

    /// The pressure inside a body above that outside \[Pa\]; none where it was not inflated.
    pub fn pressure(&self, body: &Body) -> Option<f64> {
        let info = &self.model().bodies()[body.index];
        let pressure = info.pressure.as_ref()?;
        let rest = measure::enclosed_volume(&surface(info, self.model().rest_positions()));
        let relative = self.enclosed_volume(body) / rest;
        Some(pressure.bulk * (pressure.factor.at(self.state().time) - relative))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_passes_its_factors_and_holds_at_its_ends() {
        let path = Inflation::Path(vec![(1.0, 1.0), (2.0, 3.0)]);
        assert_eq!([0.0, 1.5, 5.0].map(|t| path.at(t)), [1.0, 2.0, 3.0]);
        assert!(path.is_valid());
        assert!(!Inflation::Path(Vec::new()).is_valid());
        assert!(!Inflation::Path(vec![(1.0, 1.0), (1.0, 2.0)]).is_valid());
        assert!(!Inflation::from(-1.0).is_valid() && !Inflation::from(f64::NAN).is_valid());
    }
}
