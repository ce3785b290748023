//! Common error measures and hashes, computed from positions alone.
//!
//! Local/global runs are measured by the objective of the implicit Euler step, `g(x) = ½ ‖x − y‖²_M + h² Σ w/2
//! ‖element − projection‖²`, through equation (15) of "Fast Simulation of Mass-Spring Systems": `(g(xᵢ) −
//! g(x*)) / (g(x₀) − g(x*))`. Projections are measured by the root mean square of their constraints: relative
//! stretch, dihedral angle \[rad\], entries of the strain `FᵀF − I`.

use crate::geometry::{Point, cross, det, dot, edges_of, inverse_rows, sub};
use crate::workload::{Kind, Workload};
use pliant::math::Fnv1a;

/// Objective of the implicit Euler step [kg m²].
pub fn objective(workload: &Workload, x: &[Point]) -> f64 {
    let mut inertia = 0.0;
    for ((x, y), &w) in x.iter().zip(&workload.start).zip(&workload.inv_mass) {
        if w > 0.0 {
            let d = sub(*x, *y);
            inertia += dot(d, d) / w;
        }
    }
    let elastic: f64 = if workload.kind == Kind::Springs {
        let stretch = |&e: &[u32; 2]| {
            let d = length(x, e) - length(&workload.rest, e);
            workload.stiffness * d * d
        };
        workload.edges.iter().map(stretch).sum()
    } else {
        let strain = |&tet: &[u32; 4]| {
            let rest = edges_of(&workload.rest, tet);
            let f = gradient(edges_of(x, tet), inverse_rows(rest));
            let r = rotation(f);
            let distance: f64 = (0..3).map(|c| dot(sub(f[c], r[c]), sub(f[c], r[c]))).sum();
            workload.stiffness * det(rest) / 6.0 * distance
        };
        workload.tets.iter().map(strain).sum()
    };
    0.5 * inertia + 0.5 * workload.h * workload.h * elastic
}

/// Root mean square of the constraints.
pub fn residual(workload: &Workload, x: &[Point]) -> f64 {
    let mut squares = Squares::default();
    let cells = matches!(workload.kind, Kind::StrainTriangles | Kind::StrainTets | Kind::StepBlock);
    if !cells {
        for &edge in &workload.edges {
            squares.add(length(x, edge) / length(&workload.rest, edge) - 1.0);
        }
        for &d in &workload.dihedrals {
            squares.add(angle(x, d) - angle(&workload.rest, d));
        }
        return squares.root_mean();
    }
    if workload.kind == Kind::StrainTriangles {
        for &triangle in &workload.triangles {
            squares.add_strain(&triangle_gradient(workload, x, triangle));
        }
        return squares.root_mean();
    }
    for &tet in &workload.tets {
        let inverse = inverse_rows(edges_of(&workload.rest, tet));
        squares.add_strain(&gradient(edges_of(x, tet), inverse));
    }
    squares.root_mean()
}

/// FNV-1a hash of the exact bits of the positions.
pub fn hash(x: &[Point]) -> u64 {
    let mut hash = Fnv1a::default();
    x.iter().flatten().for_each(|c| hash.word(c.to_bits()));
    hash.value()
}

/// Deformation gradient as columns: current edges times the inverse of the rest edges.
pub fn gradient(edges: [Point; 3], inverse: [Point; 3]) -> [Point; 3] {
    let entry = |r: usize, c: usize| (0..3).map(|k| edges[k][r] * inverse[k][c]).sum();
    std::array::from_fn(|c| std::array::from_fn(|r| entry(r, c)))
}

/// Nearest rotation to the matrix with these columns, always proper: the two largest singular directions are
/// kept and the third completes them right-handed, inverted or not.
pub fn rotation(f: [Point; 3]) -> [Point; 3] {
    let gram = std::array::from_fn(|r| std::array::from_fn(|c| dot(f[r], f[c])));
    let [v0, v1] = largest_eigenvectors(gram);
    let v2 = cross(v0, v1);
    let times =
        |v: Point| std::array::from_fn(|r| f[0][r] * v[0] + f[1][r] * v[1] + f[2][r] * v[2]);
    let u0 = unit(times(v0));
    let image: Point = times(v1);
    let along = dot(image, u0);
    let u1 = unit(std::array::from_fn(|a| image[a] - along * u0[a]));
    let u2 = cross(u0, u1);
    std::array::from_fn(|c| std::array::from_fn(|r| u0[r] * v0[c] + u1[r] * v1[c] + u2[r] * v2[c]))
}

/// Eigenvectors of the two largest eigenvalues of a symmetric matrix, by Jacobi rotations.
fn largest_eigenvectors(mut s: [Point; 3]) -> [Point; 2] {
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for sweep in 0..30 {
        let (p, q) = [(0, 1), (0, 2), (1, 2)][sweep % 3];
        if s[p][q].abs() <= 1e-300 {
            continue;
        }
        let theta = (s[q][q] - s[p][p]) / (2.0 * s[p][q]);
        let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let c = 1.0 / (t * t + 1.0).sqrt();
        let sine = t * c;
        for k in 0..3 {
            (s[k][p], s[k][q]) = (c * s[k][p] - sine * s[k][q], sine * s[k][p] + c * s[k][q]);
        }
        for k in 0..3 {
            (s[p][k], s[q][k]) = (c * s[p][k] - sine * s[q][k], sine * s[p][k] + c * s[q][k]);
        }
        let (a, b) = (v[p], v[q]);
        for k in 0..3 {
            (v[p][k], v[q][k]) = (c * a[k] - sine * b[k], sine * a[k] + c * b[k]);
        }
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| s[b][b].total_cmp(&s[a][a]));
    [v[order[0]], v[order[1]]]
}

fn unit(v: Point) -> Point {
    let inv = 1.0 / dot(v, v).sqrt();
    v.map(|c| c * inv)
}

/// Length of an edge \[m\].
pub fn length(x: &[Point], [a, b]: [u32; 2]) -> f64 {
    let d = sub(x[a as usize], x[b as usize]);
    dot(d, d).sqrt()
}

/// Angle between the two triangles at an edge \[rad\].
fn angle(x: &[Point], dihedral: [u32; 4]) -> f64 {
    let [a, b, c, d] = dihedral.map(|i| x[i as usize]);
    let n1 = unit(cross(sub(a, c), sub(b, c)));
    let n2 = unit(cross(sub(b, d), sub(a, d)));
    let sine = cross(n1, n2);
    libm::atan2(dot(sine, sine).sqrt(), dot(n1, n2))
}

/// Columns of a triangle's 3 × 2 deformation gradient; the rest sheet lies in x–z.
fn triangle_gradient(workload: &Workload, x: &[Point], triangle: [u32; 3]) -> [Point; 2] {
    let [a, b, c] = triangle.map(|i| workload.rest[i as usize]);
    let (e, f) = (sub(b, a), sub(c, a));
    let inv = 1.0 / (e[0] * f[2] - e[2] * f[0]);
    let inverse = [[f[2] * inv, -f[0] * inv], [-e[2] * inv, e[0] * inv]];
    let [a, b, c] = triangle.map(|i| x[i as usize]);
    let (e, f) = (sub(b, a), sub(c, a));
    std::array::from_fn(|k| std::array::from_fn(|r| e[r] * inverse[0][k] + f[r] * inverse[1][k]))
}

/// Sum of squares and number of terms.
#[derive(Default)]
struct Squares {
    sum: f64,
    count: usize,
}

impl Squares {
    fn add(&mut self, value: f64) {
        self.sum += value * value;
        self.count += 1;
    }

    /// Adds the entries of `FᵀF − I` on and above the diagonal.
    fn add_strain(&mut self, columns: &[Point]) {
        for (i, &a) in columns.iter().enumerate() {
            for (j, &b) in columns.iter().enumerate().skip(i) {
                self.add(dot(a, b) - if i == j { 1.0 } else { 0.0 });
            }
        }
    }

    fn root_mean(&self) -> f64 {
        (self.sum / self.count.max(1) as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_rotation_is_proper_even_if_inverted() {
        let inverted = [[0.9, 0.2, 0.0], [-0.1, 1.2, 0.1], [0.3, 0.1, -0.4]];
        assert!(det(inverted) < 0.0);
        let r = rotation(inverted);
        assert!((det(r) - 1.0).abs() < 1e-12);
        for i in 0..3 {
            for j in 0..3 {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((dot(r[i], r[j]) - expected).abs() < 1e-12);
            }
        }
        // The nearest rotation to a rotation is itself.
        let again = rotation(r);
        assert!((0..3).all(|c| (0..3).all(|k| (again[c][k] - r[c][k]).abs() < 1e-12)));
    }

    #[test]
    fn a_mesh_at_rest_has_no_residual() {
        for name in ["W2-dihedral", "W4-tri", "W4-tet"] {
            let workload = Workload::named(name).expect("listed");
            assert!(residual(&workload, &workload.rest) < 1e-12, "{name}");
            assert!(residual(&workload, &workload.start) > 1e-2, "{name} starts deformed");
        }
    }
}
