//! Grabbed vertices: those that follow the pointer, and their targets in the next step.
//!
//! Grabbed vertices are kinematic pins, so that they are at the pointer at the end of every step under
//! every solver. A pointer that jumps is followed over a few steps: no solver should have to stretch a
//! cloth to many times its size in one step.

use std::collections::VecDeque;

use pliant::Simulation;

/// Maximum displacement of a grabbed vertex in one step, as a fraction of the size of the scene.
const MAX_STEP_FRACTION: f64 = 0.2;

/// A grab in progress.
#[derive(Clone, Debug)]
pub(crate) struct Grab {
    /// The grabbed drawn vertex.
    pub render_vertex: u32,
    /// The grabbed vertices, by the numbers of the original model.
    pub vertices: Vec<u32>,
    /// Offset of each vertex from the pointer \[m\].
    offsets: Vec<[f64; 3]>,
    /// Position of the pointer \[m\].
    pub target: [f64; 3],
}

impl Grab {
    /// Grabs a drawn vertex, which is at `place` \[m\] and moved by a vertex of the present model. The
    /// error says why a vertex cannot be grabbed.
    pub fn new(
        sim: &Simulation,
        render_vertex: u32,
        place: [f64; 3],
        vertex: u32,
        pointer: [f64; 3],
    ) -> Result<Self, String> {
        let model = sim.model();
        let Some(body) = model.body_of(vertex as usize).map(|b| &model.bodies()[b]) else {
            return Err("there is no vertex to grab; point at a body".to_owned());
        };
        let moved = |v: usize| model.pins().iter().any(|p| p.vertex == v);
        let all_pinned = body.vertices.len() > 1 && body.vertices.clone().all(moved);
        if all_pinned && body.rigid_frame.is_none() {
            return Err(format!("{} is kinematic and cannot be grabbed", body.name));
        }
        // A rigid body is grabbed as a whole: it neither bends nor turns while it is dragged.
        let present: Vec<usize> = match &body.rigid_frame {
            Some(_) => body.vertices.clone().collect(),
            None => vec![unsplit(sim, vertex as usize)],
        };
        let x = &sim.state().positions;
        let offset = |&v: &usize| [0, 1, 2].map(|c| f64::from(x[v][c]) - place[c]);
        Ok(Self {
            render_vertex,
            offsets: present.iter().map(offset).collect(),
            vertices: present.iter().map(|&v| sim.original_vertex(v) as u32).collect(),
            target: pointer,
        })
    }

    /// Targets of the grabbed vertices in the next step \[m\]; none if they are already there.
    pub fn targets(&self, sim: &Simulation) -> Option<Vec<[f64; 3]>> {
        let x = &sim.state().positions;
        let max_step = MAX_STEP_FRACTION * sim.original_model().extent().max(1e-3);
        let at = |v: u32| x.get(v as usize).map_or([0.0; 3], |p| [p[0], p[1], p[2]].map(f64::from));
        // All vertices of a rigid body have the same displacement, so that it keeps its shape.
        let (first, offset) = (at(*self.vertices.first()?), self.offsets.first()?);
        let displacement = [0, 1, 2].map(|c| self.target[c] + offset[c] - first[c]);
        let length = displacement.iter().map(|c| c * c).sum::<f64>().sqrt();
        if !(length > 0.0) {
            return None;
        }
        let fraction = f64::min(1.0, max_step / length);
        let to = |(&v, o): (&u32, &[f64; 3])| {
            if fraction < 1.0 {
                let p = at(v);
                [0, 1, 2].map(|c| p[c] + fraction * displacement[c])
            } else {
                [0, 1, 2].map(|c| self.target[c] + o[c])
            }
        };
        Some(self.vertices.iter().zip(&self.offsets).map(to).collect())
    }
}

/// The nearest vertex along edges that no tear has split, because a split vertex would be held together
/// with its other copies. The vertex itself if there is none.
pub(crate) fn unsplit(sim: &Simulation, vertex: usize) -> usize {
    let model = sim.model();
    let Some(body) = model.body_of(vertex).map(|b| &model.bodies()[b]) else { return vertex };
    let parted = |v: usize| {
        let origin = sim.original_vertex(v);
        origin != v
            || body.split_vertices.iter().any(|&s| sim.original_vertex(s as usize) == origin)
    };
    if body.split_vertices.is_empty() || !parted(vertex) {
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
