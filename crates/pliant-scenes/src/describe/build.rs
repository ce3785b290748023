//! Construction of a model from a description.

use std::collections::BTreeMap;
use std::fmt;

use pliant::mesh::{TetMesh, TriMesh};
use pliant::prelude::*;
use pliant::{Body, Error, MassModel};

use super::constraints::build_motion;
use super::jitter::jitter_offset;
use super::rigid::{PendingAttachment, attach_pending};
use super::{
    Attachment, ContactSpec, FileShape, MassSpec, Pin, Placement, PointForce, PointMass,
    RigidAttachmentSpec, SceneDescription, Selection, Start,
};
use crate::rigid_velocities;

/// Vertices by group name.
pub type VertexGroups = BTreeMap<String, Vec<u32>>;

/// Source of meshes from files.
pub trait MeshFiles {
    /// Returns the surface of the model's body number `body`, with defects repaired.
    fn sheet(&mut self, body: usize, file: &FileShape) -> Result<(TriMesh, VertexGroups), Error>;
    /// Returns the tetrahedra of the model's body number `body`, with defects repaired.
    fn solid(&mut self, body: usize, file: &FileShape) -> Result<(TetMesh, VertexGroups), Error>;
    /// Returns the surface of a collider, with defects repaired.
    fn collider(&mut self, file: &FileShape) -> Result<TriMesh, Error>;
}

/// A source without files, for scenes of generated meshes.
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
    let problem =
        format!("mesh files are not available here (\"{}\"); use a generated mesh", file.path);
    Err(Error::Scene { problem })
}

/// An error in a description, with its location.
#[derive(Clone, Debug, PartialEq)]
pub struct DescriptionError {
    /// Path of the field, such as `cloth[0].pin[1]`; empty for an error of the whole scene.
    pub at: String,
    /// The error.
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

/// Adds the path to an error.
fn at_path<T>(
    place: impl FnOnce() -> String,
    result: Result<T, Error>,
) -> Result<T, DescriptionError> {
    result.map_err(|error| DescriptionError { at: place(), error })
}

/// Fields common to all kinds of bodies.
struct CommonFields<'a> {
    kind: &'static str,
    index: usize,
    name: &'a str,
    start: Option<Start>,
    contact: Option<ContactSpec>,
    pins: &'a [Pin],
    attachments: &'a [Attachment],
    forces: &'a [PointForce],
    loads: &'a [PointMass],
    rigid_attachments: &'a [RigidAttachmentSpec],
    groups: VertexGroups,
}

macro_rules! common_fields {
    ($kind:literal, $number:expr, $body:expr, $groups:expr) => {
        CommonFields {
            kind: $kind,
            index: $number,
            name: &$body.name,
            start: $body.start,
            contact: $body.contact,
            pins: &$body.pin,
            attachments: &$body.attach,
            forces: &$body.force,
            loads: &$body.load,
            rigid_attachments: &$body.attach_to,
            groups: $groups,
        }
    };
}

macro_rules! add_elements {
    ($kind:literal, $number:expr, $body:expr, $scene:expr, $added:expr, $mesh:expr) => {
        for (k, element) in $body.element.iter().enumerate() {
            let here = || format!("{}[{}].element[{k}]", $kind, $number);
            at_path(here, element.add($scene, &$added, &$mesh))?;
        }
    };
}

impl SceneDescription {
    /// Builds the model of a scene that refers to no files.
    pub fn build(&self) -> Result<Model, DescriptionError> {
        self.build_with(&mut NoFiles)
    }

    /// Builds the model, with meshes from `files`.
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
            let steady = Wind::steady(w.velocity);
            scene.wind(Wind {
                velocity: w.velocity,
                gust: w.gust.unwrap_or(steady.gust),
                period: w.period.unwrap_or(steady.period),
                density: w.density.unwrap_or(steady.density),
                drag: w.drag.unwrap_or(steady.drag),
            });
        }
        self.bodies(&mut scene, files)?;
        self.colliders(&mut scene, files)?;
        for (i, blade) in self.blade.iter().enumerate() {
            scene.blade(at_path(|| format!("blade[{i}]"), blade.build())?);
        }
        let error_path = |error: &Error| match error {
            Error::Collider { index, .. } => format!("collider[{index}]"),
            Error::Quantity { name: "scene", field, .. } => (*field).to_owned(),
            Error::InvalidWind => "wind".to_owned(),
            Error::TimeStep { .. } => "time_step".to_owned(),
            Error::Blade { index } => format!("blade[{index}]"),
            _ => String::new(),
        };
        scene.build().map_err(|error| DescriptionError { at: error_path(&error), error })
    }

    fn colliders(
        &self,
        scene: &mut ModelBuilder,
        files: &mut dyn MeshFiles,
    ) -> Result<(), DescriptionError> {
        for (index, spec) in self.collider.iter().enumerate() {
            let collider = spec.build(files).map_err(|(field, error)| {
                let dot = if field.is_empty() { "" } else { "." };
                // An unnamed collider is identified by its index.
                let name = match spec.name.as_str() {
                    "" => "unnamed".to_owned(),
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
        // Rigid bodies come last; attachments to them are deferred.
        let mut pending = Vec::new();
        for (i, body) in self.cloth.iter().enumerate() {
            let here = |part: &'static str| move || format!("cloth[{i}].{part}");
            let fabric = at_path(here("material"), body.material.build())?;
            at_path(here("material"), fabric.validate())?;
            let shape = at_path(here("mesh"), body.mesh.build())?;
            let generated = shape.map(|mesh| (mesh, VertexGroups::new()));
            let (mut mesh, groups) =
                generated.or_else(|file| at_path(here("mesh.file"), files.sheet(i, file)))?;
            apply_placement(body.place, &mut mesh.positions);
            let added = at_path(here("mesh"), scene.cloth(mesh.clone(), fabric))?;
            if let Some(bounds) = body.material.area_bounds {
                at_path(here("material.area_bounds"), bounds.areas(scene, &added, &mesh))?;
            }
            add_elements!("cloth", i, body, scene, added, mesh);
            common_fields!("cloth", i, body, groups).add(scene, &added, &mut pending)?;
            if let Some(balloon) = &body.balloon {
                let pressure = at_path(here("balloon"), balloon.build())?;
                at_path(here("balloon"), scene.inflate(&added, pressure))?;
            }
            if let Some(tear) = body.tear {
                at_path(here("tear"), scene.tear(&added, tear.build()))?;
            }
        }
        for (i, body) in self.solid.iter().enumerate() {
            let here = |part: &'static str| move || format!("solid[{i}].{part}");
            let material = at_path(here("material"), body.material.build())?;
            at_path(here("material"), material.validate())?;
            let shape = at_path(here("mesh"), body.mesh.build())?;
            let generated = shape.map(|mesh| (mesh, VertexGroups::new()));
            let (mut mesh, groups) = generated.or_else(|file| {
                at_path(here("mesh.file"), files.solid(self.cloth.len() + i, file))
            })?;
            apply_placement(body.place, &mut mesh.positions);
            let added = match &body.material.examples {
                None => at_path(here("mesh"), scene.solid(mesh.clone(), material))?,
                Some(examples) => {
                    let examples =
                        at_path(here("material.examples"), examples.build(&mesh.positions))?;
                    let added = scene.solid_with_examples(mesh.clone(), material, &examples);
                    at_path(here("material.examples"), added)?
                }
            };
            if let Some(bounds) = body.material.volume_bounds {
                at_path(here("material.volume_bounds"), bounds.volumes(scene, &added, &mesh))?;
            }
            add_elements!("solid", i, body, scene, added, mesh);
            common_fields!("solid", i, body, groups).add(scene, &added, &mut pending)?;
        }
        for (i, body) in self.strand.iter().enumerate() {
            let here = |part: &'static str| move || format!("strand[{i}].{part}");
            let material = at_path(here("material"), body.material.build())?;
            at_path(here("material"), material.validate())?;
            let mut mesh = at_path(here("mesh"), body.mesh.build())?;
            apply_placement(body.place, &mut mesh.positions);
            let added = at_path(here("mesh"), scene.strand(mesh.clone(), material))?;
            add_elements!("strand", i, body, scene, added, mesh);
            common_fields!("strand", i, body, VertexGroups::new()).add(
                scene,
                &added,
                &mut pending,
            )?;
        }
        for (i, body) in self.springs.iter().enumerate() {
            let here = |part: &'static str| move || format!("springs[{i}].{part}");
            let material = at_path(here("material"), body.material.build())?;
            at_path(here("material"), material.validate())?;
            let mut mesh = at_path(here("mesh"), body.mesh.build())?;
            apply_placement(body.place, &mut mesh.positions);
            let added = at_path(here("mesh"), scene.springs(mesh.clone(), material))?;
            add_elements!("springs", i, body, scene, added, mesh);
            common_fields!("springs", i, body, VertexGroups::new()).add(
                scene,
                &added,
                &mut pending,
            )?;
            if let Some(tear) = body.tear {
                at_path(here("tear"), scene.tear(&added, tear.build()))?;
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
        attach_pending(pending, &rigid, scene)
    }
}

impl CommonFields<'_> {
    fn add(
        &self,
        scene: &mut ModelBuilder,
        body: &Body,
        pending: &mut Vec<PendingAttachment>,
    ) -> Result<(), DescriptionError> {
        if !self.name.is_empty() {
            scene.name(body, self.name);
        }
        if let Some(contact) = &self.contact {
            let place = || format!("{}[{}].contact", self.kind, self.index);
            let contact = at_path(place, contact.build(scene.contact_material_of(body)))?;
            scene.contact_material(body, contact);
        }
        // Selections use the placed rest shape, before the start displaces it.
        let rest = scene.positions_mut(body).to_vec();
        if let Some(start) = self.start {
            apply_start(start, scene, body);
        }
        let here = |list: &'static str, k: usize| {
            move || format!("{}[{}].{list}[{k}]", self.kind, self.index)
        };
        for (k, pin) in self.pins.iter().enumerate() {
            for i in at_path(here("pin", k), self.select(&pin.at, &rest, body))? {
                let start = scene.positions_mut(body)[i];
                let motion = build_motion("a pin", pin.path.as_ref(), pin.spin.as_ref(), start);
                let motion = at_path(here("pin", k), motion)?;
                scene.pin_moving(body.vertex(i), motion);
            }
        }
        for (k, attach) in self.attachments.iter().enumerate() {
            for i in at_path(here("attach", k), self.select(&attach.at, &rest, body))? {
                let target = attach.to.unwrap_or(scene.positions_mut(body)[i]);
                scene.attach(body.vertex(i), target, attach.constant);
            }
        }
        for (k, force) in self.forces.iter().enumerate() {
            for i in at_path(here("force", k), self.select(&force.at, &rest, body))? {
                at_path(here("force", k), scene.force(body.vertex(i), force.newtons))?;
            }
        }
        for (k, load) in self.loads.iter().enumerate() {
            for i in at_path(here("load", k), self.select(&load.at, &rest, body))? {
                at_path(here("load", k), scene.add_mass(body.vertex(i), load.kilograms))?;
            }
        }
        for (k, attachment) in self.rigid_attachments.iter().enumerate() {
            let chosen = at_path(here("attach_to", k), self.select(&attachment.at, &rest, body))?;
            let vertices = chosen.into_iter().map(|i| body.vertex(i)).collect();
            pending.push(PendingAttachment {
                path: here("attach_to", k)(),
                vertices,
                to: attachment.to.clone(),
            });
        }
        Ok(())
    }

    /// Selected vertices in ascending order.
    fn select(&self, s: &Selection, x: &[[f64; 3]], body: &Body) -> Result<Vec<usize>, Error> {
        let scene_error = |problem: String| Err(Error::Scene { problem });
        let mut found = Vec::new();
        // Frame points of a strand are selected only through their segment.
        let x = &x[..body.visible_vertices().len()];
        for &segment in &s.segments {
            if self.kind != "strand" || segment + 1 >= x.len() {
                return scene_error(format!(
                    "there is no segment {segment}; a strand of {} vertices has segments 0 to {}",
                    x.len(),
                    x.len().saturating_sub(2)
                ));
            }
            found.extend([segment, segment + 1]);
            found.extend(
                body.frame_point(segment)
                    .checked_sub(body.vertices().start)
                    .filter(|&v| v < body.vertices().len()),
            );
        }
        for &v in &s.vertices {
            if v >= x.len() {
                return scene_error(format!(
                    "there is no vertex {v}; the body has {} vertices (0 to {})",
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
                    return scene_error(format!(
                        "the mesh has no corner {c}; use vertices or a box"
                    ));
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
                return scene_error(format!(
                    "the mesh has no group \"{name}\"; its groups are: {known}"
                ));
            };
            found.extend(group.iter().map(|&v| v as usize));
        }
        found.sort_unstable();
        found.dedup();
        if found.is_empty() {
            return scene_error(
                "the selection is empty; use vertices, corners, a box, a nearest point or a group"
                    .to_owned(),
            );
        }
        Ok(found)
    }
}

pub(super) fn apply_placement(place: Option<Placement>, positions: &mut [[f64; 3]]) {
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

pub(super) fn apply_start(start: Start, scene: &mut ModelBuilder, body: &Body) {
    let shift = start.shift.unwrap_or_default();
    for (i, p) in scene.positions_mut(body).iter_mut().enumerate() {
        if let Some(m) = start.matrix {
            *p = m.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2]);
        }
        let chance = jitter_offset(i, start.jitter.unwrap_or_default());
        *p = [0, 1, 2].map(|c| p[c] + shift[c] + chance[c]);
    }
    if start.velocity.is_some() || start.spin.is_some() {
        let (v, w) = (start.velocity.unwrap_or_default(), start.spin.unwrap_or_default());
        let velocities = rigid_velocities(scene.positions_mut(body), v, w);
        scene.velocities_mut(body).copy_from_slice(&velocities);
    }
}
