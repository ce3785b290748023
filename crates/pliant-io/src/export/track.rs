//! Animation tracks: surfaces, strands and collider meshes, and validation of every frame.

use pliant_scenes::describe::Appearance;
use serde::{Deserialize, Serialize};

use super::ExportError;
use crate::Surface;
use crate::collider_mesh::ColliderMesh;

/// Polylines without triangles, such as ropes and hair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Strands {
    /// Name in the file; may be empty.
    pub name: String,
    /// Number of consecutive vertices in each polyline.
    pub lengths: Vec<u32>,
    /// Thickness \[m\], for formats that store it.
    pub width: f32,
    /// Colours, if the scene sets them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub appearance: Option<Appearance>,
}

impl Strands {
    /// Pairs of connected vertices.
    pub(crate) fn segments(&self) -> Vec<[u32; 2]> {
        let mut first = 0;
        let mut segments = Vec::new();
        for &length in &self.lengths {
            segments.extend((first + 1..first + length).map(|v| [v - 1, v]));
            first += length;
        }
        segments
    }
}

/// One body of an animation.
#[derive(Clone, Copy, Debug)]
pub enum Track<'a> {
    /// Triangles; frames list their vertices in surface order.
    Surface(&'a Surface),
    /// Polylines; frames list their vertices one polyline after another.
    Strands(&'a Strands),
    /// A collider; frames list its vertices in surface order. For a static collider, formats that support it
    /// store only the first frame.
    ColliderMesh(&'a ColliderMesh),
}

impl<'a> Track<'a> {
    /// Track of a triangle surface.
    pub fn surface(surface: &'a Surface) -> Self {
        Self::Surface(surface)
    }

    /// Track of polylines.
    pub fn strands(strands: &'a Strands) -> Self {
        Self::Strands(strands)
    }

    /// Name of the track; may be empty.
    pub fn name(&self) -> &'a str {
        match self {
            Self::Surface(surface) => &surface.name,
            Self::Strands(strands) => &strands.name,
            Self::ColliderMesh(prop) => &prop.surface.name,
        }
    }

    /// Number of vertices in a frame.
    pub fn vertices(&self) -> usize {
        match self {
            Self::Surface(surface) => surface.positions.len(),
            Self::Strands(strands) => strands.lengths.iter().map(|l| *l as usize).sum(),
            Self::ColliderMesh(prop) => prop.surface.positions.len(),
        }
    }

    /// Colours and pattern, if the scene sets them.
    pub(crate) fn appearance(&self) -> Option<Appearance> {
        match self {
            Self::Surface(surface) => surface.appearance,
            Self::Strands(strands) => strands.appearance,
            Self::ColliderMesh(prop) => prop.surface.appearance,
        }
    }

    /// True if all frames are equal.
    pub fn is_still(&self) -> bool {
        matches!(self, Self::ColliderMesh(prop) if prop.still)
    }

    /// True if the track is a collider.
    pub fn is_collider(&self) -> bool {
        matches!(self, Self::ColliderMesh(_))
    }

    /// True if its topology may change.
    pub(crate) fn may_tear(&self) -> bool {
        matches!(self, Self::Surface(surface) if surface.may_tear())
    }

    /// The triangles of the track, or its polylines.
    pub(crate) fn cells(&self) -> Result<&'a Surface, &'a Strands> {
        match self {
            Self::Surface(surface) => Ok(surface),
            Self::ColliderMesh(prop) => Ok(&prop.surface),
            Self::Strands(strands) => Err(strands),
        }
    }

    /// Name for files and objects: the track's own name, or one made from its number.
    pub(crate) fn name_or(&self, number: usize) -> String {
        match self.name() {
            "" => format!("body_{number}"),
            name => name.to_owned(),
        }
    }
}

/// Frame rate of an animation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Frames per second \[1/s\].
    pub fps: f64,
}

/// Rejects tracks with inconsistent indices.
pub(crate) fn check(tracks: &[Track<'_>], timing: Timing) -> Result<(), ExportError> {
    if !(timing.fps > 0.0 && timing.fps.is_finite()) {
        return Err(ExportError::Fps { fps: timing.fps });
    }
    if tracks.is_empty() {
        return Err(ExportError::NoTracks);
    }
    for (number, track) in tracks.iter().enumerate() {
        let problem = match track.cells() {
            Ok(surface) => surface_problem(surface),
            Err(strands) => strands_problem(strands),
        };
        if let Some(problem) = problem {
            let name = track.name().to_owned();
            return Err(ExportError::Track { track: number, name, problem });
        }
    }
    Ok(())
}

fn surface_problem(surface: &Surface) -> Option<String> {
    let count = surface.positions.len();
    if count == 0 {
        return Some("it has no vertices; remove the track".to_owned());
    }
    if surface.triangles.is_empty() {
        return Some("it has no triangles; export polylines as strands".to_owned());
    }
    let bad = |t: &[u32; 3]| t.iter().any(|v| *v as usize >= count);
    if let Some(t) = surface.triangles.iter().position(bad) {
        let v = surface.triangles[t];
        return Some(format!("triangle {t} refers to vertices {v:?}, but there are {count}"));
    }
    if let Some(uvs) = &surface.uvs {
        let (corners, triangles) = (uvs.corners.len(), surface.triangles.len());
        if corners != triangles {
            return Some(format!("it has UVs for {corners} triangles, but {triangles} triangles"));
        }
        let bad = |t: &[u32; 3]| t.iter().any(|v| *v as usize >= uvs.values.len());
        if let Some(t) = uvs.corners.iter().position(bad) {
            let (v, n) = (uvs.corners[t], uvs.values.len());
            return Some(format!("triangle {t} refers to UVs {v:?}, but there are {n}"));
        }
    }
    if !(surface.welds.is_empty() || surface.welds.len() == count) {
        let welds = surface.welds.len();
        return Some(format!("it has {welds} weld indices for {count} vertices"));
    }
    let outside = |t: &u32| *t as usize >= surface.triangles.len();
    let group = surface.groups.iter().find(|g| g.triangles.iter().any(outside))?;
    Some(format!("group {:?} refers to a missing triangle", group.name))
}

fn strands_problem(strands: &Strands) -> Option<String> {
    if strands.lengths.is_empty() {
        return Some("it has no polylines; remove the track".to_owned());
    }
    let short = strands.lengths.iter().position(|l| *l < 2)?;
    Some(format!("polyline {short} has fewer than two vertices; remove it"))
}

/// Counter and validator of frames.
pub(crate) struct FrameValidator {
    lengths: Vec<usize>,
    times: Option<(f64, f64)>,
    frames: usize,
}

impl FrameValidator {
    pub(crate) fn new(tracks: &[Track<'_>]) -> Self {
        let lengths = tracks.iter().map(Track::vertices).collect();
        Self { lengths, times: None, frames: 0 }
    }

    /// Number of recorded frames.
    pub(crate) fn frames(&self) -> usize {
        self.frames
    }

    /// Times of the first and last frame \[s\], if there is any.
    pub(crate) fn times(&self) -> Option<(f64, f64)> {
        self.times
    }

    /// Checks a frame. It is counted only by [`FrameValidator::record_frame`].
    pub(crate) fn check(&self, time: f64, bodies: &[&[[f32; 3]]]) -> Result<(), ExportError> {
        let frame = self.frames;
        let before = self.times.map_or(f64::NEG_INFINITY, |(_, last)| last);
        if !(time.is_finite() && time > before) {
            return Err(ExportError::Time { frame, time, before });
        }
        if bodies.len() != self.lengths.len() {
            let (given, expected) = (bodies.len(), self.lengths.len());
            return Err(ExportError::Bodies { frame, given, expected });
        }
        for (body, (positions, &expected)) in bodies.iter().zip(&self.lengths).enumerate() {
            if positions.len() != expected {
                let given = positions.len();
                return Err(ExportError::Length { frame, body, given, expected });
            }
            let bad = positions.iter().position(|p| p.iter().any(|c| !c.is_finite()));
            if let Some(vertex) = bad {
                let position = positions[vertex];
                return Err(ExportError::NotFinite { frame, body, vertex, position });
            }
        }
        Ok(())
    }

    /// Counts a written frame.
    pub(crate) fn record_frame(&mut self, time: f64) {
        self.frames += 1;
        self.times = Some((self.times.map_or(time, |(first, _)| first), time));
    }
}
