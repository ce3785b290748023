//! Conversion of simulation data to surfaces: the topology is built once, the vertices with every frame.

use std::sync::Arc;

use pliant_session::protocol::{BodyKind, RenderBody};

use crate::graphics::frame_data::{SurfaceColors, SurfacePart, Topology, VertexData};
use crate::tubes::Tubes;
use crate::{normals, theme};

/// Builder of drawn geometry, valid until something tears or is thrown in.
#[derive(Default)]
pub struct MeshBuilder {
    /// Topology of the bodies.
    pub topology: Arc<Topology>,
    /// Number of drawn vertices, without those of tubes.
    pub vertex_count: usize,
    tubes: Vec<Tubes>,
    /// For each drawn vertex, the first at the same position: both share one normal.
    welds: Vec<u32>,
    /// All triangles by these vertices.
    welded_triangles: Vec<[u32; 3]>,
}

impl MeshBuilder {
    /// Creates a builder for bodies; `revision` is different for every builder. Threads thinner than
    /// `thinnest` \[m\] are drawn with that thickness, because a thread of less than a pixel breaks into
    /// pieces.
    pub fn new(bodies: &[RenderBody], thinnest: f32, revision: u64) -> Self {
        let (mut parts, mut tubes) = (Vec::new(), Vec::new());
        let drawn =
            bodies.iter().map(|b| (b.first_vertex + b.vertex_count) as usize).max().unwrap_or(0);
        let mut welds: Vec<u32> = (0..drawn as u32).collect();
        let mut next = drawn as u32;
        for (k, body) in bodies.iter().enumerate() {
            let mut triangles = body.triangles.clone();
            if triangles.is_empty() && !body.segments.is_empty() {
                let tube = Tubes::new(&body.segments, body.thickness.max(thinnest), next);
                next += tube.vertex_count() as u32;
                triangles = tube.triangles();
                tubes.push(tube);
            }
            for (i, &weld) in body.welds.iter().enumerate() {
                if let Some(slot) = welds.get_mut(body.first_vertex as usize + i) {
                    *slot = weld.min(drawn as u32 - 1);
                }
            }
            parts.push(SurfacePart { triangles, colors: surface_colors(body, k) });
        }
        let join = |t: &[u32; 3]| t.map(|v| welds.get(v as usize).copied().unwrap_or(v));
        let joined = bodies.iter().flat_map(|b| &b.triangles).map(join).collect();
        Self {
            topology: Arc::new(Topology { revision, parts, uvs: uvs(bodies, next) }),
            vertex_count: drawn,
            tubes,
            welds,
            welded_triangles: joined,
        }
    }

    /// Vertex data for these coordinates \[m\]; `revision` is different for every call.
    pub fn vertex_data(
        &self,
        coordinates: &[f32],
        mut strain: Vec<f32>,
        revision: u64,
    ) -> Arc<VertexData> {
        let mut positions = coordinates.as_chunks::<3>().0.to_vec();
        positions.resize(self.vertex_count, [0.0; 3]);
        let mut normals = Vec::new();
        normals::smooth(&positions, &self.welded_triangles, &mut normals);
        for (v, &weld) in self.welds.iter().enumerate() {
            normals[v] = normals[weld as usize];
        }
        for tubes in &self.tubes {
            tubes.extend(self.vertex_count, &mut positions, &mut normals);
        }
        strain.resize(positions.len(), 0.0);
        Arc::new(VertexData { revision, positions, normals, strain })
    }
}

/// Texture coordinates of `count` drawn vertices; empty if no body has a pattern.
fn uvs(bodies: &[RenderBody], count: u32) -> Vec<[f32; 2]> {
    let mut uvs = Vec::new();
    for body in bodies.iter().filter(|body| body.appearance.pattern.is_some()) {
        uvs.resize(count as usize, [0.0; 2]);
        let first = body.first_vertex as usize;
        for (to, uv) in uvs[first.min(count as usize)..].iter_mut().zip(&body.uvs) {
            *to = *uv;
        }
    }
    uvs
}

/// Colours of a body: those of the scene, or the palette in turn.
fn surface_colors(body: &RenderBody, k: usize) -> SurfaceColors {
    let own = &body.appearance;
    let colors = palette_colors(body, k);
    SurfaceColors {
        front: own.color.unwrap_or(colors.front),
        back: own.back.or(own.color).unwrap_or(colors.back),
        pattern: own.pattern,
        ..colors
    }
}

/// Colours of a body for which the scene sets none.
fn palette_colors(body: &RenderBody, k: usize) -> SurfaceColors {
    let front = theme::BODIES[k % theme::BODIES.len()];
    let plain = SurfaceColors {
        front,
        back: front,
        gloss: 0.6,
        translucency: 0.0,
        shows_strain: true,
        pattern: None,
    };
    match body.kind {
        BodyKind::Cloth | BodyKind::Springs => {
            SurfaceColors { back: theme::back_of(front), gloss: 0.35, translucency: 1.0, ..plain }
        }
        BodyKind::Solid | BodyKind::Strand => plain,
        BodyKind::Rigid => {
            let front = theme::HONEY;
            SurfaceColors { front, back: front, gloss: 1.0, shows_strain: false, ..plain }
        }
        BodyKind::Animated => {
            SurfaceColors { front: theme::STONE, back: theme::STONE, shows_strain: false, ..plain }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strands_become_tubes_that_are_not_picked() {
        let strand = RenderBody {
            kind: BodyKind::Strand,
            vertex_count: 4,
            segments: vec![[0, 1], [1, 2], [2, 3]],
            thickness: 0.01,
            ..RenderBody::default()
        };
        let builder = MeshBuilder::new(&[strand], 0.0, 1);
        let places = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let shape = builder.vertex_data(&places, vec![0.1; 4], 2);
        assert_eq!(builder.vertex_count, 4);
        assert!(shape.positions.len() > 4);
        assert_eq!(shape.positions.len(), shape.strain.len());
        assert_eq!(shape.positions.len(), shape.normals.len());
    }

    #[test]
    fn both_sides_of_a_seam_have_one_normal() {
        let body = RenderBody {
            vertex_count: 6,
            triangles: vec![[0, 1, 2], [3, 5, 4]],
            welds: vec![0, 1, 2, 0, 1, 5],
            ..RenderBody::default()
        };
        let places = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
        ];
        let shape =
            MeshBuilder::new(&[body], 0.0, 1).vertex_data(places.as_flattened(), Vec::new(), 2);
        assert_eq!(shape.normals[0], shape.normals[3]);
        assert_eq!(shape.normals[1], shape.normals[4]);
        assert!(shape.normals[0] != shape.normals[2]);
    }
}
