//! Nodes and elements of MSH version 2: one list each.

use super::super::cells::Numbering;
use super::{Cells, ImportError, Numbers, Problem, Source, pass_over, shape};

pub(super) type Nodes = (Vec<[f64; 3]>, Numbering);

pub(super) fn numbering(numbers: &Numbers, tags: &[i64]) -> Result<Numbering, ImportError> {
    Numbering::new(tags).map_err(|twice| {
        let expected = "unique node numbers";
        numbers.error(Problem::Syntax { expected, found: twice.to_string() })
    })
}

/// Reads a number and a position for each node.
pub(super) fn nodes(source: &Source, numbers: &mut Numbers) -> Result<Nodes, ImportError> {
    let count = numbers.cursor.count("nodes")?;
    numbers.start_of_data();
    let count = numbers.cursor.check_capacity(count as u64, 8, "nodes")?;
    source.check_vertices(count)?;
    let (mut tags, mut positions) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for _ in 0..count {
        tags.push(numbers.int("node number")?);
        positions.push(numbers.point()?);
    }
    pass_over(&mut numbers.cursor, b"Nodes")?;
    Ok((positions, numbering(numbers, &tags)?))
}

/// Reads elements: one by one in text, in blocks of one type in binary.
pub(super) fn elements(
    source: &Source,
    numbers: &mut Numbers,
    numbering: &Numbering,
    cells: &mut Cells,
) -> Result<(), ImportError> {
    let count = numbers.cursor.count("elements")?;
    numbers.start_of_data();
    let (mut done, mut vertices) = (0, Vec::new());
    while done < count {
        let text = numbers.order.is_none();
        if text {
            numbers.int("element number")?;
        }
        let kind = numbers.int("element type")?;
        let (shape, nodes) = shape(kind).map_err(|problem| numbers.error(problem))?;
        let block = if text { 1 } else { numbers.int("number of elements in a block")? };
        let tags = numbers.int("number of tags")?;
        // An empty block would cause an endless loop.
        let left = (count - done) as u64;
        if block < 1 || block as u64 > left {
            let what = "elements in a block";
            let problem = Problem::Length { what, announced: block as u64, available: left };
            return Err(numbers.error(problem));
        }
        if !(0..=1 << 16).contains(&tags) {
            let found = tags.to_string();
            return Err(numbers.error(Problem::Number { what: "number of tags", found }));
        }
        for _ in 0..block {
            if !text {
                numbers.int("element number")?;
            }
            let mut part = 0;
            for tag in 0..tags {
                let value = numbers.int("tag")?;
                part = if tag == 0 { value } else { part };
            }
            vertices.clear();
            for _ in 0..nodes {
                let v = numbering.vertex(numbers.int("node number")?);
                vertices.push(v.map_err(|problem| numbers.error(problem))?);
            }
            cells.add(shape, &vertices, part);
            source.check_cells(cells.count())?;
        }
        done += block as usize;
    }
    pass_over(&mut numbers.cursor, b"Elements")
}
