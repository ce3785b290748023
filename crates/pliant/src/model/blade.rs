//! Blade: a moving segment that cuts sheets and nets with triangles. The cutting itself is in
//! `topology/blade.rs`.

use crate::Error;
use crate::model::motion::Motion;

/// A straight edge that cuts through sheets and nets with triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct Blade {
    /// Ends at time zero \[m\].
    pub ends: [[f64; 3]; 2],
    /// Motion. Along a path, the first end follows it and the second keeps its offset from the first.
    pub motion: Motion,
}

impl Blade {
    /// Creates a blade with these ends \[m\] and this motion.
    pub fn new(ends: [[f64; 3]; 2], motion: Motion) -> Self {
        Self { ends, motion }
    }

    /// Returns its ends at `time` \[s\].
    pub fn at(&self, time: f64) -> [[f64; 3]; 2] {
        let [a, b] = self.ends;
        let first = self.motion.at(a, time);
        let second = match &self.motion {
            Motion::Path(_) => [0, 1, 2].map(|c| first[c] + b[c] - a[c]),
            _ => self.motion.at(b, time),
        };
        [first, second]
    }

    pub(crate) fn validate(&self, index: usize) -> Result<(), Error> {
        let finite = self.ends.iter().flatten().all(|c| c.is_finite());
        if finite && self.motion.is_valid() && self.ends[0] != self.ends[1] {
            return Ok(());
        }
        Err(Error::Blade { index })
    }
}
