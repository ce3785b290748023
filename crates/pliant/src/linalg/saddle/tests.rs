use crate::linalg::saddle::*;
use crate::math::Vec3;
use crate::math::testing::Random;

const METHODS: [SaddleMethod; 3] =
    [SaddleMethod::PrimalDual, SaddleMethod::Schur, SaddleMethod::SchurCg { tolerance: 1e-15 }];

/// A bent chain of `n` links that hangs from its first vertex, with a last vertex `heavy` times the
/// weight of the others, in the coordinates of the module; one row per link, and `repeat` redundant
/// copies.
fn chain(n: usize, heavy: f64, compliance: f64, repeat: usize, method: SaddleMethod) -> Saddle {
    let mut random = Random::new(7);
    let columns = |link: usize| (3 * link as u32..3 * link as u32 + 6).collect::<Vec<u32>>();
    let rows: Vec<Vec<u32>> = (0..n + repeat).map(|k| columns(k % n)).collect();
    let mut saddle = Saddle::new(3 * (n + 1), &rows, method).unwrap();
    let h = 1.0 / 60.0;
    let root = |v: usize| match v {
        0 => 0.0,
        _ if v == n => 1.0 / f64::sqrt(heavy),
        _ => 1.0,
    };
    let directions: Vec<[f64; 3]> = (0..n)
        .map(|_| {
            let v = random.vector();
            let d = Vec3::new(0.3 * v.x, -1.0, 0.3 * v.z);
            let d = d.scale(1.0 / d.norm());
            [d.x, d.y, d.z]
        })
        .collect();
    for k in 0..n + repeat {
        let d = directions[k % n];
        saddle.fill(k, |i, column| {
            let sign = if i < 3 { -1.0 } else { 1.0 };
            sign * h * root(column as usize / 3) * d[i % 3]
        });
        saddle.set(k, 1e-4 * (k % n) as f64 / n as f64, compliance);
    }
    // Gravity.
    for v in 1..=n {
        saddle.free_motion_mut()[3 * v + 1] = -9.81 * h / root(v);
    }
    saddle
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}

#[test]
fn the_three_methods_give_the_same_multipliers() {
    for compliance in [0.0, 1e-12, 1e-4, 1.0] {
        let all = METHODS.map(|method| {
            let mut saddle = chain(100, 1000.0, compliance, 0, method);
            let report = saddle.solve();
            println!("{method:?}, compliance {compliance:.0e}: {report:?}");
            saddle.multipliers().to_vec()
        });
        let gaps = [difference(&all[1], &all[0]), difference(&all[2], &all[0])];
        println!("compliance {compliance:.0e}: {gaps:?}");
        // Measured 2e-16 and 1.1e-14 at most.
        assert!(gaps.iter().all(|g| *g < 1e-10), "{compliance}: {gaps:?}");
    }
}

#[test]
fn repeated_rows_share_the_force_and_move_alike() {
    let mut once = chain(50, 1000.0, 0.0, 0, SaddleMethod::PrimalDual);
    once.solve();
    for method in METHODS {
        let mut twice = chain(50, 1000.0, 0.0, 50, method);
        twice.solve();
        let sum: Vec<f64> =
            (0..50).map(|k| twice.multipliers()[k] + twice.multipliers()[50 + k]).collect();
        let shares = difference(&twice.multipliers()[..50], &twice.multipliers()[50..]);
        let force = difference(&sum, once.multipliers());
        let moved = difference(twice.solution(), once.solution());
        println!("{method:?}: force {force:.1e}, shares {shares:.1e}, moved {moved:.1e}");
        assert!(force < 1e-9 && moved < 1e-9 && shares < 1e-6);
    }
}

#[test]
fn a_one_sided_row_pushes_or_is_absent() {
    for method in METHODS {
        // A point at height 1 above the ground falls by 3, another by a half: only the first is
        // stopped.
        let mut saddle = Saddle::new(2, &[vec![0], vec![1]], method).unwrap();
        saddle.free_motion_mut().copy_from_slice(&[-3.0, -0.5]);
        for k in 0..2 {
            saddle.fill(k, |_, _| 1.0);
            saddle.set_one_sided(k, 1.0, 0.0);
        }
        let report = saddle.solve();
        assert!(report.active_set_converged, "{report:?}");
        assert!((saddle.solution()[0] + 1.0).abs() < 1e-12);
        assert_eq!(saddle.solution()[1], -0.5);
        assert!((saddle.multipliers()[0] - 2.0).abs() < 1e-12);
        assert_eq!(saddle.multipliers()[1], 0.0);
    }
}

#[test]
fn rows_without_a_gradient_or_a_number_are_off() {
    for method in METHODS {
        let mut saddle = Saddle::new(2, &[vec![0], vec![1], vec![0, 1]], method).unwrap();
        saddle.free_motion_mut().copy_from_slice(&[1.0, 2.0]);
        saddle.set(0, 1.0, 0.0);
        saddle.fill(1, |_, _| f64::NAN);
        saddle.fill(2, |_, _| 1.0);
        saddle.set(2, f64::INFINITY, 0.0);
        saddle.solve();
        assert_eq!(saddle.solution(), [1.0, 2.0], "{method:?}");
        assert_eq!(saddle.multipliers(), [0.0; 3], "{method:?}");
    }
}

#[test]
fn contradicting_rows_stay_finite() {
    for method in METHODS {
        let mut saddle = Saddle::new(1, &[vec![0], vec![0]], method).unwrap();
        for (k, value) in [1.0, -1.0].into_iter().enumerate() {
            saddle.fill(k, |_, _| 1.0);
            saddle.set(k, value, 0.0);
        }
        let report = saddle.solve();
        println!("{method:?}: {report:?}, z = {:?}", saddle.solution());
        assert!(saddle.solution()[0].abs() < 1e-6);
        assert!(saddle.multipliers().iter().all(|l| l.is_finite()));
    }
}
