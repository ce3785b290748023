//! Strain limits of a material: bounds on edge lengths and triangle areas.
//!
//! The limits are enforced after each substep by Gauss–Seidel sweeps, independently of the solver and of the stiffness
//! of the material.

use crate::Error;

/// Bounds on the stretch of a body, independent of its stiffness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainLimit {
    /// Smallest and largest length of an edge, relative to its rest length.
    pub stretch: [f64; 2],
    /// Smallest and largest area of a triangle, relative to its rest area; for cloth and springs.
    pub area: Option<[f64; 2]>,
    /// Gauss–Seidel sweeps after each substep.
    pub iterations: usize,
}

/// Default number of sweeps: a hanging net of 8 × 8 vertices then keeps a limit of 10 % to within 0.2 %.
const DEFAULT_ITERATIONS: usize = 20;

impl StrainLimit {
    /// Limits edge lengths to `min` to `max` times those at rest.
    pub fn new(min: f64, max: f64) -> Self {
        Self { stretch: [min, max], area: None, iterations: DEFAULT_ITERATIONS }
    }

    /// Also limits triangle areas to `min` to `max` times those at rest.
    pub fn area(self, min: f64, max: f64) -> Self {
        Self { area: Some([min, max]), ..self }
    }

    /// Sets the number of sweeps.
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }

    /// Checks every number; `triangles` is true if the material has areas to limit.
    pub(crate) fn validate(&self, name: &'static str, triangles: bool) -> Result<(), Error> {
        let refuse = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        let pairs = [("strain limit", Some(self.stretch)), ("area limit", self.area)];
        for (field, [min, max]) in pairs.into_iter().filter_map(|(f, p)| Some((f, p?))) {
            if !(0.0..=1.0).contains(&min) {
                return refuse(field, min, "give a lower limit from 0 to 1");
            }
            if !(max >= 1.0 && max.is_finite()) {
                return refuse(field, max, "give a finite upper limit of 1 or more");
            }
        }
        if self.iterations == 0 {
            return refuse("strain limit's iterations", 0.0, "give at least one");
        }
        match self.area {
            Some([min, _]) if !triangles => {
                refuse("area limit", min, "leave it out: only cloth and springs have one")
            }
            _ => Ok(()),
        }
    }
}
