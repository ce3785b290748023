//! Acceleration of the local/global iteration.
//!
//! One iteration is a map `x ← G(x) = x + d`, with `d = A⁻¹ r` the prefactored solve for the residual
//! force `r = −∇g(x)`. All three methods reuse it and converge to the same point.
//!
//! **Chebyshev** (Wang 2015): a second-order recurrence,
//! `x_{k+1} = ω_{k+1} (G(x_k) − x_{k−1}) + x_{k−1}`. `ω` depends on the spectral radius ρ, which the first
//! iterations of each step estimate from the decrease of `|d|`.
//!
//! **Anderson** (Peng et al. 2018): the combination of the last iterates whose increments cancel best,
//! `min |d_k − Σ θ_j (d_k − d_j)|`, applied to their images.
//!
//! **L-BFGS** (Liu et al. 2017): quasi-Newton with the prefactored matrix as the initial approximation
//! of the Hessian, and a line search on the objective.
//!
//! Plain iterations never raise the objective; accelerated ones may. Chebyshev and Anderson fall back
//! to the plain image of the last valid iterate where the increments grow, and end with a plain
//! iteration. L-BFGS searches along its direction and takes the plain step where that fails. No state
//! is kept from step to step, so a restored snapshot continues bit for bit.

use crate::math::Scalar;
use crate::simd::Point;

/// Acceleration method of local/global iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceleration {
    /// None: the paper's iteration.
    #[default]
    Plain,
    /// Chebyshev's semi-iterative method.
    Chebyshev,
    /// Anderson acceleration over the last five iterates.
    Anderson,
    /// L-BFGS over the last five iterates.
    Lbfgs,
}

impl Acceleration {
    /// All methods with their names.
    pub const LIST: [(&'static str, Self); 4] = [
        ("plain", Self::Plain),
        ("chebyshev", Self::Chebyshev),
        ("anderson", Self::Anderson),
        ("lbfgs", Self::Lbfgs),
    ];

    /// Name of the method, as users write it.
    pub fn name(self) -> &'static str {
        Self::LIST.iter().find(|(_, a)| *a == self).map_or("plain", |(name, _)| name)
    }
}

/// Number of past iterates kept by Anderson's method and L-BFGS.
pub(super) const HISTORY_LEN: usize = 5;

/// Returns the sum of products over all coordinates, in double precision and in the order of the
/// vertices.
pub(super) fn dot<S: Scalar>(a: &[Point<S>], b: &[Point<S>]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        for c in 0..3 {
            sum += a[c].to_f64() * b[c].to_f64();
        }
    }
    sum
}

/// Computes `y += s a`.
pub(super) fn add_scaled<S: Scalar>(y: &mut [Point<S>], s: f64, a: &[Point<S>]) {
    let s = S::from_f64(s);
    for (y, a) in y.iter_mut().zip(a) {
        for c in 0..3 {
            y[c] += s * a[c];
        }
    }
}

/// Computes `y = a − b`, with the fourth component zero.
pub(super) fn subtract<S: Scalar>(y: &mut [Point<S>], a: &[Point<S>], b: &[Point<S>]) {
    for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
        *y = [a[0] - b[0], a[1] - b[1], a[2] - b[2], S::default()];
    }
}

/// Recurrence of Chebyshev's method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chebyshev {
    rho: f64,
    omega: f64,
    /// Iterations since the recurrence was started or restarted.
    iterations: usize,
    last_increment: f64,
    /// Length of the shortest increment so far.
    shortest_increment: f64,
}

impl Chebyshev {
    /// Number of plain iterations before the recurrence starts.
    const WARMUP_ITERATIONS: usize = 3;
    /// Iterations after which a radius that did no harm is raised: the first iterations measure error
    /// components that decay fast, not the persistent ones.
    const TRIAL_ITERATIONS: usize = 6;
    /// Largest radius that is tried.
    const MAX_RADIUS: f64 = 0.9995;

    pub fn new() -> Self {
        let infinite = f64::INFINITY;
        Self {
            rho: 0.0,
            omega: 1.0,
            iterations: 0,
            last_increment: infinite,
            shortest_increment: infinite,
        }
    }

    /// Returns the next ω for an increment of the given length, or `None` if the increments grew and
    /// the recurrence must restart.
    pub fn omega(&mut self, increment: f64) -> Option<f64> {
        let ratio = if self.last_increment > 0.0 { increment / self.last_increment } else { 0.0 };
        let harm = self.omega > 1.0 && increment > 1.3 * self.shortest_increment;
        self.last_increment = increment;
        self.shortest_increment =
            if harm { increment } else { self.shortest_increment.min(increment) };
        if harm {
            // The radius was too large: double its distance from one.
            self.rho = (1.0 - 2.0 * (1.0 - self.rho)).max(0.0);
            (self.omega, self.iterations) = (1.0, Self::WARMUP_ITERATIONS);
            return None;
        }
        self.iterations += 1;
        if self.rho == 0.0 {
            if self.iterations > Self::WARMUP_ITERATIONS {
                self.rho = ratio.clamp(0.8, Self::MAX_RADIUS);
                self.iterations = Self::WARMUP_ITERATIONS;
            }
        } else if self.iterations >= Self::WARMUP_ITERATIONS + Self::TRIAL_ITERATIONS {
            self.rho = (1.0 - 0.5 * (1.0 - self.rho)).min(Self::MAX_RADIUS);
            self.iterations = Self::WARMUP_ITERATIONS;
        }
        let square = self.rho * self.rho;
        self.omega = match self.iterations {
            0..=Self::WARMUP_ITERATIONS => 2.0 / (2.0 - square),
            _ => 4.0 / (4.0 - square * self.omega),
        };
        Some(self.omega)
    }
}

/// Extrapolates the plain image `x`, which the increment `d` led to, by Chebyshev's recurrence. `last`
/// holds the iterate before the one from which `d` started.
pub(super) fn advance_chebyshev<S: Scalar>(
    recurrence: &mut Chebyshev,
    x: &mut [Point<S>],
    d: &[Point<S>],
    last: &mut [Point<S>],
) {
    match recurrence.omega(dot(d, d).sqrt()) {
        Some(omega) if omega > 1.0 => {
            let omega = S::from_f64(omega);
            for ((x, d), last) in x.iter_mut().zip(d).zip(last) {
                if x[3] > S::default() {
                    for c in 0..3 {
                        let before = x[c] - d[c];
                        x[c] = omega * (x[c] - last[c]) + last[c];
                        last[c] = before;
                    }
                }
            }
        }
        _ => {
            for ((x, d), last) in x.iter().zip(d).zip(last) {
                *last = [x[0] - d[0], x[1] - d[1], x[2] - d[2], S::default()];
            }
        }
    }
}

/// Ring buffer of the most recent vectors.
pub(super) struct RingBuffer<S> {
    slots: Vec<Vec<Point<S>>>,
    first: usize,
    len: usize,
}

impl<S: Scalar> RingBuffer<S> {
    pub fn new(count: usize, points: usize) -> Self {
        Self { slots: vec![vec![Point::default(); points]; count], first: 0, len: 0 }
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the vector pushed `age` pushes ago, 0 for the last; `age` must be below `len`.
    pub fn get(&self, age: usize) -> &[Point<S>] {
        let count = self.slots.len();
        &self.slots[(self.first + self.len - 1 - age) % count]
    }

    /// Returns the slot for the next vector, replacing the oldest if the buffer is full.
    pub fn push(&mut self) -> &mut [Point<S>] {
        let count = self.slots.len();
        if self.len == count {
            self.first = (self.first + 1) % count;
        } else {
            self.len += 1;
        }
        &mut self.slots[(self.first + self.len - 1) % count]
    }

    pub fn bytes(&self) -> usize {
        self.slots.iter().map(|r| r.len() * size_of::<Point<S>>()).sum()
    }
}

/// Returns Anderson's weights: the `θ` that minimise `|f − Σ θ_j (f − f_j)|`, with `f` the newest
/// vector of the ring and `f_j` the older ones. `None` if they are not determined.
pub(super) fn anderson_weights<S: Scalar>(f: &RingBuffer<S>) -> Option<[f64; HISTORY_LEN]> {
    let m = f.len().checked_sub(1).filter(|&m| m > 0)?;
    let mut gram = [[0.0; HISTORY_LEN + 1]; HISTORY_LEN + 1];
    for i in 0..=m {
        for j in 0..=i {
            gram[i][j] = dot(f.get(i), f.get(j));
            gram[j][i] = gram[i][j];
        }
    }
    // Differences f − f_j for j = 1..=m, from the products of the vectors themselves.
    let mut a = [[0.0; HISTORY_LEN]; HISTORY_LEN];
    let mut b = [0.0; HISTORY_LEN];
    for i in 0..m {
        for j in 0..m {
            a[i][j] = gram[0][0] - gram[0][i + 1] - gram[0][j + 1] + gram[i + 1][j + 1];
        }
        b[i] = gram[0][0] - gram[0][i + 1];
    }
    // Slight regularisation: rounding must not distinguish nearly parallel increments.
    let trace: f64 = (0..m).map(|i| a[i][i]).sum();
    let tiny = trace * if S::EPSILON > 1e-10 { 1e-6 } else { 1e-12 };
    for i in 0..m {
        a[i][i] += tiny;
    }
    solve_small(&mut a, &mut b, m)
}

/// Solves by Gaussian elimination with pivoting. Returns `None` if the matrix is singular.
fn solve_small(
    a: &mut [[f64; HISTORY_LEN]; HISTORY_LEN],
    b: &mut [f64; HISTORY_LEN],
    m: usize,
) -> Option<[f64; HISTORY_LEN]> {
    for k in 0..m {
        let pivot = (k..m).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, pivot);
        b.swap(k, pivot);
        if !(a[k][k].abs() > 0.0) {
            return None;
        }
        for i in k + 1..m {
            let s = a[i][k] / a[k][k];
            for j in k..m {
                a[i][j] -= s * a[k][j];
            }
            b[i] -= s * b[k];
        }
    }
    let mut x = [0.0; HISTORY_LEN];
    for i in (0..m).rev() {
        let known: f64 = (i + 1..m).map(|j| a[i][j] * x[j]).sum();
        x[i] = (b[i] - known) / a[i][i];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_remembers_the_last_few() {
        let mut ring = RingBuffer::<f64>::new(3, 1);
        for k in 0..5 {
            ring.push()[0][0] = k as f64;
        }
        assert_eq!((ring.len(), ring.get(0)[0][0], ring.get(2)[0][0]), (3, 4.0, 2.0));
        ring.clear();
        ring.push()[0][0] = 9.0;
        assert_eq!((ring.len(), ring.get(0)[0][0]), (1, 9.0));
    }

    #[test]
    fn anderson_finds_the_combination_that_cancels() {
        // The newest vector is f0 = (1, 2, 0); two weights suffice to cancel it in the plane.
        let mut ring = RingBuffer::<f64>::new(HISTORY_LEN + 1, 1);
        ring.push()[0] = [0.0, 2.0, 0.0, 0.0];
        ring.push()[0] = [2.0, 0.0, 0.0, 0.0];
        ring.push()[0] = [1.0, 2.0, 0.0, 0.0];
        let theta = anderson_weights(&ring).unwrap();
        let f = |k: usize| ring.get(k)[0];
        let left: f64 = (0..3)
            .map(|c| {
                let v = f(0)[c] - (0..2).map(|j| theta[j] * (f(0)[c] - f(j + 1)[c])).sum::<f64>();
                v * v
            })
            .sum();
        assert!(left < 1e-12, "{left}");
    }

    #[test]
    fn chebyshev_starts_plainly_and_starts_over_when_increments_grow() {
        let mut c = Chebyshev::new();
        let mut length = 1.0;
        let mut omegas = Vec::new();
        for _ in 0..10 {
            omegas.push(c.omega(length).unwrap());
            length *= 0.9;
        }
        assert!(omegas[..3].iter().all(|w| *w == 1.0) && omegas[9] > 1.2, "{omegas:?}");
        assert_eq!(c.omega(2.0), None, "the increments grew");
    }
}
