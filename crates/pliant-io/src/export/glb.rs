//! Animated GLB: the first frame is the mesh and every other frame a morph target. An animation of the weights
//! shows the frames in turn, with linear blending.
//!
//! The binary chunk is streamed to a file beside the target. The JSON chunk must precede it but is known only
//! at the end, so both are joined then. A vertex takes 12 bytes per frame, 24 with normals; the weights take 4
//! n² bytes for n frames, so beyond a thousand frames USD is the better choice. The format is limited to 4 GiB.

use std::path::{Path, PathBuf};

use super::glb_json::{self, Body, Data};
use super::split::{UvSplit, normals};
use super::temp_file::TempFile;
use super::texture;
use super::track::FrameValidator;
use super::{ExportError, Exporter, Files, Format, Track};
use crate::Surface;

pub(super) const FORMAT: Format = Format {
    name: "glTF 2.0",
    extension: "glb",
    files: Files::Single,
    form: "a morph target per frame; opens in Blender and most viewers",
    preserves: "names, UVs (split at seams), groups (materials), strands (lines), colours and patterns of a scene",
    has_strands: true,
    has_tears: true,
    create: |path, tracks, _| Ok(Box::new(Glb::create(path, tracks, true)?)),
};

/// Bytes reserved for the header and the JSON chunk within the format's 4 GiB.
const HEADER_RESERVE: u64 = 1 << 24;
/// Approximate size of the JSON for one morph target, in bytes.
const JSON_PER_TARGET: u64 = 700;

pub(crate) struct Glb {
    path: PathBuf,
    validator: FrameValidator,
    bin: TempFile,
    data: Data,
    bodies: Vec<ExportedBody>,
    times: Vec<f32>,
    block: Vec<u8>,
    scratch: Vec<[f32; 3]>,
}

/// A body and its first frame, to which all other frames are relative.
struct ExportedBody {
    body: Body,
    source: Vec<u32>,
    /// Triangles of the surface if normals are exported.
    triangles: Vec<[u32; 3]>,
    /// A surface that may tear: its normals are computed on the merged vertices.
    tearing: Option<Surface>,
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
}

impl Glb {
    pub(crate) fn create(
        path: &Path,
        tracks: &[Track<'_>],
        with_normals: bool,
    ) -> Result<Self, ExportError> {
        Self::begin(path, TempFile::create(path, ".bin")?, tracks, with_normals)
    }

    /// Creates an export in memory; the name is for messages.
    pub(crate) fn in_memory(name: &Path, tracks: &[Track<'_>]) -> Result<Self, ExportError> {
        Self::begin(name, TempFile::in_memory(name), tracks, true)
    }

    fn begin(
        path: &Path,
        bin: TempFile,
        tracks: &[Track<'_>],
        with_normals: bool,
    ) -> Result<Self, ExportError> {
        let mut glb = Self {
            path: path.to_owned(),
            validator: FrameValidator::new(tracks),
            bin,
            data: Data::default(),
            bodies: Vec::new(),
            times: Vec::new(),
            block: Vec::new(),
            scratch: Vec::new(),
        };
        for (number, track) in tracks.iter().enumerate() {
            let (is_collider, still) = (track.is_collider(), track.is_still());
            let mut body = Body {
                name: track.name_or(number),
                is_collider,
                still,
                color: track.appearance().and_then(|a| a.color).map(|color| color.0),
                ..Body::default()
            };
            if let Some(texture) = track.appearance().as_ref().and_then(texture::png) {
                body.texture = Some(glb.write_image(texture)?);
            }
            let mut tearing = None;
            let (mut source, mut triangles) = ((0..track.vertices() as u32).collect(), Vec::new());
            match track.cells() {
                Ok(surface) => {
                    let split = UvSplit::of(surface);
                    for (name, part) in &split.parts {
                        let indices = glb.write_indices(part.as_flattened())?;
                        body.parts.push((name.clone(), indices));
                    }
                    if let Some(uvs) = &split.uvs {
                        body.uvs = Some(glb.write_uvs(uvs)?);
                    }
                    source = split.source;
                    if with_normals {
                        triangles.clone_from(&surface.triangles);
                        tearing = surface.may_tear().then(|| (*surface).clone());
                    }
                }
                Err(strands) => {
                    let indices = glb.write_indices(strands.segments().as_flattened())?;
                    body.parts.push((None, indices));
                    body.lines = true;
                }
            }
            let (positions, normals) = (Vec::new(), Vec::new());
            glb.bodies.push(ExportedBody { body, source, triangles, tearing, positions, normals });
        }
        Ok(glb)
    }

    fn write_indices(&mut self, indices: &[u32]) -> Result<usize, ExportError> {
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        self.bin.write_bytes(&bytes)?;
        Ok(self.data.indices(indices.len()))
    }

    fn write_uvs(&mut self, uvs: &[[f32; 2]]) -> Result<usize, ExportError> {
        let bytes: Vec<u8> = uvs.as_flattened().iter().flat_map(|c| c.to_le_bytes()).collect();
        self.bin.write_bytes(&bytes)?;
        Ok(self.data.pairs(uvs.len()))
    }

    fn write_image(&mut self, mut png: Vec<u8>) -> Result<usize, ExportError> {
        let length = png.len();
        png.resize(length.next_multiple_of(4), 0);
        self.bin.write_bytes(&png)?;
        Ok(self.data.image(length, png.len()))
    }

    /// Writes the vector of each output vertex's source, minus that of the base frame.
    fn write_vectors(
        &mut self,
        body: usize,
        vectors: &[[f32; 3]],
        base: Option<&[[f32; 3]]>,
    ) -> Result<usize, ExportError> {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        self.block.clear();
        for &v in &self.bodies[body].source {
            let v = v as usize;
            for k in 0..3 {
                let c = vectors[v][k] - base.map_or(0.0, |b| b[v][k]);
                (low[k], high[k]) = (low[k].min(c), high[k].max(c));
                self.block.extend(c.to_le_bytes());
            }
        }
        self.bin.write_bytes(&self.block)?;
        Ok(self.data.vectors(self.bodies[body].source.len(), low, high))
    }

    /// Size of the file with one more frame \[bytes\].
    fn size_with_a_frame(&self) -> u64 {
        let n = self.validator.frames() as u64 + 1;
        let per_vertex = |s: &ExportedBody| match (s.body.still, s.triangles.is_empty()) {
            (true, _) => 0,
            (_, true) => 12,
            _ => 24,
        };
        let frame: u64 = self.bodies.iter().map(|s| per_vertex(s) * s.source.len() as u64).sum();
        let json = n * self.bodies.len() as u64 * JSON_PER_TARGET;
        self.data.bytes() + frame + 4 * n * n + json + HEADER_RESERVE
    }
}

impl Exporter for Glb {
    fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        self.validator.check(time, bodies)?;
        if self.size_with_a_frame() > u64::from(u32::MAX) {
            let (path, frame) = (self.path.clone(), self.validator.frames());
            return Err(ExportError::TooLarge { path, frame, limit: "4 GiB" });
        }
        for (k, positions) in bodies.iter().enumerate() {
            if self.bodies[k].body.still && !self.bodies[k].body.frames.is_empty() {
                continue;
            }
            // Takes the base out, so that the rest of `self` can be borrowed mutably.
            let base = std::mem::take(&mut self.bodies[k].positions);
            let base_normals = std::mem::take(&mut self.bodies[k].normals);
            let first = base.is_empty();
            let at = self.write_vectors(k, positions, (!first).then_some(&base))?;
            let mut normal_at = None;
            let mut scratch = std::mem::take(&mut self.scratch);
            if !self.bodies[k].triangles.is_empty() {
                match &self.bodies[k].tearing {
                    None => normals(positions, &self.bodies[k].triangles, &mut scratch),
                    Some(surface) => {
                        normals(positions, &surface.visible_triangles(positions), &mut scratch);
                        for (v, first) in surface.weld_map(positions).into_iter().enumerate() {
                            scratch[v] = scratch[first as usize];
                        }
                    }
                }
                let base = (!first).then_some(base_normals.as_slice());
                normal_at = Some(self.write_vectors(k, &scratch, base)?);
            }
            let shape = &mut self.bodies[k];
            shape.body.frames.push((at, normal_at));
            shape.positions = if first { positions.to_vec() } else { base };
            shape.normals = if first { scratch.clone() } else { base_normals };
            self.scratch = scratch;
        }
        let start = self.validator.times().map_or(time, |(first, _)| first);
        self.times.push((time - start) as f32);
        self.validator.record_frame(time);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, ExportError> {
        let mut file = TempFile::create(&self.path, "")?;
        self.complete(&mut file)?;
        Ok(vec![file.commit()?])
    }
}

impl Glb {
    /// Completes a file in memory and returns its bytes.
    pub(crate) fn into_bytes(self) -> Result<Vec<u8>, ExportError> {
        let mut file = TempFile::in_memory(&self.path);
        self.complete(&mut file)?;
        Ok(file.into_bytes())
    }

    /// Writes the complete file.
    fn complete(mut self, file: &mut TempFile) -> Result<(), ExportError> {
        if self.times.is_empty() {
            return Err(ExportError::NoFrames { path: self.path });
        }
        // Weights: the n-th keyframe shows the n-th frame alone. The first frame has no target.
        let mut animation = None;
        let frames = self.times.len();
        if frames > 1 {
            let bytes: Vec<u8> = self.times.iter().flat_map(|t| t.to_le_bytes()).collect();
            self.bin.write_bytes(&bytes)?;
            let input = self.data.times(&self.times);
            for frame in 0..frames {
                let row = (1..frames).map(|target| f32::from(u8::from(target == frame)));
                self.bin.write_bytes(&row.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())?;
            }
            animation = Some((input, self.data.scalars(frames * (frames - 1))));
        }
        let bodies: Vec<Body> = self.bodies.into_iter().map(|shape| shape.body).collect();
        let mut json = glb_json::document(&self.data, &bodies, animation).into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');

        let bin_length = self.data.bytes();
        let total = 12 + 8 + json.len() as u64 + 8 + bin_length;
        let too_large =
            |_| ExportError::TooLarge { path: self.path.clone(), frame: frames, limit: "4 GiB" };
        let total = u32::try_from(total).map_err(too_large)?;
        file.write_bytes(b"glTF")?;
        file.write_bytes(&2_u32.to_le_bytes())?;
        file.write_bytes(&total.to_le_bytes())?;
        file.write_bytes(&(json.len() as u32).to_le_bytes())?;
        file.write_bytes(b"JSON")?;
        file.write_bytes(&json)?;
        file.write_bytes(&(bin_length as u32).to_le_bytes())?;
        file.write_bytes(b"BIN\0")?;
        file.append(self.bin)
    }
}
