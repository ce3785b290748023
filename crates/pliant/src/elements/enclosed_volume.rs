//! The volume that a closed surface of triangles encloses, Position Based Dynamics eqs. (14) and (15):
//! `C = V/V₀ − k`, with `V` the signed volume, `V₀` that at rest and `k` a factor that may change over
//! time.
//!
//! ```text
//! V = 1/6 Σ (p₁ × p₂)·p₃        ∇_i V = 1/6 Σ (p₂ − p₁) × (p₃ − p₁)    over the triangles at i
//! ```
//!
//! Eq. (14) is printed without the factor 1/6. Around a vertex of a closed surface the gradient of eq. (15) is a third
//! of the vector area of its triangles, as written here: every triangle pushes its three vertices equally along its
//! normal, so the gradients sum to zero at any position of the surface.
//!
//! Its second derivative is sparse: `V` is linear in each vertex, and two vertices interact only along an edge,
//! `∇²_ij V = [p_k − p_l]×/6` with `k` and `l` opposite to it. The dense part of the Hessian of `w/2 C²` is `w ∇C ∇Cᵀ`,
//! which couples all vertices; solvers receive it as a vector
//! ([`EnergyBatch::rank_one_term`](crate::batch::EnergyBatch::rank_one_term)).
//!
//! Its weight is an energy per squared relative volume \[J\]: a bulk stiffness times the rest volume.

use crate::Error;
use crate::batch::Clusters;
use crate::elements::ElementInfo;
use crate::elements::inflation::Inflation;
use crate::math::Vec3;
use crate::mesh::Stencil;
use crate::mesh::{TriMesh, measure};

/// A closed surface with a volume inside.
#[derive(Clone, Debug)]
pub struct EnclosedVolume {
    /// Triangles, by indices in the list of the element's vertices.
    triangles: Vec<[u32; 3]>,
    /// Volume at rest \[m³\].
    volume: f64,
    factor: Inflation,
}

/// Smallest volume relative to the cube of the surface's size; below it the volume counts as zero.
const MIN_RELATIVE_VOLUME: f64 = 1e-12;
/// The least volume \[m³\]: a hundredth of a millimetre cubed. A start of ordinary size would be a strain of a
/// millionfold, which leaves no significant digits.
const MIN_VOLUME: f64 = 1e-15;

impl EnclosedVolume {
    /// Makes the element of a surface with these rest positions \[m\]; triangles index that list. The surface must be
    /// closed and face outwards.
    pub fn new(
        rest: &[[f64; 3]],
        triangles: Vec<[u32; 3]>,
        factor: Inflation,
    ) -> Result<Self, Error> {
        const NAME: &str = "enclosed volume";
        let points = rest.len();
        if let Some(&vertex) = triangles.iter().flatten().find(|&&v| v as usize >= points) {
            return Err(Error::ElementIndex { name: NAME, element: 0, vertex, points });
        }
        if let Some(edge) = open_edge(&triangles) {
            return Err(Error::OpenSurface { name: NAME.to_owned(), edge });
        }
        let mesh = TriMesh { positions: rest.to_vec(), triangles, ..TriMesh::default() };
        let volume = measure::enclosed_volume(&mesh);
        let reach = |p: &[f64; 3]| measure::distance(*p, rest[0]);
        let size = rest.iter().map(reach).fold(0.0, f64::max);
        let least = f64::max(MIN_RELATIVE_VOLUME * size * size * size, MIN_VOLUME);
        if !(volume > least && volume.is_finite()) {
            return Err(Error::DegenerateRest { name: NAME, measure: volume });
        }
        Ok(Self { triangles: mesh.triangles, volume, factor })
    }

    /// The volume at rest \[m³\].
    pub fn volume(&self) -> f64 {
        self.volume
    }

    /// The factor `k` at `time` \[s\].
    pub fn factor(&self, time: f64) -> f64 {
        self.factor.at(time)
    }

    /// Memory held, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        12 * self.triangles.len()
    }

    /// True if all indices fit that number of vertices.
    pub(crate) fn is_valid(&self, vertices: usize) -> bool {
        self.triangles.iter().flatten().all(|&v| (v as usize) < vertices) && self.factor.is_valid()
    }

    /// Returns `V/V₀` at `x` and writes its gradient.
    pub fn evaluate(&self, x: &[Vec3<f64>], gradient: &mut [Vec3<f64>]) -> f64 {
        gradient.fill(Vec3::zero());
        let Some(&home) = x.first() else { return 0.0 };
        let sixth = 1.0 / (6.0 * self.volume);
        let mut sum = 0.0;
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| v as usize);
            let normal = (x[b] - x[a]).cross(x[c] - x[a]);
            // Relative to a vertex of the surface, so that a position far from the origin loses no precision.
            sum += (x[a] - home).dot(normal);
            for v in [a, b, c] {
                gradient[v] += normal;
            }
        }
        gradient.iter_mut().for_each(|g| *g = g.scale(sixth));
        sixth * sum
    }

    /// Computes the second derivative of `V/V₀` at `x`: calls `add(i, j, a)`, where the block of rows `i` and columns
    /// `j` is the matrix of `v ↦ a × v`. Each edge comes twice, once from each side, in an order that does not depend
    /// on `x`; the transposed blocks are not given.
    pub(crate) fn curvature(&self, x: &[Vec3<f64>], add: &mut dyn FnMut(usize, usize, Vec3<f64>)) {
        let Some(&home) = x.first() else { return };
        let sixth = 1.0 / (6.0 * self.volume);
        for t in &self.triangles {
            let [a, b, c] = t.map(|v| v as usize);
            for (i, j, k) in [(a, b, c), (b, c, a), (c, a, b)] {
                add(i, j, (home - x[k]).scale(sixth));
            }
        }
    }
}

/// Returns an edge that does not occur equally often in both directions, if there is one.
fn open_edge(triangles: &[[u32; 3]]) -> Option<[u32; 2]> {
    let sides = |t: &[u32; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(sides).collect();
    edges.sort_unstable();
    let count = |edge: [u32; 2]| {
        edges.partition_point(|e| *e <= edge) - edges.partition_point(|e| *e < edge)
    };
    edges.iter().copied().find(|&[a, b]| count([a, b]) != count([b, a]))
}

/// The surface of an octahedron on six points, oriented so that its volume is positive.
fn octahedron(x: &[[f64; 3]]) -> Result<EnclosedVolume, Error> {
    let (poles, equator) = ([0, 3], [1, 5, 4, 2]);
    let side = |i: usize| {
        let (a, b) = (equator[i], equator[(i + 1) % 4]);
        [[a, b, poles[0]], [b, a, poles[1]]]
    };
    let triangles: Vec<[u32; 3]> = (0..4).flat_map(side).collect();
    let flipped = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    EnclosedVolume::new(x, triangles, Inflation::Constant(1.0))
        .or_else(|_| EnclosedVolume::new(x, flipped, Inflation::Constant(1.0)))
}

/// Registration.
pub(crate) const INFO: ElementInfo = ElementInfo {
    name: "enclosed_volume",
    summary: "volume enclosed by a closed surface: pressure",
    points: 6,
    stencil: Stencil::Custom,
    sample: |vertices, rest, weight| {
        let mut set = Clusters::new();
        for (v, x) in vertices.chunks_exact(6).zip(rest.chunks_exact(6)) {
            set.push(v.to_vec(), weight, octahedron(x)?);
        }
        Ok(Box::new(set))
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Icosphere;

    #[test]
    fn the_gradient_is_that_of_differences_and_sums_to_nothing() {
        let mesh = Icosphere::new(1).at([3.0, -2.0, 1.0]).build().unwrap();
        let element =
            EnclosedVolume::new(&mesh.positions, mesh.triangles.clone(), 1.0.into()).unwrap();
        let wobble = |i: usize| 0.1 * ((i * 7919 % 97) as f64 / 97.0 - 0.5);
        let mut x: Vec<Vec3<f64>> = mesh.positions.iter().map(|p| Vec3::of(*p)).collect();
        for (i, x) in x.iter_mut().enumerate() {
            *x += Vec3::new(wobble(3 * i), wobble(3 * i + 1), wobble(3 * i + 2));
        }
        let mut g = vec![Vec3::zero(); x.len()];
        let mut scratch = g.clone();
        element.evaluate(&x, &mut g);
        let (mut worst, mut sum, mut turn) = (0.0_f64, Vec3::zero(), Vec3::zero());
        for v in 0..x.len() {
            sum += g[v];
            turn += x[v].cross(g[v]);
            for axis in [[1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0], [0.0, 0.0, 1e-3]].map(Vec3::of) {
                let home = x[v];
                x[v] = home + axis;
                let more = element.evaluate(&x, &mut scratch);
                x[v] = home - axis;
                let less = element.evaluate(&x, &mut scratch);
                x[v] = home;
                worst = worst.max(((more - less) / 2e-3 - g[v].dot(axis) * 1e3).abs());
            }
        }
        println!("{worst:.1e} {:.1e} {:.1e}", sum.norm(), turn.norm());
        assert!(worst < 3e-12, "{worst:e}"); // measured 2.3e-13
        assert!(sum.norm() < 1e-15 && turn.norm() < 5e-15); // measured 9e-17 and 4.5e-16
    }

    #[test]
    fn an_open_surface_is_refused_by_its_edge() {
        let mut mesh = Icosphere::new(0).build().unwrap();
        let [a, b, _] = mesh.triangles.pop().unwrap();
        let refused = EnclosedVolume::new(&mesh.positions, mesh.triangles, 1.0.into());
        let Err(Error::OpenSurface { edge, .. }) = refused else { panic!("{refused:?}") };
        assert!(edge.contains(&a) || edge.contains(&b), "{edge:?}");
    }
}
