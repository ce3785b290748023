//! Compatibility of elements and solvers, found by running one step of each pair.

use crate::build::ModelBuilder;
use crate::elements::{ElementInfo, registry};
use crate::simulation::Simulation;
use crate::simulation::precision::Precision;
use crate::solvers::{AnySolver, LIST};
use crate::{Error, Model, Warning};

/// Result of one element under one solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Compatibility {
    /// The element's name.
    pub element: &'static str,
    /// The solver's name.
    pub solver: &'static str,
    /// Reason why the solver does not run the element; `None` if it does.
    pub refusal: Option<String>,
}

/// Runs every registered element under every solver, elements in the order of the registry, solvers in that of
/// their list. Each pair takes a step in double precision; a pair that cannot has its reason.
pub fn compatibility_matrix() -> Vec<Compatibility> {
    registry().iter().flat_map(with_all_solvers::<f64>).collect()
}

/// Runs one registered element, given by name, under every solver in single precision. Returns an empty list if
/// no element has that name.
pub fn compatibility_of(element: &str) -> Vec<Compatibility> {
    registry()
        .iter()
        .filter(|info| info.name == element)
        .flat_map(with_all_solvers::<f32>)
        .collect()
}

fn with_all_solvers<S: Precision>(info: &ElementInfo) -> Vec<Compatibility> {
    let pair = |&(solver, _): &(&'static str, &'static str)| {
        let refusal = try_step::<S>(info, solver).err().map(|error| error.to_string());
        Compatibility { element: info.name, solver, refusal }
    };
    LIST.iter().map(pair).collect()
}

fn try_step<S: Precision>(info: &ElementInfo, solver: &str) -> Result<(), Error> {
    let mut sim = Simulation::<S>::with_precision(sample(info)?, AnySolver::by_name(solver)?)?;
    // A tolerance that single precision cannot reach does not count as a refusal.
    let single = size_of::<S>() < size_of::<f64>();
    let stopped = |w: &&Warning| !(single && matches!(w, Warning::NotConverged { .. }));
    match sim.step().warnings.iter().find(stopped) {
        None => Ok(()),
        Some(warning) => Err(Error::Scene { problem: warning.to_string() }),
    }
}

/// Returns a model of one element on points of 0.1 kg, about a metre in size.
fn sample(info: &ElementInfo) -> Result<Model, Error> {
    let mut rest = vec![[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], [0.3, 0.4, 0.8]];
    // Further points lie around the first, at irregular angles and heights.
    for k in 4..info.points {
        let k = k as f64;
        let fraction = |by: f64| (k * by) - (k * by).floor() - 0.5;
        rest.push([fraction(0.618), fraction(0.414), fraction(0.732)]);
    }
    rest.truncate(info.points);
    let vertices: Vec<u32> = (0..info.points as u32).collect();
    let mut scene = ModelBuilder::new();
    scene.points(&rest, &vec![0.1; rest.len()])?;
    scene.boxed_elements((info.sample)(&vertices, &rest, 1.0)?);
    scene.build()
}
