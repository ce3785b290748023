//! One coarsening step: selection of coarse vertices, interpolation weights and coarse edges.
//!
//! Vertices are visited in order. A vertex is dropped if it has at least two neighbours that stay and
//! no vertex dropped earlier would be left with fewer than two. Dropped vertices are interpolated from
//! their neighbours that stay, weighted by the inverse of the distance, `x_i += Σ w_ij Δx_j`. With that
//! interpolation `P`, the springs of the coarse level are those of `PᵀLP`, where
//! `L = Σ s_ab (e_a − e_b)(e_a − e_b)ᵀ` holds the springs of the fine level.
//!
//! The length of a coarse edge is the path length along fine edges, so that curved shells can unbend.
//! In bodies that are flat at rest it is the straight distance, which is the same apart from detours.

use crate::solvers::hierarchical::graph::{Edge, LevelGraph, distance, merge};

/// Minimum number of parents of a dropped vertex.
const MIN_PARENTS: usize = 2;
/// Maximum ratio of the vertex counts of a level and the finer level below it.
const MAX_LEVEL_RATIO: f64 = 0.8;
/// Springs weaker than this fraction of the strongest one at both of their ends are dropped.
const WEAK_SPRING_RATIO: f64 = 0.05;

/// Coarse vertex from which a fine vertex is interpolated.
#[derive(Clone, Copy, Debug)]
pub struct Parent {
    /// Index of the coarse vertex.
    pub vertex: u32,
    /// Interpolation weight of its correction.
    pub weight: f64,
    /// Rest distance along the fine edge \[m\].
    pub length: f64,
}

/// A coarse level and its interpolation to the finer level.
#[derive(Clone, Debug)]
pub struct CoarseLevel {
    /// The coarse level.
    pub graph: LevelGraph,
    /// Parents of each fine vertex, with weights that sum to one. A vertex that stays has itself as its
    /// only parent.
    pub parents: Vec<Vec<Parent>>,
}

impl CoarseLevel {
    /// Coarsens a level. Returns `None` if it cannot be reduced enough.
    pub fn of(fine: &LevelGraph) -> Option<Self> {
        let neighbours = fine.neighbours();
        let stays = choose_coarse_vertices(fine, &neighbours);
        let mut number = vec![u32::MAX; fine.len()];
        let kept: Vec<usize> = (0..fine.len()).filter(|&v| stays[v]).collect();
        kept.iter().enumerate().for_each(|(i, &v)| number[v] = i as u32);
        if kept.len() as f64 > MAX_LEVEL_RATIO * fine.len() as f64 {
            return None;
        }
        let parents: Vec<Vec<Parent>> = (0..fine.len())
            .map(|v| match stays[v] {
                true => vec![Parent { vertex: number[v], weight: 1.0, length: 0.0 }],
                false => interpolation_parents(fine, &neighbours[v], &number),
            })
            .collect();
        let mut mass = vec![0.0; kept.len()];
        for (list, m) in parents.iter().zip(&fine.mass) {
            list.iter().for_each(|p| mass[p.vertex as usize] += p.weight * m);
        }
        let inverse = |(&v, m): (&usize, &f64)| if fine.inv_mass[v] == 0.0 { 0.0 } else { 1.0 / m };
        let graph = LevelGraph {
            vertices: kept.iter().map(|&v| fine.vertices[v]).collect(),
            positions: kept.iter().map(|&v| fine.positions[v]).collect(),
            inv_mass: kept.iter().zip(&mass).map(inverse).collect(),
            mass,
            flat: kept.iter().map(|&v| fine.flat[v]).collect(),
            edges: Vec::new(),
        };
        let edges = coarse_edges(fine, &graph, &parents);
        Some(Self { graph: LevelGraph { edges, ..graph }, parents })
    }
}

/// Selects the vertices that stay. Pinned vertices and those without enough springs always stay.
fn choose_coarse_vertices(fine: &LevelGraph, neighbours: &[Vec<(u32, u32)>]) -> Vec<bool> {
    let linked = |list: &[(u32, u32)]| -> Vec<u32> {
        list.iter().filter(|n| fine.edges[n.1 as usize].spring > 0.0).map(|n| n.0).collect()
    };
    let mut stays = vec![true; fine.len()];
    // Number of neighbours of each vertex that stay.
    let mut count: Vec<usize> = neighbours.iter().map(|list| linked(list).len()).collect();
    for v in 0..fine.len() {
        if fine.inv_mass[v] == 0.0 || count[v] < MIN_PARENTS {
            continue;
        }
        let own = linked(&neighbours[v]);
        if own.iter().all(|&u| stays[u as usize] || count[u as usize] > MIN_PARENTS) {
            stays[v] = false;
            own.iter().for_each(|&u| count[u as usize] -= 1);
        }
    }
    stays
}

/// Returns the neighbours that stay, weighted by the inverse of their distance.
fn interpolation_parents(
    fine: &LevelGraph,
    neighbours: &[(u32, u32)],
    number: &[u32],
) -> Vec<Parent> {
    let mut list: Vec<Parent> = neighbours
        .iter()
        .map(|&(u, e)| (number[u as usize], &fine.edges[e as usize]))
        .filter(|(vertex, edge)| *vertex != u32::MAX && edge.spring > 0.0)
        .map(|(vertex, edge)| {
            let length = edge.length.max(1e-12);
            Parent { vertex, weight: 1.0 / length, length }
        })
        .collect();
    let sum: f64 = list.iter().map(|p| p.weight).sum();
    list.iter_mut().for_each(|p| p.weight /= sum);
    list
}

/// Returns the edges of the coarse level with their springs and lengths.
fn coarse_edges(fine: &LevelGraph, coarse: &LevelGraph, parents: &[Vec<Parent>]) -> Vec<Edge> {
    let mut list = Vec::new();
    // Parents of both ends of a fine edge: vertex, weight in (e_a − e_b), distances to the two ends.
    let mut both: Vec<(u32, f64, [f64; 2])> = Vec::new();
    for edge in &fine.edges {
        both.clear();
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            for p in &parents[edge.ends[side] as usize] {
                let far = [p.length + edge.length; 2];
                match both.iter_mut().find(|known| known.0 == p.vertex) {
                    Some(known) => {
                        known.1 += sign * p.weight;
                        known.2[side] = p.length;
                    }
                    None => {
                        both.push((p.vertex, sign * p.weight, far));
                        if let Some(known) = both.last_mut() {
                            known.2[side] = p.length;
                        }
                    }
                }
            }
        }
        for (i, &(j, part_j, far_j)) in both.iter().enumerate() {
            for &(k, part_k, far_k) in &both[..i] {
                let length = match coarse.flat[j as usize] {
                    true => distance(coarse.positions[j as usize], coarse.positions[k as usize]),
                    false => (far_j[0] + far_k[0]).min(far_j[1] + far_k[1]),
                };
                let ends = [j.min(k), j.max(k)];
                list.push(Edge { ends, spring: -edge.spring * part_j * part_k, length });
            }
        }
    }
    let mut edges = merge(list);
    let mut strongest = vec![0.0_f64; coarse.len()];
    for edge in &edges {
        for v in edge.ends {
            strongest[v as usize] = strongest[v as usize].max(edge.spring);
        }
    }
    edges.retain(|e| {
        let least = strongest[e.ends[0] as usize].min(strongest[e.ends[1] as usize]);
        e.spring > 0.0 && e.spring >= WEAK_SPRING_RATIO * least
    });
    edges
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square net of `n` × `n` vertices with unit springs and diagonals of one half; the first is
    /// pinned.
    fn net(n: u32) -> LevelGraph {
        let at = |i: u32, j: u32| i * n + j;
        let mut edges = Vec::new();
        for i in 0..n {
            for j in 0..n {
                let diagonal = 2.0_f64.sqrt();
                for (a, b, spring, length) in
                    [(i, j + 1, 1.0, 1.0), (i + 1, j, 1.0, 1.0), (i + 1, j + 1, 0.5, diagonal)]
                {
                    if a < n && b < n {
                        edges.push(Edge { ends: [at(i, j), at(a, b)], spring, length });
                    }
                }
            }
        }
        let count = (n * n) as usize;
        let mut inv_mass = vec![1.0; count];
        inv_mass[0] = 0.0;
        LevelGraph {
            vertices: (0..n * n).collect(),
            positions: (0..n * n).map(|v| [(v % n) as f64, (v / n) as f64, 0.0]).collect(),
            mass: vec![1.0; count],
            inv_mass,
            flat: vec![true; count],
            edges: merge(edges),
        }
    }

    #[test]
    fn levels_shrink_keep_the_mass_and_reach_every_vertex() {
        let mut graph = net(40);
        let (mut links, finest) = (0, graph.edges.len());
        let mut levels = 0;
        while let Some(coarse) = CoarseLevel::of(&graph) {
            let own = &coarse.graph;
            for (v, list) in coarse.parents.iter().enumerate() {
                let sum: f64 = list.iter().map(|p| p.weight).sum();
                assert!((sum - 1.0).abs() < 1e-12, "weights of {v} sum to {sum}");
                assert!(list.len() >= MIN_PARENTS || own.vertices.contains(&graph.vertices[v]));
            }
            let mass: f64 = own.mass.iter().sum();
            assert!((mass - 1600.0).abs() < 1e-9, "{mass}");
            assert_eq!((own.vertices[0], own.inv_mass[0]), (0, 0.0), "pinned vertices stay");
            for e in &own.edges {
                assert!(e.ends[0] < e.ends[1] && e.spring > 0.0 && e.length > 0.0, "{e:?}");
            }
            println!("{} of {}, {} links", own.len(), graph.len(), own.edges.len());
            links += own.edges.len();
            levels += 1;
            graph = coarse.graph;
        }
        assert!(levels >= 3 && graph.len() < 60, "{levels} levels, {} vertices", graph.len());
        // A cycle over all coarse levels costs no more than one sweep over the finest level.
        assert!(links < finest, "{links} links over {finest} springs");
    }

    #[test]
    fn a_chain_halves_and_its_springs_act_in_series() {
        let n = 9;
        let edges = (0..n - 1).map(|i| Edge { ends: [i, i + 1], spring: 3.0, length: 0.5 });
        let chain = LevelGraph {
            vertices: (0..n).collect(),
            positions: (0..n).map(|v| [0.5 * f64::from(v), 0.0, 0.0]).collect(),
            mass: vec![1.0; n as usize],
            inv_mass: vec![1.0; n as usize],
            flat: vec![false; n as usize],
            edges: edges.collect(),
        };
        let coarse = CoarseLevel::of(&chain).unwrap();
        assert_eq!(coarse.graph.vertices, [0, 2, 4, 6, 8]);
        for e in &coarse.graph.edges {
            assert!((e.length - 1.0).abs() < 1e-12 && (e.spring - 1.5).abs() < 1e-12, "{e:?}");
        }
        assert_eq!(coarse.graph.mass, [1.5, 2.0, 2.0, 2.0, 1.5]);
    }
}
