//! VTK legacy files: unstructured grids and polygons, as text and as big-endian binary.
//!
//! Cells are listed as counts and indices (up to version 4) or as offsets and connectivity (version 5). Point
//! and cell attributes, which come last, are not read.

use super::cells::{CellShape, Cells, corners_of, vtk_shape};
use super::cursor::{ByteOrder, Cursor, name_of, words};
use super::{Format, ImportError, Imported, Problem, Source};

pub(super) const FORMAT: Format = Format {
    name: "VTK legacy",
    extensions: &["vtk"],
    content: "tets or polygons; text and binary",
    read,
};

fn read(source: &Source) -> Result<Imported, ImportError> {
    let mut cursor = source.cursor();
    let first = cursor.line().unwrap_or_default();
    if !first.starts_with(b"# vtk DataFile Version") {
        return Err(cursor.syntax("\"# vtk DataFile Version\"", first));
    }
    let title = name_of(cursor.line().unwrap_or_default());
    let encoding = cursor.next_content_line("the header")?;
    let binary = match encoding {
        b"ASCII" => false,
        b"BINARY" => true,
        _ => return Err(cursor.syntax("ASCII or BINARY", encoding)),
    };
    let dataset = cursor.next_content_line("the header")?;
    let kind = words(dataset).nth(1).unwrap_or_default();
    if !dataset.starts_with(b"DATASET") || ![&b"UNSTRUCTURED_GRID"[..], b"POLYDATA"].contains(&kind)
    {
        return Err(cursor.syntax("DATASET UNSTRUCTURED_GRID or DATASET POLYDATA", dataset));
    }
    let mut reader = Reader { source, cursor, binary };
    let cells = reader.sections(Cells { name: title, ..Cells::default() })?;
    cells.finish(source)
}

struct Reader<'a, 'b> {
    source: &'b Source<'a>,
    cursor: Cursor<'a>,
    binary: bool,
}

/// Cells as offsets into a vertex list.
struct Lists {
    offsets: Vec<usize>,
    vertices: Vec<i64>,
}

impl Reader<'_, '_> {
    fn sections(&mut self, mut cells: Cells) -> Result<Cells, ImportError> {
        let mut grid = None;
        while let Ok(line) = self.cursor.next_content_line("the sections") {
            let list: Vec<_> = words(line).take(5).collect();
            let word = |k: usize| list.get(k).copied().unwrap_or_default();
            match word(0) {
                b"POINTS" => self.points(word(1), word(2), &mut cells)?,
                b"CELLS" => grid = Some(self.lists(word(1), word(2))?),
                b"CELL_TYPES" => {
                    let lists = grid.take().ok_or_else(|| self.cursor.syntax("CELLS", line))?;
                    self.typed(word(1), &lists, &mut cells)?;
                }
                b"POLYGONS" => {
                    let lists = self.lists(word(1), word(2))?;
                    self.shaped(&lists, |_| CellShape::Polygon, &mut cells)?;
                }
                b"TRIANGLE_STRIPS" => {
                    let lists = self.lists(word(1), word(2))?;
                    self.shaped(&lists, |_| CellShape::Strip, &mut cells)?;
                }
                b"VERTICES" | b"LINES" => drop(self.lists(word(1), word(2))?),
                b"FIELD" => self.field(word(2))?,
                b"METADATA" => {
                    while self.cursor.line().is_some_and(|l| !l.trim_ascii().is_empty()) {}
                }
                b"CELL_DATA" | b"POINT_DATA" => break,
                other => {
                    return Err(self.cursor.syntax("a section such as POINTS or CELLS", other));
                }
            }
        }
        match grid {
            None => Ok(cells),
            Some(_) => Err(self
                .cursor
                .error(Problem::Truncated { what: "the file (no section CELL_TYPES)" })),
        }
    }

    fn points(&mut self, n: &[u8], kind: &[u8], cells: &mut Cells) -> Result<(), ImportError> {
        let n = self.cursor.natural_of(n, "number of points")?;
        let n = self.cursor.check_capacity(n, 3 * self.size(kind)?, "points")?;
        self.source.check_vertices(n)?;
        cells.positions.reserve_exact(n);
        for _ in 0..n {
            cells.positions.push(match (self.binary, kind) {
                (false, _) => self.cursor.point()?,
                (true, b"float") => self.cursor.floats(ByteOrder::Big, "coordinate")?,
                (true, b"double") => self.cursor.doubles(ByteOrder::Big, "coordinate")?,
                (true, _) => {
                    return Err(self.cursor.syntax("points of type float or double", kind));
                }
            });
        }
        Ok(())
    }

    /// Reads the cells of a section; the meaning of its two numbers depends on the version.
    fn lists(&mut self, first: &[u8], second: &[u8]) -> Result<Lists, ImportError> {
        let first = self.cursor.natural_of(first, "number of cells")?;
        let second = self.cursor.natural_of(second, "size of the list")?;
        let before = self.cursor.clone();
        let line = self.cursor.line().unwrap_or_default();
        if let [b"OFFSETS", kind] = words(line).take(3).collect::<Vec<_>>()[..] {
            let offsets = self.integers(first, kind, "offsets")?;
            let line = self.cursor.next_content_line("the cells")?;
            let [b"CONNECTIVITY", kind] = words(line).take(3).collect::<Vec<_>>()[..] else {
                return Err(self.cursor.syntax("CONNECTIVITY", line));
            };
            let vertices = self.integers(second, kind, "vertices of cells")?;
            let offsets = self.checked_offsets(&offsets, vertices.len())?;
            return Ok(Lists { offsets, vertices });
        }
        self.cursor = before;
        let numbers = self.integers(second, b"int", "vertices of cells")?;
        let (mut offsets, mut vertices) = (Vec::new(), Vec::new());
        let mut rest = &numbers[..];
        offsets.push(0);
        for _ in 0..first {
            let cell = rest.split_first().and_then(|(&n, tail)| {
                let n = usize::try_from(n).ok()?;
                (n <= tail.len()).then(|| tail.split_at(n))
            });
            let Some((cell, tail)) = cell else {
                let (announced, available) = (first, offsets.len() as u64 - 1);
                let problem = Problem::Length { what: "cells", announced, available };
                return Err(self.cursor.error(problem));
            };
            vertices.extend_from_slice(cell);
            offsets.push(vertices.len());
            rest = tail;
        }
        Ok(Lists { offsets, vertices })
    }

    fn checked_offsets(&self, offsets: &[i64], end: usize) -> Result<Vec<usize>, ImportError> {
        let mut last = 0;
        let mut checked = Vec::with_capacity(offsets.len());
        for &offset in offsets {
            match usize::try_from(offset) {
                Ok(next) if (last..=end).contains(&next) => last = next,
                _ => {
                    let (what, found) = ("vertex of a cell", offset.to_string());
                    return Err(self.cursor.error(Problem::Index { what, found, count: end }));
                }
            }
            checked.push(last);
        }
        Ok(checked)
    }

    fn typed(&mut self, n: &[u8], lists: &Lists, cells: &mut Cells) -> Result<(), ImportError> {
        let announced = self.cursor.natural_of(n, "number of cells")?;
        let available = lists.offsets.len().saturating_sub(1) as u64;
        if announced != available {
            let problem = Problem::Length { what: "cell types", announced, available };
            return Err(self.cursor.error(problem));
        }
        let kinds = self.integers(announced, b"int", "cell types")?;
        let mut shapes = Vec::with_capacity(kinds.len());
        for kind in kinds {
            shapes.push(vtk_shape(kind).map_err(|problem| self.cursor.error(problem))?);
        }
        self.shaped(lists, |cell| shapes[cell], cells)
    }

    fn shaped(
        &self,
        lists: &Lists,
        shape: impl Fn(usize) -> CellShape,
        cells: &mut Cells,
    ) -> Result<(), ImportError> {
        add_cells(&lists.offsets, &lists.vertices, shape, cells)
            .map_err(|problem| self.cursor.error(problem))?;
        self.source.check_cells(cells.count())
    }

    /// Skips a field of arrays among the leading sections: names, then numbers.
    fn field(&mut self, arrays: &[u8]) -> Result<(), ImportError> {
        let arrays = self.cursor.natural_of(arrays, "number of arrays")?;
        for _ in 0..self.cursor.check_capacity(arrays, 4, "arrays")? {
            let line = self.cursor.next_content_line("a field")?;
            let [_, components, rows, kind] = words(line).take(5).collect::<Vec<_>>()[..] else {
                return Err(self.cursor.syntax("a name, two numbers and a type", line));
            };
            let components = self.cursor.natural_of(components, "number of components")?;
            let rows = self.cursor.natural_of(rows, "number of rows")?;
            let size = self.size(kind)?;
            let n = self.cursor.check_capacity(
                components.saturating_mul(rows),
                size,
                "numbers of a field",
            )?;
            if self.binary {
                self.cursor.take(n * size, "a field")?;
            } else {
                for _ in 0..n {
                    self.cursor.expect_word("a field")?;
                }
            }
        }
        Ok(())
    }

    fn integers(
        &mut self,
        n: u64,
        kind: &[u8],
        what: &'static str,
    ) -> Result<Vec<i64>, ImportError> {
        let size = self.size(kind)?;
        let n = self.cursor.check_capacity(n, size, what)?;
        let mut list = Vec::with_capacity(n);
        for _ in 0..n {
            list.push(match (self.binary, size) {
                (false, _) => self.cursor.integer(what)?,
                (true, 8) => self.cursor.long(ByteOrder::Big, what)?,
                (true, 4) => self.cursor.int(ByteOrder::Big, what)?.into(),
                (true, _) => {
                    return Err(self.cursor.syntax("a 4-byte or 8-byte integer type", kind));
                }
            });
        }
        Ok(list)
    }

    /// Size of a number in bytes; at least two in text.
    fn size(&self, kind: &[u8]) -> Result<usize, ImportError> {
        let size = match kind {
            b"char" | b"unsigned_char" => 1,
            b"short" | b"unsigned_short" => 2,
            b"int" | b"unsigned_int" | b"float" => 4,
            b"long" | b"unsigned_long" | b"double" | b"vtktypeint64" | b"vtkIdType" => 8,
            _ => return Err(self.cursor.syntax("a number type", kind)),
        };
        Ok(if self.binary { size } else { 2 })
    }
}

/// Adds cells by their vertices and offsets: the start of each cell and the end of the last.
pub(super) fn add_cells(
    offsets: &[usize],
    vertices: &[i64],
    shape: impl Fn(usize) -> CellShape,
    cells: &mut Cells,
) -> Result<(), Problem> {
    let count = cells.positions.len();
    let mut corners = Vec::new();
    for (c, ends) in offsets.windows(2).enumerate() {
        corners.clear();
        for &v in &vertices[ends[0]..ends[1]] {
            if !(0..count as i64).contains(&v) {
                return Err(Problem::Index { what: "point", found: v.to_string(), count });
            }
            corners.push(v as u32);
        }
        if corners.len() < corners_of(shape(c)) {
            let (expected, found) = (
                "enough vertices for the cell type",
                format!(
                    "cell {c}: \
                {corners:?}"
                ),
            );
            return Err(Problem::Syntax { expected, found });
        }
        cells.add(shape(c), &corners, 0);
    }
    Ok(())
}
