//! glTF accessors: rows of numbers in buffer views, with bounds checks.

use super::json::{Accessor, Root};
use super::{ImportError, Location, Problem, Source};

/// JSON description and the bytes of its buffers.
pub(super) struct Document<'a> {
    pub source: &'a Source<'a>,
    pub root: Root,
    pub buffers: Vec<Vec<u8>>,
}

/// Rows of numbers in a buffer; row `i` starts at byte `i · stride`.
struct Rows<'a> {
    bytes: &'a [u8],
    stride: usize,
    component: u32,
    normalized: bool,
}

impl Document<'_> {
    pub fn error(&self, item: impl Into<String>, problem: Problem) -> ImportError {
        problem.at(self.source.file, Location::Item(item.into()))
    }

    /// Returns entry `index` of a list; the error names the entry that refers to it.
    pub fn entry<'t, T>(
        &self,
        list: &'t [T],
        index: usize,
        what: &'static str,
        by: &str,
    ) -> Result<&'t T, ImportError> {
        list.get(index).ok_or_else(|| {
            let (found, count) = (index.to_string(), list.len());
            self.error(by, Problem::Index { what, found, count })
        })
    }

    /// Number of rows that an accessor announces.
    pub fn count(&self, index: usize, by: &str) -> Result<usize, ImportError> {
        let accessor = self.entry(&self.root.accessors, index, "accessor", by)?;
        Ok(usize::try_from(accessor.count).unwrap_or(usize::MAX))
    }

    /// Reads all rows of an accessor; the caller has validated their number.
    pub fn rows<const N: usize>(
        &self,
        index: usize,
        by: &str,
    ) -> Result<Vec<[f64; N]>, ImportError> {
        let accessor = self.entry(&self.root.accessors, index, "accessor", by)?;
        let item = format!("accessors[{index}]");
        let shape = ["", "SCALAR", "VEC2", "VEC3"][N];
        if accessor.shape != shape {
            let found = super::excerpt(accessor.shape.as_bytes());
            return Err(self.error(item, Problem::Syntax { expected: shape, found }));
        }
        let count = accessor.count as usize;
        let mut values = vec![[0.0; N]; count];
        if let Some(view) = accessor.buffer_view {
            let rows =
                self.part(accessor, N, (view, accessor.byte_offset, accessor.count), &item)?;
            for (i, row) in values.iter_mut().enumerate() {
                *row = rows.row(i);
            }
        }
        self.substitute(accessor, &mut values, &item)?;
        let finite = |row: &[f64; N]| row.iter().all(|x| x.is_finite());
        match values.iter().find(|row| !finite(row)) {
            None => Ok(values),
            Some(row) => {
                let found = format!("{row:?}");
                Err(self.error(item, Problem::NotFinite { what: "row", found }))
            }
        }
    }

    /// Inserts the values of a sparse accessor.
    fn substitute<const N: usize>(
        &self,
        accessor: &Accessor,
        values: &mut [[f64; N]],
        item: &str,
    ) -> Result<(), ImportError> {
        let Some(sparse) = &accessor.sparse else { return Ok(()) };
        let (announced, available) = (sparse.count, accessor.count);
        if announced > available {
            let what = "sparse rows";
            return Err(self.error(item, Problem::Length { what, announced, available }));
        }
        let numbers = Accessor {
            buffer_view: None,
            byte_offset: 0,
            component_type: sparse.indices.component_type.unwrap_or(0),
            normalized: false,
            count: sparse.count,
            shape: String::new(),
            sparse: None,
        };
        let place = (sparse.indices.buffer_view, sparse.indices.byte_offset, sparse.count);
        let indices = self.part(&numbers, 1, place, item)?;
        let place = (sparse.values.buffer_view, sparse.values.byte_offset, sparse.count);
        let rows = self.part(accessor, N, place, item)?;
        for k in 0..sparse.count as usize {
            let [i] = indices.row::<1>(k);
            let count = values.len();
            match values.get_mut(i as usize) {
                Some(value) => *value = rows.row(k),
                None => {
                    let problem = Problem::Index { what: "row", found: i.to_string(), count };
                    return Err(self.error(item, problem));
                }
            }
        }
        Ok(())
    }

    /// Bytes of `count` rows of `n` numbers, from an offset in a view.
    fn part(
        &self,
        accessor: &Accessor,
        n: usize,
        (view, offset, count): (usize, u64, u64),
        item: &str,
    ) -> Result<Rows<'_>, ImportError> {
        let view = self.entry(&self.root.buffer_views, view, "buffer view", item)?;
        let buffer = self.entry(&self.buffers, view.buffer, "buffer", item)?;
        let size = match accessor.component_type {
            5120 | 5121 => n as u64,
            5122 | 5123 => 2 * n as u64,
            5125 | 5126 => 4 * n as u64,
            other => {
                let expected = "a component type of 5120 to 5123, 5125 or 5126";
                return Err(
                    self.error(item, Problem::Syntax { expected, found: other.to_string() })
                );
            }
        };
        let stride = view.byte_stride.filter(|&stride| stride > 0).unwrap_or(size);
        let length = |announced: u64, available: u64| {
            self.error(item, Problem::Length { what: "bytes", announced, available })
        };
        // A saturated sum is out of range, like any value that is too large.
        let view_end = view.byte_offset.saturating_add(view.byte_length);
        if view_end > buffer.len() as u64 {
            return Err(length(view_end, buffer.len() as u64));
        }
        let span = count.saturating_sub(1).saturating_mul(stride).saturating_add(size);
        let span = if count == 0 { 0 } else { span };
        let end = offset.saturating_add(span);
        if end > view.byte_length {
            return Err(length(end, view.byte_length));
        }
        let start = (view.byte_offset + offset) as usize;
        let bytes = &buffer[start..start + span as usize];
        let (component, normalized) = (accessor.component_type, accessor.normalized);
        Ok(Rows { bytes, stride: stride as usize, component, normalized })
    }
}

impl Rows<'_> {
    fn row<const N: usize>(&self, i: usize) -> [f64; N] {
        let row = &self.bytes[i * self.stride..];
        std::array::from_fn(|k| self.number(row, k))
    }

    fn number(&self, row: &[u8], k: usize) -> f64 {
        let four = || [row[4 * k], row[4 * k + 1], row[4 * k + 2], row[4 * k + 3]];
        let two = || [row[2 * k], row[2 * k + 1]];
        let (value, most): (f64, f64) = match self.component {
            5120 => ((row[k] as i8).into(), 127.0),
            5121 => (row[k].into(), 255.0),
            5122 => (i16::from_le_bytes(two()).into(), 32_767.0),
            5123 => (u16::from_le_bytes(two()).into(), 65_535.0),
            5125 => return u32::from_le_bytes(four()).into(),
            _ => return f32::from_le_bytes(four()).into(),
        };
        if self.normalized { (value / most).max(-1.0) } else { value }
    }
}
