//! Hierarchical Position Based Dynamics (Müller 2008): coarse levels propagate corrections over long
//! distances.
//!
//! A sweep of PBD propagates a correction by a few elements. The mesh is therefore coarsened into
//! levels, each a subset of the vertices of the finer one ([`coarsen`]), and every iteration goes from
//! the coarsest level to the finest:
//!
//! ```text
//! q = x
//! for the levels l from the coarsest to the first:
//!   project the links of l:  |x_i − x_j| ≤ L_ij            only where stretched
//!   move the vertices of l − 1 that are not in l:  x_i += Σ_j w_ij (x_j − q_j)
//! project all elements, as PBD does
//! ```
//!
//! Links act only when stretched. If they kept their exact length they would stiffen bending, since
//! folds bring the ends closer. Their stiffness is that of the elements between them, so soft regions
//! stay soft, and elements that do not resist stretching (bending, strain within limits) create no
//! links. The mass of a coarse vertex includes that of the vertices interpolated from it, so
//! corrections do not change the linear momentum. Pinned vertices belong to every level.
//!
//! As in PBD, stiffness depends on the number of iterations, and the limit is the same as that of PBD,
//! but large inextensible meshes reach it in far fewer iterations.

mod coarsen;
mod graph;
mod link;

use crate::Error;
use crate::batch::ElementPrecision;
use crate::batch::{AnyBatch, Batch, Elements, RestState, SweepBatch};
use crate::element::ByConstraint;
use crate::parallel::Exec;
use crate::simd::Point;
use crate::solvers::hierarchical::coarsen::{CoarseLevel, Parent};
use crate::solvers::hierarchical::graph::LevelGraph;
use crate::solvers::hierarchical::link::UnilateralDistance;
use crate::solvers::settings::{HasSettings, Setting};
use crate::solvers::{MemoryUsage, PreparedSolver, Problem, SolveReport, Solver, require_lumped};
use crate::system::System;

/// Settings of hierarchical Position Based Dynamics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hpbd {
    /// Cycles over all levels per substep.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// Maximum number of coarse levels; small meshes have fewer. Zero is plain PBD.
    pub levels: usize,
    /// Number of sweeps over the links of each coarse level per cycle.
    pub sweeps: usize,
}

impl Default for Hpbd {
    fn default() -> Self {
        Self { iterations: 10, substeps: 1, levels: 8, sweeps: 1 }
    }
}

/// A level with this many vertices or fewer is not coarsened further.
const MIN_LEVEL_VERTICES: usize = 8;

impl HasSettings for Hpbd {
    const SETTINGS: &[Setting<Self>] = &[
        Setting::iterations(|s| &mut s.iterations),
        Setting::substeps(|s| &mut s.substeps),
        Setting::count(
            "levels",
            "maximum number of coarse levels; 0 is plain PBD",
            [0.0, 16.0],
            |s| &mut s.levels,
        ),
        Setting::count(
            "sweeps",
            "number of sweeps over each coarse level per iteration",
            [1.0, 100.0],
            |s| &mut s.sweeps,
        ),
    ];
}

impl Solver for Hpbd {
    fn name(&self) -> &'static str {
        "hpbd"
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn prepare<S: ElementPrecision>(
        &self,
        system: &System<S>,
        h: f64,
        _: &Exec,
    ) -> Result<Box<dyn PreparedSolver<S>>, Error> {
        require_lumped(self.name(), system)?;
        let mut levels: Vec<Level<S>> = Vec::new();
        let mut graph = LevelGraph::of(system, h, self.iterations);
        while levels.len() < self.levels && graph.len() > MIN_LEVEL_VERTICES {
            let Some(coarse) = CoarseLevel::of(&graph) else { break };
            levels.push(Level::new(&graph, &coarse, h));
            graph = coarse.graph;
        }
        Ok(Box::new(PreparedHpbd {
            settings: *self,
            stiffness: system.batches.iter().map(|b| b.stiffness(h, self.iterations)).collect(),
            cycle_start: vec![Point::default(); if levels.is_empty() { 0 } else { system.len() }],
            levels,
        }))
    }
}

/// A coarse level in the precision of the simulation.
struct Level<S> {
    /// Vertex indices in the model.
    vertices: Vec<u32>,
    /// Vertex positions, with the inverse masses of this level.
    points: Vec<Point<S>>,
    constraints: Batch<S, ByConstraint<UnilateralDistance>, 2, 1>,
    stiffness: Vec<S>,
    /// Vertices of the finer level that are not in this one, each with the end of its range in
    /// `parents`.
    interpolated_vertices: Vec<(u32, u32)>,
    /// Vertex indices of the parents in the model, and their weights.
    parents: Vec<(u32, S)>,
}

impl<S: ElementPrecision> Level<S> {
    fn new(fine: &LevelGraph, coarse: &CoarseLevel, h: f64) -> Self {
        let own = &coarse.graph;
        let mut set = Elements::constraint();
        for edge in &own.edges {
            set.push(
                [edge.ends[0], edge.ends[1]],
                edge.spring,
                UnilateralDistance { length: edge.length },
            );
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
            constraints: links,
            interpolated_vertices: children,
            parents,
        }
    }

    fn bytes(&self) -> usize {
        let numbers = 4 * self.points.len() + self.stiffness.len() + self.parents.len();
        let indices =
            self.vertices.len() + 2 * self.interpolated_vertices.len() + self.parents.len();
        self.constraints.bytes() + numbers * size_of::<S>() + 4 * indices
    }

    /// Projects the links and interpolates the displacement since `start` to the finer level.
    fn apply_correction(
        &mut self,
        exec: &Exec,
        x: &mut [Point<S>],
        start: &[Point<S>],
        sweeps: usize,
    ) {
        for (to, &v) in self.points.iter_mut().zip(&self.vertices) {
            to[..3].copy_from_slice(&x[v as usize][..3]);
        }
        for _ in 0..sweeps {
            self.constraints.relax(exec, &mut self.points, &self.stiffness);
        }
        for (from, &v) in self.points.iter().zip(&self.vertices) {
            x[v as usize][..3].copy_from_slice(&from[..3]);
        }
        let mut first = 0;
        for &(v, end) in &self.interpolated_vertices {
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

struct PreparedHpbd<S> {
    settings: Hpbd,
    /// Coarse levels, from the finest to the coarsest.
    levels: Vec<Level<S>>,
    /// Stiffness per iteration, for each slot of each batch.
    stiffness: Vec<Vec<S>>,
    /// Positions at the start of a cycle.
    cycle_start: Vec<Point<S>>,
}

impl<S: ElementPrecision> PreparedSolver<S> for PreparedHpbd<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> SolveReport {
        for _ in 0..self.settings.iterations {
            if !self.levels.is_empty() {
                self.cycle_start.copy_from_slice(problem.x);
            }
            for level in self.levels.iter_mut().rev() {
                level.apply_correction(
                    problem.exec,
                    problem.x,
                    &self.cycle_start,
                    self.settings.sweeps,
                );
            }
            for (batch, k) in problem.system.batches.iter().zip(&self.stiffness) {
                batch.relax(problem.exec, problem.x, k);
            }
            problem.contacts.relax(problem.x);
        }
        SolveReport { iterations: self.settings.iterations, residual: f64::NAN, converged: true }
    }

    fn bytes(&self) -> MemoryUsage {
        let levels: usize = self.levels.iter().map(Level::bytes).sum();
        let numbers =
            self.stiffness.iter().map(Vec::len).sum::<usize>() + 4 * self.cycle_start.len();
        MemoryUsage { factor: 0, scratch: levels + numbers * size_of::<S>() }
    }
}
