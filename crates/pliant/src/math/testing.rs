//! Helpers for tests of the small-matrix kernels: random input, and running a kernel over columns of
//! numbers with scalar or packed arithmetic.

use std::marker::PhantomData;

pub use crate::math::Random;
use crate::math::{Mat3, Mat3x2, Real, Scalar, Vec3};
use crate::simd::{Lanes, Pack, SimdLoop};

/// A kernel from `IN` numbers to `OUT` numbers.
pub trait Kernel {
    const IN: usize;
    const OUT: usize;
    fn eval<R: Pack>(x: &[R], y: &mut [R]);
}

struct Columns<'a, S, K> {
    input: &'a [Vec<S>],
    output: Vec<Vec<S>>,
    kernel: PhantomData<K>,
}

impl<S: Scalar, K: Kernel> SimdLoop<S> for Columns<'_, S, K> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        let mut x = [R::zero(); 9];
        let mut y = [R::zero(); 21];
        for i in (0..self.input[0].len()).step_by(R::LANES) {
            for k in 0..K::IN {
                x[k] = R::load(&self.input[k][i..]);
            }
            K::eval(&x[..K::IN], &mut y[..K::OUT]);
            for k in 0..K::OUT {
                y[k].store(&mut self.output[k][i..]);
            }
        }
    }
}

/// Runs a kernel over columns whose length is a multiple of every pack.
pub fn run<S: Scalar, K: Kernel>(lanes: Lanes, input: &[Vec<S>]) -> Vec<Vec<S>> {
    let n = input[0].len();
    assert_eq!((input.len(), n % S::PACK), (K::IN, 0));
    let output = vec![vec![S::default(); n]; K::OUT];
    let mut job = Columns::<S, K> { input, output, kernel: PhantomData };
    S::dispatch(lanes, &mut job);
    job.output
}

/// Asserts that scalar and packed results are the same bit for bit.
pub fn assert_same_bits<S: Scalar>(a: &[Vec<S>], b: &[Vec<S>]) {
    for (k, (a, b)) in a.iter().zip(b).enumerate() {
        for (i, (&a, &b)) in a.iter().zip(b).enumerate() {
            assert!(a.is_finite(), "output {k} of element {i} is {a}");
            assert_eq!(a.canonical_bits(), b.canonical_bits(), "output {k}, element {i}: {a} {b}");
        }
    }
}

impl Random {
    /// Returns a matrix with entries in −1..1.
    pub fn matrix(&mut self) -> Mat3<f64> {
        Mat3::from_cols(self.vector(), self.vector(), self.vector())
    }
    /// Returns a vector with components in −1..1.
    pub fn vector(&mut self) -> Vec3<f64> {
        Vec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0))
    }
    /// Returns a rotation, by orthonormalising a random matrix.
    pub fn rotation(&mut self) -> Mat3<f64> {
        loop {
            let (a, b) = (self.vector(), self.vector());
            let c = a.cross(b);
            if c.norm() > 0.05 {
                let a = a.scale(1.0 / a.norm());
                let c = c.scale(1.0 / c.norm());
                return Mat3::from_cols(a, c.cross(a), c);
            }
        }
    }
    /// Returns U diag(s) Vᵀ with random rotations.
    pub fn with_singular_values(&mut self, s: [f64; 3]) -> Mat3<f64> {
        let [a, b, c] = self.rotation().cols;
        Mat3::from_cols(a.scale(s[0]), b.scale(s[1]), c.scale(s[2]))
            .mul(&self.rotation().transpose())
    }
}

/// Returns the nine entries by columns.
pub fn entries(m: &Mat3<f64>) -> [f64; 9] {
    let [a, b, c] = m.cols;
    [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
}

/// Returns a matrix from nine entries by columns.
#[inline(always)]
pub fn matrix<R: Real>(x: &[R]) -> Mat3<R> {
    Mat3::from_cols(
        Vec3::new(x[0], x[1], x[2]),
        Vec3::new(x[3], x[4], x[5]),
        Vec3::new(x[6], x[7], x[8]),
    )
}

/// Writes the nine entries of a matrix by columns.
#[inline(always)]
pub fn write_matrix<R: Real>(m: &Mat3<R>, y: &mut [R]) {
    let [a, b, c] = m.cols;
    [y[0], y[1], y[2]] = [a.x, a.y, a.z];
    [y[3], y[4], y[5]] = [b.x, b.y, b.z];
    [y[6], y[7], y[8]] = [c.x, c.y, c.z];
}

/// Returns a 3×2 matrix from six entries by columns.
#[inline(always)]
pub fn matrix3x2<R: Real>(x: &[R]) -> Mat3x2<R> {
    Mat3x2 { cols: [Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5])] }
}

/// Writes the six entries of two columns.
#[inline(always)]
pub fn write_matrix3x2<R: Real>(m: &[Vec3<R>; 2], y: &mut [R]) {
    let [a, b] = *m;
    [y[0], y[1], y[2]] = [a.x, a.y, a.z];
    [y[3], y[4], y[5]] = [b.x, b.y, b.z];
}

/// Returns the largest entry of |MᵀM − I| of a 3×2 matrix.
pub fn frame_error(m: &Mat3x2<f64>) -> f64 {
    let [a, b] = m.cols;
    (a.norm_squared() - 1.0).abs().max((b.norm_squared() - 1.0).abs()).max(a.dot(b).abs())
}

/// Returns the largest entry of |a − b|.
pub fn distance(a: &Mat3<f64>, b: &Mat3<f64>) -> f64 {
    let (a, b) = (entries(a), entries(b));
    (0..9).fold(0.0, |m, k| f64::max(m, (a[k] - b[k]).abs()))
}

/// Returns the largest entry of |MᵀM − I|, or |det M − 1| if that is larger.
pub fn rotation_error(m: &Mat3<f64>) -> f64 {
    distance(&m.transpose().mul(m), &Mat3::identity()).max((m.det() - 1.0).abs())
}

/// Returns 10,000 random matrices of many kinds (any entries, near rotations, chosen singular values,
/// reflections, flat, all sizes) and many degenerate ones, as columns of entries.
pub fn matrices<S: Scalar>() -> Vec<Vec<S>> {
    let mut random = Random::new(1);
    let mut all = Vec::new();
    for k in 0..10_000 {
        let wide = crate::math::pow(10.0, random.range(-9.0, 0.0));
        all.push(match k % 8 {
            0 | 1 => random.matrix(),
            2 | 3 => {
                let s = [0; 3].map(|_| random.range(0.7, 1.3));
                random.with_singular_values(s)
            }
            4 => {
                let s = [0; 3].map(|_| random.range(-1.0, 1.0));
                random.with_singular_values(s)
            }
            5 => {
                let last = wide * random.range(-1.0, 1.0);
                random.with_singular_values([1.0, wide, last])
            }
            6 => {
                let near = 1.0 + wide * random.range(-1.0, 1.0);
                let sign = random.range(-1.0, 1.0);
                random.with_singular_values([1.0, near, if sign < 0.0 { sign } else { 1.0 }])
            }
            _ => {
                let size = crate::math::pow(10.0, random.range(-30.0, 30.0));
                let m = random.matrix();
                Mat3::from_cols(m.cols[0].scale(size), m.cols[1].scale(size), m.cols[2].scale(size))
            }
        });
    }
    all.extend(edge_cases(&mut random));
    while all.len() % 8 != 0 {
        all.push(random.matrix());
    }
    // The norm must not overflow in single precision.
    let narrow = |x: f64| S::from_f64(x.clamp(-1e38, 1e38));
    (0..9).map(|k| all.iter().map(|m| narrow(entries(m)[k])).collect()).collect()
}

fn edge_cases(random: &mut Random) -> Vec<Mat3<f64>> {
    let mut all = Vec::new();
    for s in [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [1.0, 1.0, 1.0],
        [1.0, 1.0, -1.0],
        [-1.0, -1.0, -1.0],
        [1.0, 0.5, -0.5],
        [1.0, 0.5, -0.499_999_9],
        [2.0, 2.0, 1e-7],
        [1.0, 1e-3, 1e-3],
        [1.0, 1e-4, -1e-4],
        [1.0, 1e-7, 1e-7],
        [1.0, 1e-8, 1e-16],
        [1.0, 1e-20, 1e-30],
        [1e3, 1.0, 1e-3],
        [1e5, 1e5, 1.0],
        [1e10, 1.0, 1e-10],
        [-3.0, 2.0, 1.0],
        [0.0, -1.0, 0.0],
    ] {
        for size in [1.0, 1e30, 1e-30, 1e37, 1e-37, 1e20, 1e-20, 1000.0, 1e-3, 1e-45] {
            let s = s.map(|x| x * size);
            let o = 0.0;
            // As a diagonal, with its entries off the diagonal, and rotated.
            all.push(matrix(&[s[0], o, o, o, s[1], o, o, o, s[2]]));
            all.push(matrix(&[o, s[0], o, o, o, s[2], s[1], o, o]));
            all.push(random.with_singular_values(s));
        }
    }
    for size in [1.0, 1e38, 1e-38] {
        all.push(matrix(&[size; 9]));
        all.push(matrix(&[size, size, size, -size, -size, -size, size, size, size]));
        all.push(matrix(&[size, 0.0, 0.0, size, 0.0, 0.0, 0.0, size, 0.0]));
        all.push(matrix(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0].map(|x| x * size / 9.0)));
    }
    all
}
