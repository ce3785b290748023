//! Visibility: the triangle seen by each sample of a band of rows.
//!
//! Every pixel has four samples on a rotated grid. A sample is inside a triangle if three edge functions are
//! not negative; they are integers, so the test is exact. A band is small enough for the cache; shading
//! follows, once per pixel and visible triangle.

use crate::project::{Plane, SUBPIXEL_STEPS, ScreenTriangle, at};

/// Number of samples per pixel.
pub(crate) const SAMPLES: usize = 4;

/// Sample positions in a pixel, in subpixel steps from its upper left corner: one, three, five and seven
/// eighths, no two in the same row or column.
const SAMPLE_OFFSETS: [[i32; 2]; SAMPLES] = [
    [3 * SUBPIXEL_STEPS / 8, SUBPIXEL_STEPS / 8],
    [7 * SUBPIXEL_STEPS / 8, 3 * SUBPIXEL_STEPS / 8],
    [SUBPIXEL_STEPS / 8, 5 * SUBPIXEL_STEPS / 8],
    [5 * SUBPIXEL_STEPS / 8, 7 * SUBPIXEL_STEPS / 8],
];

/// Marker of a sample without a triangle.
pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

/// Number of rows in a band.
pub(crate) const BAND_ROWS: usize = 16;

/// Samples of some rows of the picture.
pub(crate) struct Band {
    width: usize,
    first_row: usize,
    rows: usize,
    inv_w: Vec<[f32; SAMPLES]>,
    shown: Vec<[u32; SAMPLES]>,
}

impl Band {
    pub(crate) fn new(width: usize) -> Self {
        let size = width * BAND_ROWS;
        let (inv_w, shown) = (vec![[0.0; SAMPLES]; size], vec![[NO_TRIANGLE; SAMPLES]; size]);
        Self { width, first_row: 0, rows: BAND_ROWS, inv_w, shown }
    }

    /// Clears the band and moves it to other rows.
    pub(crate) fn start(&mut self, first_row: usize, rows: usize) {
        (self.first_row, self.rows) = (first_row, rows);
        self.inv_w.fill([0.0; SAMPLES]);
        self.shown.fill([NO_TRIANGLE; SAMPLES]);
    }

    /// Triangles seen by the samples of a row.
    pub(crate) fn row(&self, row: usize) -> &[[u32; SAMPLES]] {
        let start = (row - self.first_row) * self.width;
        &self.shown[start..start + self.width]
    }

    /// Rasterises triangle `id`.
    pub(crate) fn fill(&mut self, id: u32, triangle: &ScreenTriangle) {
        let Some(area) = Area::of(triangle, self) else { return };
        // Products of two extents must fit the integer type; 500 pixels of 32 steps fit in 32 bits.
        let extent = |v: [i32; 3]| v.iter().max().unwrap_or(&0) - v.iter().min().unwrap_or(&0);
        if extent(triangle.x).max(extent(triangle.y)) < 500 * SUBPIXEL_STEPS {
            self.sweep::<i32>(id, triangle, area);
        } else {
            self.sweep::<i64>(id, triangle, area);
        }
    }

    fn sweep<I: Edge>(&mut self, id: u32, triangle: &ScreenTriangle, area: Area) {
        let corner = [area.x0 as i32 * SUBPIXEL_STEPS, area.y0 as i32 * SUBPIXEL_STEPS];
        let edges: [EdgeFunction<I>; 3] =
            std::array::from_fn(|k| EdgeFunction::new(triangle, k, corner));
        let depth = Depth::new(&triangle.inv_w, area);
        for y in area.y0..area.y1 {
            let down = (y - area.y0) as i32;
            let mut e = [0, 1, 2].map(|k| edges[k].row(down));
            let mut z = depth.row(down);
            let start = (y - self.first_row) * self.width;
            let cells = start + area.x0..start + area.x1;
            let pixels = self.inv_w[cells.clone()].iter_mut().zip(&mut self.shown[cells]);
            for (inv_w, shown) in pixels {
                for s in 0..SAMPLES {
                    let outside = I::negative(e[0][s], e[1][s], e[2][s]);
                    let seen = !outside & (z[s] > inv_w[s]);
                    inv_w[s] = if seen { z[s] } else { inv_w[s] };
                    shown[s] = if seen { id } else { shown[s] };
                }
                for k in 0..3 {
                    for s in 0..SAMPLES {
                        e[k][s] = I::plus(e[k][s], edges[k].right);
                    }
                }
                for s in 0..SAMPLES {
                    z[s] += depth.right;
                }
            }
        }
    }
}

/// Pixel bounds of a triangle within the band.
#[derive(Clone, Copy)]
struct Area {
    x0: usize,
    x1: usize,
    y0: usize,
    y1: usize,
}

impl Area {
    fn of(triangle: &ScreenTriangle, band: &Band) -> Option<Self> {
        let span = |v: [i32; 3], low: usize, high: usize| {
            let first = v.iter().min().map_or(0, |m| m.div_euclid(SUBPIXEL_STEPS));
            let last = v.iter().max().map_or(0, |m| m.div_euclid(SUBPIXEL_STEPS) + 1);
            let (low, high) = (low as i32, high as i32);
            (first.clamp(low, high) as usize, last.clamp(low, high) as usize)
        };
        let (x0, x1) = span(triangle.x, 0, band.width);
        let (y0, y1) = span(triangle.y, band.first_row, band.first_row + band.rows);
        (x0 < x1 && y0 < y1).then_some(Self { x0, x1, y0, y1 })
    }
}

/// Inverse depth at the samples of a pixel.
struct Depth {
    first: [f32; SAMPLES],
    right: f32,
    down: f32,
}

impl Depth {
    fn new(plane: &Plane, area: Area) -> Self {
        let step = 1.0 / SUBPIXEL_STEPS as f32;
        let sample = |[dx, dy]: [i32; 2]| {
            at(plane, area.x0 as f32 + dx as f32 * step, area.y0 as f32 + dy as f32 * step)
        };
        Self { first: SAMPLE_OFFSETS.map(sample), right: plane[0], down: plane[1] }
    }

    fn row(&self, down: i32) -> [f32; SAMPLES] {
        self.first.map(|z| z + down as f32 * self.down)
    }
}

/// Integer type of edge functions: 32 bits for most triangles, 64 for large ones.
trait Edge: Copy {
    fn cut(v: i64) -> Self;
    fn plus(a: Self, b: Self) -> Self;
    fn times(a: Self, n: i32) -> Self;
    /// True if any of the three is negative.
    fn negative(a: Self, b: Self, c: Self) -> bool;
}

macro_rules! edge {
    ($int:ty) => {
        impl Edge for $int {
            fn cut(v: i64) -> Self {
                v as $int
            }
            fn plus(a: Self, b: Self) -> Self {
                a.wrapping_add(b)
            }
            fn times(a: Self, n: i32) -> Self {
                a.wrapping_mul(n as $int)
            }
            fn negative(a: Self, b: Self, c: Self) -> bool {
                (a | b | c) < 0
            }
        }
    };
}
edge!(i32);
edge!(i64);

/// Edge function `(b − a) × (p − a)` from corner `k` to the next, at the samples of a pixel.
struct EdgeFunction<I> {
    first: [I; SAMPLES],
    right: I,
    down: I,
}

impl<I: Edge> EdgeFunction<I> {
    fn new(triangle: &ScreenTriangle, k: usize, corner: [i32; 2]) -> Self {
        let n = (k + 1) % 3;
        let (dx, dy) =
            (i64::from(triangle.x[n] - triangle.x[k]), i64::from(triangle.y[n] - triangle.y[k]));
        // Fill rule: a sample on an edge belongs to the triangle below or to the right of it.
        let owned = dy < 0 || (dy == 0 && dx > 0);
        let bias = if owned { 0 } else { 1 };
        let first = SAMPLE_OFFSETS.map(|[ox, oy]| {
            let px = i64::from(corner[0] + ox - triangle.x[k]);
            let py = i64::from(corner[1] + oy - triangle.y[k]);
            I::cut(dx * py - dy * px - bias)
        });
        let step = i64::from(SUBPIXEL_STEPS);
        Self { first, right: I::cut(-dy * step), down: I::cut(dx * step) }
    }

    fn row(&self, down: i32) -> [I; SAMPLES] {
        self.first.map(|e| I::plus(e, I::times(self.down, down)))
    }
}
