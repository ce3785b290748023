//! Vertex stencils: pairs of an element and one of its vertices, for solvers that process vertex by vertex.
//!
//! The vertices are coloured so that those of one colour can move at the same time. For a batch and a colour,
//! [`VertexStencils`] lists every pair of an element and a vertex of that colour, laid out in packs of `S::PACK`.
//! [`VertexBatch::vertex_blocks`](crate::batch::VertexBatch::vertex_blocks) computes for each pair the force on the vertex
//! and its block of the Hessian: nine numbers, each for a whole pack.

use crate::batch::kernels::KernelData;
use crate::element::SolverForms;
use crate::element::{Block, each_constraint};
use crate::math::{Scalar, Vec3};
use crate::parallel::{Exec, Stencils, for_rows};
use crate::simd::{Pack, Point, SimdLoop, lanes_of};

/// Numbers of a pair: the force's x, y, z \[N\], and the block's xx, yy, zz, xy, yz, zx [N/m].
pub const VERTEX_BLOCK_LEN: usize = 9;

/// Number of lanes of the widest pack.
const MAX_LANES: usize = 8;

/// The pairs of one batch at the vertices of one colour.
#[derive(Clone, Debug, Default)]
pub struct VertexStencils {
    /// The slot of the element in its batch; padding repeats the first entry of its pack.
    pub slot: Vec<u32>,
    /// Index of the vertex within the element.
    pub local_vertex: Vec<u32>,
    /// The vertex; [`VertexStencils::PADDING`] for padding entries.
    pub vertex: Vec<u32>,
}

impl VertexStencils {
    /// Returns the vertex stencils of clusters by colour; those of one cluster are consecutive.
    pub(super) fn by_color(
        clusters: &[Vec<u32>],
        color: &[u32],
        colors: usize,
        pack: usize,
    ) -> Vec<Self> {
        let mut entries = vec![Vec::new(); colors];
        for (e, vertices) in clusters.iter().enumerate() {
            for (k, &v) in vertices.iter().enumerate() {
                if let Some(list) = entries.get_mut(color[v as usize] as usize) {
                    list.push([e as u32, k as u32, v]);
                }
            }
        }
        let of = |list: &Vec<[u32; 3]>| {
            let mut corners = Self::default();
            corners.push_padded(list, pack);
            corners
        };
        entries.iter().map(of).collect()
    }

    /// Placeholder for the vertex of a padding entry.
    pub const PADDING: u32 = u32::MAX;

    /// Length of the output of [`VertexBatch::vertex_blocks`](crate::batch::VertexBatch::vertex_blocks).
    pub fn output_len(&self) -> usize {
        self.slot.len() * VERTEX_BLOCK_LEN
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        12 * self.slot.len()
    }

    /// Index of the first number of entry `i` in the output, for packs of `width`; the others follow at a stride of
    /// `width`.
    pub fn output_index(i: usize, width: usize) -> usize {
        i / width * (width * VERTEX_BLOCK_LEN) + i % width
    }

    /// Adds entries, and repeats the first until the last pack is full.
    pub(super) fn push_padded(&mut self, entries: &[[u32; 3]], width: usize) {
        for pack in entries.chunks(width) {
            for l in 0..width {
                let [slot, corner, vertex] = *pack.get(l).unwrap_or(&pack[0]);
                self.slot.push(slot);
                self.local_vertex.push(corner);
                self.vertex.push(if l < pack.len() { vertex } else { Self::PADDING });
            }
        }
    }
}

/// Returns the stencils of packed elements by colour: all entries of a pack have the same local vertex.
pub(super) fn by_color<S: Scalar, const N: usize>(
    stencils: &Stencils<N>,
    color: &[u32],
    colors: usize,
) -> Vec<VertexStencils> {
    let mut groups = vec![vec![Vec::new(); N]; colors];
    for slot in stencils.element_slots() {
        for (k, v) in stencils.vertices(slot).into_iter().enumerate() {
            if let Some(group) = groups.get_mut(color[v as usize] as usize) {
                group[k].push([slot as u32, k as u32, v]);
            }
        }
    }
    let mut all = vec![VertexStencils::default(); colors];
    for (corners, group) in all.iter_mut().zip(&groups) {
        group.iter().for_each(|entries| corners.push_padded(entries, S::PACK));
    }
    all
}

/// Inputs of the evaluation of a batch at one colour.
pub(super) struct Evaluate<'a, S, F, const N: usize, const K: usize> {
    pub stencils: &'a Stencils<N>,
    /// The data of the batch; `scale` holds the weights.
    pub data: KernelData<'a, S, F>,
    pub vertex_stencils: &'a VertexStencils,
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> Evaluate<'_, S, F, N, K> {
    /// Fills `out` with the numbers of every pair.
    pub fn run(&self, exec: &Exec, x: &[Point<S>], out: &mut [S]) {
        let row = S::PACK * VERTEX_BLOCK_LEN;
        let ns = self.vertex_stencils.slot.len() * F::COST_NS * 2;
        for_rows(exec, &mut out[..self.vertex_stencils.output_len()], row, ns, |first, out| {
            S::dispatch(exec.lanes(), &mut VertexBlockLoop { own: self, x, first, out });
        });
    }
}

struct VertexBlockLoop<'a, S, F, const N: usize, const K: usize> {
    own: &'a Evaluate<'a, S, F, N, K>,
    x: &'a [Point<S>],
    first: usize,
    out: &'a mut [S],
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize> SimdLoop<S>
    for VertexBlockLoop<'_, S, F, N, K>
{
    type Unit = F::Element;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        let width = S::PACK;
        let row = width * VERTEX_BLOCK_LEN;
        let mut pack = 0;
        while (pack + 1) * row <= self.out.len() {
            let mut l = 0;
            while l < width {
                let at = (self.first + pack) * width + l;
                let corner = self.own.vertex_stencils.local_vertex[at] as usize;
                let (rest, x) = self.load::<R>(at);
                let mut f = Vec3::zero();
                let mut block = Block::isotropic(R::zero());
                each_constraint!(F, N, K, which => {
                    let w = self.weight::<R>(at, which);
                    let c = F::vertex_block(which, &rest, &x, corner);
                    f += c.force.scale(w);
                    block = block.plus(c.block.scale(w));
                });
                let b = block.m;
                let numbers = [f.x, f.y, f.z, b[0], b[1], b[2], b[3], b[4], b[5]];
                for q in 0..VERTEX_BLOCK_LEN {
                    numbers[q].store(&mut self.out[pack * row + q * width + l..]);
                }
                l += R::LANES;
            }
            pack += 1;
        }
    }
}

impl<S: Scalar, F: SolverForms<N, K>, const N: usize, const K: usize>
    VertexBlockLoop<'_, S, F, N, K>
{
    /// The weights of one constraint of the elements of entries `at..at + R::LANES`.
    #[inline(always)]
    fn weight<R: Pack<Scalar = S>>(&self, at: usize, which: usize) -> R {
        let layout = lanes_of::<S>(N);
        let mut w = [S::default(); MAX_LANES];
        for l in 0..R::LANES {
            let slot = self.own.vertex_stencils.slot[at + l] as usize;
            let own = (slot / layout * F::CONSTRAINTS + which) * layout + slot % layout;
            w[l] = self.own.data.scale[own];
        }
        R::load(&w)
    }

    /// Rest data and positions of the elements of entries `at..at + R::LANES`, which are not contiguous.
    #[inline(always)]
    fn load<R: Pack<Scalar = S>>(&self, at: usize) -> ([R; K], [Vec3<R>; N]) {
        let (data, layout) = (&self.own.data, lanes_of::<S>(N));
        let mut rest = [[S::default(); MAX_LANES]; K];
        let mut x = [[[S::default(); MAX_LANES]; 3]; N];
        for l in 0..R::LANES {
            let slot = self.own.vertex_stencils.slot[at + l] as usize;
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
