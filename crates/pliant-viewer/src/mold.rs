//! How numbers from the simulation become surfaces: made once of the bodies, filled with every frame.

use std::sync::Arc;

use pliant_session::protocol::{BodyKind, DrawnBody};

use crate::graphics::shot::{Coat, Part, Shape, Topology};
use crate::tubes::Tubes;
use crate::{normals, theme};

/// What is drawn of bodies until something tears or is thrown in.
#[derive(Default)]
pub struct Mold {
    /// What bodies are made of.
    pub topology: Arc<Topology>,
    /// Drawn vertices, without those that only tubes have.
    pub drawn: usize,
    tubes: Vec<Tubes>,
    /// Of each drawn vertex the first at the same place: both have one normal.
    welds: Vec<u32>,
    /// All triangles by these.
    joined: Vec<[u32; 3]>,
}

impl Mold {
    /// A mold of bodies; `stamp` is another for every one. What is thinner than `thinnest` \[m\] is drawn
    /// that thick: a thread of less than a pixel falls to pieces.
    pub fn new(bodies: &[DrawnBody], thinnest: f32, stamp: u64) -> Self {
        let (mut parts, mut tubes) = (Vec::new(), Vec::new());
        let drawn = bodies.iter().map(|b| (b.first + b.count) as usize).max().unwrap_or(0);
        let mut welds: Vec<u32> = (0..drawn as u32).collect();
        let mut next = drawn as u32;
        for (k, body) in bodies.iter().enumerate() {
            let mut triangles = body.triangles.clone();
            if triangles.is_empty() && !body.segments.is_empty() {
                let tube = Tubes::new(&body.segments, body.thickness.max(thinnest), next);
                next += tube.vertices() as u32;
                triangles = tube.triangles();
                tubes.push(tube);
            }
            for (i, &weld) in body.welds.iter().enumerate() {
                if let Some(slot) = welds.get_mut(body.first as usize + i) {
                    *slot = weld.min(drawn as u32 - 1);
                }
            }
            parts.push(Part { triangles, coat: coat_of(body, k) });
        }
        let join = |t: &[u32; 3]| t.map(|v| welds.get(v as usize).copied().unwrap_or(v));
        let joined = bodies.iter().flat_map(|b| &b.triangles).map(join).collect();
        Self { topology: Arc::new(Topology { stamp, parts }), drawn, tubes, welds, joined }
    }

    /// The surfaces where vertices are at these coordinates \[m\]; `stamp` is another for every shape.
    pub fn shape(&self, coordinates: &[f32], mut strain: Vec<f32>, stamp: u64) -> Arc<Shape> {
        let mut positions = coordinates.as_chunks::<3>().0.to_vec();
        positions.resize(self.drawn, [0.0; 3]);
        let mut normals = Vec::new();
        normals::smooth(&positions, &self.joined, &mut normals);
        for (v, &weld) in self.welds.iter().enumerate() {
            normals[v] = normals[weld as usize];
        }
        for tubes in &self.tubes {
            tubes.extend(self.drawn, &mut positions, &mut normals);
        }
        strain.resize(positions.len(), 0.0);
        Arc::new(Shape { stamp, positions, normals, strain })
    }
}

/// How a body looks; bodies take turns with the colours.
fn coat_of(body: &DrawnBody, k: usize) -> Coat {
    let front = theme::BODIES[k % theme::BODIES.len()];
    let plain = Coat { front, back: front, gloss: 0.6, thin: 0.0, strained: true };
    match body.kind {
        BodyKind::Cloth | BodyKind::Springs => {
            Coat { back: theme::back_of(front), gloss: 0.35, thin: 1.0, ..plain }
        }
        BodyKind::Solid | BodyKind::Strand => plain,
        BodyKind::Rigid => {
            let front = theme::HONEY;
            Coat { front, back: front, gloss: 1.0, strained: false, ..plain }
        }
        BodyKind::Animated => {
            Coat { front: theme::STONE, back: theme::STONE, strained: false, ..plain }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strands_become_tubes_that_are_not_picked() {
        let strand = DrawnBody {
            kind: BodyKind::Strand,
            count: 4,
            segments: vec![[0, 1], [1, 2], [2, 3]],
            thickness: 0.01,
            ..DrawnBody::default()
        };
        let mold = Mold::new(&[strand], 0.0, 1);
        let places = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0];
        let shape = mold.shape(&places, vec![0.1; 4], 2);
        assert_eq!(mold.drawn, 4);
        assert!(shape.positions.len() > 4);
        assert_eq!(shape.positions.len(), shape.strain.len());
        assert_eq!(shape.positions.len(), shape.normals.len());
    }

    #[test]
    fn both_sides_of_a_seam_have_one_normal() {
        let body = DrawnBody {
            count: 6,
            triangles: vec![[0, 1, 2], [3, 5, 4]],
            welds: vec![0, 1, 2, 0, 1, 5],
            ..DrawnBody::default()
        };
        let places = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0],
        ];
        let shape = Mold::new(&[body], 0.0, 1).shape(places.as_flattened(), Vec::new(), 2);
        assert_eq!(shape.normals[0], shape.normals[3]);
        assert_eq!(shape.normals[1], shape.normals[4]);
        assert!(shape.normals[0] != shape.normals[2]);
    }
}
