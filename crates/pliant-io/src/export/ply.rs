//! Stanford PLY, binary little-endian, one file per frame, all bodies in one vertex list.
//!
//! Faces carry `texcoord` (six numbers, u and v of each corner), `object` and `group`; comments in the header
//! name the objects and groups that these numbers denote.

use std::io::{self, Write};

use super::sequence::{FrameFormat, Sequence};
use super::{Files, Format, Track};

pub(super) const FORMAT: Format = Format {
    name: "Stanford PLY",
    extension: "ply",
    files: Files::PerFrame,
    form: "binary",
    preserves: "names and groups (as comments), UVs per corner, strands (edges), vertex order",
    has_strands: true,
    has_tears: true,
    create: Sequence::<Ply>::create,
};

/// Constant parts of every frame: the header, and everything after the vertices.
struct Ply {
    header: String,
    tail: Vec<u8>,
}

impl FrameFormat for Ply {
    const EXTENSION: &'static str = FORMAT.extension;

    fn new(tracks: &[Track<'_>]) -> Self {
        let textured = |t: &Track<'_>| t.cells().is_ok_and(|s| s.uvs.is_some());
        let textured = tracks.iter().any(textured);
        let mut comments = String::new();
        let (mut faces, mut edges) = (Vec::new(), Vec::new());
        let (mut face_count, mut edge_count) = (0, 0);
        let (mut first, mut group) = (0_u32, 0_i32);
        for (number, track) in tracks.iter().enumerate() {
            let name = track.name_or(number).replace(['\n', '\r'], " ");
            let count = track.vertices();
            comments += &format!("comment object {number} {first} {count} {name}\n");
            match track.cells() {
                Ok(surface) => {
                    let mut groups = vec![-1; surface.triangles.len()];
                    for g in &surface.groups {
                        let name = g.name.replace(['\n', '\r'], " ");
                        comments += &format!("comment group {group} {name}\n");
                        g.triangles.iter().for_each(|t| groups[*t as usize] = group);
                        group += 1;
                    }
                    for (t, triangle) in surface.triangles.iter().enumerate() {
                        faces.push(3);
                        faces.extend(triangle.iter().flat_map(|v| (v + first).to_le_bytes()));
                        if textured {
                            let corners = surface.uvs.as_ref().map_or([[0.0; 2]; 3], |uvs| {
                                uvs.corners[t].map(|c| uvs.values[c as usize].map(|v| v as f32))
                            });
                            faces.push(6);
                            faces.extend(
                                corners.as_flattened().iter().flat_map(|c| c.to_le_bytes()),
                            );
                        }
                        faces.extend((number as i32).to_le_bytes());
                        faces.extend(groups[t].to_le_bytes());
                    }
                    face_count += surface.triangles.len();
                }
                Err(strands) => {
                    for pair in strands.segments() {
                        edges.extend(pair.iter().flat_map(|v| (v + first).to_le_bytes()));
                        edge_count += 1;
                    }
                }
            }
            first += count as u32;
        }
        let mut header = format!(
            "ply\nformat binary_little_endian 1.0\n{comments}element vertex {first}\n\
             property float x\nproperty float y\nproperty float z\n"
        );
        header += &format!("element face {face_count}\nproperty list uchar uint vertex_indices\n");
        if textured {
            header += "property list uchar float texcoord\n";
        }
        header += "property int object\nproperty int group\n";
        if edge_count > 0 {
            header += &format!("element edge {edge_count}\n");
            header += "property uint vertex1\nproperty uint vertex2\n";
        }
        header += "end_header\n";
        faces.append(&mut edges);
        Self { header, tail: faces }
    }

    fn write(&self, out: &mut dyn Write, bodies: &[&[[f32; 3]]]) -> io::Result<()> {
        out.write_all(self.header.as_bytes())?;
        let mut block = Vec::new();
        for positions in bodies {
            block.clear();
            block.extend(positions.as_flattened().iter().flat_map(|c| c.to_le_bytes()));
            out.write_all(&block)?;
        }
        out.write_all(&self.tail)
    }
}
