//! Which element runs under which solver: found out by trying.

use crate::build::ModelBuilder;
use crate::elements::{ElementInfo, registry};
use crate::simulation::Simulation;
use crate::solvers::{AnySolver, LIST};
use crate::{Error, Model};

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
/// that of their list. Each pair has taken a step or says why it cannot.
pub fn support_matrix() -> Vec<Support> {
    let pair = |info: &ElementInfo, solver: &'static str| {
        let refusal = try_step(info, solver).err().map(|error| error.to_string());
        Support { element: info.name, solver, refusal }
    };
    let solvers = || LIST.iter().map(|(solver, _)| *solver);
    registry().iter().flat_map(|info| solvers().map(|solver| pair(info, solver))).collect()
}

fn try_step(info: &ElementInfo, solver: &str) -> Result<(), Error> {
    let mut sim = Simulation::<f64>::prepare(sample(info)?, AnySolver::by_name(solver)?)?;
    match sim.step().warnings.first() {
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
