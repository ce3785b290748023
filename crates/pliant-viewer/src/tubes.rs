//! Threads and ropes as surfaces: a tube around each segment.

use glam::{Vec3, vec3};

/// Number of sides of a tube's cross-section.
const SIDES: usize = 6;

/// Tubes around the segments of a body: fixed topology, positions updated with every frame.
#[derive(Clone, Debug, Default)]
pub struct Tubes {
    /// The segments, by drawn vertices.
    segments: Vec<[u32; 2]>,
    /// Radius of the tubes \[m\].
    radius: f32,
    /// Index of their first vertex in the picture.
    first_vertex: u32,
}

impl Tubes {
    /// Tubes around segments, whose vertices start at index `first`.
    pub fn new(segments: &[[u32; 2]], thickness: f32, first: u32) -> Self {
        Self { segments: segments.to_vec(), radius: 0.5 * thickness.max(1e-6), first_vertex: first }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        2 * SIDES * self.segments.len()
    }

    /// Triangles, by vertices of the picture.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let n = SIDES as u32;
        let mut triangles = Vec::with_capacity(2 * SIDES * self.segments.len());
        for k in 0..self.segments.len() as u32 {
            let base = self.first_vertex + 2 * n * k;
            for i in 0..n {
                let j = (i + 1) % n;
                triangles.push([base + i, base + j, base + n + j]);
                triangles.push([base + i, base + n + j, base + n + i]);
            }
        }
        triangles
    }

    /// Appends vertices and normals of the tubes, given the positions of the `drawn` vertices.
    pub fn extend(&self, drawn: usize, positions: &mut Vec<[f32; 3]>, normals: &mut Vec<[f32; 3]>) {
        let mut tangents = vec![vec3(0.0, 0.0, 0.0); drawn];
        let direction = |positions: &[[f32; 3]], [a, b]: [u32; 2]| {
            let at = |v: u32| positions.get(v as usize).copied().map_or(ZERO, Vec3::from);
            let d = at(b) - at(a);
            if d.length_squared() > 0.0 { d.normalize() } else { UP }
        };
        for &segment in &self.segments {
            let d = direction(positions, segment);
            for v in segment {
                if let Some(tangent) = tangents.get_mut(v as usize) {
                    *tangent += d;
                }
            }
        }
        for &segment in &self.segments {
            let d = direction(positions, segment);
            let across = if d.y.abs() < 0.9 { UP } else { vec3(1.0, 0.0, 0.0) };
            for v in segment {
                let place = positions.get(v as usize).copied().map_or(ZERO, Vec3::from);
                let mean = tangents.get(v as usize).copied().unwrap_or(d);
                let t = if mean.length_squared() > 1e-6 { mean.normalize() } else { d };
                let right = t.cross(across).normalize();
                let up = right.cross(t);
                for k in 0..SIDES {
                    let (sin, cos) = (std::f32::consts::TAU * k as f32 / SIDES as f32).sin_cos();
                    let n = right * cos + up * sin;
                    positions.push((place + n * self.radius).into());
                    normals.push(n.into());
                }
            }
        }
    }
}

const ZERO: Vec3 = Vec3::new(0.0, 0.0, 0.0);
const UP: Vec3 = Vec3::new(0.0, 1.0, 0.0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tube_lies_around_its_segments() {
        let tubes = Tubes::new(&[[0, 1], [1, 2]], 0.2, 3);
        let mut positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
        let mut normals = vec![[0.0; 3]; 3];
        tubes.extend(3, &mut positions, &mut normals);
        assert_eq!(positions.len(), 3 + tubes.vertex_count());
        assert_eq!(normals.len(), positions.len());
        for p in &positions[3..] {
            assert!((p[1].hypot(p[2]) - 0.1).abs() < 1e-5, "{p:?}");
        }
        let largest = tubes.triangles().iter().flatten().copied().max();
        assert_eq!(largest, Some(positions.len() as u32 - 1));
    }
}
