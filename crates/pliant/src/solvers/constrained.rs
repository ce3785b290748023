//! Constrained dynamics: compliant constraints with dual variables, after the lecture's P29–P36.
//!
//! Each element is a set of constraints `φ` with a compliance `C = 1/w`, zero for an infinitely stiff
//! one, and a multiplier `λ = −φ/C`, the force. With the constraints linearised at `x`, an implicit
//! Euler step with the inertial guess `s` solves (P31)
//!
//! ```text
//! M/h² (x + d − s) = Jᵀ λ
//! φ(x) + J d + C λ = 0
//! ```
//!
//! for the displacement `d` and the multipliers together. Nothing in it grows with the stiffness.
//! The first linearisation is at the old positions: one iteration is the lecture's method, more are
//! Newton's method on positions and multipliers.
//!
//! **Geometric stiffness** (P34–P36, Tournier et al. 2015, "Stable Constrained Dynamics"): a taut
//! constraint also resists being turned, with `K = −λ ∇²φ`. Without it a stiff, heavily loaded chain
//! is unstable across its links. Its positive semi-definite part joins the mass matrix. Here it does
//! so as further rows, one for each mode `κ g gᵀ` of each element, with the value zero and the
//! compliance `1/κ`: their multipliers are the change of force that turning brings. So the primal
//! block stays diagonal, and all three [`SaddleMethod`]s solve the same sparse system.
//!
//! The multipliers that `K` needs are found anew in each step, from the old positions and the guess,
//! by one more solve without `K`. They could be kept from the last step instead, as Tournier et al. do;
//! then they would belong to the state, outlive what the user does to the positions, and have to be
//! carried from one solver to another. A step stays a function of positions and velocities alone.
//!
//! **Steps that overshoot.** From the second iteration on, a displacement is halved until it lowers
//! `1/2h² ‖x − s‖²_M + Σ ψ(φ)`, in which `ψ` is each element's energy `w/2 ‖φ‖²` up to a little more
//! than the force it has now, and grows linearly from there. The energy itself would forbid a stiff
//! element to turn by any angle to speak of; this is the exact penalty of the compliant constraint,
//! and for a hard one that of the constraint itself (Nocedal and Wright, Numerical Optimization, §18.3).
//!
//! Redundant and contradicting constraints: see [`crate::linalg::Saddle`]. Inequalities act with
//! multipliers of the right sign alone. It always works in double precision.

use super::{Memory, Problem, Solved, Solver, Stepper, require_lumped};
use crate::Error;
use crate::contact::Contacts;
use crate::element::Direction;
use crate::linalg::{Saddle, SaddleMethod};
use crate::parallel::Exec;
use crate::simd::Point;
use crate::system::{Precision, System};

/// Settings of constrained dynamics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constrained {
    /// Linearisations per substep, at most. One is the lecture's method: cheap and stable, but
    /// links that turn fast are too long by half the square of the angle until the next step.
    pub iterations: usize,
    /// Substeps per frame.
    pub substeps: usize,
    /// Stop when an iteration moves no vertex by more than this fraction of the longest way that
    /// the step has moved one. Zero takes all iterations.
    pub tolerance: f64,
    /// How the linear systems are solved.
    pub method: SaddleMethod,
    /// Whether taut constraints resist being turned within a step.
    pub geometric: bool,
    /// Whether displacements that overshoot are shortened; never with a single iteration.
    pub line_search: bool,
    /// Elements with a weight above this have no compliance at all: they are infinitely stiff. In
    /// the units of each element's weight; infinite unless set.
    pub hard_above: f64,
}

impl Default for Constrained {
    fn default() -> Self {
        Self {
            iterations: 10,
            substeps: 1,
            tolerance: 1e-4,
            method: SaddleMethod::PrimalDual,
            geometric: true,
            line_search: true,
            hard_above: f64::INFINITY,
        }
    }
}

/// How far above its present force an element's penalty stays an energy.
const PENALTY: f64 = 1.5;
/// Displacements below this part of the scene's size are rounding.
const ROUNDING: f64 = 1e-13;
/// Halvings of a displacement before the iteration gives up.
const HALVINGS: usize = 12;

impl Constrained {
    /// The lecture's method: constraints linearised once, at the old positions.
    pub fn linearised() -> Self {
        Self { iterations: 1, tolerance: 0.0, ..Self::default() }
    }

    /// Every element infinitely stiff.
    pub fn hard() -> Self {
        Self { hard_above: 0.0, ..Self::default() }
    }
}

impl Solver for Constrained {
    fn name(&self) -> &'static str {
        "constrained"
    }

    fn substeps(&self) -> usize {
        self.substeps
    }

    fn prepare<S: Precision>(
        &self,
        system: &System<S>,
        _: f64,
        _: &Exec,
    ) -> Result<Box<dyn Stepper<S>>, Error> {
        require_lumped(self.name(), system)?;
        self.check()?;
        let own = System::<f64>::new(system.model.clone());
        let mut layout = Vec::new();
        let mut rows = Vec::new();
        let mut duals = Vec::new();
        for batch in &own.batches {
            let mut first = Vec::with_capacity(batch.len());
            batch.list_rows(self.geometric, &mut |vertices, most| {
                let columns: Vec<u32> =
                    vertices.iter().flat_map(|&v| [3 * v, 3 * v + 1, 3 * v + 2]).collect();
                first.push(rows.len() as u32);
                rows.extend((0..most).map(|_| columns.clone()));
            });
            first.push(rows.len() as u32);
            layout.push(first);
            duals.push(vec![0.0; batch.duals() * batch.len()]);
        }
        let points = || vec![Point::default(); own.len()];
        let longest = layout.iter().map(Vec::len).max().unwrap_or(0);
        Ok(Box::new(ConstrainedStepper {
            settings: *self,
            saddle: Saddle::new(3 * own.len(), &rows, self.method)?,
            owners: vec![Owner::default(); rows.len()],
            directions: vec![(0, [0.0; 9]); rows.len()],
            used: vec![0; longest],
            squares: vec![[0.0; 2]; longest],
            layout,
            duals,
            extent: own.model.extent(),
            root_inv_mass: own.inv_mass.iter().map(|w| w.sqrt()).collect(),
            x: points(),
            from: points(),
            s: points(),
            free: points(),
            force: points(),
            system: own,
        }))
    }
}

impl Constrained {
    fn check(&self) -> Result<(), Error> {
        let name = "solver constrained";
        let bad = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        if !(self.tolerance >= 0.0) {
            return bad("tolerance", self.tolerance, "give zero or a small positive number");
        }
        if !(self.hard_above >= 0.0) {
            return bad("hard_above", self.hard_above, "give zero or more, or infinity");
        }
        match self.method {
            SaddleMethod::SchurCg { tolerance } if !(tolerance > 0.0 && tolerance < 1.0) => {
                bad("tolerance of its method", tolerance, "give a number between zero and one")
            }
            _ => Ok(()),
        }
    }
}

/// Whose multiplier a row is: batch and element; none for a stiffness or a row that is off.
#[derive(Clone, Copy, Default)]
struct Owner(Option<(u32, u32)>);

struct ConstrainedStepper {
    settings: Constrained,
    system: System<f64>,
    saddle: Saddle,
    /// The first row of each element of each batch, and the end.
    layout: Vec<Vec<u32>>,
    owners: Vec<Owner>,
    directions: Vec<(usize, Direction)>,
    /// Rows that each element of a batch has used so far.
    used: Vec<u32>,
    /// The dual variables of each batch.
    duals: Vec<Vec<f64>>,
    root_inv_mass: Vec<f64>,
    /// Size of the scene \[m\].
    extent: f64,
    /// `‖φ‖²` and the compliance of each element of a batch.
    squares: Vec<[f64; 2]>,
    x: Vec<Point<f64>>,
    /// Where a displacement starts.
    from: Vec<Point<f64>>,
    s: Vec<Point<f64>>,
    /// The inertial guess without contacts.
    free: Vec<Point<f64>>,
    force: Vec<Point<f64>>,
}

impl<S: Precision> Stepper<S> for ConstrainedStepper {
    fn solve(&mut self, problem: &mut Problem<S>) -> Solved {
        let wide = |p: &Point<S>, w: f64| [p[0].to_f64(), p[1].to_f64(), p[2].to_f64(), w];
        for i in 0..self.x.len() {
            let w = self.system.inv_mass[i];
            self.s[i] = wide(&problem.guess[i], w);
            // Pinned vertices are where they will be.
            self.x[i] = if w > 0.0 { wide(&problem.before[i], w) } else { self.s[i] };
        }
        self.free.copy_from_slice(&self.s);
        self.system.set_time(problem.system.time());
        let solved = self.run(problem.exec, problem.h, problem.contacts);
        for ((to, from), w) in problem.x.iter_mut().zip(&self.x).zip(&self.system.inv_mass) {
            if *w > 0.0 {
                (0..3).for_each(|c| to[c] = S::from_f64(from[c]));
            }
        }
        solved
    }

    fn bytes(&self) -> Memory {
        let (factor, scratch) = self.saddle.bytes();
        let own = 104 * self.x.len()
            + 84 * self.owners.len()
            + self.layout.iter().map(|l| 4 * l.len()).sum::<usize>()
            + self.duals.iter().map(|d| 8 * d.len()).sum::<usize>();
        Memory { factor, scratch: scratch + own }
    }
}

impl ConstrainedStepper {
    fn run(&mut self, exec: &Exec, h: f64, contacts: &mut Contacts) -> Solved {
        // A single iteration has no tolerance to reach.
        let fixed = self.settings.tolerance == 0.0 || self.settings.iterations == 1;
        let mut solved = Solved { converged: fixed, ..Solved::default() };
        if self.settings.geometric {
            self.linearise(h, false);
            self.saddle.solve();
            self.keep_duals();
        }
        let mut farthest = 0.0_f64;
        // What is at rest moves by rounding alone.
        let rounding = ROUNDING * self.extent;
        while solved.iterations < self.settings.iterations {
            solved.iterations += 1;
            self.linearise(h, self.settings.geometric);
            self.saddle.solve();
            self.keep_duals();
            let mut moved = self.search(h);
            if !contacts.is_empty() {
                moved = moved.max(self.touch(contacts));
            }
            farthest = farthest.max(moved);
            let goal = (self.settings.tolerance * farthest).max(rounding);
            if self.settings.tolerance > 0.0 && moved <= goal {
                solved.converged = true;
                break;
            }
        }
        solved.residual = self.imbalance(exec, h);
        solved
    }

    /// Projects the contacts and moves the inertial guess by what they have transmitted; the longest
    /// way \[m\].
    fn touch(&mut self, contacts: &mut Contacts) -> f64 {
        self.from.copy_from_slice(&self.x);
        contacts.relax(&mut self.x);
        self.s.copy_from_slice(&self.free);
        for contact in contacts.list() {
            for (&v, a) in contact.vertices().iter().zip(contact.coefficients()) {
                let d = contact.multiplier.scale(a * self.system.inv_mass[v as usize]);
                let s = &mut self.s[v as usize];
                (0..3).for_each(|c| s[c] += [d.x, d.y, d.z][c]);
            }
        }
        let mut longest = 0.0_f64;
        for &v in contacts.vertices() {
            let (x, from) = (&self.x[v as usize], &self.from[v as usize]);
            let square: f64 = (0..3).map(|c| (x[c] - from[c]) * (x[c] - from[c])).sum();
            longest = longest.max(square.sqrt());
        }
        longest
    }

    /// Fills the system with the constraints at `x`, in coordinates `z = √M d / h`.
    fn linearise(&mut self, h: f64, geometric: bool) {
        let Self { saddle, layout, owners, directions, used, duals, root_inv_mass, .. } = self;
        saddle.clear();
        owners.fill(Owner::default());
        for (b, batch) in self.system.batches.iter().enumerate() {
            used.fill(0);
            let first = &layout[b];
            let duals = geometric.then_some(duals[b].as_slice());
            let hard_above = self.settings.hard_above;
            batch.constraint_rows(&self.x, duals, hard_above, &mut |row| {
                let k = first[row.element] + used[row.element];
                if k == first[row.element + 1] {
                    return;
                }
                used[row.element] += 1;
                let k = k as usize;
                saddle.fill(k, |p, column| {
                    let g = row.gradient[p / 3];
                    h * root_inv_mass[column as usize / 3] * [g.x, g.y, g.z][p % 3]
                });
                match row.one_sided {
                    true => saddle.set_one_sided(k, row.value, row.compliance),
                    false => saddle.set(k, row.value, row.compliance),
                }
                if let Some(direction) = row.direction {
                    owners[k] = Owner(Some((b as u32, row.element as u32)));
                    directions[k] = (row.dual, *direction);
                }
            });
        }
        let start = saddle.start_mut();
        for i in 0..self.x.len() {
            let r = self.root_inv_mass[i];
            let scale = if r > 0.0 { 1.0 / (r * h) } else { 0.0 };
            for c in 0..3 {
                start[3 * i + c] = scale * (self.s[i][c] - self.x[i][c]);
            }
        }
    }

    /// Moves `x` by the solution or a part of it; the longest way \[m\] of the whole.
    fn search(&mut self, h: f64) -> f64 {
        self.from.copy_from_slice(&self.x);
        if !self.settings.line_search || self.settings.iterations == 1 {
            return self.displace(h, 1.0);
        }
        let before = self.merit(h);
        let square: f64 = self.saddle.solution().iter().map(|z| z * z).sum();
        let mut t = 1.0;
        let whole = self.displace(h, t);
        for _ in 0..HALVINGS {
            let after = self.merit(h);
            // Too close to the solution for the value to tell.
            let rounding = t * square <= 1e-12 * before.abs();
            if after <= before - 1e-4 * t * square || rounding {
                return whole;
            }
            t *= 0.5;
            self.displace(h, t);
        }
        whole
    }

    /// Moves `x` by the part `t` of the solution; the longest way \[m\].
    fn displace(&mut self, h: f64, t: f64) -> f64 {
        let z = self.saddle.solution();
        let mut longest = 0.0_f64;
        for i in 0..self.x.len() {
            let scale = t * h * self.root_inv_mass[i];
            let mut square = 0.0;
            for c in 0..3 {
                let d = scale * z[3 * i + c];
                self.x[i][c] = self.from[i][c] + d;
                square += d * d;
            }
            longest = longest.max(square.sqrt());
        }
        longest
    }

    /// Inertia and penalties \[J\] at `x`, the latter for the present dual variables.
    fn merit(&mut self, h: f64) -> f64 {
        let mut sum = 0.0;
        for i in (0..self.x.len()).filter(|&i| self.x[i][3] > 0.0) {
            let d = [0, 1, 2].map(|c| self.x[i][c] - self.s[i][c]);
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            sum += 0.5 * self.system.mass[i] / (h * h) * square;
        }
        let hard_above = self.settings.hard_above;
        for (batch, duals) in self.system.batches.iter().zip(&self.duals) {
            let squares = &mut self.squares;
            squares.fill([0.0; 2]);
            batch.constraint_rows(&self.x, None, hard_above, &mut |row| {
                let value = if row.one_sided { row.value.min(0.0) } else { row.value };
                squares[row.element][0] += value * value;
                squares[row.element][1] = row.compliance;
            });
            for (dual, &[square, compliance]) in duals.chunks_exact(batch.duals()).zip(&*squares) {
                let force = PENALTY * dual.iter().map(|l| l * l).sum::<f64>().sqrt();
                let value = square.sqrt();
                sum += if value < compliance * force {
                    0.5 * square / compliance
                } else {
                    force * (value - 0.5 * compliance * force)
                };
            }
        }
        sum
    }

    /// Puts the multipliers together as the elements' dual variables.
    fn keep_duals(&mut self) {
        self.duals.iter_mut().for_each(|d| d.fill(0.0));
        for (k, lambda) in self.saddle.multipliers().iter().enumerate() {
            let Owner(Some((batch, element))) = self.owners[k] else { continue };
            let n = self.system.batches[batch as usize].duals();
            let dual = &mut self.duals[batch as usize][element as usize * n..][..n];
            let (first, direction) = &self.directions[k];
            for (d, q) in dual[*first..].iter_mut().zip(direction) {
                *d += lambda * q;
            }
        }
    }

    /// The norm of the unbalanced force \[N\]; NaN where a constraint is hard and its force is not a
    /// function of the positions.
    fn imbalance(&mut self, exec: &Exec, h: f64) -> f64 {
        if self.settings.hard_above < f64::INFINITY {
            return f64::NAN;
        }
        self.force.fill(Point::default());
        for batch in &self.system.batches {
            batch.force(exec, &self.x, &mut self.force);
        }
        let mut sum = 0.0;
        for i in (0..self.x.len()).filter(|&i| self.x[i][3] > 0.0) {
            for c in 0..3 {
                let inertia = self.system.mass[i] / (h * h) * (self.x[i][c] - self.s[i][c]);
                let r = inertia - self.force[i][c];
                sum += r * r;
            }
        }
        sum.sqrt()
    }
}
