//! An edited scene: its source, material parameters, user edits, and the resulting model.
//!
//! Immutable. A recorded state refers to the edited scene in which it was recorded, and is restored into no
//! other.

use std::collections::BTreeMap;
use std::sync::Arc;

use pliant::Model;
use pliant_io::skin::Skin;
use pliant_scenes::SceneDescription;

use crate::edits::SceneEdits;
use crate::material;
use crate::source::{MAX_LIVE_VERTICES, SceneSource};

/// A scene and the model built from it.
#[derive(Debug)]
pub(crate) struct BuiltScene {
    /// Description with the changed material parameters.
    pub description: SceneDescription,
    /// Simulated model.
    pub model: Arc<Model>,
    /// Rendered surfaces of bodies and colliders.
    pub skins: Vec<Skin>,
    /// Descriptions of repairs.
    pub notes: Vec<String>,
}

/// A scene with the user's edits.
#[derive(Clone, Debug)]
pub(crate) struct EditedScene {
    /// Source of the scene.
    pub source: Arc<SceneSource>,
    /// Changed material parameters by name.
    pub material_values: BTreeMap<String, f64>,
    /// The scene built with these parameters.
    pub built: Arc<BuiltScene>,
    /// Edits of pins, gravity, wind and balls.
    pub edits: SceneEdits,
    /// Simulated model.
    pub model: Arc<Model>,
}

impl EditedScene {
    /// A scene without edits.
    pub fn new(source: Arc<SceneSource>) -> Result<Self, String> {
        Self::from_edits(source, BTreeMap::new(), SceneEdits::default())
    }

    /// A scene with edits.
    pub fn from_edits(
        source: Arc<SceneSource>,
        values: BTreeMap<String, f64>,
        edits: SceneEdits,
    ) -> Result<Self, String> {
        let base = Arc::new(build_scene(&source, &values)?);
        let model = edits.apply(&base.model).map_err(|e| e.to_string())?;
        Ok(Self { source, material_values: values, built: base, edits, model })
    }

    /// The same scene with other material parameters.
    pub fn with_material_values(&self, values: &BTreeMap<String, f64>) -> Result<Self, String> {
        let mut all = self.material_values.clone();
        all.extend(values.iter().map(|(name, value)| (name.clone(), *value)));
        Self::from_edits(self.source.clone(), all, self.edits.clone())
    }

    /// The same scene with other edits.
    pub fn with_edits(&self, edits: SceneEdits) -> Result<Self, String> {
        let model = edits.apply(&self.built.model).map_err(|e| e.to_string())?;
        Ok(Self { edits, model, ..self.clone() })
    }
}

fn build_scene(source: &SceneSource, values: &BTreeMap<String, f64>) -> Result<BuiltScene, String> {
    let mut scene = source.file()?;
    for (name, value) in values {
        material::set_parameter(&mut scene.description, name, *value)?;
    }
    let built = scene.build().map_err(|e| e.to_string())?;
    if built.model.len() > 2 * MAX_LIVE_VERTICES {
        return Err(format!(
            "the scene has {} vertices, too many for interactive simulation; reduce its resolution \
             or use `pliant run`",
            built.model.len()
        ));
    }
    let notes = source.notes.iter().cloned().chain(built.notes).collect();
    let (model, skins) = (Arc::new(built.model), built.skins);
    Ok(BuiltScene { description: scene.description, model, skins, notes })
}
