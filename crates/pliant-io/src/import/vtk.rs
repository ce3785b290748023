//! VTK legacy files: unstructured grids and polygons, as text and as binary (high byte first).
//!
//! Cells are listed as counts and indices (up to version 4) or as offsets and connectivity
//! (version 5). Attributes of points and cells, which stand at the end, are not read.

use super::cells::{Cells, Shape, corners_of, vtk_shape};
use super::scan::{Order, Scan, name_of, words};
use super::{ImportError, Imported, Problem, Source};

pub(super) fn read(source: &Source) -> Result<Imported, ImportError> {
    let mut scan = source.scan();
    let first = scan.line().unwrap_or_default();
    if !first.starts_with(b"# vtk DataFile Version") {
        return Err(scan.syntax("\"# vtk DataFile Version\"", first));
    }
    let title = name_of(scan.line().unwrap_or_default());
    let encoding = scan.content("the header")?;
    let binary = match encoding {
        b"ASCII" => false,
        b"BINARY" => true,
        _ => return Err(scan.syntax("ASCII or BINARY", encoding)),
    };
    let dataset = scan.content("the header")?;
    let kind = words(dataset).nth(1).unwrap_or_default();
    if !dataset.starts_with(b"DATASET") || ![&b"UNSTRUCTURED_GRID"[..], b"POLYDATA"].contains(&kind)
    {
        return Err(scan.syntax("DATASET UNSTRUCTURED_GRID or DATASET POLYDATA", dataset));
    }
    let mut reader = Reader { source, scan, binary };
    let cells = reader.sections(Cells { name: title, ..Cells::default() })?;
    cells.finish(source)
}

struct Reader<'a, 'b> {
    source: &'b Source<'a>,
    scan: Scan<'a>,
    binary: bool,
}

/// Cells as offsets into a list of vertices.
struct Lists {
    offsets: Vec<usize>,
    vertices: Vec<i64>,
}

impl Reader<'_, '_> {
    fn sections(&mut self, mut cells: Cells) -> Result<Cells, ImportError> {
        let mut grid = None;
        while let Ok(line) = self.scan.content("the sections") {
            let list: Vec<_> = words(line).take(5).collect();
            let word = |k: usize| list.get(k).copied().unwrap_or_default();
            match word(0) {
                b"POINTS" => self.points(word(1), word(2), &mut cells)?,
                b"CELLS" => grid = Some(self.lists(word(1), word(2))?),
                b"CELL_TYPES" => {
                    let lists = grid.take().ok_or_else(|| self.scan.syntax("CELLS", line))?;
                    self.typed(word(1), &lists, &mut cells)?;
                }
                b"POLYGONS" => {
                    let lists = self.lists(word(1), word(2))?;
                    self.shaped(&lists, |_| Shape::Polygon, &mut cells)?;
                }
                b"TRIANGLE_STRIPS" => {
                    let lists = self.lists(word(1), word(2))?;
                    self.shaped(&lists, |_| Shape::Strip, &mut cells)?;
                }
                b"VERTICES" | b"LINES" => drop(self.lists(word(1), word(2))?),
                b"FIELD" => self.field(word(2))?,
                b"METADATA" => {
                    while self.scan.line().is_some_and(|l| !l.trim_ascii().is_empty()) {}
                }
                b"CELL_DATA" | b"POINT_DATA" => break,
                other => return Err(self.scan.syntax("a section such as POINTS or CELLS", other)),
            }
        }
        match grid {
            None => Ok(cells),
            Some(_) => {
                Err(self.scan.error(Problem::Truncated { what: "the sections: no CELL_TYPES" }))
            }
        }
    }

    fn points(&mut self, n: &[u8], kind: &[u8], cells: &mut Cells) -> Result<(), ImportError> {
        let n = self.scan.natural_of(n, "number of points")?;
        let n = self.scan.room(n, 3 * self.size(kind)?, "points")?;
        self.source.check_vertices(n)?;
        cells.positions.reserve_exact(n);
        for _ in 0..n {
            cells.positions.push(match (self.binary, kind) {
                (false, _) => self.scan.point()?,
                (true, b"float") => self.scan.floats(Order::Big, "coordinate")?,
                (true, b"double") => self.scan.doubles(Order::Big, "coordinate")?,
                (true, _) => {
                    return Err(self.scan.syntax("points of type float or double", kind));
                }
            });
        }
        Ok(())
    }

    /// The cells of a section, whose two numbers depend on the version.
    fn lists(&mut self, first: &[u8], second: &[u8]) -> Result<Lists, ImportError> {
        let first = self.scan.natural_of(first, "number of cells")?;
        let second = self.scan.natural_of(second, "size of the list")?;
        let before = self.scan.clone();
        let line = self.scan.line().unwrap_or_default();
        if let [b"OFFSETS", kind] = words(line).take(3).collect::<Vec<_>>()[..] {
            let offsets = self.integers(first, kind, "offsets")?;
            let line = self.scan.content("the cells")?;
            let [b"CONNECTIVITY", kind] = words(line).take(3).collect::<Vec<_>>()[..] else {
                return Err(self.scan.syntax("CONNECTIVITY", line));
            };
            let vertices = self.integers(second, kind, "vertices of cells")?;
            let offsets = self.checked_offsets(&offsets, vertices.len())?;
            return Ok(Lists { offsets, vertices });
        }
        self.scan = before;
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
                return Err(self.scan.error(problem));
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
                    return Err(self.scan.error(Problem::Index { what, found, count: end }));
                }
            }
            checked.push(last);
        }
        Ok(checked)
    }

    fn typed(&mut self, n: &[u8], lists: &Lists, cells: &mut Cells) -> Result<(), ImportError> {
        let announced = self.scan.natural_of(n, "number of cells")?;
        let available = lists.offsets.len().saturating_sub(1) as u64;
        if announced != available {
            let problem = Problem::Length { what: "cell types", announced, available };
            return Err(self.scan.error(problem));
        }
        let kinds = self.integers(announced, b"int", "cell types")?;
        let mut shapes = Vec::with_capacity(kinds.len());
        for kind in kinds {
            shapes.push(vtk_shape(kind).map_err(|problem| self.scan.error(problem))?);
        }
        self.shaped(lists, |cell| shapes[cell], cells)
    }

    fn shaped(
        &self,
        lists: &Lists,
        shape: impl Fn(usize) -> Shape,
        cells: &mut Cells,
    ) -> Result<(), ImportError> {
        add_cells(&lists.offsets, &lists.vertices, shape, cells)
            .map_err(|problem| self.scan.error(problem))?;
        self.source.check_cells(cells.count())
    }

    /// An array of another kind, among those at the start: names, then numbers.
    fn field(&mut self, arrays: &[u8]) -> Result<(), ImportError> {
        let arrays = self.scan.natural_of(arrays, "number of arrays")?;
        for _ in 0..self.scan.room(arrays, 4, "arrays")? {
            let line = self.scan.content("a field")?;
            let [_, components, rows, kind] = words(line).take(5).collect::<Vec<_>>()[..] else {
                return Err(self.scan.syntax("a name, two numbers and a type", line));
            };
            let components = self.scan.natural_of(components, "number of components")?;
            let rows = self.scan.natural_of(rows, "number of rows")?;
            let size = self.size(kind)?;
            let n = self.scan.room(components.saturating_mul(rows), size, "numbers of a field")?;
            if self.binary {
                self.scan.take(n * size, "a field")?;
            } else {
                for _ in 0..n {
                    self.scan.need("a field")?;
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
        let n = self.scan.room(n, size, what)?;
        let mut list = Vec::with_capacity(n);
        for _ in 0..n {
            list.push(match (self.binary, size) {
                (false, _) => self.scan.integer(what)?,
                (true, 8) => self.scan.long(Order::Big, what)?,
                (true, 4) => self.scan.int(Order::Big, what)?.into(),
                (true, _) => return Err(self.scan.syntax("integers of 4 or 8 bytes", kind)),
            });
        }
        Ok(list)
    }

    /// How many bytes a number takes; in text at least two.
    fn size(&self, kind: &[u8]) -> Result<usize, ImportError> {
        let size = match kind {
            b"char" | b"unsigned_char" => 1,
            b"short" | b"unsigned_short" => 2,
            b"int" | b"unsigned_int" | b"float" => 4,
            b"long" | b"unsigned_long" | b"double" | b"vtktypeint64" | b"vtkIdType" => 8,
            _ => return Err(self.scan.syntax("a type of number", kind)),
        };
        Ok(if self.binary { size } else { 2 })
    }
}

/// Adds cells given by offsets, where each starts and the last ends, and by their vertices.
pub(super) fn add_cells(
    offsets: &[usize],
    vertices: &[i64],
    shape: impl Fn(usize) -> Shape,
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
            let (expected, found) = ("more vertices in a cell", format!("cell {c}: {corners:?}"));
            return Err(Problem::Syntax { expected, found });
        }
        cells.add(shape(c), &corners, 0);
    }
    Ok(())
}
