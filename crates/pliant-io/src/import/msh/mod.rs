//! Gmsh's MSH format, versions 2 and 4.1, as text and as binary.
//!
//! A file is a list of sections, `$Name` to `$EndName`. Physical groups, nodes and elements are read; other
//! sections are skipped. The two versions differ in how they list nodes and elements (`v2`, `v4`); text and
//! binary differ only in how a number is written, which [`Numbers`] hides.

mod v2;
mod v4;

use std::collections::BTreeMap;

use super::cells::{CellShape, Cells, unsupported_cell};
use super::cursor::{ByteOrder, Cursor, name_of};
use super::error::excerpt;
use super::{Format, ImportError, Imported, Problem, Source};

pub(super) const FORMAT: Format = Format {
    name: "Gmsh 2.2 and 4.1",
    extensions: &["msh"],
    content: "tets or triangles, physical groups; text and binary",
    read,
};

fn read(source: &Source) -> Result<Imported, ImportError> {
    let mut cursor = source.cursor();
    let first = cursor.next_content_line("the first section")?;
    if first != b"$MeshFormat" {
        return Err(cursor.syntax("\"$MeshFormat\"", first));
    }
    let (version, order) = format(&mut cursor)?;
    let mut numbers = Numbers { cursor, order };
    let mut names = BTreeMap::new();
    let mut entities = v4::Entities::default();
    let mut nodes = None;
    loop {
        let line = numbers.cursor.next_content_line("the file (no section \"$Elements\")")?;
        match line {
            b"$PhysicalNames" => physical_names(&mut numbers.cursor, &mut names)?,
            b"$Entities" if version == 4 => entities = v4::entities(&mut numbers)?,
            b"$Nodes" if version == 4 => nodes = Some(v4::nodes(source, &mut numbers)?),
            b"$Nodes" => nodes = Some(v2::nodes(source, &mut numbers)?),
            b"$Elements" => {
                let Some((positions, numbering)) = nodes else {
                    return Err(numbers.cursor.syntax("the section \"$Nodes\"", line));
                };
                let mut cells = Cells { positions, names, ..Cells::default() };
                if version == 4 {
                    v4::elements(source, &mut numbers, &numbering, &entities, &mut cells)?;
                } else {
                    v2::elements(source, &mut numbers, &numbering, &mut cells)?;
                }
                return cells.finish(source);
            }
            [b'$', name @ ..] if name.len() <= 64 => pass_over(&mut numbers.cursor, name)?,
            other => return Err(numbers.cursor.syntax("a section", other)),
        }
    }
}

/// Reads the version, 2 or 4, and the byte order of a binary file.
fn format(cursor: &mut Cursor) -> Result<(u8, Option<ByteOrder>), ImportError> {
    let word = cursor.expect_word("the version")?;
    let version = match word {
        b"2" | b"2.0" | b"2.1" | b"2.2" => 2,
        b"4.1" => 4,
        _ => {
            let what = format!("MSH version {:?}", excerpt(word));
            let remedy = "save it as version 4.1 or 2.2";
            return Err(cursor.error(Problem::Unsupported { what, remedy }));
        }
    };
    let binary = cursor.integer("file type")? == 1;
    let size = cursor.expect_word("the data size")?;
    if size != b"8" {
        return Err(cursor.syntax("a data size of 8 bytes", size));
    }
    cursor.line();
    let order = if binary {
        // The number one in the byte order of the writing machine.
        match cursor.raw::<4>(ByteOrder::Little, "the byte order")? {
            [1, 0, 0, 0] => Some(ByteOrder::Little),
            [0, 0, 0, 1] => Some(ByteOrder::Big),
            other => {
                let found = format!("{other:?}");
                let expected = "the 4-byte integer 1";
                return Err(cursor.byte_error(Problem::Syntax { expected, found }));
            }
        }
    } else {
        None
    };
    pass_over(cursor, b"MeshFormat")?;
    Ok((version, order))
}

/// Skips to the line after the end of the section.
fn pass_over(cursor: &mut Cursor, name: &[u8]) -> Result<(), ImportError> {
    let end = [b"$End", name].concat();
    let rest = &cursor.bytes[cursor.at..];
    match rest.windows(end.len()).position(|window| window == end) {
        Some(start) => {
            cursor.take(start, "a section")?;
            cursor.line();
            Ok(())
        }
        None => Err(cursor.error(Problem::Truncated { what: "a section" })),
    }
}

/// Reads lines of a dimension, a number, and a quoted name.
fn physical_names(
    cursor: &mut Cursor,
    names: &mut BTreeMap<(i64, i64), String>,
) -> Result<(), ImportError> {
    let count = cursor.count("physical names")?;
    for _ in 0..count {
        let dimension = cursor.integer("dimension")?;
        let number = cursor.integer("physical group")?;
        let line = cursor.line().unwrap_or_default();
        let name = line.split(|&b| b == b'"').nth(1);
        let name = name.ok_or_else(|| cursor.syntax("a name in quotes", line))?;
        names.insert((dimension, number), name_of(name));
    }
    pass_over(cursor, b"PhysicalNames")
}

/// Sequence of numbers, in text or in binary of some byte order.
struct Numbers<'a> {
    cursor: Cursor<'a>,
    order: Option<ByteOrder>,
}

impl Numbers<'_> {
    /// Error located at the last number read.
    fn error(&self, problem: Problem) -> ImportError {
        match self.order {
            None => self.cursor.error(problem),
            Some(_) => self.cursor.byte_error(problem),
        }
    }

    /// Reads a four-byte integer.
    fn int(&mut self, what: &'static str) -> Result<i64, ImportError> {
        match self.order {
            None => self.cursor.integer(what),
            Some(order) => self.cursor.int(order, what).map(i64::from),
        }
    }

    /// Reads an eight-byte integer.
    fn long(&mut self, what: &'static str) -> Result<i64, ImportError> {
        match self.order {
            None => self.cursor.integer(what),
            Some(order) => self.cursor.long(order, what),
        }
    }

    /// Reads a count of items, each of at least `size` numbers of four bytes.
    fn count(&mut self, size: usize, what: &'static str) -> Result<usize, ImportError> {
        let n = self.long(what)?;
        let Ok(n) = u64::try_from(n) else {
            return Err(self.error(Problem::Number { what, found: n.to_string() }));
        };
        self.cursor.check_capacity(n, size * if self.order.is_some() { 4 } else { 2 }, what)
    }

    fn point(&mut self) -> Result<[f64; 3], ImportError> {
        match self.order {
            None => self.cursor.point(),
            Some(order) => self.cursor.doubles(order, "coordinate"),
        }
    }

    fn real(&mut self) -> Result<f64, ImportError> {
        match self.order {
            None => self.cursor.real("number"),
            Some(order) => self.cursor.doubles(order, "number").map(|[x]| x),
        }
    }

    /// Advances to the start of the binary data, on the next line.
    fn start_of_data(&mut self) {
        if self.order.is_some() {
            self.cursor.line();
        }
    }
}

/// Shape of an element by Gmsh's type number, and its number of nodes.
fn shape(kind: i64) -> Result<(CellShape, usize), Problem> {
    const NODES: [u8; 32] = [
        0, 2, 3, 4, 4, 8, 6, 5, 3, 6, 9, 10, 27, 18, 14, 1, 8, 20, 15, 13, 9, 10, 12, 15, 15, 21,
        4, 5, 6, 20, 35, 56,
    ];
    let shape = match kind {
        1 | 8 | 15 | 26..=28 => CellShape::Ignored,
        2 | 9 | 20..=25 => CellShape::Triangle,
        3 | 10 | 16 => CellShape::Quad,
        4 | 11 | 29..=31 => CellShape::Tet,
        other => return Err(unsupported_cell(other)),
    };
    Ok((shape, NODES[kind as usize].into()))
}
