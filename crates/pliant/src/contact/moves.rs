//! How far the vertices and the edges of every cell move on a way: bounds, eight cells at a time.
//!
//! Asked for twice in every substep of all cells, so it is done in single precision, and rounded up: a bound that is a
//! millionth too large costs nothing.

use super::features::{Features, sub};
use crate::math::Scalar;
use crate::simd::{IndexList, Job, Lanes, Pack, Point};

/// Cells in a row of the list of their vertices.
const ROW: usize = <f32 as Scalar>::PACK;
/// What rounding takes from a length at most, as a part of it.
const ROUNDING: f64 = 1e-6;
/// And from the difference of two lengths, as a part of the longer.
const CANCELLED: f64 = 4e-7;
/// The square of a shorter length may vanish \[m\].
const TINY: f64 = 1e-18;
/// Where squares add up to more, some may be infinite \[m²\].
const HUGE: f64 = 1e36;

/// How all cells move on one way.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    /// The vertices of the cells: a row of first ones, of second and of third ones, for as many cells as a row is long.
    vertices: IndexList,
    /// How each vertex moves beside the drift \[m\], and the square of that.
    moved: Vec<Point<f32>>,
    /// How far the vertices of each cell move beside the drift, and how far its edges change, at most \[m\]. The lists
    /// end with a whole row.
    vertices_moved: Vec<f32>,
    edges_changed: Vec<f32>,
    cells: usize,
}

impl Moves {
    pub fn new(features: &Features) -> Self {
        let mut vertices = Vec::new();
        for row in features.cells.chunks(ROW) {
            for k in 0..3 {
                let of_cells = row.iter().map(|cell| cell.vertices[k]);
                vertices.extend(of_cells.chain(std::iter::repeat(row[0].vertices[k])).take(ROW));
            }
        }
        let cells = features.cells.len();
        let room = cells.next_multiple_of(ROW);
        Self {
            vertices: IndexList::new(&vertices),
            moved: Vec::with_capacity(features.vertices),
            vertices_moved: vec![0.0; room],
            edges_changed: vec![0.0; room],
            cells,
        }
    }

    /// Looks at the way of all vertices from one place to another, beside a drift \[m\].
    pub fn go(&mut self, from: &[[f64; 3]], to: &[[f64; 3]], drift: [f64; 3]) {
        self.moved.clear();
        self.moved.extend(from.iter().zip(to).map(|(&from, &to)| {
            let d = sub(sub(to, from), drift);
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            [d[0] as f32, d[1] as f32, d[2] as f32, square as f32]
        }));
        f32::dispatch(Lanes::Packed, self);
    }

    /// How far the vertices of each cell move at most, and how far its edges change \[m\].
    pub fn both(&self) -> [&[f32]; 2] {
        [&self.vertices_moved[..self.cells], &self.edges_changed[..self.cells]]
    }
}

impl Job<f32> for Moves {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f32>>(&mut self) {
        for at in (0..self.vertices_moved.len()).step_by(R::LANES) {
            let first = at / ROW * (3 * ROW) + at % ROW;
            let a = self.vertices.gather::<R>(first, &self.moved);
            let b = self.vertices.gather::<R>(first + ROW, &self.moved);
            let c = self.vertices.gather::<R>(first + 2 * ROW, &self.moved);
            let (farthest, all) = (a[3].max(b[3]).max(c[3]), a[3] + b[3] + c[3]);
            let most = apart(b, a).max(apart(c, b)).max(apart(a, c));
            let moved = farthest.sqrt() * R::of(1.0 + ROUNDING) + R::of(TINY);
            let changed = most.sqrt() * R::of(1.0 + ROUNDING) + moved * R::of(CANCELLED);
            // What is not finite is not less.
            let (huge, far) = (R::of(HUGE), R::of(f64::INFINITY));
            R::select_lt(all, huge, moved, far).store(&mut self.vertices_moved[at..]);
            R::select_lt(all, huge, changed, far).store(&mut self.edges_changed[at..]);
        }
    }
}

/// The square of the distance of two points \[m²\].
#[inline(always)]
fn apart<R: Pack>(p: [R; 4], q: [R; 4]) -> R {
    let (x, y, z) = (p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    x * x + y * y + z * z
}

#[cfg(test)]
mod tests {
    use super::super::features::{Cell, distance};
    use super::*;

    #[test]
    fn nothing_moves_farther_than_is_said_and_little_less() {
        let mut seed = 1_u64;
        let mut random = |size: f64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 40) as f64 / (1_u64 << 24) as f64 - 0.5) * size
        };
        let cell = |k: u32| Cell {
            vertices: [k, k + 1, k + 7],
            count: 3,
            own_vertices: 0,
            own_edges: 0,
            group: 0,
        };
        // No whole number of rows.
        let cells: Vec<Cell> = (0..83).map(cell).collect();
        let mut features = Features::default();
        (features.vertices, features.cells) = (90, cells);
        let mut moves = Moves::new(&features);
        for size in [1e-30, 1e-12, 1e-3, 1.0, 1e9, 1e30] {
            let mut points = |size: f64| -> Vec<[f64; 3]> {
                (0..90).map(|_| [random(size), random(size), random(size)]).collect()
            };
            let (from, to) = (points(1e3 * size), points(size));
            let to: Vec<_> =
                from.iter().zip(&to).map(|(p, d)| [0, 1, 2].map(|c| p[c] + d[c])).collect();
            let drift = [0.1 * size, -0.2 * size, 0.0];
            moves.go(&from, &to, drift);
            for (c, cell) in features.cells.iter().enumerate() {
                let d = cell.vertices.map(|v| sub(sub(to[v as usize], from[v as usize]), drift));
                let most = |lengths: [f64; 3]| lengths.into_iter().fold(0.0, f64::max);
                let moved = most(d.map(|d| distance(d, [0.0; 3])));
                let changed =
                    most([distance(d[0], d[1]), distance(d[1], d[2]), distance(d[2], d[0])]);
                let [of_vertices, of_edges] = moves.both();
                for (bound, exact) in [(of_vertices[c], moved), (of_edges[c], changed)] {
                    let bound = f64::from(bound);
                    assert!(bound >= exact, "{size}: {bound} {exact}");
                    assert!(
                        size > 1e15 || bound <= exact * (1.0 + 1e-5) + 2.0 * TINY,
                        "{size}: {bound} {exact}"
                    );
                }
            }
        }
        moves.go(&[[f64::NAN; 3]; 90], &[[0.0; 3]; 90], [0.0; 3]);
        assert!(moves.both().into_iter().flatten().all(|m| *m == f32::INFINITY));
    }
}
