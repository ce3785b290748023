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
        let invalid = |field, value, remedy| Err(Error::Quantity { name, field, value, remedy });
        let pairs = [("strain limit", Some(self.stretch)), ("area limit", self.area)];
        for (field, [min, max]) in pairs.into_iter().filter_map(|(f, p)| Some((f, p?))) {
            if !(0.0..=1.0).contains(&min) {
                return invalid(field, min, "the lower limit must be from 0 to 1");
            }
            if !(max >= 1.0 && max.is_finite()) {
                return invalid(field, max, "the upper limit must be finite and at least 1");
            }
        }
        if self.iterations == 0 {
            return invalid("number of strain-limit iterations", 0.0, "it must be at least 1");
        }
        match self.area {
            Some([min, _]) if !triangles => {
                invalid("area limit", min, "only cloth and springs support it; remove it")
            }
            _ => Ok(()),
        }
    }
}
