//! Snapshots: a sound one with some bytes changed, cut off or appended, and a check sum that fits again. It is refused
//! and changes nothing, or two steps go on from it.
//!
//! The input: a signed count of bytes to cut off or to append, then changes of three bytes each: an offset, low byte
//! first, and what is combined with the byte there by exclusive or.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use pliant::prelude::*;
use pliant_fuzz::two_steps;

/// CRC-32, the check sum of snapshots.
fn check_sum(bytes: &[u8]) -> u64 {
    crc32fast::hash(bytes).into()
}

/// A cloth that tears, on a ball, under an integrator with a history: every part of a snapshot is in use.
fn simulation() -> Result<Simulation<f32>, pliant::Error> {
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(5).size(1.0), Fabric::cotton())?;
    scene.pin(cloth.corner(0));
    scene.tear(&cloth, Tearing::split(1.2))?;
    scene.collider(Collider::sphere([0.5, -0.12, 0.5], 0.1).friction(0.6));
    Simulation::new(scene.build()?, AnySolver::by_name("projective@bdf2")?)
}

struct Base {
    sim: Simulation<f32>,
    content: Vec<u8>,
}

impl Base {
    fn new() -> Self {
        let mut sim = simulation().expect("a scene");
        for _ in 0..12 {
            sim.step();
        }
        let mut content = sim.snapshot();
        let sum = content.split_off(content.len() - 8);
        assert_eq!(
            sum,
            check_sum(&content).to_le_bytes(),
            "snapshots have another check sum: update this target"
        );
        Self { sim, content }
    }
}

thread_local! {
    static BASE: RefCell<Base> = RefCell::new(Base::new());
}

fuzz_target!(|data: &[u8]| {
    let Some((&size, changes)) = data.split_first() else { return };
    BASE.with_borrow_mut(|Base { sim, content }| {
        let mut bytes = content.clone();
        let length = bytes.len().saturating_add_signed(isize::from(size as i8));
        bytes.resize(length, 0);
        for &[low, high, change] in changes.as_chunks::<3>().0 {
            let offset = usize::from(u16::from_le_bytes([low, high])) % bytes.len();
            bytes[offset] ^= change;
        }
        let sum = check_sum(&bytes);
        bytes.extend(sum.to_le_bytes());

        sim.reset();
        let before = sim.hash();
        match sim.restore(&bytes) {
            Ok(()) => two_steps(sim),
            Err(_) => assert_eq!(sim.hash(), before, "a refused snapshot changed the state"),
        }
    });
});
