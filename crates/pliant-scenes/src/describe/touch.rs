//! How bodies touch, in files.

use std::fmt;

use pliant::Error;
use pliant::prelude::{Partners, Touch};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// How a body touches: a table, or the word `"nothing"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TouchSpec {
    /// It passes through everything.
    Nothing(NothingSpec),
    /// As the table says.
    As(TouchTable),
}

/// The word for bodies that pass through everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NothingSpec {
    /// It touches nothing.
    Nothing,
}

/// What is not given is the engine's default for the kind of body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TouchTable {
    /// Thickness \[m\]: surfaces keep half of it from others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Coulomb's coefficient of friction; of two surfaces the geometric mean counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// The part of an impact's velocity that is given back, 0 to 1; of two surfaces the larger counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// What it touches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<PartnersSpec>,
}

/// What a body touches; each word includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PartnersSpec {
    /// Colliders.
    Colliders,
    /// Those, and other bodies that touch bodies.
    Bodies,
    /// Those, and itself.
    Itself,
}

impl From<TouchTable> for TouchSpec {
    fn from(table: TouchTable) -> Self {
        Self::As(table)
    }
}

impl TouchSpec {
    /// For a body that passes through everything.
    pub const NOTHING: Self = Self::Nothing(NothingSpec::Nothing);

    /// What it makes of the engine's default.
    pub(super) fn build(&self, default: Option<Touch>) -> Result<Option<Touch>, Error> {
        let Self::As(table) = self else { return Ok(None) };
        let own = default.unwrap_or(Touch::of_thickness(0.0));
        let checked = |name: &str, value: Option<f64>, most: f64| match value {
            Some(v) if !(v >= 0.0 && v <= most && v.is_finite()) => {
                let range = if most < f64::INFINITY { "from 0 to 1" } else { "of zero or more" };
                Err(Error::Scene { problem: format!("{name} is {v}; give a number {range}") })
            }
            _ => Ok(value),
        };
        let radius = checked("thickness", table.thickness, f64::INFINITY)?.map(|t| 0.5 * t);
        Ok(Some(Touch {
            radius: radius.unwrap_or(own.radius),
            friction: checked("friction", table.friction, f64::INFINITY)?.unwrap_or(own.friction),
            restitution: checked("restitution", table.restitution, 1.0)?.unwrap_or(own.restitution),
            partners: match table.with {
                None => own.partners,
                Some(PartnersSpec::Colliders) => Partners::Colliders,
                Some(PartnersSpec::Bodies) => Partners::Bodies,
                Some(PartnersSpec::Itself) => Partners::Itself,
            },
            family: own.family,
        }))
    }
}

/// By hand: of a choice between word and table, the derived form says no more than that nothing fits.
impl<'de> Deserialize<'de> for TouchSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = TouchSpec;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str(
                    "a table such as { thickness = 0.001, with = \"itself\" }, or \"nothing\"",
                )
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<TouchSpec, E> {
                match word {
                    "nothing" => Ok(TouchSpec::NOTHING),
                    _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<TouchSpec, A::Error> {
                TouchTable::deserialize(MapAccessDeserializer::new(map)).map(TouchSpec::As)
            }
        }
        deserializer.deserialize_any(Either)
    }
}
