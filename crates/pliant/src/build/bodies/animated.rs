//! Animated (kinematic) bodies: key-framed meshes, such as a character that wears cloth.
//!
//! All vertices are pinned to paths through key frames of the whole mesh, with linear interpolation between them. The
//! body has no elements and is not affected by others. It pushes what it touches, with the velocity given by its
//! frames.

use crate::Error;
use crate::build::{Body, ModelBuilder};
use crate::material::damping::Damping;
use crate::mesh::{TriMesh, measure};
use crate::model::PinnedVertex;
use crate::model::motion::Motion;

/// Mass of the surface [kg/m²]. It has no effect, because pinned vertices have no inverse mass; it only has to be
/// positive.
const SURFACE_DENSITY: f64 = 1.0;

impl ModelBuilder {
    /// Adds a kinematic body that moves and deforms through key frames and that other bodies collide with. Each frame
    /// is a time \[s\] and the positions of all vertices of the surface at that time \[m\]. Positions are interpolated
    /// linearly between frames and constant before the first and after the last. The body does not collide with itself.
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
        validate_frames(mesh.positions.len(), frames)?;
        let paths = (0..mesh.positions.len()).map(|v| {
            let through = frames.iter().map(|(time, positions)| (*time, positions[v]));
            Motion::Path(through.collect())
        });
        let paths: Vec<Motion> = paths.collect();
        let masses = measure::triangle_masses(&mesh, SURFACE_DENSITY);
        for (p, path) in mesh.positions.iter_mut().zip(&paths) {
            *p = path.at(*p, 0.0);
        }
        let body = self.add_body("animated", &mesh.positions, &masses, &[], Damping::default());
        self.set_surface(&body, &mesh.triangles);
        let pinned = body.vertices().zip(paths);
        self.model.pins.extend(pinned.map(|(vertex, motion)| PinnedVertex { vertex, motion }));
        Ok(body)
    }
}

/// Rejects frames that do not describe a motion of a mesh of that many vertices.
fn validate_frames(vertices: usize, frames: &[(f64, Vec<[f64; 3]>)]) -> Result<(), Error> {
    let invalid = |frame: usize, problem: String| Err(Error::KeyFrame { frame, problem });
    if frames.is_empty() {
        return invalid(0, "there are no key frames; add at least one".to_owned());
    }
    for (frame, (time, positions)) in frames.iter().enumerate() {
        if !time.is_finite() {
            return invalid(frame, format!("the time is {time}; it must be finite [s]"));
        }
        if let Some((last, _)) = frame.checked_sub(1).map(|last| &frames[last])
            && last >= time
        {
            return invalid(
                frame,
                format!(
                    "the time is {time} s, not after the {last} s of the previous frame; times \
                     must increase"
                ),
            );
        }
        if positions.len() != vertices {
            return invalid(
                frame,
                format!(
                    "the frame has {} vertices, the mesh {vertices}; a frame must have all \
                     vertices of the mesh, in the same order",
                    positions.len()
                ),
            );
        }
        if let Some(vertex) = positions.iter().position(|p| p.iter().any(|c| !c.is_finite())) {
            return invalid(
                frame,
                format!(
                    "the position of vertex {vertex} is {:?}; it must be finite [m]",
                    positions[vertex]
                ),
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
            (vec![], 0, "no key frames"),
            (vec![(0.0, whole.clone()), (1.0, torn)], 1, "8 vertices, the mesh 9"),
            (vec![(1.0, whole.clone()), (1.0, whole.clone())], 1, "not after"),
            (vec![(f64::NAN, whole.clone())], 0, "the time is NaN"),
            (vec![(0.0, whole), (1.0, lost)], 1, "vertex 4"),
        ];
        for (frames, number, words) in cases {
            let error = ModelBuilder::new().animated(mesh.clone(), &frames).unwrap_err();
            let named = matches!(&error, Error::KeyFrame { frame, .. } if *frame == number);
            assert!(named && error.to_string().contains(words), "{error}");
        }
    }
}
