//! Tests that every pack gives the bits of scalar arithmetic on every operation: AVX2 if the machine
//! supports it, and the portable packs, which this target would otherwise never run.
//!
//! NaNs are only compared as NaN: the payload is not specified and never used.

use crate::math::testing::{Kernel, matrices, matrix, matrix3x2, write_matrix, write_matrix3x2};
use crate::math::trig::atan2;
use crate::math::{Real, Scalar, polar3, polar3x2, svd3, svd3x2};
use crate::simd::{Lanes, POINT_STRIDE, Pack, PackPair, Point, SimdLoop, portable};

/// Returns values at which an operation may go wrong.
fn numbers<S: Scalar>() -> Vec<S> {
    let (tiny, max) = (S::TINY, if S::EPSILON > 1e-10 { 3.4e38 } else { 1.7e308 });
    let denormal = tiny * if S::EPSILON > 1e-10 { 1e-5 } else { 1e-12 };
    let mut all =
        vec![0.0, 1.0, 1.5, 3.0, 1e-3, 1e10, tiny, denormal, max, f64::INFINITY, f64::NAN];
    all.push(1.0 + S::EPSILON);
    let negative: Vec<f64> = all.iter().map(|x| -x).collect();
    all.extend(negative);
    all.into_iter().map(S::from_f64).collect()
}

/// Applies all operations of [`Real`] to packs of `a` and `b`.
#[inline(always)]
fn operations<R: Real>(a: R, b: R) -> [R; 15] {
    let mut sum = a;
    sum += b;
    let mut difference = a;
    difference -= b;
    let mut product = a;
    product *= b;
    [
        a + b,
        a - b,
        a * b,
        a / b,
        -a,
        a.sqrt(),
        a.abs(),
        a.min(b),
        a.max(b),
        R::select_lt(a, b, a, b),
        a.div_or_zero(b, R::of(R::Scalar::TINY)),
        a.clamp(b, R::one()),
        sum,
        difference,
        product,
    ]
}

struct Operations<'a, S> {
    a: &'a [S],
    b: &'a [S],
    out: Vec<[S; 15]>,
    any: Vec<bool>,
}

impl<S: Scalar> SimdLoop<S> for Operations<'_, S> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        for i in (0..self.a.len()).step_by(R::LANES) {
            let (a, b) = (R::load(&self.a[i..]), R::load(&self.b[i..]));
            let all = operations(a, b);
            for lane in 0..R::LANES {
                self.out[i + lane] = all.map(|x| x.lane(lane));
            }
            self.any.push(R::any_lt(a, b));
        }
    }
}

/// Returns the bits, identical for all NaNs.
fn bits<S: Scalar>(x: S) -> u64 {
    if x.to_f64().is_nan() { u64::MAX } else { x.to_f64().to_bits() }
}

fn check_operations<S: Scalar, P: Pack<Scalar = S>>() {
    let numbers = numbers::<S>();
    // All pairs, padded to whole packs.
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for &x in &numbers {
        for &y in &numbers {
            a.push(x);
            b.push(y);
        }
    }
    while a.len() % P::LANES != 0 {
        a.push(numbers[1]);
        b.push(numbers[2]);
    }
    let job = || Operations { a: &a, b: &b, out: vec![[S::default(); 15]; a.len()], any: vec![] };
    let (mut scalar, mut packed, mut portable) = (job(), job(), job());
    S::dispatch(Lanes::Scalar, &mut scalar);
    S::dispatch(Lanes::Packed, &mut packed);
    portable.run::<P>();
    for (name, other) in [("packed", &packed), ("portable", &portable)] {
        for i in 0..a.len() {
            for k in 0..15 {
                let (want, found) = (scalar.out[i][k], other.out[i][k]);
                let same = bits(want) == bits(found);
                assert!(
                    same,
                    "{name} {} operation {k} of {} and {}: {want} {found}",
                    S::NAME,
                    a[i],
                    b[i]
                );
            }
        }
        // `any_lt` of a pack is true if any lane is.
        let lanes = a.len() / other.any.len();
        for (i, &found) in other.any.iter().enumerate() {
            let any = scalar.any[i * lanes..(i + 1) * lanes].contains(&true);
            assert_eq!(found, any, "{name} any_lt {i}");
        }
    }
}

#[test]
fn every_operation_has_the_bits_of_the_scalar() {
    check_operations::<f32, portable::F32x8>();
    check_operations::<f64, portable::F64x4>();
    check_operations::<f32, PackPair<portable::F32x8>>();
    check_operations::<f64, PackPair<portable::F64x4>>();
}

/// Checks loads, stores, gathers, scatters and sums of lanes.
fn check_memory<S: Scalar, P: Pack<Scalar = S>>() {
    let n = P::LANES;
    let points: Vec<Point<S>> = (0..3 * n)
        .map(|i| [0, 1, 2, 3].map(|c| S::from_f64(1.0 / (1 + 4 * i + c) as f64)))
        .collect();
    let index: Vec<u32> = (0..n as u32).map(|l| (7 * l + 2) % (3 * n as u32)).collect();
    let offset: Vec<u32> = index.iter().map(|i| i * POINT_STRIDE).collect();
    // SAFETY: all indices are below the number of points.
    let v = unsafe { P::gather(points.as_ptr(), &offset) };
    for lane in 0..n {
        for c in 0..4 {
            assert_eq!(v[c].lane(lane).to_f64(), points[index[lane] as usize][c].to_f64());
        }
    }
    let mut moved = points.clone();
    // SAFETY: as above, and the indices differ.
    unsafe { P::scatter([v[1], v[2], v[3], v[0]], moved.as_mut_ptr(), &offset) };
    for (i, (now, before)) in moved.iter().zip(&points).enumerate() {
        let [x, y, z, w] = *before;
        let expected = if index.contains(&(i as u32)) { [y, z, w, x] } else { *before };
        assert!(now.iter().zip(expected).all(|(a, b)| *a == b), "point {i}");
    }
    let flat: Vec<S> = points.iter().flatten().copied().collect();
    let packs = [0, 1, 2, 3].map(|k| P::load(&flat[n * k..]));
    for (k, sum) in P::sum_lanes(packs).into_iter().enumerate() {
        // Neighbours, then pairs, then halves.
        let mut tree: Vec<S> = flat[n * k..n * (k + 1)].to_vec();
        while tree.len() > 1 {
            tree = tree.chunks(2).map(|pair| pair[0] + pair[1]).collect();
        }
        assert_eq!(bits(sum), bits(tree[0]));
    }
    let mut stored = vec![S::default(); n];
    packs[2].store(&mut stored);
    assert!(stored == flat[2 * n..3 * n]);
}

#[test]
fn portable_packs_move_and_sum_as_others_do() {
    check_memory::<f32, portable::F32x8>();
    check_memory::<f64, portable::F64x4>();
    check_memory::<f32, PackPair<portable::F32x8>>();
    check_memory::<f64, PackPair<portable::F64x4>>();
}

/// The decompositions and the arctangent in one kernel.
struct Small;

impl Kernel for Small {
    const IN: usize = 9;
    const OUT: usize = 21;
    #[inline(always)]
    fn eval<R: Pack>(x: &[R], y: &mut [R]) {
        let f = matrix(x);
        let svd = svd3(&f);
        write_matrix(&svd.u, &mut y[0..9]);
        [y[9], y[10], y[11]] = svd.sigma;
        y[12] = polar3(&f).cols[2].y;
        y[13] = svd3x2(&matrix3x2(x)).sigma[1];
        write_matrix3x2(&polar3x2(&matrix3x2(x)).cols, &mut y[14..20]);
        y[20] = atan2(x[0], x[1]);
    }
}

struct Portable<'a, S> {
    input: &'a [Vec<S>],
    output: Vec<Vec<S>>,
}

impl<S: Scalar> SimdLoop<S> for Portable<'_, S> {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        for i in (0..self.input[0].len()).step_by(R::LANES) {
            let mut x = [R::zero(); 9];
            let mut y = [R::zero(); 21];
            for k in 0..9 {
                x[k] = R::load(&self.input[k][i..]);
            }
            Small::eval(&x, &mut y);
            for k in 0..21 {
                y[k].store(&mut self.output[k][i..]);
            }
        }
    }
}

fn check_kernels<S: Scalar, P: Pack<Scalar = S>>() {
    let input = matrices::<S>();
    let n = input[0].len();
    let scalar = crate::math::testing::run::<S, Small>(Lanes::Scalar, &input);
    let mut portable = Portable { input: &input, output: vec![vec![S::default(); n]; 21] };
    portable.run::<P>();
    crate::math::testing::assert_same_bits(&scalar, &portable.output);
}

#[test]
fn small_matrix_kernels_have_the_same_bits_on_portable_packs() {
    check_kernels::<f32, portable::F32x8>();
    check_kernels::<f64, portable::F64x4>();
}
