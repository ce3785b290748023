//! Which element runs under which solver: found out by trying.

use crate::build::ModelBuilder;
use crate::elements::{ElementInfo, registry};
use crate::simulation::Simulation;
use crate::solvers::{AnySolver, LIST};
use crate::system::Precision;
use crate::{Error, Model, Warning};

/// One element under one solver.
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    /// The element's name.
    pub element: &'static str,
    /// The solver's name.
    pub solver: &'static str,
    /// Why the solver does not run the element; nothing where it does.
    pub refusal: Option<String>,
}

/// Every registered element under every solver, elements in the order of the registry, solvers in
/// that of their list. Each pair has taken a step in double precision, or says why it cannot.
pub fn support_matrix() -> Vec<Support> {
    registry().iter().flat_map(under_all::<f64>).collect()
}

/// One registered element, by its name, under every solver, in single precision; nothing of an
/// element that is not registered.
pub fn support_of(element: &str) -> Vec<Support> {
    registry().iter().filter(|info| info.name == element).flat_map(under_all::<f32>).collect()
}

fn under_all<S: Precision>(info: &ElementInfo) -> Vec<Support> {
    let pair = |&(solver, _): &(&'static str, &'static str)| {
        let refusal = try_step::<S>(info, solver).err().map(|error| error.to_string());
        Support { element: info.name, solver, refusal }
    };
    LIST.iter().map(pair).collect()
}

fn try_step<S: Precision>(info: &ElementInfo, solver: &str) -> Result<(), Error> {
    let mut sim = Simulation::<S>::prepare(sample(info)?, AnySolver::by_name(solver)?)?;
    // A tolerance that single precision cannot reach is no refusal.
    let single = size_of::<S>() < size_of::<f64>();
    let stopped = |w: &&Warning| !(single && matches!(w, Warning::NotConverged { .. }));
    match sim.step().warnings.iter().find(stopped) {
        None => Ok(()),
        Some(warning) => Err(Error::Scene { problem: warning.to_string() }),
    }
}

/// One element on points of 0.1 kg, about a metre in size.
fn sample(info: &ElementInfo) -> Result<Model, Error> {
    let mut rest = vec![[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], [0.3, 0.4, 0.8]];
    // Further points lie around the first, at angles and heights without a pattern.
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
