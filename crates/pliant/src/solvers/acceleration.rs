//! Acceleration of the local/global iteration.
//!
//! One iteration is a map `x ← G(x) = x + d`, with `d = A⁻¹ r` the prefactored solve of the unbalanced
//! force `r = −∇g(x)`. All three methods reuse it and converge to the same point.
//!
//! **Chebyshev** (Wang 2015): a second-order recurrence,
//! `x_{k+1} = ω_{k+1} (G(x_k) − x_{k−1}) + x_{k−1}`, with `ω` from the spectral radius ρ, which the
//! first iterations of each step measure by the shrinking of `|d|`.
//!
//! **Anderson** (Peng et al. 2018): the combination of the last iterates whose increments cancel best,
//! `min |d_k − Σ θ_j (d_k − d_j)|`, applied to their images.
//!
//! **L-BFGS** (Liu et al. 2017): quasi-Newton with the prefactored matrix as the first guess of the
//! Hessian, and a line search on the objective.
//!
//! Plain iterations never raise the objective; these may. Chebyshev and Anderson fall back to the plain
//! image of the last good iterate where the increments grow, and end with a plain iteration; L-BFGS
//! searches along its direction, and takes the plain one where that fails. Nothing is kept from step to
//! step, so a restored snapshot continues bit for bit.

use crate::math::Scalar;
use crate::simd::Point;

/// How local/global iterations are accelerated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acceleration {
    /// Not at all: the paper's iteration.
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
    /// Every kind with its name.
    pub const LIST: [(&'static str, Self); 4] = [
        ("plain", Self::Plain),
        ("chebyshev", Self::Chebyshev),
        ("anderson", Self::Anderson),
        ("lbfgs", Self::Lbfgs),
    ];

    /// Its name, as users write it.
    pub fn name(self) -> &'static str {
        Self::LIST.iter().find(|(_, a)| *a == self).map_or("plain", |(name, _)| name)
    }
}

/// Iterates that Anderson's method and L-BFGS remember.
pub(super) const WINDOW: usize = 5;

/// The sum of products over all coordinates, in double precision and in the order of the vertices.
pub(super) fn dot<S: Scalar>(a: &[Point<S>], b: &[Point<S>]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        for c in 0..3 {
            sum += a[c].to_f64() * b[c].to_f64();
        }
    }
    sum
}

/// `y += s a`.
pub(super) fn add_scaled<S: Scalar>(y: &mut [Point<S>], s: f64, a: &[Point<S>]) {
    let s = S::from_f64(s);
    for (y, a) in y.iter_mut().zip(a) {
        for c in 0..3 {
            y[c] += s * a[c];
        }
    }
}

/// `y = a − b`, the spare number zero.
pub(super) fn subtract<S: Scalar>(y: &mut [Point<S>], a: &[Point<S>], b: &[Point<S>]) {
    for ((y, a), b) in y.iter_mut().zip(a).zip(b) {
        *y = [a[0] - b[0], a[1] - b[1], a[2] - b[2], S::default()];
    }
}

/// The recurrence of Chebyshev's method.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chebyshev {
    rho: f64,
    omega: f64,
    /// Iterations since the recurrence began or began again.
    since: usize,
    last: f64,
    /// The shortest increment so far.
    least: f64,
}

impl Chebyshev {
    /// Plain iterations before the recurrence sets in.
    const START: usize = 3;
    /// Iterations after which a radius that did no harm is raised: the first ones measure the errors
    /// that fade fast, not those that stay.
    const TRIAL: usize = 6;
    /// The largest radius that is tried.
    const MOST: f64 = 0.9995;

    pub fn new() -> Self {
        let infinite = f64::INFINITY;
        Self { rho: 0.0, omega: 1.0, since: 0, last: infinite, least: infinite }
    }

    /// The next ω, given the length of the increment; `None` if the increments grew and the
    /// recurrence must begin again.
    pub fn omega(&mut self, increment: f64) -> Option<f64> {
        let ratio = if self.last > 0.0 { increment / self.last } else { 0.0 };
        let harm = self.omega > 1.0 && increment > 1.3 * self.least;
        self.last = increment;
        self.least = if harm { increment } else { self.least.min(increment) };
        if harm {
            // Too bold: twice the distance from one.
            self.rho = (1.0 - 2.0 * (1.0 - self.rho)).max(0.0);
            (self.omega, self.since) = (1.0, Self::START);
            return None;
        }
        self.since += 1;
        if self.rho == 0.0 {
            if self.since > Self::START {
                self.rho = ratio.clamp(0.8, Self::MOST);
                self.since = Self::START;
            }
        } else if self.since >= Self::START + Self::TRIAL {
            self.rho = (1.0 - 0.5 * (1.0 - self.rho)).min(Self::MOST);
            self.since = Self::START;
        }
        let square = self.rho * self.rho;
        self.omega = match self.since {
            0..=Self::START => 2.0 / (2.0 - square),
            _ => 4.0 / (4.0 - square * self.omega),
        };
        Some(self.omega)
    }
}

/// Moves the plain image `x`, which the increment `d` led to, on by Chebyshev's recurrence. `last`
/// holds the iterate before the one that `d` started from.
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

/// A ring of the last few vectors.
pub(super) struct Ring<S> {
    rooms: Vec<Vec<Point<S>>>,
    first: usize,
    len: usize,
}

impl<S: Scalar> Ring<S> {
    pub fn new(count: usize, points: usize) -> Self {
        Self { rooms: vec![vec![Point::default(); points]; count], first: 0, len: 0 }
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// The vector pushed `age` pushes ago, 0 for the last; `age` must be below `len`.
    pub fn get(&self, age: usize) -> &[Point<S>] {
        let count = self.rooms.len();
        &self.rooms[(self.first + self.len - 1 - age) % count]
    }

    /// Room for the next vector, in the place of the oldest.
    pub fn push(&mut self) -> &mut [Point<S>] {
        let count = self.rooms.len();
        if self.len == count {
            self.first = (self.first + 1) % count;
        } else {
            self.len += 1;
        }
        &mut self.rooms[(self.first + self.len - 1) % count]
    }

    pub fn bytes(&self) -> usize {
        self.rooms.iter().map(|r| r.len() * size_of::<Point<S>>()).sum()
    }
}

/// Anderson's weights: the `θ` that make `|f − Σ θ_j (f − f_j)|` least, with `f` the newest of the
/// ring and `f_j` the older ones. `None` where they are not determined.
pub(super) fn anderson_weights<S: Scalar>(f: &Ring<S>) -> Option<[f64; WINDOW]> {
    let m = f.len().checked_sub(1).filter(|&m| m > 0)?;
    let mut gram = [[0.0; WINDOW + 1]; WINDOW + 1];
    for i in 0..=m {
        for j in 0..=i {
            gram[i][j] = dot(f.get(i), f.get(j));
            gram[j][i] = gram[i][j];
        }
    }
    // Differences f − f_j for j = 1..=m, from the products of the vectors themselves.
    let mut a = [[0.0; WINDOW]; WINDOW];
    let mut b = [0.0; WINDOW];
    for i in 0..m {
        for j in 0..m {
            a[i][j] = gram[0][0] - gram[0][i + 1] - gram[0][j + 1] + gram[i + 1][j + 1];
        }
        b[i] = gram[0][0] - gram[0][i + 1];
    }
    // A trace of regularisation: nearly parallel increments must not be told apart by rounding.
    let trace: f64 = (0..m).map(|i| a[i][i]).sum();
    let tiny = trace * if S::EPSILON > 1e-10 { 1e-6 } else { 1e-12 };
    for i in 0..m {
        a[i][i] += tiny;
    }
    solve_small(&mut a, &mut b, m)
}

/// Gaussian elimination with pivots; `None` if the matrix is singular.
fn solve_small(
    a: &mut [[f64; WINDOW]; WINDOW],
    b: &mut [f64; WINDOW],
    m: usize,
) -> Option<[f64; WINDOW]> {
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
    let mut x = [0.0; WINDOW];
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
        let mut ring = Ring::<f64>::new(3, 1);
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
        // f0 = (1, 1, 0) is the mean of f1 = (2, 0, 0)·… and f2 so chosen that one combination is 0.
        let mut ring = Ring::<f64>::new(WINDOW + 1, 1);
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
