//! Iterations of the adaptive solver: Anderson acceleration with secants that outlive a substep.
//!
//! An iteration maps `x` to `G(x) = x + d` with `A d = r(x)`, where `r` is the exact residual force. Two iterates of a
//! substep give a secant: the changes of `G`, `d` and `r` between them. They depend on the Hessian alone, not on the
//! predicted positions, so that secants of the last substeps still hold in the next one, which then starts with what
//! has been learnt: above all that the stiff matrix resists rotations which the elements do not.
//!
//! The next iterate is `G(x) − Σ θ_j ΔG_j`, with the `θ` that minimise `|d − Σ θ_j Δd_j|` in the norm of the matrix,
//! `|d|² = dᵀ A d = dᵀ r`. By this norm a mode counts by its energy; the length of `d` alone hardly sees modes that the
//! matrix overestimates, and noise in them grows over the substeps (measured on a hanging cloth: four times the error
//! after a third of a second).
//!
//! If the norm of the increment grows, the last extrapolation is undone and all secants are dropped. Secants end
//! with the frame, so that a restored snapshot continues bit for bit.

use crate::batch::ElementPrecision;
use crate::math::Scalar;
use crate::simd::Point;
use crate::solvers::acceleration::RingBuffer;
use crate::solvers::projective::{PreparedProjective, advance, max_norm, norm};
use crate::solvers::{Problem, SolveReport};
use crate::system::System;

/// Number of secants that are kept.
const MAX_SECANTS: usize = 5;
/// Iterations per substep, at least: the first one follows the predicted positions.
const MIN_ITERATIONS: usize = 2;
/// Part of a secant, relative to its square, that must be independent of the others.
const MIN_INDEPENDENT_PART: [f64; 2] = [1e-6, 1e-12];

type SmallMatrix = [[f64; MAX_SECANTS]; MAX_SECANTS];

/// State of adaptive iterations.
pub(super) struct Adaptive<S> {
    /// Error of positions at which the iterations of a substep end \[m\].
    max_error: f64,
    /// Maximum number of iterations per substep in this frame.
    max_iterations: usize,
    /// Length above which displacements within a substep are shortened \[m\]: the size of the scene. Energies of shapes
    /// far from rest are no guide to where a solution lies.
    max_increment: f64,
    /// Mass of all free vertices \[kg\].
    mass: f64,
    /// Differences of images, of increments and of residual forces.
    images: RingBuffer<S>,
    increments: RingBuffer<S>,
    forces: RingBuffer<S>,
    /// Products of differences of increments and forces, by age.
    gram: SmallMatrix,
    /// Image, increment and residual force of the last iteration.
    last: [Vec<Point<S>>; 3],
    /// Residual force of this iteration.
    force: Vec<Point<S>>,
    /// Squared norm of the last increment; `None` if the substep has no iteration yet.
    last_square: Option<f64>,
}

impl<S: ElementPrecision> Adaptive<S> {
    /// Allocates memory for a system.
    pub fn new(max_error: f64, system: &System<S>) -> Self {
        let points = system.len();
        let ring = || RingBuffer::new(MAX_SECANTS, points);
        let vector = || vec![Point::default(); points];
        let masses = system.mass.iter().zip(&system.inv_mass);
        let free = masses.filter(|(_, w)| w.to_f64() > 0.0);
        Self {
            max_error,
            max_iterations: usize::MAX,
            max_increment: system.model.extent(),
            mass: free.map(|(m, _)| m.to_f64()).sum::<f64>().max(f64::MIN_POSITIVE),
            images: ring(),
            increments: ring(),
            forces: ring(),
            gram: SmallMatrix::default(),
            last: [vector(), vector(), vector()],
            force: vector(),
            last_square: None,
        }
    }

    /// Drops what was learnt in the last frame.
    pub fn begin_frame(&mut self, max_iterations: usize) {
        self.max_iterations = max_iterations.max(1);
        self.drop_secants();
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let vectors = 4 * size_of_val(self.force.as_slice());
        vectors + self.images.bytes() + self.increments.bytes() + self.forces.bytes()
    }

    fn drop_secants(&mut self) {
        self.images.clear();
        self.increments.clear();
        self.forces.clear();
    }

    /// Error of positions that belongs to a squared norm of the increment, in a step of `h` \[m\].
    fn error(&self, square: f64, h: f64) -> f64 {
        h * (square.max(0.0) / self.mass).sqrt()
    }

    /// Stores the secant between the last iteration and this one: image `x`, increment `d`.
    fn store_secant(&mut self, x: &[Point<S>], d: &[Point<S>]) {
        if self.last_square.is_some() {
            let [image, increment, force] = &mut self.last;
            replace(self.images.push(), image, x);
            replace(self.increments.push(), increment, d);
            replace(self.forces.push(), force, &self.force);
            let count = self.images.len();
            for i in (1..count).rev() {
                for j in (1..count).rev() {
                    self.gram[i][j] = self.gram[i - 1][j - 1];
                }
            }
            let products = self.products(self.increments.get(0));
            for (i, product) in products[..count].iter().enumerate() {
                (self.gram[0][i], self.gram[i][0]) = (*product, *product);
            }
        } else {
            self.last[0].copy_from_slice(x);
            self.last[1].copy_from_slice(d);
            self.last[2].copy_from_slice(&self.force);
        }
    }

    /// Products of `d` and the differences of residual forces, by age, in one pass.
    fn products(&self, d: &[Point<S>]) -> [f64; MAX_SECANTS] {
        let count = self.forces.len();
        // Missing secants are not read.
        let forces: [&[Point<S>]; MAX_SECANTS] =
            std::array::from_fn(|k| if k < count { &self.forces.get(k)[..d.len()] } else { d });
        let mut sums = [[0.0_f64; 4]; MAX_SECANTS];
        for (i, d) in d.iter().enumerate() {
            let d = d.map(|c| c.to_f64());
            for (sum, force) in sums[..count].iter_mut().zip(&forces) {
                for c in 0..4 {
                    sum[c] += d[c] * force[i][c].to_f64();
                }
            }
        }
        sums.map(|sum| sum[0] + sum[1] + sum[2])
    }

    /// Moves the image `x`, to which the increment `d` with the squared norm `square` led, by the secants.
    fn accelerate(&mut self, x: &mut [Point<S>], d: &[Point<S>], square: f64) {
        if self.last_square.is_some_and(|last| !(square <= last)) {
            self.drop_secants();
            self.last_square = None;
            for (x, image) in x.iter_mut().zip(&self.last[0]) {
                x[..3].copy_from_slice(&image[..3]);
            }
            return;
        }
        self.store_secant(x, d);
        self.last_square = Some(square);
        let count = self.images.len();
        if count == 0 {
            return;
        }
        let products = self.products(d);
        let least = MIN_INDEPENDENT_PART[usize::from(S::EPSILON < 1e-10)];
        let Some(theta) = solve_least_squares(&self.gram, &products, count, least) else { return };
        let theta = theta.map(S::from_f64);
        let images: [&[Point<S>]; MAX_SECANTS] =
            std::array::from_fn(|k| self.images.get(k.min(count - 1)));
        for (i, x) in x.iter_mut().enumerate() {
            for (theta, image) in theta[..count].iter().zip(&images) {
                (0..3).for_each(|c| x[c] -= *theta * image[i][c]);
            }
        }
    }
}

impl<S: ElementPrecision> PreparedProjective<S> {
    /// Iterates until the error of positions is small enough, at least twice.
    pub(super) fn iterate_adaptively(&mut self, problem: &mut Problem<S>) -> SolveReport {
        let mut solved = SolveReport { converged: true, ..SolveReport::default() };
        let Some(mut own) = self.adaptive.take() else { return solved };
        own.last_square = None;
        let most = self.settings.iterations.min(own.max_iterations);
        // The objective at `x`, if it is known.
        let mut value = None;
        for i in 0..most {
            problem.contacts.update_friction_limits(problem.x);
            let before = match value {
                Some(_) if problem.contacts.is_empty() => value,
                _ => self.objective_if_backtracking(problem),
            };
            self.compute_residual(problem);
            own.force.copy_from_slice(&self.residual);
            self.solve_global(problem.exec);
            let reached = match before {
                None => {
                    advance(problem, &self.residual);
                    None
                }
                Some(before) => {
                    shorten(&mut self.residual, own.max_increment);
                    Some(self.backtracking_step(problem, before))
                }
            };
            solved.iterations += 1;
            let square = dot(&self.residual, &own.force);
            let enough = own.error(square, problem.h) <= own.max_error;
            if i + 1 == most || (enough && i + 1 >= MIN_ITERATIONS) {
                // The last image stays as it is: an extrapolation would not be checked.
                own.store_secant(problem.x, &self.residual);
                solved.residual = norm(&own.force);
                break;
            }
            own.accelerate(problem.x, &self.residual, square);
            pull_back(problem.x, &own.last[0], own.max_increment);
            value = reached.map(|at| self.reject_acceleration(problem, before).unwrap_or(at));
        }
        pull_back(problem.x, problem.predicted, own.max_increment);
        self.adaptive = Some(own);
        solved
    }
}

/// Scales an increment so that no vertex moves further than `most` \[m\].
fn shorten<S: Scalar>(d: &mut [Point<S>], most: f64) {
    let longest = max_norm(d);
    if longest > most && longest.is_finite() {
        let scale = S::from_f64(most / longest);
        d.iter_mut().for_each(|d| *d = d.map(|c| scale * c));
    }
}

/// Moves `x` towards `from` so that no vertex is further from it than `most` \[m\].
fn pull_back<S: Scalar>(x: &mut [Point<S>], from: &[Point<S>], most: f64) {
    let squares = x
        .iter()
        .zip(from)
        .map(|(x, from)| (0..3).map(|c| (x[c] - from[c]).to_f64()).map(|d| d * d).sum::<f64>());
    let farthest = squares.fold(0.0, f64::max).sqrt();
    if farthest > most && farthest.is_finite() {
        let part = S::from_f64(most / farthest);
        for (x, from) in x.iter_mut().zip(from) {
            (0..3).for_each(|c| x[c] = from[c] + part * (x[c] - from[c]));
        }
    }
}

/// Writes `now − last` to `change` and `now` to `last`.
fn replace<S: Scalar>(change: &mut [Point<S>], last: &mut [Point<S>], now: &[Point<S>]) {
    for ((change, last), now) in change.iter_mut().zip(last).zip(now) {
        *change = [now[0] - last[0], now[1] - last[1], now[2] - last[2], S::default()];
        *last = *now;
    }
}

/// Sum of products over all coordinates, in double precision and in the order of the vertices.
fn dot<S: Scalar>(a: &[Point<S>], b: &[Point<S>]) -> f64 {
    let mut sum = [0.0_f64; 4];
    for (a, b) in a.iter().zip(b) {
        for c in 0..4 {
            sum[c] += a[c].to_f64() * b[c].to_f64();
        }
    }
    sum[0] + sum[1] + sum[2]
}

/// Minimiser of a quadratic with the matrix `gram` of `count` rows and the linear part `b`, by Cholesky's factorisation.
/// Rows that depend on earlier ones are left out, their numbers are zero. `None` if the result is not finite.
fn solve_least_squares(
    gram: &SmallMatrix,
    b: &[f64; MAX_SECANTS],
    count: usize,
    least: f64,
) -> Option<[f64; MAX_SECANTS]> {
    let mut l = SmallMatrix::default();
    let mut y = [0.0; MAX_SECANTS];
    for i in 0..count {
        let mut row = [0.0; MAX_SECANTS];
        let mut diagonal = gram[i][i];
        for j in (0..i).filter(|&j| l[j][j] > 0.0) {
            let known: f64 = (0..j).map(|k| row[k] * l[j][k]).sum();
            row[j] = (gram[i][j] - known) / l[j][j];
            diagonal -= row[j] * row[j];
        }
        if diagonal > least * gram[i][i] && gram[i][i] > 0.0 {
            row[i] = diagonal.sqrt();
            let known: f64 = (0..i).map(|k| row[k] * y[k]).sum();
            y[i] = (b[i] - known) / row[i];
            l[i] = row;
        }
    }
    let mut x = [0.0; MAX_SECANTS];
    for i in (0..count).rev().filter(|&i| l[i][i] > 0.0) {
        let known: f64 = (i + 1..count).map(|k| l[k][i] * x[k]).sum();
        x[i] = (y[i] - known) / l[i][i];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependent_secants_are_left_out() {
        let vectors = [[1.0, 0.0, 2.0], [2.0, 0.0, 4.0], [0.0, 1.0, 1.0]];
        let product = |a: [f64; 3], b: [f64; 3]| (0..3).map(|c| a[c] * b[c]).sum::<f64>();
        let mut gram = SmallMatrix::default();
        let mut b = [0.0; MAX_SECANTS];
        let goal = [3.0, -2.0, 4.0];
        for i in 0..3 {
            b[i] = product(vectors[i], goal);
            for j in 0..3 {
                gram[i][j] = product(vectors[i], vectors[j]);
            }
        }
        let theta = solve_least_squares(&gram, &b, 3, 1e-12).unwrap();
        assert_eq!(theta[1], 0.0);
        let left: [f64; 3] =
            [0, 1, 2].map(|c| goal[c] - (0..3).map(|k| theta[k] * vectors[k][c]).sum::<f64>());
        // The rest is orthogonal to all vectors, whose span contains the goal.
        assert!(product(left, left) < 1e-24, "{left:?}");
    }
}
