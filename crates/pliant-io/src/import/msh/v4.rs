//! Entities, nodes and elements of MSH version 4.1: nodes and elements in blocks by entity, and physical groups
//! as a property of entities.

use std::collections::BTreeMap;

use super::super::cells::Numbering;
use super::v2::{Nodes, numbering};
use super::{Cells, ImportError, Numbers, Problem, Source, pass_over, shape};

/// Physical group of an entity, by dimension and number.
pub(super) type Entities = BTreeMap<(i64, i64), i64>;

/// Minimum size of the parts of the format in four-byte numbers, for binary. A number in text takes at least
/// two bytes, so half as many numbers are always present.
const MIN_ENTITY_WORDS: usize = 5;
const MIN_BLOCK_WORDS: usize = 4;
const MIN_NODE_WORDS: usize = 4;

pub(super) fn entities(numbers: &mut Numbers) -> Result<Entities, ImportError> {
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = numbers.count(MIN_ENTITY_WORDS, "entities")?;
    }
    let mut groups = BTreeMap::new();
    for (dimension, &count) in counts.iter().enumerate() {
        for _ in 0..count {
            let entity = numbers.int("entity")?;
            // Position of a point; bounding box of any other entity.
            for _ in 0..if dimension == 0 { 3 } else { 6 } {
                numbers.real()?;
            }
            for k in 0..numbers.count(1, "physical groups of an entity")? {
                let group = numbers.int("physical group")?;
                if k == 0 {
                    groups.insert((dimension as i64, entity), group);
                }
            }
            if dimension > 0 {
                for _ in 0..numbers.count(1, "boundaries of an entity")? {
                    numbers.int("boundary")?;
                }
            }
        }
    }
    pass_over(&mut numbers.cursor, b"Entities")?;
    Ok(groups)
}

pub(super) fn nodes(source: &Source, numbers: &mut Numbers) -> Result<Nodes, ImportError> {
    let blocks = numbers.count(MIN_BLOCK_WORDS, "blocks of nodes")?;
    let total = numbers.count(MIN_NODE_WORDS, "nodes")?;
    source.check_vertices(total)?;
    numbers.long("minimum node number")?;
    numbers.long("maximum node number")?;
    let (mut tags, mut positions) = (Vec::with_capacity(total), Vec::with_capacity(total));
    for _ in 0..blocks {
        let dimension = numbers.int("dimension")?;
        numbers.int("entity")?;
        let parameters = if numbers.int("parametric flag")? == 0 { 0 } else { dimension };
        if !(0..=3).contains(&parameters) {
            let found = parameters.to_string();
            return Err(numbers.error(Problem::Number { what: "dimension", found }));
        }
        let count = numbers.count(MIN_NODE_WORDS, "nodes in a block")?;
        source.check_vertices(tags.len() + count)?;
        for _ in 0..count {
            tags.push(numbers.long("node number")?);
        }
        for _ in 0..count {
            positions.push(numbers.point()?);
            for _ in 0..parameters {
                numbers.real()?;
            }
        }
    }
    pass_over(&mut numbers.cursor, b"Nodes")?;
    if tags.len() != total {
        let (announced, available) = (total as u64, tags.len() as u64);
        return Err(numbers.error(Problem::Length { what: "nodes", announced, available }));
    }
    Ok((positions, numbering(numbers, &tags)?))
}

pub(super) fn elements(
    source: &Source,
    numbers: &mut Numbers,
    numbering: &Numbering,
    entities: &Entities,
    cells: &mut Cells,
) -> Result<(), ImportError> {
    let blocks = numbers.count(MIN_BLOCK_WORDS, "blocks of elements")?;
    let total = numbers.count(2, "elements")?;
    numbers.long("minimum element number")?;
    numbers.long("maximum element number")?;
    let (mut vertices, mut done) = (Vec::new(), 0);
    for _ in 0..blocks {
        let dimension = numbers.int("dimension")?;
        let entity = numbers.int("entity")?;
        let kind = numbers.int("element type")?;
        let (shape, nodes) = shape(kind).map_err(|problem| numbers.error(problem))?;
        let part = entities.get(&(dimension, entity)).copied().unwrap_or(0);
        let count = numbers.count(1 + nodes, "elements in a block")?;
        for _ in 0..count {
            numbers.long("element number")?;
            vertices.clear();
            for _ in 0..nodes {
                let v = numbering.vertex(numbers.long("node number")?);
                vertices.push(v.map_err(|problem| numbers.error(problem))?);
            }
            cells.add(shape, &vertices, part);
            source.check_cells(cells.count())?;
        }
        done += count;
    }
    if done != total {
        let (announced, available) = (total as u64, done as u64);
        return Err(numbers.error(Problem::Length { what: "elements", announced, available }));
    }
    pass_over(&mut numbers.cursor, b"Elements")
}
