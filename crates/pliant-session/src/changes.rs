//! What a user changed of a model while it runs, and the model with these changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use pliant::prelude::*;
use pliant::{Error, Model};
use serde::{Deserialize, Serialize};

/// The most balls that can be thrown into a scene.
const MOST_BALLS: usize = 64;

/// Changes of a model that leave its bodies as they are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Changes {
    /// Gravity \[m/s²\], where it is not the scene's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gravity: Option<[f64; 3]>,
    /// Wind, where it is not the scene's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wind: Option<Air>,
    /// Vertices that are held and that the scene does not hold, or elsewhere.
    pub held: BTreeSet<u32>,
    /// Vertices that the scene holds and that were let go.
    pub freed: BTreeSet<u32>,
    /// Balls that were thrown.
    pub balls: Vec<Ball>,
}

/// A wind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Air {
    /// Mean velocity \[m/s\].
    pub velocity: [f64; 3],
    /// Strength of gusts in parts of the mean.
    pub gust: f64,
}

/// A thrown ball.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ball {
    /// Where its centre starts \[m\].
    pub from: [f64; 3],
    /// Its velocity \[m/s\].
    pub velocity: [f64; 3],
    /// Its radius \[m\].
    pub radius: f64,
    /// Its density \[kg/m³\].
    pub density: f64,
}

impl Ball {
    /// Refuses what cannot be thrown.
    fn check(&self) -> Result<(), Error> {
        let finite = self.from.iter().chain(&self.velocity).all(|c| c.is_finite());
        let positive = |v: f64| v > 0.0 && v.is_finite();
        if finite && positive(self.radius) && positive(self.density) {
            return Ok(());
        }
        let problem = "a ball needs a finite place and velocity, and a positive radius and density";
        Err(Error::Scene { problem: problem.to_owned() })
    }
}

impl Changes {
    /// A model with these changes.
    pub fn apply(&self, base: &Arc<Model>) -> Result<Arc<Model>, Error> {
        if *self == Self::default() {
            return Ok(base.clone());
        }
        if self.balls.len() > MOST_BALLS {
            let problem =
                format!("there are {MOST_BALLS} balls already; reset the scene to throw more");
            return Err(Error::Scene { problem });
        }
        let mut scene = ModelBuilder::reopen(base);
        if let Some(g) = self.gravity {
            scene.gravity(g);
        }
        if let Some(air) = self.wind {
            scene.calm();
            if air.velocity != [0.0; 3] {
                let like = base.wind().copied().unwrap_or(Wind::steady(air.velocity));
                scene.wind(Wind { velocity: air.velocity, gust: air.gust, ..like });
            }
        }
        self.freed.iter().for_each(|&v| scene.unpin(v as usize));
        self.held.iter().for_each(|&v| scene.pin(v as usize));
        for (i, ball) in self.balls.iter().enumerate() {
            ball.check()?;
            let body =
                scene.rigid(Icosphere::new(2).radius(ball.radius).at(ball.from), ball.density)?;
            scene.name(&body, &format!("ball {}", i + 1));
            scene.velocities_mut(&body).fill(ball.velocity);
        }
        Ok(Arc::new(scene.build()?))
    }

    /// Holds a vertex, whether or not a model's scene does. Says whether anything changed: a vertex that
    /// the scene holds already stays as it is.
    pub fn hold(&mut self, base: &Model, vertex: u32) -> bool {
        let own = base.pins().iter().any(|p| p.vertex == vertex as usize);
        match own && !self.freed.contains(&vertex) {
            true => false,
            false => self.held.insert(vertex),
        }
    }

    /// Lets a vertex go. Says whether anything changed.
    pub fn free(&mut self, base: &Model, vertex: u32) -> bool {
        let held = self.held.remove(&vertex);
        let own = base.pins().iter().any(|p| p.vertex == vertex as usize);
        (own && self.freed.insert(vertex)) || held
    }
}
