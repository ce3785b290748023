//! Soft shadows of the key light: a blurred map of what the light sees first.
//!
//! The map keeps, per texel, how much is covered, and the covered part's mean depth and mean squared
//! depth (Donnelly and Lauritzen, "Variance shadow maps", 2006). Those are averages, so the map can
//! be blurred once instead of being read many times. A point at depth `d` behind the mean `m` is lit
//! by at most `σ²/(σ² + (d − m)²)`, Chebyshev's bound. The ground lies behind everything and takes
//! the coverage alone, from a copy that is blurred more.

use crate::geometry::Geometry;
use crate::stage::Stage;
use crate::vector::{Vec3, along, cross, dot, sub, unit};

/// Texels along a side.
const SIDE: usize = 384;
/// Empty texels around everything, so that blurring reaches no border.
const BORDER: f32 = 28.0;
/// The half widths of the blurs, in texels.
const NARROW: usize = 2;
const WIDE: usize = 7;
/// Half the thickness of a surface, in parts of the stage: nearer than that casts no shadow.
const BIAS: f32 = 0.006;

pub(crate) struct ShadowMap {
    origin: Vec3,
    axes: [Vec3; 3],
    texels_per_meter: f32,
    inv_range: f32,
    /// Depth of what the light sees first; negative infinity where there is nothing.
    depth: Vec<f32>,
    /// Coverage, covered depth, covered depth squared; the fourth lane is idle.
    texels: Vec<[f32; 4]>,
    /// Coverage alone, blurred more.
    wide: Vec<[f32; 1]>,
    scratch: Vec<[f32; 4]>,
    wide_scratch: Vec<[f32; 1]>,
    /// The texels that are not empty: columns and rows, the last ones excluded.
    filled: [[usize; 2]; 2],
}

impl ShadowMap {
    pub(crate) fn new() -> Self {
        Self {
            origin: [0.0; 3],
            axes: [[0.0; 3]; 3],
            texels_per_meter: 1.0,
            inv_range: 1.0,
            depth: vec![0.0; SIDE * SIDE],
            texels: vec![[0.0; 4]; SIDE * SIDE],
            wide: vec![[0.0]; SIDE * SIDE],
            scratch: vec![[0.0; 4]; SIDE * SIDE],
            wide_scratch: vec![[0.0]; SIDE * SIDE],
            filled: [[0; 2]; 2],
        }
    }

    /// Draws the map of a scene.
    pub(crate) fn cast(&mut self, stage: &Stage, geometry: &Geometry) {
        self.aim(stage);
        self.depth.fill(f32::NEG_INFINITY);
        let points: Vec<Vec3> =
            geometry.vertices.iter().map(|v| self.project(v.position)).collect();
        for face in &geometry.faces {
            let (corners, material) = (
                face.corners.map(|v| points[v as usize]),
                &geometry.materials[face.material as usize],
            );
            if material.casts && !(material.one_sided && is_back(corners)) {
                fill(&mut self.depth, corners);
            }
        }
        let planes = self.texels.iter_mut().zip(&mut self.wide);
        for ((texel, wide), &z) in planes.zip(&self.depth) {
            let there = f32::from(u8::from(z > f32::NEG_INFINITY));
            let z = if there > 0.0 { z } else { 0.0 };
            *texel = [there, z, z * z, 0.0];
            *wide = [there];
        }
        blur(&mut self.texels, &mut self.scratch, NARROW);
        blur(&mut self.wide, &mut self.wide_scratch, WIDE);
        blur(&mut self.wide, &mut self.wide_scratch, WIDE);
        self.filled = filled(&points);
    }

    /// The corners, on the ground at `height`, of all that may lie in the shadow; none if the light
    /// comes from below.
    pub(crate) fn footprint(&self, height: f32) -> Option<[Vec3; 4]> {
        let [[x0, x1], [y0, y1]] = self.filled;
        let toward = self.axes[2];
        if toward[1] < 1e-3 {
            return None;
        }
        let half = 0.5 * SIDE as f32;
        Some([[x0, y0], [x1, y0], [x1, y1], [x0, y1]].map(|[i, j]| {
            let offset = [i, j].map(|v| (v as f32 - half) / self.texels_per_meter);
            let p = along(along(self.origin, self.axes[0], offset[0]), self.axes[1], offset[1]);
            along(p, toward, (height - p[1]) / toward[1])
        }))
    }

    fn aim(&mut self, stage: &Stage) {
        let toward = stage.toward_light();
        let right = unit(cross([0.0, 1.0, 0.0], toward), [1.0, 0.0, 0.0]);
        self.axes = [right, cross(toward, right), toward];
        self.origin = stage.bounds().center();
        let radius = 0.5 * stage.bounds().diagonal();
        self.texels_per_meter = (0.5 * SIDE as f32 - BORDER) / radius;
        self.inv_range = 1.0 / (2.0 * radius);
    }

    /// Texel coordinates, and the height towards the light in parts of the stage.
    fn project(&self, p: Vec3) -> Vec3 {
        let d = sub(p, self.origin);
        let half = 0.5 * SIDE as f32;
        let [x, y, z] = self.axes.map(|axis| dot(d, axis));
        [half + x * self.texels_per_meter, half + y * self.texels_per_meter, z * self.inv_range]
    }

    /// How much of the key light reaches a point with the normal `n`, from 0 to 1.
    pub(crate) fn light(&self, p: Vec3, n: Vec3) -> f32 {
        let [x, y, z] = self.project(p);
        let Some(cell) = Cell::at(x, y) else { return 1.0 };
        let [covered, mean, square, _] = cell.read(&self.texels);
        if covered < 1e-3 {
            return 1.0;
        }
        let inv = 1.0 / covered;
        let mean = mean * inv;
        // Surfaces along the light need more room: a texel spans more depth there.
        let slant = 1.0 - dot(n, self.axes[2]).abs();
        let gap = mean - z - BIAS * (1.0 + 2.0 * slant);
        if gap <= 0.0 {
            return 1.0;
        }
        let variance = (square * inv - mean * mean).max(1e-5);
        let bound = variance / (variance + gap * gap);
        // The bound's tail would let light leak through layers: cut it off.
        let lit = ((bound - 0.15) / 0.85).max(0.0);
        1.0 - covered * (1.0 - lit)
    }

    /// Where a point is on the map, in texels.
    pub(crate) fn texel(&self, p: Vec3) -> [f32; 2] {
        let [x, y, _] = self.project(p);
        [x, y]
    }

    /// The step on the map, in texels, that a step in space makes.
    pub(crate) fn texel_step(&self, v: Vec3) -> [f32; 2] {
        [0, 1].map(|c| dot(v, self.axes[c]) * self.texels_per_meter)
    }

    /// How much of the key light reaches the ground behind a texel, from 0 to 1.
    pub(crate) fn light_on_ground(&self, [x, y]: [f32; 2]) -> f32 {
        Cell::at(x, y).map_or(1.0, |cell| 1.0 - cell.read(&self.wide)[0])
    }
}

/// A place between four texels.
struct Cell {
    index: usize,
    u: f32,
    v: f32,
}

impl Cell {
    fn at(x: f32, y: f32) -> Option<Self> {
        let (x, y) = (x - 0.5, y - 0.5);
        let last = (SIDE - 2) as f32;
        if !(x >= 0.0 && y >= 0.0 && x < last && y < last) {
            return None;
        }
        let (i, j) = (x as i32 as usize, y as i32 as usize);
        Some(Self { index: j * SIDE + i, u: x - i as f32, v: y - j as f32 })
    }

    fn read<const N: usize>(&self, texels: &[[f32; N]]) -> [f32; N] {
        let row = |i: usize| [texels[i], texels[i + 1]];
        let ([a, b], [c, d]) = (row(self.index), row(self.index + SIDE));
        std::array::from_fn(|k| {
            let (low, high) = (a[k] + self.u * (b[k] - a[k]), c[k] + self.u * (d[k] - c[k]));
            low + self.v * (high - low)
        })
    }
}

/// The texels around points, with room for the blur.
fn filled(points: &[Vec3]) -> [[usize; 2]; 2] {
    [0, 1].map(|c| {
        let finite = || points.iter().map(|p| p[c]).filter(|v| v.is_finite());
        let low = finite().fold(SIDE as f32, f32::min) - 1.0;
        let high = finite().fold(0.0, f32::max) + 2.0;
        let room = 2 * WIDE + 1;
        [(low.max(0.0) as usize).saturating_sub(room), (high.max(0.0) as usize + room).min(SIDE)]
    })
}

/// Draws a triangle into the depths, keeping what is nearest to the light. Gaps between neighbours
/// do no harm under the blur, so plain floats will do.
fn fill(depth: &mut [f32], p: [Vec3; 3]) {
    let span = |c: usize| {
        let low = p[0][c].min(p[1][c]).min(p[2][c]);
        let high = p[0][c].max(p[1][c]).max(p[2][c]);
        let first = (low - 0.5).ceil().max(0.0) as usize;
        (first, ((high - 0.5).floor() + 1.0).clamp(0.0, SIDE as f32) as usize)
    };
    let ((x0, x1), (y0, y1)) = (span(0), span(1));
    let (e1, e2) = (sub(p[1], p[0]), sub(p[2], p[0]));
    let area = e1[0] * e2[1] - e2[0] * e1[1];
    if area.abs() < 1e-12 {
        return;
    }
    let inv = 1.0 / area;
    let step = [e2[1] * inv, -e1[1] * inv];
    for j in y0..y1 {
        let (dx, dy) = (x0 as f32 + 0.5 - p[0][0], j as f32 + 0.5 - p[0][1]);
        let mut u = (dx * e2[1] - dy * e2[0]) * inv;
        let mut v = (dy * e1[0] - dx * e1[1]) * inv;
        for i in x0..x1 {
            if u >= 0.0 && v >= 0.0 && u + v <= 1.0 {
                let z = p[0][2] + u * e1[2] + v * e2[2];
                let texel = &mut depth[j * SIDE + i];
                *texel = texel.max(z);
            }
            u += step[0];
            v += step[1];
        }
    }
}

/// Averages each texel with its neighbours up to `half` away, along rows and then along columns.
fn blur<const N: usize>(plane: &mut [[f32; N]], scratch: &mut [[f32; N]], half: usize) {
    let inv = 1.0 / (2 * half + 1) as f32;
    let plus = |a: [f32; N], b: [f32; N]| std::array::from_fn(|k| a[k] + b[k]);
    let minus = |a: [f32; N], b: [f32; N]| std::array::from_fn(|k| a[k] - b[k]);
    for (row, out) in plane.chunks_exact(SIDE).zip(scratch.chunks_exact_mut(SIDE)) {
        let mut sum = row[..half].iter().fold([0.0; N], |sum, texel| plus(sum, *texel));
        for i in 0..SIDE {
            sum = if i + half < SIDE { plus(sum, row[i + half]) } else { sum };
            out[i] = sum.map(|v| v * inv);
            sum = if i >= half { minus(sum, row[i - half]) } else { sum };
        }
    }
    let mut sums = [[0.0; N]; SIDE];
    let row_of = |j: usize| j * SIDE..(j + 1) * SIDE;
    for j in 0..half {
        sums.iter_mut().zip(&scratch[row_of(j)]).for_each(|(s, v)| *s = plus(*s, *v));
    }
    for j in 0..SIDE {
        if j + half < SIDE {
            sums.iter_mut().zip(&scratch[row_of(j + half)]).for_each(|(s, v)| *s = plus(*s, *v));
        }
        let out = plane[row_of(j)].iter_mut().zip(&sums);
        out.for_each(|(p, s)| *p = s.map(|v| v * inv));
        if j >= half {
            sums.iter_mut().zip(&scratch[row_of(j - half)]).for_each(|(s, v)| *s = minus(*s, *v));
        }
    }
}

/// Whether the light meets the back of a triangle.
fn is_back([a, b, c]: [Vec3; 3]) -> bool {
    (b[0] - a[0]) * (c[1] - a[1]) < (b[1] - a[1]) * (c[0] - a[0])
}
