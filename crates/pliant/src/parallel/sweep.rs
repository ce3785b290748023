//! Sweeps run a kernel over every pack of a batch, phase by phase.
//!
//! The schedule of [`Stencils`] guarantees that no two tasks of a phase share a vertex, and no two
//! lanes of a pack do. The unchecked reads and writes here are sound because of this.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;

use crate::math::Scalar;
use crate::parallel::{Exec, Stencils};
use crate::simd::{Pack, PackPair, Point, SimdLoop, lanes_of};

/// A kernel that updates the vertices of an element in place.
pub trait InPlaceKernel<S: Scalar, const N: usize>: Sync {
    /// Type whose [codegen unit](crate::simd::CodegenUnit) contains the compiled sweep.
    type Unit: ?Sized;
    /// Number of values per element that `apply` reads and writes through its third argument.
    const STATE_LEN: usize;
    /// Rough cost of one element in nanoseconds.
    const COST_NS: usize;
    /// Updates the points of the elements in `slot..slot + R::LANES`, and their state (Lagrange
    /// multipliers). Mark the implementation `#[inline(always)]`.
    fn apply<R: Pack<Scalar = S>>(
        &self,
        slot: usize,
        x: &mut [[R; 4]; N],
        state: &mut ElementState<S>,
    );
}

/// State values of the elements of a pack.
pub struct ElementState<'a, S> {
    /// Values from the first element's first value to the end of the pack.
    numbers: &'a mut [S],
    /// Distance from one value of an element to its next.
    stride: usize,
}

impl<S: Scalar> ElementState<'_, S> {
    /// Returns value `q` of each element.
    #[inline(always)]
    pub fn load<R: Pack<Scalar = S>>(&self, q: usize) -> R {
        R::load(&self.numbers[q * self.stride..])
    }

    /// Replaces value `q` of each element.
    #[inline(always)]
    pub fn store<R: Pack<Scalar = S>>(&mut self, q: usize, value: R) {
        value.store(&mut self.numbers[q * self.stride..]);
    }
}

/// A kernel that reads the points of an element, and either updates other data of the same vertices or
/// returns a value to be summed.
///
/// One trait serves both purposes because they share most of a kernel's code, which is compiled only
/// once.
pub trait AccumulateKernel<S: Scalar, const N: usize>: Sync {
    /// Type whose [codegen unit](crate::simd::CodegenUnit) contains the compiled sweep.
    type Unit: ?Sized;
    /// Rough cost of one element in nanoseconds.
    const COST_NS: usize;
    /// Reads points `x`, updates `y`, and returns the value of each element in `slot..slot + R::LANES`.
    /// If `summed`, only the values are used and `y` is discarded; otherwise only `y` is used, so
    /// expensive work needed only for the values can be skipped. Mark the implementation
    /// `#[inline(always)]`.
    fn apply<R: Pack<Scalar = S>>(
        &self,
        slot: usize,
        x: &[[R; 4]; N],
        y: &mut [[R; 4]; N],
        summed: bool,
    ) -> R;
}

/// Reads the points of the `N` vertices of each element in a pack; `at` is the index of the first
/// offset.
///
/// # Safety
/// As for [`Pack::gather`], and the `N` rows of `PACK` indices must exist.
#[inline(always)]
unsafe fn gather_all<R: Pack, const N: usize>(
    points: *const Point<R::Scalar>,
    offset: &[u32],
    at: usize,
) -> [[R; 4]; N] {
    // Left uninitialised: with many vertices, zeroing would remain as a call of `memset`.
    let mut x = MaybeUninit::<[[R; 4]; N]>::uninit();
    let to = x.as_mut_ptr().cast::<[R; 4]>();
    // SAFETY: the caller guarantees the indices, and all `N` entries are written.
    unsafe {
        for k in 0..N {
            to.add(k).write(R::gather(points, vertex_offsets::<R, N>(offset, at, k)));
        }
        x.assume_init()
    }
}

/// Writes back the points read by [`gather_all`].
///
/// # Safety
/// As for [`Pack::scatter`], and the `N` rows of `PACK` indices must exist.
#[inline(always)]
unsafe fn scatter_all<R: Pack, const N: usize>(
    x: &[[R; 4]; N],
    points: *mut Point<R::Scalar>,
    offset: &[u32],
    at: usize,
) {
    for k in 0..N {
        // SAFETY: the caller guarantees the indices.
        unsafe { R::scatter(x[k], points, vertex_offsets::<R, N>(offset, at, k)) };
    }
}

/// Returns the indices of vertex `k` without bounds checks, which cost a spring more than its square
/// root.
///
/// # Safety
/// The indices must exist.
#[inline(always)]
unsafe fn vertex_offsets<R: Pack, const N: usize>(offset: &[u32], at: usize, k: usize) -> &[u32] {
    let start = at + k * lanes_of::<R::Scalar>(N);
    debug_assert!(start + R::LANES <= offset.len());
    // SAFETY: the caller guarantees the length.
    unsafe { std::slice::from_raw_parts(offset.as_ptr().add(start), R::LANES) }
}

/// Pointer to a mutable slice shared by tasks that access disjoint parts of it.
struct SharedPtr<T>(*mut T);
// SAFETY: by the schedule, the sweeps pass different elements to different threads.
unsafe impl<T: Send> Sync for SharedPtr<T> {}

/// Sweeps an [`InPlaceKernel`] over all elements. `state` has [`InPlaceKernel::STATE_LEN`] values per
/// slot: value `q` of lane `l` of pack `p` is at `(p * STATE_LEN + q) * PACK + l`.
pub fn sweep_in_place<S: Scalar, K: InPlaceKernel<S, N>, const N: usize>(
    exec: &Exec,
    stencils: &Stencils<N>,
    x: &mut [Point<S>],
    state: &mut [S],
    kernel: &K,
) {
    assert!(x.len() >= stencils.points() && stencils.pack == lanes_of::<S>(N));
    assert!(state.len() >= stencils.slots() * K::STATE_LEN);
    let (points, state) = (SharedPtr(x.as_mut_ptr()), SharedPtr(state.as_mut_ptr()));
    run_phases(exec, stencils, K::COST_NS, &|packs| {
        let (points, state) = (&points, &state);
        let mut job = InPlaceLoop { stencils, kernel, points: points.0, state: state.0, packs };
        S::dispatch(exec.lanes(), &mut job);
    });
}

/// Sweeps an [`AccumulateKernel`] over all elements.
pub fn sweep_accumulate<S: Scalar, K: AccumulateKernel<S, N>, const N: usize>(
    exec: &Exec,
    stencils: &Stencils<N>,
    x: &[Point<S>],
    y: &mut [Point<S>],
    kernel: &K,
) {
    assert!(x.len() >= stencils.points() && y.len() >= stencils.points());
    assert!(stencils.pack == lanes_of::<S>(N));
    let target = SharedPtr(y.as_mut_ptr());
    run_phases(exec, stencils, K::COST_NS, &|packs| {
        let target = &target;
        let mut job = AccumulateLoop { stencils, kernel, x, y: Some(target.0), packs, sum: 0.0 };
        S::dispatch(exec.lanes(), &mut job);
    });
}

/// Returns the sum of the values of an [`AccumulateKernel`] over all elements, in double precision and
/// in sweep order.
pub fn sweep_sum<S: Scalar, K: AccumulateKernel<S, N>, const N: usize>(
    exec: &Exec,
    stencils: &Stencils<N>,
    x: &[Point<S>],
    kernel: &K,
) -> f64 {
    assert!(x.len() >= stencils.points() && stencils.pack == lanes_of::<S>(N));
    // A single loop over everything: sums are for reports, and a fixed order needs no buffer.
    let packs = 0..stencils.lanes_used.len() as u32;
    let mut job = AccumulateLoop { stencils, kernel, x, y: None, packs, sum: 0.0 };
    S::dispatch(exec.lanes(), &mut job);
    job.sum
}

/// Runs `f` on ranges of packs: phases in order, the tasks of a phase on any thread.
fn run_phases<const N: usize>(
    exec: &Exec,
    stencils: &Stencils<N>,
    cost_ns: usize,
    f: &(dyn Fn(Range<u32>) + Sync),
) {
    if exec.threads() == 1 {
        // The packs are stored in the order of the phases.
        return f(0..stencils.lanes_used.len() as u32);
    }
    for phase in &stencils.phases {
        let tasks = &stencils.tasks[phase.start as usize..phase.end as usize];
        let (Some(first), Some(last)) = (tasks.first(), tasks.last()) else { continue };
        let ns = (last.end - first.start) as usize * stencils.pack * cost_ns;
        run_tasks(exec, tasks, exec.task_count(ns).min(tasks.len()), f);
    }
}

// `f` is called dynamically, once per task: inlined, every kernel would contain a copy of the code that
// distributes tasks to threads.
/// Runs `f` on the packs of `tasks` in up to `parts` parts of about equal numbers of packs.
fn run_tasks(exec: &Exec, tasks: &[Range<u32>], parts: usize, f: &(dyn Fn(Range<u32>) + Sync)) {
    let (Some(first), Some(last)) = (tasks.first(), tasks.last()) else { return };
    if parts <= 1 || tasks.len() == 1 {
        return f(first.start..last.end);
    }
    let left = parts / 2;
    let target = first.start + (last.end - first.start) * left as u32 / parts as u32;
    // Cut at the nearest end of a task, with at least one task on either side.
    let before = tasks.partition_point(|t| t.end <= target).clamp(1, tasks.len() - 1);
    let far = |cut: usize| tasks[cut - 1].end.abs_diff(target);
    let cut =
        if before + 1 < tasks.len() && far(before + 1) < far(before) { before + 1 } else { before };
    let (a, b) = tasks.split_at(cut);
    exec.join(|| run_tasks(exec, a, left, f), || run_tasks(exec, b, parts - left, f));
}

struct InPlaceLoop<'a, S, K, const N: usize> {
    stencils: &'a Stencils<N>,
    kernel: &'a K,
    points: *mut Point<S>,
    state: *mut S,
    packs: Range<u32>,
}

impl<S: Scalar, K: InPlaceKernel<S, N>, const N: usize> SimdLoop<S> for InPlaceLoop<'_, S, K, N> {
    type Unit = K::Unit;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        if N == 2 && R::LANES > 1 { self.sweep::<PackPair<R>>() } else { self.sweep::<R>() }
    }
}

impl<S: Scalar, K: InPlaceKernel<S, N>, const N: usize> InPlaceLoop<'_, S, K, N> {
    #[inline(always)]
    fn sweep<R: Pack<Scalar = S>>(&mut self) {
        let width = lanes_of::<S>(N);
        let offset = self.stencils.offset.as_slice();
        for p in self.packs.start as usize..self.packs.end as usize {
            let steps = if R::LANES == 1 { self.stencils.lanes_used[p] as usize } else { 1 };
            for l in 0..steps {
                let slot = p * width + l;
                let at = p * N * width + l;
                // SAFETY: `sweep_in_place` checked the lengths; no other task of this phase and no
                // other lane of this pack touches these points or slots. Every pack of a schedule has
                // its `N * width` indices.
                unsafe {
                    let mut x = gather_all::<R, N>(self.points, offset, at);
                    let numbers: &mut [S] = if K::STATE_LEN == 0 {
                        &mut []
                    } else {
                        let first = self.state.add(p * K::STATE_LEN * width + l);
                        std::slice::from_raw_parts_mut(first, K::STATE_LEN * width - l)
                    };
                    let mut state = ElementState { numbers, stride: width };
                    self.kernel.apply(slot, &mut x, &mut state);
                    scatter_all(&x, self.points, offset, at);
                }
            }
        }
    }
}

struct AccumulateLoop<'a, S, K, const N: usize> {
    stencils: &'a Stencils<N>,
    kernel: &'a K,
    x: &'a [Point<S>],
    /// Points that are updated; `None` if the values are summed.
    y: Option<*mut Point<S>>,
    packs: Range<u32>,
    sum: f64,
}

impl<S: Scalar, K: AccumulateKernel<S, N>, const N: usize> SimdLoop<S>
    for AccumulateLoop<'_, S, K, N>
{
    type Unit = K::Unit;

    #[inline(always)]
    fn run<R: Pack<Scalar = S>>(&mut self) {
        if N == 2 && R::LANES > 1 { self.sweep::<PackPair<R>>() } else { self.sweep::<R>() }
    }
}

impl<S: Scalar, K: AccumulateKernel<S, N>, const N: usize> AccumulateLoop<'_, S, K, N> {
    #[inline(always)]
    fn sweep<R: Pack<Scalar = S>>(&mut self) {
        let width = lanes_of::<S>(N);
        let offset = self.stencils.offset.as_slice();
        let (from, to) = (self.x.as_ptr(), self.y);
        let mut sum = 0.0;
        for p in self.packs.start as usize..self.packs.end as usize {
            let fill = self.stencils.lanes_used[p] as usize;
            let steps = if R::LANES == 1 { fill } else { 1 };
            for l in 0..steps {
                let at = p * N * width + l;
                // SAFETY: as in `InPlaceLoop`; `sweep_accumulate` or `sweep_sum` checked the lengths.
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
