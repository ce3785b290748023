//! Fields of scene files, described beside what they describe.
//!
//! A collider shape lists its fields in a table: name, kind, unit, default and meaning. Readers of scene files,
//! their schema and the tables of the documentation are made from these tables, so a field is described once.
//! The engine itself reads no files: it receives the [`Values`] of the fields.

use crate::Error;
use crate::mesh::TriMesh;

/// Kind of a field's values, with the default of an optional field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FieldKind {
    /// A number.
    Number(Option<f64>),
    /// A whole number.
    Count(Option<usize>),
    /// Three numbers.
    Vector(Option<[f64; 3]>),
    /// A list of numbers.
    Numbers,
    /// A list of points.
    Points,
    /// A triangle mesh, generated or from a file.
    Mesh,
}

/// Description of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Name; empty for the only field of something that is given without a table.
    pub name: &'static str,
    /// Kind and default.
    pub kind: FieldKind,
    /// Unit; empty if there is none.
    pub unit: &'static str,
    /// Meaning, in a few words.
    pub meaning: &'static str,
}

impl Field {
    /// A required number.
    pub const fn number(name: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        Self { name, kind: FieldKind::Number(None), unit, meaning }
    }

    /// A required whole number.
    pub const fn count(name: &'static str, meaning: &'static str) -> Self {
        Self { name, kind: FieldKind::Count(None), unit: "", meaning }
    }

    /// A required vector.
    pub const fn vector(name: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        Self { name, kind: FieldKind::Vector(None), unit, meaning }
    }

    /// A required list of numbers.
    pub const fn numbers(name: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        Self { name, kind: FieldKind::Numbers, unit, meaning }
    }

    /// Points \[m\] as the only field.
    pub const fn points(meaning: &'static str) -> Self {
        Self { name: "", kind: FieldKind::Points, unit: "m", meaning }
    }

    /// A mesh as the only field.
    pub const fn mesh(meaning: &'static str) -> Self {
        Self { name: "", kind: FieldKind::Mesh, unit: "m", meaning }
    }

    /// The same field, of numbers or vectors, with a default.
    pub const fn or(self, default: FieldKind) -> Self {
        Self { kind: default, ..self }
    }

    /// True if the field must be given.
    pub const fn is_required(&self) -> bool {
        !matches!(
            self.kind,
            FieldKind::Number(Some(_)) | FieldKind::Count(Some(_)) | FieldKind::Vector(Some(_))
        )
    }

    /// Default as text for documentation; `None` if the field is required.
    pub fn default_text(&self) -> Option<String> {
        match self.kind {
            FieldKind::Number(default) => default.map(|v| format!("{v}")),
            FieldKind::Count(default) => default.map(|v| format!("{v}")),
            FieldKind::Vector(default) => default.map(|[x, y, z]| format!("[{x}, {y}, {z}]")),
            FieldKind::Numbers | FieldKind::Points | FieldKind::Mesh => None,
        }
    }

    fn default_value(&self) -> Option<Value> {
        match self.kind {
            FieldKind::Number(default) => default.map(Value::Number),
            FieldKind::Count(default) => default.map(Value::Count),
            FieldKind::Vector(default) => default.map(Value::Vector),
            FieldKind::Numbers | FieldKind::Points | FieldKind::Mesh => None,
        }
    }
}

/// Value of a field.
#[derive(Clone, Debug)]
pub enum Value {
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
    /// A triangle mesh.
    Mesh(TriMesh),
}

/// Values of all fields of a table, given or by default.
#[derive(Clone, Debug)]
pub struct Values {
    of: &'static str,
    values: Vec<(&'static str, Value)>,
}

impl Values {
    /// Completes the values of a table's fields by their defaults; an error names a field that is unknown,
    /// missing or given twice. `of` is what the fields describe.
    pub fn new(
        of: &'static str,
        fields: &'static [Field],
        given: Vec<(&str, Value)>,
    ) -> Result<Self, Error> {
        let invalid = |problem: String| Err(Error::Scene { problem: format!("{of}: {problem}") });
        let mut values: Vec<(&'static str, Value)> = Vec::new();
        for (name, value) in given {
            let Some(field) = fields.iter().find(|f| f.name == name) else {
                let known: Vec<&str> = fields.iter().map(|f| f.name).collect();
                return invalid(format!(
                    "unknown field `{name}`; the fields are {}",
                    known.join(", ")
                ));
            };
            if values.iter().any(|(known, _)| *known == name) {
                return invalid(format!("field `{name}` occurs twice; remove one"));
            }
            values.push((field.name, value));
        }
        for field in fields {
            if values.iter().any(|(name, _)| *name == field.name) {
                continue;
            }
            match field.default_value() {
                Some(value) => values.push((field.name, value)),
                None => return invalid(format!("field `{}` is missing; add it", field.name)),
            }
        }
        Ok(Self { of, values })
    }

    fn find<'a, T: 'a>(
        &'a self,
        name: &str,
        kind: &str,
        of_kind: impl Fn(&'a Value) -> Option<T>,
    ) -> Result<T, Error> {
        let value = self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
        value.and_then(of_kind).ok_or_else(|| Error::Scene {
            problem: format!("{}: field `{name}` must be {kind}", self.of),
        })
    }

    /// A number.
    pub fn number(&self, name: &str) -> Result<f64, Error> {
        self.find(name, "a number", |value| match value {
            Value::Number(v) => Some(*v),
            _ => None,
        })
    }

    /// A whole number.
    pub fn count(&self, name: &str) -> Result<usize, Error> {
        self.find(name, "a whole number", |value| match value {
            Value::Count(v) => Some(*v),
            _ => None,
        })
    }

    /// A vector.
    pub fn vector(&self, name: &str) -> Result<[f64; 3], Error> {
        self.find(name, "a list of three numbers", |value| match value {
            Value::Vector(v) => Some(*v),
            _ => None,
        })
    }

    /// A list of numbers.
    pub fn numbers(&self, name: &str) -> Result<&[f64], Error> {
        self.find(name, "a list of numbers", |value| match value {
            Value::Numbers(v) => Some(&v[..]),
            _ => None,
        })
    }

    /// The points \[m\] that are the only field.
    pub fn points(&self) -> Result<&[[f64; 3]], Error> {
        self.find("", "a list of points", |value| match value {
            Value::Points(v) => Some(&v[..]),
            _ => None,
        })
    }

    /// The mesh that is the only field.
    pub fn mesh(&self) -> Result<&TriMesh, Error> {
        self.find("", "a mesh", |value| match value {
            Value::Mesh(v) => Some(v),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[Field] = &[
        Field::number("radius", "m", "radius"),
        Field::vector("axis", "", "axis").or(FieldKind::Vector(Some([0.0, 1.0, 0.0]))),
    ];

    #[test]
    fn defaults_complete_what_is_given() {
        let values = Values::new("ring", FIELDS, vec![("radius", Value::Number(2.0))]).unwrap();
        assert_eq!(values.number("radius").unwrap(), 2.0);
        assert_eq!(values.vector("axis").unwrap(), [0.0, 1.0, 0.0]);
        assert_eq!(FIELDS[1].default_text().as_deref(), Some("[0, 1, 0]"));
        assert!(FIELDS[0].is_required() && !FIELDS[1].is_required());
    }

    #[test]
    fn wrong_fields_are_named() {
        let problem = |given| Values::new("ring", FIELDS, given).unwrap_err().to_string();
        assert!(problem(vec![]).contains("`radius` is missing"));
        assert!(problem(vec![("size", Value::Number(1.0))]).contains("fields are radius, axis"));
        let twice = vec![("radius", Value::Number(1.0)), ("radius", Value::Number(2.0))];
        assert!(problem(twice).contains("occurs twice"));
        let values = Values::new("ring", FIELDS, vec![("radius", Value::Count(2))]).unwrap();
        assert!(values.number("radius").unwrap_err().to_string().contains("must be a number"));
    }
}
