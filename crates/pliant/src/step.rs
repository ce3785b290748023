//! The stages of a step, in order, on one screen.
//!
//! ```text
//! validate   set back what the user made non-finite
//! untangle   look for surfaces that cross, to draw them apart, where that is not known to be otherwise
//! per substep:
//!   predict    the integrator's base x, v; damping of v;  v += h (g + f/m);  s = x + h v
//!   collide    contacts from (x, s)
//!   solve      the solver moves x from s to the solution
//!   velocity   v += (x − s)/h, on to the end of the substep; what touched loses its approach; damping
//!   limit      stretch and area of bodies with strain limits
//! (h is the step of the integrator's problem: `integrator.rs`)
//! finish     keep what is finite and bounded, roll back what is not; plastic flow; energies; tears
//! ```

use crate::contact::{ContactMode, Contacts, Detector, SETTLED, Surroundings, slow};
use crate::damping::Damping;
use crate::free_parts::FreeParts;
use crate::integrator::{Course, Integrator};
use crate::math::Vec3;
use crate::parallel::for_chunks;
use crate::report::{Stage, Warning};
use crate::rigid_motion;
use crate::simd::Point;
use crate::simulation::Simulation;
use crate::solvers::Problem;
use crate::state::State;
use crate::strain_limit;
use crate::system::Precision;
use crate::viscosity::Viscosity;
use crate::wind::Push;

/// Sweeps over contacts after a solve, at most. What a few iterations leave of depth would be pushed out as velocity:
/// piles would never lie still.
const SETTLING: usize = 16;
/// Those sweeps where there are rigid bodies, at least.
const RIGID_SWEEPS: usize = 8;
/// Contacts that there is room for from the start, at most.
const ROOM: usize = 4096;
/// A vertex that moves further than this many times the scene's size in a step has flown apart.
const BOUND: f64 = 1e3;

/// Memory of a step that outlives it only as room.
pub(crate) struct Scratch<S> {
    /// State at the start of the step, known to be good.
    pub(crate) good: [Vec<Point<S>>; 2],
    /// Positions before the substep.
    pub(crate) before: Vec<Point<S>>,
    /// The inertial guess.
    pub(crate) guess: Vec<Point<S>>,
    /// What the integrator keeps over a substep.
    pub(crate) course: Course<S>,
    /// The push of the wind.
    wind: Push,
    /// Constraint damping of each batch.
    damping: Vec<Option<Vec<S>>>,
    /// Stiffness-proportional damping, where a body asks for it.
    viscosity: Option<Viscosity>,
    /// What a solve gives no momentum.
    free: FreeParts,
    /// What touches in the substep.
    pub(crate) contacts: Contacts,
    pub(crate) detector: Detector,
    /// Where the substep began, where anything can touch.
    origin: Vec<Point<S>>,
    /// Where the solve led to, before what it brought together was kept apart, where anything can touch.
    led: Vec<Point<S>>,
    /// The angular momentum of each rigid body before a solve, and its velocities.
    spins: Vec<(Vec3<f64>, [Point<S>; 4])>,
    /// Positions before strain limiting.
    pub(crate) unlimited: Vec<Point<S>>,
    /// A bound on how far a vertex may move in a step \[m\].
    bound: f64,
}

impl<S: Precision> Scratch<S> {
    /// No room yet.
    pub(crate) fn empty() -> Self {
        Self {
            good: [Vec::new(), Vec::new()],
            before: Vec::new(),
            guess: Vec::new(),
            course: Course::empty(),
            wind: Push::default(),
            damping: Vec::new(),
            viscosity: None,
            free: FreeParts::default(),
            contacts: Contacts::default(),
            detector: Detector::default(),
            origin: Vec::new(),
            led: Vec::new(),
            spins: Vec::new(),
            unlimited: Vec::new(),
            bound: 0.0,
        }
    }
}

impl<S: Precision> Simulation<S> {
    /// Room for steps of `h` \[s\].
    pub(crate) fn scratch(&self, h: f64) -> Scratch<S> {
        let state = &self.state;
        let model = &self.system.model;
        let gravity = model.gravity().iter().map(|g| g.abs()).fold(0.0, f64::max);
        let integrator = self.integrator();
        let damped = integrator.damping_step(h);
        Scratch {
            good: [state.positions.clone(), state.velocities.clone()],
            before: state.positions.clone(),
            guess: state.positions.clone(),
            course: Course::new(integrator, model.len(), model.bodies().len()),
            wind: Push::new(model),
            damping: self.system.batches.iter().map(|b| b.damping(damped)).collect(),
            viscosity: Viscosity::new(&self.system, damped),
            free: FreeParts::new(model),
            contacts: if model.can_touch() {
                Contacts::with_room(model.len().min(ROOM), model.len())
            } else {
                Contacts::default()
            },
            detector: Detector::new(model),
            origin: if model.can_touch() { state.positions.clone() } else { Vec::new() },
            led: if model.can_touch() { state.positions.clone() } else { Vec::new() },
            spins: vec![(Vec3::zero(), [Point::default(); 4]); model.rigid_bodies().count()],
            unlimited: strain_limit::room(model),
            bound: BOUND * (model.extent() + gravity * self.dt * self.dt + 1.0),
        }
    }

    /// Room for steps of another `h` \[s\], with the last good state kept: the present one may be
    /// what the user just wrote.
    pub(crate) fn renew_scratch(&mut self, h: f64) {
        let good = std::mem::take(&mut self.scratch.good);
        self.scratch = Scratch { good, ..self.scratch(h) };
    }

    /// All stages of one step.
    pub(crate) fn run_stages(&mut self) {
        let h = self.dt / self.substeps as f64;
        let integrator = self.integrator();
        let tau = integrator.solve_step(h);
        self.timed(Stage::Validate, |sim| sim.validate(h));
        self.timed(Stage::Collide, Self::untangle);
        for substep in 0..self.substeps {
            self.timed(Stage::Predict, |sim| sim.predict(h, integrator));
            self.timed(Stage::Collide, |sim| sim.collide(h, integrator, sim.substeps - substep));
            self.system.set_time(self.state.time + integrator.reach() * h);
            self.timed(Stage::Solve, |sim| sim.solve(tau));
            self.timed(Stage::Velocity, |sim| sim.velocities(tau));
            self.timed(Stage::Velocity, |sim| sim.limit_strain(h));
            if substep + 1 == self.substeps || self.contact_mode == ContactMode::Offline {
                self.timed(Stage::Velocity, Self::part);
            }
            if self.scratch.detector.is_active() {
                let State { positions, grips, .. } = &mut self.state;
                self.scratch.contacts.note_grips(positions, grips);
            }
            self.state.time += h;
        }
        self.state.step = self.state.step.wrapping_add(1);
        self.timed(Stage::Finish, |sim| sim.finish(h));
        self.timed(Stage::Finish, Self::look_for_crossings);
        self.timed(Stage::Finish, |sim| sim.tear());
    }

    fn timed(&mut self, stage: Stage, f: impl FnOnce(&mut Self)) {
        let start = (self.clock)();
        f(self);
        self.report.seconds[stage as usize] += (self.clock)() - start;
    }

    fn validate(&mut self, h: f64) {
        self.catch_up();
        // Vertices that the user took away come back as what is not finite.
        let (state, lost) = (&mut self.state, [S::from_f64(f64::NAN); 4]);
        state.positions.resize(self.system.len(), lost);
        state.velocities.resize(self.system.len(), lost);
        for (x, &w) in state.positions.iter_mut().zip(&self.system.inv_mass) {
            x[3] = w;
        }
        self.roll_back(|body, vertex| Warning::NotFiniteBefore { body, vertex }, false);
        self.scratch.good[0].copy_from_slice(&self.state.positions);
        self.scratch.good[1].copy_from_slice(&self.state.velocities);
        self.recall(h);
        self.remember_flow();
    }

    /// Gives the elements what the state says they remember: it may have been restored.
    fn remember_flow(&mut self) {
        let mut rest = self.state.memory.as_slice();
        for batch in self.system.batches.iter_mut().filter(|b| b.memory() > 0) {
            let (own, others) = rest.split_at(batch.memory());
            batch.remember(own);
            rest = others;
        }
    }

    /// Lets materials flow, and notes what their elements now remember.
    fn flow(&mut self) {
        let mut rest = self.state.memory.as_mut_slice();
        for batch in self.system.batches.iter_mut().filter(|b| b.memory() > 0) {
            let (own, others) = rest.split_at_mut(batch.memory());
            batch.flow(&self.state.positions, self.dt);
            batch.recall(own);
            rest = others;
        }
    }

    pub(crate) fn predict(&mut self, whole: f64, integrator: Integrator) {
        let model = self.system.model.clone();
        if !self.scratch.origin.is_empty() {
            self.scratch.origin.copy_from_slice(&self.state.positions);
        }
        self.set_out(whole, integrator);
        let h = integrator.solve_step(whole);
        if let Some(wind) = model.wind() {
            self.scratch.wind.blow(&model, &self.state, wind, h);
        }
        // Before forces act: what is damped is motion, not the weight of a body at rest. Implicit
        // midpoint did it when it set out.
        if integrator != Integrator::ImplicitMidpoint {
            self.damp_bodies(h);
        }
        let gravity = model.gravity().map(|g| S::from_f64(g * h));
        let (forces, wind) = (model.forces(), &self.scratch.wind.impulses);
        for_chunks(&self.exec, &mut self.state.velocities, &self.state.positions, |at, v, x| {
            for (i, (v, x)) in v.iter_mut().zip(x).enumerate() {
                for c in 0..3 {
                    v[c] += gravity[c];
                }
                for (list, scale) in [(forces, h), (wind.as_slice(), 1.0)] {
                    if let Some(f) = list.get(at + i) {
                        for c in 0..3 {
                            v[c] += x[3] * S::from_f64(f[c] * scale);
                        }
                    }
                }
            }
        });
        let state = &mut self.state;
        self.scratch.before.copy_from_slice(&state.positions);
        let step = S::from_f64(h);
        for_chunks(&self.exec, &mut state.positions, &state.velocities, |_, x, v| {
            for (x, v) in x.iter_mut().zip(v) {
                *x = [x[0] + v[0] * step, x[1] + v[1] * step, x[2] + v[2] * step, x[3]];
            }
        });
        for i in 0..model.pins().len() {
            let target = self.pin_target(i, self.state.time + whole);
            self.look_at_pin(i, target, integrator);
        }
        self.scratch.guess.copy_from_slice(&self.state.positions);
    }

    pub(crate) fn damp_bodies(&mut self, h: f64) {
        for body in self.system.model.bodies() {
            let (x, v) = (&self.state.positions, &mut self.state.velocities);
            if body.damping.drag > 0.0 {
                let keep = S::from_f64(1.0 - Damping::fraction(body.damping.drag, h));
                body.all().for_each(|i| (0..3).for_each(|c| v[i][c] *= keep));
            }
            if body.damping.internal > 0.0 {
                let k = Damping::fraction(body.damping.internal, h);
                rigid_motion::damp_deviations(body.all(), x, v, &self.system.mass, k);
            }
        }
    }

    /// Looks for surfaces that cross, to be drawn apart, unless it is known that none do.
    fn untangle(&mut self) {
        let detector = &mut self.scratch.detector;
        detector.mode = self.contact_mode;
        detector.forget_tangles();
        if self.state.apart || !detector.is_active() {
            return;
        }
        let State { positions, time, .. } = &self.state;
        let tangled = detector.untangle(&self.system.model, positions, *time, self.dt);
        (self.report.contacts.tangled, self.state.apart) = (tangled, tangled == 0);
    }

    /// Counts what crosses, where that is promised or was so, and notes whether surfaces are still apart.
    fn look_for_crossings(&mut self) {
        let detector = &mut self.scratch.detector;
        let passed = self.report.contacts.unresolved + self.report.contacts.crowded > 0;
        if !detector.is_active() {
            return;
        }
        if self.contact_mode == ContactMode::Offline || !self.state.apart {
            let State { positions, time, .. } = &self.state;
            let crossings = detector.crossings(&self.system.model, positions, *time);
            self.report.contacts.crossings = crossings;
            self.state.apart = crossings == 0;
            if crossings > 0 && self.report.contacts.tangled == 0 {
                self.report.warnings.push(Warning::Crossing { edges: crossings });
            }
        } else {
            self.state.apart = !passed;
        }
    }

    /// Finds what touches on the way to the inertial guess; `ahead` more substeps follow.
    fn collide(&mut self, whole: f64, integrator: Integrator, ahead: usize) {
        if !self.scratch.detector.is_active() {
            return;
        }
        if !integrator.solves_for_the_end() {
            // Looked for at the end alone.
            self.scratch.contacts.clear();
            return;
        }
        let time = self.state.time;
        let Scratch { origin, guess, contacts, detector, .. } = &mut self.scratch;
        let velocities = &self.state.velocities;
        let around =
            Surroundings { before: origin, guess, velocities, times: [time, time + whole] };
        let (anew, grips) = (ahead == self.substeps, &self.state.grips);
        detector.find(contacts, &self.system.model, &around, ahead, anew, grips);
    }

    fn solve(&mut self, h: f64) {
        let mut problem = Problem {
            system: &self.system,
            exec: &self.exec,
            h,
            before: &self.scratch.before,
            guess: &self.scratch.guess,
            x: &mut self.state.positions,
            contacts: &mut self.scratch.contacts,
        };
        let solved = self.stepper.solve(&mut problem);
        problem.contacts.note_held();
        self.report.iterations += solved.iterations;
        self.report.residual = solved.residual;
        self.report.followed = self.stepper.followed();
        if !solved.converged {
            let (iterations, residual) = (solved.iterations, solved.residual);
            self.report.warnings.push(Warning::NotConverged { iterations, residual });
        }
        if self.integrator().solves_for_the_end() {
            self.system.model.rigidify(&mut self.state.positions);
        }
        if self.integrator() == Integrator::ImplicitEuler {
            self.keep_apart(self.state.time + h);
        }
    }

    /// Takes out what is left of depth, and keeps apart what the solve brought together.
    fn keep_apart(&mut self, end: f64) {
        if !self.scratch.detector.is_active() {
            return;
        }
        let Scratch { origin, guess, led, contacts, detector, .. } = &mut self.scratch;
        let State { positions, velocities, time, apart, .. } = &mut self.state;
        // What is rigid answers to all of its contacts at once, but only after several sweeps.
        let rigid = self.system.model.rigid_bodies().next().is_some();
        let least = if rigid { RIGID_SWEEPS } else { 1 };
        // What draws apart what crosses may ask for what cannot be.
        let most = if *apart { SETTLING } else { least };
        for sweep in 1..=most {
            let deepest = contacts.relax(positions);
            self.system.model.rigidify(positions);
            if sweep >= least && deepest <= SETTLED {
                break;
            }
        }
        // What is moved apart from here on is no force of a body's: as velocity it would feed on itself. What touches
        // loses its approach when it bounces.
        led.copy_from_slice(positions);
        let around = Surroundings { before: origin, guess, velocities, times: [*time, end] };
        let report = &mut self.report.contacts;
        detector.guard(contacts, &self.system.model, &around, positions, report);
        // What stopped has stopped.
        for (v, (led, x)) in led.iter_mut().zip(positions.iter()).enumerate() {
            if detector.has_stopped(v) {
                *led = *x;
            }
        }
    }

    /// Takes out what is left of depth, without giving velocity.
    fn part(&mut self) {
        if !self.scratch.detector.is_active() {
            return;
        }
        let end = self.state.time + self.dt / self.substeps as f64;
        let Scratch { origin, guess, contacts, detector, .. } = &mut self.scratch;
        let State { positions, velocities, time, apart, .. } = &mut self.state;
        let around = Surroundings { before: origin, guess, velocities, times: [*time, end] };
        let report = &mut self.report.contacts;
        detector.part(contacts, &self.system.model, &around, positions, report);
        if self.contact_mode == ContactMode::Offline && *apart {
            let model = &self.system.model;
            detector.undo(model, origin, positions, end, |body| {
                model.bodies()[body].all().for_each(|v| velocities[v] = Point::default());
                report.cut_short += 1;
            });
        }
        if self.integrator() == Integrator::ImplicitEuler {
            let (x, v) = (&self.state.positions, &mut self.state.velocities);
            self.scratch.free.restore_touching(&self.system.mass, x, v);
        }
    }

    fn velocities(&mut self, h: f64) {
        if self.integrator().is_explicit() {
            self.kick();
        } else {
            self.note_spins();
            self.velocities_of_positions(h);
            if self.integrator() == Integrator::ImplicitEuler {
                self.keep_spins();
                let (x, v) = (&self.state.positions, &mut self.state.velocities);
                self.scratch.free.restore_touching(&self.system.mass, x, v);
            }
        }
        self.arrive();
        if !self.integrator().solves_for_the_end() {
            self.rigidify();
        }
        self.settle();
        let x = &self.state.positions;
        for (batch, fraction) in self.system.batches.iter().zip(&self.scratch.damping) {
            if let Some(fraction) = fraction {
                batch.damp(&self.exec, x, &mut self.state.velocities, fraction);
            }
        }
        if let Some(viscosity) = &mut self.scratch.viscosity {
            viscosity.damp(&self.system, x, &mut self.state.velocities);
        }
    }

    /// Notes the momenta of what touches, and how rigid bodies turn, before the solve's motion is added to their velocities.
    fn note_spins(&mut self) {
        let (before, velocities) = (&self.scratch.before, &self.state.velocities);
        let (free, contacts) = (&mut self.scratch.free, &self.scratch.contacts);
        free.note(&self.system.mass, before, velocities, contacts);
        for (body, noted) in self.system.model.rigid_bodies().zip(&mut self.scratch.spins) {
            let own = body.vertices.clone();
            let mass = &self.system.mass[own.clone()];
            let angular = motion_of(mass, &before[own.clone()], &velocities[own.clone()]).angular;
            noted.0 = angular;
            noted.1.copy_from_slice(&velocities[own]);
        }
    }

    /// Gives rigid bodies the spin that belongs to their angular momentum. Differences of positions are
    /// chords: taken as velocities they would slow a spin by `(h ω)²/2` in every substep.
    fn keep_spins(&mut self) {
        for (body, noted) in self.system.model.rigid_bodies().zip(&self.scratch.spins) {
            let own = body.vertices.clone();
            let (mass, x) = (&self.system.mass[own.clone()], &self.state.positions[own.clone()]);
            let v = &mut self.state.velocities[own];
            if x.iter().any(|p| !(p[3] > S::default())) {
                continue;
            }
            let now = motion_of(mass, x, v);
            let gained = now.angular - motion_of(mass, x, &noted.1).angular;
            let mut turning = now;
            turning.angular = noted.0 + gained;
            for (v, x) in v.iter_mut().zip(x) {
                let u = turning.velocity(wide(x));
                (0..3).for_each(|c| v[c] = S::from_f64([u.x, u.y, u.z][c]));
            }
        }
    }

    /// Sets rigid bodies to the nearest rigid places where the integrator arrived, and lets their velocities
    /// follow.
    fn rigidify(&mut self) {
        let inv_h = S::from_f64(self.substeps as f64 / self.dt);
        for body in self.system.model.bodies() {
            let Some(carried) = &body.carried else { continue };
            let own = &mut self.state.positions[body.vertices.clone()];
            let before = [own[0], own[1], own[2], own[3]];
            carried.rigidify(own);
            let velocities = &mut self.state.velocities[body.vertices.clone()];
            for (v, (x, old)) in velocities.iter_mut().zip(own.iter().zip(before)) {
                (0..3).for_each(|c| v[c] += (x[c] - old[c]) * inv_h);
            }
        }
    }

    /// Keeps apart what is deep at the end of the substep, where the integrator went on from what the
    /// solver looked at, and lets bounce what is elastic.
    fn settle(&mut self) {
        if !self.scratch.detector.is_active() {
            return;
        }
        let h = self.dt / self.substeps as f64;
        if self.integrator() != Integrator::ImplicitEuler {
            let inv_h = S::from_f64(1.0 / h);
            self.scratch.guess.copy_from_slice(&self.state.positions);
            let end = self.state.time + h;
            if self.integrator().solves_for_the_end() {
                self.scratch.contacts.forget();
            } else {
                let Scratch { origin, guess, contacts, detector, .. } = &mut self.scratch;
                let (velocities, times) = (&self.state.velocities, [self.state.time, end]);
                let around = Surroundings { before: origin, guess, velocities, times };
                let grips = &self.state.grips;
                detector.find(contacts, &self.system.model, &around, 1, true, grips);
            }
            self.keep_apart(end);
            let (state, guess) = (&mut self.state, &self.scratch.guess);
            for &i in self.scratch.contacts.vertices() {
                let i = i as usize;
                for c in 0..3 {
                    let moved = self.scratch.led[i][c] - guess[i][c];
                    state.velocities[i][c] += moved * inv_h;
                }
            }
        }
        // What gravity gives in two substeps does not bounce: a body at rest would never lie still.
        let slow = slow(&self.system.model, h);
        let (v, inv_mass) = (&mut self.state.velocities, &self.system.inv_mass);
        self.scratch.contacts.bounce(v, inv_mass, slow, h);
    }

    fn velocities_of_positions(&mut self, h: f64) {
        let inv_h = S::from_f64(1.0 / h);
        let (before, guess) = (&self.scratch.before, &self.scratch.guess);
        let led = self.integrator() == Integrator::ImplicitEuler && !self.scratch.led.is_empty();
        let x = if led { &self.scratch.led } else { &self.state.positions };
        for_chunks(&self.exec, &mut self.state.velocities, x, |at, v, x| {
            for (i, (v, x)) in v.iter_mut().zip(x).enumerate() {
                // The same as (x − before)/h, without what rounding took from x + h v.
                let free = x[3] > S::default();
                let from = if free { &guess[at + i] } else { &before[at + i] };
                let start = if free { *v } else { Point::default() };
                (0..3).for_each(|c| v[c] = start[c] + (x[c] - from[c]) * inv_h);
            }
        });
        let touched = self.scratch.contacts.vertices();
        let (mass, v) = (&self.system.mass, &mut self.state.velocities);
        self.scratch.free.restore(mass, guess, x, v, h, touched);
    }

    fn finish(&mut self, h: f64) {
        self.remember(h);
        self.system.set_time(self.state.time);
        self.roll_back(|body, vertex| Warning::NotFiniteAfter { body, vertex }, true);
        self.flow();
        self.scratch.contacts.report(&self.state.positions, &mut self.report.contacts);
        self.report.step = self.state.step;
        self.report.time = self.state.time;
        if self.diagnostics {
            let (x, v) = (&self.state.positions, &self.state.velocities);
            let g = self.system.model.gravity();
            self.report.elastic = self.system.elastic_energy(&self.exec, x);
            let (mut kinetic, mut potential) = (0.0, 0.0);
            for (i, m) in self.system.mass.iter().enumerate() {
                let m = m.to_f64();
                for c in 0..3 {
                    kinetic += 0.5 * m * v[i][c].to_f64() * v[i][c].to_f64();
                    potential -= m * g[c] * x[i][c].to_f64();
                }
            }
            (self.report.kinetic, self.report.potential) = (kinetic, potential);
        }
    }

    /// Sets every body that is not finite, or moved too far, back to its last good state, at rest.
    /// It is judged by how far its velocities would carry it, after a step also by how far it moved.
    fn roll_back(&mut self, warning: fn(usize, usize) -> Warning, after: bool) {
        let (bound, dt) = (self.scratch.bound, self.dt);
        for (b, body) in self.system.model.bodies().iter().enumerate() {
            let (x, v) = (&mut self.state.positions, &mut self.state.velocities);
            let mut found = None;
            for i in body.all() {
                let finite = x[i][..3].iter().chain(&v[i][..3]).all(|c| c.is_finite());
                let good = &self.scratch.good[0][i];
                let moved = (0..3).map(|c| {
                    let moved = (x[i][c].to_f64() - good[c].to_f64()).abs();
                    let next = (v[i][c].to_f64() * dt).abs();
                    if after { moved.max(next) } else { next }
                });
                if !finite {
                    found = Some(warning(b, i));
                } else if !(moved.fold(0.0, f64::max) <= bound) {
                    found = Some(Warning::Unbounded { body: b, vertex: i });
                }
                if found.is_some() {
                    break;
                }
            }
            if let Some(warning) = found {
                self.report.warnings.push(warning);
                let good = &self.scratch.good[0];
                for i in body.all() {
                    (x[i], v[i]) = (good[i], Point::default());
                }
                self.state.past.set_back(b, body.all(), good);
            }
        }
    }
}

/// How four vertices of a rigid body move, by mass.
fn motion_of<S: Precision>(mass: &[S], x: &[Point<S>], v: &[Point<S>]) -> rigid_motion::Motion {
    let all = mass.iter().zip(x).zip(v);
    rigid_motion::Motion::of(all.map(|((m, x), v)| (m.to_f64(), wide(x), wide(v))))
}

fn wide<S: Precision>(p: &Point<S>) -> Vec3<f64> {
    Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())
}
