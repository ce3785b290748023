//! Helpers of the contracts: small scenes, the list of solver settings, random numbers.
#![allow(dead_code, unused_imports)] // Every test file uses its own part.

use std::sync::Arc;

use pliant::Error;
use pliant::linalg::SaddleMethod;
pub use pliant::math::Random;
pub use pliant::math::point::{add, cross, dot, norm, scale, sub};
use pliant::mesh::{TetBlock, TriMesh};
use pliant::prelude::*;
use pliant::solvers::{Hessian, LIST, LinearSolver};

/// Random points and rotations.
pub trait RandomGeometry {
    /// Coordinates in −size..size.
    fn point(&mut self, size: f64) -> [f64; 3];

    /// A rotation, by columns, from two random directions.
    fn rotation(&mut self) -> [[f64; 3]; 3] {
        loop {
            let (a, b) = (self.point(1.0), self.point(1.0));
            let c = cross(a, b);
            if norm(c) > 0.05 {
                let (a, c) = (scale(a, 1.0 / norm(a)), scale(c, 1.0 / norm(c)));
                return [a, cross(c, a), c];
            }
        }
    }
}

impl RandomGeometry for Random {
    fn point(&mut self, size: f64) -> [f64; 3] {
        [0; 3].map(|_| self.range(-size, size))
    }
}

/// `M v` for a matrix by columns.
pub fn apply(m: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    add(add(scale(m[0], v[0]), scale(m[1], v[1])), scale(m[2], v[2]))
}

/// A well-shaped rest shape of any number of points, about one metre in size.
pub fn rest_shape(points: usize) -> Vec<[f64; 3]> {
    let mut random = Random::new(11);
    let mut all = vec![[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], [0.3, 0.4, 0.8]];
    while all.len() < points {
        all.push(random.point(1.0));
    }
    all.truncate(points);
    all
}

/// True if everything is run, at greater length: `PLIANT_THOROUGH=1`.
pub fn thorough() -> bool {
    std::env::var_os("PLIANT_THOROUGH").is_some()
}

/// Every solver with its default settings, by name, and the variants that run other code.
pub fn solvers() -> Vec<(String, AnySolver)> {
    let mut all: Vec<(String, AnySolver)> = LIST
        .iter()
        .map(|(name, _)| (name.to_string(), AnySolver::by_name(name).unwrap()))
        .collect();
    // A few iterations run the same code as many, in less time.
    let few = Newton { iterations: 3, ..Newton::default() };
    let cg = LinearSolver::ConjugateGradients { tolerance: 1e-10 };
    let variants: [(&str, AnySolver); 12] = [
        ("pbd-jacobi", Pbd::jacobi().into()),
        ("pbd-momentum", Pbd::momentum().into()),
        ("pbd-jacobi-chebyshev", Pbd { chebyshev: true, ..Pbd::jacobi() }.into()),
        ("pbd-momentum-chebyshev", Pbd { chebyshev: true, ..Pbd::momentum() }.into()),
        ("vbd-chebyshev", Vbd { chebyshev: true, ..Vbd::default() }.into()),
        (
            "projective-tolerant",
            ProjectiveDynamics { tolerance: 1e-6, ..Default::default() }.into(),
        ),
        ("newton-definite", Newton { hessian: Hessian::PsdProjected, ..few }.into()),
        ("newton-exact", Newton { hessian: Hessian::Exact, ..few }.into()),
        ("newton-cg", Newton { linear_solver: cg, ..few }.into()),
        ("newton-semi-implicit", Newton::semi_implicit().into()),
        ("newton-semi-implicit-projected", Newton::semi_implicit_projected().into()),
        ("newton-hybrid", Newton { warm_start_iterations: 5, ..few }.into()),
    ];
    all.extend(variants.map(|(name, solver)| (name.to_string(), solver)));
    for name in ["projective@midpoint", "projective@bdf2", "mass_spring@bdf2"] {
        all.push((name.to_string(), AnySolver::by_name(name).unwrap()));
    }
    for integrator in [Integrator::ImplicitMidpoint, Integrator::Bdf2] {
        let solver: AnySolver = Newton { integrator, ..few }.into();
        all.push((solver.name().to_string(), solver));
    }
    all
}

/// The other ways of constrained dynamics: made for few constraints, and slow on meshes.
pub fn constrained_variants() -> Vec<(String, AnySolver)> {
    let method = |method| Constrained { method, ..Constrained::default() };
    let variants = [
        ("constrained-hard", Constrained::hard()),
        ("constrained-linearised", Constrained::linearised()),
        ("constrained-schur", method(SaddleMethod::Schur)),
        ("constrained-cg", method(SaddleMethod::SchurCg { tolerance: 1e-10 })),
    ];
    variants.map(|(name, solver)| (name.to_string(), solver.into())).to_vec()
}

/// The same with three iterations at most, explicit ones with ten substeps: the same code in less
/// time.
pub fn few_iteration_solvers() -> Vec<(String, AnySolver)> {
    let few = |(name, solver): (String, AnySolver)| match solver {
        AnySolver::Explicit(s) => (name, Explicit { substeps: 10, ..s }.into()),
        solver => (name, solver.with_iterations(3)),
    };
    solvers().into_iter().map(few).collect()
}

/// A simulation, or none where the solver refuses the model by its type of element.
pub fn simulate<S: Precision>(model: &Arc<Model>, solver: &AnySolver) -> Option<Simulation<S>> {
    match Simulation::<S>::with_precision(model.clone(), solver.clone()) {
        Ok(sim) => Some(sim),
        Err(Error::Unsupported { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

/// The first vertex whose position or velocity is not finite.
pub fn first_non_finite<S: Precision>(sim: &Simulation<S>) -> Option<usize> {
    let state = sim.state();
    let bad = |p: &[S; 4]| p[..3].iter().any(|c| !c.is_finite());
    (0..state.positions.len()).find(|&i| bad(&state.positions[i]) || bad(&state.velocities[i]))
}

/// A cloth that hangs from two corners, with membrane and mean-curvature bending.
pub fn cloth(n: usize) -> Model {
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(n).size(1.0), Fabric::cotton()).unwrap();
    scene.contact_material(&cloth, None);
    scene.pin(cloth.corner(0));
    scene.pin(cloth.corner(1));
    scene.build().unwrap()
}

/// A rubber sheet with dihedral bending, area terms, wind and all kinds of damping.
pub fn rubber_sheet(n: usize) -> Model {
    let mut scene = ModelBuilder::new();
    let damping = Damping { drag: 0.1, internal: 0.5, constraint: 0.3, stiffness: 1e-4 };
    let fabric = Fabric { bend: Bend::Dihedral, ..Fabric::rubber() }.damping(damping);
    let sheet = scene.cloth(Grid::square(n).size(0.5), fabric).unwrap();
    scene.contact_material(&sheet, None);
    scene.pin(sheet.corner(0));
    let spin =
        Motion::Spin { center: [0.0; 3], axis: [0.0, 1.0, 0.0], rate: 1.0, drift: [0.0, 0.1, 0.0] };
    scene.pin_moving(sheet.corner(1), spin);
    scene.wind(Wind::steady([2.0, 0.0, 3.0]).gusts(0.5, 0.7));
    scene.build().unwrap()
}

/// A net of edges with strain limits.
pub fn net(n: usize) -> Model {
    let mut scene = ModelBuilder::new();
    let fabric = Fabric { stretch: Stretch::Edges, ..Fabric::silk() }.limits(0.8, 1.05);
    let net = scene.cloth(Grid::square(n).size(1.0), fabric).unwrap();
    scene.contact_material(&net, None);
    scene.pin(net.corner(0));
    scene.build().unwrap()
}

/// A block of tetrahedra held at one side.
pub fn block(n: usize) -> Model {
    let mut scene = ModelBuilder::new();
    let bar = TetBlock::new(2 * n, n, n).size([0.4, 0.2, 0.2]).bar().unwrap();
    let body = scene.solid(bar.mesh, Solid::jelly()).unwrap();
    bar.ends[0].iter().for_each(|&v| scene.pin(body.vertex(v as usize)));
    scene.build().unwrap()
}

/// A curtain of springs.
pub fn curtain(n: usize) -> Model {
    let mut scene = ModelBuilder::new();
    let curtain = scene.springs(Curtain::new(n), Springs::new(300.0, 1.0)).unwrap();
    scene.pin(curtain.corner(0));
    scene.attach(curtain.corner(1), [1.0, 0.1, 0.0], 500.0);
    scene.build().unwrap()
}

/// A weak net with limits of its stretch and area.
pub fn limited(n: usize) -> Model {
    let mut scene = ModelBuilder::new();
    let limit = StrainLimit::new(0.8, 1.1).area(0.8, 1.2).iterations(5);
    let net = scene.springs(Curtain::new(n), Springs::new(30.0, 1.0).strain_limit(limit)).unwrap();
    scene.pin(net.corner(0));
    scene.build().unwrap()
}

/// A cord that hangs from one end.
pub fn cord(n: usize) -> Model {
    let mut scene = ModelBuilder::new();
    let cord = scene.strand(Strand::new(n).length(0.5), Thread::rubber_cord()).unwrap();
    scene.pin(cord.vertex(0));
    scene.build().unwrap()
}

/// A fan of eleven triangles around one vertex: its ring is too large for lanes.
pub fn fan() -> Model {
    let mut scene = ModelBuilder::new();
    let around = 11;
    let mut positions = vec![[0.0; 3]];
    for k in 0..around {
        let angle = std::f64::consts::TAU * k as f64 / around as f64;
        let height = 0.05 * (k % 3) as f64;
        positions.push([0.3 * pliant::math::cos(angle), height, 0.3 * pliant::math::sin(angle)]);
    }
    let triangles = (0..around).map(|k| [0, 1 + (k + 1) % around, 1 + k]).collect();
    let fan = scene.cloth(TriMesh::new(positions, triangles).unwrap(), Fabric::paper()).unwrap();
    scene.contact_material(&fan, None);
    scene.pin(fan.vertex(1));
    scene.build().unwrap()
}

/// A ball of rubber that hangs by a vertex and is blown up and let go again.
pub fn balloon() -> Model {
    let mut scene = ModelBuilder::new();
    let ball = scene.cloth(Icosphere::new(1).radius(0.1), Fabric::rubber()).unwrap();
    let path = Inflation::Path(vec![(0.0, 1.0), (0.2, 1.5), (0.4, 0.9)]);
    scene.inflate(&ball, Pressure::air(path)).unwrap();
    scene.contact_material(&ball, None);
    scene.pin(ball.vertex(0));
    scene.build().unwrap()
}

/// The small scenes, by name: together they use every element that a builder makes. They touch nothing:
/// explicit solvers blow some of them up, and contact has suites of its own.
pub fn scenes() -> Vec<(&'static str, Arc<Model>)> {
    vec![
        ("cloth", Arc::new(cloth(9))),
        ("rubber_sheet", Arc::new(rubber_sheet(6))),
        ("net", Arc::new(net(7))),
        ("block", Arc::new(block(2))),
        ("curtain", Arc::new(curtain(9))),
        ("limited", Arc::new(limited(6))),
        ("cord", Arc::new(cord(12))),
        ("fan", Arc::new(fan())),
        ("balloon", Arc::new(balloon())),
    ]
}
