//! Stanford PLY: elements with the properties declared in the header, as text or as binary of either byte
//! order.
//!
//! The vertex properties read are `x y z` and texture coordinates under their usual names (`u v`, `s t`,
//! `texture_u texture_v`). The face properties read are `vertex_indices` (or `vertex_index`) and, if corners
//! have their own texture coordinates, the list `texcoord`. All others are ignored.

mod header;

use super::cursor::{ByteOrder, Cursor};
use super::error::excerpt;
use super::{Format, ImportError, Imported, Problem, Source, fan};
use crate::surface::{Surface, Uvs};
use header::{Element, Encoding, Kind, Property};

pub(super) const FORMAT: Format = Format {
    name: "Stanford PLY",
    extensions: &["ply"],
    content: "polygons, texture coordinates; text, binary of both byte orders",
    read,
};

fn read(source: &Source) -> Result<Imported, ImportError> {
    let mut cursor = source.cursor();
    let (encoding, elements) = header::read(&mut cursor)?;
    let vertex_count = elements.iter().find(|e| e.name == b"vertex").map_or(0, |e| e.count);
    let mut body = Body { source, cursor, encoding, mesh: Mesh::default(), vertex_count };
    for element in &elements {
        // Rows without properties take no bytes, so their number is unbounded.
        if element.properties.is_empty() && element.name != b"vertex" {
            continue;
        }
        let least: usize = element.properties.iter().map(|p| p.least_bytes(encoding)).sum();
        let what = if element.name == b"vertex" { "vertices" } else { "rows of an element" };
        let rows = match least {
            0 => 0,
            least => body.cursor.check_capacity(element.count, least, what)?,
        };
        match element.name {
            b"vertex" => body.vertices(element, rows)?,
            b"face" => body.faces(element, rows)?,
            _ => body.skip(element, rows)?,
        }
    }
    source.surfaces(vec![body.mesh.finish(source.stem())])
}

#[derive(Default)]
struct Mesh {
    positions: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    vertex_uvs: Vec<[f64; 2]>,
    /// Texture coordinates by corner, and their indices for each triangle.
    corner_uvs: Vec<[f64; 2]>,
    corners: Vec<[u32; 3]>,
}

impl Mesh {
    fn finish(self, name: String) -> Surface {
        let uvs = if !self.corner_uvs.is_empty() {
            Some(Uvs { values: self.corner_uvs, corners: self.corners })
        } else if !self.vertex_uvs.is_empty() {
            Some(Uvs { values: self.vertex_uvs, corners: self.triangles.clone() })
        } else {
            None
        };
        let (positions, triangles) = (self.positions, self.triangles);
        Surface { name, positions, triangles, uvs, ..Surface::default() }
    }
}

struct Body<'a, 'b> {
    source: &'b Source<'a>,
    cursor: Cursor<'a>,
    encoding: Encoding,
    mesh: Mesh,
    vertex_count: u64,
}

impl Body<'_, '_> {
    /// Error located at the last number read.
    fn error(&self, problem: Problem) -> ImportError {
        match self.encoding {
            Encoding::Text => self.cursor.error(problem),
            Encoding::Binary(_) => self.cursor.byte_error(problem),
        }
    }

    fn vertices(&mut self, element: &Element, rows: usize) -> Result<(), ImportError> {
        self.source.check_vertices(rows)?;
        let column = |name: &str| element.properties.iter().position(|p| p.name == name.as_bytes());
        let place = [column("x"), column("y"), column("z")];
        let [Some(x), Some(y), Some(z)] = place else {
            return Err(self.cursor.syntax("an element \"vertex\" with x, y and z", element.name));
        };
        const UVS: [[&str; 2]; 4] =
            [["u", "v"], ["s", "t"], ["texture_u", "texture_v"], ["texture_s", "texture_t"]];
        let uv = UVS.iter().find_map(|[u, v]| Some([column(u)?, column(v)?]));
        self.mesh.positions.reserve_exact(rows);
        let mut row = vec![0.0; element.properties.len()];
        for _ in 0..rows {
            for (value, property) in row.iter_mut().zip(&element.properties) {
                *value = match property.list {
                    None => self.number(property.kind)?,
                    Some(_) => self.list(property, |_, _, _| Ok(()))? as f64,
                };
            }
            self.mesh.positions.push(self.finite([row[x], row[y], row[z]], "coordinate")?);
            if let Some([u, v]) = uv {
                let uv = self.finite([row[u], row[v]], "texture coordinate")?;
                self.mesh.vertex_uvs.push(uv);
            }
        }
        Ok(())
    }

    fn finite<const N: usize>(
        &self,
        values: [f64; N],
        what: &'static str,
    ) -> Result<[f64; N], ImportError> {
        match values.iter().find(|x| !x.is_finite()) {
            None => Ok(values),
            Some(x) => Err(self.error(Problem::NotFinite { what, found: x.to_string() })),
        }
    }

    fn faces(&mut self, element: &Element, rows: usize) -> Result<(), ImportError> {
        let (mut corners, mut uvs) = (Vec::new(), Vec::new());
        for _ in 0..rows {
            corners.clear();
            uvs.clear();
            for property in &element.properties {
                match (property.list, property.name) {
                    (None, _) => {
                        self.number(property.kind)?;
                    }
                    (Some(_), b"vertex_indices" | b"vertex_index") => {
                        self.list(property, |body, _, x| {
                            corners.push(body.index(x)?);
                            Ok(())
                        })?;
                    }
                    (Some(_), b"texcoord") => {
                        self.list(property, |body, _, x| {
                            uvs.extend(body.finite([x], "texture coordinate")?);
                            Ok(())
                        })?;
                    }
                    (Some(_), _) => {
                        self.list(property, |_, _, _| Ok(()))?;
                    }
                }
            }
            self.add_face(&corners, &uvs)?;
        }
        Ok(())
    }

    fn index(&self, x: f64) -> Result<u32, ImportError> {
        let count = self.vertex_count as usize;
        if x >= 0.0 && x < count as f64 && x.fract() == 0.0 {
            return Ok(x as u32);
        }
        Err(self.error(Problem::Index { what: "vertex", found: x.to_string(), count }))
    }

    /// Adds a polygon with no texture coordinates, or with two numbers per corner.
    fn add_face(&mut self, corners: &[u32], uvs: &[f64]) -> Result<(), ImportError> {
        if corners.len() < 3 || !(uvs.is_empty() || uvs.len() == 2 * corners.len()) {
            const EXPECTED: &str = "a face with at least three vertices, and none or all of their \
                texture coordinates";
            let found = format!("{} vertices, {} texture values", corners.len(), uvs.len());
            return Err(self.error(Problem::Syntax { expected: EXPECTED, found }));
        }
        let mesh = &mut self.mesh;
        mesh.triangles.extend(fan(corners));
        // Faces without texture coordinates in a mesh that has some get zeros.
        if !uvs.is_empty() || !mesh.corner_uvs.is_empty() {
            if mesh.corner_uvs.is_empty() {
                mesh.corner_uvs.push([0.0; 2]);
                mesh.corners = vec![[0; 3]; mesh.triangles.len() - (corners.len() - 2)];
            }
            let first = mesh.corner_uvs.len() as u32;
            mesh.corner_uvs.extend(uvs.as_chunks().0);
            let number = |k: usize| if uvs.is_empty() { 0 } else { first + k as u32 };
            let numbers: Vec<u32> = (0..corners.len()).map(number).collect();
            mesh.corners.extend(fan(&numbers));
        }
        self.source.check_cells(self.mesh.triangles.len())
    }

    fn skip(&mut self, element: &Element, rows: usize) -> Result<(), ImportError> {
        for _ in 0..rows {
            for property in &element.properties {
                match property.list {
                    None => self.number(property.kind).map(drop)?,
                    Some(_) => self.list(property, |_, _, _| Ok(())).map(drop)?,
                }
            }
        }
        Ok(())
    }

    /// Reads a list, passes each entry to the callback, and returns the number of entries.
    fn list(
        &mut self,
        property: &Property,
        mut each: impl FnMut(&Self, usize, f64) -> Result<(), ImportError>,
    ) -> Result<usize, ImportError> {
        const WHAT: &str = "entries of a list";
        let length = self.number(property.list.unwrap_or(Kind::U8))?;
        if !(length >= 0.0) {
            let found = length.to_string();
            return Err(self.error(Problem::Number { what: "length of a list", found }));
        }
        let n = self.cursor.check_capacity(
            length as u64,
            property.kind.least_bytes(self.encoding),
            WHAT,
        )?;
        for k in 0..n {
            let value = self.number(property.kind)?;
            each(self, k, value)?;
        }
        Ok(n)
    }

    /// Reads the next number, finite or not.
    fn number(&mut self, kind: Kind) -> Result<f64, ImportError> {
        const WHAT: &str = "a row of an element";
        let Encoding::Binary(order) = self.encoding else { return self.text_number(kind) };
        let cursor = &mut self.cursor;
        Ok(match kind {
            Kind::I8 => i8::from_le_bytes(cursor.raw(order, WHAT)?).into(),
            Kind::U8 => u8::from_le_bytes(cursor.raw(order, WHAT)?).into(),
            Kind::I16 => i16::from_le_bytes(cursor.raw(order, WHAT)?).into(),
            Kind::U16 => u16::from_le_bytes(cursor.raw(order, WHAT)?).into(),
            Kind::I32 => i32::from_le_bytes(cursor.raw(order, WHAT)?).into(),
            Kind::U32 => u32::from_le_bytes(cursor.raw(order, WHAT)?).into(),
            Kind::F32 => f32::from_le_bytes(cursor.raw(order, WHAT)?).into(),
            Kind::F64 => f64::from_le_bytes(cursor.raw(order, WHAT)?),
        })
    }

    fn text_number(&mut self, kind: Kind) -> Result<f64, ImportError> {
        let word = self.cursor.expect_word("a row of an element")?;
        if !matches!(kind, Kind::F32 | Kind::F64) {
            return Ok(self.cursor.integer_of(word, "integer")? as f64);
        }
        let number = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| {
            self.cursor.error(Problem::Number { what: "number", found: excerpt(word) })
        })
    }
}
