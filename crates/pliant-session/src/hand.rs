//! The hand: which vertices follow the pointer, and where they go in the next step.
//!
//! What is grabbed is held like a pin that moves, so it is at the pointer at the end of every step under
//! every solver. A pointer that jumps is followed over a few steps: no solver should have to stretch a
//! cloth to many times its size in one.

use std::collections::VecDeque;

use pliant::Simulation;

/// How far a held vertex moves in one step at most, in parts of the size of the scene.
const STRIDE: f64 = 0.2;

/// What the user has in the hand.
#[derive(Clone, Debug)]
pub(crate) struct Hand {
    /// The drawn vertex.
    pub drawn: u32,
    /// The vertices that are held, by the whole model's numbers.
    pub vertices: Vec<u32>,
    /// Where each is from the pointer \[m\].
    offsets: Vec<[f64; 3]>,
    /// Where the pointer is \[m\].
    pub pointer: [f64; 3],
}

impl Hand {
    /// Takes a drawn vertex, which is at a place \[m\] and moved by a vertex of the present model. Says in
    /// words where that cannot be.
    pub fn new(
        sim: &Simulation,
        drawn: u32,
        place: [f64; 3],
        vertex: u32,
        pointer: [f64; 3],
    ) -> Result<Self, String> {
        let model = sim.model();
        let Some(body) = model.body_of(vertex as usize).map(|b| &model.bodies()[b]) else {
            return Err("there is no such vertex to take; point at a body".to_owned());
        };
        let moved = |v: usize| model.pins().iter().any(|p| p.vertex == v);
        let told = body.vertices.len() > 1 && body.vertices.clone().all(moved);
        if told && body.carried.is_none() {
            return Err(format!("{} moves as it is told; take another body", body.name));
        }
        // A rigid body is held as a whole: it neither bends nor turns in the hand.
        let present: Vec<usize> = match &body.carried {
            Some(_) => body.vertices.clone().collect(),
            None => vec![unsplit(sim, vertex as usize)],
        };
        let x = &sim.state().positions;
        let offset = |&v: &usize| [0, 1, 2].map(|c| f64::from(x[v][c]) - place[c]);
        Ok(Self {
            drawn,
            offsets: present.iter().map(offset).collect(),
            vertices: present.iter().map(|&v| sim.origin(v) as u32).collect(),
            pointer,
        })
    }

    /// Where the held vertices go in the next step \[m\]; none where they are there already.
    pub fn targets(&self, sim: &Simulation) -> Option<Vec<[f64; 3]>> {
        let x = &sim.state().positions;
        let stride = STRIDE * sim.whole().extent().max(1e-3);
        let at = |v: u32| x.get(v as usize).map_or([0.0; 3], |p| [p[0], p[1], p[2]].map(f64::from));
        // All of a rigid body's make the same stride, so that it keeps its shape.
        let (first, offset) = (at(*self.vertices.first()?), self.offsets.first()?);
        let way = [0, 1, 2].map(|c| self.pointer[c] + offset[c] - first[c]);
        let length = way.iter().map(|c| c * c).sum::<f64>().sqrt();
        if !(length > 0.0) {
            return None;
        }
        let part = f64::min(1.0, stride / length);
        let to = |(&v, o): (&u32, &[f64; 3])| {
            if part < 1.0 {
                let p = at(v);
                [0, 1, 2].map(|c| p[c] + part * way[c])
            } else {
                [0, 1, 2].map(|c| self.pointer[c] + o[c])
            }
        };
        Some(self.vertices.iter().zip(&self.offsets).map(to).collect())
    }
}

/// The nearest vertex along edges that no tear has split: one that has is held together with its other part.
/// The vertex itself where there is none.
pub(crate) fn unsplit(sim: &Simulation, vertex: usize) -> usize {
    let model = sim.model();
    let Some(body) = model.body_of(vertex).map(|b| &model.bodies()[b]) else { return vertex };
    let parted = |v: usize| {
        let origin = sim.origin(v);
        origin != v || body.split.iter().any(|&s| sim.origin(s as usize) == origin)
    };
    if body.split.is_empty() || !parted(vertex) {
        return vertex;
    }
    let mut seen = vec![vertex];
    let mut queue = VecDeque::from([vertex]);
    while let Some(v) = queue.pop_front() {
        if !parted(v) {
            return v;
        }
        for triangle in body.triangles.iter().filter(|t| t.contains(&(v as u32))) {
            for n in triangle.map(|n| n as usize) {
                if !seen.contains(&n) {
                    seen.push(n);
                    queue.push_back(n);
                }
            }
        }
    }
    vertex
}
