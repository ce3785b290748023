//! Contact settings of bodies, in scene files.

use std::fmt;

use pliant::Error;
use pliant::prelude::{CollidesWith, ContactMaterial};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// Contact settings of a body: a table, or the word `"nothing"` to disable contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ContactSpec {
    /// Contact disabled.
    Nothing(NoContactSpec),
    /// Settings of the table.
    Table(ContactTable),
}

/// The word that disables contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoContactSpec {
    /// No contact with anything.
    Nothing,
}

/// Contact parameters; missing values are the engine's defaults for the kind of body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactTable {
    /// Thickness \[m\]: surfaces keep a distance of half of it from others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Coulomb's friction coefficient; two surfaces combine by the geometric mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1; two surfaces combine by the maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Objects with which the body collides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<CollidesWithSpec>,
}

/// Collision filter of a body; each word includes the previous ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CollidesWithSpec {
    /// Colliders only.
    Colliders,
    /// Colliders, and other bodies that collide with bodies.
    Bodies,
    /// Colliders, other bodies, and the body itself.
    Itself,
}

impl From<ContactTable> for ContactSpec {
    fn from(table: ContactTable) -> Self {
        Self::Table(table)
    }
}

impl ContactSpec {
    /// Disabled contact.
    pub const NOTHING: Self = Self::Nothing(NoContactSpec::Nothing);

    /// Applies the settings to the engine's default.
    pub(super) fn build(
        &self,
        default: Option<ContactMaterial>,
    ) -> Result<Option<ContactMaterial>, Error> {
        let Self::Table(table) = self else { return Ok(None) };
        let own = default.unwrap_or(ContactMaterial::of_thickness(0.0));
        let checked = |name: &str, value: Option<f64>, most: f64| match value {
            Some(v) if !(v >= 0.0 && v <= most && v.is_finite()) => {
                let range = if most < f64::INFINITY { "from 0 to 1" } else { "at least 0" };
                Err(Error::Scene { problem: format!("{name} is {v}; it must be {range}") })
            }
            _ => Ok(value),
        };
        let radius = checked("thickness", table.thickness, f64::INFINITY)?.map(|t| 0.5 * t);
        Ok(Some(ContactMaterial {
            radius: radius.unwrap_or(own.radius),
            friction: checked("friction", table.friction, f64::INFINITY)?.unwrap_or(own.friction),
            restitution: checked("restitution", table.restitution, 1.0)?.unwrap_or(own.restitution),
            collides_with: match table.with {
                None => own.collides_with,
                Some(CollidesWithSpec::Colliders) => CollidesWith::Colliders,
                Some(CollidesWithSpec::Bodies) => CollidesWith::Bodies,
                Some(CollidesWithSpec::Itself) => CollidesWith::Itself,
            },
            collision_group: own.collision_group,
        }))
    }
}

/// Implemented by hand: the derived form for a choice between word and table only reports that no variant
/// matches.
impl<'de> Deserialize<'de> for ContactSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContactVisitor;
        impl<'de> Visitor<'de> for ContactVisitor {
            type Value = ContactSpec;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(
                    "a table such as { thickness = 0.001, with = \"itself\" }, or \"nothing\"",
                )
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<ContactSpec, E> {
                match word {
                    "nothing" => Ok(ContactSpec::NOTHING),
                    _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ContactSpec, A::Error> {
                ContactTable::deserialize(MapAccessDeserializer::new(map)).map(ContactSpec::Table)
            }
        }
        deserializer.deserialize_any(ContactVisitor)
    }
}
