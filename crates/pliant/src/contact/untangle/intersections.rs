//! Exact intersection test: edges that cross triangles.
//!
//! Continuous collision detection keeps apart only what was apart at the start. This test verifies that state by exact
//! arithmetic: at the start of a run, and in intersection-free mode at the end of every step. Segments of threads count
//! as edges, so that none passes through a triangle.

use pliant_detect::intersect::{EdgeTriangle, IntersectionCheck};

use crate::contact::broad_phase::primitives::Features;
use crate::model::contact_material::CollidesWith;

/// Detector of edges that cross triangles.
#[derive(Clone, Debug)]
pub(in crate::contact) struct IntersectionDetector {
    check: IntersectionCheck,
    /// Intersections of the last search.
    found: Vec<EdgeTriangle>,
}

impl IntersectionDetector {
    pub fn new(features: &Features) -> Self {
        let triangles: Vec<[u32; 3]> =
            features.primitives.iter().map(|cell| cell.vertices).collect();
        Self { check: IntersectionCheck::new(&triangles), found: Vec::new() }
    }

    /// Returns the edges that cross triangles at `x`, of features that collide with each other; `rest` holds the rest
    /// positions of the model's vertices \[m\].
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
        self.found.retain(|f| must_not_intersect(features, rest, f));
        &self.found
    }

    /// Returns the intersections of the last search.
    pub fn found(&self) -> &[EdgeTriangle] {
        &self.found
    }
}

/// Returns true if an edge and a triangle that intersect are required to be apart.
fn must_not_intersect(features: &Features, rest: &[[f64; 3]], found: &EdgeTriangle) -> bool {
    let cell = &features.primitives[found.triangle as usize];
    let own = features.group_of(found.edge[0]);
    let [a, b] = [own, cell.group].map(|g| &features.groups[g as usize]);
    let fixed = features.is_collider(found.triangle as usize);
    if found.edge[0] == found.edge[1] {
        // Padding of a thread's segment.
        return false;
    }
    let edge_fixed =
        found.edge[0] as usize >= features.model_vertex_count + features.rigid_points.len();
    if fixed || edge_fixed {
        return fixed != edge_fixed;
    }
    let partners = a.contact_material.collides_with.min(b.contact_material.collides_with);
    if own != cell.group {
        return partners >= CollidesWith::Bodies;
    }
    // Beside a tear both sides coincide when they part.
    let place = |v: u32| rest.get(v as usize);
    let beside =
        |e: &u32| cell.vertices().iter().any(|v| place(*e).is_some() && place(*e) == place(*v));
    partners >= CollidesWith::Itself && !found.edge.iter().any(beside)
}
