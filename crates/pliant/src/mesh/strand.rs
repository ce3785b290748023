//! Strands: ropes, hairs, rods, coil springs, as chains of segments.
//!
//! A helix with the unit axis `a` and the unit normals `e`, `f = a × e` runs through
//! `r (cos θ e + sin θ f) + p θ/2π a`, with the radius `r` and the pitch `p`.

use crate::Error;
use crate::math::{Vec3, cos, sin};
use crate::mesh::measure::edge_lengths;
use crate::mesh::report::{check_corners, check_finite, check_indices, check_size};
use crate::mesh::validate::{
    Cell, MeshError, checked_vertex_count, require_at_least, require_positive,
};

/// Points joined by segments.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StrandMesh {
    /// The position of each vertex \[m\].
    pub positions: Vec<[f64; 3]>,
    /// The two vertices of each segment.
    pub segments: Vec<[u32; 2]>,
    /// Named vertices; for a generated strand its first and its last.
    pub corners: Vec<u32>,
}

impl StrandMesh {
    /// Makes the chain through the positions \[m\] in order, or returns its first defect.
    pub fn new(positions: Vec<[f64; 3]>) -> Result<Self, Error> {
        let last = positions.len().saturating_sub(1) as u32;
        let segments = (0..last).map(|k| [k, k + 1]).collect();
        let mesh = Self { positions, segments, corners: vec![0, last] };
        mesh.validate()?;
        Ok(mesh)
    }

    /// Returns the first defect as an error.
    pub fn validate(&self) -> Result<(), Error> {
        let count = self.positions.len();
        check_size(count, self.segments.len())?;
        let mut problems = Vec::new();
        check_indices(count, &self.segments, Cell::Segment, &mut problems);
        check_finite(&self.positions, &mut problems);
        check_corners(count, &self.corners, &mut problems);
        if let Some(problem) = problems.into_iter().next() {
            return Err(problem.into());
        }
        for (segment, length) in self.lengths().into_iter().enumerate() {
            if length <= 0.0 || !length.is_finite() {
                return Err(MeshError::DegenerateSegment { segment, length }.into());
            }
        }
        Ok(())
    }

    /// The length \[m\] of each segment.
    pub fn lengths(&self) -> Vec<f64> {
        edge_lengths(&self.positions, &self.segments)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    Straight { length: f64 },
    Helix { radius: f64, pitch: f64, turns: f64 },
}

/// A generator of strands, by default straight, 1 m long, along +x from the origin.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Strand {
    vertices: usize,
    shape: Shape,
    direction: [f64; 3],
    origin: [f64; 3],
}

impl Strand {
    /// A strand of `n` vertices.
    pub fn new(n: usize) -> Self {
        let shape = Shape::Straight { length: 1.0 };
        Self { vertices: n, shape, direction: [1.0, 0.0, 0.0], origin: [0.0; 3] }
    }

    /// Makes the strand straight, of the length \[m\].
    pub fn length(mut self, length: f64) -> Self {
        self.shape = Shape::Straight { length };
        self
    }

    /// Makes the strand a right-handed helix of the radius \[m\] that advances by `pitch` \[m\] in each of its `turns`.
    pub fn helix(mut self, radius: f64, pitch: f64, turns: f64) -> Self {
        self.shape = Shape::Helix { radius, pitch, turns };
        self
    }

    /// The direction of the strand or of the helix's axis. Its length does not matter.
    pub fn direction(mut self, direction: [f64; 3]) -> Self {
        self.direction = direction;
        self
    }

    /// The position \[m\] of the first vertex, or of the start of the helix's axis.
    pub fn at(mut self, origin: [f64; 3]) -> Self {
        self.origin = origin;
        self
    }

    /// Makes the strand.
    pub fn build(self) -> Result<StrandMesh, Error> {
        require_at_least(2, "the strand's number of vertices", self.vertices)?;
        checked_vertex_count(&[self.vertices])?;
        match self.shape {
            Shape::Straight { length } => require_positive("the strand's length", length)?,
            Shape::Helix { radius, pitch, turns } => {
                require_positive("the helix's radius", radius)?;
                require_positive("the helix's pitch", pitch)?;
                require_positive("the helix's number of turns", turns)?;
            }
        }
        let direction = Vec3::<f64>::of(self.direction);
        require_positive("the length of the strand's direction", direction.norm())?;
        let axis = direction.scale(1.0 / direction.norm());
        let (side, third) = normals(axis);

        let origin = Vec3::of(self.origin);
        let last = (self.vertices - 1) as f64;
        let point = |k: usize| {
            let part = k as f64 / last;
            let offset = match self.shape {
                Shape::Straight { length } => axis.scale(length * part),
                Shape::Helix { radius, pitch, turns } => {
                    let angle = std::f64::consts::TAU * turns * part;
                    side.scale(radius * cos(angle))
                        + third.scale(radius * sin(angle))
                        + axis.scale(pitch * turns * part)
                }
            };
            (origin + offset).lane(0)
        };
        StrandMesh::new((0..self.vertices).map(point).collect())
    }
}

/// Returns two unit vectors that form a right-handed frame with the unit vector `axis` as the third.
fn normals(axis: Vec3<f64>) -> (Vec3<f64>, Vec3<f64>) {
    // The coordinate axis that is least aligned gives the best-conditioned cross product.
    let [x, y, z] = axis.lane(0).map(f64::abs);
    let helper = match () {
        () if x <= y && x <= z => [1.0, 0.0, 0.0],
        () if y <= z => [0.0, 1.0, 0.0],
        () => [0.0, 0.0, 1.0],
    };
    let side = axis.cross(Vec3::of(helper));
    let side = side.scale(1.0 / side.norm());
    (side, axis.cross(side))
}

impl TryFrom<Strand> for StrandMesh {
    type Error = Error;
    fn try_from(strand: Strand) -> Result<Self, Error> {
        strand.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn a_straight_strand() {
        let strand = Strand::new(11).length(2.0).direction([0.0, -3.0, 0.0]).at([1.0, 5.0, 0.0]);
        let mesh = strand.build().unwrap();
        assert_eq!((mesh.positions.len(), mesh.segments.len()), (11, 10));
        assert_eq!(mesh.positions[10], [1.0, 3.0, 0.0]);
        assert_eq!(mesh.corners, [0, 10]);
        assert!(mesh.lengths().iter().all(|l| (l - 0.2).abs() < 1e-15));
    }

    #[test]
    fn a_helix_has_its_length_and_turns_right_handed() {
        let (radius, pitch, turns) = (0.3, 0.1, 4.0);
        for direction in [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.3, -0.5, 0.8]] {
            let strand = Strand::new(2001).helix(radius, pitch, turns).direction(direction);
            let mesh = strand.build().unwrap();
            let circle = TAU * radius;
            let expected = turns * (circle * circle + pitch * pitch).sqrt();
            let length: f64 = mesh.lengths().iter().sum();
            assert!((length / expected - 1.0).abs() < 1e-4);
            // Position × velocity points along the axis.
            let [p, q] = [0, 1].map(|k| Vec3::<f64>::of(mesh.positions[k]));
            assert!((p.norm() - radius).abs() < 1e-15);
            assert!(p.cross(q - p).dot(Vec3::of(direction)) > 0.0);
        }
    }

    #[test]
    fn impossible_strands_are_refused() {
        let refusal = |strand: Strand| match strand.build() {
            Err(Error::Mesh(error)) => error,
            other => panic!("{other:?}"),
        };
        assert!(matches!(refusal(Strand::new(1)), MeshError::Resolution { found: 1, .. }));
        assert!(matches!(refusal(Strand::new(usize::MAX)), MeshError::TooManyVertices { .. }));
        assert!(matches!(refusal(Strand::new(3).length(0.0)), MeshError::Size { .. }));
        assert!(matches!(refusal(Strand::new(3).direction([0.0; 3])), MeshError::Size { .. }));
        assert!(matches!(refusal(Strand::new(3).helix(1.0, -1.0, 1.0)), MeshError::Size { .. }));
        let twice = StrandMesh::new(vec![[0.0; 3], [1.0; 3], [1.0; 3]]);
        let error = MeshError::DegenerateSegment { segment: 1, length: 0.0 };
        assert_eq!(twice, Err(error.into()));
        assert_eq!(StrandMesh::new(vec![]), Err(MeshError::Empty { vertices: 0, cells: 0 }.into()));
        let mut mesh = Strand::new(3).build().unwrap();
        mesh.segments[1] = [1, 7];
        let error = MeshError::IndexOutOfRange { cell: Cell::Segment(1), vertex: 7, count: 3 };
        assert_eq!(mesh.validate(), Err(error.into()));
    }
}
