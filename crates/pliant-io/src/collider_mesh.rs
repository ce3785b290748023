//! Render and export geometry of colliders.

use pliant::Model;
use pliant::contact::Collider;
use pliant::math::Vec3;
use pliant::mesh::{TriMesh, topology};
use serde::{Deserialize, Serialize};

use crate::surface::Surface;

/// Extent of the drawn part of a plane, relative to the size of the rest of the scene.
const PLANE_EXTENT: f64 = 1.2;
/// Cosine of 40 degrees: edges with a larger dihedral bend are drawn as creases.
const CREASE_COSINE: f64 = 0.766;

/// Triangle mesh of a collider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColliderMesh {
    /// Triangles with their initial positions \[m\].
    pub surface: Surface,
    /// True if the collider is static: all its frames are equal.
    pub still: bool,
    /// True for the drawn part of an infinite plane, which is not exported.
    #[serde(rename = "endless")]
    pub infinite: bool,
    /// True if the mesh is drawn without edges.
    pub round: bool,
    /// True if only one side of the mesh can ever be visible.
    pub closed: bool,
}

impl ColliderMesh {
    /// Meshes of all colliders of a model.
    pub fn of_model(model: &Model) -> Vec<Self> {
        let (center, size) = middle(model);
        model.colliders().iter().map(|c| Self::of(c, center, size)).collect()
    }

    fn of(collider: &Collider, center: Vec3<f64>, size: f64) -> Self {
        let pose = collider.pose(0.0);
        let mut mesh = collider.shape().surface_mesh(PLANE_EXTENT * size);
        let infinite = !collider.shape().is_finite();
        if infinite {
            // Centres the drawn part near the bodies.
            let place = pose.inverse_transform_point(center);
            let on_it = match collider.shape().nearest(place, 0.0) {
                Some(near) => place - near.normal.scale(near.distance),
                None => place,
            };
            for p in &mut mesh.positions {
                *p = list(Vec3::of(*p) + on_it);
            }
        }
        let round = collider.shape().is_round() || !has_creases(&mesh);
        let closed = topology::boundary_edges(&mesh).is_empty();
        let positions =
            mesh.positions.iter().map(|p| list(pose.transform_point(Vec3::of(*p)))).collect();
        let surface = Surface {
            name: collider.name().to_owned(),
            positions,
            triangles: mesh.triangles,
            ..Surface::default()
        };
        Self { surface, still: !collider.is_moving(), infinite, round, closed }
    }

    /// Computes the vertex positions at a time \[s\].
    pub(crate) fn positions(&self, collider: &Collider, time: f64, out: &mut Vec<[f32; 3]>) {
        let (from, to) = (collider.pose(0.0), collider.pose(time));
        out.clear();
        out.extend(self.surface.positions.iter().map(|p| {
            let moved = if self.still {
                *p
            } else {
                list(to.transform_point(from.inverse_transform_point(Vec3::of(*p))))
            };
            moved.map(|c| c as f32)
        }));
    }

    /// Height of the ground \[m\] if this is a level, static ground plane.
    pub fn ground(&self) -> Option<f64> {
        let [a, b, c] = (*self.surface.triangles.first()?)
            .map(|v| Vec3::<f64>::of(self.surface.positions[v as usize]));
        let normal = (b - a).cross(c - a);
        let level = normal.y > 0.999_999 * normal.norm();
        (self.infinite && self.still && level).then_some(a.y)
    }
}

fn list(p: Vec3<f64>) -> [f64; 3] {
    [p.x, p.y, p.z]
}

/// Centre and size \[m\] of the bounding box of all bodies and bounded colliders.
fn middle(model: &Model) -> (Vec3<f64>, f64) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let mut add = |p: [f64; 3]| {
        for c in 0..3 {
            (low[c], high[c]) = (low[c].min(p[c]), high[c].max(p[c]));
        }
    };
    model.start_positions().iter().for_each(|p| add(*p));
    for collider in model.colliders().iter().filter(|c| c.shape().is_finite()) {
        let pose = collider.pose(0.0);
        for p in collider.shape().surface_mesh(1.0).positions {
            add(list(pose.transform_point(Vec3::of(p))));
        }
    }
    let [low, high] = [Vec3::<f64>::of(low), Vec3::<f64>::of(high)];
    ((low + high).scale(0.5), (high - low).norm())
}

fn has_creases(mesh: &TriMesh) -> bool {
    let at = |v: u32| Vec3::<f64>::of(mesh.positions[v as usize]);
    let normal = |&[a, b, c]: &[u32; 3]| {
        let n = (at(b) - at(a)).cross(at(c) - at(a));
        let length: f64 = n.norm();
        if length > 0.0 { n.scale(1.0 / length) } else { n }
    };
    let mut sides: Vec<([u32; 2], usize)> = Vec::new();
    for (t, &[a, b, c]) in mesh.triangles.iter().enumerate() {
        sides.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], t)));
    }
    sides.sort_unstable();
    let faces: Vec<Vec3<f64>> = mesh.triangles.iter().map(normal).collect();
    sides
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .any(|pair| faces[pair[0].1].dot(faces[pair[1].1]) < CREASE_COSINE)
}
