//! Soft shadows of the key light by a blurred shadow map.
//!
//! Each texel of the map stores its coverage, and the mean depth and mean squared depth of the covered part
//! (Donnelly and Lauritzen, "Variance shadow maps", 2006). These are averages, so the map can be blurred once
//! instead of being sampled many times. A point at depth `d` behind the mean `m` is lit by at most `σ²/(σ² + (d
//! − m)²)`, Chebyshev's bound. The ground lies behind everything and uses only the coverage, from a copy that
//! is blurred more.

use crate::geometry::Geometry;
use crate::vector::{Vec3, unit};
use crate::view_setup::ViewSetup;

/// Resolution of the map along a side, in texels.
const MAP_SIZE: usize = 384;
/// Empty border around the scene, in texels, so that blurring does not reach the edge of the map.
const BORDER_TEXELS: f32 = 28.0;
/// Half widths of the blurs, in texels.
const NARROW_BLUR_RADIUS: usize = 2;
const WIDE_BLUR_RADIUS: usize = 7;
/// Half the thickness of a surface, relative to the size of the view: nearer surfaces cast no shadow.
const DEPTH_BIAS: f32 = 0.006;

pub(crate) struct ShadowMap {
    origin: Vec3,
    axes: [Vec3; 3],
    texels_per_meter: f32,
    inv_range: f32,
    /// Depth of the surface nearest to the light; negative infinity if there is none.
    depth: Vec<f32>,
    /// Coverage, covered depth, covered depth squared; the fourth lane is unused.
    texels: Vec<[f32; 4]>,
    /// Coverage alone, blurred more.
    wide: Vec<[f32; 1]>,
    scratch: Vec<[f32; 4]>,
    wide_scratch: Vec<[f32; 1]>,
    /// Nonempty texels: half-open ranges of columns and rows.
    filled: [[usize; 2]; 2],
}

impl ShadowMap {
    pub(crate) fn new() -> Self {
        Self {
            origin: Vec3::ZERO,
            axes: [Vec3::ZERO; 3],
            texels_per_meter: 1.0,
            inv_range: 1.0,
            depth: vec![0.0; MAP_SIZE * MAP_SIZE],
            texels: vec![[0.0; 4]; MAP_SIZE * MAP_SIZE],
            wide: vec![[0.0]; MAP_SIZE * MAP_SIZE],
            scratch: vec![[0.0; 4]; MAP_SIZE * MAP_SIZE],
            wide_scratch: vec![[0.0]; MAP_SIZE * MAP_SIZE],
            filled: [[0; 2]; 2],
        }
    }

    /// Renders the shadow map of a scene.
    pub(crate) fn cast(&mut self, stage: &ViewSetup, geometry: &Geometry) {
        self.fit_to_view(stage);
        self.depth.fill(f32::NEG_INFINITY);
        let points: Vec<Vec3> =
            geometry.vertices.iter().map(|v| self.project(v.position)).collect();
        for face in &geometry.faces {
            let (corners, material) = (
                face.corners.map(|v| points[v as usize]),
                &geometry.materials[face.material as usize],
            );
            if material.casts_shadow && !(material.one_sided && is_back(corners)) {
                rasterize_depth(&mut self.depth, corners);
            }
        }
        let planes = self.texels.iter_mut().zip(&mut self.wide);
        for ((texel, wide), &z) in planes.zip(&self.depth) {
            let there = f32::from(u8::from(z > f32::NEG_INFINITY));
            let z = if there > 0.0 { z } else { 0.0 };
            *texel = [there, z, z * z, 0.0];
            *wide = [there];
        }
        blur(&mut self.texels, &mut self.scratch, NARROW_BLUR_RADIUS);
        blur(&mut self.wide, &mut self.wide_scratch, WIDE_BLUR_RADIUS);
        blur(&mut self.wide, &mut self.wide_scratch, WIDE_BLUR_RADIUS);
        self.filled = texel_bounds(&points);
    }

    /// Corners, on the ground at `height`, of the region that may lie in shadow; `None` if the light comes from
    /// below.
    pub(crate) fn footprint(&self, height: f32) -> Option<[Vec3; 4]> {
        let [[x0, x1], [y0, y1]] = self.filled;
        let toward = self.axes[2];
        if toward.y < 1e-3 {
            return None;
        }
        let half = 0.5 * MAP_SIZE as f32;
        Some([[x0, y0], [x1, y0], [x1, y1], [x0, y1]].map(|[i, j]| {
            let offset = [i, j].map(|v| (v as f32 - half) / self.texels_per_meter);
            let p = self.origin + self.axes[0] * offset[0] + self.axes[1] * offset[1];
            p + toward * ((height - p.y) / toward.y)
        }))
    }

    fn fit_to_view(&mut self, stage: &ViewSetup) {
        let toward = stage.toward_light();
        let right = unit(Vec3::Y.cross(toward), Vec3::X);
        self.axes = [right, toward.cross(right), toward];
        self.origin = stage.bounds().center();
        let radius = 0.5 * stage.bounds().diagonal();
        self.texels_per_meter = (0.5 * MAP_SIZE as f32 - BORDER_TEXELS) / radius;
        self.inv_range = 1.0 / (2.0 * radius);
    }

    /// Texel coordinates, and the height towards the light relative to the size of the view.
    fn project(&self, p: Vec3) -> Vec3 {
        let d = p - self.origin;
        let half = 0.5 * MAP_SIZE as f32;
        let [x, y, z] = self.axes.map(|axis| d.dot(axis));
        let [x, y] = [x, y].map(|c| half + c * self.texels_per_meter);
        Vec3::new(x, y, z * self.inv_range)
    }

    /// Fraction of the key light that reaches a point with the normal `n`, from 0 to 1.
    pub(crate) fn light(&self, p: Vec3, n: Vec3) -> f32 {
        let [x, y, z] = self.project(p).to_array();
        let Some(cell) = Cell::at(x, y) else { return 1.0 };
        let [covered, mean, square, _] = cell.read(&self.texels);
        if covered < 1e-3 {
            return 1.0;
        }
        let inv = 1.0 / covered;
        let mean = mean * inv;
        // Surfaces parallel to the light need a larger bias: a texel spans more depth there.
        let slant = 1.0 - n.dot(self.axes[2]).abs();
        let gap = mean - z - DEPTH_BIAS * (1.0 + 2.0 * slant);
        if gap <= 0.0 {
            return 1.0;
        }
        let variance = (square * inv - mean * mean).max(1e-5);
        let bound = variance / (variance + gap * gap);
        // The tail of the bound would leak light through layers, so it is cut off.
        let lit = ((bound - 0.15) / 0.85).max(0.0);
        1.0 - covered * (1.0 - lit)
    }

    /// Texel coordinates of a point.
    pub(crate) fn texel(&self, p: Vec3) -> [f32; 2] {
        let [x, y, _] = self.project(p).to_array();
        [x, y]
    }

    /// Step in texels of a step in space.
    pub(crate) fn texel_step(&self, v: Vec3) -> [f32; 2] {
        [0, 1].map(|c| v.dot(self.axes[c]) * self.texels_per_meter)
    }

    /// Fraction of the key light that reaches the ground behind a texel, from 0 to 1.
    pub(crate) fn light_on_ground(&self, [x, y]: [f32; 2]) -> f32 {
        Cell::at(x, y).map_or(1.0, |cell| 1.0 - cell.read(&self.wide)[0])
    }
}

/// Interpolation position between four texels.
struct Cell {
    index: usize,
    u: f32,
    v: f32,
}

impl Cell {
    fn at(x: f32, y: f32) -> Option<Self> {
        let (x, y) = (x - 0.5, y - 0.5);
        let last = (MAP_SIZE - 2) as f32;
        if !(x >= 0.0 && y >= 0.0 && x < last && y < last) {
            return None;
        }
        let (i, j) = (x as i32 as usize, y as i32 as usize);
        Some(Self { index: j * MAP_SIZE + i, u: x - i as f32, v: y - j as f32 })
    }

    fn read<const N: usize>(&self, texels: &[[f32; N]]) -> [f32; N] {
        let row = |i: usize| [texels[i], texels[i + 1]];
        let ([a, b], [c, d]) = (row(self.index), row(self.index + MAP_SIZE));
        std::array::from_fn(|k| {
            let (low, high) = (a[k] + self.u * (b[k] - a[k]), c[k] + self.u * (d[k] - c[k]));
            low + self.v * (high - low)
        })
    }
}

/// Texel bounds of points, with a margin for the blur.
fn texel_bounds(points: &[Vec3]) -> [[usize; 2]; 2] {
    [0, 1].map(|c| {
        let finite = || points.iter().map(|p| p[c]).filter(|v| v.is_finite());
        let low = finite().fold(MAP_SIZE as f32, f32::min) - 1.0;
        let high = finite().fold(0.0, f32::max) + 2.0;
        let room = 2 * WIDE_BLUR_RADIUS + 1;
        [
            (low.max(0.0) as usize).saturating_sub(room),
            (high.max(0.0) as usize + room).min(MAP_SIZE),
        ]
    })
}

/// Rasterises a triangle into the depth map, keeping the depth nearest to the light. Gaps between neighbours
/// are harmless under the blur, so plain floats suffice.
fn rasterize_depth(depth: &mut [f32], p: [Vec3; 3]) {
    let span = |c: usize| {
        let low = p[0][c].min(p[1][c]).min(p[2][c]);
        let high = p[0][c].max(p[1][c]).max(p[2][c]);
        let first = (low - 0.5).ceil().max(0.0) as usize;
        (first, ((high - 0.5).floor() + 1.0).clamp(0.0, MAP_SIZE as f32) as usize)
    };
    let ((x0, x1), (y0, y1)) = (span(0), span(1));
    let (e1, e2) = (p[1] - p[0], p[2] - p[0]);
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
                let texel = &mut depth[j * MAP_SIZE + i];
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
    for (row, out) in plane.chunks_exact(MAP_SIZE).zip(scratch.chunks_exact_mut(MAP_SIZE)) {
        let mut sum = row[..half].iter().fold([0.0; N], |sum, texel| plus(sum, *texel));
        for i in 0..MAP_SIZE {
            sum = if i + half < MAP_SIZE { plus(sum, row[i + half]) } else { sum };
            out[i] = sum.map(|v| v * inv);
            sum = if i >= half { minus(sum, row[i - half]) } else { sum };
        }
    }
    let mut sums = [[0.0; N]; MAP_SIZE];
    let row_of = |j: usize| j * MAP_SIZE..(j + 1) * MAP_SIZE;
    for j in 0..half {
        sums.iter_mut().zip(&scratch[row_of(j)]).for_each(|(s, v)| *s = plus(*s, *v));
    }
    for j in 0..MAP_SIZE {
        if j + half < MAP_SIZE {
            sums.iter_mut().zip(&scratch[row_of(j + half)]).for_each(|(s, v)| *s = plus(*s, *v));
        }
        let out = plane[row_of(j)].iter_mut().zip(&sums);
        out.for_each(|(p, s)| *p = s.map(|v| v * inv));
        if j >= half {
            sums.iter_mut().zip(&scratch[row_of(j - half)]).for_each(|(s, v)| *s = minus(*s, *v));
        }
    }
}

/// True if the back of a triangle faces the light.
fn is_back([a, b, c]: [Vec3; 3]) -> bool {
    (b[0] - a[0]) * (c[1] - a[1]) < (b[1] - a[1]) * (c[0] - a[0])
}
