//! Solver of a scene and its settings, in scene files. The settings are described beside each solver, of which the
//! reader and the schema are made.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use pliant::Error;
use pliant::solvers::{AnySolver, SettingInfo, SettingKind, SettingValue, Solver};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, json};

/// Name of the default solver.
pub const DEFAULT_SOLVER: &str = "projective";

/// A solver and its settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolverSpec {
    /// Solver name, from `pliant list solvers`; the default solver if empty.
    pub name: String,
    /// Settings by name, from `pliant list settings`; the solver's own defaults unless given.
    pub settings: BTreeMap<String, SettingSpec>,
}

/// Value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingSpec(pub SettingValue);

impl SolverSpec {
    /// A solver with its default settings.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// The same solver with a setting.
    pub fn with(mut self, name: &str, value: impl Into<SettingValue>) -> Self {
        self.settings.insert(name.to_owned(), SettingSpec(value.into()));
        self
    }

    /// The solver; an error comes with the key in scene files.
    pub fn solver(&self) -> Result<AnySolver, (String, Error)> {
        let name = if self.name.is_empty() { DEFAULT_SOLVER } else { &self.name };
        let mut solver = AnySolver::by_name(name).map_err(|e| ("solver.name".to_owned(), e))?;
        let values = || self.settings.iter().map(|(name, value)| (name.as_str(), &value.0));
        solver.set_all(values()).map_err(|error| {
            let wrong = match &error {
                Error::UnknownSetting { setting, .. } => setting,
                Error::SettingValue { setting, .. } => *setting,
                _ => "name",
            };
            (format!("solver.{wrong}"), error)
        })?;
        Ok(solver)
    }

    /// A solver by its name: with the settings of this one if that is the same solver.
    pub fn solver_named(&self, name: &str) -> Result<AnySolver, Error> {
        let other = AnySolver::by_name(name)?;
        let own = self.solver().map_err(|(_, error)| error)?;
        Ok(if own.name() == other.name() { own } else { other })
    }
}

impl Serialize for SettingSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            SettingValue::Number(n) if n.fract() == 0.0 && n.abs() < 1e9 => {
                serializer.serialize_i64(*n as i64)
            }
            SettingValue::Number(n) => serializer.serialize_f64(*n),
            SettingValue::Flag(flag) => serializer.serialize_bool(*flag),
            SettingValue::Choice(name) => serializer.serialize_str(name),
        }
    }
}

impl<'de> Deserialize<'de> for SettingSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Value;
        impl Visitor<'_> for Value {
            type Value = SettingValue;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, true, false or a name")
            }
            fn visit_i64<E>(self, v: i64) -> Result<SettingValue, E> {
                Ok(SettingValue::Number(v as f64))
            }
            fn visit_u64<E>(self, v: u64) -> Result<SettingValue, E> {
                Ok(SettingValue::Number(v as f64))
            }
            fn visit_f64<E>(self, v: f64) -> Result<SettingValue, E> {
                Ok(SettingValue::Number(v))
            }
            fn visit_bool<E>(self, v: bool) -> Result<SettingValue, E> {
                Ok(SettingValue::Flag(v))
            }
            fn visit_str<E>(self, v: &str) -> Result<SettingValue, E> {
                Ok(SettingValue::Choice(v.to_owned()))
            }
        }
        deserializer.deserialize_any(Value).map(Self)
    }
}

impl Serialize for SolverSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1 + self.settings.len()))?;
        map.serialize_entry("name", &self.name)?;
        for (name, value) in &self.settings {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for SolverSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Table;
        impl<'de> Visitor<'de> for Table {
            type Value = SolverSpec;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a table such as { name = \"xpbd\", substeps = 20 }")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SolverSpec, A::Error> {
                let mut spec = SolverSpec::default();
                while let Some(key) = map.next_key_seed(Key)? {
                    if key == "name" {
                        spec.name = map.next_value()?;
                    } else {
                        spec.settings.insert(key, map.next_value()?);
                    }
                }
                Ok(spec)
            }
        }
        deserializer.deserialize_map(Table)
    }
}

/// Reader of a key: `name`, or a setting of any solver. Its errors arise at the key, and have its line and column.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = String;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Key {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the name of a setting")
    }
    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<String, E> {
        let known = all_settings();
        if key == "name" || known.iter().any(|(setting, _)| setting.name == key) {
            return Ok(key.to_owned());
        }
        let known: Vec<String> = std::iter::once("name")
            .chain(known.iter().map(|(setting, _)| setting.name))
            .map(|name| format!("`{name}`"))
            .collect();
        Err(E::custom(format!("unknown field `{key}`, expected one of {}", known.join(", "))))
    }
}

/// Settings of all solvers, with the names of the solvers that have each; those of one name but several meanings are
/// next to one another.
pub fn all_settings() -> Vec<(SettingInfo, Vec<&'static str>)> {
    let mut all: Vec<(SettingInfo, Vec<&'static str>)> = Vec::new();
    for (solver, setting) in AnySolver::all_settings() {
        let same =
            |known: &SettingInfo| known.name == setting.name && known.meaning == setting.meaning;
        match all.iter_mut().find(|(known, _)| same(known)) {
            Some((_, solvers)) => {
                if !solvers.contains(&solver) {
                    solvers.push(solver);
                }
            }
            None => {
                let last = all.iter().rposition(|(known, _)| known.name == setting.name);
                all.insert(last.map_or(all.len(), |at| at + 1), (setting, vec![solver]));
            }
        }
    }
    all
}

impl JsonSchema for SolverSpec {
    fn schema_name() -> Cow<'static, str> {
        "SolverSpec".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut properties = Map::new();
        let name = "Solver name, from `pliant list solvers`.";
        properties.insert("name".to_owned(), json!({ "type": "string", "description": name }));
        for (setting, solvers) in all_settings() {
            let mut value = match setting.kind {
                SettingKind::Count => {
                    json!({ "type": "integer", "minimum": setting.range[0] as i64 })
                }
                SettingKind::Number => json!({ "type": "number", "minimum": setting.range[0] }),
                SettingKind::Flag => json!({ "type": "boolean" }),
                SettingKind::Choice(names) => json!({ "type": "string", "enum": names }),
            };
            let meaning = format!("{} ({})", setting.meaning, solvers.join(", "));
            value["description"] = json!(match properties.get(setting.name) {
                Some(other) =>
                    format!("{}; {meaning}", other["description"].as_str().unwrap_or("")),
                None => meaning,
            });
            properties.insert(setting.name.to_owned(), value);
        }
        json_schema!({
            "type": "object",
            "description": "A solver and its settings.",
            "properties": properties,
            "additionalProperties": false,
        })
    }
}
