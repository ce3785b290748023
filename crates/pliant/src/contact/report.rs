//! Contact mode and contact report.
//!
//! `ContactMode` selects how much work a step spends to keep surfaces apart; `ContactReport` holds the contact counts
//! of the last step.

/// Effort that a step spends to keep surfaces apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactMode {
    /// Crossings are resolved in a few rounds; vertices that would still cross are clamped on their path.
    #[default]
    RealTime,
    /// Intersection-free output, however long it takes, unless colliders leave no room: impact zones are solved until
    /// nothing crosses, in every substep, and intersections are counted by exact arithmetic after every step.
    IntersectionFree,
}

/// Contact statistics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactReport {
    /// Number of contacts of vertices with colliders that transmit force at the end of the step.
    pub colliders: usize,
    /// Number of such contacts between features of bodies, and with vertices and edges of colliders.
    pub pairs: usize,
    /// Largest penetration of an active contact at the end of the step \[m\]; zero if none penetrates.
    pub max_penetration: f64,
    /// Number of vertices that were clamped on their path because nothing else kept them from crossing a surface.
    pub clamped_vertices: usize,
    /// Number of feature pairs that cross nevertheless: kinematic motion left no room.
    pub unresolved_crossings: usize,
    /// Number of times that all motion was cut short, pinned vertices included, or a body was rolled back, because
    /// something would have crossed otherwise: in intersection-free mode, where pinned vertices leave no room. Pinned
    /// vertices catch up later.
    pub truncated_substeps: usize,
    /// Number of substeps without contact handling between surfaces, because too many primitives were near each other,
    /// as where bodies are scrambled or fly apart.
    pub skipped_substeps: usize,
    /// Number of broad-phase searches over the whole scene.
    pub searches: usize,
    /// Number of impact zones that were moved apart, in intersection-free mode.
    pub impact_zones: usize,
    /// Number of edges that cross triangles at the end of the step, by exact arithmetic. Counted in intersection-free
    /// mode, and while intersections are being untangled.
    pub intersections: usize,
    /// Number of edges that crossed triangles when the step began, if that was tested; they are being drawn apart.
    pub initial_intersections: usize,
}
