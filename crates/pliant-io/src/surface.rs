//! Surfaces in the vertex order of their files, so that an export matches its import.
//!
//! A simulation needs each vertex once. A textured file stores a vertex twice along a seam, or keeps its
//! texture coordinates in a separate array. A [`Surface`] preserves the file's representation and order; the
//! simulated mesh is derived from it, with a map back.

use serde::{Deserialize, Serialize};

/// Triangles as the file lists them, with all attributes that an export preserves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Name of the object in the file; may be empty.
    pub name: String,
    /// Position of each vertex \[m\], in file order.
    pub positions: Vec<[f64; 3]>,
    /// Vertices of each triangle; polygons of the file are triangulated as fans.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates, if the file has them.
    pub uvs: Option<Uvs>,
    /// Named subsets: groups or materials of the file.
    pub groups: Vec<Group>,
    /// Original vertex of each vertex, for a surface that may tear, which has one vertex per triangle corner.
    /// Vertices with the same original and the same position are one vertex. Empty if the surface cannot tear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub welds: Vec<u32>,
}

impl Surface {
    /// True if the vertices may separate.
    pub fn may_tear(&self) -> bool {
        !self.welds.is_empty()
    }

    /// Maps each vertex to the first vertex merged with it, at these positions \[m\].
    pub fn weld_map(&self, positions: &[[f32; 3]]) -> Vec<u32> {
        let mut first: Vec<u32> = (0..positions.len() as u32).collect();
        let key = |v: u32| (self.welds[v as usize], positions[v as usize].map(f32::to_bits));
        if self.may_tear() {
            let mut order = first.clone();
            order.sort_unstable_by_key(|&v| (key(v), v));
            for group in order.chunk_by(|&a, &b| key(a) == key(b)) {
                group.iter().for_each(|&v| first[v as usize] = group[0]);
            }
        }
        first
    }

    /// Triangles with merged vertices, without removed triangles. A removed triangle of a surface that may tear
    /// is collapsed to a point.
    pub fn visible_triangles(&self, positions: &[[f32; 3]]) -> Vec<[u32; 3]> {
        if !self.may_tear() {
            return self.triangles.clone();
        }
        let first = self.weld_map(positions);
        let here = self.triangles.iter().filter(|t| !is_collapsed(t, positions));
        here.map(|t| t.map(|v| first[v as usize])).collect()
    }

    /// All triangles with merged vertices, and the positions \[m\] of the vertices that remain.
    pub fn compacted(&self, positions: &[[f32; 3]]) -> (Vec<[u32; 3]>, Vec<[f32; 3]>) {
        let first = self.weld_map(positions);
        let mut place = vec![0; positions.len()];
        let mut kept = Vec::new();
        for (v, &joint) in first.iter().enumerate() {
            if joint as usize == v {
                place[v] = kept.len() as u32;
                kept.push(positions[v]);
            }
        }
        let number = |v: u32| place[first[v as usize] as usize];
        (self.triangles.iter().map(|t| t.map(number)).collect(), kept)
    }

    /// The surface with its tears at these positions \[m\], and the positions of its vertices: split where the
    /// vertices separated, merged elsewhere.
    pub fn as_torn(&self, positions: &[[f32; 3]]) -> (Self, Vec<[f32; 3]>) {
        if !self.may_tear() {
            return (self.clone(), positions.to_vec());
        }
        let (triangles, kept) = self.compacted(positions);
        let mut number = vec![None; self.triangles.len()];
        let mut torn = Self { name: self.name.clone(), ..Self::default() };
        torn.positions = kept.iter().map(|p| p.map(f64::from)).collect();
        let mut corners = Vec::new();
        for (t, triangle) in self.triangles.iter().enumerate() {
            if is_collapsed(triangle, positions) {
                continue;
            }
            number[t] = Some(torn.triangles.len() as u32);
            torn.triangles.push(triangles[t]);
            corners.extend(self.uvs.as_ref().map(|uvs| uvs.corners[t]));
        }
        torn.uvs = self.uvs.as_ref().map(|uvs| Uvs { values: uvs.values.clone(), corners });
        let group = |g: &Group| {
            let triangles = g.triangles.iter().filter_map(|&t| number[t as usize]).collect();
            Group { name: g.name.clone(), triangles }
        };
        torn.groups = self.groups.iter().map(group).collect();
        (torn, kept)
    }
}

/// True if all corners of a triangle coincide.
fn is_collapsed(triangle: &[u32; 3], positions: &[[f32; 3]]) -> bool {
    let [a, b, c] = triangle.map(|v| positions[v as usize].map(f32::to_bits));
    a == b && b == c
}

/// Texture coordinates with separate indices: a seam vertex has several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Uvs {
    /// Texture coordinates.
    pub values: Vec<[f64; 2]>,
    /// Coordinate index of each triangle corner.
    pub corners: Vec<[u32; 3]>,
}

/// A named set of triangles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Name in the file.
    pub name: String,
    /// Triangle indices, ascending.
    pub triangles: Vec<u32>,
}
