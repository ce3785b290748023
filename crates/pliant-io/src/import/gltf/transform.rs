//! Node transforms: a linear map and a translation.

use super::Problem;
use super::json::Node;

/// Affine map as three rows: `x' = a[0..3] · x + a[3]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Affine([[f64; 4]; 3]);

impl Default for Affine {
    fn default() -> Self {
        Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
    }
}

impl Affine {
    /// Transform of a node relative to its parent: a column-major matrix, or a scale, then a rotation, then a
    /// translation.
    pub fn of(node: &Node) -> Result<Self, Problem> {
        if let Some(m) = &node.matrix {
            return Ok(Self(std::array::from_fn(|i| std::array::from_fn(|j| m[i + 4 * j]))));
        }
        let r = match &node.rotation {
            Some(q) => rotation(**q)?,
            None => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        };
        let s = node.scale.as_deref().copied().unwrap_or([1.0; 3]);
        let t = node.translation.as_deref().copied().unwrap_or([0.0; 3]);
        Ok(Self(std::array::from_fn(|i| [r[i][0] * s[0], r[i][1] * s[1], r[i][2] * s[2], t[i]])))
    }

    /// Composition that applies `inner` first, then this transform.
    pub fn then(&self, inner: &Self) -> Self {
        let (a, b) = (&self.0, &inner.0);
        Self(std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let sum: f64 = (0..3).map(|k| a[i][k] * b[k][j]).sum();
                if j == 3 { sum + a[i][3] } else { sum }
            })
        }))
    }

    /// Transforms a point.
    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        self.0.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3])
    }

    /// True if the transform reverses orientation.
    pub fn mirrors(&self) -> bool {
        let [a, b, c] = self.0;
        let minor = |i: usize, j: usize| b[i] * c[j] - b[j] * c[i];
        a[0] * minor(1, 2) - a[1] * minor(0, 2) + a[2] * minor(0, 1) < 0.0
    }
}

/// Rotation matrix of a quaternion (x, y, z, w) of any nonzero length.
fn rotation(q: [f64; 4]) -> Result<[[f64; 3]; 3], Problem> {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !(length > 0.0 && length.is_finite()) {
        return Err(Problem::Number { what: "rotation", found: format!("{q:?}") });
    }
    let [x, y, z, w] = q.map(|c| c / length);
    Ok([
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
        [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
        [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scale_rotation_and_translation_apply_in_that_order() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let node = Node {
            translation: Some(Box::new([10.0, 0.0, 0.0])),
            rotation: Some(Box::new([0.0, 0.0, 2.0 * half, 2.0 * half])), // a quarter turn about z
            scale: Some(Box::new([2.0, 1.0, -1.0])),
            ..Node::default()
        };
        let affine = Affine::of(&node).unwrap();
        let p = affine.point([1.0, 0.0, 1.0]);
        for (x, wanted) in p.iter().zip([10.0, 2.0, -1.0]) {
            assert!((x - wanted).abs() < 1e-15, "{p:?}");
        }
        assert!(affine.mirrors());
        let twice = affine.then(&affine);
        let direct = affine.point(affine.point([1.0, 2.0, 3.0]));
        for (x, wanted) in twice.point([1.0, 2.0, 3.0]).iter().zip(direct) {
            assert!((x - wanted).abs() < 1e-14);
        }
        assert!(!twice.mirrors());
        assert!(rotation([0.0; 4]).is_err());
    }

    #[test]
    fn a_matrix_is_read_by_columns() {
        let mut m = [0.0; 16];
        (m[0], m[5], m[10], m[15], m[12]) = (1.0, 1.0, 1.0, 1.0, 7.0);
        let node = Node { matrix: Some(Box::new(m)), ..Node::default() };
        assert_eq!(Affine::of(&node).unwrap().point([1.0, 2.0, 3.0]), [8.0, 2.0, 3.0]);
    }
}
