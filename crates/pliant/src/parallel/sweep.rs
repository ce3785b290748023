//! Sweeps: a kernel run over every pack of a batch, phase by phase.
//!
//! The schedule of [`Stencils`] guarantees that no two tasks of a phase share a vertex, and that
//! no two lanes of a pack do; that is what makes the unchecked reads and writes here sound.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;

use super::{Exec, Stencils};
use crate::math::Scalar;
use crate::simd::{Job, Pack, Point, Twin, lanes_of};

/// A kernel that moves the vertices of an element.
pub trait InPlace<S: Scalar, const N: usize>: Sync {
    /// Whose [codegen unit](crate::simd::CodegenUnit) the compiled sweep goes to.
    type Unit: ?Sized;
    /// Numbers per element that `apply` reads and writes through its third argument.
    const MEMORY: usize;
    /// Rough cost of one element in nanoseconds.
    const COST_NS: usize;
    /// Updates the points of the elements in `slot..slot + R::LANES`, and their memory (Lagrange
    /// multipliers). Mark the implementation `#[inline(always)]`.
    fn apply<R: Pack<Scalar = S>>(&self, slot: usize, x: &mut [[R; 4]; N], memory: &mut Memory<S>);
}

/// Numbers that a sweep keeps for the elements of a pack.
pub struct Memory<'a, S> {
    /// From the first element's first number to the end of the pack.
    numbers: &'a mut [S],
    /// From one number of an element to its next.
    stride: usize,
}

impl<S: Scalar> Memory<'_, S> {
    /// Number `q` of each element.
    #[inline(always)]
    pub fn load<R: Pack<Scalar = S>>(&self, q: usize) -> R {
        R::load(&self.numbers[q * self.stride..])
    }

    /// Replaces number `q` of each element.
    #[inline(always)]
    pub fn store<R: Pack<Scalar = S>>(&mut self, q: usize, value: R) {
        value.store(&mut self.numbers[q * self.stride..]);
    }
}

/// A kernel that reads the points of an element, and either updates other data of the same vertices or
/// gives a number to be summed.
///
/// Both at once, because most of a kernel is what they have in common: it is compiled once for both.
pub trait Onto<S: Scalar, const N: usize>: Sync {
    /// Whose [codegen unit](crate::simd::CodegenUnit) the compiled sweep goes to.
    type Unit: ?Sized;
    /// Rough cost of one element in nanoseconds.
    const COST_NS: usize;
    /// Reads points `x`, updates `y`, and returns the number of each element in
    /// `slot..slot + R::LANES`. Where they are `summed`, nothing becomes of `y`; else nothing of them,
    /// and what takes long and is for them alone may be left out.
    /// Mark the implementation `#[inline(always)]`.
    fn apply<R: Pack<Scalar = S>>(
        &self,
        slot: usize,
        x: &[[R; 4]; N],
        y: &mut [[R; 4]; N],
        summed: bool,
    ) -> R;
}

/// Reads the points of the `N` vertices of each element in a pack, the first offset at `at`.
///
/// # Safety
/// As for [`Pack::gather`], and the `N` rows of `PACK` indices must be there.
#[inline(always)]
unsafe fn gather_all<R: Pack, const N: usize>(
    points: *const Point<R::Scalar>,
    offset: &[u32],
    at: usize,
) -> [[R; 4]; N] {
    // Not zeroed first: with many vertices that stays behind as a call of `memset`.
    let mut x = MaybeUninit::<[[R; 4]; N]>::uninit();
    let to = x.as_mut_ptr().cast::<[R; 4]>();
    // SAFETY: the caller vouches for the indices, and all `N` entries are written.
    unsafe {
        for k in 0..N {
            to.add(k).write(R::gather(points, row::<R, N>(offset, at, k)));
        }
        x.assume_init()
    }
}

/// Writes back what [`gather_all`] read.
///
/// # Safety
/// As for [`Pack::scatter`], and the `N` rows of `PACK` indices must be there.
#[inline(always)]
unsafe fn scatter_all<R: Pack, const N: usize>(
    x: &[[R; 4]; N],
    points: *mut Point<R::Scalar>,
    offset: &[u32],
    at: usize,
) {
    for k in 0..N {
        // SAFETY: the caller vouches for the indices.
        unsafe { R::scatter(x[k], points, row::<R, N>(offset, at, k)) };
    }
}

/// The indices of vertex `k`, without looking: the comparisons cost a spring more than its square
/// root.
///
/// # Safety
/// They must be there.
#[inline(always)]
unsafe fn row<R: Pack, const N: usize>(offset: &[u32], at: usize, k: usize) -> &[u32] {
    let start = at + k * lanes_of::<R::Scalar>(N);
    debug_assert!(start + R::LANES <= offset.len());
    // SAFETY: the caller vouches for the length.
    unsafe { std::slice::from_raw_parts(offset.as_ptr().add(start), R::LANES) }
}

/// A mutable slice shared by tasks that touch different parts of it.
struct Shared<T>(*mut T);
// SAFETY: the sweeps hand different elements to different threads, by the schedule.
unsafe impl<T: Send> Sync for Shared<T> {}

/// Sweeps an [`InPlace`] kernel over all elements; `memory` has [`InPlace::MEMORY`] numbers per slot:
/// number `q` of lane `l` of pack `p` at `(p * MEMORY + q) * PACK + l`.
pub fn update<S: Scalar, K: InPlace<S, N>, const N: usize>(
    exec: &Exec,
    stencils: &Stencils<N>,
    x: &mut [Point<S>],
    memory: &mut [S],
    kernel: &K,
) {
    assert!(x.len() >= stencils.points() && stencils.pack == lanes_of::<S>(N));
    assert!(memory.len() >= stencils.slots() * K::MEMORY);
    let (points, memory) = (Shared(x.as_mut_ptr()), Shared(memory.as_mut_ptr()));
    phases(exec, stencils, K::COST_NS, &|packs| {
        let (points, memory) = (&points, &memory);
        let mut job = UpdateJob { stencils, kernel, points: points.0, memory: memory.0, packs };
        S::dispatch(exec.lanes(), &mut job);
    });
}

/// Sweeps an [`Onto`] kernel over all elements.
pub fn update_onto<S: Scalar, K: Onto<S, N>, const N: usize>(
    exec: &Exec,
    stencils: &Stencils<N>,
    x: &[Point<S>],
    y: &mut [Point<S>],
    kernel: &K,
) {
    assert!(x.len() >= stencils.points() && y.len() >= stencils.points());
    assert!(stencils.pack == lanes_of::<S>(N));
    let target = Shared(y.as_mut_ptr());
    phases(exec, stencils, K::COST_NS, &|packs| {
        let target = &target;
        let mut job = OntoJob { stencils, kernel, x, y: Some(target.0), packs, sum: 0.0 };
        S::dispatch(exec.lanes(), &mut job);
    });
}

/// The sum of the numbers of an [`Onto`] kernel over all elements, in double precision and in sweep
/// order.
pub fn sum_onto<S: Scalar, K: Onto<S, N>, const N: usize>(
    exec: &Exec,
    stencils: &Stencils<N>,
    x: &[Point<S>],
    kernel: &K,
) -> f64 {
    assert!(x.len() >= stencils.points() && stencils.pack == lanes_of::<S>(N));
    // One job over everything: sums are for reports, and a fixed order costs no buffer.
    let packs = 0..stencils.fill.len() as u32;
    let mut job = OntoJob { stencils, kernel, x, y: None, packs, sum: 0.0 };
    S::dispatch(exec.lanes(), &mut job);
    job.sum
}

/// Runs `f` on ranges of packs: phases in order, the tasks of a phase on any threads.
fn phases<const N: usize>(
    exec: &Exec,
    stencils: &Stencils<N>,
    cost_ns: usize,
    f: &(dyn Fn(Range<u32>) + Sync),
) {
    if exec.threads() == 1 {
        // The packs are stored in the order of the phases.
        return f(0..stencils.fill.len() as u32);
    }
    for phase in &stencils.phases {
        let tasks = &stencils.tasks[phase.start as usize..phase.end as usize];
        let (Some(first), Some(last)) = (tasks.first(), tasks.last()) else { continue };
        let ns = (last.end - first.start) as usize * stencils.pack * cost_ns;
        split(exec, tasks, exec.worth(ns).min(tasks.len()), f);
    }
}

// `f` is called through a table, once for each task: inlined, every kernel would have a copy of what
// hands tasks to threads.
/// Runs `f` on the packs of `tasks` in up to `parts` parts of about the same number of packs.
fn split(exec: &Exec, tasks: &[Range<u32>], parts: usize, f: &(dyn Fn(Range<u32>) + Sync)) {
    let (Some(first), Some(last)) = (tasks.first(), tasks.last()) else { return };
    if parts <= 1 || tasks.len() == 1 {
        return f(first.start..last.end);
    }
    let left = parts / 2;
    let target = first.start + (last.end - first.start) * left as u32 / parts as u32;
    // The end of a task that lies nearest, with at least one task on either side.
    let before = tasks.partition_point(|t| t.end <= target).clamp(1, tasks.len() - 1);
    let far = |cut: usize| tasks[cut - 1].end.abs_diff(target);
    let cut =
        if before + 1 < tasks.len() && far(before + 1) < far(before) { before + 1 } else { before };
    let (a, b) = tasks.split_at(cut);
    exec.join(|| split(exec, a, left, f), || split(exec, b, parts - left, f));
}

struct UpdateJob<'a, S, K, const N: usize> {
    stencils: &'a Stencils<N>,
    kernel: &'a K,
    points: *mut Point<S>,
    memory: *mut S,
    packs: Range<u32>,
}

impl<S: Scalar, K: InPlace<S, N>, const N: usize> Job<S> for UpdateJob<'_, S, K, N> {
    type Unit = K::Unit;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        if N == 2 && R::LANES > 1 { self.sweep::<Twin<R>>() } else { self.sweep::<R>() }
    }
}

impl<S: Scalar, K: InPlace<S, N>, const N: usize> UpdateJob<'_, S, K, N> {
    #[inline(always)]
    fn sweep<R: Pack<Scalar = S>>(&mut self) {
        let width = lanes_of::<S>(N);
        let offset = self.stencils.offset.as_slice();
        for p in self.packs.start as usize..self.packs.end as usize {
            let steps = if R::LANES == 1 { self.stencils.fill[p] as usize } else { 1 };
            for l in 0..steps {
                let slot = p * width + l;
                let at = p * N * width + l;
                // SAFETY: `update` checked the lengths; no other task of this phase and no other
                // lane of this pack touches these points or slots. Every pack of a schedule has
                // its `N * width` indices.
                unsafe {
                    let mut x = gather_all::<R, N>(self.points, offset, at);
                    let numbers: &mut [S] = if K::MEMORY == 0 {
                        &mut []
                    } else {
                        let first = self.memory.add(p * K::MEMORY * width + l);
                        std::slice::from_raw_parts_mut(first, K::MEMORY * width - l)
                    };
                    let mut memory = Memory { numbers, stride: width };
                    self.kernel.apply(slot, &mut x, &mut memory);
                    scatter_all(&x, self.points, offset, at);
                }
            }
        }
    }
}

struct OntoJob<'a, S, K, const N: usize> {
    stencils: &'a Stencils<N>,
    kernel: &'a K,
    x: &'a [Point<S>],
    /// What is updated; none where the numbers are summed.
    y: Option<*mut Point<S>>,
    packs: Range<u32>,
    sum: f64,
}

impl<S: Scalar, K: Onto<S, N>, const N: usize> Job<S> for OntoJob<'_, S, K, N> {
    type Unit = K::Unit;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        if N == 2 && R::LANES > 1 { self.sweep::<Twin<R>>() } else { self.sweep::<R>() }
    }
}

impl<S: Scalar, K: Onto<S, N>, const N: usize> OntoJob<'_, S, K, N> {
    #[inline(always)]
    fn sweep<R: Pack<Scalar = S>>(&mut self) {
        let width = lanes_of::<S>(N);
        let offset = self.stencils.offset.as_slice();
        let (from, to) = (self.x.as_ptr(), self.y);
        let mut sum = 0.0;
        for p in self.packs.start as usize..self.packs.end as usize {
            let fill = self.stencils.fill[p] as usize;
            let steps = if R::LANES == 1 { fill } else { 1 };
            for l in 0..steps {
                let at = p * N * width + l;
                // SAFETY: as in `UpdateJob`, with `update_onto` or `sum_onto`.
                let x = unsafe { gather_all::<R, N>(from, offset, at) };
                let mut y = match to {
                    // SAFETY: as above.
                    Some(to) => unsafe { gather_all::<R, N>(to, offset, at) },
                    None => [[R::zero(); 4]; N],
                };
                let value = self.kernel.apply(p * width + l, &x, &mut y, to.is_none());
                if let Some(to) = to {
                    // SAFETY: as above.
                    unsafe { scatter_all(&y, to, offset, at) };
                } else {
                    for lane in 0..R::LANES.min(fill) {
                        sum += value.lane(lane).to_f64();
                    }
                }
            }
        }
        self.sum = sum;
    }
}
