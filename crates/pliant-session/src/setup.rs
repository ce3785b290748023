//! A setup: a scene, the numbers of its materials, the changes of the user, and the model of all that.
//!
//! It never changes. A recorded state is kept with the setup that it was recorded in, and is restored into
//! no other.

use std::collections::BTreeMap;
use std::sync::Arc;

use pliant::Model;
use pliant_io::scene_file;
use pliant_io::skin::Skin;
use pliant_scenes::Description;

use crate::changes::Changes;
use crate::material;
use crate::source::{MOST_VERTICES, Source};

/// A scene as it was built.
#[derive(Debug)]
pub(crate) struct Base {
    /// What is described, with the numbers of materials that were changed.
    pub description: Description,
    /// What is simulated.
    pub model: Arc<Model>,
    /// What its bodies and colliders show.
    pub skins: Vec<Skin>,
    /// What was repaired, in words.
    pub notes: Vec<String>,
}

/// A scene and what was changed of it.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// Where the scene comes from.
    pub source: Arc<Source>,
    /// Numbers of materials that were changed, by their names.
    pub values: BTreeMap<String, f64>,
    /// The scene with these.
    pub base: Arc<Base>,
    /// What holds and drives it otherwise.
    pub changes: Changes,
    /// What is simulated.
    pub model: Arc<Model>,
}

impl Setup {
    /// A scene as its source says.
    pub fn new(source: Arc<Source>) -> Result<Self, String> {
        Self::of(source, BTreeMap::new(), Changes::default())
    }

    /// A scene with changes.
    pub fn of(
        source: Arc<Source>,
        values: BTreeMap<String, f64>,
        changes: Changes,
    ) -> Result<Self, String> {
        let base = Arc::new(build(&source, &values)?);
        let model = changes.apply(&base.model).map_err(|e| e.to_string())?;
        Ok(Self { source, values, base, changes, model })
    }

    /// The same with other numbers of materials.
    pub fn with_values(&self, values: &BTreeMap<String, f64>) -> Result<Self, String> {
        let mut all = self.values.clone();
        all.extend(values.iter().map(|(name, value)| (name.clone(), *value)));
        Self::of(self.source.clone(), all, self.changes.clone())
    }

    /// The same with other changes.
    pub fn with_changes(&self, changes: Changes) -> Result<Self, String> {
        let model = changes.apply(&self.base.model).map_err(|e| e.to_string())?;
        Ok(Self { changes, model, ..self.clone() })
    }
}

fn build(source: &Source, values: &BTreeMap<String, f64>) -> Result<Base, String> {
    let file = match source.name.as_str() {
        "" => "scene",
        name => name,
    };
    let mut scene = scene_file::parse_in_memory(file, source.text.clone(), source.files.clone())
        .map_err(|e| e.to_string())?;
    for (name, value) in values {
        material::set(&mut scene.description, name, *value)?;
    }
    let built = scene.build().map_err(|e| e.to_string())?;
    if built.model.len() > 2 * MOST_VERTICES {
        return Err(format!(
            "this scene has {} vertices, too many to be live; make it coarser, or run it with `pliant run`",
            built.model.len()
        ));
    }
    let notes = source.notes.iter().cloned().chain(built.notes).collect();
    let (model, skins) = (Arc::new(built.model), built.skins);
    Ok(Base { description: scene.description, model, skins, notes })
}
