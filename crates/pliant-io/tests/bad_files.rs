//! Contract: a file that is wrong gets the refusal that is meant for it, within 2 s and 512 MiB,
//! whatever it announces.

mod corpus;
mod samples;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::time::Instant;

use pliant_io::import::{FORMATS, Format, ImportError, Imported, Limits, read_bytes};

thread_local! {
    /// The bytes that this thread holds, and the most that it held.
    static HELD: Cell<[isize; 2]> = const { Cell::new([0; 2]) };
}

/// The system's allocator, counting on the calling thread.
struct Counting;

fn count(change: isize) {
    // The counter is gone while a thread ends.
    let _ = HELD.try_with(|held| {
        let [now, most] = held.get();
        held.set([now + change, most.max(now + change)]);
    });
}

#[allow(unsafe_code)]
// SAFETY: everything is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promised.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While it is moved, both are held.
        count(size as isize);
        count(-(layout.size() as isize));
        // SAFETY: as the caller promised.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Time limit of a file \[s\].
const MOST_SECONDS: f64 = 2.0;

/// Reads a file, and tells how long it took \[s\] and the most bytes held on the way.
///
/// Number of attempts: a slow read may be due to other programs.
fn measured(case: &corpus::Case) -> (Result<Imported, ImportError>, f64, isize) {
    let mut least = f64::INFINITY;
    let file = format!("f.{}", case.extension);
    let format = Format::of_file(&file).unwrap();
    for attempt in 0.. {
        let [before, _] = HELD.get();
        HELD.set([before, before]);
        let start = Instant::now();
        let result = read_bytes(&file, &case.bytes, format, &Limits::default(), &case.beside);
        least = least.min(start.elapsed().as_secs_f64());
        if least < MOST_SECONDS || attempt == 2 {
            return (result, least, HELD.get()[1] - before);
        }
    }
    unreachable!()
}

#[test]
fn every_bad_file_gets_its_refusal_in_bounded_time_and_memory() {
    let cases = corpus::all();
    for format in FORMATS {
        let own = cases.iter().filter(|case| format.extensions.contains(&case.extension)).count();
        assert!(own >= 8, "{format:?}: {own} bad files");
    }
    let (mut slowest, mut largest) = ((0.0, ""), (0, ""));
    let mut wrong = Vec::new();
    for case in &cases {
        let name = case.name;
        let (result, seconds, held) = measured(case);
        match &result {
            Err(error) if (case.fits)(&error.problem) => {
                assert!(error.to_string().len() < 600, "{name}: {error}");
            }
            Err(error) => {
                wrong.push(format!("{}, {name}: {error}, not {}", case.extension, case.wanted))
            }
            Ok(_) => wrong.push(format!("{}, {name}: read, not {}", case.extension, case.wanted)),
        }
        // Measured: 0.6 s (blocks of nothing) and 257 MiB (the bomb) for the worst.
        assert!(seconds < MOST_SECONDS, "{}, {name}: {seconds} s", case.extension);
        assert!(held < 512 << 20, "{}, {name}: {} MiB", case.extension, held >> 20);
        if seconds > slowest.0 {
            slowest = (seconds, name);
        }
        if held > largest.0 {
            largest = (held, name);
        }
    }
    println!("{} files; slowest {slowest:?} s; largest {largest:?} bytes", cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sound_files_that_multiply_in_memory_stay_in_bounds() {
    for case in corpus::valid_but_large() {
        let (result, seconds, held) = measured(&case);
        let result = result.map_err(|error| error.to_string());
        assert!(result.is_ok(), "{}: {result:?}", case.name);
        // Measured: 0.7 s and 231 MiB for the instances.
        assert!(seconds < MOST_SECONDS, "{}: {seconds} s", case.name);
        assert!(held < 512 << 20, "{}: {} MiB", case.name, held >> 20);
        println!("{}: {seconds:.3} s, {} MiB", case.name, held >> 20);
    }
}
