//! TetGen: vertices in a `.node` file, tets in an `.ele` file of the same name beside it.
//!
//! Vertices are numbered from 0 or from 1, as determined by the first one. Tets of ten nodes are reduced to
//! their corners; the first attribute of a tet is its region. Text after `#` is a comment.

use std::path::Path;

use super::cells::{CellShape, Cells, Numbering};
use super::cursor::{Cursor, words};
use super::error::excerpt;
use super::{Format, ImportError, Imported, Problem, Source};

pub(super) const FORMAT: Format = Format {
    name: "TetGen",
    extensions: &["node", "ele"],
    content: "tets, region attributes; .node and .ele in the same folder",
    read,
};

fn read(source: &Source) -> Result<Imported, ImportError> {
    let extension = Path::new(source.file).extension().unwrap_or_default();
    let has_tets = extension.eq_ignore_ascii_case("ele");
    let other = if has_tets { "node" } else { "ele" };
    // References are URIs, in which a percent sign is an escape.
    let reference = format!("{}.{other}", source.stem()).replace('%', "%25");
    let beside = source.resolver.read(&reference, source.limits.bytes);
    let beside = beside.map_err(|problem| source.error(problem))?;
    let other_file = Path::new(source.file).with_extension(other).display().to_string();
    let other_file = Cursor::new(&other_file, &beside);
    let (node, ele) =
        if has_tets { (other_file, source.cursor()) } else { (source.cursor(), other_file) };
    let mut cells = Cells::default();
    let numbering = read_nodes(source, node, &mut cells)?;
    read_tets(source, ele, &numbering, &mut cells)?;
    cells.finish(source)
}

fn read_nodes(
    source: &Source,
    mut cursor: Cursor,
    cells: &mut Cells,
) -> Result<Numbering, ImportError> {
    let header = cursor.content_without_comment("the header of the vertices")?;
    let mut list = words(header);
    let count = cursor.natural_of(list.next().unwrap_or_default(), "number of vertices")?;
    let dimension = list.next().unwrap_or(b"3");
    if dimension != b"3" {
        return Err(cursor.syntax("the dimension 3", dimension));
    }
    // A number, three coordinates and the separators between them.
    let count = cursor.check_capacity(count, 8, "vertices")?;
    source.check_vertices(count)?;
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        let line = cursor.content_without_comment("the vertices")?;
        let mut list = words(line);
        numbers.push(cursor.integer_of(list.next().unwrap_or_default(), "vertex number")?);
        let mut point = [0.0; 3];
        for x in &mut point {
            *x = cursor.real_of(list.next().unwrap_or_default(), "coordinate")?;
        }
        cells.positions.push(point);
    }
    Numbering::new(&numbers).map_err(|twice| {
        let expected = "unique vertex numbers";
        cursor.error(Problem::Syntax { expected, found: twice.to_string() })
    })
}

fn read_tets(
    source: &Source,
    mut cursor: Cursor,
    numbering: &Numbering,
    cells: &mut Cells,
) -> Result<(), ImportError> {
    let header = cursor.content_without_comment("the header of the tets")?;
    let mut list = words(header);
    let count = cursor.natural_of(list.next().unwrap_or_default(), "number of tets")?;
    let nodes = list.next().unwrap_or(b"4");
    let nodes = match nodes {
        b"4" => 4,
        b"10" => 10,
        _ => return Err(cursor.syntax("4 or 10 vertices per tet", nodes)),
    };
    let regions = list.next().is_some_and(|n| n != b"0");
    let count = cursor.check_capacity(count, 10, "tets")?;
    source.check_cells(count)?;
    for _ in 0..count {
        let line = cursor.content_without_comment("the tets")?;
        let mut list = words(line);
        cursor.integer_of(list.next().unwrap_or_default(), "tet number")?;
        let mut vertices = [0; 4];
        for v in &mut vertices {
            let number = cursor.integer_of(list.next().unwrap_or_default(), "vertex number")?;
            *v = numbering.vertex(number).map_err(|problem| cursor.error(problem))?;
        }
        let region = list.nth(nodes - 4).filter(|_| regions);
        let region = region.map_or(Ok(0.0), |word| cursor.real_of(word, "region"))?;
        if region.fract() != 0.0 {
            let found = excerpt(region.to_string().as_bytes());
            return Err(cursor.error(Problem::Number { what: "region", found }));
        }
        cells.add(CellShape::Tet, &vertices, region as i64);
    }
    Ok(())
}
