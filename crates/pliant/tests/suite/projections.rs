//! Contract C8: every projection is idempotent (an admissible value stays where it is), gives the
//! nearest admissible value (none of many random admissible values is nearer), and is finite for
//! zero, for inputs of 1e30 and 1e-30, for reflections and for matrices of rank one.

use crate::common::{self, Random, RandomGeometry, norm, scale};
use pliant::element::Projective;
use pliant::elements::{
    EdgeStrain, LaplaceBending, Spring, TetCorotationalVolume, TetStrain, TetVolumeBounds,
    TriangleAreaBounds, TriangleStrain,
};
use pliant::math::{Mat3, Scalar, Vec3, svd3};

type Vectors<const D: usize> = [[f64; 3]; D];

/// The projection of `y`, computed in precision `S`.
fn project<S: Scalar, E: Projective<N, D, K>, const N: usize, const D: usize, const K: usize>(
    element: &E,
    y: &Vectors<D>,
) -> Vectors<D> {
    let rest = element.parameters().map(S::from_f64);
    E::project(&rest, &y.map(Vec3::<S>::of)).map(|v| v.lane(0).map(|c| c.to_f64()))
}

fn distance<const D: usize>(a: &Vectors<D>, b: &Vectors<D>) -> f64 {
    let square = |d: usize| norm(common::sub(a[d], b[d]));
    (0..D).map(square).map(|n| n * n).sum::<f64>().sqrt()
}

/// Idempotent and nearest, with the worst error of each; `sample` gives admissible values.
fn check<S: Scalar, E: Projective<N, D, K>, const N: usize, const D: usize, const K: usize>(
    element: &E,
    sample: &dyn Fn(&mut Random) -> Vectors<D>,
) -> [f64; 2] {
    let mut random = Random::new(31);
    let (mut again, mut nearer) = (0.0_f64, 0.0_f64);
    let admissible: Vec<Vectors<D>> = (0..500).map(|_| sample(&mut random)).collect();
    for (k, q) in admissible.iter().enumerate() {
        // An admissible value stays, whether it was sampled or projected.
        again = again.max(distance(&project::<S, E, N, D, K>(element, q), q));
        let size = [0.5, 1.0, 3.0][k % 3];
        let y: Vectors<D> = std::array::from_fn(|_| random.point(size));
        let p = project::<S, E, N, D, K>(element, &y);
        again = again.max(distance(&project::<S, E, N, D, K>(element, &p), &p));
        let own = distance(&y, &p);
        for q in &admissible {
            nearer = nearer.max(own - distance(&y, q));
        }
        // Also among the neighbours of the projection, where other local minima are closest.
        let near: Vectors<D> = std::array::from_fn(|d| common::add(p[d], random.point(0.05)));
        nearer = nearer.max(own - distance(&y, &project::<f64, E, N, D, K>(element, &near)));
    }
    for (k, y) in extremes::<D>().iter().enumerate() {
        let p = project::<S, E, N, D, K>(element, y);
        let finite = p.iter().flatten().all(|c| c.is_finite());
        assert!(finite, "{} in {}, extreme {k} {y:?}: {p:?}", E::NAME, S::NAME);
    }
    [again, nearer]
}

/// Zero, huge, tiny, mirrored and rank-one values.
fn extremes<const D: usize>() -> Vec<Vectors<D>> {
    let mut random = Random::new(37);
    let mut all = vec![[[0.0; 3]; D], [[1.0; 3]; D], [[-1.0; 3]; D]];
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]];
    all.push(std::array::from_fn(|d| axes[d]));
    for size in [1e30, 1e-30, 1e15, 1e-15] {
        all.push([[size; 3]; D]);
        all.push(std::array::from_fn(|d| scale(axes[d], size)));
        all.push(std::array::from_fn(|_| random.point(size)));
        // Rank one, and columns of very different sizes.
        let v = random.point(size);
        all.push(std::array::from_fn(|d| scale(v, 1.0 + d as f64)));
        all.push(std::array::from_fn(|d| random.point(if d == 0 { size } else { 1.0 })));
    }
    all
}

/// `U diag(s) Vᵀ` with random rotations, by columns.
fn with_singular_values(random: &mut Random, s: [f64; 3]) -> Vectors<3> {
    let (u, v) = (random.rotation(), random.rotation());
    std::array::from_fn(|column| {
        let at = |i: usize| scale(u[i], s[i] * v[i][column]);
        common::add(common::add(at(0), at(1)), at(2))
    })
}

/// The same, 3×2: two orthonormal columns times a turned diagonal.
fn with_two_singular_values(random: &mut Random, s: [f64; 2]) -> Vectors<2> {
    let u = random.rotation();
    let angle = random.range(0.0, std::f64::consts::TAU);
    let (c, n) = (pliant::math::cos(angle), pliant::math::sin(angle));
    [
        common::add(scale(u[0], s[0] * c), scale(u[1], s[1] * n)),
        common::add(scale(u[0], -s[0] * n), scale(u[1], s[1] * c)),
    ]
}

struct Found(Vec<String>);

impl Found {
    fn of<E: Projective<N, D, K>, const N: usize, const D: usize, const K: usize>(
        &mut self,
        what: &str,
        element: E,
        sample: &dyn Fn(&mut Random) -> Vectors<D>,
    ) {
        let double = check::<f64, E, N, D, K>(&element, sample);
        let single = check::<f32, E, N, D, K>(&element, sample);
        println!("{:20} {what:10} f64 {double:?}  f32 {single:?}", E::NAME);
        if double.iter().any(|e| !(*e <= 2e-13)) || single.iter().any(|e| !(*e <= 1e-4)) {
            self.0.push(format!("{} {what}: {double:?} {single:?}", E::NAME));
        }
    }
}

#[test]
fn projections_are_idempotent_nearest_and_finite() {
    let mut found = Found(Vec::new());
    let sphere = |random: &mut Random, low: f64, high: f64| {
        let length = random.range(low, high);
        [scale(random.rotation()[0], length)]
    };
    found.of("", Spring { length: 0.7 }, &|r| sphere(r, 0.7, 0.7));
    for (what, limits) in [("[1, 1]", [1.0, 1.0]), ("[0.9, 1.1]", [0.9, 1.1])] {
        let [low, high] = limits;
        found.of(what, EdgeStrain { length: 0.5, limits }, &|r| sphere(r, low, high));
        let inverse = [[1.0, 0.0], [0.0, 1.0]];
        found.of(what, TriangleStrain { inverse, limits }, &|r| {
            let s = [0; 2].map(|_| r.range(low, high));
            with_two_singular_values(r, s)
        });
        let inverse = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        found.of(what, TetStrain { inverse, limits }, &|r| {
            let s = [0; 3].map(|_| r.range(low, high));
            with_singular_values(r, s)
        });
        found.of(
            what,
            TriangleAreaBounds { inverse: [[1.0, 0.0], [0.0, 1.0]], bounds: limits },
            &|r| {
                let a = r.range(0.1, 4.0);
                let goal = r.range(low, high);
                with_two_singular_values(r, [a, goal / a])
            },
        );
        found.of(what, TetVolumeBounds { inverse, bounds: limits }, &|r| {
            let (a, b) = (r.range(0.1, 4.0), r.range(0.1, 4.0));
            let goal = r.range(low, high);
            with_singular_values(r, [a, b, goal / (a * b)])
        });
    }
    let inverse = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    found.of("", TetCorotationalVolume { inverse }, &|r| {
        let (a, b) = (r.range(0.0, 3.0), r.range(0.0, 3.0));
        with_singular_values(r, [a, b, 3.0 - a - b])
    });
    let coefficients = [-4.0, 1.0, 1.0, 1.0, 1.0];
    found.of("curved", LaplaceBending::<5> { coefficients, curvature: 0.8 }, &|r| {
        sphere(r, 0.8, 0.8)
    });
    found.of("flat", LaplaceBending::<5> { coefficients, curvature: 0.0 }, &|_| [[0.0; 3]]);
    assert!(found.0.is_empty(), "{:#?}", found.0);
}

/// The samples above are what they claim to be: the test of the test.
#[test]
fn samples_have_their_singular_values() {
    let mut random = Random::new(41);
    for _ in 0..100 {
        let y = with_singular_values(&mut random, [1.1, 1.0, 0.9]);
        let svd = svd3(&Mat3 { cols: y.map(Vec3::<f64>::of) });
        let error = svd.sigma.iter().zip([1.1, 1.0, 0.9]).map(|(a, b)| (a - b).abs());
        assert!(error.fold(0.0, f64::max) < 1e-14);
        let [a, b] = with_two_singular_values(&mut random, [1.2, 0.8]);
        let area = norm(common::cross(a, b));
        assert!((area - 0.96).abs() < 1e-14, "{area}");
    }
}
