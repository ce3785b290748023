//! Workloads: the input of all contestants, generated once here.
//!
//! A workload is a mesh at rest, a deformed start, masses and a number of iterations. Peers in other languages
//! read it from a file (`write`), so that no peer generates its own geometry and all start from the same bits.
//!
//! Local/global workloads (W1, W3) are one implicit Euler step of length h from zero velocity: `y = x + h² g`,
//! initial guess `x₀ = y`, and `start` holds `y`. Position-based workloads (W2, W4, scale) are projections
//! alone, from `start`, without integration. The rapier workloads are whole steps of 1/60 s.

use crate::geometry::{self, Block, Point, Sheet};
use pliant::math::Random;
use std::io::{self, Write};
use std::path::Path;

/// Type of iterations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Local/global iterations over springs.
    Springs = 0,
    /// Local/global iterations over tetrahedra, projected to rotations.
    Rotations = 1,
    /// Projections of distance constraints.
    Distance = 2,
    /// Projections of distance and dihedral constraints.
    Dihedral = 3,
    /// Projections of strain on triangles.
    StrainTriangles = 4,
    /// Projections of strain on tetrahedra.
    StrainTets = 5,
    /// Whole steps of a hanging sheet.
    StepSheet = 6,
    /// Whole steps of a block fixed at one end.
    StepBlock = 7,
}

/// A benchmark workload.
pub struct Workload {
    /// Name on the command line.
    pub name: String,
    /// Type of iterations.
    pub kind: Kind,
    /// Rest positions of the vertices \[m\].
    pub rest: Vec<Point>,
    /// Initial positions of the iterations \[m\]: the inertial target y for local/global workloads.
    pub start: Vec<Point>,
    /// Inverse masses [1/kg]; zero pins a vertex at its initial position.
    pub inv_mass: Vec<f64>,
    /// Springs or distance constraints.
    pub edges: Vec<[u32; 2]>,
    /// Interior edges as `[edge, edge, opposite, opposite]`.
    pub dihedrals: Vec<[u32; 4]>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra, positively oriented at rest.
    pub tets: Vec<[u32; 4]>,
    /// Time step \[s\].
    pub h: f64,
    /// Spring constant [N/m] (springs), weight per volume \[Pa\] (rotations), or 1 (projections).
    pub stiffness: f64,
    /// Position-based stiffness of the dihedrals, between 0 and 1.
    pub bend_stiffness: f64,
    /// Number of iterations of one run.
    pub iterations: u32,
}

/// Gravity along y [m/s²].
pub const GRAVITY: f64 = -9.81;

/// Names and descriptions of all workloads, in table order.
pub const NAMES: [(&str, &str); 14] = [
    ("W1", "curtain, 6,561 vertices, 32,158 springs, local/global"),
    ("W2-distance", "sheet 81×81, 19,360 distance constraints"),
    ("W2-dihedral", "sheet 81×81, 19,360 distance and 19,040 dihedral constraints"),
    ("W3-bar", "bar, 1,472 vertices, 4,095 tets, local/global rotations"),
    ("W3-block", "block, 11,466 vertices, 50,000 tets, local/global rotations"),
    ("W4-tri", "3,600 strain triangles"),
    ("W4-edges", "5,490 distance constraints, the edges of those triangles"),
    ("W4-tet", "3,600 strain tets"),
    ("rapier-cloth", "sheet 81×81 pinned at two corners, complete steps"),
    ("rapier-block", "bar of 4,095 tets fixed at one end, complete steps"),
    ("scale-1e3", "1,008 distance constraints"),
    ("scale-1e4", "9,861 distance constraints"),
    ("scale-1e5", "99,736 distance constraints"),
    ("scale-1e6", "999,941 distance constraints"),
];

impl Workload {
    /// Creates the workload with this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut workload = match name {
            "W1" => curtain(),
            "W2-distance" => sheet_constraints(81, Kind::Distance),
            "W2-dihedral" => sheet_constraints(81, Kind::Dihedral),
            "W3-bar" => tet_block([91, 3, 3], Kind::Rotations),
            "W3-block" => tet_block([25, 20, 20], Kind::Rotations),
            "W4-tri" => strip(Kind::StrainTriangles),
            "W4-edges" => strip(Kind::Distance),
            "W4-tet" => tet_block([20, 6, 6], Kind::StrainTets),
            "rapier-cloth" => sheet_constraints(81, Kind::StepSheet),
            "rapier-block" => tet_block([91, 3, 3], Kind::StepBlock),
            _ => {
                let power = name.strip_prefix("scale-1e")?.parse::<u32>().ok()?;
                let edges = (3..=6).contains(&power).then(|| 10_usize.pow(power))?;
                sheet_constraints(geometry::sheet_side_for(edges), Kind::Distance)
            }
        };
        workload.name = name.to_owned();
        Some(workload)
    }

    /// True for local/global iterations, measured by the objective of the step.
    pub fn is_local_global(&self) -> bool {
        matches!(self.kind, Kind::Springs | Kind::Rotations)
    }

    /// True if runs are whole time steps.
    pub fn is_step(&self) -> bool {
        matches!(self.kind, Kind::StepSheet | Kind::StepBlock)
    }

    /// Writes the workload for a peer in another language: magic, eight u32 (kind and counts), four
    /// f64 (h, stiffness, bend stiffness, gravity), then the arrays, all little-endian.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut out = io::BufWriter::new(std::fs::File::create(path)?);
        out.write_all(b"PLIANTW1")?;
        let counts = [
            self.kind as usize,
            self.rest.len(),
            self.edges.len(),
            self.dihedrals.len(),
            self.triangles.len(),
            self.tets.len(),
            self.iterations as usize,
            0,
        ];
        for count in counts {
            out.write_all(&(count as u32).to_le_bytes())?;
        }
        for value in [self.h, self.stiffness, self.bend_stiffness, GRAVITY] {
            out.write_all(&value.to_le_bytes())?;
        }
        let points = self.rest.iter().chain(&self.start).flatten();
        for value in points.chain(&self.inv_mass) {
            out.write_all(&value.to_le_bytes())?;
        }
        let edges = self.edges.iter().flatten().chain(self.dihedrals.iter().flatten());
        let cells = self.triangles.iter().flatten().chain(self.tets.iter().flatten());
        for index in edges.chain(cells) {
            out.write_all(&index.to_le_bytes())?;
        }
        out.flush()
    }
}

/// Creates a workload of one kind around its mesh, without elements.
fn empty_workload(kind: Kind, rest: Vec<Point>, start: Vec<Point>, inv_mass: Vec<f64>) -> Workload {
    Workload {
        name: String::new(),
        kind,
        rest,
        start,
        inv_mass,
        edges: vec![],
        dihedrals: vec![],
        triangles: vec![],
        tets: vec![],
        h: 1.0 / 30.0,
        stiffness: 1.0,
        bend_stiffness: 0.0,
        iterations: 10,
    }
}

/// Rest positions stretched by 2 % and rippled, so that a step of an implicit method has errors at every
/// wavelength.
fn rippled(sheet: &Sheet) -> Vec<Point> {
    let ripple = |x: f64, z: f64| 0.01 * libm::sin(25.0 * x) * libm::cos(19.0 * z);
    let pull = |&[x, _, z]: &Point| [1.02 * x, ripple(x, z), 1.02 * z];
    sheet.vertices.iter().map(pull).collect()
}

/// Free vertices displaced by up to `size` \[m\] in each direction: short wavelengths, which a few sweeps of
/// projections can reduce in any order of the constraints. Pins stay at rest, so that a state with zero
/// residual exists.
fn jittered(vertices: &[Point], inv_mass: &[f64], size: f64) -> Vec<Point> {
    let mut random = Random::new(1);
    let mut jitter = |p: &Point, w: f64| {
        let size = if w > 0.0 { size } else { 0.0 };
        p.map(|c| c + size * random.signed_unit())
    };
    vertices.iter().zip(inv_mass).map(|(p, &w)| jitter(p, w)).collect()
}

/// Inverse masses of equal masses that sum to one kilogram, with the two corners of the first row pinned.
fn sheet_inv_mass(columns: usize, vertices: usize) -> Vec<f64> {
    let mut inv_mass = vec![vertices as f64; vertices];
    (inv_mass[0], inv_mass[columns - 1]) = (0.0, 0.0);
    inv_mass
}

/// Adds the free fall of one step to every free vertex: x becomes y.
fn apply_gravity_step(workload: &mut Workload) {
    let fall = workload.h * workload.h * GRAVITY;
    for (x, &w) in workload.start.iter_mut().zip(&workload.inv_mass) {
        if w > 0.0 {
            x[1] += fall;
        }
    }
}

fn curtain() -> Workload {
    let sheet = geometry::sheet(81, 81, 1.0);
    let inv_mass = sheet_inv_mass(81, sheet.vertices.len());
    let start = rippled(&sheet);
    let mut workload = empty_workload(Kind::Springs, sheet.vertices, start, inv_mass);
    workload.edges = [sheet.edges, sheet.skips].concat();
    // A corner then carries half the weight with about 5 mm of stretch.
    workload.stiffness = 1000.0;
    apply_gravity_step(&mut workload);
    workload
}

fn sheet_constraints(side: usize, kind: Kind) -> Workload {
    let sheet = geometry::sheet(side, side, 1.0);
    let inv_mass = sheet_inv_mass(side, sheet.vertices.len());
    let stepping = kind == Kind::StepSheet;
    let jitter = if stepping { 0.0 } else { 0.1 / (side - 1) as f64 };
    let start = jittered(&sheet.vertices, &inv_mass, jitter);
    let mut workload = empty_workload(kind, sheet.vertices, start, inv_mass);
    if kind == Kind::Dihedral {
        workload.dihedrals = geometry::dihedrals(&sheet.triangles);
        workload.bend_stiffness = 0.1;
    }
    if stepping {
        workload.h = 1.0 / 60.0;
    }
    workload.edges = sheet.edges;
    workload.triangles = sheet.triangles;
    workload
}

fn strip(kind: Kind) -> Workload {
    let sheet = geometry::sheet(61, 31, 1.0);
    let inv_mass = sheet_inv_mass(61, sheet.vertices.len());
    let start = jittered(&sheet.vertices, &inv_mass, 0.1 / 60.0);
    let mut workload = empty_workload(kind, sheet.vertices, start, inv_mass);
    if kind == Kind::StrainTriangles {
        workload.triangles = sheet.triangles;
    } else {
        workload.edges = sheet.edges;
    }
    workload
}

/// Creates a block of 10 cm cells [1000 kg/m³], fixed at x = 0. Local/global iterations start twisted by half a
/// turn, stretched by 5 % and jittered, so that every element has its own rotation and strain; projections
/// start jittered; steps start at rest.
fn tet_block(cells: [usize; 3], kind: Kind) -> Workload {
    let cell = 0.1;
    let Block { vertices, tets } = geometry::block(cells, cell);
    let mut mass = vec![0.0; vertices.len()];
    for &tet in &tets {
        let share = 1000.0 * geometry::det(geometry::edges_of(&vertices, tet)) / 24.0;
        for i in tet {
            mass[i as usize] += share;
        }
    }
    let held = |x: &Point| x[0] == 0.0;
    let inverse = |(x, m): (&Point, &f64)| if held(x) { 0.0 } else { 1.0 / m };
    let inv_mass: Vec<f64> = vertices.iter().zip(&mass).map(inverse).collect();
    let jitter = |size: f64| jittered(&vertices, &inv_mass, size * cell);
    let start = match kind {
        Kind::StepBlock => vertices.clone(),
        Kind::Rotations => twisted(&jitter(0.1), cells.map(|n| n as f64 * cell)),
        _ => jitter(0.03),
    };
    let mut workload = empty_workload(kind, vertices, start, inv_mass);
    workload.tets = tets;
    if kind != Kind::StrainTets {
        workload.stiffness = 1e6;
    }
    match kind {
        Kind::Rotations => apply_gravity_step(&mut workload),
        Kind::StepBlock => workload.h = 1.0 / 60.0,
        _ => {}
    }
    workload
}

/// Vertices twisted by half a turn about the axis of a block of this size, and stretched by 5 %.
fn twisted(vertices: &[Point], size: Point) -> Vec<Point> {
    let [length, middle_y, middle_z] = [size[0], 0.5 * size[1], 0.5 * size[2]];
    let twist = |p: &Point| {
        let angle = std::f64::consts::PI * p[0] / length;
        let (s, c) = (libm::sin(angle), libm::cos(angle));
        let (y, z) = (p[1] - middle_y, p[2] - middle_z);
        [1.05 * p[0], middle_y + c * y - s * z, middle_z + s * y + c * z]
    };
    vertices.iter().map(twist).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_workload_exists() {
        for (name, _) in NAMES {
            let workload = Workload::named(name).expect(name);
            assert_eq!(workload.rest.len(), workload.start.len());
            assert!(workload.inv_mass.contains(&0.0), "{name} has no pin");
        }
        assert_eq!(Workload::named("W4-tri").map(|w| w.triangles.len()), Some(3600));
        assert_eq!(Workload::named("W4-edges").map(|w| w.edges.len()), Some(5490));
        assert_eq!(Workload::named("W4-tet").map(|w| w.tets.len()), Some(3600));
        assert!(Workload::named("scale-1e9").is_none());
    }
}
