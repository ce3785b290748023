//! Hierarchical Position Based Dynamics (Müller 2008): coarse levels carry corrections far.
//!
//! A sweep of PBD moves a correction by a few elements. The mesh is therefore thinned out in levels,
//! each a subset of the vertices of the one before ([`coarsen`]), and every iteration goes from the
//! coarsest level to the finest:
//!
//! ```text
//! q = x
//! for the levels l from the coarsest to the first:
//!   project the links of l:  |x_i − x_j| ≤ L_ij            only where stretched
//!   move the vertices of l − 1 that are not in l:  x_i += Σ_j w_ij (x_j − q_j)
//! project all elements, as PBD does
//! ```
//!
//! Links act only where they are stretched: held at their length they would stiffen bending, since
//! folds bring the ends closer. Their stiffness is that of the elements between them, so what is soft
//! stays soft, and elements that do not resist stretching (bending, strain within limits) make none.
//! Masses of a level are those of the vertices that follow its own, so that no correction changes the
//! linear momentum. Pinned vertices belong to every level.
//!
//! It inherits what PBD is: stiffness depends on iterations. It converges to nothing else than PBD
//! does, but large inextensible meshes get there in far fewer iterations.

mod coarsen;
mod graph;
mod link;

use self::coarsen::{Coarse, Parent};
use self::graph::Graph;
use self::link::Link;
use super::{Memory, Problem, Solved, Solver, Stepper, require_lumped};
use crate::Error;
use crate::batch::{AnyBatch, Batch, Elements, RestState};
use crate::element::ByConstraint;
use crate::parallel::Exec;
use crate::simd::Point;
use crate::system::{Precision, System};

/// Settings of hierarchical Position Based Dynamics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hpbd {
    /// Cycles over all levels per substep.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// Coarse levels, at most; the mesh may be too small for as many. Zero is plain PBD.
    pub levels: usize,
    /// Sweeps over the links of each coarse level in a cycle.
    pub sweeps: usize,
}

impl Default for Hpbd {
    fn default() -> Self {
        Self { iterations: 10, substeps: 1, levels: 8, sweeps: 1 }
    }
}

/// A level with fewer vertices than this is not thinned out further.
const SMALL: usize = 8;

impl Solver for Hpbd {
    fn name(&self) -> &'static str {
        "hpbd"
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn prepare<S: Precision>(
        &self,
        system: &System<S>,
        h: f64,
        _: &Exec,
    ) -> Result<Box<dyn Stepper<S>>, Error> {
        require_lumped(self.name(), system)?;
        let mut levels: Vec<Level<S>> = Vec::new();
        let mut graph = Graph::of(system, h, self.iterations);
        while levels.len() < self.levels && graph.len() > SMALL {
            let Some(coarse) = Coarse::of(&graph) else { break };
            levels.push(Level::new(&graph, &coarse, h));
            graph = coarse.graph;
        }
        Ok(Box::new(HpbdStepper {
            settings: *self,
            stiffness: system.batches.iter().map(|b| b.stiffness(h, self.iterations)).collect(),
            start: vec![Point::default(); if levels.is_empty() { 0 } else { system.len() }],
            levels,
        }))
    }
}

/// A coarse level in the precision of a simulation.
struct Level<S> {
    /// Its vertices, by the model's numbers.
    vertices: Vec<u32>,
    /// Their positions, with the inverse of the level's masses.
    points: Vec<Point<S>>,
    links: Batch<S, ByConstraint<Link>, 2, 1>,
    stiffness: Vec<S>,
    /// Vertices of the level below that are not in this one, each with the end of its parents.
    children: Vec<(u32, u32)>,
    /// Parents by the model's numbers, and their weights.
    parents: Vec<(u32, S)>,
}

impl<S: Precision> Level<S> {
    fn new(fine: &Graph, coarse: &Coarse, h: f64) -> Self {
        let own = &coarse.graph;
        let mut set = Elements::constraint();
        for edge in &own.edges {
            set.push([edge.ends[0], edge.ends[1]], edge.spring, Link { length: edge.length });
        }
        let rest = RestState { positions: &own.positions, inv_mass: &own.inv_mass };
        let links = Batch::new(&set, rest);
        let (mut children, mut parents) = (Vec::new(), Vec::new());
        for (i, list) in coarse.parents.iter().enumerate().filter(|(_, list)| list.len() > 1) {
            let of = |p: &Parent| (own.vertices[p.vertex as usize], S::from_f64(p.weight));
            parents.extend(list.iter().map(of));
            children.push((fine.vertices[i], parents.len() as u32));
        }
        let point = |w: &f64| [S::default(), S::default(), S::default(), S::from_f64(*w)];
        Self {
            vertices: own.vertices.clone(),
            points: own.inv_mass.iter().map(point).collect(),
            stiffness: links.stiffness(h, 1),
            links,
            children,
            parents,
        }
    }

    fn bytes(&self) -> usize {
        let numbers = 4 * self.points.len() + self.stiffness.len() + self.parents.len();
        let indices = self.vertices.len() + 2 * self.children.len() + self.parents.len();
        self.links.bytes() + numbers * size_of::<S>() + 4 * indices
    }

    /// Projects the links, and carries what moved since `start` to the level below.
    fn correct(&mut self, exec: &Exec, x: &mut [Point<S>], start: &[Point<S>], sweeps: usize) {
        for (to, &v) in self.points.iter_mut().zip(&self.vertices) {
            to[..3].copy_from_slice(&x[v as usize][..3]);
        }
        for _ in 0..sweeps {
            self.links.relax(exec, &mut self.points, &self.stiffness);
        }
        for (from, &v) in self.points.iter().zip(&self.vertices) {
            x[v as usize][..3].copy_from_slice(&from[..3]);
        }
        let mut first = 0;
        for &(v, end) in &self.children {
            let mut d = [S::default(); 3];
            for &(j, w) in &self.parents[first..end as usize] {
                for c in 0..3 {
                    d[c] += w * (x[j as usize][c] - start[j as usize][c]);
                }
            }
            first = end as usize;
            (0..3).for_each(|c| x[v as usize][c] += d[c]);
        }
    }
}

struct HpbdStepper<S> {
    settings: Hpbd,
    /// From the finest of the coarse levels to the coarsest.
    levels: Vec<Level<S>>,
    /// Stiffness of an iteration, per slot of each batch.
    stiffness: Vec<Vec<S>>,
    /// Positions at the start of a cycle.
    start: Vec<Point<S>>,
}

impl<S: Precision> Stepper<S> for HpbdStepper<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> Solved {
        for _ in 0..self.settings.iterations {
            if !self.levels.is_empty() {
                self.start.copy_from_slice(problem.x);
            }
            for level in self.levels.iter_mut().rev() {
                level.correct(problem.exec, problem.x, &self.start, self.settings.sweeps);
            }
            for (batch, k) in problem.system.batches.iter().zip(&self.stiffness) {
                batch.relax(problem.exec, problem.x, k);
            }
            problem.contacts.relax(problem.x);
        }
        Solved { iterations: self.settings.iterations, residual: f64::NAN, converged: true }
    }

    fn bytes(&self) -> Memory {
        let levels: usize = self.levels.iter().map(Level::bytes).sum();
        let numbers = self.stiffness.iter().map(Vec::len).sum::<usize>() + 4 * self.start.len();
        Memory { factor: 0, scratch: levels + numbers * size_of::<S>() }
    }
}
