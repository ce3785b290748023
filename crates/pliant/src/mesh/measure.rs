//! Lengths, areas, volumes, masses, and the Laplace–Beltrami operator.
//!
//! The discrete Laplace–Beltrami operator at a vertex `i` with the ring `j = 1…n` is
//!
//! ```text
//! (Δf)_i = 1/A_i Σ_j ½ (cot α_j + cot β_j) (f_j − f_i)
//! ```
//!
//! with `α_j`, `β_j` the angles opposite the edge `i–j` in its two triangles, and `A_i` the mixed
//! Voronoi area, which stays positive at obtuse triangles and adds up to the area of the mesh
//! (Meyer, Desbrun, Schröder, Barr: "Discrete differential-geometry operators for triangulated
//! 2-manifolds", 2003, eq. 8 and figure 4). Applied to the positions it gives twice the mean
//! curvature times the inward normal: `2/R` on a sphere of radius `R`.

use crate::math::Vec3;
use crate::mesh::topology::{half_edges, rings};
use crate::mesh::{TetMesh, TriMesh};

type Vector = Vec3<f64>;

/// The area \[m²\] of a triangle.
pub fn triangle_area(points: [[f64; 3]; 3]) -> f64 {
    0.5 * double_area_vector(points).norm()
}

/// The unit normal of a triangle, on the side from which its vertices run counter-clockwise; zero for a triangle of
/// zero area.
pub fn triangle_normal(points: [[f64; 3]; 3]) -> [f64; 3] {
    let n = double_area_vector(points);
    let length = n.norm();
    if length > 0.0 { n.lane(0).map(|x| x / length) } else { [0.0; 3] }
}

/// The signed volume \[m³\] of a tet: positive if its vertices are in right-handed order.
pub fn tet_volume(points: [[f64; 3]; 4]) -> f64 {
    let [a, b, c, d] = points.map(Vector::of);
    (b - a).dot((c - a).cross(d - a)) / 6.0
}

fn double_area_vector(points: [[f64; 3]; 3]) -> Vector {
    let [a, b, c] = points.map(Vector::of);
    (b - a).cross(c - a)
}

/// The largest distance \[m\] between any two of the points.
pub(super) fn longest_edge(points: &[[f64; 3]]) -> f64 {
    let mut longest = 0.0_f64;
    for (i, p) in points.iter().enumerate() {
        for q in &points[..i] {
            longest = longest.max(distance(*p, *q));
        }
    }
    longest
}

/// The distance \[m\] between two points.
pub fn distance(p: [f64; 3], q: [f64; 3]) -> f64 {
    (Vector::of(q) - Vector::of(p)).norm()
}

/// The area \[m²\] of each triangle.
pub fn triangle_areas(mesh: &TriMesh) -> Vec<f64> {
    (0..mesh.triangles.len()).map(|t| triangle_area(mesh.triangle_points(t))).collect()
}

/// The signed volume \[m³\] of each tet.
pub fn tet_volumes(mesh: &TetMesh) -> Vec<f64> {
    (0..mesh.tets.len()).map(|t| tet_volume(mesh.tet_points(t))).collect()
}

/// The length \[m\] of each edge.
pub fn edge_lengths(positions: &[[f64; 3]], edges: &[[u32; 2]]) -> Vec<f64> {
    edges.iter().map(|&[a, b]| distance(positions[a as usize], positions[b as usize])).collect()
}

/// The volume \[m³\] inside a closed surface that faces outwards.
pub fn enclosed_volume(mesh: &TriMesh) -> f64 {
    // Tets from one vertex of the mesh, not from the origin, keep full precision for a body far from the origin.
    let Some(&apex) = mesh.positions.first() else { return 0.0 };
    let tet = |t| {
        let [a, b, c] = mesh.triangle_points(t);
        tet_volume([apex, a, b, c])
    };
    (0..mesh.triangles.len()).map(tet).sum()
}

/// The mass \[kg\] of each vertex of a sheet: a third of each of its triangles.
///
/// `density` is per area \[kg/m²\].
pub fn triangle_masses(mesh: &TriMesh, density: f64) -> Vec<f64> {
    let mut masses = vec![0.0; mesh.positions.len()];
    for (t, vertices) in mesh.triangles.iter().enumerate() {
        let share = density * triangle_area(mesh.triangle_points(t)) / 3.0;
        vertices.iter().for_each(|&v| masses[v as usize] += share);
    }
    masses
}

/// The mass \[kg\] of each vertex of a solid: a quarter of each of its tets.
///
/// `density` is per volume \[kg/m³\].
pub fn tet_masses(mesh: &TetMesh, density: f64) -> Vec<f64> {
    let mut masses = vec![0.0; mesh.positions.len()];
    for (t, vertices) in mesh.tets.iter().enumerate() {
        let share = density * tet_volume(mesh.tet_points(t)) / 4.0;
        vertices.iter().for_each(|&v| masses[v as usize] += share);
    }
    masses
}

/// The cotangent of the angle at `at` in the triangle with `p` and `q`.
fn cotangent(at: [f64; 3], p: [f64; 3], q: [f64; 3]) -> f64 {
    let at = Vector::of(at);
    let (u, v) = (Vector::of(p) - at, Vector::of(q) - at);
    u.dot(v) / u.cross(v).norm()
}

/// The weight ½ (cot α + cot β) of each edge, in the order of [`edges`](crate::mesh::topology::edges):
/// α and β are the angles opposite the edge. An edge on the boundary has one of them.
pub fn cotangent_weights(mesh: &TriMesh) -> Vec<f64> {
    let point = |v: u32| mesh.positions[v as usize];
    let list = half_edges(&mesh.triangles);
    list.chunk_by(|a, b| a.edge == b.edge)
        .map(|group| {
            let [p, q] = group[0].edge.map(point);
            group.iter().map(|h| 0.5 * cotangent(point(h.opposite), p, q)).sum()
        })
        .collect()
}

/// The mixed Voronoi area \[m²\] of each vertex. Their sum is the area of the mesh.
pub fn voronoi_areas(mesh: &TriMesh) -> Vec<f64> {
    let mut areas = vec![0.0; mesh.positions.len()];
    for (t, vertices) in mesh.triangles.iter().enumerate() {
        let shares = voronoi_shares(mesh.triangle_points(t));
        for k in 0..3 {
            areas[vertices[k] as usize] += shares[k];
        }
    }
    areas
}

/// The share of a triangle's area that belongs to each of its corners.
fn voronoi_shares(p: [[f64; 3]; 3]) -> [f64; 3] {
    let cot: [f64; 3] = std::array::from_fn(|k| cotangent(p[k], p[(k + 1) % 3], p[(k + 2) % 3]));
    // The circumcentre of an obtuse triangle lies outside: the midpoint of the long side replaces it.
    if let Some(obtuse) = cot.iter().position(|&c| c < 0.0) {
        let quarter = triangle_area(p) / 4.0;
        return std::array::from_fn(|k| if k == obtuse { 2.0 * quarter } else { quarter });
    }
    let side = |k: usize| {
        let d = Vector::of(p[(k + 2) % 3]) - Vector::of(p[(k + 1) % 3]);
        d.norm_squared() * cot[k] / 8.0
    };
    let opposite = [side(0), side(1), side(2)];
    std::array::from_fn(|k| opposite[(k + 1) % 3] + opposite[(k + 2) % 3])
}

/// The Laplace–Beltrami operator at one vertex: `(Δf)_i ≈ Σ coefficients[k] f[vertices[k]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct LaplaceStencil {
    /// The vertex itself, then its ring in order.
    pub vertices: Vec<u32>,
    /// For each of them its coefficient \[1/m²\]; the first is minus the sum of the others.
    pub coefficients: Vec<f64>,
    /// The mixed Voronoi area \[m²\] of the vertex.
    pub area: f64,
}

impl LaplaceStencil {
    /// The operator applied to the positions `x`.
    pub fn apply(&self, x: &[[f64; 3]]) -> [f64; 3] {
        let mut sum = Vector::zero();
        for (&v, &c) in self.vertices.iter().zip(&self.coefficients) {
            sum += Vector::of(x[v as usize]).scale(c);
        }
        sum.lane(0)
    }
}

/// The Laplace–Beltrami stencil of each interior vertex, in the order of the vertices.
pub fn laplace_stencils(mesh: &TriMesh) -> Vec<LaplaceStencil> {
    let (rings, areas) = (rings(mesh), voronoi_areas(mesh));
    let interior = (0..mesh.positions.len()).filter(|&v| !rings.of(v).is_empty());
    interior.map(|v| laplace_stencil(mesh, v as u32, rings.of(v), areas[v])).collect()
}

fn laplace_stencil(mesh: &TriMesh, centre: u32, ring: &[u32], area: f64) -> LaplaceStencil {
    let point = |v: u32| mesh.positions[v as usize];
    let n = ring.len();
    let mut vertices = vec![centre];
    let mut coefficients = vec![0.0];
    for k in 0..n {
        let (before, here, after) = (ring[(k + n - 1) % n], ring[k], ring[(k + 1) % n]);
        let (p, q) = (point(centre), point(here));
        let weight = 0.5 * (cotangent(point(before), p, q) + cotangent(point(after), p, q));
        vertices.push(here);
        coefficients.push(weight / area);
    }
    coefficients[0] = -coefficients.iter().sum::<f64>();
    LaplaceStencil { vertices, coefficients, area }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::topology::edges;
    use crate::mesh::{Grid, Icosphere, Pattern, TetBlock};

    fn irregular() -> TriMesh {
        Grid::new(12, 9).size(1.3).pattern(Pattern::Irregular { seed: 5 }).build().unwrap()
    }

    fn close(a: f64, b: f64, bound: f64) {
        assert!((a - b).abs() <= bound, "{a} against {b}");
    }

    #[test]
    fn measures_of_simple_cells() {
        let right = [[0.0; 3], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        assert_eq!(triangle_area(right), 6.0);
        assert_eq!(triangle_normal(right), [0.0, 0.0, 1.0]);
        let [a, b, c] = right;
        assert_eq!(tet_volume([a, b, c, [7.0, 7.0, 2.0]]), 4.0);
        assert_eq!(tet_volume([a, c, b, [7.0, 7.0, 2.0]]), -4.0);
        assert_eq!(edge_lengths(&right, &[[1, 2], [0, 1]]), [5.0, 3.0]);
        assert_eq!(longest_edge(&right), 5.0);
    }

    #[test]
    fn masses_add_up() {
        let sheet = irregular();
        let total: f64 = triangle_masses(&sheet, 0.2).iter().sum();
        close(total, 0.2 * 1.3 * (1.3 * 8.0 / 11.0), 1e-14);
        let block = TetBlock::new(3, 3, 3).size([1.0, 2.0, 3.0]).build().unwrap();
        close(tet_masses(&block, 1000.0).iter().sum(), 6000.0, 1e-9);
    }

    #[test]
    fn cotangent_weights_of_a_square() {
        let mesh = Grid::square(2).build().unwrap();
        // Diagonal: two right angles. Sides: one angle of 45° each.
        for (edge, weight) in edges(&mesh).iter().zip(cotangent_weights(&mesh)) {
            close(weight, if *edge == [0, 3] { 0.0 } else { 0.5 }, 1e-15);
        }
    }

    #[test]
    fn voronoi_areas_sum_to_the_area_of_the_mesh() {
        for mesh in [irregular(), Icosphere::new(2).build().unwrap()] {
            let area: f64 = triangle_areas(&mesh).iter().sum();
            close(voronoi_areas(&mesh).iter().sum(), area, 4e-13); // measured 4e-14
            assert!(voronoi_areas(&mesh).iter().all(|&a| a > 0.0));
        }
        // An obtuse triangle: half of its area belongs to the obtuse corner, a quarter to each of the others.
        let shares = voronoi_shares([[0.0; 3], [1.0, 0.0, 0.0], [-3.0, 1.0, 0.0]]);
        assert_eq!(shares, [0.25, 0.125, 0.125]);
    }

    #[test]
    fn the_laplacian_of_a_linear_function_is_zero() {
        let mesh = irregular();
        let stencils = laplace_stencils(&mesh);
        assert_eq!(stencils.len(), 10 * 7);
        for stencil in stencils {
            assert_eq!(stencil.vertices.len(), stencil.coefficients.len());
            // The Laplacian of the positions, which are linear functions, is zero; measured 9e-14 1/m.
            assert!(stencil.apply(&mesh.positions).iter().all(|x| x.abs() < 1e-12));
            close(stencil.apply(&vec![[1.0; 3]; mesh.positions.len()])[0], 0.0, 1e-12);
        }
    }

    #[test]
    fn the_laplacian_of_a_regular_grid_is_the_five_point_stencil() {
        let mesh = Grid::square(3).size(2.0).build().unwrap();
        let [stencil] = &laplace_stencils(&mesh)[..] else { panic!("one interior vertex") };
        for (&v, &c) in stencil.vertices.iter().zip(&stencil.coefficients) {
            let expected = match v {
                4 => -4.0,
                1 | 3 | 5 | 7 => 1.0,
                _ => 0.0, // the two ends of diagonals
            };
            close(c, expected, 1e-14);
        }
    }

    #[test]
    fn the_laplacian_of_a_sphere_is_twice_its_mean_curvature() {
        let radius = 0.7;
        let mesh = Icosphere::new(3).radius(radius).build().unwrap();
        let stencils = laplace_stencils(&mesh);
        assert_eq!(stencils.len(), mesh.positions.len());
        for stencil in stencils {
            let curvature = Vector::of(stencil.apply(&mesh.positions));
            let inward = -Vector::of(mesh.positions[stencil.vertices[0] as usize]);
            close(curvature.norm() * radius / 2.0, 1.0, 4e-4); // measured 3.5e-5
            assert!(curvature.dot(inward) > 0.0);
        }
    }

    #[test]
    fn enclosed_volume_does_not_depend_on_the_place() {
        let near = enclosed_volume(&Icosphere::new(2).build().unwrap());
        let far = enclosed_volume(&Icosphere::new(2).at([1e4, -2e4, 3e4]).build().unwrap());
        close(near, far, 1e-11); // measured 5e-13
        assert_eq!(enclosed_volume(&TriMesh::default()), 0.0);
    }
}
