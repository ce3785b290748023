//! A sparse symmetric matrix in double precision: the lower triangle by columns, rows ascending.
//!
//! The pattern is fixed when the matrix is created; the values can be refilled without allocation,
//! which Newton's method does in every iteration. Entries given more than once are summed in the order
//! given, so the same assembly gives the same bits on every machine.

/// A symmetric matrix stored as its lower triangle. Every diagonal entry is stored, even when it is
/// zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SymmetricMatrix {
    starts: Vec<u32>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl SymmetricMatrix {
    /// Builds an `n` × `n` matrix from `(row, column, value)`. Give each pair of a row and a column in
    /// one triangle only, whichever: `(i, j, v)` and `(j, i, v)` refer to the same entry and add up.
    ///
    /// # Panics
    /// If an index is not below `n`.
    pub fn from_triplets(n: usize, triplets: impl Iterator<Item = (u32, u32, f64)>) -> Self {
        let mut entries: Vec<(u32, u32, f64)> = (0..n as u32).map(|i| (i, i, 0.0)).collect();
        for (i, j, v) in triplets {
            assert!((i.max(j) as usize) < n, "entry ({i}, {j}) is outside a {n} x {n} matrix");
            entries.push((i.min(j), i.max(j), v));
        }
        // A stable sort keeps equal entries in the order given.
        entries.sort_by_key(|&(column, row, _)| (column, row));
        let mut matrix = Self { starts: vec![0; n + 1], ..Self::default() };
        let mut last = None;
        for (column, row, v) in entries {
            if last == Some((column, row)) {
                *matrix.values.last_mut().expect("an entry was pushed before") += v;
            } else {
                matrix.rows.push(row);
                matrix.values.push(v);
                matrix.starts[column as usize + 1] = matrix.rows.len() as u32;
                last = Some((column, row));
            }
        }
        matrix
    }

    /// Returns the number of rows.
    pub fn size(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the number of stored entries, all in the lower triangle.
    pub fn entries(&self) -> usize {
        self.rows.len()
    }

    /// Returns the stored rows of a column (the diagonal first) and their values.
    pub fn column(&self, column: usize) -> (&[u32], &[f64]) {
        let range = self.starts[column] as usize..self.starts[column + 1] as usize;
        (&self.rows[range.clone()], &self.values[range])
    }

    /// Returns the stored values, column by column.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns the index in [`Self::values`] of the entry of a row and a column, in either order.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        let (column, row) = (i.min(j), i.max(j) as u32);
        let start = *self.starts.get(column)? as usize;
        let end = *self.starts.get(column + 1)? as usize;
        self.rows[start..end].binary_search(&row).ok().map(|k| start + k)
    }

    /// Sets every stored entry to zero and keeps the pattern.
    pub fn set_zero(&mut self) {
        self.values.fill(0.0);
    }

    /// Returns the stored values for writing, in the order of [`Self::values`].
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Adds to the diagonal.
    #[inline]
    pub fn add_diagonal(&mut self, i: usize, value: f64) {
        self.values[self.starts[i] as usize] += value;
    }

    /// Adds to the entry at a [`Self::slot`].
    #[inline]
    pub fn add_at(&mut self, slot: usize, value: f64) {
        self.values[slot] += value;
    }

    /// Replaces the entry at a [`Self::slot`].
    #[inline]
    pub fn set_at(&mut self, slot: usize, value: f64) {
        self.values[slot] = value;
    }

    /// Adds to the entry of a row and a column. Caching its [`Self::slot`] avoids the search.
    ///
    /// # Panics
    /// If the pattern has no such entry.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        let slot = self.slot(i, j);
        self.values[slot.expect("the entry must be in the pattern of the matrix")] += value;
    }

    /// Returns true if another matrix has the same stored entries, whatever their values.
    pub fn same_pattern(&self, other: &Self) -> bool {
        self.starts == other.starts && self.rows == other.rows
    }

    /// Returns the diagonal.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.size()).map(|j| self.values[self.starts[j] as usize]).collect()
    }

    /// Computes `y = A x`.
    pub fn mul_vec(&self, x: &[f64], y: &mut [f64]) {
        assert!(x.len() == self.size() && y.len() == self.size());
        y.fill(0.0);
        for j in 0..self.size() {
            let (rows, values) = self.column(j);
            let xj = x[j];
            let mut sum = values[0] * xj;
            for (&i, &v) in rows[1..].iter().zip(&values[1..]) {
                y[i as usize] += v * xj;
                sum += v * x[i as usize];
            }
            y[j] += sum;
        }
    }

    /// Computes `y = A x` for a matrix in full blocks: three rows and columns for each vertex, with the rows of
    /// every block that has any.
    ///
    /// # Panics
    /// If the matrix is not of that form.
    pub fn mul_vec_by_blocks(&self, x: &[f64], y: &mut [f64]) {
        assert!(x.len() == self.size() && y.len() == self.size() && x.len().is_multiple_of(3));
        y.fill(0.0);
        for v in (0..self.size()).step_by(3) {
            let (rows, first) = self.column(v);
            let (_, second) = self.column(v + 1);
            let (_, third) = self.column(v + 2);
            let (a, b, c) = (x[v], x[v + 1], x[v + 2]);
            let mut sum = [
                first[0] * a + first[1] * b + first[2] * c,
                first[1] * a + second[0] * b + second[1] * c,
                first[2] * a + second[1] * b + third[0] * c,
            ];
            let below = rows[3..].chunks_exact(3).zip(first[3..].chunks_exact(3));
            let others = second[2..].chunks_exact(3).zip(third[1..].chunks_exact(3));
            for ((rows, p), (q, r)) in below.zip(others) {
                let w = rows[0] as usize;
                let own = &x[w..w + 3];
                let to = &mut y[w..w + 3];
                for i in 0..3 {
                    to[i] += p[i] * a + q[i] * b + r[i] * c;
                }
                sum[0] += p[0] * own[0] + p[1] * own[1] + p[2] * own[2];
                sum[1] += q[0] * own[0] + q[1] * own[1] + q[2] * own[2];
                sum[2] += r[0] * own[0] + r[1] * own[1] + r[2] * own[2];
            }
            (0..3).for_each(|i| y[v + i] += sum[i]);
        }
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        4 * (self.starts.capacity() + self.rows.capacity()) + 8 * self.values.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> SymmetricMatrix {
        let entries = [(0, 0, 4.0), (2, 0, 1.0), (1, 1, 3.0), (0, 2, 0.5), (2, 2, 5.0)];
        SymmetricMatrix::from_triplets(3, entries.into_iter())
    }

    #[test]
    fn both_triangles_name_the_same_entry() {
        let a = example();
        assert_eq!(a.column(0), (&[0, 2][..], &[4.0, 1.5][..]));
        assert_eq!(a.diagonal(), [4.0, 3.0, 5.0]);
        let mut y = [0.0; 3];
        a.mul_vec(&[1.0, 2.0, 3.0], &mut y);
        assert_eq!(y, [8.5, 6.0, 16.5]);
    }

    #[test]
    fn values_are_refilled_on_the_same_pattern() {
        let mut a = example();
        a.set_zero();
        a.add(2, 0, 1.5);
        a.add_at(a.slot(0, 0).unwrap(), 4.0);
        a.add(1, 1, 3.0);
        a.add(2, 2, 5.0);
        assert_eq!(a, example());
        assert_eq!(a.slot(0, 1), None);
    }

    #[test]
    fn products_by_blocks_are_those_by_columns() {
        let pairs = [(0, 0), (1, 1), (2, 2), (2, 0), (2, 1)];
        let entries = pairs.iter().flat_map(|&(p, q)| {
            (0..9).map(move |k| (3 * p + k / 3, 3 * q + k % 3, f64::from(10 * p + 3 * q + k)))
        });
        let a = SymmetricMatrix::from_triplets(9, entries.filter(|(i, j, _)| i >= j));
        let x: Vec<f64> = (0..9).map(|i| f64::from(i * i % 7) - 2.0).collect();
        let (mut y, mut z) = ([0.0; 9], [0.0; 9]);
        a.mul_vec(&x, &mut y);
        a.mul_vec_by_blocks(&x, &mut z);
        assert_eq!(y, z);
    }

    #[test]
    fn a_missing_diagonal_is_stored_as_zero() {
        let a = SymmetricMatrix::from_triplets(2, [(0, 1, 1.0)].into_iter());
        assert_eq!(a.diagonal(), [0.0, 0.0]);
        assert_eq!(a.entries(), 3);
    }

    #[test]
    fn the_empty_matrix_has_no_rows() {
        let a = SymmetricMatrix::from_triplets(0, std::iter::empty());
        assert_eq!((a.size(), a.entries()), (0, 0));
        a.mul_vec(&[], &mut []);
    }
}
