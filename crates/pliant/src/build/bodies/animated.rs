//! Bodies that deform as they are told: an animated character that clothes lie on.
//!
//! All vertices are pinned to paths through key frames of the whole mesh, straight and even between them.
//! There is no element: nothing moves the body, and it moves what it touches, with the velocity that its
//! frames say.

use super::super::{Body, ModelBuilder};
use crate::Error;
use crate::damping::Damping;
use crate::mesh::{TriMesh, measure};
use crate::model::PinnedVertex;
use crate::motion::Motion;

/// Mass of the surface [kg/m²]. Nothing feels it: what is pinned has no inverse mass. It only has to be one.
const SKIN: f64 = 1.0;

impl ModelBuilder {
    /// Adds a body that moves and deforms through key frames and that other bodies collide with: each frame
    /// is a time \[s\] and where all vertices of the surface are then \[m\]. Between frames they go straight
    /// and evenly; before the first and after the last they stay. It does not touch itself.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// # fn main() -> Result<(), pliant::Error> {
    /// let mut scene = ModelBuilder::new();
    /// let ball = Icosphere::new(2).radius(0.1).build()?;
    /// let flat = ball.positions.iter().map(|p| [p[0], 0.5 * p[1], p[2]]).collect();
    /// let frames = [(0.0, ball.positions.clone()), (1.0, flat)];
    /// let body = scene.animated(ball, &frames)?;
    /// let mut sim = Simulation::new(scene.build()?, Xpbd::default())?;
    /// for _ in 0..60 {
    ///     sim.step();
    /// }
    /// let highest = body.positions(&sim).map(|p| p[1]).fold(0.0, f32::max);
    /// assert!((highest - 0.05).abs() < 1e-3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn animated<M>(
        &mut self,
        surface: M,
        frames: &[(f64, Vec<[f64; 3]>)],
    ) -> Result<Body, Error>
    where
        M: TryInto<TriMesh>,
        Error: From<M::Error>,
    {
        let mut mesh = surface.try_into()?;
        mesh.validate()?;
        check(mesh.positions.len(), frames)?;
        let paths = (0..mesh.positions.len()).map(|v| {
            let through = frames.iter().map(|(time, places)| (*time, places[v]));
            Motion::Path(through.collect())
        });
        let paths: Vec<Motion> = paths.collect();
        let masses = measure::triangle_masses(&mesh, SKIN);
        for (p, path) in mesh.positions.iter_mut().zip(&paths) {
            *p = path.at(*p, 0.0);
        }
        let body = self.body("animated", &mesh.positions, &masses, &[], Damping::default());
        self.surface(&body, &mesh.triangles);
        let pinned = body.vertices().zip(paths);
        self.model.pins.extend(pinned.map(|(vertex, motion)| PinnedVertex { vertex, motion }));
        Ok(body)
    }
}

/// Refuses frames that are no motion of a mesh of so many vertices.
fn check(vertices: usize, frames: &[(f64, Vec<[f64; 3]>)]) -> Result<(), Error> {
    let refuse = |frame: usize, problem: String| Err(Error::KeyFrame { frame, problem });
    if frames.is_empty() {
        return refuse(0, "there is none; give at least one".to_owned());
    }
    for (frame, (time, places)) in frames.iter().enumerate() {
        if !time.is_finite() {
            return refuse(frame, format!("its time is {time}; give a finite one [s]"));
        }
        if let Some((last, _)) = frame.checked_sub(1).map(|last| &frames[last])
            && last >= time
        {
            return refuse(
                frame,
                format!(
                    "its time, {time} s, is not after that of the frame before, {last} s; give times that increase"
                ),
            );
        }
        if places.len() != vertices {
            return refuse(
                frame,
                format!(
                    "it has {} vertices and the mesh {vertices}; give a place for every vertex of the mesh, \
                     in its order",
                    places.len()
                ),
            );
        }
        if let Some(vertex) = places.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
            return refuse(
                frame,
                format!("its vertex {vertex} is at {:?}; give finite places [m]", places[vertex]),
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Grid;

    #[test]
    fn frames_that_are_no_motion_are_refused_by_number() {
        let mesh = Grid::square(3).build().unwrap();
        let whole = mesh.positions.clone();
        let mut torn = whole.clone();
        torn.pop();
        let mut lost = whole.clone();
        lost[4][1] = f64::NAN;
        let cases = [
            (vec![], 0, "there is none"),
            (vec![(0.0, whole.clone()), (1.0, torn)], 1, "8 vertices and the mesh 9"),
            (vec![(1.0, whole.clone()), (1.0, whole.clone())], 1, "not after"),
            (vec![(f64::NAN, whole.clone())], 0, "its time is NaN"),
            (vec![(0.0, whole), (1.0, lost)], 1, "its vertex 4"),
        ];
        for (frames, number, words) in cases {
            let error = ModelBuilder::new().animated(mesh.clone(), &frames).unwrap_err();
            let named = matches!(&error, Error::KeyFrame { frame, .. } if *frame == number);
            assert!(named && error.to_string().contains(words), "{error}");
        }
    }
}
