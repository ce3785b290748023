//! Cloth dropped on a ball above the ground, which its corners reach: the same scene for ours and rapier's soft
//! bodies.
//!
//! Both get the same vertices, triangles, masses, solids, friction and contact distance, in steps of 1/60 s.
//! The material is the default choice of each: ours is cotton, a membrane with bending, with the default
//! settings of a solver; rapier's is its cloth of edges with its default softness, iterations and recovery.
//!
//! The contestants take single steps alternately, and the whole run is repeated with bit-identical results; the
//! time of a step is the minimum over its repetitions. After every step, untimed, each state is evaluated from
//! positions alone: `metrics.rs`.

use super::Outcome;
use super::metrics::{self, Solids};
use super::ours;
use crate::geometry::Point;
use crate::table::Row;
use pliant::prelude::*;

/// Number of vertices along a side of the cloth.
pub const SIDE: usize = 37;
/// Side length of the cloth \[m\].
pub const SIZE: f64 = 1.0;
/// Initial height \[m\].
pub const HEIGHT: f64 = 0.7;
/// Contact distance between the cloth and solids \[m\]; self-contact uses twice that.
pub const CONTACT_DISTANCE: f64 = 0.005;
/// Coulomb friction coefficient of all contacts.
pub const FRICTION: f64 = 0.5;
/// Time step \[s\].
pub const DT: f64 = 1.0 / 60.0;
/// Obstacles. The ball is slightly off the middle of the cloth, so that nothing is symmetric.
pub const SOLIDS: Solids = Solids { center: [0.03, 0.35, 0.02], radius: 0.25 };

/// Number of steps in a run: five seconds.
pub const STEPS: usize = 300;
/// Number of repetitions of the run.
const ROUNDS: usize = 2;
/// Names of our solvers.
const SOLVERS: [&str; 3] = ["pbd", "xpbd", "projective"];
/// Depths that differ by less than this \[m\] count as equal: a hundredth of the contact distance.
const DEPTH_TOLERANCE: f64 = 0.01 * CONTACT_DISTANCE;

/// A contestant with the cloth in its initial state.
pub trait Cloth {
    /// Advances one step of [`DT`]; returns its time in milliseconds.
    fn step(&mut self) -> f64;

    /// Current vertex positions \[m\].
    fn positions(&self) -> Vec<Point>;
}

/// Input of all contestants.
pub struct Scene {
    /// Cloth mesh \[m\].
    pub mesh: TriMesh,
    /// Vertex masses \[kg\]; those of ours are computed from the fabric, with equal results.
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

/// Results of a contestant.
struct Run {
    /// Minimum milliseconds of each step.
    ms: Vec<f64>,
    /// Maximum depth over the run, and depth at its end \[m\].
    max_depth: [f64; 2],
    /// Maximum penetration into the solids themselves over the run \[m\].
    inside: f64,
    /// Exact number of self-intersections of the cloth at the end.
    crossings: usize,
    /// Maximum vertex speed at the end [m/s].
    final_speed: f64,
    hash: u64,
}

impl Run {
    fn new() -> Self {
        let ms = vec![f64::INFINITY; STEPS];
        Self { ms, max_depth: [0.0; 2], inside: 0.0, crossings: 0, final_speed: 0.0, hash: 0 }
    }

    /// Advances one step and evaluates the positions.
    fn take(&mut self, step: usize, cloth: &mut dyn Cloth, triangles: &[[u32; 3]]) {
        let before = if step + 1 == STEPS { cloth.positions() } else { Vec::new() };
        self.ms[step] = self.ms[step].min(cloth.step());
        let x = cloth.positions();
        let depth = f64::max(0.0, CONTACT_DISTANCE - SOLIDS.clearance(&x));
        self.max_depth = [self.max_depth[0].max(depth), depth];
        self.inside = self.inside.max(-SOLIDS.clearance_of_surface(&x, triangles));
        if step + 1 == STEPS {
            self.crossings = metrics::crossings(&x, triangles);
            self.final_speed = metrics::fastest(&before, &x, DT);
            self.hash = crate::measure::hash(&x);
        }
    }

    /// Mean milliseconds per step.
    fn mean(&self) -> f64 {
        self.ms.iter().sum::<f64>() / STEPS as f64
    }

    fn describe(&self) -> String {
        format!(
            "max penetration {:.2} mm, at the end {:.2}, inside {:.2}; {} intersections; creep \
             {:.0} mm/s; slowest step {:.1} ms",
            1e3 * self.max_depth[0],
            1e3 * self.max_depth[1],
            1e3 * self.inside,
            self.crossings,
            1e3 * self.final_speed,
            self.ms.iter().copied().fold(0.0, f64::max),
        )
    }

    /// Reason why ours is worse than the peer; `None` if it is not.
    fn worse_than(&self, peer: &Self) -> Option<String> {
        let mm = |a: f64, b: f64| format!("{:.3} mm, the peer's {:.3} mm", 1e3 * a, 1e3 * b);
        let ways = [
            ("over the run", self.max_depth[0], peer.max_depth[0]),
            ("at the end", self.max_depth[1], peer.max_depth[1]),
            ("inside the solids", self.inside, peer.inside),
        ];
        let worse = ways.iter().find(|(_, ours, peer)| !(*ours <= peer + DEPTH_TOLERANCE));
        worse.map(|(what, ours, peer)| format!("penetration {what} is {}", mm(*ours, *peer)))
    }
}

/// Runs ours with several solvers, and the peer.
pub fn run() -> Result<Outcome, String> {
    let scene = Scene::new()?;
    let mut outcome = Outcome::default();
    let mut runs = SOLVERS.map(|_| Run::new());
    let mut peer = None;
    for _ in 0..ROUNDS {
        let opened = SOLVERS.iter().map(|solver| ours::open(&scene, solver));
        let mut cloths = opened.collect::<Result<Vec<_>, _>>()?;
        let mut peer_cloth = open_peer_in(&scene).transpose()?;
        for step in 0..STEPS {
            for (run, cloth) in runs.iter_mut().zip(&mut cloths) {
                run.take(step, &mut **cloth, &scene.mesh.triangles);
            }
            if let Some(cloth) = &mut peer_cloth {
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
            error_ours: Some(run.max_depth[0]),
            error_peer: peer.as_ref().map(|p| p.max_depth[0]),
            hash: Some(run.hash),
            note,
            ..Row::default()
        });
        let worse = peer.as_ref().and_then(|peer| run.worse_than(peer));
        outcome.failures.extend(worse.map(|why| format!("contact-drop, {solver}: {why}")));
        if run.crossings > 0 {
            outcome.failures.push(format!("contact-drop, {solver}: the cloth intersects itself"));
        }
    }
    Ok(outcome)
}

/// Opens the peer with the cloth in its initial state, if it is available.
pub fn open_peer() -> Result<Option<Box<dyn Cloth>>, String> {
    open_peer_in(&Scene::new()?).transpose()
}

#[cfg(feature = "rapier")]
fn open_peer_in(scene: &Scene) -> Option<Result<Box<dyn Cloth>, String>> {
    Some(super::rapier::open(scene))
}

#[cfg(not(feature = "rapier"))]
fn rival_in(_scene: &Scene) -> Option<Result<Box<dyn Cloth>, String>> {
    None
}
