//! Surfaces in the vertex order of their files, so that an export matches its import.
//!
//! A simulation needs each vertex once. A textured file stores a vertex twice along a seam, or keeps its
//! texture coordinates in a separate array. A [`Surface`] preserves the file's representation and order; the
//! simulated mesh is derived from it, with a map back.

use std::collections::BTreeMap;

use pliant::math::atan2;
use pliant_scenes::describe::Appearance;
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
    /// Colours and pattern, if the scene sets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub appearance: Option<Appearance>,
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

    /// Indices of texture coordinates of the corners of the [visible triangles](Self::visible_triangles); empty
    /// if there are none.
    pub fn visible_uv_corners(&self, positions: &[[f32; 3]]) -> Vec<[u32; 3]> {
        let Some(uvs) = &self.uvs else { return Vec::new() };
        let pairs = self.triangles.iter().zip(&uvs.corners);
        let shown = |t: &[u32; 3]| !self.may_tear() || !is_collapsed(t, positions);
        pairs.filter(|(t, _)| shown(t)).map(|(_, corners)| *corners).collect()
    }

    /// Sets the appearance. A surface with a pattern and without texture coordinates gets angles around the y
    /// axis through its centre.
    pub fn set_appearance(&mut self, appearance: Option<Appearance>) {
        self.appearance = appearance;
        if self.uvs.is_none() && appearance.is_some_and(|a| a.pattern.is_some()) {
            self.uvs = Some(self.angles());
        }
    }

    /// Texture coordinates from angles about the centre: u from 0 to 1 once around the y axis, v from 0 at the
    /// lowest point to 1 at the highest.
    fn angles(&self) -> Uvs {
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for p in &self.positions {
            for c in 0..3 {
                (low[c], high[c]) = (low[c].min(p[c]), high[c].max(p[c]));
            }
        }
        let center: [f64; 3] = std::array::from_fn(|c| 0.5 * (low[c] + high[c]));
        let half_turn = std::f64::consts::PI;
        let tiny = 1e-9 * (high[1] - low[1]);
        // Without an angle around the axis on the axis itself.
        let uv_of = |p: &[f64; 3]| {
            let [x, y, z] = [0, 1, 2].map(|c| p[c] - center[c]);
            let away = (x * x + z * z).sqrt();
            let u = (away > tiny).then(|| 0.5 + 0.5 * atan2(x, z) / half_turn);
            (u, 0.5 + atan2(y, away) / half_turn)
        };
        let at: Vec<(Option<f64>, f64)> = self.positions.iter().map(uv_of).collect();
        let mut uvs = Uvs::default();
        for triangle in &self.triangles {
            let corners = triangle.map(|v| at[v as usize]);
            let around = || corners.iter().filter_map(|(u, _)| *u);
            let most = around().fold(0.0, f64::max);
            // A triangle across the seam continues beyond 1.
            let unwrap = |u: f64| if most - u > 0.5 { u + 1.0 } else { u };
            let count = around().count().max(1) as f64;
            let mean = around().map(unwrap).sum::<f64>() / count;
            let first = uvs.values.len() as u32;
            uvs.values.extend(corners.map(|(u, v)| [u.map_or(mean, unwrap), v]));
            uvs.corners.push([first, first + 1, first + 2]);
        }
        uvs.merge_equal();
        uvs
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
        let (name, appearance) = (self.name.clone(), self.appearance);
        let mut torn = Self { name, appearance, ..Self::default() };
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

impl Uvs {
    /// Merges equal coordinates.
    fn merge_equal(&mut self) {
        let mut numbers = BTreeMap::new();
        let mut merged = Vec::new();
        let mut number = |uv: [f64; 2]| {
            *numbers.entry(uv.map(f64::to_bits)).or_insert_with(|| {
                merged.push(uv);
                merged.len() as u32 - 1
            })
        };
        for corners in &mut self.corners {
            *corners = corners.map(|k| number(self.values[k as usize]));
        }
        self.values = merged;
    }
}

/// A named set of triangles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Name in the file.
    pub name: String,
    /// Triangle indices, ascending.
    pub triangles: Vec<u32>,
}
