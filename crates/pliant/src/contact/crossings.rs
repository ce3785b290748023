//! What crosses what, by exact arithmetic: edges against triangles.
//!
//! Continuous tests keep apart what was apart. Whether it was is asked here: of the start of a run, and in
//! offline mode of the end of every step. Threads count as edges, so that none passes a triangle.

use pliant_detect::intersect::{EdgeTriangle, IntersectionCheck};

use super::Partners;
use super::features::Features;

/// Finds edges that cross triangles.
#[derive(Clone, Debug)]
pub(super) struct Crossings {
    check: IntersectionCheck,
    /// Those that were found last.
    found: Vec<EdgeTriangle>,
}

impl Crossings {
    pub fn new(features: &Features) -> Self {
        let triangles: Vec<[u32; 3]> = features.cells.iter().map(|cell| cell.vertices).collect();
        Self { check: IntersectionCheck::new(&triangles), found: Vec::new() }
    }

    /// The edges that cross cells at `x`, of features that touch each other; `rest` is where the model's
    /// vertices are at rest \[m\].
    pub fn find(
        &mut self,
        features: &Features,
        rest: &[[f64; 3]],
        x: &[[f64; 3]],
    ) -> &[EdgeTriangle] {
        if x.iter().flatten().any(|c| !c.is_finite()) {
            self.found.clear();
            return &self.found;
        }
        self.check.self_intersections(x, &mut self.found);
        self.found.retain(|f| counts(features, rest, f));
        &self.found
    }

    /// Those that were found last.
    pub fn found(&self) -> &[EdgeTriangle] {
        &self.found
    }
}

/// Whether an edge and a cell that meet should not.
fn counts(features: &Features, rest: &[[f64; 3]], found: &EdgeTriangle) -> bool {
    let cell = &features.cells[found.triangle as usize];
    let own = features.group_of(found.edge[0]);
    let [a, b] = [own, cell.group].map(|g| &features.groups[g as usize]);
    let fixed = features.is_fixed(found.triangle as usize);
    if found.edge[0] == found.edge[1] {
        // What a thread's segment is filled up with.
        return false;
    }
    let edge_fixed = found.edge[0] as usize >= features.model + features.carried.len();
    if fixed || edge_fixed {
        return fixed != edge_fixed;
    }
    let partners = a.touch.partners.min(b.touch.partners);
    if own != cell.group {
        return partners >= Partners::Bodies;
    }
    // Beside a tear both sides are in the same place when they part.
    let place = |v: u32| rest.get(v as usize);
    let beside =
        |e: &u32| cell.corners().iter().any(|v| place(*e).is_some() && place(*e) == place(*v));
    partners >= Partners::Itself && !found.edge.iter().any(beside)
}
