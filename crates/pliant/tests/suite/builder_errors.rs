//! Contract: every mistake in a scene is refused with the error that names it: the right variant,
//! the right index, and a message that holds the offending number and a remedy. Nothing panics.

use pliant::Error;
use pliant::batch::{Clusters, Elements};
use pliant::elements::{RingBending, Spring, TetVolumeBounds, TriangleAreaBounds};
use pliant::mesh::{Cell, MeshError, SpringKind, StrandMesh};
use pliant::prelude::*;

/// The error is the expected one, and its message holds every given text.
fn refused<T>(found: Result<T, Error>, expected: Error, texts: &[&str]) {
    let found = found.err().unwrap_or_else(|| panic!("taken, but expected: {expected}"));
    // By text as well: NaN is not equal to itself.
    assert_eq!(format!("{found:?}"), format!("{expected:?}"));
    let message = found.to_string();
    for text in texts {
        assert!(message.contains(text), "{message:?} lacks {text:?}");
    }
}

/// A scene with one sound cloth of nine vertices.
fn scene() -> (ModelBuilder, Body) {
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(3).size(1.0), Fabric::cotton()).unwrap();
    (scene, cloth)
}

fn triangle() -> Vec<[f64; 3]> {
    vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
}

#[test]
fn an_empty_model() {
    refused(ModelBuilder::new().build(), Error::EmptyModel, &["no vertices", "add a cloth"]);
    let mut scene = ModelBuilder::new();
    scene.points(&[], &[]).unwrap();
    refused(scene.build(), Error::EmptyModel, &[]);
}

#[test]
fn an_empty_body_among_others_is_harmless() {
    let (mut scene, _) = scene();
    let empty = scene.points(&[], &[]).unwrap();
    assert_eq!(empty.vertices(), 9..9);
    let mut sim = Simulation::new(scene.build().unwrap(), Xpbd::default()).unwrap();
    assert_eq!(sim.step().warning(), None);
}

#[test]
fn empty_meshes() {
    let empty = |vertices| Error::from(MeshError::Empty { vertices, cells: 0 });
    let mut scene = ModelBuilder::new();
    refused(scene.cloth(TriMesh::default(), Fabric::silk()), empty(0), &["at least one cell"]);
    refused(scene.solid(TetMesh::default(), Solid::foam()), empty(0), &["at least one cell"]);
    let springs = Springs::new(1.0, 1.0);
    refused(scene.springs(SpringNetwork::default(), springs), empty(0), &["at least one cell"]);
    let strand = StrandMesh { positions: triangle(), segments: vec![], corners: vec![] };
    refused(scene.strand(strand, Thread::rubber_cord()), empty(3), &["3 vertices"]);
}

#[test]
fn meshes_with_bad_indices_and_shapes() {
    let mut scene = ModelBuilder::new();
    let mesh = |triangles: Vec<[u32; 3]>| TriMesh {
        positions: triangle(),
        triangles,
        ..Default::default()
    };
    let error = MeshError::IndexOutOfRange { cell: Cell::Triangle(0), vertex: 7, count: 3 };
    refused(
        scene.cloth(mesh(vec![[0, 1, 7]]), Fabric::silk()),
        error.into(),
        &["triangle 0", "7", "correct"],
    );
    let error = MeshError::RepeatedIndex { cell: Cell::Triangle(0), vertex: 1 };
    refused(
        scene.cloth(mesh(vec![[0, 1, 1]]), Fabric::silk()),
        error.into(),
        &["vertex 1", "remove"],
    );

    let mut flat = mesh(vec![[0, 1, 2]]);
    flat.positions[2] = [2.0, 0.0, 0.0];
    let error = MeshError::DegenerateTriangle { triangle: 0, area: 0.0 };
    refused(
        scene.cloth(flat, Fabric::silk()),
        error.into(),
        &["triangle 0", "degenerate", "remove"],
    );
    let mut nan = mesh(vec![[0, 1, 2]]);
    nan.positions[2][1] = f64::NAN;
    refused(
        scene.cloth(nan, Fabric::silk()),
        MeshError::NotFinite { vertex: 2 }.into(),
        &["vertex 2", "finite"],
    );

    let mut tets = TetBlock::new(1, 1, 1).build().unwrap();
    tets.tets[2][3] = 99;
    let error = MeshError::IndexOutOfRange { cell: Cell::Tet(2), vertex: 99, count: 8 };
    refused(scene.solid(tets, Solid::foam()), error.into(), &["tet 2", "99", "8"]);

    let strand = |segments| StrandMesh { positions: triangle(), segments, corners: vec![] };
    let error = MeshError::IndexOutOfRange { cell: Cell::Segment(1), vertex: 9, count: 3 };
    refused(
        scene.strand(strand(vec![[0, 1], [1, 9]]), Thread::rubber_cord()),
        error.into(),
        &["segment 1", "9"],
    );
    let mut short = strand(vec![[0, 1], [1, 2]]);
    short.positions[2] = short.positions[1];
    let error = MeshError::DegenerateSegment { segment: 1, length: 0.0 };
    refused(scene.strand(short, Thread::rubber_cord()), error.into(), &["segment 1", "merge"]);

    let network = |springs: Vec<[u32; 2]>, triangles| SpringNetwork {
        positions: triangle(),
        kinds: vec![SpringKind::Structural; springs.len()],
        springs,
        triangles,
        corners: vec![],
    };
    let springs = Springs::new(1.0, 1.0);
    let error = MeshError::IndexOutOfRange { cell: Cell::Segment(0), vertex: 3, count: 3 };
    refused(
        scene.springs(network(vec![[0, 3]], vec![]), springs),
        error.into(),
        &["segment 0", "3"],
    );
    let error = MeshError::IndexOutOfRange { cell: Cell::Triangle(0), vertex: 50, count: 3 };
    refused(scene.springs(network(vec![[0, 1]], vec![[0, 1, 50]]), springs), error.into(), &["50"]);
    // A refused body leaves nothing behind.
    refused(scene.build(), Error::EmptyModel, &[]);
}

#[test]
fn generators_asked_for_the_impossible() {
    let mut scene = ModelBuilder::new();
    assert!(matches!(
        scene.cloth(Grid::square(1), Fabric::silk()),
        Err(Error::Mesh(MeshError::Resolution { found: 1, .. }))
    ));
    assert!(matches!(
        scene.cloth(Grid::square(3).size(f64::NAN), Fabric::silk()),
        Err(Error::Mesh(MeshError::Size { .. }))
    ));
    assert!(matches!(
        scene.springs(Curtain::new(usize::MAX), Springs::new(1.0, 1.0)),
        Err(Error::Mesh(MeshError::TooManyVertices { .. }))
    ));
}

#[test]
fn materials_that_make_no_sense() {
    let quantity = |name, field, value, remedy| Error::Quantity { name, field, value, remedy };
    let mut scene = ModelBuilder::new();
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let fabric = Fabric { density: value, ..Fabric::cotton() };
        let remedy = "the mass per area must be positive [kg/m²]";
        let number = value.to_string();
        refused(
            scene.cloth(Grid::square(3), fabric),
            quantity("fabric", "density", value, remedy),
            &["density", &number, "positive"],
        );
        let solid = Solid { density: value, ..Solid::jelly() };
        let remedy = "the mass per volume must be positive [kg/m³]";
        refused(
            scene.solid(TetBlock::new(1, 1, 1), solid),
            quantity("solid", "density", value, remedy),
            &["density", &number],
        );
        let thread = Thread { radius: value, ..Thread::rubber_cord() };
        refused(
            scene.strand(Strand::new(3), thread),
            quantity("thread", "radius", value, "it must be positive [m]"),
            &["radius", &number],
        );
        refused(
            scene.springs(Curtain::new(3), Springs::new(1.0, value)),
            quantity("springs", "mass", value, "the total mass must be positive [kg]"),
            &["mass", &number],
        );
    }
    for poisson in [-0.1, 0.5, f64::NAN] {
        let solid = Solid { poisson, ..Solid::jelly() };
        let remedy = "Poisson's ratio must be at least 0 and below 0.5";
        refused(
            scene.solid(TetBlock::new(1, 1, 1), solid),
            quantity("solid", "poisson", poisson, remedy),
            &["poisson", &poisson.to_string()],
        );
    }
    refused(
        scene.cloth(Grid::square(3), Fabric::cotton().limits(1.2, 0.8)),
        quantity("fabric", "limit", 1.2, "limits must satisfy 0 ≤ min ≤ max"),
        &["1.2", "min ≤ max"],
    );
    let damping = Damping { internal: -2.0, ..Damping::default() };
    refused(
        scene.cloth(Grid::square(3), Fabric::cotton().damping(damping)),
        quantity("damping", "internal", -2.0, "it must be finite and not negative [1/s]"),
        &["internal", "-2"],
    );
}

#[test]
fn pbd_stiffness_of_a_material() {
    let mut builder = ModelBuilder::new();
    builder.cloth(Grid::square(3), Fabric::cotton().pbd(0.5, 1.5)).unwrap();
    refused(
        builder.build(),
        Error::PbdStiffness { name: "laplace_bending", k: 1.5 },
        &["1.5", "between 0 and 1"],
    );
    let mut rings = Clusters::new();
    let ring = RingBending { coefficients: vec![1.0, -1.0], curvature: 0.0 };
    rings.push(vec![0, 1], 1.0, ring);
    for k in [-0.1, 1.1, f64::INFINITY] {
        let (mut builder, _) = scene();
        builder.elements(rings.clone().pbd_stiffness(Some(k)));
        let expected = Error::PbdStiffness { name: "ring_bending", k };
        refused(builder.build(), expected, &[&k.to_string()]);
    }
    let mut scene = ModelBuilder::new();
    let springs = Springs { pbd_stiffness: Some(-0.5), ..Springs::new(1.0, 1.0) };
    scene.springs(Curtain::new(3), springs).unwrap();
    refused(scene.build(), Error::PbdStiffness { name: "spring", k: -0.5 }, &["-0.5"]);
}

#[test]
fn elements_of_ones_own() {
    let spring = |vertices, weight, length| {
        let mut set = Elements::projective();
        set.push([0, 1], 1.0, Spring { length: 1.0 });
        set.push(vertices, weight, Spring { length });
        let (mut scene, _) = scene();
        scene.elements(set);
        scene.build()
    };
    let (name, element) = ("spring", 1);
    refused(
        spring([3, 9], 1.0, 1.0),
        Error::ElementIndex { name, element, vertex: 9, points: 9 },
        &["spring 1", "vertex 9", "below 9"],
    );
    refused(
        spring([4, 4], 1.0, 1.0),
        Error::ElementRepeatedIndex { name, element, vertex: 4 },
        &["spring 1", "vertex 4", "twice"],
    );
    refused(
        spring([3, 4], -2.5, 1.0),
        Error::ElementWeight { name, element, weight: -2.5 },
        &["spring 1", "-2.5", "not negative"],
    );
    refused(
        spring([3, 4], 1.0, f64::NAN),
        Error::ElementRestData { name, element, parameter: 0 },
        &["spring 1", "parameter 0", "check the rest shape"],
    );
    let mut set = Elements::projective();
    set.push([0, 1], 1.0, Spring { length: 1.0 });
    let (mut builder, _) = scene();
    builder.elements(set.damping(f64::NAN));
    let remedy = "it must be finite and not negative [1/s]";
    let value = f64::NAN;
    refused(
        builder.build(),
        Error::Quantity { name, field: "damping", value, remedy },
        &["damping", "NaN"],
    );

    // A ring with fewer coefficients than vertices, and one that is not finite.
    for coefficients in [vec![1.0, -1.0], vec![1.0, f64::NAN, 1.0]] {
        let mut rings = Clusters::new();
        rings.push(vec![0, 1, 2], 1.0, RingBending { coefficients, curvature: 0.0 });
        let (mut builder, _) = scene();
        builder.elements(rings);
        let expected = Error::ElementRestData { name: "ring_bending", element: 0, parameter: 0 };
        refused(builder.build(), expected, &["ring_bending 0"]);
    }
}

#[test]
fn bounds_in_the_wrong_order() {
    let rest = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let remedy = "bounds must be finite, with 0 ≤ min ≤ max";
    for (bounds, value) in
        [([-0.5, 1.0], -0.5), ([1.1, 0.9], 0.9), ([0.9, f64::INFINITY], f64::INFINITY)]
    {
        let error = |name| Error::Quantity { name, field: "bound", value, remedy };
        refused(TetVolumeBounds::new(rest, bounds), error("tet_volume_bounds"), &["bounds"]);
        let flat = [rest[0], rest[1], rest[2]];
        refused(TriangleAreaBounds::new(flat, bounds), error("triangle_area_bounds"), &["bounds"]);
    }
    let flat = [rest[0], rest[1], rest[2], [1.0, 1.0, 0.0]];
    let expected = Error::DegenerateRest { name: "tetrahedron", measure: 0.0 };
    refused(TetVolumeBounds::new(flat, [0.9, 1.1]), expected, &["0.000e0", "remove it or move"]);
}

#[test]
fn pins_forces_and_attachments_that_miss() {
    let (mut builder, _) = scene();
    builder.pin(9);
    let error = Error::NoSuchVertex { what: "a pin", vertex: 9, points: 9 };
    refused(builder.build(), error, &["a pin", "vertex 9", "9 vertices"]);

    let (mut builder, cloth) = scene();
    builder.pin(cloth.corner(4));
    refused(builder.build(), Error::NoSuchCorner { what: "pin" }, &["corner", "vertex index"]);
    let (mut builder, cloth) = scene();
    builder.pin(cloth.vertex(9));
    refused(builder.build(), Error::NoSuchCorner { what: "pin" }, &[]);

    let (mut builder, cloth) = scene();
    let error = Error::NoSuchVertex { what: "a force", vertex: 12, points: 9 };
    refused(builder.force(12, [0.0; 3]), error, &["a force", "vertex 12"]);
    refused(
        builder.force(cloth.corner(7), [0.0; 3]),
        Error::NoSuchCorner { what: "force" },
        &["corner"],
    );
    builder.attach(11, [0.0; 3], 1.0);
    let error = Error::ElementIndex { name: "pin", element: 0, vertex: 11, points: 9 };
    refused(builder.build(), error, &["vertex 11"]);

    let (mut builder, _) = scene();
    builder.attach(0, [f64::NAN; 3], 1.0);
    let error = Error::ElementRestData { name: "pin", element: 0, parameter: 0 };
    refused(builder.build(), error, &[]);
    let (mut builder, cloth) = scene();
    builder.attach(cloth.corner(9), [0.0; 3], 1.0);
    assert!(matches!(builder.build(), Err(Error::ElementIndex { name: "pin", .. })));
}

#[test]
fn motions_that_are_not_usable() {
    let spin = |axis, rate| Motion::Spin { center: [0.0; 3], axis, rate, drift: [0.0; 3] };
    let motions = [
        Motion::Path(vec![]),
        Motion::Path(vec![(1.0, [0.0; 3]), (1.0, [1.0; 3])]),
        Motion::Path(vec![(2.0, [0.0; 3]), (1.0, [1.0; 3])]),
        Motion::Path(vec![(f64::NAN, [0.0; 3])]),
        Motion::Path(vec![(0.0, [f64::INFINITY; 3])]),
        spin([0.0; 3], 1.0),
        spin([0.0, 1.0, 0.0], f64::NAN),
    ];
    for motion in motions {
        let (mut builder, cloth) = scene();
        builder.pin_moving(cloth.vertex(5), motion);
        refused(
            builder.build(),
            Error::InvalidMotion { vertex: 5 },
            &["vertex 5", "increasing times"],
        );
    }
}

#[test]
fn numbers_that_are_not_finite() {
    let (mut builder, cloth) = scene();
    builder.positions_mut(&cloth)[4][0] = f64::NAN;
    let error = |what| Error::VertexNotFinite { what, vertex: 4 };
    refused(builder.build(), error("position"), &["position", "vertex 4", "replace"]);
    let (mut builder, cloth) = scene();
    builder.velocities_mut(&cloth)[4][2] = f64::INFINITY;
    refused(builder.build(), error("velocity"), &["velocity", "vertex 4"]);
    let (mut builder, _) = scene();
    builder.force(4, [f64::NAN; 3]).unwrap();
    refused(builder.build(), error("force"), &["force", "vertex 4"]);

    let (mut builder, _) = scene();
    builder.gravity([0.0, f64::NAN, 0.0]);
    let remedy = "it must be finite [m/s²]";
    let value = f64::NAN;
    let error = Error::Quantity { name: "scene", field: "gravity", value, remedy };
    refused(builder.build(), error, &["gravity", "NaN"]);
    let (mut builder, _) = scene();
    builder.wind(Wind { period: 0.0, ..Wind::steady([1.0, 0.0, 0.0]) });
    refused(builder.build(), Error::InvalidWind, &["wind", "period positive"]);

    for value in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        let (mut builder, _) = scene();
        builder.time_step(value);
        refused(
            builder.build(),
            Error::TimeStep { value },
            &["time step", &value.to_string(), "1/60"],
        );
    }
}

#[test]
fn points_without_mass() {
    for mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut scene = ModelBuilder::new();
        scene.points(&[[0.0; 3], [1.0; 3]], &[1.0, mass]).unwrap();
        let number = mass.to_string();
        refused(
            scene.build(),
            Error::NonPositiveMass { vertex: 1, mass },
            &["vertex 1", &number, "positive density"],
        );
    }
    let mut scene = ModelBuilder::new();
    let remedy = "there must be one mass per position";
    let error = Error::Quantity { name: "points", field: "number of masses", value: 1.0, remedy };
    refused(scene.points(&[[0.0; 3]; 2], &[1.0]), error, &["number of masses", "1"]);
}

#[test]
fn solvers_refuse_what_they_cannot_honour() {
    let (builder, _) = scene();
    let model = std::sync::Arc::new(builder.build().unwrap());
    let error = Simulation::new(model.clone(), MassSpring::default()).err().unwrap();
    assert!(matches!(
        error,
        Error::Unsupported { solver: "mass_spring", what: "triangle_strain", .. }
    ));
    assert!(error.to_string().contains("use projective"), "{error}");
    let pbd = Pbd { sweep: Sweep::Jacobi { alpha: -1.0 }, ..Pbd::default() };
    let error = Simulation::new(model, pbd).err().unwrap();
    assert!(matches!(error, Error::Quantity { name: "pbd", field: "alpha", value: -1.0, .. }));

    let (mut builder, _) = scene();
    builder.mass_model(MassModel::Consistent);
    let model = std::sync::Arc::new(builder.build().unwrap());
    for solver in ["xpbd", "vbd", "pbd", "hpbd"] {
        let error =
            Simulation::new(model.clone(), AnySolver::by_name(solver).unwrap()).err().unwrap();
        assert!(matches!(error, Error::Unsupported { solver: s, .. } if s == solver), "{error}");
        assert!(error.to_string().contains("lumped"), "{error}");
    }
    let error = AnySolver::by_name("magic").unwrap_err();
    assert!(error.to_string().contains("\"magic\"") && error.to_string().contains("xpbd"));
}

#[test]
fn a_running_simulation_refuses_and_stays_as_it_was() {
    let (mut builder, _) = scene();
    builder.pin(2);
    let mut sim = Simulation::new(builder.build().unwrap(), ProjectiveDynamics::default()).unwrap();
    let before = sim.hash();
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(sim.set_time_step(value), Error::TimeStep { value }, &["time step"]);
    }
    // So small that its square is zero: the matrix cannot be factored.
    let error = sim.set_time_step(1e-200).unwrap_err();
    assert!(matches!(error, Error::NotPositiveDefinite { .. }), "{error:?}");
    assert_eq!(sim.time_step(), 1.0 / 60.0);
    assert!(sim.set_solver(MassSpring::default()).is_err());
    assert_eq!(sim.solver(), &AnySolver::from(ProjectiveDynamics::default()));
    refused(sim.move_pin(3, [0.0; 3]), Error::NotPinned { vertex: 3 }, &["vertex 3", "pin"]);
    let error = Error::VertexNotFinite { what: "pin target", vertex: 2 };
    refused(sim.move_pin(2, [f64::NAN; 3]), error, &["pin target", "vertex 2"]);
    assert_eq!(sim.hash(), before);
    assert_eq!(sim.step().warning(), None);
}
