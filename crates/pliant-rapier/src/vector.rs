//! Small linear algebra for momenta, in double precision.

pub use pliant::math::point::{add, cross, dot, norm, scale, sub};

/// A point or a vector.
pub type V = [f64; 3];

/// Solves `I x = l` for a symmetric matrix given by its columns; zero if it is singular.
pub fn solve(columns: [V; 3], l: V) -> V {
    let [a, b, c] = columns;
    let det = dot(a, cross(b, c));
    if !(det.abs() > 0.0) {
        return [0.0; 3];
    }
    [dot(l, cross(b, c)) / det, dot(a, cross(l, c)) / det, dot(a, cross(b, l)) / det]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solve_undoes_the_matrix() {
        let columns = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 5.0]];
        let x = [1.0, -2.0, 0.7];
        let l = (0..3).fold([0.0; 3], |l, k| add(l, scale(columns[k], x[k])));
        let found = solve(columns, l);
        assert!(norm(sub(found, x)) < 1e-14, "{found:?}");
        assert_eq!(solve([[0.0; 3]; 3], l), [0.0; 3]);
    }
}
