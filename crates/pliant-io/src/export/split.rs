//! Vertices split along texture seams, and triangles sorted by group, as glTF requires.

use std::collections::BTreeMap;

use crate::Surface;

/// A surface with exactly one texture coordinate per vertex.
pub(crate) struct UvSplit {
    /// Source vertex of each vertex. The surface's own vertices come first.
    pub source: Vec<u32>,
    /// Texture coordinate of each vertex.
    pub uvs: Option<Vec<[f32; 2]>>,
    /// Triangles by group, each with its name; `None` for triangles without a group.
    pub parts: Vec<(Option<String>, Vec<[u32; 3]>)>,
}

impl UvSplit {
    pub(crate) fn of(surface: &Surface) -> Self {
        let mut source: Vec<u32> = (0..surface.positions.len() as u32).collect();
        let mut triangles = surface.triangles.clone();
        let uvs = surface.uvs.as_ref().map(|uvs| {
            let mut values: Vec<Option<u32>> = vec![None; source.len()];
            let mut twins: BTreeMap<(u32, u32), u32> = BTreeMap::new();
            for (triangle, corners) in triangles.iter_mut().zip(&uvs.corners) {
                for (vertex, &uv) in triangle.iter_mut().zip(corners) {
                    let own = &mut values[*vertex as usize];
                    if own.is_none_or(|known| known == uv) {
                        *own = Some(uv);
                        continue;
                    }
                    // A different texture coordinate at the same position requires a separate vertex.
                    *vertex = *twins.entry((*vertex, uv)).or_insert_with(|| {
                        source.push(*vertex);
                        values.push(Some(uv));
                        source.len() as u32 - 1
                    });
                }
            }
            // glTF measures v from the top.
            let flip = |[u, v]: [f64; 2]| [u as f32, (1.0 - v) as f32];
            values.iter().map(|k| k.map_or([0.0; 2], |k| flip(uvs.values[k as usize]))).collect()
        });
        Self { source, uvs, parts: parts(surface, &triangles) }
    }
}

/// Partitions the triangles by group; a triangle in several groups joins the first.
fn parts(surface: &Surface, triangles: &[[u32; 3]]) -> Vec<(Option<String>, Vec<[u32; 3]>)> {
    let none = surface.groups.len();
    let mut group_of = vec![none; triangles.len()];
    for (g, group) in surface.groups.iter().enumerate().rev() {
        group.triangles.iter().for_each(|t| group_of[*t as usize] = g);
    }
    let names = surface.groups.iter().map(|g| Some(g.name.clone())).chain([None]);
    let mut parts: Vec<_> = names.map(|name| (name, Vec::new())).collect();
    for (triangle, g) in triangles.iter().zip(group_of) {
        parts[g].1.push(*triangle);
    }
    parts.retain(|(_, triangles)| !triangles.is_empty());
    parts
}

/// Unit vertex normals: the area-weighted sum over triangles.
pub(crate) fn normals(positions: &[[f32; 3]], triangles: &[[u32; 3]], out: &mut Vec<[f32; 3]>) {
    out.clear();
    out.resize(positions.len(), [0.0; 3]);
    for t in triangles {
        let [a, b, c] = t.map(|v| positions[v as usize]);
        let d: [f32; 3] = std::array::from_fn(|k| b[k] - a[k]);
        let e: [f32; 3] = std::array::from_fn(|k| c[k] - a[k]);
        let n = [d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]];
        for &v in t {
            (0..3).for_each(|k| out[v as usize][k] += n[k]);
        }
    }
    for n in out {
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        // Vertices without area get a unit normal too, which validators require.
        *n = if length > 1e-30 { n.map(|c| c / length) } else { [0.0, 1.0, 0.0] };
    }
}
