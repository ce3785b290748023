//! Header of a PLY file: the encoding, and the elements with their properties.

use super::super::cursor::words;
use super::{ByteOrder, Cursor, ImportError, Problem, excerpt};

/// Maximum number of elements; real files have two or three.
const MAX_ELEMENTS: u64 = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Binary(ByteOrder),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Minimum number of bytes of a number: in text, a digit and a blank.
    pub fn least_bytes(self, encoding: Encoding) -> usize {
        match (encoding, self) {
            (Encoding::Text, _) => 2,
            (_, Self::I8 | Self::U8) => 1,
            (_, Self::I16 | Self::U16) => 2,
            (_, Self::I32 | Self::U32 | Self::F32) => 4,
            (_, Self::F64) => 8,
        }
    }
}

/// A number, or a list of numbers.
#[derive(Debug)]
pub(super) struct Property<'a> {
    pub name: &'a [u8],
    pub kind: Kind,
    /// For a list, the type of its length.
    pub list: Option<Kind>,
}

impl Property<'_> {
    pub fn least_bytes(&self, encoding: Encoding) -> usize {
        self.list.unwrap_or(self.kind).least_bytes(encoding)
    }
}

#[derive(Debug)]
pub(super) struct Element<'a> {
    pub name: &'a [u8],
    pub count: u64,
    pub properties: Vec<Property<'a>>,
}

/// Reads up to and including the line `end_header`.
pub(super) fn read<'a>(
    cursor: &mut Cursor<'a>,
) -> Result<(Encoding, Vec<Element<'a>>), ImportError> {
    let first = cursor.line().unwrap_or_default();
    if first.trim_ascii() != b"ply" {
        return Err(cursor.syntax("\"ply\"", first));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let Some(line) = cursor.line() else {
            return Err(cursor.error(Problem::Truncated { what: "the header" }));
        };
        let list: Vec<_> = words(line).take(6).collect();
        match list[..] {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", word, b"1.0"] => encoding = Some(encoding_of(cursor, word)?),
            [b"element", name, count] => {
                let count = cursor.natural_of(count, "number of rows")?;
                if elements.len() as u64 == MAX_ELEMENTS {
                    let (found, most) = (MAX_ELEMENTS + 1, MAX_ELEMENTS);
                    return Err(cursor.error(Problem::TooLarge { what: "elements", found, most }));
                }
                if elements.iter().any(|e| e.name == name) {
                    return Err(cursor.syntax("an element with a unique name", name));
                }
                elements.push(Element { name, count, properties: Vec::new() });
            }
            [b"property", b"list", length, kind, name] => {
                let property = Property {
                    name,
                    kind: kind_of(cursor, kind)?,
                    list: Some(kind_of(cursor, length)?),
                };
                add(cursor, &mut elements, property)?;
            }
            [b"property", kind, name] => {
                let property = Property { name, kind: kind_of(cursor, kind)?, list: None };
                add(cursor, &mut elements, property)?;
            }
            [b"end_header"] => break,
            _ => return Err(cursor.syntax("a line of a PLY header", line)),
        }
    }
    match encoding {
        Some(encoding) => Ok((encoding, elements)),
        None => Err(cursor.syntax("a \"format\" line in the header", b"end_header")),
    }
}

fn add<'a>(
    cursor: &Cursor,
    elements: &mut [Element<'a>],
    property: Property<'a>,
) -> Result<(), ImportError> {
    match elements.last_mut() {
        Some(element) => {
            element.properties.push(property);
            Ok(())
        }
        None => Err(cursor.syntax("an \"element\" line before its properties", property.name)),
    }
}

fn kind_of(cursor: &Cursor, word: &[u8]) -> Result<Kind, ImportError> {
    Kind::of(word).ok_or_else(|| cursor.syntax("a number type", word))
}

fn encoding_of(cursor: &Cursor, word: &[u8]) -> Result<Encoding, ImportError> {
    Ok(match word {
        b"ascii" => Encoding::Text,
        b"binary_little_endian" => Encoding::Binary(ByteOrder::Little),
        b"binary_big_endian" => Encoding::Binary(ByteOrder::Big),
        _ => {
            let what = format!("encoding {:?}", excerpt(word));
            let remedy = "write the file as ascii or binary_little_endian";
            return Err(cursor.error(Problem::Unsupported { what, remedy }));
        }
    })
}
