//! Wavefront OBJ, one file per frame, with all bodies as objects.

use std::io::{self, Write};

use super::number::reals;
use super::sequence::{FrameFormat, Sequence};
use super::{Files, Format, Track};
use crate::Surface;

pub(super) const FORMAT: Format = Format {
    name: "Wavefront OBJ",
    extension: "obj",
    files: Files::PerFrame,
    form: "text",
    preserves: "names, UVs per corner, groups, strands (lines), vertex order",
    has_strands: true,
    has_tears: true,
    create: Sequence::<Obj>::create,
};

/// Constant parts of every frame: the header of each body, and everything after its vertices.
struct Obj {
    bodies: Vec<(String, Vec<u8>)>,
}

impl FrameFormat for Obj {
    const EXTENSION: &'static str = FORMAT.extension;

    fn new(tracks: &[Track<'_>]) -> Self {
        // Indices start at 1 and count over all objects of the file.
        let (mut vertex, mut uv) = (1, 1);
        let mut bodies = Vec::new();
        for (number, track) in tracks.iter().enumerate() {
            let mut tail = Vec::new();
            match track.cells() {
                Ok(surface) => {
                    faces(&mut tail, surface, vertex, uv);
                    uv += surface.uvs.as_ref().map_or(0, |uvs| uvs.values.len());
                }
                Err(strands) => {
                    let mut first = vertex;
                    for &length in &strands.lengths {
                        let chain = (first..first + length as usize).map(|v| format!(" {v}"));
                        tail.extend(format!("l{}\n", chain.collect::<String>()).into_bytes());
                        first += length as usize;
                    }
                }
            }
            vertex += track.vertices();
            bodies.push((one_line(&track.name_or(number)), tail));
        }
        Self { bodies }
    }

    fn write(&self, mut out: &mut dyn Write, bodies: &[&[[f32; 3]]]) -> io::Result<()> {
        for ((name, tail), positions) in self.bodies.iter().zip(bodies) {
            writeln!(out, "o {name}")?;
            for p in *positions {
                out.write_all(b"v ")?;
                reals(&mut out, p, " ")?;
                out.write_all(b"\n")?;
            }
            out.write_all(tail)?;
        }
        Ok(())
    }
}

/// Writes texture coordinates and faces in surface order, with a group statement at every change of groups.
fn faces(out: &mut Vec<u8>, surface: &Surface, vertex: usize, uv: usize) {
    let mut text = String::new();
    if let Some(uvs) = &surface.uvs {
        for [u, v] in &uvs.values {
            text += &format!("vt {} {}\n", *u as f32, *v as f32);
        }
    }
    let groups = groups_of(surface);
    let mut current: &[usize] = &[];
    for (t, triangle) in surface.triangles.iter().enumerate() {
        if groups[t] != current {
            current = &groups[t];
            let names: Vec<String> =
                current.iter().map(|g| one_word(&surface.groups[*g].name)).collect();
            let line = if names.is_empty() { "default".to_owned() } else { names.join(" ") };
            text += &format!("g {line}\n");
        }
        text += "f";
        for k in 0..3 {
            let v = vertex + triangle[k] as usize;
            text += &match &surface.uvs {
                Some(uvs) => format!(" {v}/{}", uv + uvs.corners[t][k] as usize),
                None => format!(" {v}"),
            };
        }
        text += "\n";
    }
    out.extend(text.into_bytes());
}

/// Groups of each triangle.
fn groups_of(surface: &Surface) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); surface.triangles.len()];
    for (g, group) in surface.groups.iter().enumerate() {
        for &t in &group.triangles {
            groups[t as usize].push(g);
        }
    }
    groups
}

fn one_line(name: &str) -> String {
    name.replace(['\n', '\r'], " ")
}

/// Makes a name one word: a space would end a group's name.
fn one_word(name: &str) -> String {
    let word: String = name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
    if word.is_empty() { "unnamed".to_owned() } else { word }
}
