//! USD as text (`.usda`): a mesh or curves per body, with time samples of the points.
//!
//! The samples of one prim must be contiguous, while each frame provides all bodies at once. So each body's
//! samples go to a temporary file of their own, and these are joined at the end.
//!
//! A surface that may tear has time samples of its faces as well, one at every change. Removed triangles are
//! collapsed to a point, so that the number of faces and the texture coordinates stay the same.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::temp_file::TempFile;
use super::track::FrameValidator;
use super::usd_text::{Names, code, integers, quoted, vectors};
use super::{ExportError, Exporter, Files, Format, Strands, Timing, Track};
use crate::Surface;

pub(super) const FORMAT: Format = Format {
    name: "USD",
    extension: "usda",
    files: Files::Single,
    form: "text with time samples",
    preserves: "names, UVs per corner, groups (subsets), strands (curves), vertex order",
    has_strands: true,
    has_tears: true,
    create: |path, tracks, timing| Ok(Box::new(Usd::create(path, tracks, timing)?)),
};

/// Name of the root prim, which also contains the materials.
const ROOT: &str = "Animation";
const MATERIALS: &str = "Materials";

struct Usd {
    path: PathBuf,
    validator: FrameValidator,
    fps: f64,
    bodies: Vec<Prim>,
    materials: Vec<u8>,
}

struct Prim {
    /// Text before and after the time samples.
    head: Vec<u8>,
    tail: Vec<u8>,
    samples: TempFile,
    tearing: Option<Tearing>,
    /// Time code and bounding box of each frame.
    extents: Vec<(f64, [[f32; 3]; 2])>,
    /// True if one sample suffices: values hold between and beyond samples.
    still: bool,
}

/// A surface that may tear, its face samples, and the latest of them.
struct Tearing {
    surface: Surface,
    faces: TempFile,
    last: Vec<[u32; 3]>,
}

impl Tearing {
    /// Adds a face sample if the faces changed; returns the points.
    fn frame(&mut self, at: f64, positions: &[[f32; 3]]) -> io::Result<Vec<[f32; 3]>> {
        let (triangles, points) = self.surface.compacted(positions);
        if triangles != self.last {
            write!(self.faces, "            {}: ", code(at))?;
            integers(&mut self.faces, triangles.as_flattened().iter().copied())?;
            self.faces.write_all(b",\n")?;
            self.last = triangles;
        }
        Ok(points)
    }
}

impl Usd {
    fn create(path: &Path, tracks: &[Track<'_>], timing: Timing) -> Result<Self, ExportError> {
        let (mut names, mut material_names) = (Names::default(), Names::default());
        names.identifier(MATERIALS);
        let (mut bodies, mut materials) = (Vec::new(), Vec::new());
        for (number, track) in tracks.iter().enumerate() {
            let name = track.name_or(number);
            let identifier = names.identifier(&name);
            let (mut head, mut tail) = (Vec::new(), Vec::new());
            let written = match track.cells() {
                Ok(surface) => mesh(&mut head, surface, &identifier, &name)
                    .and_then(|()| groups(&mut tail, &mut materials, surface, &mut material_names)),
                Err(strands) => curves(&mut head, strands, &identifier, &name),
            };
            written.map_err(ExportError::io(path))?;
            let samples = TempFile::create(path, &format!(".{number}"))?;
            let tearing = match track {
                Track::Surface(surface) if surface.may_tear() => {
                    let faces = TempFile::create(path, &format!(".{number}.faces"))?;
                    let surface = (*surface).clone();
                    Some(Tearing { surface, faces, last: Vec::new() })
                }
                _ => None,
            };
            let (extents, still) = (Vec::new(), track.is_still());
            bodies.push(Prim { head, tail, samples, tearing, extents, still });
        }
        let validator = FrameValidator::new(tracks);
        Ok(Self { path: path.to_owned(), validator, fps: timing.fps, bodies, materials })
    }

    /// Time code of a time: frames since the first one.
    fn code(&self, time: f64) -> f64 {
        (time - self.validator.times().map_or(time, |(first, _)| first)) * self.fps
    }

    fn write(self, file: &mut TempFile, end: f64) -> Result<(), ExportError> {
        let (fps, end) = (self.fps, code(end));
        let header = format!(
            "#usda 1.0\n(\n    defaultPrim = \"{ROOT}\"\n    endTimeCode = {end}\n    \
             framesPerSecond = {fps}\n    metersPerUnit = 1\n    startTimeCode = 0\n    \
             timeCodesPerSecond = {fps}\n    upAxis = \"Y\"\n)\n\ndef Xform \"{ROOT}\"\n{{\n"
        );
        file.write_bytes(header.as_bytes())?;
        for body in self.bodies {
            file.write_bytes(&body.head)?;
            file.write_bytes(b"        float3[] extent.timeSamples = {\n")?;
            for (at, extent) in &body.extents {
                let mut line = format!("            {}: ", code(*at)).into_bytes();
                vectors(&mut line, extent.iter().copied()).map_err(ExportError::io(&self.path))?;
                line.extend(b",\n");
                file.write_bytes(&line)?;
            }
            if let Some(tearing) = body.tearing {
                file.write_bytes(b"        }\n        int[] faceVertexIndices.timeSamples = {\n")?;
                file.append(tearing.faces)?;
            }
            file.write_bytes(b"        }\n        point3f[] points.timeSamples = {\n")?;
            file.append(body.samples)?;
            file.write_bytes(b"        }\n")?;
            file.write_bytes(&body.tail)?;
            file.write_bytes(b"    }\n")?;
        }
        if !self.materials.is_empty() {
            file.write_bytes(format!("\n    def Scope \"{MATERIALS}\"\n    {{\n").as_bytes())?;
            file.write_bytes(&self.materials)?;
            file.write_bytes(b"    }\n")?;
        }
        file.write_bytes(b"}\n")
    }
}

impl Exporter for Usd {
    fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        self.validator.check(time, bodies)?;
        let at = self.code(time);
        for (body, positions) in self.bodies.iter_mut().zip(bodies) {
            if body.still && !body.extents.is_empty() {
                continue;
            }
            let torn;
            let mut positions = *positions;
            if let Some(tearing) = &mut body.tearing {
                torn = tearing.frame(at, positions).map_err(ExportError::io(&self.path))?;
                positions = torn.as_slice();
            }
            let mut write = || {
                write!(body.samples, "            {}: ", code(at))?;
                vectors(&mut body.samples, positions.iter().copied())?;
                body.samples.write_all(b",\n")
            };
            write().map_err(ExportError::io(&self.path))?;
            let mut extent = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
            for p in positions {
                for k in 0..3 {
                    extent[0][k] = extent[0][k].min(p[k]);
                    extent[1][k] = extent[1][k].max(p[k]);
                }
            }
            body.extents.push((at, extent));
        }
        self.validator.record_frame(time);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, ExportError> {
        let Some((_, last)) = self.validator.times() else {
            return Err(ExportError::NoFrames { path: self.path });
        };
        let mut file = TempFile::create(&self.path, "")?;
        let end = self.code(last);
        self.write(&mut file, end)?;
        Ok(vec![file.commit()?])
    }
}

fn mesh(out: &mut Vec<u8>, surface: &Surface, identifier: &str, name: &str) -> io::Result<()> {
    writeln!(out, "    def Mesh \"{identifier}\" (\n        displayName = {}", quoted(name))?;
    writeln!(out, "    )\n    {{\n        uniform bool doubleSided = 1")?;
    write!(out, "        int[] faceVertexCounts = ")?;
    integers(out, surface.triangles.iter().map(|_| 3))?;
    if !surface.may_tear() {
        write!(out, "\n        int[] faceVertexIndices = ")?;
        integers(out, surface.triangles.as_flattened().iter().copied())?;
    }
    writeln!(out, "\n        uniform token orientation = \"rightHanded\"")?;
    if let Some(uvs) = &surface.uvs {
        write!(out, "        texCoord2f[] primvars:st = ")?;
        vectors(out, uvs.values.iter().map(|uv| uv.map(|c| c as f32)))?;
        write!(out, " (\n            interpolation = \"faceVarying\"\n        )\n")?;
        write!(out, "        int[] primvars:st:indices = ")?;
        integers(out, uvs.corners.as_flattened().iter().copied())?;
        writeln!(out)?;
    }
    writeln!(out, "        uniform token subdivisionScheme = \"none\"")
}

/// Writes groups as subsets of faces. If no groups overlap, each is bound to a material of its name, which is
/// the form in which other tools keep them.
fn groups(
    out: &mut Vec<u8>,
    materials: &mut Vec<u8>,
    surface: &Surface,
    material_names: &mut Names,
) -> io::Result<()> {
    let mut taken = vec![false; surface.triangles.len()];
    let all = surface.groups.iter().flat_map(|g| &g.triangles);
    let apart =
        all.fold(true, |apart, t| apart & !std::mem::replace(&mut taken[*t as usize], true));
    let mut names = Names::default();
    for group in &surface.groups {
        let (identifier, shown) = (names.identifier(&group.name), quoted(&group.name));
        write!(
            out,
            "\n        def GeomSubset \"{identifier}\" (\n            displayName = {shown}\n"
        )?;
        if apart {
            out.write_all(b"            prepend apiSchemas = [\"MaterialBindingAPI\"]\n")?;
        }
        let family = if apart { "materialBind" } else { "group" };
        writeln!(out, "        )\n        {{\n            uniform token elementType = \"face\"")?;
        writeln!(out, "            uniform token familyName = \"{family}\"")?;
        write!(out, "            int[] indices = ")?;
        integers(out, group.triangles.iter().copied())?;
        writeln!(out)?;
        if apart {
            let material = material_names.identifier(&group.name);
            let path = format!("/{ROOT}/{MATERIALS}/{material}");
            writeln!(out, "            rel material:binding = <{path}>")?;
            write!(
                materials,
                "        def Material \"{material}\" (\n            displayName = {shown}\n        )\n        \
                 {{\n            token outputs:surface.connect = <{path}/Surface.outputs:surface>\n\n            \
                 def Shader \"Surface\"\n            {{\n                \
                 uniform token info:id = \"UsdPreviewSurface\"\n                \
                 token outputs:surface\n            }}\n        }}\n"
            )?;
        }
        writeln!(out, "        }}")?;
    }
    Ok(())
}

fn curves(out: &mut Vec<u8>, strands: &Strands, identifier: &str, name: &str) -> io::Result<()> {
    writeln!(
        out,
        "    def BasisCurves \"{identifier}\" (\n        displayName = {}",
        quoted(name)
    )?;
    write!(out, "    )\n    {{\n        int[] curveVertexCounts = ")?;
    integers(out, strands.lengths.iter().copied())?;
    writeln!(out, "\n        uniform token type = \"linear\"")?;
    writeln!(out, "        uniform token wrap = \"nonperiodic\"")?;
    let width =
        if strands.width > 0.0 && strands.width.is_finite() { strands.width } else { 0.001 };
    write!(
        out,
        "        float[] widths = [{width}] (\n            interpolation = \"constant\"\n"
    )?;
    writeln!(out, "        )")
}
