//! A surface as its file holds it: what comes in is what goes out.
//!
//! Simulation wants every vertex once; a textured file has a vertex twice along a seam, or keeps the
//! texture in an array of its own. A [`Surface`] is the file's view, in the file's order. What is
//! simulated is made from it, with a map back.

use serde::{Deserialize, Serialize};

/// Triangles as a file lists them, with all that must survive a simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// The object's name in the file; may be empty.
    pub name: String,
    /// Where each vertex is \[m\], in the order of the file.
    pub positions: Vec<[f64; 3]>,
    /// The three vertices of each triangle; polygons of the file were cut into fans.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates, if the file has them.
    pub uvs: Option<Uvs>,
    /// Named parts: the groups or materials of the file.
    pub groups: Vec<Group>,
    /// Of a surface that may tear, which has a vertex for each corner of each triangle: the number of the
    /// vertex that each began as. Those of one number are one vertex where they are in one place. Empty
    /// where each vertex is its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub welds: Vec<u32>,
}

impl Surface {
    /// Whether its vertices may come apart.
    pub fn may_tear(&self) -> bool {
        !self.welds.is_empty()
    }

    /// For each vertex the first that is one with it, where they are at these places \[m\].
    pub fn joined(&self, positions: &[[f32; 3]]) -> Vec<u32> {
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

    /// Its triangles with vertices joined where they are one, without those that are gone: of a surface that
    /// may tear, triangles drawn together in a point.
    pub fn drawn(&self, positions: &[[f32; 3]]) -> Vec<[u32; 3]> {
        if !self.may_tear() {
            return self.triangles.clone();
        }
        let first = self.joined(positions);
        let here = self.triangles.iter().filter(|t| !is_gone(t, positions));
        here.map(|t| t.map(|v| first[v as usize])).collect()
    }

    /// All its triangles with vertices joined where they are one, and the vertices that they then have, at
    /// these places \[m\].
    pub fn compacted(&self, positions: &[[f32; 3]]) -> (Vec<[u32; 3]>, Vec<[f32; 3]>) {
        let first = self.joined(positions);
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

    /// The surface as it is where its vertices are at these places \[m\], and those that it then has: torn
    /// where they came apart, joined elsewhere.
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
            if is_gone(triangle, positions) {
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

/// Whether a triangle is drawn together in a point.
fn is_gone(triangle: &[u32; 3], positions: &[[f32; 3]]) -> bool {
    let [a, b, c] = triangle.map(|v| positions[v as usize].map(f32::to_bits));
    a == b && b == c
}

/// Texture coordinates with indices of their own: a vertex on a seam has several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Uvs {
    /// The coordinates.
    pub values: Vec<[f64; 2]>,
    /// For each triangle, the coordinate of each corner.
    pub corners: Vec<[u32; 3]>,
}

/// A named set of triangles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its name in the file.
    pub name: String,
    /// The triangles, ascending.
    pub triangles: Vec<u32>,
}
