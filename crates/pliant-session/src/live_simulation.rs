//! The running simulation, a second one for comparing two solvers, and the actions on both.

use std::sync::Arc;

use pliant::Simulation;

use crate::action::Action;
use crate::edited_scene::EditedScene;
use crate::edits::{SceneEdits, WindEdit};
use crate::solver::SolverSettings;

/// A running scene.
pub(crate) struct LiveSimulation {
    /// The simulated scene, with its source and edits.
    pub scene: Arc<EditedScene>,
    /// The solver.
    pub solver: SolverSettings,
    /// The simulation.
    pub sim: Simulation,
    /// The second solver and its simulation, if two are compared.
    pub second_sim: Option<(SolverSettings, Simulation)>,
    /// Vertices that are pinned by a grab and not by the scene, by the numbers of the original model.
    pub grabbed_vertices: Vec<u32>,
    run_config: RunConfig,
}

/// Settings of a run that do not affect its results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunConfig {
    /// Clock in seconds.
    pub clock: fn() -> f64,
    /// Number of threads of a step.
    pub threads: usize,
}

/// A recorded state with its scene, solver and time step.
#[derive(Clone)]
pub(crate) struct Record {
    /// Steps since the start.
    pub step: u64,
    /// Number of timeline actions applied before it.
    pub timeline_position: usize,
    scene: Arc<EditedScene>,
    solver: SolverSettings,
    dt: f64,
    snapshot: Vec<u8>,
    second_sim: Option<(SolverSettings, Vec<u8>)>,
    grabbed_vertices: Vec<u32>,
}

impl Record {
    /// Memory use \[bytes\].
    pub fn bytes(&self) -> usize {
        self.snapshot.len() + self.second_sim.as_ref().map_or(0, |(_, state)| state.len()) + 200
    }

    /// The edited scene in which it was recorded.
    pub fn scene(&self) -> &Arc<EditedScene> {
        &self.scene
    }

    /// The state of the simulation as bytes.
    pub fn snapshot(&self) -> &[u8] {
        &self.snapshot
    }
}

fn create_simulation(
    edited_scene: &EditedScene,
    solver: &SolverSettings,
    dt: f64,
    run_config: RunConfig,
) -> Result<Simulation, String> {
    let mut sim =
        Simulation::new(edited_scene.model.clone(), solver.solver()?).map_err(|e| e.to_string())?;
    if sim.time_step() != dt {
        sim.set_time_step(dt).map_err(|e| e.to_string())?;
    }
    sim.set_clock(run_config.clock);
    if run_config.threads > 1 {
        sim.set_threads(run_config.threads);
    }
    Ok(sim)
}

impl LiveSimulation {
    /// An edited scene at its start, with the scene's own solver.
    pub fn new(edited_scene: EditedScene, run_config: RunConfig) -> Result<Self, String> {
        let solver = SolverSettings::from_scene(&edited_scene.built.description)?;
        let dt = edited_scene.model.time_step();
        Self::with_solver(Arc::new(edited_scene), solver, dt, run_config)
    }

    /// An edited scene at its start, with a given solver and time step.
    pub fn with_solver(
        edited_scene: Arc<EditedScene>,
        solver: SolverSettings,
        dt: f64,
        run_config: RunConfig,
    ) -> Result<Self, String> {
        let sim = create_simulation(&edited_scene, &solver, dt, run_config)?;
        Ok(Self {
            scene: edited_scene,
            solver,
            sim,
            second_sim: None,
            grabbed_vertices: Vec::new(),
            run_config,
        })
    }

    /// Sets the number of threads.
    pub fn set_threads(&mut self, threads: usize) {
        self.run_config.threads = threads;
        self.sim.set_threads(threads);
        if let Some((_, sim)) = &mut self.second_sim {
            sim.set_threads(threads);
        }
    }

    /// Applies an action to the simulation and to the second one. On an error nothing has changed. If only
    /// the second one fails, it is removed, and the returned note says so.
    pub fn apply(&mut self, action: &Action) -> Result<Option<String>, String> {
        match action {
            Action::Solver { name, parameters: numbers } => {
                let settings = SolverSettings { name: name.clone(), parameters: numbers.clone() };
                let settings = settings.with_stable_substeps(&mut self.sim)?;
                self.sim.set_solver(settings.solver()?).map_err(|e| e.to_string())?;
                self.solver = settings;
                Ok(None)
            }
            Action::TimeStep { dt } => {
                if !(*dt >= 1e-6 && *dt <= 1.0) {
                    return Err(format!("the time step is {dt} s; it must be from 1e-6 s to 1 s"));
                }
                self.apply_to_both(|sim| sim.set_time_step(*dt).map_err(|e| e.to_string()))
            }
            Action::Gravity { g } => {
                let edits = SceneEdits { gravity: Some(*g), ..self.scene.edits.clone() };
                self.replace_scene(self.scene.with_edits(edits)?)
            }
            Action::Wind { velocity, gust } => {
                let wind = Some(WindEdit { velocity: *velocity, gust: *gust });
                if !gust.is_finite() || velocity.iter().any(|c| !c.is_finite()) {
                    return Err(
                        "the wind is invalid; its velocity and gusts must be finite".to_owned()
                    );
                }
                let edits = SceneEdits { wind, ..self.scene.edits.clone() };
                self.replace_scene(self.scene.with_edits(edits)?)
            }
            Action::Material { values } => {
                self.replace_scene(self.scene.with_material_values(values)?)
            }
            Action::Pin { vertices, by_grab: grab } => self.pin(vertices, *grab),
            Action::Unpin { vertices } => self.unpin(vertices),
            Action::MovePins { vertices, targets } => {
                self.apply_to_both(|sim| move_pins(sim, vertices, targets))
            }
            Action::Throw { ball } => {
                let mut edits = self.scene.edits.clone();
                edits.balls.push(*ball);
                self.replace_scene(self.scene.with_edits(edits)?)
            }
            Action::Cut { from, to } => self.apply_to_both(|sim| {
                // A cut that misses everything is not an error: the picture shows it.
                sim.cut(*from, *to).map(|_| ()).map_err(|e| e.to_string())
            }),
        }
    }

    fn pin(&mut self, vertices: &[u32], by_grab: bool) -> Result<Option<String>, String> {
        let (base, points) = (&self.scene.built.model, self.scene.model.len());
        if vertices.iter().any(|&v| v as usize >= points) {
            return Err("there is no vertex to pin; point at a body".to_owned());
        }
        let mut edits = self.scene.edits.clone();
        let pinned: Vec<u32> = vertices.iter().copied().filter(|&v| edits.pin(base, v)).collect();
        let note = match pinned.is_empty() {
            true => None,
            false => self.replace_scene(self.scene.with_edits(edits)?)?,
        };
        if by_grab {
            self.grabbed_vertices = pinned;
        }
        Ok(note)
    }

    fn unpin(&mut self, vertices: &[u32]) -> Result<Option<String>, String> {
        let base = self.scene.built.model.clone();
        let mut edits = self.scene.edits.clone();
        let freed = vertices.iter().filter(|&&v| edits.unpin(&base, v)).count();
        let note = match freed {
            0 => None,
            _ => self.replace_scene(self.scene.with_edits(edits)?)?,
        };
        self.grabbed_vertices.retain(|v| !vertices.contains(v));
        Ok(note)
    }

    /// Continues with another edited scene.
    fn replace_scene(&mut self, edited_scene: EditedScene) -> Result<Option<String>, String> {
        let model = edited_scene.model.clone();
        let note =
            self.apply_to_both(|sim| sim.replace_model(model.clone()).map_err(|e| e.to_string()))?;
        self.scene = Arc::new(edited_scene);
        Ok(note)
    }

    /// Applies an operation to both simulations; the first decides whether it succeeds.
    fn apply_to_both(
        &mut self,
        mut what: impl FnMut(&mut Simulation) -> Result<(), String>,
    ) -> Result<Option<String>, String> {
        what(&mut self.sim)?;
        let Some((settings, sim)) = &mut self.second_sim else { return Ok(None) };
        let Err(problem) = what(sim) else { return Ok(None) };
        let note =
            format!("comparison ended: {} does not support the change: {problem}", settings.name);
        self.second_sim = None;
        Ok(Some(note))
    }

    /// Starts a second solver from the present state.
    pub fn start_second_sim(&mut self, settings: SolverSettings) -> Result<(), String> {
        let settings = settings.with_stable_substeps(&mut self.sim)?;
        let mut sim =
            create_simulation(&self.scene, &settings, self.sim.time_step(), self.run_config)?;
        sim.restore(&self.sim.snapshot()).map_err(|e| e.to_string())?;
        self.second_sim = Some((settings, sim));
        Ok(())
    }

    /// Record of the present state.
    pub fn record(&self, place: usize) -> Record {
        Record {
            step: self.sim.state().step,
            timeline_position: place,
            scene: self.scene.clone(),
            solver: self.solver.clone(),
            dt: self.sim.time_step(),
            snapshot: self.sim.snapshot(),
            second_sim: self.second_sim.as_ref().map(|(s, sim)| (s.clone(), sim.snapshot())),
            grabbed_vertices: self.grabbed_vertices.clone(),
        }
    }

    /// Restores a record. On an error the first simulation has not changed; the second may have been
    /// removed.
    pub fn restore(&mut self, record: &Record) -> Result<(), String> {
        let words = |e: pliant::Error| e.to_string();
        let here = Arc::ptr_eq(&self.scene, &record.scene) && self.sim.time_step() == record.dt;
        // A simulation with the same settings is only reset to the state; otherwise new simulations replace
        // the old ones once both are ready.
        let mut second_sim = match (&record.second_sim, &self.second_sim) {
            (None, _) => None,
            (Some((then, _)), Some((now, _))) if here && then == now => self.second_sim.take(),
            (Some((then, _)), _) => {
                let sim = create_simulation(&record.scene, then, record.dt, self.run_config)?;
                Some((then.clone(), sim))
            }
        };
        if let (Some((_, sim)), Some((_, state))) = (&mut second_sim, &record.second_sim) {
            sim.restore(state).map_err(words)?;
        }
        if here && self.solver == record.solver {
            self.sim.restore(&record.snapshot).map_err(words)?;
        } else {
            let mut sim =
                create_simulation(&record.scene, &record.solver, record.dt, self.run_config)?;
            sim.restore(&record.snapshot).map_err(words)?;
            self.sim = sim;
        }
        (self.scene, self.solver) = (record.scene.clone(), record.solver.clone());
        (self.second_sim, self.grabbed_vertices) = (second_sim, record.grabbed_vertices.clone());
        Ok(())
    }
}

/// Moves pinned vertices, including the copies that tears made of them. Vertices that are no longer pinned
/// are skipped.
fn move_pins(sim: &mut Simulation, vertices: &[u32], targets: &[[f64; 3]]) -> Result<(), String> {
    if targets.iter().flatten().any(|c| !c.is_finite()) {
        return Err("the pointer position is not finite; move the pointer into the view".to_owned());
    }
    let pins = sim.model().pins().iter().map(|p| (p.vertex, sim.original_vertex(p.vertex)));
    let pins: Vec<(usize, usize)> = pins.collect();
    for (&v, &target) in vertices.iter().zip(targets) {
        for (pin, _) in pins.iter().filter(|(_, origin)| *origin == v as usize) {
            sim.move_pin(*pin, target).map_err(|e| e.to_string())?;
        }
    }
    Ok(())
}
