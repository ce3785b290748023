//! Tearing under strain: selection of the edges that tear in a step. There is one mode for each paper:
//!
//! ```text
//! split   an edge longer than allowed selects one of its ends; the plane through that vertex perpendicular
//!         to the edge divides the triangles around it, and those on the far side get a new vertex
//!                                                                Position Based Dynamics §5
//! break   an edge longer than allowed loses its constraints, and the triangles at it are removed
//!                                                                Projective Dynamics §7.1
//! ```
//!
//! The result is a list of [`Tear`]s, which is part of the state. The model with tears follows from the
//! original model and that list alone (`topology/split/mod.rs`).

use crate::batch::ElementPrecision;
use crate::linalg::FactorUpdate;
use crate::math::Vec3;
use crate::model::tearing::Tear;
use crate::model::tearing::TearMode;
use crate::simd::Point;
use crate::topology::split::Topology;
use crate::topology::split::surface::SurfaceTopology;

/// Tears of a step or a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TearReport {
    /// Number of edges along which two triangles were separated.
    pub split_edges: usize,
    /// Number of new vertices.
    pub new_vertices: usize,
    /// Number of edges whose constraints were removed.
    pub broken_edges: usize,
    /// Number of elements removed: those across a tear, and those of broken edges.
    pub removed_elements: usize,
    /// Update of the solver's factor; `None` if the solver was prepared again.
    pub factor_update: Option<FactorUpdate>,
}

impl TearReport {
    /// True if nothing tore.
    pub fn is_empty(&self) -> bool {
        self.split_edges + self.broken_edges == 0
    }
}

/// Edge stretched beyond its limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TearCandidate {
    pub ratio: f64,
    /// Half-edge (three times the triangle plus the side), or index among the breakable edges.
    pub key: u32,
}

impl Topology {
    /// Finds the edges stretched beyond their limit at `x` and adds the resulting tears to `tears`.
    pub(crate) fn collect_tears<S: ElementPrecision>(
        &mut self,
        x: &[Point<S>],
        tears: &mut Vec<Tear>,
    ) {
        let mut found = std::mem::take(&mut self.candidates);
        let original = self.original_model().clone();
        for (b, info) in original.bodies().iter().enumerate() {
            let Some(tearing) = &info.tearing else { continue };
            found.clear();
            match tearing.mode {
                TearMode::Split => self.overstretched_half_edges(b, tearing.stretch, x, &mut found),
                TearMode::Break => self.overstretched_edges(b, tearing.stretch, x, &mut found),
            }
            if found.is_empty() {
                continue;
            }
            found.sort_by(|p, q| q.ratio.total_cmp(&p.ratio).then(p.key.cmp(&q.key)));
            match tearing.mode {
                TearMode::Split => self.split_vertices(b, tearing.max_per_step, x, &found, tears),
                TearMode::Break => {
                    tears.extend(found.iter().take(tearing.max_per_step).map(|c| Tear::BreakEdge {
                        body: b as u32,
                        edge: self.breakable_edge(c.key as usize).original,
                    }))
                }
            }
        }
        self.candidates = found;
    }

    /// Lists the half-edges that are too long, one for each edge.
    fn overstretched_half_edges<S: ElementPrecision>(
        &self,
        body: usize,
        stretch: f64,
        x: &[Point<S>],
        found: &mut Vec<TearCandidate>,
    ) {
        let Some(sheet) = self.surface(body) else { return };
        for side in (0..sheet.half_edge_count()).filter(|&h| sheet.is_representative(h)) {
            let ratio = edge_length(sheet.half_edge_vertices(side), x) / sheet.rest_length(side);
            if ratio > stretch && ratio.is_finite() {
                found.push(TearCandidate { ratio, key: side });
            }
        }
    }

    /// Lists the breakable edges that are too long.
    fn overstretched_edges<S: ElementPrecision>(
        &self,
        body: usize,
        stretch: f64,
        x: &[Point<S>],
        found: &mut Vec<TearCandidate>,
    ) {
        for (key, edge) in self.breakable_edges().iter().enumerate() {
            let ratio = edge_length(edge.ends, x) / edge.length;
            if edge.body as usize == body && ratio > stretch && ratio.is_finite() {
                found.push(TearCandidate { ratio, key: key as u32 });
            }
        }
    }

    /// Splits a vertex of each edge in turn, except near a vertex that was split in the same step.
    fn split_vertices<S: ElementPrecision>(
        &self,
        body: usize,
        most: usize,
        x: &[Point<S>],
        found: &[TearCandidate],
        tears: &mut Vec<Tear>,
    ) {
        let Some(sheet) = self.surface(body) else { return };
        let mut relieved: Vec<u32> = Vec::new();
        let mut done = 0;
        for candidate in found {
            let [a, b] = sheet.half_edge_vertices(candidate.key);
            if done == most {
                break;
            }
            if relieved.contains(&a) || relieved.contains(&b) {
                continue;
            }
            // Existing tears propagate: ends on the boundary come first.
            let mut ends = [[a, b], [b, a]];
            if sheet.is_boundary_vertex(b) && !sheet.is_boundary_vertex(a) {
                ends.swap(0, 1);
            }
            for [vertex, other] in ends {
                if !(x[vertex as usize][3] > S::default()) {
                    continue;
                }
                let before = tears.len();
                split_at_plane(sheet, body, vertex, other, x, tears);
                if tears.len() > before {
                    for &t in sheet.fan(vertex) {
                        relieved.extend(sheet.triangle(t as usize));
                    }
                    done += 1;
                    break;
                }
            }
        }
    }
}

/// Separates the triangles on the two sides of the plane through a vertex perpendicular to its edge to another.
fn split_at_plane<S: ElementPrecision>(
    sheet: &SurfaceTopology,
    body: usize,
    vertex: u32,
    other: u32,
    x: &[Point<S>],
    tears: &mut Vec<Tear>,
) {
    let at = |v: u32| point(&x[v as usize]);
    let (home, normal) = (at(vertex), at(other) - at(vertex));
    let above = |t: usize| {
        let middle = sheet.triangle(t).map(|v| at(v) - home);
        (middle[0] + middle[1] + middle[2]).dot(normal) > 0.0
    };
    for &t in sheet.fan(vertex) {
        let t = t as usize;
        if !above(t) {
            continue;
        }
        for side in 0..3 {
            let h = 3 * t as u32 + side;
            let across = sheet.half_edge_vertices(h).contains(&vertex)
                && sheet.twins(h).any(|n| !above(n as usize / 3));
            if across {
                tears.push(Tear::SplitEdge { body: body as u32, triangle: t as u32, side });
            }
        }
    }
}

fn edge_length<S: ElementPrecision>(ends: [u32; 2], x: &[Point<S>]) -> f64 {
    (point(&x[ends[0] as usize]) - point(&x[ends[1] as usize])).norm()
}

pub(crate) fn point<S: ElementPrecision>(p: &Point<S>) -> Vec3<f64> {
    Vec3::new(p[0].to_f64(), p[1].to_f64(), p[2].to_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tears_come_back_from_words() {
        let sever = Tear::SplitEdge { body: 3, triangle: u32::MAX >> 2, side: 2 };
        let gone = Tear::BreakEdge { body: u32::MAX, edge: [7, u32::MAX] };
        for tear in [sever, gone] {
            assert_eq!(Tear::from_words(tear.to_words()), Some(tear));
        }
        assert_eq!(Tear::from_words([2 << 32, 0]), None);
        assert_eq!(Tear::from_words([0, u64::MAX]), None);
    }
}
