//! Eigenvalues of small dense symmetric matrices, and the projection of element Hessians to positive
//! semi-definite matrices (Teran et al., Robust Quasistatic Finite Elements, 2005).
//!
//! Cyclic Jacobi in double precision (Golub and Van Loan, Matrix Computations, 2013, §8.5). A linear
//! algebra library would serve as well; these sixty lines avoid the dependency, and the order of their
//! operations, hence every bit of the result, does not change with its versions.

/// Size of the largest matrix that needs no scratch from the caller: the Hessian of a rod's joint.
pub const MAX_SIZE: usize = 15;

const MAX_ENTRIES: usize = MAX_SIZE * MAX_SIZE;

/// Maximum number of sweeps; random 12×12 matrices take seven or eight.
const MAX_SWEEPS: usize = 20;

/// Diagonalises the symmetric n×n matrix `a`: its diagonal becomes the eigenvalues, unsorted, and row k
/// of `v` the unit eigenvector of the k-th.
///
/// # Panics
/// If a slice is not n² long.
pub fn eigen_symmetric(a: &mut [f64], v: &mut [f64], n: usize) {
    assert!(a.len() == n * n && v.len() == n * n);
    v.fill(0.0);
    for k in 0..n {
        v[k * n + k] = 1.0;
    }
    // Together, the remaining off-diagonals of this size change no eigenvalue by more than ε ‖A‖ / 10.
    let norm_squared = a.iter().map(|x| x * x).sum::<f64>();
    let negligible = 0.1 * f64::EPSILON * norm_squared.sqrt() / n as f64;
    for _ in 0..MAX_SWEEPS {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                if a[p * n + q].abs() > negligible {
                    rotate(a, v, n, (p, q));
                    turned = true;
                }
            }
        }
        if !turned {
            return;
        }
    }
}

/// Rotates axes p < q by at most an eighth of a turn so that a[p, q] vanishes.
fn rotate(a: &mut [f64], v: &mut [f64], n: usize, (p, q): (usize, usize)) {
    let e = 2.0 * a[p * n + q];
    let (app, aqq) = (a[p * n + p], a[q * n + q]);
    let d = app - aqq;
    let h = (d * d + e * e).sqrt();
    let w = d.abs() + h;
    let norm = (2.0 * h * w).sqrt();
    let sign = if d < 0.0 { -1.0 } else { 1.0 };
    let (c, s) = (w / norm, sign * e / norm);
    // h − |d|, without the cancellation.
    let shift = 0.5 * sign * e * (e / w);

    // Rows are contiguous; the columns are copied from them.
    rotate_rows(a, n, (p, q), (c, s));
    rotate_rows(v, n, (p, q), (c, s));
    a[p * n + p] = app + shift;
    a[q * n + q] = aqq - shift;
    a[p * n + q] = 0.0;
    a[q * n + p] = 0.0;
    for k in 0..n {
        a[k * n + p] = a[p * n + k];
        a[k * n + q] = a[q * n + k];
    }
}

/// Replaces rows p < q by c p + s q and c q − s p.
fn rotate_rows(m: &mut [f64], n: usize, (p, q): (usize, usize), (c, s): (f64, f64)) {
    let (head, tail) = m.split_at_mut(q * n);
    for (x, y) in head[p * n..][..n].iter_mut().zip(&mut tail[..n]) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}

/// Replaces the symmetric n×n matrix `a` by the nearest positive semi-definite one: negative
/// eigenvalues become zero. A matrix that is already semi-definite, up to rounding, is not modified.
///
/// # Panics
/// If `n` is above [`MAX_SIZE`] or `a` is not n² long.
pub fn project_psd(a: &mut [f64], n: usize) {
    assert!(n <= MAX_SIZE);
    let mut scratch = [0.0; 2 * MAX_ENTRIES];
    project_psd_with_scratch(a, n, &mut scratch);
}

/// Does the same as [`project_psd`] for a matrix of any size, with scratch of twice its entries.
///
/// # Panics
/// If `a` is not n² long or `room` is shorter than twice that.
pub fn project_psd_with_scratch(a: &mut [f64], n: usize, scratch: &mut [f64]) {
    assert!(a.len() == n * n && scratch.len() >= 2 * n * n);
    let (d, v) = scratch.split_at_mut(n * n);
    if is_positive(a, n, d) {
        return;
    }
    let v = &mut v[..n * n];
    d.copy_from_slice(a);
    eigen_symmetric(d, v, n);
    for k in 0..n {
        let lambda = d[k * n + k];
        if lambda < 0.0 {
            let v = &v[k * n..(k + 1) * n];
            for i in 0..n {
                for j in 0..=i {
                    a[i * n + j] -= lambda * v[i] * v[j];
                    a[j * n + i] = a[i * n + j];
                }
            }
        }
    }
}

/// Returns true if no eigenvalue is negative beyond rounding, by a Cholesky factorisation, 25 times
/// cheaper than the eigenvalues. A small fraction of the norm is added to the diagonal, because the
/// Hessian of an element is singular along its rigid motions.
fn is_positive(a: &[f64], n: usize, l: &mut [f64]) -> bool {
    let norm = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    let touch = 1e-14 * norm;
    for i in 0..n {
        for j in 0..=i {
            let mut x = a[i * n + j];
            for k in 0..j {
                x -= l[i * n + k] * l[j * n + k];
            }
            if i > j {
                l[i * n + j] = x / l[j * n + j];
            } else {
                let x = x + touch;
                if x <= 0.0 {
                    return norm == 0.0;
                }
                l[i * n + i] = x.sqrt();
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::testing::Random;

    /// Returns a random symmetric matrix.
    fn symmetric(random: &mut Random, n: usize) -> Vec<f64> {
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                a[i * n + j] = random.range(-1.0, 1.0);
                a[j * n + i] = a[i * n + j];
            }
        }
        a
    }

    /// Returns Σ f(λ) v vᵀ.
    fn rebuild(d: &[f64], v: &[f64], n: usize, f: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut a = vec![0.0; n * n];
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    a[i * n + j] += f(d[k * n + k]) * v[k * n + i] * v[k * n + j];
                }
            }
        }
        a
    }

    fn difference(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()))
    }

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let mut random = Random::new(2);
        let mut worst = 0.0_f64;
        for round in 0..1000 {
            let n = 1 + round % MAX_SIZE;
            let a = symmetric(&mut random, n);
            let (mut d, mut v) = (a.clone(), vec![0.0; n * n]);
            eigen_symmetric(&mut d, &mut v, n);
            let ones = rebuild(&d, &v, n, |_| 1.0);
            let identity: Vec<f64> =
                (0..n * n).map(|k| if k % (n + 1) == 0 { 1.0 } else { 0.0 }).collect();
            worst = worst.max(difference(&rebuild(&d, &v, n, |x| x), &a));
            worst = worst.max(difference(&ones, &identity));
        }
        // Measured: 6.2e-15.
        println!("eigen: worst {worst:.2e}");
        assert!(worst < 3e-14, "{worst:e}");
    }

    #[test]
    fn matrices_of_any_size_are_projected_with_room() {
        let mut random = Random::new(5);
        let n = 36;
        let a = symmetric(&mut random, n);
        let (mut d, mut v) = (a.clone(), vec![0.0; n * n]);
        eigen_symmetric(&mut d, &mut v, n);
        let mut projected = a;
        project_psd_with_scratch(&mut projected, n, &mut vec![0.0; 2 * n * n]);
        let worst = difference(&projected, &rebuild(&d, &v, n, |x| x.max(0.0)));
        // Measured: 1.3e-14.
        println!("project_psd_in: worst {worst:.2e}");
        assert!(worst < 1e-13, "{worst:e}");
    }

    #[test]
    fn project_psd_drops_the_negative_part() {
        let mut random = Random::new(4);
        let mut worst = 0.0_f64;
        for round in 0..1000 {
            let n = 1 + round % MAX_SIZE;
            let a = symmetric(&mut random, n);
            let (mut d, mut v) = (a.clone(), vec![0.0; n * n]);
            eigen_symmetric(&mut d, &mut v, n);
            let mut projected = a.clone();
            project_psd(&mut projected, n);
            worst = worst.max(difference(&projected, &rebuild(&d, &v, n, |x| x.max(0.0))));
            // A second projection finds nothing to do.
            let mut again = projected.clone();
            project_psd(&mut again, n);
            worst = worst.max(difference(&projected, &again));
        }
        // Measured: 5.7e-15.
        println!("project_psd: worst {worst:.2e}");
        assert!(worst < 3e-14, "{worst:e}");
    }

    #[test]
    fn project_psd_knows_simple_cases() {
        // Eigenvalues 3 and −1 along the diagonals.
        let mut a = [1.0, 2.0, 2.0, 1.0];
        project_psd(&mut a, 2);
        assert!(difference(&a, &[1.5; 4]) < 1e-15);
        // Definite, semi-definite and zero matrices are not modified.
        for keep in [[2.0, -1.0, -1.0, 2.0], [1.0, -1.0, -1.0, 1.0], [0.0; 4]] {
            let mut a = keep;
            project_psd(&mut a, 2);
            assert_eq!(a, keep);
        }
        // A negative definite matrix becomes zero.
        let mut a = [-1.0, 0.5, 0.5, -1.0];
        project_psd(&mut a, 2);
        assert!(difference(&a, &[0.0; 4]) < 1e-15);
    }
}
