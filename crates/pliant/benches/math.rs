//! Nanoseconds per element of the small-matrix kernels, scalar and packed, in both precisions.
//!
//! Structure-of-arrays input of a few thousand elements, in cache; the minimum and the median over
//! repeated sweeps. The ratio scalar/packed shows whether everything was inlined into the AVX2
//! wrapper: it falls below one if something was not.

use std::hint::black_box;
use std::time::Instant;

use pliant::math::eigen::project_psd;
use pliant::math::trig::atan2;
use pliant::math::{Mat3, Mat3x2, Random, Real, Scalar, Vec3, polar3, polar3x2, svd3, svd3x2};
use pliant::simd::{Lanes, Pack, SimdLoop};

const ELEMENTS: usize = 2048;
const REPEATS: usize = 500;

/// Columns of numbers in, columns of numbers out.
struct Batch<S> {
    input: Vec<Vec<S>>,
    output: Vec<Vec<S>>,
}

/// A job over the first columns in, to the first columns out.
macro_rules! job {
    ($name:ident: $x:ident [$($i:literal)*] -> [$($o:literal)*] $body:expr) => {
        struct $name<'a, S>(&'a mut Batch<S>);
        impl<S: Scalar> SimdLoop<S> for $name<'_, S> {
            type Unit = Self;

            #[inline(always)]
            fn run<R: Pack<Scalar = S>>(&mut self) {
                let Batch { input, output } = &mut *self.0;
                for i in (0..ELEMENTS).step_by(R::LANES) {
                    let $x = [$(R::load(&input[$i][i..])),*];
                    let y = $body;
                    $(y[$o].store(&mut output[$o][i..]);)*
                }
            }
        }
    };
}

job!(Copy9: x [0 1 2 3 4 5 6 7 8] -> [0 1 2 3 4 5 6 7 8] x);
job!(Svd3Job: x [0 1 2 3 4 5 6 7 8] -> [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20] {
    let d = svd3(&matrix(&x));
    let [a, b, c] = d.u.cols;
    let [p, q, r] = d.v.cols;
    let [s, t, u] = d.sigma;
    [
        a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, p.x, p.y, p.z, q.x, q.y, q.z, r.x, r.y, r.z,
        s, t, u,
    ]
});
job!(Polar3Job: x [0 1 2 3 4 5 6 7 8] -> [0 1 2 3 4 5 6 7 8] entries(&polar3(&matrix(&x))));
job!(Svd3x2Job: x [0 1 2 3 4 5] -> [0 1 2 3 4 5 6 7 8 9] {
    let d = svd3x2(&matrix3x2(&x));
    let [a, b] = d.u;
    let [[c, s], _] = d.v.cols;
    [a.x, a.y, a.z, b.x, b.y, b.z, d.sigma[0], d.sigma[1], c, s]
});
job!(Polar3x2Job: x [0 1 2 3 4 5] -> [0 1 2 3 4 5] {
    let [a, b] = polar3x2(&matrix3x2(&x)).cols;
    [a.x, a.y, a.z, b.x, b.y, b.z]
});
job!(Atan2Job: x [0 1] -> [0] [atan2(x[0], x[1])]);

#[inline(always)]
fn matrix<R: Real>(x: &[R; 9]) -> Mat3<R> {
    Mat3::from_cols(
        Vec3::new(x[0], x[1], x[2]),
        Vec3::new(x[3], x[4], x[5]),
        Vec3::new(x[6], x[7], x[8]),
    )
}

#[inline(always)]
fn matrix3x2<R: Real>(x: &[R; 6]) -> Mat3x2<R> {
    Mat3x2 { cols: [Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5])] }
}

#[inline(always)]
fn entries<R: Real>(m: &Mat3<R>) -> [R; 9] {
    let [a, b, c] = m.cols;
    [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z]
}

/// Random rotations times symmetric stretches with entries within ±`strain` of the identity; the
/// given share of them is inverted.
fn batch<S: Scalar>(strain: f64, inverted: f64) -> Batch<S> {
    let mut random = Random::new(11);
    let mut input = vec![vec![S::default(); ELEMENTS]; 9];
    for i in 0..ELEMENTS {
        let mut next = || random.signed_unit();
        let noise: [f64; 9] = [0; 9].map(|_| next());
        let [d, e, f] = [0; 3].map(|_| 1.0 + strain * next());
        let [p, q, r] = [0; 3].map(|_| 0.5 * strain * next());
        let flip = if 0.5 * (next() + 1.0) < inverted { -1.0 } else { 1.0 };
        let m = polar3(&matrix(&noise)).mul(&matrix(&[d, p, q, p, e, r, q, r, f]));
        for (k, x) in entries(&m).into_iter().enumerate() {
            input[k][i] = S::from_f64(if k < 3 { flip * x } else { x });
        }
    }
    Batch { input, output: vec![vec![S::default(); ELEMENTS]; 21] }
}

/// Minimum and median time of one element.
fn time<S: Scalar, J: SimdLoop<S>>(lanes: Lanes, job: &mut J) -> (f64, f64) {
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let start = Instant::now();
            S::dispatch(lanes, black_box(job));
            start.elapsed().as_secs_f64() * 1e9 / ELEMENTS as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[0], times[REPEATS / 2])
}

fn report<S: Scalar, J: SimdLoop<S>>(name: &str, mut job: J) {
    let scalar = time(Lanes::Scalar, &mut job);
    let packed = time(Lanes::Packed, &mut job);
    println!(
        "{:26} {}  scalar {:7.2} ({:7.2})  packed {:6.2} ({:6.2})  ratio {:.1}",
        name,
        S::NAME,
        scalar.0,
        scalar.1,
        packed.0,
        packed.1,
        scalar.0 / packed.0
    );
}

fn precision<S: Scalar>() {
    let mut near = batch::<S>(0.3, 0.0);
    let mut some = batch::<S>(0.3, 0.01);
    let mut many = batch::<S>(0.3, 0.2);
    let mut small = batch::<S>(0.03, 0.0);
    let mut wild = batch::<S>(3.0, 0.0);
    report("nine columns copied", Copy9(&mut near));
    report("svd3, strain 3 %", Svd3Job(&mut small));
    report("svd3, strain 30 %", Svd3Job(&mut near));
    report("svd3, strain 300 %", Svd3Job(&mut wild));
    report("polar3, strain 3 %", Polar3Job(&mut small));
    report("polar3, strain 30 %", Polar3Job(&mut near));
    report("polar3, 1 % inverted", Polar3Job(&mut some));
    report("polar3, 20 % inverted", Polar3Job(&mut many));
    report("polar3, strain 300 %", Polar3Job(&mut wild));
    report("svd3x2, strain 30 %", Svd3x2Job(&mut near));
    report("polar3x2, strain 30 %", Polar3x2Job(&mut near));
    report("atan2", Atan2Job(&mut near));
}

/// The projection of symmetric matrices with random entries, and of definite ones.
fn projection(n: usize, diagonal: f64) {
    let mut random = Random::new(5);
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            a[i * n + j] = random.signed_unit();
            a[j * n + i] = a[i * n + j];
        }
        a[i * n + i] += diagonal;
    }
    let mut work = a.clone();
    let mut best = f64::MAX;
    for _ in 0..REPEATS {
        let start = Instant::now();
        for _ in 0..10 {
            work.copy_from_slice(black_box(&a));
            project_psd(black_box(&mut work), n);
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e8);
    }
    let kind = if diagonal > 0.0 { "definite" } else { "indefinite" };
    println!("project_psd {n:2} x {n:2}, {kind:10} {best:9.0}");
}

fn main() {
    println!("ns per element: minimum (median)");
    precision::<f32>();
    precision::<f64>();
    for n in [9, 12] {
        projection(n, 0.0);
        projection(n, n as f64);
    }
}
