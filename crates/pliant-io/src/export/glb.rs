//! Animated GLB: the first frame is the mesh, every other frame a morph target, and an animation of
//! the weights shows them one after the other, blending linearly between.
//!
//! The binary part is streamed to a file beside the target. The JSON part must stand before it and is
//! known only at the end, so both are joined then. A vertex takes 12 bytes per frame, 24 with
//! normals; the weights take 4 n² bytes for n frames: beyond a thousand frames USD is the better
//! choice. The format ends at 4 GiB.

use std::path::{Path, PathBuf};

use super::glb_json::{self, Body, Data};
use super::part::PartFile;
use super::split::{Split, normals};
use super::track::Gate;
use super::{ExportError, Exporter, Track};
use crate::Surface;

/// Room for the header and the JSON part within the format's 4 GiB.
const RESERVE: u64 = 1 << 24;
/// About what the JSON says of one target.
const JSON_PER_TARGET: u64 = 700;

pub(crate) struct Glb {
    path: PathBuf,
    gate: Gate,
    bin: PartFile,
    data: Data,
    bodies: Vec<Shape>,
    times: Vec<f32>,
    block: Vec<u8>,
    scratch: Vec<[f32; 3]>,
}

/// A body, and its first frame that all others are relative to.
struct Shape {
    body: Body,
    source: Vec<u32>,
    /// The surface's triangles, if normals are wanted.
    triangles: Vec<[u32; 3]>,
    /// A surface that may tear: its normals are those of what hangs together.
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
        Self::begin(path, PartFile::create(path, ".bin")?, tracks, with_normals)
    }

    /// The same in memory; the name is for messages.
    pub(crate) fn in_memory(name: &Path, tracks: &[Track<'_>]) -> Result<Self, ExportError> {
        Self::begin(name, PartFile::in_memory(name), tracks, true)
    }

    fn begin(
        path: &Path,
        bin: PartFile,
        tracks: &[Track<'_>],
        with_normals: bool,
    ) -> Result<Self, ExportError> {
        let mut glb = Self {
            path: path.to_owned(),
            gate: Gate::new(tracks),
            bin,
            data: Data::default(),
            bodies: Vec::new(),
            times: Vec::new(),
            block: Vec::new(),
            scratch: Vec::new(),
        };
        for (number, track) in tracks.iter().enumerate() {
            let (prop, still) = (track.is_prop(), track.is_still());
            let mut body = Body { name: track.name_or(number), prop, still, ..Body::default() };
            let mut tearing = None;
            let (mut source, mut triangles) = ((0..track.vertices() as u32).collect(), Vec::new());
            match track.cells() {
                Ok(surface) => {
                    let split = Split::of(surface);
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
            glb.bodies.push(Shape { body, source, triangles, tearing, positions, normals });
        }
        Ok(glb)
    }

    fn write_indices(&mut self, indices: &[u32]) -> Result<usize, ExportError> {
        let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
        self.bin.put(&bytes)?;
        Ok(self.data.indices(indices.len()))
    }

    fn write_uvs(&mut self, uvs: &[[f32; 2]]) -> Result<usize, ExportError> {
        let bytes: Vec<u8> = uvs.as_flattened().iter().flat_map(|c| c.to_le_bytes()).collect();
        self.bin.put(&bytes)?;
        Ok(self.data.pairs(uvs.len()))
    }

    /// Writes, for each vertex of the file, its source's vector minus the base's.
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
        self.bin.put(&self.block)?;
        Ok(self.data.vectors(self.bodies[body].source.len(), low, high))
    }

    /// What the file would take with one more frame \[bytes\].
    fn size_with_a_frame(&self) -> u64 {
        let n = self.gate.frames() as u64 + 1;
        let per_vertex = |s: &Shape| match (s.body.still, s.triangles.is_empty()) {
            (true, _) => 0,
            (_, true) => 12,
            _ => 24,
        };
        let frame: u64 = self.bodies.iter().map(|s| per_vertex(s) * s.source.len() as u64).sum();
        let json = n * self.bodies.len() as u64 * JSON_PER_TARGET;
        self.data.bytes() + frame + 4 * n * n + json + RESERVE
    }
}

impl Exporter for Glb {
    fn frame(&mut self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        self.gate.check(time, bodies)?;
        if self.size_with_a_frame() > u64::from(u32::MAX) {
            let (path, frame) = (self.path.clone(), self.gate.frames());
            return Err(ExportError::TooLarge { path, frame, limit: "4 GiB" });
        }
        for (k, positions) in bodies.iter().enumerate() {
            if self.bodies[k].body.still && !self.bodies[k].body.frames.is_empty() {
                continue;
            }
            // The base is taken out while it is read, so that the rest can be written to.
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
                        normals(positions, &surface.drawn(positions), &mut scratch);
                        for (v, first) in surface.joined(positions).into_iter().enumerate() {
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
        let start = self.gate.times().map_or(time, |(first, _)| first);
        self.times.push((time - start) as f32);
        self.gate.pass(time);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, ExportError> {
        let mut file = PartFile::create(&self.path, "")?;
        self.complete(&mut file)?;
        Ok(vec![file.commit()?])
    }
}

impl Glb {
    /// Completes a file in memory and gives its bytes.
    pub(crate) fn into_bytes(self) -> Result<Vec<u8>, ExportError> {
        let mut file = PartFile::in_memory(&self.path);
        self.complete(&mut file)?;
        Ok(file.into_bytes())
    }

    /// Writes the whole file.
    fn complete(mut self, file: &mut PartFile) -> Result<(), ExportError> {
        if self.times.is_empty() {
            return Err(ExportError::NoFrames { path: self.path });
        }
        // The weights: at the n-th time the n-th frame alone. The first frame has no target.
        let mut animation = None;
        let frames = self.times.len();
        if frames > 1 {
            let bytes: Vec<u8> = self.times.iter().flat_map(|t| t.to_le_bytes()).collect();
            self.bin.put(&bytes)?;
            let input = self.data.times(&self.times);
            for frame in 0..frames {
                let row = (1..frames).map(|target| f32::from(u8::from(target == frame)));
                self.bin.put(&row.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())?;
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
        file.put(b"glTF")?;
        file.put(&2_u32.to_le_bytes())?;
        file.put(&total.to_le_bytes())?;
        file.put(&(json.len() as u32).to_le_bytes())?;
        file.put(b"JSON")?;
        file.put(&json)?;
        file.put(&(bin_length as u32).to_le_bytes())?;
        file.put(b"BIN\0")?;
        file.append(self.bin)
    }
}
