//! From a description to a model.

use std::collections::BTreeMap;
use std::fmt;

use pliant::mesh::{TetMesh, TriMesh};
use pliant::prelude::*;
use pliant::{Body, Error, MassModel};

use super::hold::motion;
use super::rigid::{Waiting, fasten};
use super::scatter::scattered;
use super::{
    Attachment, Description, FastenSpec, FileShape, Load, MassSpec, Pin, Place, Pull, Selection,
    Start, TouchSpec,
};
use crate::tumble;

/// Vertices by the name of their group.
pub type VertexGroups = BTreeMap<String, Vec<u32>>;

/// Where meshes from files come from.
pub trait MeshFiles {
    /// The surface of the model's body number `body`, made sound.
    fn sheet(&mut self, body: usize, file: &FileShape) -> Result<(TriMesh, VertexGroups), Error>;
    /// The tetrahedra of the model's body number `body`, made sound.
    fn solid(&mut self, body: usize, file: &FileShape) -> Result<(TetMesh, VertexGroups), Error>;
    /// The surface of a collider, made sound.
    fn collider(&mut self, file: &FileShape) -> Result<TriMesh, Error>;
}

/// No files: for scenes of generated meshes.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl MeshFiles for NoFiles {
    fn sheet(&mut self, _: usize, file: &FileShape) -> Result<(TriMesh, VertexGroups), Error> {
        refuse(file)
    }

    fn solid(&mut self, _: usize, file: &FileShape) -> Result<(TetMesh, VertexGroups), Error> {
        refuse(file)
    }

    fn collider(&mut self, file: &FileShape) -> Result<TriMesh, Error> {
        refuse(file)
    }
}

fn refuse<T>(file: &FileShape) -> Result<T, Error> {
    let problem = format!("\"{}\" cannot be read here; use a generated mesh", file.path);
    Err(Error::Scene { problem })
}

/// What is wrong with a description, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct DescriptionError {
    /// The place, such as `cloth[0].pin[1]`; empty where it is the scene as a whole.
    pub at: String,
    /// What is wrong there.
    pub error: Error,
}

impl fmt::Display for DescriptionError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if self.at.is_empty() {
            self.error.fmt(f)
        } else {
            write!(f, "{}: {}", self.at, self.error)
        }
    }
}

impl std::error::Error for DescriptionError {}

impl From<DescriptionError> for Error {
    fn from(e: DescriptionError) -> Self {
        e.error
    }
}

/// Adds the place to an error.
fn at<T>(place: impl FnOnce() -> String, result: Result<T, Error>) -> Result<T, DescriptionError> {
    result.map_err(|error| DescriptionError { at: place(), error })
}

/// The parts that every kind of body has.
struct Parts<'a> {
    kind: &'static str,
    number: usize,
    name: &'a str,
    start: Option<Start>,
    touch: Option<TouchSpec>,
    pins: &'a [Pin],
    attachments: &'a [Attachment],
    forces: &'a [Pull],
    loads: &'a [Load],
    fastenings: &'a [FastenSpec],
    groups: VertexGroups,
}

macro_rules! parts {
    ($kind:literal, $number:expr, $body:expr, $groups:expr) => {
        Parts {
            kind: $kind,
            number: $number,
            name: &$body.name,
            start: $body.start,
            touch: $body.touch,
            pins: &$body.pin,
            attachments: &$body.attach,
            forces: &$body.force,
            loads: &$body.load,
            fastenings: &$body.fasten,
            groups: $groups,
        }
    };
}

impl Description {
    /// Builds the model of a scene of generated meshes.
    pub fn build(&self) -> Result<Model, DescriptionError> {
        self.build_with(&mut NoFiles)
    }

    /// Builds the model.
    pub fn build_with(&self, files: &mut dyn MeshFiles) -> Result<Model, DescriptionError> {
        let mut scene = ModelBuilder::new();
        if let Some(gravity) = self.gravity {
            scene.gravity(gravity);
        }
        if let Some(dt) = self.time_step {
            scene.time_step(dt);
        }
        if self.mass == Some(MassSpec::Consistent) {
            scene.mass_model(MassModel::Consistent);
        }
        if let Some(w) = self.wind {
            let calm = Wind::steady(w.velocity);
            scene.wind(Wind {
                velocity: w.velocity,
                gust: w.gust.unwrap_or(calm.gust),
                period: w.period.unwrap_or(calm.period),
                density: w.density.unwrap_or(calm.density),
                drag: w.drag.unwrap_or(calm.drag),
            });
        }
        self.bodies(&mut scene, files)?;
        self.colliders(&mut scene, files)?;
        for (i, blade) in self.blade.iter().enumerate() {
            scene.blade(at(|| format!("blade[{i}]"), blade.build())?);
        }
        let whole = |error: &Error| match error {
            Error::Collider { index, .. } => format!("collider[{index}]"),
            Error::Quantity { name: "scene", field, .. } => (*field).to_owned(),
            Error::TimeStep { .. } => "time_step".to_owned(),
            Error::Blade { index } => format!("blade[{index}]"),
            _ => String::new(),
        };
        scene.build().map_err(|error| DescriptionError { at: whole(&error), error })
    }

    fn colliders(
        &self,
        scene: &mut ModelBuilder,
        files: &mut dyn MeshFiles,
    ) -> Result<(), DescriptionError> {
        for (index, spec) in self.collider.iter().enumerate() {
            let collider = spec.build(files).map_err(|(field, error)| {
                let dot = if field.is_empty() { "" } else { "." };
                // A collider without a name has at least its number.
                let name = match spec.name.as_str() {
                    "" => "no name".to_owned(),
                    name => name.to_owned(),
                };
                let error = Error::Collider { index, name, problem: error.to_string() };
                DescriptionError { at: format!("collider[{index}]{dot}{field}"), error }
            })?;
            scene.collider(collider);
        }
        Ok(())
    }

    fn bodies(
        &self,
        scene: &mut ModelBuilder,
        files: &mut dyn MeshFiles,
    ) -> Result<(), DescriptionError> {
        // Rigid bodies come last; what is fastened to them waits.
        let mut waiting = Vec::new();
        for (i, body) in self.cloth.iter().enumerate() {
            let here = |part: &'static str| move || format!("cloth[{i}].{part}");
            let fabric = at(here("material"), body.material.build())?;
            at(here("material"), fabric.validate())?;
            let shape = at(here("mesh"), body.mesh.build())?;
            let generated = shape.map(|mesh| (mesh, VertexGroups::new()));
            let (mut mesh, groups) =
                generated.or_else(|file| at(here("mesh.file"), files.sheet(i, file)))?;
            put(body.place, &mut mesh.positions);
            let added = at(here("mesh"), scene.cloth(mesh.clone(), fabric))?;
            if let Some(bounds) = body.material.area_bounds {
                at(here("material.area_bounds"), bounds.areas(scene, &added, &mesh))?;
            }
            parts!("cloth", i, body, groups).add(scene, &added, &mut waiting)?;
            if let Some(balloon) = &body.balloon {
                let pressure = at(here("balloon"), balloon.build())?;
                at(here("balloon"), scene.inflate(&added, pressure))?;
            }
            if let Some(tear) = body.tear {
                at(here("tear"), scene.tear(&added, tear.build()))?;
            }
        }
        for (i, body) in self.solid.iter().enumerate() {
            let here = |part: &'static str| move || format!("solid[{i}].{part}");
            let material = at(here("material"), body.material.build())?;
            at(here("material"), material.validate())?;
            let shape = at(here("mesh"), body.mesh.build())?;
            let generated = shape.map(|mesh| (mesh, VertexGroups::new()));
            let (mut mesh, groups) = generated
                .or_else(|file| at(here("mesh.file"), files.solid(self.cloth.len() + i, file)))?;
            put(body.place, &mut mesh.positions);
            let added = match &body.material.examples {
                None => at(here("mesh"), scene.solid(mesh.clone(), material))?,
                Some(examples) => {
                    let examples = at(here("material.examples"), examples.build(&mesh.positions))?;
                    let added = scene.solid_with_examples(mesh.clone(), material, &examples);
                    at(here("material.examples"), added)?
                }
            };
            if let Some(bounds) = body.material.volume_bounds {
                at(here("material.volume_bounds"), bounds.volumes(scene, &added, &mesh))?;
            }
            parts!("solid", i, body, groups).add(scene, &added, &mut waiting)?;
        }
        for (i, body) in self.strand.iter().enumerate() {
            let here = |part: &'static str| move || format!("strand[{i}].{part}");
            let material = at(here("material"), body.material.build())?;
            at(here("material"), material.validate())?;
            let mut mesh = at(here("mesh"), body.mesh.build())?;
            put(body.place, &mut mesh.positions);
            let added = at(here("mesh"), scene.strand(mesh, material))?;
            parts!("strand", i, body, VertexGroups::new()).add(scene, &added, &mut waiting)?;
        }
        for (i, body) in self.springs.iter().enumerate() {
            let here = |part: &'static str| move || format!("springs[{i}].{part}");
            let material = at(here("material"), body.material.build())?;
            at(here("material"), material.validate())?;
            let mut mesh = at(here("mesh"), body.mesh.build())?;
            put(body.place, &mut mesh.positions);
            let added = at(here("mesh"), scene.springs(mesh, material))?;
            parts!("springs", i, body, VertexGroups::new()).add(scene, &added, &mut waiting)?;
            if let Some(tear) = body.tear {
                at(here("tear"), scene.tear(&added, tear.build()))?;
            }
        }
        let mut rigid = Vec::new();
        for (i, body) in self.rigid.iter().enumerate() {
            let added = body.add(scene, files).map_err(|(field, error)| {
                let dot = if field.is_empty() { "" } else { "." };
                DescriptionError { at: format!("rigid[{i}]{dot}{field}"), error }
            })?;
            rigid.push((body.name.clone(), added));
        }
        for (i, body) in self.animated.iter().enumerate() {
            body.add(scene, files).map_err(|(field, error)| DescriptionError {
                at: format!("animated[{i}].{field}"),
                error,
            })?;
        }
        fasten(waiting, &rigid, scene)
    }
}

impl Parts<'_> {
    fn add(
        &self,
        scene: &mut ModelBuilder,
        body: &Body,
        waiting: &mut Vec<Waiting>,
    ) -> Result<(), DescriptionError> {
        if !self.name.is_empty() {
            scene.name(body, self.name);
        }
        if let Some(touch) = &self.touch {
            let place = || format!("{}[{}].touch", self.kind, self.number);
            let touch = at(place, touch.build(scene.touch_of(body)))?;
            scene.touch(body, touch);
        }
        // Holds are found on the placed rest shape, before the start moves it.
        let rest = scene.positions_mut(body).to_vec();
        if let Some(start) = self.start {
            begin(start, scene, body);
        }
        let here = |list: &'static str, k: usize| {
            move || format!("{}[{}].{list}[{k}]", self.kind, self.number)
        };
        for (k, pin) in self.pins.iter().enumerate() {
            for i in at(here("pin", k), self.select(&pin.at, &rest, body))? {
                let start = scene.positions_mut(body)[i];
                let motion = motion("a pin", pin.path.as_ref(), pin.spin.as_ref(), start);
                let motion = at(here("pin", k), motion)?;
                scene.pin_moving(body.vertex(i), motion);
            }
        }
        for (k, attach) in self.attachments.iter().enumerate() {
            for i in at(here("attach", k), self.select(&attach.at, &rest, body))? {
                let target = attach.to.unwrap_or(scene.positions_mut(body)[i]);
                scene.attach(body.vertex(i), target, attach.constant);
            }
        }
        for (k, force) in self.forces.iter().enumerate() {
            for i in at(here("force", k), self.select(&force.at, &rest, body))? {
                at(here("force", k), scene.force(body.vertex(i), force.newtons))?;
            }
        }
        for (k, load) in self.loads.iter().enumerate() {
            for i in at(here("load", k), self.select(&load.at, &rest, body))? {
                at(here("load", k), scene.add_mass(body.vertex(i), load.kilograms))?;
            }
        }
        for (k, fasten) in self.fastenings.iter().enumerate() {
            let chosen = at(here("fasten", k), self.select(&fasten.at, &rest, body))?;
            let vertices = chosen.into_iter().map(|i| body.vertex(i)).collect();
            waiting.push(Waiting { place: here("fasten", k)(), vertices, to: fasten.to.clone() });
        }
        Ok(())
    }

    /// The selected vertices, ascending.
    fn select(&self, s: &Selection, x: &[[f64; 3]], body: &Body) -> Result<Vec<usize>, Error> {
        let trouble = |problem: String| Err(Error::Scene { problem });
        let mut found = Vec::new();
        // What only carries frames is found by its segment alone.
        let x = &x[..body.shown().len()];
        for &segment in &s.segments {
            if self.kind != "strand" || segment + 1 >= x.len() {
                return trouble(format!(
                    "there is no segment {segment}; a strand of {} vertices has 0 to {}",
                    x.len(),
                    x.len().saturating_sub(2)
                ));
            }
            found.extend([segment, segment + 1]);
            found.extend(
                body.frame(segment)
                    .checked_sub(body.vertices().start)
                    .filter(|&v| v < body.vertices().len()),
            );
        }
        for &v in &s.vertices {
            if v >= x.len() {
                return trouble(format!(
                    "there is no vertex {v}; the body has {} (0 to {})",
                    x.len(),
                    x.len() - 1
                ));
            }
            found.push(v);
        }
        for &c in &s.corners {
            match body.corner(c).checked_sub(body.vertices().start) {
                Some(v) if v < x.len() => found.push(v),
                _ => {
                    return trouble(format!("the mesh names no corner {c}; use vertices or a box"));
                }
            }
        }
        if let Some([low, high]) = s.inside {
            let within = |p: &[f64; 3]| (0..3).all(|c| low[c] <= p[c] && p[c] <= high[c]);
            found.extend((0..x.len()).filter(|&i| within(&x[i])));
        }
        if let Some(point) = s.nearest {
            let square = |p: &[f64; 3]| (0..3).map(|c| (p[c] - point[c]) * (p[c] - point[c])).sum();
            let nearest =
                (0..x.len()).min_by(|&a, &b| f64::total_cmp(&square(&x[a]), &square(&x[b])));
            found.extend(nearest);
        }
        if let Some(name) = &s.group {
            let Some(group) = self.groups.get(name) else {
                let known: Vec<&str> = self.groups.keys().map(String::as_str).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return trouble(format!("the mesh has no group \"{name}\" (it has: {known})"));
            };
            found.extend(group.iter().map(|&v| v as usize));
        }
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            return trouble(
                "no vertex is selected; give vertices, corners, a box around some, a nearest point \
                 or a group"
                    .to_owned(),
            );
        }
        Ok(found)
    }
}

pub(super) fn put(place: Option<Place>, positions: &mut [[f64; 3]]) {
    let Some(place) = place else { return };
    let scale = place.scale.unwrap_or(1.0);
    let turn = place.axis.map(|axis| {
        let rate = place.degrees.unwrap_or(0.0) * std::f64::consts::PI / 180.0;
        Motion::Spin { center: [0.0; 3], axis, rate, drift: [0.0; 3] }
    });
    let shift = place.shift.unwrap_or_default();
    for p in positions {
        *p = p.map(|c| scale * c);
        if let Some(turn) = &turn {
            *p = turn.at(*p, 1.0);
        }
        *p = [0, 1, 2].map(|c| p[c] + shift[c]);
    }
}

pub(super) fn begin(start: Start, scene: &mut ModelBuilder, body: &Body) {
    let shift = start.shift.unwrap_or_default();
    for (i, p) in scene.positions_mut(body).iter_mut().enumerate() {
        if let Some(m) = start.matrix {
            *p = m.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
        }
        let chance = scattered(i, start.scatter.unwrap_or_default());
        *p = [0, 1, 2].map(|c| p[c] + shift[c] + chance[c]);
    }
    if start.velocity.is_some() || start.spin.is_some() {
        let (v, w) = (start.velocity.unwrap_or_default(), start.spin.unwrap_or_default());
        let velocities = tumble(scene.positions_mut(body), v, w);
        scene.velocities_mut(body).copy_from_slice(&velocities);
    }
}
