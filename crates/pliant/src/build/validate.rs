//! Validation of scalar settings before they become part of a model.

use crate::Error;

/// Rejects a time step that is not positive and finite.
pub(crate) fn check_time_step(dt: f64) -> Result<(), Error> {
    if dt > 0.0 && dt.is_finite() { Ok(()) } else { Err(Error::TimeStep { value: dt }) }
}
