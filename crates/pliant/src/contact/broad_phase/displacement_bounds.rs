//! Upper bounds of one displacement for every primitive: of its vertices, and of the change of its edges.
//!
//! The bounds of all primitives are computed twice in every substep, so this runs in single precision, eight primitives
//! at a time, and rounds up: a bound that is a millionth too large costs nothing.

use crate::contact::broad_phase::primitives::Features;
use crate::math::Scalar;
use crate::math::point::sub;
use crate::simd::{IndexList, Lanes, Pack, Point, SimdLoop};

/// Number of primitives in a row of the vertex list.
const PRIMITIVES_PER_ROW: usize = <f32 as Scalar>::PACK;
/// Maximum relative rounding error of a length.
const LENGTH_ROUNDING: f64 = 1e-6;
/// Maximum rounding error of the difference of two lengths, relative to the longer one.
const CANCELLATION_ROUNDING: f64 = 4e-7;
/// Length below which the square may underflow \[m\].
const MIN_LENGTH: f64 = 1e-18;
/// Sum of squares above which a square may have overflowed \[m²\].
const MAX_SQUARED_LENGTH: f64 = 1e36;

/// Displacement bounds of all primitives on one path.
#[derive(Clone, Debug, Default)]
pub(in crate::contact) struct DisplacementBounds {
    /// Vertices of the primitives: for each row of primitives, a row of first, of second and of third vertices.
    vertices: IndexList,
    /// Displacement of each vertex relative to the drift \[m\], and its square.
    displacements: Vec<Point<f32>>,
    /// Bounds for each primitive \[m\]: displacement of its vertices relative to the drift, and change of its edges.
    /// Both lists end with a whole row.
    max_vertex_displacements: Vec<f32>,
    max_edge_changes: Vec<f32>,
    primitive_count: usize,
}

impl DisplacementBounds {
    pub fn new(features: &Features) -> Self {
        let mut vertices = Vec::new();
        for row in features.primitives.chunks(PRIMITIVES_PER_ROW) {
            for k in 0..3 {
                let of_cells = row.iter().map(|cell| cell.vertices[k]);
                vertices.extend(
                    of_cells.chain(std::iter::repeat(row[0].vertices[k])).take(PRIMITIVES_PER_ROW),
                );
            }
        }
        let cells = features.primitives.len();
        let room = cells.next_multiple_of(PRIMITIVES_PER_ROW);
        Self {
            vertices: IndexList::new(&vertices),
            displacements: Vec::with_capacity(features.vertex_count),
            max_vertex_displacements: vec![0.0; room],
            max_edge_changes: vec![0.0; room],
            primitive_count: cells,
        }
    }

    /// Computes the bounds for the displacement of all vertices between two states, relative to a drift \[m\].
    pub fn update(&mut self, from: &[[f64; 3]], to: &[[f64; 3]], drift: [f64; 3]) {
        self.displacements.clear();
        self.displacements.extend(from.iter().zip(to).map(|(&from, &to)| {
            let d = sub(sub(to, from), drift);
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            [d[0] as f32, d[1] as f32, d[2] as f32, square as f32]
        }));
        f32::dispatch(Lanes::Packed, self);
    }

    /// Returns the bounds for each primitive \[m\]: displacement of its vertices, and change of its edges.
    pub fn bounds(&self) -> [&[f32]; 2] {
        [
            &self.max_vertex_displacements[..self.primitive_count],
            &self.max_edge_changes[..self.primitive_count],
        ]
    }
}

impl SimdLoop<f32> for DisplacementBounds {
    type Unit = Self;

    #[inline(always)]
    fn run<R: Pack<Scalar = f32>>(&mut self) {
        for at in (0..self.max_vertex_displacements.len()).step_by(R::LANES) {
            let first =
                at / PRIMITIVES_PER_ROW * (3 * PRIMITIVES_PER_ROW) + at % PRIMITIVES_PER_ROW;
            let a = self.vertices.gather::<R>(first, &self.displacements);
            let b = self.vertices.gather::<R>(first + PRIMITIVES_PER_ROW, &self.displacements);
            let c = self.vertices.gather::<R>(first + 2 * PRIMITIVES_PER_ROW, &self.displacements);
            let (farthest, all) = (a[3].max(b[3]).max(c[3]), a[3] + b[3] + c[3]);
            let most =
                distance_squared(b, a).max(distance_squared(c, b)).max(distance_squared(a, c));
            let moved = farthest.sqrt() * R::of(1.0 + LENGTH_ROUNDING) + R::of(MIN_LENGTH);
            let changed =
                most.sqrt() * R::of(1.0 + LENGTH_ROUNDING) + moved * R::of(CANCELLATION_ROUNDING);
            // A comparison with a value that is not finite is false: the bound becomes infinite.
            let (huge, far) = (R::of(MAX_SQUARED_LENGTH), R::of(f64::INFINITY));
            R::select_lt(all, huge, moved, far).store(&mut self.max_vertex_displacements[at..]);
            R::select_lt(all, huge, changed, far).store(&mut self.max_edge_changes[at..]);
        }
    }
}

/// Returns the squared distance of two points \[m²\].
#[inline(always)]
fn distance_squared<R: Pack>(p: [R; 4], q: [R; 4]) -> R {
    let (x, y, z) = (p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    x * x + y * y + z * z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::broad_phase::primitives::Primitive;
    use crate::math::Random;
    use crate::math::point::norm;

    #[test]
    fn bounds_are_conservative_and_tight() {
        let mut random = Random::new(1);
        let mut random = |size: f64| 0.5 * size * random.signed_unit();
        let cell = |k: u32| Primitive {
            vertices: [k, k + 1, k + 7],
            vertex_count: 3,
            own_vertices: 0,
            own_edges: 0,
            group: 0,
        };
        // Not a whole number of rows.
        let cells: Vec<Primitive> = (0..83).map(cell).collect();
        let mut features = Features::default();
        (features.vertex_count, features.primitives) = (90, cells);
        let mut displacements = DisplacementBounds::new(&features);
        for size in [1e-30, 1e-12, 1e-3, 1.0, 1e9, 1e30] {
            let mut points = |size: f64| -> Vec<[f64; 3]> {
                (0..90).map(|_| [random(size), random(size), random(size)]).collect()
            };
            let (from, to) = (points(1e3 * size), points(size));
            let to: Vec<_> =
                from.iter().zip(&to).map(|(p, d)| [0, 1, 2].map(|c| p[c] + d[c])).collect();
            let drift = [0.1 * size, -0.2 * size, 0.0];
            displacements.update(&from, &to, drift);
            for (c, cell) in features.primitives.iter().enumerate() {
                let d = cell.vertices.map(|v| sub(sub(to[v as usize], from[v as usize]), drift));
                let most = |lengths: [f64; 3]| lengths.into_iter().fold(0.0, f64::max);
                let moved = most(d.map(norm));
                let changed =
                    most([norm(sub(d[0], d[1])), norm(sub(d[1], d[2])), norm(sub(d[2], d[0]))]);
                let [of_vertices, of_edges] = displacements.bounds();
                for (bound, exact) in [(of_vertices[c], moved), (of_edges[c], changed)] {
                    let bound = f64::from(bound);
                    assert!(bound >= exact, "{size}: {bound} {exact}");
                    assert!(
                        size > 1e15 || bound <= exact * (1.0 + 1e-5) + 2.0 * MIN_LENGTH,
                        "{size}: {bound} {exact}"
                    );
                }
            }
        }
        displacements.update(&[[f64::NAN; 3]; 90], &[[0.0; 3]; 90], [0.0; 3]);
        assert!(displacements.bounds().into_iter().flatten().all(|m| *m == f32::INFINITY));
    }
}
