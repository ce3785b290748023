//! Shapes of colliders and rigid bodies, in scene files. Their fields are described in the shapes' own files, of
//! which the reader, the schema and the tables of documentation are made.

use pliant::Error;
use pliant::contact::Collider;
use pliant::contact::shape::{Shape, ShapeForm};
use pliant::fields::{Value, Values};
use pliant::mesh::TriMesh;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::Placement;
use super::build::{MeshFiles, apply_placement};
use super::mesh::{SheetMesh, exactly_one};

/// Value of a shape's field.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// A number.
    Number(f64),
    /// A whole number.
    Count(usize),
    /// Three numbers.
    Vector([f64; 3]),
    /// A list of numbers.
    Numbers(Vec<f64>),
    /// Points \[m\].
    Points(Vec<[f64; 3]>),
    /// A mesh, generated or from a file.
    Mesh(Box<SheetMesh>),
}

/// A shape: the key of its form and the values of its fields.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeSpec {
    /// Key, as in scene files: one of [`Shape::forms`].
    pub name: &'static str,
    /// Names of fields and their values; the name of an only field may be empty.
    pub values: Vec<(&'static str, FieldValue)>,
}

impl ShapeSpec {
    /// A half-space below a plane through a point \[m\] with an outward normal.
    pub fn plane(point: [f64; 3], normal: [f64; 3]) -> Self {
        let (point, normal) = (FieldValue::Vector(point), FieldValue::Vector(normal));
        Self { name: "plane", values: vec![("point", point), ("normal", normal)] }
    }

    /// A ball with a centre \[m\] and a radius \[m\].
    pub fn sphere(center: [f64; 3], radius: f64) -> Self {
        let (center, radius) = (FieldValue::Vector(center), FieldValue::Number(radius));
        Self { name: "sphere", values: vec![("center", center), ("radius", radius)] }
    }

    /// All points within a radius \[m\] of a segment \[m\].
    pub fn capsule(from: [f64; 3], to: [f64; 3], radius: f64) -> Self {
        let [from, to] = [from, to].map(FieldValue::Vector);
        let values = vec![("from", from), ("to", to), ("radius", FieldValue::Number(radius))];
        Self { name: "capsule", values }
    }

    /// A box with a centre \[m\] and edge lengths \[m\].
    pub fn cuboid(center: [f64; 3], size: [f64; 3]) -> Self {
        let [center, size] = [center, size].map(FieldValue::Vector);
        Self { name: "box", values: vec![("center", center), ("size", size)] }
    }

    /// Convex hull of points \[m\].
    pub fn convex(points: Vec<[f64; 3]>) -> Self {
        Self { name: "convex", values: vec![("", FieldValue::Points(points))] }
    }

    /// A triangle mesh.
    pub fn mesh(mesh: SheetMesh) -> Self {
        Self { name: "mesh", values: vec![("", FieldValue::Mesh(Box::new(mesh)))] }
    }

    /// True if the shape is where its points are, instead of around a point of its own.
    pub(super) fn is_placed(&self) -> bool {
        let of_points = |v: &FieldValue| matches!(v, FieldValue::Points(_) | FieldValue::Mesh(_));
        self.values.iter().any(|(_, value)| of_points(value))
    }

    /// True if the shape is a triangle mesh.
    pub(super) fn is_mesh(&self) -> bool {
        self.values.iter().any(|(_, value)| matches!(value, FieldValue::Mesh(_)))
    }

    /// The value of a shape's only field is the value of the shape's key.
    fn only_value(&self) -> Option<&FieldValue> {
        match &self.values[..] {
            [("", value)] => Some(value),
            _ => None,
        }
    }

    /// Builds a mesh, if this is one.
    pub(super) fn triangles(
        &self,
        place: Option<Placement>,
        files: &mut dyn MeshFiles,
    ) -> Result<Option<TriMesh>, (&'static str, Error)> {
        let Some(FieldValue::Mesh(mesh)) = self.only_value() else { return Ok(None) };
        let mut mesh = match mesh.build().map_err(|error| (self.name, error))? {
            Ok(generated) => generated,
            Err(file) => files.collider(file).map_err(|error| ("mesh.file", error))?,
        };
        apply_placement(place, &mut mesh.positions);
        Ok(Some(mesh))
    }

    /// Builds a collider; `hollow` turns a mesh inside out. An error contains the field.
    pub(super) fn build(
        &self,
        place: Option<Placement>,
        hollow: bool,
        files: &mut dyn MeshFiles,
    ) -> Result<Collider, (&'static str, Error)> {
        let here = |error: Error| (self.name, error);
        let Some(form) = Shape::forms().find(|form| form.name == self.name) else {
            let known: Vec<&str> = Shape::forms().map(|form| form.name).collect();
            let problem =
                format!("there is no shape \"{}\"; use one of {}", self.name, known.join(", "));
            return Err(here(Error::Scene { problem }));
        };
        let mut values = Vec::new();
        for (name, value) in &self.values {
            let value = match value {
                FieldValue::Number(v) => Value::Number(*v),
                FieldValue::Count(v) => Value::Count(*v),
                FieldValue::Vector(v) => Value::Vector(*v),
                FieldValue::Numbers(v) => Value::Numbers(v.clone()),
                FieldValue::Points(points) => {
                    let mut points = points.clone();
                    apply_placement(place, &mut points);
                    Value::Points(points)
                }
                FieldValue::Mesh(_) => {
                    let mut mesh = self.triangles(place, files)?.unwrap_or_default();
                    if hollow {
                        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
                    }
                    Value::Mesh(mesh)
                }
            };
            values.push((*name, value));
        }
        let values = Values::new(form.name, form.fields, values).map_err(here)?;
        (form.build)(&values).map_err(here)
    }
}

/// The only shape of a list; an error says what to keep or to give.
pub(super) fn only(
    shapes: &[ShapeSpec],
    is_allowed: fn(&ShapeForm) -> bool,
) -> Result<&ShapeSpec, Error> {
    let scene_error = |problem: String| Err(Error::Scene { problem });
    if let [shape] = shapes {
        let form = Shape::forms().find(|form| form.name == shape.name);
        return match form.is_none_or(is_allowed) {
            true => Ok(shape),
            false => scene_error(format!("a {} is not closed; use a closed shape", shape.name)),
        };
    }
    let given = |form: &ShapeForm| shapes.iter().any(|shape| shape.name == form.name);
    let forms = Shape::forms().filter(|form| is_allowed(form));
    exactly_one(&forms.map(|form| (form.name, given(form))).collect::<Vec<_>>())?;
    scene_error("several shapes are present; keep one".to_owned())
}

impl Serialize for ShapeSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.only_value() {
            Some(value) => value.serialize(serializer),
            None => serializer.collect_map(self.values.iter().map(|(name, value)| (name, value))),
        }
    }
}

/// Writes shapes as fields of what has them.
pub(super) fn serialize<S: Serializer>(
    shapes: &[ShapeSpec],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(shapes.len()))?;
    for shape in shapes {
        map.serialize_entry(shape.name, shape)?;
    }
    map.end()
}
