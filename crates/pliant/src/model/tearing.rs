//! Tearing: the rule by which a body tears, and the tears, which are part of the state. Edges are selected in
//! `topology/tear.rs`.

use crate::Error;

/// Mode in which a body tears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TearMode {
    /// Vertices split, and the surface opens between triangles: Position Based Dynamics §5.
    #[default]
    Split,
    /// Constraints of edges are removed, with the triangles at them: Projective Dynamics §7.1. No vertex is
    /// added, and a factor is updated by downdates if that is cheaper.
    Break,
}

/// Rule by which a body tears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tearing {
    /// Largest length of an edge relative to its rest length; above 1.
    pub stretch: f64,
    /// Mode of tearing.
    pub mode: TearMode,
    /// Largest number of edges that tear in one step, the longest first. The other edges are tested again in
    /// the next step, after the load has redistributed.
    pub max_per_step: usize,
}

/// Default number of edges that tear in one step.
const DEFAULT_MAX_TEARS_PER_STEP: usize = 64;

impl Tearing {
    /// Splits vertices of edges longer than this multiple of their rest length.
    pub fn split(stretch: f64) -> Self {
        Self { stretch, mode: TearMode::Split, max_per_step: DEFAULT_MAX_TEARS_PER_STEP }
    }

    /// Breaks edges longer than this multiple of their rest length.
    pub fn breaking(stretch: f64) -> Self {
        Self { stretch, mode: TearMode::Break, max_per_step: DEFAULT_MAX_TEARS_PER_STEP }
    }

    /// Sets the largest number of edges that tear in one step.
    pub fn max_per_step(self, most: usize) -> Self {
        Self { max_per_step: most, ..self }
    }

    pub(crate) fn validate(&self) -> Result<(), Error> {
        let invalid =
            |field, value, remedy| Err(Error::Quantity { name: "tearing", field, value, remedy });
        if !(self.stretch > 1.0 && self.stretch.is_finite()) {
            return invalid("stretch", self.stretch, "it must be finite and above 1");
        }
        if self.max_per_step == 0 {
            return invalid("maximum number of edges per step", 0.0, "it must be at least 1");
        }
        Ok(())
    }
}

/// One tear, in the numbering of the original model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tear {
    /// A triangle is separated from its neighbours along a side.
    SplitEdge {
        /// The body.
        body: u32,
        /// Index of the triangle in the body's list.
        triangle: u32,
        /// Side: from corner `side` to the next.
        side: u32,
    },
    /// The edge between two vertices is broken.
    BreakEdge {
        /// The body.
        body: u32,
        /// The vertices, ascending.
        edge: [u32; 2],
    },
}

impl Tear {
    /// Encodes the tear as two words of a snapshot.
    pub(crate) fn to_words(self) -> [u64; 2] {
        match self {
            Self::SplitEdge { body, triangle, side } => {
                [u64::from(body), u64::from(triangle) << 2 | u64::from(side)]
            }
            Self::BreakEdge { body, edge } => {
                [1 << 32 | u64::from(body), u64::from(edge[0]) << 32 | u64::from(edge[1])]
            }
        }
    }

    /// Decodes two words of a snapshot; `None` if they are invalid.
    pub(crate) fn from_words([head, rest]: [u64; 2]) -> Option<Self> {
        let body = head as u32;
        match head >> 32 {
            0 => {
                let triangle = u32::try_from(rest >> 2).ok()?;
                Some(Self::SplitEdge { body, triangle, side: (rest & 3) as u32 })
            }
            1 => Some(Self::BreakEdge { body, edge: [(rest >> 32) as u32, rest as u32] }),
            _ => None,
        }
    }
}
