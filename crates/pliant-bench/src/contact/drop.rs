//! A cloth is dropped on a ball above the ground, which its corners reach; ours and rapier's soft bodies run the same scene.
//!
//! Both get the same vertices, triangles, masses, solids, friction and distance to keep, in steps of 1/60 s.
//! The material is what a user of each would take: ours is cotton, a membrane with bending, under the defaults
//! of a solver; rapier's is its cloth of edges with its default softness, iterations and recovery.
//!
//! Everyone goes one step in turn, and the whole run is repeated, the same bit for bit; a step's time is the
//! least of its repetitions. After every step, untimed, everyone is judged by positions alone: `judge.rs`.

use super::Outcome;
use super::judge::{self, Solids};
use super::ours;
use crate::geometry::Point;
use crate::table::Row;
use pliant::prelude::*;

/// Vertices along a side of the cloth.
pub const SIDE: usize = 37;
/// Side of the cloth \[m\].
pub const SIZE: f64 = 1.0;
/// Where it starts \[m\].
pub const HEIGHT: f64 = 0.7;
/// The distance that the cloth keeps from solids \[m\]; from itself it keeps twice that.
pub const KEEP: f64 = 0.005;
/// Coulomb's coefficient between everything.
pub const FRICTION: f64 = 0.5;
/// A step \[s\].
pub const DT: f64 = 1.0 / 60.0;
/// What it falls on. The ball is a little off the middle of the cloth, so that nothing is symmetric.
pub const SOLIDS: Solids = Solids { center: [0.03, 0.35, 0.02], radius: 0.25 };

/// Steps of a run: five seconds.
pub const STEPS: usize = 300;
/// Repetitions of the run.
const ROUNDS: usize = 2;
/// Ours, by name.
const SOLVERS: [&str; 3] = ["pbd", "xpbd", "projective"];
/// Depths closer than this \[m\] count as equal: a hundredth of the distance to keep.
const SAME: f64 = 0.01 * KEEP;

/// A contestant with the cloth in its start.
pub trait Cloth {
    /// Goes one step of [`DT`]; the milliseconds that it took.
    fn step(&mut self) -> f64;

    /// Where the vertices are \[m\].
    fn positions(&self) -> Vec<Point>;
}

/// What everyone gets.
pub struct Scene {
    /// The cloth as a mesh \[m\].
    pub mesh: TriMesh,
    /// The masses of its vertices \[kg\]; ours come from the fabric, to the same numbers.
    #[cfg(feature = "rapier")]
    pub masses: Vec<f64>,
}

impl Scene {
    fn new() -> Result<Self, String> {
        let corner = [-0.5 * SIZE, HEIGHT, -0.5 * SIZE];
        let pattern = Pattern::Alternating;
        let grid = Grid::square(SIDE).size(SIZE).pattern(pattern).at(corner);
        let mesh = grid.build().map_err(|e| e.to_string())?;
        Ok(Self {
            #[cfg(feature = "rapier")]
            masses: pliant::mesh::measure::triangle_masses(&mesh, Fabric::cotton().density),
            mesh,
        })
    }
}

/// How a contestant fared.
struct Run {
    /// The least milliseconds of each step.
    ms: Vec<f64>,
    /// The deepest over the run, and at its end \[m\].
    deepest: [f64; 2],
    /// How far into the solids themselves, over the run \[m\].
    inside: f64,
    /// Exact crossings of the cloth with itself at the end.
    crossings: usize,
    /// The fastest vertex at the end [m/s].
    creep: f64,
    hash: u64,
}

impl Run {
    fn new() -> Self {
        let ms = vec![f64::INFINITY; STEPS];
        Self { ms, deepest: [0.0; 2], inside: 0.0, crossings: 0, creep: 0.0, hash: 0 }
    }

    /// Goes one step, and looks where the cloth is.
    fn take(&mut self, step: usize, cloth: &mut dyn Cloth, triangles: &[[u32; 3]]) {
        let before = if step + 1 == STEPS { cloth.positions() } else { Vec::new() };
        self.ms[step] = self.ms[step].min(cloth.step());
        let x = cloth.positions();
        let depth = f64::max(0.0, KEEP - SOLIDS.clearance(&x));
        self.deepest = [self.deepest[0].max(depth), depth];
        self.inside = self.inside.max(-SOLIDS.clearance_of_surface(&x, triangles));
        if step + 1 == STEPS {
            self.crossings = judge::crossings(&x, triangles);
            self.creep = judge::fastest(&before, &x, DT);
            self.hash = crate::measure::hash(&x);
        }
    }

    /// Milliseconds per step.
    fn mean(&self) -> f64 {
        self.ms.iter().sum::<f64>() / STEPS as f64
    }

    fn describe(&self) -> String {
        format!(
            "deepest {:.2} mm, at the end {:.2}, inside {:.2}; {} crossings; creep {:.0} mm/s; slowest step {:.1} ms",
            1e3 * self.deepest[0],
            1e3 * self.deepest[1],
            1e3 * self.inside,
            self.crossings,
            1e3 * self.creep,
            self.ms.iter().copied().fold(0.0, f64::max),
        )
    }

    /// Why ours is worse than the peer's, if it is.
    fn worse_than(&self, peer: &Self) -> Option<String> {
        let mm = |a: f64, b: f64| format!("{:.3} mm, the peer's {:.3} mm", 1e3 * a, 1e3 * b);
        let ways = [
            ("over the run", self.deepest[0], peer.deepest[0]),
            ("at the end", self.deepest[1], peer.deepest[1]),
            ("inside the solids", self.inside, peer.inside),
        ];
        let worse = ways.iter().find(|(_, ours, peer)| !(*ours <= peer + SAME));
        worse.map(|(what, ours, peer)| format!("depth {what} is {}", mm(*ours, *peer)))
    }
}

/// Runs ours under several solvers, and the peer.
pub fn run() -> Result<Outcome, String> {
    let scene = Scene::new()?;
    let mut outcome = Outcome::default();
    let mut runs = SOLVERS.map(|_| Run::new());
    let mut peer = None;
    for _ in 0..ROUNDS {
        let opened = SOLVERS.iter().map(|solver| ours::open(&scene, solver));
        let mut cloths = opened.collect::<Result<Vec<_>, _>>()?;
        let mut rival = rival_in(&scene).transpose()?;
        for step in 0..STEPS {
            for (run, cloth) in runs.iter_mut().zip(&mut cloths) {
                run.take(step, &mut **cloth, &scene.mesh.triangles);
            }
            if let Some(cloth) = &mut rival {
                let peer = peer.get_or_insert_with(Run::new);
                peer.take(step, &mut **cloth, &scene.mesh.triangles);
            }
        }
    }
    for (run, solver) in runs.iter().zip(SOLVERS) {
        let mut note = format!("{solver}: {}", run.describe());
        note += &match &peer {
            Some(peer) => format!(" | peer: {}", peer.describe()),
            None => " | absent: build with the feature `rapier`".to_owned(),
        };
        outcome.rows.push(Row {
            workload: "contact-drop".to_owned(),
            peer: "rapier3d".to_owned(),
            threads: 1,
            precision: "f32/f32".to_owned(),
            ours_ms: Some(run.mean()),
            peer_ms: peer.as_ref().map(Run::mean),
            error_ours: Some(run.deepest[0]),
            error_peer: peer.as_ref().map(|p| p.deepest[0]),
            hash: Some(run.hash),
            note,
            ..Row::default()
        });
        let worse = peer.as_ref().and_then(|peer| run.worse_than(peer));
        outcome.failures.extend(worse.map(|why| format!("contact-drop, {solver}: {why}")));
        if run.crossings > 0 {
            outcome.failures.push(format!("contact-drop, {solver}: the cloth crosses itself"));
        }
    }
    Ok(outcome)
}

/// The peer with the cloth in its start, where there is one.
pub fn rival() -> Result<Option<Box<dyn Cloth>>, String> {
    rival_in(&Scene::new()?).transpose()
}

#[cfg(feature = "rapier")]
fn rival_in(scene: &Scene) -> Option<Result<Box<dyn Cloth>, String>> {
    Some(super::rapier::open(scene))
}

#[cfg(not(feature = "rapier"))]
fn rival_in(_scene: &Scene) -> Option<Result<Box<dyn Cloth>, String>> {
    None
}
