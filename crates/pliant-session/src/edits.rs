//! User edits of a running model, and the edited model.

use std::collections::BTreeSet;
use std::sync::Arc;

use pliant::prelude::*;
use pliant::{Error, Model};
use serde::{Deserialize, Serialize};

/// Maximum number of balls thrown into a scene.
const MAX_BALLS: usize = 64;

/// Edits of a model that leave its bodies unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SceneEdits {
    /// Gravity \[m/s²\]; the scene's if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<[f64; 3]>,
    /// Wind; the scene's if none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<WindEdit>,
    /// Vertices pinned by the user: those that the scene does not pin, and those pinned again at another
    /// position.
    #[serde(rename = "held")]
    pub pinned: BTreeSet<u32>,
    /// Vertices that the scene pins and the user released.
    #[serde(rename = "freed")]
    pub unpinned: BTreeSet<u32>,
    /// Thrown balls.
    pub balls: Vec<Ball>,
}

/// A wind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WindEdit {
    /// Mean velocity \[m/s\].
    pub velocity: [f64; 3],
    /// Strength of gusts as a fraction of the mean velocity.
    pub gust: f64,
}

/// A thrown ball.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ball {
    /// Initial position of the centre \[m\].
    pub from: [f64; 3],
    /// Initial velocity \[m/s\].
    pub velocity: [f64; 3],
    /// Radius \[m\].
    pub radius: f64,
    /// Density \[kg/m³\].
    pub density: f64,
}

impl Ball {
    /// Rejects values that are not finite, and sizes and densities that are not positive.
    fn validate(&self) -> Result<(), Error> {
        let finite = self.from.iter().chain(&self.velocity).all(|c| c.is_finite());
        let positive = |v: f64| v > 0.0 && v.is_finite();
        if finite && positive(self.radius) && positive(self.density) {
            return Ok(());
        }
        let problem = "the ball is invalid; its position and velocity must be finite, its radius \
            and density positive";
        Err(Error::Scene { problem: problem.to_owned() })
    }
}

impl SceneEdits {
    /// The model with these edits.
    pub fn apply(&self, base: &Arc<Model>) -> Result<Arc<Model>, Error> {
        if *self == Self::default() {
            return Ok(base.clone());
        }
        if self.balls.len() > MAX_BALLS {
            let problem = format!(
                "the maximum of {MAX_BALLS} balls is reached; reset the scene to throw more"
            );
            return Err(Error::Scene { problem });
        }
        let mut scene = ModelBuilder::from_model(base);
        if let Some(g) = self.gravity {
            scene.gravity(g);
        }
        if let Some(wind) = self.wind {
            scene.clear_wind();
            if wind.velocity != [0.0; 3] {
                let like = base.wind().copied().unwrap_or(Wind::steady(wind.velocity));
                scene.wind(Wind { velocity: wind.velocity, gust: wind.gust, ..like });
            }
        }
        self.unpinned.iter().for_each(|&v| scene.unpin(v as usize));
        self.pinned.iter().for_each(|&v| scene.pin(v as usize));
        for (i, ball) in self.balls.iter().enumerate() {
            ball.validate()?;
            let body =
                scene.rigid(Icosphere::new(2).radius(ball.radius).at(ball.from), ball.density)?;
            scene.name(&body, &format!("ball {}", i + 1));
            scene.velocities_mut(&body).fill(ball.velocity);
        }
        Ok(Arc::new(scene.build()?))
    }

    /// Pins a vertex. Returns true if anything changed: a vertex that the scene already pins is left as it
    /// is.
    pub fn pin(&mut self, base: &Model, vertex: u32) -> bool {
        let own = base.pins().iter().any(|p| p.vertex == vertex as usize);
        match own && !self.unpinned.contains(&vertex) {
            true => false,
            false => self.pinned.insert(vertex),
        }
    }

    /// Releases a vertex. Returns true if anything changed.
    pub fn unpin(&mut self, base: &Model, vertex: u32) -> bool {
        let was_pinned = self.pinned.remove(&vertex);
        let own = base.pins().iter().any(|p| p.vertex == vertex as usize);
        (own && self.unpinned.insert(vertex)) || was_pinned
    }
}
