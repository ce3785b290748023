//! VTK XML unstructured grids: pieces of points and cells in data arrays.
//!
//! An array is text or binary. Binary arrays are inline base64, or base64 or raw bytes in the appended section;
//! each is stored plain, or in blocks compressed with zlib.

mod data;

use super::cells::{Cells, vtk_shape};
use super::cursor::{ByteOrder, Cursor, words};
use super::error::excerpt;
use super::vtk::add_cells;
use super::xml::{Tag, Tags};
use super::{Format, ImportError, Imported, Location, Problem, Source};
use data::{Decoder, Layout, number_of};

/// Purpose of an array of a piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Points,
    Connectivity,
    Offsets,
    Types,
}

/// An array as described by its tag.
struct Array<'a> {
    role: Role,
    kind: &'a [u8],
    format: &'a [u8],
    /// Offset in the appended section, from its underscore.
    offset: usize,
    /// Content and location of the tag.
    text: &'a [u8],
    at: usize,
}

struct Piece<'a> {
    points: u64,
    cells: u64,
    arrays: Vec<Array<'a>>,
}

pub(super) const FORMAT: Format = Format {
    name: "VTK XML",
    extensions: &["vtu"],
    content: "tets or triangles; text, base64, raw, zlib",
    read,
};

fn read(source: &Source) -> Result<Imported, ImportError> {
    let (layout, pieces) = describe(source)?;
    let budget = usize::try_from(source.limits.bytes).unwrap_or(usize::MAX);
    let mut reader = Reader { source, decoder: Decoder { layout, budget, exhausted: false } };
    let mut cells = Cells::default();
    for piece in &pieces {
        reader.piece(piece, &mut cells)?;
    }
    cells.finish(source)
}

/// Reads the tags: the encoding and the arrays of each piece.
fn describe<'a>(source: &Source<'a>) -> Result<(Layout<'a>, Vec<Piece<'a>>), ImportError> {
    let mut tags = Tags::new(source.cursor());
    let first = tags.next()?;
    let Some(file) = first.filter(|tag| tag.name == b"VTKFile") else {
        return Err(tags.cursor.syntax("<VTKFile>", source.bytes));
    };
    let mut layout = layout(&tags.cursor, &file)?;
    let (mut pieces, mut parent): (Vec<Piece>, _) = (Vec::new(), &b""[..]);
    while let Some(tag) = tags.next()? {
        match tag.name {
            b"Piece" if tag.opens => {
                let number = |name| {
                    let value = tag.attribute(name).unwrap_or_default();
                    tags.cursor.natural_of(value, "number in a <Piece>")
                };
                let (points, cells) = (number("NumberOfPoints")?, number("NumberOfCells")?);
                pieces.push(Piece { points, cells, arrays: Vec::new() });
            }
            b"Points" | b"Cells" => parent = if tag.opens { tag.name } else { b"" },
            b"DataArray" if tag.opens => {
                let role = match (parent, tag.attribute("Name").unwrap_or_default()) {
                    (b"Points", _) => Role::Points,
                    (b"Cells", b"connectivity") => Role::Connectivity,
                    (b"Cells", b"offsets") => Role::Offsets,
                    (b"Cells", b"types") => Role::Types,
                    _ => continue,
                };
                let offset = tag.attribute("offset").unwrap_or(b"0");
                let array = Array {
                    role,
                    kind: tag.attribute("type").unwrap_or_default(),
                    format: tag.attribute("format").unwrap_or(b"ascii"),
                    offset: tags
                        .cursor
                        .natural_of(offset, "offset")?
                        .try_into()
                        .unwrap_or(usize::MAX),
                    text: tags.text(),
                    at: tags.cursor.at,
                };
                if let Some(piece) = pieces.last_mut() {
                    piece.arrays.push(array);
                }
            }
            b"AppendedData" if tag.opens => {
                layout.appended_raw = tag.attribute("encoding") == Some(b"raw");
                let rest = &source.bytes[tags.cursor.at..];
                let start = rest.iter().position(|&b| b == b'_').map_or(rest.len(), |i| i + 1);
                layout.appended = &rest[start..];
                break;
            }
            _ => {}
        }
    }
    Ok((layout, pieces))
}

fn layout<'a>(cursor: &Cursor, file: &Tag) -> Result<Layout<'a>, ImportError> {
    let kind = file.attribute("type").unwrap_or_default();
    if kind != b"UnstructuredGrid" {
        return Err(cursor.syntax("the type UnstructuredGrid", kind));
    }
    let compressed = match file.attribute("compressor") {
        None => false,
        Some(b"vtkZLibDataCompressor") => true,
        Some(other) => {
            let remedy = "write the file with zlib or without compression";
            return Err(cursor.error(Problem::Unsupported { what: excerpt(other), remedy }));
        }
    };
    let order = match file.attribute("byte_order") {
        Some(b"BigEndian") => ByteOrder::Big,
        _ => ByteOrder::Little,
    };
    let word = if file.attribute("header_type") == Some(b"UInt64") { 8 } else { 4 };
    Ok(Layout { order, word, compressed, appended: b"", appended_raw: false })
}

struct Reader<'a, 'b> {
    source: &'b Source<'a>,
    decoder: Decoder<'a>,
}

impl<'a> Reader<'a, '_> {
    fn error(&self, array: &Array, problem: Problem) -> ImportError {
        problem.at(self.source.file, Location::Byte(array.at))
    }

    fn piece(&mut self, piece: &Piece<'a>, cells: &mut Cells) -> Result<(), ImportError> {
        let first = cells.positions.len();
        let clamped = |n: u64| usize::try_from(n).unwrap_or(usize::MAX / 2);
        self.source.check_vertices(first.saturating_add(clamped(piece.points)))?;
        self.source.check_cells(cells.count().saturating_add(clamped(piece.cells)))?;
        let count = piece.cells as usize;
        let points = self.numbers(piece, Role::Points, 3 * piece.points as usize)?;
        cells.positions.extend(points.as_chunks::<3>().0);
        let ends = self.numbers(piece, Role::Offsets, count)?;
        let kinds = self.numbers(piece, Role::Types, count)?;

        // The file lists the ends of the cells.
        let mut offsets = vec![0];
        for &end in &ends {
            let last = offsets[offsets.len() - 1];
            // More vertices per cell than this on average are not a valid mesh.
            let most = 32 * self.source.limits.cells;
            if !(end >= last as f64 && end <= most as f64) {
                let problem =
                    Problem::Index { what: "offset", found: end.to_string(), count: most };
                return Err(self.source.error(problem));
            }
            offsets.push(end as usize);
        }
        let total = offsets[offsets.len() - 1];
        let list = self.numbers(piece, Role::Connectivity, total)?;
        // An index outside the piece must not become a vertex of another piece.
        let own =
            |v: f64| if v >= 0.0 && v < piece.points as f64 { v as i64 + first as i64 } else { -1 };
        let vertices: Vec<i64> = list.into_iter().map(own).collect();
        let mut shapes = Vec::with_capacity(count);
        for kind in kinds {
            shapes.push(vtk_shape(kind as i64).map_err(|problem| self.source.error(problem))?);
        }
        add_cells(&offsets, &vertices, |c| shapes[c], cells)
            .map_err(|problem| self.source.error(problem))?;
        self.source.check_cells(cells.count())
    }

    /// Reads an array of exactly `count` numbers.
    fn numbers(
        &mut self,
        piece: &Piece<'a>,
        role: Role,
        count: usize,
    ) -> Result<Vec<f64>, ImportError> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let Some(array) = piece.arrays.iter().find(|array| array.role == role) else {
            let what = "a <Piece> (a data array is missing)";
            return Err(self.source.error(Problem::Truncated { what }));
        };
        let what = "numbers in a data array";
        let wrong = |reader: &Self, available: usize| {
            let (announced, available) = (count as u64, available as u64);
            reader.error(array, Problem::Length { what, announced, available })
        };
        if array.format == b"ascii" {
            let mut cursor = Cursor::new(self.source.file, self.source.bytes);
            cursor.take(array.at, what)?;
            let mut list = Vec::with_capacity(count.min(array.text.len()));
            for word in words(array.text) {
                let number = cursor.real_of(word, "number in a data array");
                list.push(number.map_err(|e| self.error(array, e.problem))?);
            }
            return if list.len() == count { Ok(list) } else { Err(wrong(self, list.len())) };
        }
        let size = match array.kind {
            b"Int8" | b"UInt8" => 1,
            b"Int16" | b"UInt16" => 2,
            b"Int32" | b"UInt32" | b"Float32" => 4,
            b"Int64" | b"UInt64" | b"Float64" => 8,
            other => {
                let problem = Problem::Syntax { expected: "a number type", found: excerpt(other) };
                return Err(self.error(array, problem));
            }
        };
        let bytes = self.bytes(array)?;
        if bytes.len() != count.saturating_mul(size) {
            return Err(wrong(self, bytes.len() / size));
        }
        let order = self.decoder.layout.order;
        let mut list = Vec::with_capacity(count);
        for number in bytes.chunks_exact(size) {
            list.push(number_of(number, array.kind, order));
        }
        match list.iter().find(|x| !x.is_finite()) {
            None => Ok(list),
            Some(x) => {
                let problem = Problem::NotFinite { what: "number", found: x.to_string() };
                Err(self.error(array, problem))
            }
        }
    }

    /// Decodes and decompresses the bytes of a binary array.
    fn bytes(&mut self, array: &Array<'a>) -> Result<Vec<u8>, ImportError> {
        let (stored, raw) = match array.format {
            b"binary" => (array.text.trim_ascii(), false),
            b"appended" => {
                let part = self.decoder.layout.appended.get(array.offset..).unwrap_or_default();
                (part, self.decoder.layout.appended_raw)
            }
            other => {
                let found = excerpt(other);
                let problem =
                    Problem::Syntax { expected: "the format ascii, binary or appended", found };
                return Err(self.error(array, problem));
            }
        };
        let bytes = self.decoder.bytes(stored, raw);
        bytes.ok_or_else(|| {
            let (what, most) = ("bytes of decoded data", self.source.limits.bytes);
            self.error(
                array,
                match self.decoder.exhausted {
                    true => Problem::TooLarge { what, found: most.saturating_add(1), most },
                    false => {
                        Problem::Truncated { what: "a binary data array, or the data is corrupt" }
                    }
                },
            )
        })
    }
}
