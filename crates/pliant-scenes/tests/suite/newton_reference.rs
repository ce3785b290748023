//! Contract: convergent solvers converge to the minimiser that Newton's method finds, at stated
//! speeds. The measure is the relative energy gap of one implicit Euler step, Fast Simulation of
//! Mass-Spring Systems eq. (15): `(g(x_i) − g*) / (g(x_0) − g*)`, with `x_0 = s`. Newton itself is
//! held to what its theory promises: ten orders of the gradient, a quadratic phase, a line search
//! that never accepts a rise.
//!
//! So does XPBD with vector multipliers, which leaves no plateau.

use std::time::Instant;

use crate::common::{self, brief, exact_newton, farthest, run};
use pliant::ImplicitStep;
use pliant::math::log;
use pliant::prelude::*;
use pliant::simd::Point;
use pliant::solvers::{Hessian, LinearSolver};

/// The step after `steps` frames of a model under a solver.
fn step_after(model: Model, solver: impl Into<AnySolver>, steps: usize) -> ImplicitStep<f64> {
    let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
    run(&mut sim, steps);
    ImplicitStep::from_simulation(&mut sim)
}

fn curtain_step() -> ImplicitStep<f64> {
    step_after(pliant_scenes::curtain(15).unwrap(), MassSpring::default(), 15)
}

fn bar_step() -> ImplicitStep<f64> {
    step_after(pliant_scenes::twisting_bar(1).unwrap(), ProjectiveDynamics::default(), 60)
}

/// The relative energy gap of `x`, given that of the minimiser.
fn gap(step: &ImplicitStep<f64>, x: &[Point<f64>], best: f64) -> f64 {
    let first = step.objective(&step.predicted, false);
    (step.objective(x, false) - best) / (first - best)
}

fn minimum(step: &ImplicitStep<f64>) -> f64 {
    step.objective(&step.solve(&exact_newton().into()).unwrap().0, false)
}

fn xyz(x: &[Point<f64>]) -> Vec<[f64; 3]> {
    x.iter().map(|p| [p[0], p[1], p[2]]).collect()
}

/// The steps at several frames of a run, each a tenth of it apart.
fn steps_along(
    model: Model,
    solver: impl Into<AnySolver>,
    frames: usize,
) -> Vec<ImplicitStep<f64>> {
    let mut sim = Simulation::<f64>::with_precision(model, solver).unwrap();
    let mut list = Vec::new();
    for _ in 0..10 {
        run(&mut sim, frames / 10);
        list.push(ImplicitStep::from_simulation(&mut sim));
    }
    list
}

/// The mean gap of several solvers over steps.
fn mean_gaps<const N: usize>(steps: &[ImplicitStep<f64>], solvers: [AnySolver; N]) -> [f64; N] {
    let mut mean = [0.0; N];
    for step in steps {
        let best = minimum(step);
        for (mean, solver) in mean.iter_mut().zip(&solvers) {
            *mean += gap(step, &step.solve(solver).unwrap().0, best) / steps.len() as f64;
        }
    }
    mean
}

#[test]
fn local_global_iterations_close_the_gap_to_newton() {
    let exact = || MassSpring { iterations: 100, ..Default::default() };
    let curtain = || steps_along(pliant_scenes::curtain(15).unwrap(), exact(), 50);
    let bar = steps_along(
        pliant_scenes::twisting_bar(1).unwrap(),
        ProjectiveDynamics { iterations: 100, ..Default::default() },
        100,
    );
    // Means over ten frames of a run, as in figure 3 of the paper. Single frames vary: the bar is
    // worst while the twist sets in (4.0e-1, 2.1e-1, 4.7e-2 after five frames). Stiffer springs
    // converge more slowly: three times the constant gives 1.4e-1, 1.8e-2, 4.9e-3, 1.7e-4.
    let cases: [(&str, Vec<ImplicitStep<f64>>, AnySolver); 3] = [
        ("curtain, mass_spring", curtain(), MassSpring::default().into()),
        ("curtain, projective", curtain(), ProjectiveDynamics::default().into()),
        ("twisting bar, projective", bar, ProjectiveDynamics::default().into()),
    ];
    for (name, steps, solver) in cases {
        let counts = [1, 10, 100, 1000, 10_000];
        let gaps = mean_gaps(&steps, counts.map(|n| solver.clone().with_iterations(n)));
        println!("{name}: gap after {counts:?} iterations: {}", brief(&gaps));
        for (gap, bound) in gaps.iter().zip([0.35, 0.1, 5e-3, 1e-4, 1e-10]) {
            assert!(*gap <= bound, "{name}: {}", brief(&gaps));
        }
    }
}

#[test]
fn ten_local_global_iterations_beat_one_newton_iteration() {
    // The paper's Newton: from y, with a line search, the diagonal shifted where indefinite. Its
    // figures at one frame: 0.196 for ten local/global iterations, 0.2496 for one of Newton.
    let model = pliant_scenes::curtain(21).unwrap();
    let steps = steps_along(model, MassSpring { iterations: 100, ..Default::default() }, 50);
    let one = |hessian| Newton { iterations: 1, tolerance: 0.0, hessian, ..Newton::default() };
    let solvers: [AnySolver; 4] = [
        MassSpring::default().into(),
        one(Hessian::Exact).into(),
        one(Hessian::Adaptive).into(),
        one(Hessian::PsdProjected).into(),
    ];
    let gaps = mean_gaps(&steps, solvers.clone());
    let times = solvers.map(|solver| {
        let start = Instant::now();
        steps.iter().for_each(|step| drop(step.solve(&solver).unwrap()));
        start.elapsed() / steps.len() as u32
    });
    println!("ten local/global, one Newton shifted, adaptive, projected: {}", brief(&gaps));
    println!("  times with preparation: {times:.1?}");
    assert!(gaps[0] < gaps[1], "{}", brief(&gaps));
}

#[test]
fn xpbd_leaves_no_plateau_above_newton() {
    // The largest of several frames, at h = 1/60. With scalar multipliers the gap stayed at 4.7e-3,
    // 1.2e-2 and 3.2e-2 from a thousand iterations on. Elements in scalar form still have those:
    // hinges, here with the weight of cotton's bending.
    let cases = [
        ("springs", pliant_scenes::curtain(10), 1e-12), // measured 2.7e-14
        ("edges", pliant_scenes::hanging_cloth_edges(10), 2e-3), // measured 2.2e-4
        ("membrane", pliant_scenes::hanging_cloth(10), 5e-3), // measured 7.7e-4
    ];
    for (name, model, bound) in cases {
        let pd = ProjectiveDynamics { iterations: 30, ..Default::default() };
        let mut sim = Simulation::<f64>::with_precision(model.unwrap(), pd).unwrap();
        sim.set_time_step(1.0 / 60.0).unwrap();
        let mut worst = [0.0_f64; 3];
        for _ in 0..8 {
            run(&mut sim, 5);
            let step = ImplicitStep::from_simulation(&mut sim);
            let best = minimum(&step);
            for (worst, iterations) in worst.iter_mut().zip([10, 100, 1000]) {
                let (x, _) = step.solve(&Xpbd::new(iterations, 1).into()).unwrap();
                *worst = worst.max(gap(&step, &x, best));
            }
        }
        println!("xpbd, {name}: gap after 10, 100, 1000 iterations: {}", brief(&worst));
        assert!(worst[2] <= bound, "{name}: {}", brief(&worst));
        assert!(worst[2] < worst[1] && worst[1] < worst[0], "{name}: {}", brief(&worst));
    }
}

/// Gradient norms \[N\] and objectives \[J\] after 0, 1, 2… iterations.
fn history(step: &ImplicitStep<f64>, newton: Newton, most: usize) -> (Vec<f64>, Vec<f64>) {
    let at = |iterations: usize| {
        let (x, solved) =
            step.solve(&Newton { iterations, tolerance: 0.0, ..newton }.into()).unwrap();
        (solved.residual, step.objective(&x, false))
    };
    (0..=most).map(at).unzip()
}

#[test]
fn newton_lowers_the_gradient_by_ten_orders_and_ends_quadratically() {
    let cloth = pliant_scenes::hanging_cloth(10).unwrap();
    let cloth = step_after(cloth, ProjectiveDynamics::default(), 20);
    for (name, step) in [("curtain", curtain_step()), ("bar", bar_step()), ("cloth", cloth)] {
        for hessian in [Hessian::Adaptive, Hessian::Exact] {
            let newton = Newton { hessian, ..Newton::default() };
            let (gradients, values) = history(&step, newton, 40);
            let falls = gradients.iter().position(|g| *g <= 1e-10 * gradients[0]);
            let n = falls.unwrap_or(40);
            // The order of the steps that start below one thousandth, while rounding is far.
            let orders: Vec<f64> = (1..n)
                .filter(|&i| gradients[i] < 1e-3 * gradients[0])
                .map(|i| {
                    let (a, b, c) = (gradients[i - 1], gradients[i], gradients[i + 1]);
                    log(c / b) / log(b / a)
                })
                .collect();
            println!("{name}, {hessian:?}: ten orders in {n} iterations, orders {orders:.2?}");
            assert!(falls.is_some(), "{name}, {hessian:?}: {}", brief(&gradients));
            // Up to the rounding of a sum of hundreds of energies: measured 4e-14 of it.
            let rises = values.windows(2).map(|w| (w[1] - w[0]) / w[0].abs());
            let rise = rises.fold(f64::MIN, f64::max);
            assert!(rise < 3e-13, "{name}, {hessian:?}: a rise by {rise:.1e}");
            let best = orders.iter().copied().fold(0.0, f64::max);
            assert!(best > 1.7, "{name}: no quadratic phase, {orders:.2?}");
        }
    }
}

#[test]
fn cholesky_conjugate_gradients_and_the_hybrid_agree() {
    for (name, step) in [("curtain", curtain_step()), ("twisting bar", bar_step())] {
        let (direct, _) = step.solve(&exact_newton().into()).unwrap();
        let linear = LinearSolver::ConjugateGradients { tolerance: 1e-10 };
        let others = [
            ("conjugate gradients", Newton { linear_solver: linear, ..exact_newton() }),
            ("hybrid", Newton { warm_start_iterations: 10, ..exact_newton() }),
            ("shifted", Newton { hessian: Hessian::Exact, ..exact_newton() }),
            (
                "projected",
                Newton { hessian: Hessian::PsdProjected, iterations: 400, ..exact_newton() },
            ),
        ];
        for (what, newton) in others {
            let (x, solved) = step.solve(&newton.into()).unwrap();
            let difference = farthest(&xyz(&x), &xyz(&direct));
            println!("{name}, {what}: {difference:.1e} m, {} iterations", solved.iterations);
            assert!(difference < 1e-9, "{name}, {what}: {difference:.2e}");
        }
    }
}

/// The order of the last steps of a sequence that falls: `log(c/b) / log(b/a)` of the last three gradients, while
/// they are above the rounding of positions.
fn last_orders(gradients: &[f64]) -> Vec<f64> {
    let floor = 1e-11 * gradients[0];
    let above = gradients.iter().position(|g| *g < floor).unwrap_or(gradients.len());
    let triples = gradients[..above].windows(3).rev().take(2);
    triples.map(|g| log(g[2] / g[1]) / log(g[1] / g[0])).collect()
}

#[test]
fn the_gradient_falls_quadratically_at_the_end() {
    let pd = ProjectiveDynamics::default;
    let scenes = [
        ("membrane", pliant_scenes::hanging_cloth(16), 15),
        ("edges", pliant_scenes::hanging_cloth_edges(12), 15),
        ("curtain", pliant_scenes::curtain(15), 15),
        ("strain", pliant_scenes::cantilever(2), 20),
        ("twisted", pliant_scenes::twisting_bar(1), 60),
        ("energies", pliant_scenes::pressed_cubes(3), 20),
    ];
    for (name, model, frames) in scenes {
        let step = step_after(model.unwrap(), pd(), frames);
        let (gradients, _) = history(&step, Newton::default(), 30);
        let least = gradients.iter().copied().fold(f64::INFINITY, f64::min);
        let orders = last_orders(&gradients);
        println!("{name}: gradients {}, last orders {orders:.2?}", brief(&gradients));
        assert!(least < 1e-9 * gradients[0], "{name}: {}", brief(&gradients));
        let best = orders.iter().copied().fold(0.0, f64::max);
        assert!(best > 1.7, "{name}: {orders:.2?} of {}", brief(&gradients));
    }
}

#[test]
fn every_form_of_newtons_method_finds_the_same_cloth() {
    let cloth = || pliant_scenes::hanging_cloth(12).unwrap();
    let step = step_after(cloth(), ProjectiveDynamics::default(), 15);
    let (exact, _) = step.solve(&exact_newton().into()).unwrap();
    for name in ["newton", "newton_pcg", "newton_shifted", "newton_hybrid"] {
        let mut solver = AnySolver::by_name(name).unwrap();
        // Elements are projected for conjugate gradients: linear convergence.
        solver = solver.with_iterations(400);
        let (x, solved) = step.solve(&solver).unwrap();
        let difference = farthest(&xyz(&x), &xyz(&exact));
        println!("{name}: {difference:.1e} m, {} iterations", solved.iterations);
        assert!(solved.converged && difference < 1e-8, "{name}: {difference:.2e}");
        let mut sim = Simulation::<f64>::with_precision(cloth(), solver).unwrap();
        run(&mut sim, 30);
        let low = common::lowest(&common::positions(&sim));
        assert!((-1.2..-0.3).contains(&low), "{name}: {low}");
    }
}

#[test]
fn a_semi_implicit_step_solves_the_linearised_system() {
    // Baraff and Witkin 1998, eq. (6) in positions: `(M/h² + ∂²E/∂x²) d = −∇g(x)`, so that the gradient after a
    // small step falls with its square.
    let mut sim = Simulation::<f64>::with_precision(
        pliant_scenes::hanging_cloth(10).unwrap(),
        ProjectiveDynamics::default(),
    )
    .unwrap();
    run(&mut sim, 20);
    let mut falls = [[0.0; 2]; 2];
    for (k, name) in ["semi_implicit", "semi_implicit_projected"].into_iter().enumerate() {
        let solver = AnySolver::by_name(name).unwrap();
        for (j, h) in [1e-3, 5e-4].into_iter().enumerate() {
            sim.set_time_step(h).unwrap();
            let step = ImplicitStep::from_simulation(&mut sim);
            let (x, _) = step.solve(&solver).unwrap();
            let (best, _) = step.solve(&exact_newton().into()).unwrap();
            falls[k][j] =
                farthest(&xyz(&x), &xyz(&best)) / farthest(&xyz(&step.previous), &xyz(&best));
        }
    }
    println!("semi-implicit: distance from the minimiser {falls:?}");
    // The error of the linearisation falls with the length of the step, that of a projection does not vanish before.
    assert!(falls[0][0] < 1e-2 && falls[0][1] < 0.7 * falls[0][0], "{falls:?}");
    assert!(falls[1][1] < 0.1, "{falls:?}");
}

#[test]
fn one_semi_implicit_step_per_frame_runs() {
    let model = pliant_scenes::hanging_cloth(10).unwrap();
    let settings = Newton::semi_implicit_projected();
    let mut sim = Simulation::<f64>::with_precision(model, settings).unwrap();
    run(&mut sim, 200);
    let low = common::lowest(&common::positions(&sim));
    println!("semi-implicit, projected: lowest point {low:.3} m");
    assert!((-1.2..-0.7).contains(&low), "{low}");
    // As printed the system is indefinite where the cloth is compressed. It stays finite.
    let model = pliant_scenes::hanging_cloth(10).unwrap();
    let mut sim = Simulation::<f64>::with_precision(model, Newton::semi_implicit()).unwrap();
    run(&mut sim, 200);
    let positions = common::positions(&sim);
    println!("semi-implicit, as printed: lowest point {:.3} m", common::lowest(&positions));
    assert!(positions.iter().flatten().all(|c| c.is_finite()));
}
