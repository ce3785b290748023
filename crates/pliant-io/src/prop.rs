//! What is drawn and exported of a collider.

use pliant::Model;
use pliant::contact::Collider;
use pliant::math::Vec3;
use pliant::mesh::{TriMesh, topology};
use serde::{Deserialize, Serialize};

use crate::surface::Surface;

/// How far the drawn part of a plane reaches, in parts of the size of everything else.
const PLANE: f64 = 1.2;
/// Edges that bend more than this show as edges: the cosine of 40 degrees.
const CREASE: f64 = 0.766;

/// The triangles of a collider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prop {
    /// The triangles, where they are at the start \[m\].
    pub surface: Surface,
    /// Whether it stands still: its frames are all the same.
    pub still: bool,
    /// Whether it is part of a plane without end: drawn, but not exported.
    pub endless: bool,
    /// Whether it is drawn without edges.
    pub round: bool,
    /// Whether only one of its sides can ever be seen.
    pub closed: bool,
}

impl Prop {
    /// What is shown of each collider of a model.
    pub fn of_model(model: &Model) -> Vec<Self> {
        let (center, size) = middle(model);
        model.colliders().iter().map(|c| Self::of(c, center, size)).collect()
    }

    fn of(collider: &Collider, center: Vec3<f64>, size: f64) -> Self {
        let pose = collider.pose(0.0);
        let mut mesh = collider.shape().surface_mesh(PLANE * size);
        let endless = !collider.shape().is_finite();
        if endless {
            // The part that is near the bodies.
            let place = pose.local(center);
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
        let positions = mesh.positions.iter().map(|p| list(pose.place(Vec3::of(*p)))).collect();
        let surface = Surface {
            name: collider.name().to_owned(),
            positions,
            triangles: mesh.triangles,
            ..Surface::default()
        };
        Self { surface, still: !collider.moves(), endless, round, closed }
    }

    /// Where its vertices are at a time \[s\].
    pub(crate) fn positions(&self, collider: &Collider, time: f64, out: &mut Vec<[f32; 3]>) {
        let (from, to) = (collider.pose(0.0), collider.pose(time));
        out.clear();
        out.extend(self.surface.positions.iter().map(|p| {
            let moved = if self.still { *p } else { list(to.place(from.local(Vec3::of(*p)))) };
            moved.map(|c| c as f32)
        }));
    }

    /// The height of the ground, where it is level ground that stands still \[m\].
    pub fn ground(&self) -> Option<f64> {
        let [a, b, c] = (*self.surface.triangles.first()?)
            .map(|v| Vec3::<f64>::of(self.surface.positions[v as usize]));
        let normal = (b - a).cross(c - a);
        let level = normal.y > 0.999_999 * normal.norm();
        (self.endless && self.still && level).then_some(a.y)
    }
}

fn list(p: Vec3<f64>) -> [f64; 3] {
    [p.x, p.y, p.z]
}

/// The middle of the bodies and colliders that end somewhere, and the size of the box around them \[m\].
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
            add(list(pose.place(Vec3::of(p))));
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
        .any(|pair| faces[pair[0].1].dot(faces[pair[1].1]) < CREASE)
}
