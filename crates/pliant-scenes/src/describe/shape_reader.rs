//! Reader and schema of shapes in scene files, from the table of fields in each shape's file.
//!
//! A collider has a field for each shape. A struct cannot have fields from a table, so [`WithShapes`] stands between
//! the derived reader of the other fields and the file: it takes out the keys of shapes, and passes all others on. Every
//! error arises while the reader of the file is at the key or value that is wrong, and therefore has its line and column.

use std::fmt;

use pliant::contact::shape::{Shape, ShapeForm};
use pliant::fields::{Field, FieldKind};
use schemars::Schema;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value, json};

use super::shape::{FieldValue, ShapeSpec};

/// Deserializer of a struct that collects the shapes among its fields.
pub(super) struct WithShapes<'a, D> {
    pub inner: D,
    pub is_allowed: fn(&ShapeForm) -> bool,
    pub shapes: &'a mut Vec<ShapeSpec>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for WithShapes<'_, D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        let Self { inner, is_allowed, shapes } = self;
        inner.deserialize_map(StructVisitor { visitor, fields, is_allowed, shapes })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

struct StructVisitor<'a, V> {
    visitor: V,
    fields: &'static [&'static str],
    is_allowed: fn(&ShapeForm) -> bool,
    shapes: &'a mut Vec<ShapeSpec>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for StructVisitor<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let Self { visitor, fields, is_allowed, shapes } = self;
        visitor.visit_map(OtherFields { map, fields, is_allowed, shapes })
    }
}

/// The fields that are no shapes.
struct OtherFields<'a, A> {
    map: A,
    fields: &'static [&'static str],
    is_allowed: fn(&ShapeForm) -> bool,
    shapes: &'a mut Vec<ShapeSpec>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for OtherFields<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let mut seed = Some(seed);
        loop {
            let (fields, is_allowed) = (self.fields, self.is_allowed);
            let key = KeySeed { seed: &mut seed, fields, is_allowed };
            match self.map.next_key_seed(key)? {
                None => return Ok(None),
                Some(Key::Other(key)) => return Ok(Some(key)),
                Some(Key::Shape(form)) => {
                    self.shapes.push(self.map.next_value_seed(FormSeed(form))?);
                }
            }
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

enum Key<T> {
    Shape(&'static ShapeForm),
    Other(T),
}

struct KeySeed<'a, K> {
    seed: &'a mut Option<K>,
    fields: &'static [&'static str],
    is_allowed: fn(&ShapeForm) -> bool,
}

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for KeySeed<'_, K> {
    type Value = Key<K::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<'de, K: DeserializeSeed<'de>> Visitor<'de> for KeySeed<'_, K> {
    type Value = Key<K::Value>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        let allowed = || Shape::forms().filter(|form| (self.is_allowed)(form));
        if let Some(form) = allowed().find(|form| form.name == key) {
            return Ok(Key::Shape(form));
        }
        match self.seed.take() {
            Some(seed) if self.fields.contains(&key) => {
                seed.deserialize(key.into_deserializer()).map(Key::Other)
            }
            _ => {
                let known = self.fields.iter().copied().chain(allowed().map(|form| form.name));
                Err(unknown_field(key, known))
            }
        }
    }
}

fn unknown_field<E: Error>(key: &str, known: impl Iterator<Item = &'static str>) -> E {
    let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
    E::custom(format!("unknown field `{key}`, expected one of {}", known.join(", ")))
}

/// Reader of a shape's value: a table of its fields, or the value of its only field.
struct FormSeed(&'static ShapeForm);

impl<'de> DeserializeSeed<'de> for FormSeed {
    type Value = ShapeSpec;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ShapeSpec, D::Error> {
        let name = self.0.name;
        match self.0.fields {
            [field] if field.name.is_empty() => {
                let value = FieldSeed(field).deserialize(deserializer)?;
                Ok(ShapeSpec { name, values: vec![("", value)] })
            }
            _ => deserializer.deserialize_map(self),
        }
    }
}

impl<'de> Visitor<'de> for FormSeed {
    type Value = ShapeSpec;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "a table such as {}", self.0.example)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ShapeSpec, A::Error> {
        let fields = self.0.fields;
        let mut found: Vec<Option<FieldValue>> = vec![None; fields.len()];
        while let Some(k) = map.next_key_seed(FieldKey(fields))? {
            if found[k].replace(map.next_value_seed(FieldSeed(&fields[k]))?).is_some() {
                return Err(A::Error::duplicate_field(fields[k].name));
            }
        }
        let mut values = Vec::new();
        for (field, value) in fields.iter().zip(found) {
            match value {
                Some(value) => values.push((field.name, value)),
                None if field.is_required() => return Err(A::Error::missing_field(field.name)),
                None => {}
            }
        }
        Ok(ShapeSpec { name: self.0.name, values })
    }
}

/// Reader of a field's name, as its index.
struct FieldKey(&'static [Field]);

impl<'de> DeserializeSeed<'de> for FieldKey {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for FieldKey {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<usize, E> {
        let found = self.0.iter().position(|field| field.name == key);
        found.ok_or_else(|| unknown_field(key, self.0.iter().map(|field| field.name)))
    }
}

struct FieldSeed(&'static Field);

impl<'de> DeserializeSeed<'de> for FieldSeed {
    type Value = FieldValue;

    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<FieldValue, D::Error> {
        match self.0.kind {
            FieldKind::Number(_) => Deserialize::deserialize(d).map(FieldValue::Number),
            FieldKind::Count(_) => Deserialize::deserialize(d).map(FieldValue::Count),
            FieldKind::Vector(_) => Deserialize::deserialize(d).map(FieldValue::Vector),
            FieldKind::Numbers => Deserialize::deserialize(d).map(FieldValue::Numbers),
            FieldKind::Points => Deserialize::deserialize(d).map(FieldValue::Points),
            FieldKind::Mesh => Deserialize::deserialize(d).map(FieldValue::Mesh),
        }
    }
}

/// Adds the shapes to the schema of a collider.
pub(super) fn add_shapes(schema: &mut Schema) {
    add_properties(schema, |_| true);
}

/// Adds the closed shapes to the schema of a rigid body.
pub(super) fn add_closed_shapes(schema: &mut Schema) {
    add_properties(schema, |form| form.is_closed);
}

fn add_properties(schema: &mut Schema, is_allowed: fn(&ShapeForm) -> bool) {
    let object = schema.ensure_object();
    let properties = object.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        for form in Shape::forms().filter(|form| is_allowed(form)) {
            properties.insert(form.name.to_owned(), form_schema(form));
        }
    }
}

fn form_schema(form: &ShapeForm) -> Value {
    if let [field] = form.fields
        && field.name.is_empty()
    {
        let mut value = field_schema(field);
        value["description"] = json!(format!("{}: {}", form.solid, field.meaning));
        return value;
    }
    let properties: Map<String, Value> =
        form.fields.iter().map(|field| (field.name.to_owned(), field_schema(field))).collect();
    let required: Vec<&str> =
        form.fields.iter().filter(|field| field.is_required()).map(|field| field.name).collect();
    json!({
        "type": "object",
        "description": form.solid,
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn field_schema(field: &Field) -> Value {
    let vector =
        || json!({ "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 });
    let mut value = match field.kind {
        FieldKind::Number(_) => json!({ "type": "number" }),
        FieldKind::Count(_) => json!({ "type": "integer", "minimum": 0 }),
        FieldKind::Vector(_) => vector(),
        FieldKind::Numbers => json!({ "type": "array", "items": { "type": "number" } }),
        FieldKind::Points => json!({ "type": "array", "items": vector() }),
        // Cloths have the same, so it is always defined.
        FieldKind::Mesh => return json!({ "$ref": "#/$defs/SheetMesh" }),
    };
    let unit = if field.unit.is_empty() { String::new() } else { format!(" [{}]", field.unit) };
    let default = field.default_text().map(|text| format!("; default: {text}"));
    let meaning = format!("{}{unit}{}", field.meaning, default.unwrap_or_default());
    value["description"] = json!(meaning);
    value
}
