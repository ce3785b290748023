//! The simulation, the second one beside it where two solvers are compared, and what is done to both.

use std::sync::Arc;

use pliant::Simulation;

use crate::action::Action;
use crate::changes::{Air, Changes};
use crate::setup::Setup;
use crate::solver::Settings;

/// A running scene.
pub(crate) struct World {
    /// What is simulated, and where it comes from.
    pub setup: Arc<Setup>,
    /// The solver.
    pub solver: Settings,
    /// The simulation.
    pub sim: Simulation,
    /// The second solver and its simulation.
    pub rival: Option<(Settings, Simulation)>,
    /// Vertices that the hand holds, by the whole model's numbers, and that the scene does not.
    pub in_hand: Vec<u32>,
    machine: Machine,
}

/// What runs a simulation, without any influence on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    /// Gives seconds.
    pub clock: fn() -> f64,
    /// Threads of a step.
    pub threads: usize,
}

/// A recorded state with all that it belongs to.
#[derive(Clone)]
pub(crate) struct Record {
    /// Steps since the start.
    pub step: u64,
    /// How much of the timeline was behind it.
    pub place: usize,
    setup: Arc<Setup>,
    solver: Settings,
    dt: f64,
    state: Vec<u8>,
    rival: Option<(Settings, Vec<u8>)>,
    in_hand: Vec<u32>,
}

impl Record {
    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        self.state.len() + self.rival.as_ref().map_or(0, |(_, state)| state.len()) + 200
    }

    /// The setup that it was recorded with.
    pub fn setup(&self) -> &Arc<Setup> {
        &self.setup
    }

    /// The state of the simulation as bytes.
    pub fn state(&self) -> &[u8] {
        &self.state
    }
}

fn prepare(
    setup: &Setup,
    solver: &Settings,
    dt: f64,
    machine: Machine,
) -> Result<Simulation, String> {
    let mut sim =
        Simulation::new(setup.model.clone(), solver.solver()?).map_err(|e| e.to_string())?;
    if sim.time_step() != dt {
        sim.set_time_step(dt).map_err(|e| e.to_string())?;
    }
    sim.set_clock(machine.clock);
    if machine.threads > 1 {
        sim.set_threads(machine.threads);
    }
    Ok(sim)
}

impl World {
    /// A setup at its start under the scene's own solver.
    pub fn new(setup: Setup, machine: Machine) -> Result<Self, String> {
        let solver = Settings::of_scene(&setup.base.description)?;
        let dt = setup.model.time_step();
        Self::with(Arc::new(setup), solver, dt, machine)
    }

    /// A setup at its start.
    pub fn with(
        setup: Arc<Setup>,
        solver: Settings,
        dt: f64,
        machine: Machine,
    ) -> Result<Self, String> {
        let sim = prepare(&setup, &solver, dt, machine)?;
        Ok(Self { setup, solver, sim, rival: None, in_hand: Vec::new(), machine })
    }

    /// Runs on so many threads from now on.
    pub fn set_threads(&mut self, threads: usize) {
        self.machine.threads = threads;
        self.sim.set_threads(threads);
        if let Some((_, sim)) = &mut self.rival {
            sim.set_threads(threads);
        }
    }

    /// Does something to the simulation, and to the second one. On an error nothing has changed, unless the
    /// second one alone could not follow: then it is gone, and the note says so.
    pub fn apply(&mut self, action: &Action) -> Result<Option<String>, String> {
        match action {
            Action::Solver { name, numbers } => {
                let settings = Settings { name: name.clone(), numbers: numbers.clone() };
                let settings = settings.stable(&mut self.sim)?;
                self.sim.set_solver(settings.solver()?).map_err(|e| e.to_string())?;
                self.solver = settings;
                Ok(None)
            }
            Action::TimeStep { dt } => {
                if !(*dt >= 1e-6 && *dt <= 1.0) {
                    return Err(format!(
                        "a time step of {dt} s cannot be; give one from 1e-6 s to 1 s"
                    ));
                }
                self.both(|sim| sim.set_time_step(*dt).map_err(|e| e.to_string()))
            }
            Action::Gravity { g } => {
                let changes = Changes { gravity: Some(*g), ..self.setup.changes.clone() };
                self.adopt(self.setup.with_changes(changes)?)
            }
            Action::Wind { velocity, gust } => {
                let wind = Some(Air { velocity: *velocity, gust: *gust });
                if !gust.is_finite() || velocity.iter().any(|c| !c.is_finite()) {
                    return Err("a wind needs finite numbers".to_owned());
                }
                let changes = Changes { wind, ..self.setup.changes.clone() };
                self.adopt(self.setup.with_changes(changes)?)
            }
            Action::Material { values } => self.adopt(self.setup.with_values(values)?),
            Action::Hold { vertices, hand } => self.hold(vertices, *hand),
            Action::Free { vertices } => self.free(vertices),
            Action::Move { vertices, targets } => {
                self.both(|sim| move_pins(sim, vertices, targets))
            }
            Action::Throw { ball } => {
                let mut changes = self.setup.changes.clone();
                changes.balls.push(*ball);
                self.adopt(self.setup.with_changes(changes)?)
            }
            Action::Cut { from, to } => self.both(|sim| {
                // A cut that meets nothing is none; it is told by what is drawn.
                sim.cut(*from, *to).map(|_| ()).map_err(|e| e.to_string())
            }),
        }
    }

    fn hold(&mut self, vertices: &[u32], hand: bool) -> Result<Option<String>, String> {
        let (base, points) = (&self.setup.base.model, self.setup.model.len());
        if vertices.iter().any(|&v| v as usize >= points) {
            return Err("there is no such vertex to hold".to_owned());
        }
        let mut changes = self.setup.changes.clone();
        let held: Vec<u32> = vertices.iter().copied().filter(|&v| changes.hold(base, v)).collect();
        let note = match held.is_empty() {
            true => None,
            false => self.adopt(self.setup.with_changes(changes)?)?,
        };
        if hand {
            self.in_hand = held;
        }
        Ok(note)
    }

    fn free(&mut self, vertices: &[u32]) -> Result<Option<String>, String> {
        let base = self.setup.base.model.clone();
        let mut changes = self.setup.changes.clone();
        let freed = vertices.iter().filter(|&&v| changes.free(&base, v)).count();
        let note = match freed {
            0 => None,
            _ => self.adopt(self.setup.with_changes(changes)?)?,
        };
        self.in_hand.retain(|v| !vertices.contains(v));
        Ok(note)
    }

    /// Goes on with another setup.
    fn adopt(&mut self, setup: Setup) -> Result<Option<String>, String> {
        let model = setup.model.clone();
        let note = self.both(|sim| sim.go_on_with(model.clone()).map_err(|e| e.to_string()))?;
        self.setup = Arc::new(setup);
        Ok(note)
    }

    /// Does the same to both simulations; the first decides whether it can be done.
    fn both(
        &mut self,
        mut what: impl FnMut(&mut Simulation) -> Result<(), String>,
    ) -> Result<Option<String>, String> {
        what(&mut self.sim)?;
        let Some((settings, sim)) = &mut self.rival else { return Ok(None) };
        let Err(problem) = what(sim) else { return Ok(None) };
        let note = format!("{} could not follow and stands aside: {problem}", settings.name);
        self.rival = None;
        Ok(Some(note))
    }

    /// Runs a second solver from the present state on.
    pub fn compare(&mut self, settings: Settings) -> Result<(), String> {
        let settings = settings.stable(&mut self.sim)?;
        let mut sim = prepare(&self.setup, &settings, self.sim.time_step(), self.machine)?;
        sim.restore(&self.sim.snapshot()).map_err(|e| e.to_string())?;
        self.rival = Some((settings, sim));
        Ok(())
    }

    /// The present state with all that it belongs to.
    pub fn record(&self, place: usize) -> Record {
        Record {
            step: self.sim.state().step,
            place,
            setup: self.setup.clone(),
            solver: self.solver.clone(),
            dt: self.sim.time_step(),
            state: self.sim.snapshot(),
            rival: self.rival.as_ref().map(|(s, sim)| (s.clone(), sim.snapshot())),
            in_hand: self.in_hand.clone(),
        }
    }

    /// Goes back to a record. On an error the first simulation has not changed; the second may be gone.
    pub fn restore(&mut self, record: &Record) -> Result<(), String> {
        let words = |e: pliant::Error| e.to_string();
        let here = Arc::ptr_eq(&self.setup, &record.setup) && self.sim.time_step() == record.dt;
        // What runs the same is only set back; for the rest, new simulations take over when both are ready.
        let mut rival = match (&record.rival, &self.rival) {
            (None, _) => None,
            (Some((then, _)), Some((now, _))) if here && then == now => self.rival.take(),
            (Some((then, _)), _) => {
                let sim = prepare(&record.setup, then, record.dt, self.machine)?;
                Some((then.clone(), sim))
            }
        };
        if let (Some((_, sim)), Some((_, state))) = (&mut rival, &record.rival) {
            sim.restore(state).map_err(words)?;
        }
        if here && self.solver == record.solver {
            self.sim.restore(&record.state).map_err(words)?;
        } else {
            let mut sim = prepare(&record.setup, &record.solver, record.dt, self.machine)?;
            sim.restore(&record.state).map_err(words)?;
            self.sim = sim;
        }
        (self.setup, self.solver) = (record.setup.clone(), record.solver.clone());
        (self.rival, self.in_hand) = (rival, record.in_hand.clone());
        Ok(())
    }
}

/// Moves held vertices, with all that came of them by tears. One that is not held any more is left.
fn move_pins(sim: &mut Simulation, vertices: &[u32], targets: &[[f64; 3]]) -> Result<(), String> {
    if targets.iter().flatten().any(|c| !c.is_finite()) {
        return Err("the pointer is nowhere; move it into the picture".to_owned());
    }
    let pins = sim.model().pins().iter().map(|p| (p.vertex, sim.origin(p.vertex)));
    let pins: Vec<(usize, usize)> = pins.collect();
    for (&v, &target) in vertices.iter().zip(targets) {
        for (pin, _) in pins.iter().filter(|(_, origin)| *origin == v as usize) {
            sim.move_pin(*pin, target).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}
