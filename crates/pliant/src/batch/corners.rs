//! Corners: an element and one of its vertices, as solvers ask for that go vertex by vertex.
//!
//! The vertices are coloured so that those of one colour can move at the same time. For a batch and
//! a colour, [`Corners`] lists every pair of an element and a vertex of that colour, laid out in
//! packs of `S::PACK`. [`AnyBatch::corner_blocks`](super::AnyBatch::corner_blocks) gives for each
//! the force on the vertex and its block of the Hessian: nine numbers, each of a whole pack.

use super::kernels::Data;
use crate::element::{Block, Faces, each_constraint};
use crate::math::{Scalar, Vec3};
use crate::parallel::{Exec, Stencils, for_rows};
use crate::simd::{Job, Pack, Point, lanes_of};

/// Numbers of a corner: the force's x, y, z \[N\], and the block's xx, yy, zz, xy, yz, zx [N/m].
pub const CORNER_NUMBERS: usize = 9;

/// The widest pack.
const WIDEST: usize = 8;

/// The corners of one batch at the vertices of one colour.
#[derive(Clone, Debug, Default)]
pub struct Corners {
    /// The slot of the element in its batch; padding repeats the first of its pack.
    pub slot: Vec<u32>,
    /// Which of the element's vertices it is.
    pub corner: Vec<u32>,
    /// The vertex; [`Corners::PADDING`] where there is none.
    pub vertex: Vec<u32>,
}

impl Corners {
    /// Stands for the vertex where a pack is not full.
    pub const PADDING: u32 = u32::MAX;

    /// How many numbers [`AnyBatch::corner_blocks`](super::AnyBatch::corner_blocks) gives.
    pub fn numbers(&self) -> usize {
        self.slot.len() * CORNER_NUMBERS
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        12 * self.slot.len()
    }

    /// Where in the numbers the first one of entry `i` stands, for packs of `width`; the others
    /// follow at distances of `width`.
    pub fn place(i: usize, width: usize) -> usize {
        i / width * (width * CORNER_NUMBERS) + i % width
    }

    /// Adds entries, and repeats the first until the last pack is full.
    pub(super) fn push_padded(&mut self, entries: &[[u32; 3]], width: usize) {
        for pack in entries.chunks(width) {
            for l in 0..width {
                let [slot, corner, vertex] = *pack.get(l).unwrap_or(&pack[0]);
                self.slot.push(slot);
                self.corner.push(corner);
                self.vertex.push(if l < pack.len() { vertex } else { Self::PADDING });
            }
        }
    }
}

/// The corners of packed elements by colour: those of a pack are the same corner of each element.
pub(super) fn by_color<S: Scalar, const N: usize>(
    stencils: &Stencils<N>,
    color: &[u32],
    colors: usize,
) -> Vec<Corners> {
    let mut groups = vec![vec![Vec::new(); N]; colors];
    for slot in stencils.filled() {
        for (k, v) in stencils.vertices(slot).into_iter().enumerate() {
            if let Some(group) = groups.get_mut(color[v as usize] as usize) {
                group[k].push([slot as u32, k as u32, v]);
            }
        }
    }
    let mut all = vec![Corners::default(); colors];
    for (corners, group) in all.iter_mut().zip(&groups) {
        group.iter().for_each(|entries| corners.push_padded(entries, S::PACK));
    }
    all
}

/// What a batch and a colour are evaluated with.
pub(super) struct Evaluate<'a, S, F, const N: usize, const K: usize> {
    pub stencils: &'a Stencils<N>,
    /// The scale is the weight.
    pub data: Data<'a, S, F>,
    pub corners: &'a Corners,
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Evaluate<'_, S, F, N, K> {
    /// Fills `out` with the numbers of every corner.
    pub fn run(&self, exec: &Exec, x: &[Point<S>], out: &mut [S]) {
        let row = S::PACK * CORNER_NUMBERS;
        let ns = self.corners.slot.len() * F::COST_NS * 2;
        for_rows(exec, &mut out[..self.corners.numbers()], row, ns, |first, out| {
            S::dispatch(exec.lanes(), &mut CornerJob { own: self, x, first, out });
        });
    }
}

struct CornerJob<'a, S, F, const N: usize, const K: usize> {
    own: &'a Evaluate<'a, S, F, N, K>,
    x: &'a [Point<S>],
    first: usize,
    out: &'a mut [S],
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> Job<S>
    for CornerJob<'_, S, F, N, K>
{
    type Unit = F::Element;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        let width = S::PACK;
        let row = width * CORNER_NUMBERS;
        let mut pack = 0;
        while (pack + 1) * row <= self.out.len() {
            let mut l = 0;
            while l < width {
                let at = (self.first + pack) * width + l;
                let corner = self.own.corners.corner[at] as usize;
                let (rest, x) = self.load::<R>(at);
                let mut f = Vec3::zero();
                let mut block = Block::isotropic(R::zero());
                each_constraint!(F, N, K, which => {
                    let w = self.weight::<R>(at, which);
                    let c = F::corner(which, &rest, &x, corner);
                    f += c.force.scale(w);
                    block = block.plus(c.block.scale(w));
                });
                let b = block.m;
                let numbers = [f.x, f.y, f.z, b[0], b[1], b[2], b[3], b[4], b[5]];
                for q in 0..CORNER_NUMBERS {
                    numbers[q].store(&mut self.out[pack * row + q * width + l..]);
                }
                l += R::LANES;
            }
            pack += 1;
        }
    }
}

impl<S: Scalar, F: Faces<N, K>, const N: usize, const K: usize> CornerJob<'_, S, F, N, K> {
    /// The weights of one constraint of the elements at `at..at + R::LANES`.
    #[inline(always)]
    fn weight<R: Pack<Scalar = S>>(&self, at: usize, which: usize) -> R {
        let layout = lanes_of::<S>(N);
        let mut w = [S::default(); WIDEST];
        for l in 0..R::LANES {
            let slot = self.own.corners.slot[at + l] as usize;
            let own = (slot / layout * F::CONSTRAINTS + which) * layout + slot % layout;
            w[l] = self.own.data.scale[own];
        }
        R::load(&w)
    }

    /// Rest data and positions of the elements at `at..at + R::LANES`, which lie apart.
    #[inline(always)]
    fn load<R: Pack<Scalar = S>>(&self, at: usize) -> ([R; K], [Vec3<R>; N]) {
        let (data, layout) = (&self.own.data, lanes_of::<S>(N));
        let mut rest = [[S::default(); WIDEST]; K];
        let mut x = [[[S::default(); WIDEST]; 3]; N];
        for l in 0..R::LANES {
            let slot = self.own.corners.slot[at + l] as usize;
            let own = slot / layout * (K * layout) + slot % layout;
            for q in 0..K {
                rest[q][l] = data.parameters[own + q * layout];
            }
            let vertices = self.own.stencils.vertices_in(slot, layout);
            for k in 0..N {
                let p = self.x[vertices[k] as usize];
                x[k][0][l] = p[0];
                x[k][1][l] = p[1];
                x[k][2][l] = p[2];
            }
        }
        let mut rests = [R::zero(); K];
        for q in 0..K {
            rests[q] = R::load(&rest[q]);
        }
        let mut points = [Vec3::zero(); N];
        for k in 0..N {
            points[k] = Vec3::new(R::load(&x[k][0]), R::load(&x[k][1]), R::load(&x[k][2]));
        }
        (rests, points)
    }
}
