//! Vertex block descent (Chen, Liu, Yang and Yuksel 2024): implicit Euler, one vertex at a time.
//!
//! ```text
//! loop n times
//!   for every colour, for all vertices i of it at once:
//!     f_i = m_i/h² (s_i − x_i) − Σ ∂E/∂x_i            of the elements at i
//!     H_i = m_i/h² I + Σ ∂²E/∂x_i²                    3×3, made definite
//!     x_i += H_i⁻¹ f_i
//! ```
//!
//! It minimises the objective of implicit Euler by Newton steps on one vertex at a time. Vertices are
//! coloured so that no two of one colour share an element, and colours follow one another in a fixed
//! order. Threads share a colour; sums run over the elements of a vertex in a fixed order, so the
//! result is bitwise independent of the number of threads. There is no global matrix and no factor.
//!
//! Elements with very many vertices (an enclosed volume) would need one colour per vertex. They are
//! left out of the colouring; their blocks bound the energy for all their vertices that move at once.
//!
//! The initial guess matters: bodies that hang or stand must not fall by `h² g` first and be lifted
//! back vertex by vertex. The paper limits the acceleration of the inertial guess to the component
//! observed in the last step, which would have to be stored. Here each body starts from
//! `x + h v + t h² g`, with `t` between 0 (supported) and 1 (falling) chosen to minimise the objective along this line,
//! by its slopes at both ends.
//!
//! Sweeps can be accelerated by Chebyshev's semi-iterative method (§3.8 there; Wang 2015), with the
//! spectral radius estimated in each step and the fallback described in
//! [`Acceleration`](crate::solvers::Acceleration).
//!
//! Each element type provides its own blocks: for springs, edges, triangles and mean curvature the
//! definite part of the exact Hessian block, for other projective elements the bound `w (AᵀA)_kk I`,
//! for scalar constraints `w (∇C ∇Cᵀ + |C| ‖∇²C‖ I)`.

use crate::Error;
use crate::batch::ElementPrecision;
use crate::batch::{VERTEX_BLOCK_LEN, VertexStencils};
use crate::model::BodyInfo;
use crate::parallel::{Exec, color_vertices, for_rows};
use crate::simd::Point;
use crate::solvers::acceleration::{Chebyshev, advance_chebyshev};
use crate::solvers::settings::{HasSettings, Setting};
use crate::solvers::{MemoryUsage, PreparedSolver, Problem, SolveReport, Solver, require_lumped};
use crate::system::System;

/// Elements with more vertices than this are left out of the colouring.
const MAX_COLORED_ELEMENT_SIZE: usize = 16;
/// Rough cost of the 3×3 solve of a vertex and its sums, in nanoseconds.
const VERTEX_NS: usize = 40;

/// Settings of vertex block descent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vbd {
    /// Sweeps over all vertices per substep.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// True if sweeps are accelerated by Chebyshev's semi-iterative method.
    pub chebyshev: bool,
}

impl Default for Vbd {
    fn default() -> Self {
        Self { iterations: 20, substeps: 1, chebyshev: false }
    }
}

impl Vbd {
    /// Returns default settings with a number of iterations per substep and of substeps per frame.
    pub fn new(iterations: usize, substeps: usize) -> Self {
        Self { iterations, substeps, ..Self::default() }
    }
}

impl HasSettings for Vbd {
    const SETTINGS: &[Setting<Self>] =
        &[Setting::iterations(|s| &mut s.iterations), Setting::substeps(|s| &mut s.substeps)];
}

impl Solver for Vbd {
    fn name(&self) -> &'static str {
        if self.chebyshev { "vbd+chebyshev" } else { "vbd" }
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
        let colors = Color::all(system);
        let longest = colors.iter().map(|c| c.vertices.len()).max().unwrap_or(0);
        let numbers = colors.iter().map(|c| c.numbers).max().unwrap_or(0);
        let gravity = system.model.gravity().map(|g| S::from_f64(g * h * h));
        Ok(Box::new(PreparedVbd {
            settings: *self,
            colors,
            numbers: vec![S::default(); numbers],
            step: vec![[S::default(); 3]; longest],
            gravity,
            support_force: vec![0.0; system.model.bodies().len()],
            before: vec![Point::default(); system.len()],
            previous_iterate: vec![Point::default(); system.len()],
        }))
    }
}

/// Vertices of one colour and their incident elements.
struct Color {
    vertices: Vec<u32>,
    /// Vertex stencils of each batch.
    corners: Vec<VertexStencils>,
    /// For each vertex in turn, the offsets of its corners' values.
    corner_offsets: Vec<u32>,
    /// End of each vertex's entries in `corner_offsets`.
    corner_ends: Vec<u32>,
    /// Number of values of all batches.
    numbers: usize,
}

impl Color {
    /// Returns every colour of a system.
    fn all<S: ElementPrecision>(system: &System<S>) -> Vec<Self> {
        let model = &system.model;
        let free: Vec<bool> = system.inv_mass.iter().map(|w| w.to_f64() > 0.0).collect();
        let sets = model.elements().iter();
        let all = sets.flat_map(|set| (0..set.len()).map(move |e| set.vertices(e)));
        let elements: Vec<&[u32]> = all.filter(|v| v.len() <= MAX_COLORED_ELEMENT_SIZE).collect();
        let (color, count) = color_vertices(&free, &elements);
        let mut by_batch: Vec<std::vec::IntoIter<VertexStencils>> =
            system.batches.iter().map(|b| b.vertex_stencils(&color, count).into_iter()).collect();
        let of = |c: usize| {
            let corners = by_batch.iter_mut().map(|b| b.next().unwrap_or_default()).collect();
            let vertices = (0..color.len() as u32).filter(|&v| color[v as usize] == c as u32);
            Self::new::<S>(vertices.collect(), corners)
        };
        (0..count).map(of).collect()
    }

    fn new<S: ElementPrecision>(vertices: Vec<u32>, corners: Vec<VertexStencils>) -> Self {
        // (vertex, offset) pairs, batch by batch; a stable sort keeps that order at each vertex.
        let (mut entries, mut base) = (Vec::new(), 0);
        for list in &corners {
            for (i, &v) in
                list.vertex.iter().enumerate().filter(|(_, v)| **v != VertexStencils::PADDING)
            {
                entries.push((v, (base + VertexStencils::output_index(i, S::PACK)) as u32));
            }
            base += list.output_len();
        }
        entries.sort_by_key(|e| e.0);
        let end = |v: &u32| entries.partition_point(|e| e.0 <= *v) as u32;
        let ends = vertices.iter().map(end).collect();
        Self {
            corner_ends: ends,
            corner_offsets: entries.iter().map(|e| e.1).collect(),
            vertices,
            corners,
            numbers: base,
        }
    }

    fn bytes(&self) -> usize {
        let corners: usize = self.corners.iter().map(VertexStencils::bytes).sum();
        corners + 4 * (self.vertices.len() + self.corner_offsets.len() + self.corner_ends.len())
    }
}

struct PreparedVbd<S> {
    settings: Vbd,
    colors: Vec<Color>,
    /// Forces and Hessian blocks at the corners of a colour.
    numbers: Vec<S>,
    /// Newton step of each vertex of a colour.
    step: Vec<[S; 3]>,
    /// Displacement by gravity in a step, `h² g` \[m\].
    gravity: [S; 3],
    /// Force on each body along gravity at the guess without gravity, times gravity [N m/s²].
    support_force: Vec<f64>,
    /// The iterate before a sweep, and the one before that. While the initial guess is computed: the
    /// guess without gravity, and its forces.
    before: Vec<Point<S>>,
    previous_iterate: Vec<Point<S>>,
}

impl<S: ElementPrecision> PreparedSolver<S> for PreparedVbd<S> {
    fn solve(&mut self, problem: &mut Problem<S>) -> SolveReport {
        self.adaptive_initial_guess(problem);
        let mut recurrence = Chebyshev::new();
        for i in 0..self.settings.iterations {
            let accelerated = self.settings.chebyshev && i + 1 < self.settings.iterations;
            if accelerated {
                self.before.copy_from_slice(problem.x);
            }
            for c in 0..self.colors.len() {
                self.sweep(problem, c);
            }
            problem.contacts.relax(problem.x);
            if accelerated {
                for (d, x) in self.before.iter_mut().zip(&*problem.x) {
                    *d = [x[0] - d[0], x[1] - d[1], x[2] - d[2], S::default()];
                }
                advance_chebyshev(
                    &mut recurrence,
                    problem.x,
                    &self.before,
                    &mut self.previous_iterate,
                );
            }
        }
        let iterations = self.settings.iterations;
        SolveReport { iterations, residual: f64::NAN, converged: true }
    }

    fn bytes(&self) -> MemoryUsage {
        let colors: usize = self.colors.iter().map(Color::bytes).sum();
        let points = 4 * (self.before.len() + self.previous_iterate.len());
        let numbers = self.numbers.len() + 3 * self.step.len() + points;
        MemoryUsage {
            factor: 0,
            scratch: colors + numbers * size_of::<S>() + 8 * self.support_force.len(),
        }
    }
}

impl<S: ElementPrecision> PreparedVbd<S> {
    /// Removes from the initial guess the fraction of the gravity displacement that each body does not
    /// follow. A body in contact keeps all of it, because it determines the contact force, which in
    /// turn limits friction.
    fn adaptive_initial_guess(&mut self, problem: &mut Problem<S>) {
        if self.gravity.iter().all(|g| *g == S::default()) {
            return;
        }
        self.before.copy_from_slice(problem.predicted);
        for x in self.before.iter_mut().filter(|x| x[3] > S::default()) {
            (0..3).for_each(|c| x[c] -= self.gravity[c]);
        }
        let bodies = problem.system.model.bodies();
        add_forces(problem, &self.before, &mut self.previous_iterate);
        for (body, pull) in bodies.iter().zip(&mut self.support_force) {
            *pull = along_gravity(problem, body, &self.previous_iterate);
        }
        add_forces(problem, problem.predicted, &mut self.previous_iterate);
        let touched = problem.contacts.vertices();
        for (body, support) in bodies.iter().zip(&self.support_force) {
            let next = touched.partition_point(|&v| (v as usize) < body.vertices.start);
            if touched.get(next).is_some_and(|&v| (v as usize) < body.vertices.end)
                || body.split_vertices.iter().any(|v| touched.binary_search(v).is_ok())
            {
                continue;
            }
            // Slopes of the objective over h², for the supported body (t = 0) and the falling one (t =
            // 1).
            let first = -weight(problem, body) - support;
            let last = -along_gravity(problem, body, &self.previous_iterate);
            let t = match (first >= 0.0, last > 0.0) {
                (true, _) => 0.0,
                (_, true) => first / (first - last),
                _ => continue,
            };
            if !t.is_finite() {
                continue;
            }
            let t = S::from_f64(t);
            for v in body.all_vertices() {
                let (x, before) = (&mut problem.x[v], &self.before[v]);
                if x[3] > S::default() {
                    (0..3).for_each(|c| x[c] = before[c] + t * self.gravity[c]);
                }
            }
        }
    }

    /// Updates all vertices of a colour.
    fn sweep(&mut self, problem: &mut Problem<S>, color: usize) {
        let own = &self.colors[color];
        let mut rest = self.numbers.as_mut_slice();
        for (batch, corners) in problem.system.batches.iter().zip(&own.corners) {
            let (now, after) = rest.split_at_mut(corners.output_len());
            if !now.is_empty() {
                batch.vertex_blocks(problem.exec, problem.x, corners, now);
            }
            rest = after;
        }
        let step = &mut self.step[..own.vertices.len()];
        let (x, predicted, mass) = (&*problem.x, problem.predicted, &problem.system.mass);
        let inv_h2 = 1.0 / (problem.h * problem.h);
        let (numbers, contacts) = (self.numbers.as_slice(), &*problem.contacts);
        for_rows(problem.exec, step, 1, own.vertices.len() * VERTEX_NS, |first, step| {
            for (i, to) in step.iter_mut().enumerate() {
                let v = own.vertices[first + i] as usize;
                let start =
                    if first + i == 0 { 0 } else { own.corner_ends[first + i - 1] as usize };
                let places = &own.corner_offsets[start..own.corner_ends[first + i] as usize];
                let inertia = mass[v].to_f64() * inv_h2;
                let (mut f, b) = assemble_block(numbers, places, inertia, &x[v], &predicted[v]);
                if !contacts.is_empty() {
                    let force = contacts.transmitted(v);
                    (0..3).for_each(|c| f[c] += inv_h2 * force[c]);
                }
                *to = newton_step(f, b, S::EPSILON).map(S::from_f64);
            }
        });
        for (&v, d) in own.vertices.iter().zip(step) {
            let x = &mut problem.x[v as usize];
            (0..3).for_each(|c| x[c] += d[c]);
        }
    }
}

/// Overwrites `to` with the forces of all elements at `x`.
fn add_forces<S: ElementPrecision>(problem: &Problem<S>, x: &[Point<S>], to: &mut [Point<S>]) {
    to.fill(Point::default());
    for batch in &problem.system.batches {
        batch.force(problem.exec, x, to);
    }
}

/// Returns the component along gravity of the force on a body, times gravity [N m/s²].
fn along_gravity<S: ElementPrecision>(
    problem: &Problem<S>,
    body: &BodyInfo,
    force: &[Point<S>],
) -> f64 {
    let g = problem.system.model.gravity();
    let mut sum = 0.0;
    for v in body.all_vertices().filter(|&v| problem.predicted[v][3] > S::default()) {
        sum += (0..3).map(|c| g[c] * force[v][c].to_f64()).sum::<f64>();
    }
    sum
}

/// Returns the weight of the unpinned vertices of a body, times gravity [N m/s²].
fn weight<S: ElementPrecision>(problem: &Problem<S>, body: &BodyInfo) -> f64 {
    let g = problem.system.model.gravity();
    let square: f64 = g.iter().map(|g| g * g).sum();
    let free = body.all_vertices().filter(|&v| problem.predicted[v][3] > S::default());
    free.map(|v| problem.system.mass[v].to_f64() * square).sum()
}

/// Returns the force on a vertex and its Hessian block: inertia plus the sum over its corners.
fn assemble_block<S: ElementPrecision>(
    numbers: &[S],
    places: &[u32],
    inertia: f64,
    x: &Point<S>,
    s: &Point<S>,
) -> ([f64; 3], [f64; 6]) {
    let mut f = [0, 1, 2].map(|c| inertia * (s[c].to_f64() - x[c].to_f64()));
    let mut b = [inertia, inertia, inertia, 0.0, 0.0, 0.0];
    for &place in places {
        let own = &numbers[place as usize..];
        for c in 0..3 {
            f[c] += own[c * S::PACK].to_f64();
        }
        for q in 3..VERTEX_BLOCK_LEN {
            b[q - 3] += own[q * S::PACK].to_f64();
        }
    }
    (f, b)
}

/// Returns `H⁻¹ f` for the definite matrix with entries xx, yy, zz, xy, yz, zx; zero if it is not
/// finite.
///
/// The corner values are rounded to `epsilon`; a diagonal shift restores what rounding may take from
/// the smallest eigenvalue.
fn newton_step(f: [f64; 3], b: [f64; 6], epsilon: f64) -> [f64; 3] {
    let trace = b[0] + b[1] + b[2];
    let diagonal_shift = 4.0 * epsilon * trace;
    let [xx, yy, zz] = [b[0] + diagonal_shift, b[1] + diagonal_shift, b[2] + diagonal_shift];
    let [xy, yz, zx] = [b[3], b[4], b[5]];
    // H = L D Lᵀ.
    let l10 = xy / xx;
    let l20 = zx / xx;
    let d1 = yy - l10 * xy;
    let l21 = (yz - l20 * xy) / d1;
    let d2 = zz - l20 * zx - l21 * l21 * d1;
    let y1 = f[1] - l10 * f[0];
    let y2 = f[2] - l20 * f[0] - l21 * y1;
    let z = y2 / d2;
    let y = y1 / d1 - l21 * z;
    let x = f[0] / xx - l10 * y - l20 * z;
    let sound = d1 > 0.0 && d2 > 0.0 && (x + y + z).is_finite();
    if sound { [x, y, z] } else { [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::newton_step;

    #[test]
    fn the_small_solve_inverts() {
        let b = [4.0, 3.0, 5.0, 1.0, -0.5, 0.25];
        let d = newton_step([1.0, -2.0, 3.0], b, 0.0);
        let f = [
            b[0] * d[0] + b[3] * d[1] + b[5] * d[2],
            b[3] * d[0] + b[1] * d[1] + b[4] * d[2],
            b[5] * d[0] + b[4] * d[1] + b[2] * d[2],
        ];
        for (f, goal) in f.into_iter().zip([1.0, -2.0, 3.0]) {
            // Measured: 4e-16.
            assert!((f - goal).abs() < 5e-15, "{f} {goal}");
        }
        assert_eq!(newton_step([1.0; 3], [0.0; 6], 0.0), [0.0; 3]);
        assert_eq!(newton_step([f64::NAN; 3], b, 0.0), [0.0; 3]);
    }
}
