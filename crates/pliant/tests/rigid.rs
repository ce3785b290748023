//! exploration
mod common;

use common::{add, cross, norm, scale, sub};
use pliant::linalg::SaddleMethod;
use pliant::rigid::*;

fn rods(
    n: usize,
    link: f64,
    mass: f64,
    load: f64,
    direction: [f64; 3],
    settings: ArticulationSettings,
) -> Articulation {
    let mut scene = ArticulationBuilder::new();
    scene.settings(settings);
    let mut last = None;
    let mut end = [0.0; 3];
    for _ in 0..n {
        let body = RigidBody::capsule(scale(direction, link), 0.1 * link, mass);
        let middle = add(end, scale(direction, 0.5 * link));
        let rod = scene.body(body.at(middle));
        scene.joint(Joint::ball(last, Some(rod), end));
        last = Some(rod);
        end = add(end, scale(direction, link));
    }
    let r = 0.5 * link;
    let bob = scene.body(RigidBody::ball(r, load).at(add(end, scale(direction, r))));
    scene.joint(Joint::ball(last, Some(bob), end));
    scene.build().unwrap()
}

#[test]
fn explore_chain() {
    for (what, direction) in
        [("horizontal", [1.0, 0.0, 0.0]), ("tilted", [0.1, -0.99498743710662, 0.0])]
    {
        for geometric in [true, false] {
            for iterations in [1, 2, 5] {
                for h in [1.0 / 30.0, 1.0 / 60.0] {
                    let settings =
                        ArticulationSettings { iterations, geometric, ..Default::default() };
                    let mut a = rods(100, 0.01, 1e-3, 1.0, direction, settings);
                    let (mut gap, mut energy) = (0.0_f64, f64::MIN);
                    let e0 = a.kinetic_energy() + a.potential_energy();
                    let mut back = 0;
                    for _ in 0..(5.0 / h) as usize {
                        back += usize::from(a.step(h).set_back);
                        gap = gap.max(a.joint_gap());
                        energy = energy.max(a.kinetic_energy() + a.potential_energy() - e0);
                    }
                    println!(
                        "{what} geometric {geometric} iterations {iterations} h {h:.4}: gap {gap:.2e} energy rise {energy:.2e} back {back} end {:?}",
                        a.pose(100).position.map(|c| (c * 1e3).round() / 1e3)
                    );
                }
            }
        }
    }
}

#[test]
fn explore_ragdoll() {
    for h in [1.0 / 30.0, 1.0 / 60.0] {
        for geometric in [true, false] {
            for iterations in [1, 2, 5] {
                for (what, hang, spin) in [
                    ("falls", false, [0.3, 0.0, 0.2]),
                    ("hangs", true, [0.0; 3]),
                    ("hangs, swinging", true, [0.0, 3.0, 2.0]),
                ] {
                    let mut scene = ArticulationBuilder::new();
                    scene.settings(ArticulationSettings {
                        iterations,
                        geometric,
                        ..Default::default()
                    });
                    let doll = Ragdoll::default().add(&mut scene);
                    if hang {
                        scene.joint(Joint::ball(None, Some(doll.hands[0]), doll.fingers[0]));
                    } else {
                        scene.ground(-1.0);
                    }
                    let mut a = scene.build().unwrap();
                    let _ = spin;
                    let (mut gap, mut energy, mut limit) = (0.0_f64, f64::MIN, 0.0_f64);
                    let e0 = a.kinetic_energy() + a.potential_energy();
                    let (mut back, mut unsettled) = (0, 0);
                    let t = std::time::Instant::now();
                    let n = (10.0 / h) as usize;
                    for _ in 0..n {
                        let r = a.step(h);
                        back += usize::from(r.set_back);
                        unsettled += usize::from(!r.settled);
                        gap = gap.max(a.joint_gap());
                        limit = limit.max(a.limit_excess());
                        energy = energy.max(a.kinetic_energy() + a.potential_energy() - e0);
                    }
                    println!(
                        "{what} h {h:.3} geometric {geometric} iterations {iterations}: gap {gap:.2e} limit {limit:.2e} rise {energy:.2e} back {back} unsettled {unsettled} {:?} kinetic at end {:.2e}",
                        t.elapsed() / n as u32,
                        a.kinetic_energy()
                    );
                }
            }
        }
    }
}

#[test]
fn explore_closed_forms() {
    // Pendulum.
    for iterations in [1, 3] {
        for h in [1.0 / 200.0, 1.0 / 2000.0] {
            let mut scene = ArticulationBuilder::new();
            scene.settings(ArticulationSettings { iterations, ..Default::default() });
            let (l, r, m, a0) = (1.0, 0.02, 1.3, 0.1_f64);
            let d = [pliant::math::sin(a0), -pliant::math::cos(a0), 0.0];
            let rod = scene.body(RigidBody::capsule(scale(d, l), r, m).at(scale(d, 0.5 * l)));
            scene.joint(Joint::hinge(None, Some(rod), [0.0; 3], [0.0, 0.0, 1.0]));
            let mut a = scene.build().unwrap();
            let inertia = m * (3.0 * r * r + l * l) / 12.0 + 0.25 * m * l * l;
            let exact = std::f64::consts::TAU
                * (inertia / (m * 9.81 * 0.5 * l)).sqrt()
                * (1.0 + a0 * a0 / 16.0);
            let mut crossings = Vec::new();
            let mut before = a.pose(0).position[0];
            while crossings.len() < 11 {
                a.step(h);
                let now = a.pose(0).position[0];
                if before < 0.0 && now >= 0.0 {
                    crossings.push(a.time() - h * now / (now - before));
                }
                before = now;
            }
            let t = (crossings[10] - crossings[0]) / 10.0;
            println!(
                "pendulum iterations {iterations} h {h:.4}: {t:.6} s, exact {exact:.6}, error {:.2e}; gap {:.1e}",
                t / exact - 1.0,
                a.joint_gap()
            );
        }
    }
    // Free top.
    for h in [1.0 / 60.0, 1.0 / 600.0_f64] {
        let mut scene = ArticulationBuilder::new();
        scene.gravity([0.0; 3]);
        scene.body(RigidBody::new(1.0, [0.02, 0.01, 0.01]).moving([0.0; 3], [10.0, 3.0, 0.0]));
        let mut a = scene.build().unwrap();
        let l = a.angular_momentum();
        let e = a.kinetic_energy();
        let n = (2.0 / h).round() as usize;
        (0..n).for_each(|_| drop(a.step(h)));
        let axis = sub(a.pose(0).place([1.0, 0.0, 0.0]), a.pose(0).position);
        // The axis turns about L at |L| / I_t.
        let rate = norm(l) / 0.01;
        let u = scale(l, 1.0 / norm(l));
        let x = [1.0, 0.0, 0.0];
        let angle = rate * 2.0;
        let (c, s) = (pliant::math::cos(angle), pliant::math::sin(angle));
        let exact =
            add(add(scale(x, c), scale(cross(u, x), s)), scale(u, common::dot(u, x) * (1.0 - c)));
        println!(
            "top h {h:.4}: axis error {:.2e}, L error {:.1e}, energy error {:.1e}",
            norm(sub(axis, exact)),
            norm(sub(a.angular_momentum(), l)),
            a.kinetic_energy() / e - 1.0
        );
        // Tumbling, the intermediate axis.
        let mut scene = ArticulationBuilder::new();
        scene.gravity([0.0; 3]);
        scene.body(RigidBody::new(1.0, [0.01, 0.015, 0.02]).moving([0.0; 3], [0.01, 10.0, 0.0]));
        let mut a = scene.build().unwrap();
        let e = a.kinetic_energy();
        let mut worst = 0.0_f64;
        (0..(60.0 / h) as usize).for_each(|_| {
            a.step(h);
            worst = worst.max((a.kinetic_energy() / e - 1.0).abs());
        });
        println!("tumbling h {h:.4}: energy error {worst:.1e}");
    }
    // Momentum.
    for geometric in [true, false] {
        for iterations in [1, 3] {
            let mut scene = ArticulationBuilder::new();
            scene.settings(ArticulationSettings { iterations, geometric, ..Default::default() });
            scene.gravity([0.0; 3]);
            let mut last = None;
            for i in 0..6 {
                let rod = scene.body(
                    RigidBody::capsule([0.2, 0.0, 0.0], 0.02, 0.5)
                        .at([0.1 + 0.2 * i as f64, 0.0, 0.0])
                        .moving(
                            [0.3 * i as f64, 0.5 * i as f64 - 1.0, 0.1],
                            [1.0, 2.0 * i as f64, 3.0],
                        ),
                );
                if let Some(last) = last {
                    scene.joint(Joint::ball(Some(last), Some(rod), [0.2 * i as f64, 0.0, 0.0]));
                }
                last = Some(rod);
            }
            let mut a = scene.build().unwrap();
            let (p, l) = (a.momentum(), a.angular_momentum());
            let (mut dp, mut dl, mut gap) = (0.0_f64, 0.0_f64, 0.0_f64);
            for _ in 0..600 {
                a.step(1.0 / 60.0);
                dp = dp.max(norm(sub(a.momentum(), p)) / norm(p));
                dl = dl.max(norm(sub(a.angular_momentum(), l)) / norm(l));
                gap = gap.max(a.joint_gap());
            }
            println!(
                "free chain geometric {geometric} iterations {iterations}: dp {dp:.1e} dl {dl:.1e} gap {gap:.1e} kinetic {:.2}",
                a.kinetic_energy()
            );
        }
    }
    let _ = SaddleMethod::Schur;
}
