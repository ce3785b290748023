//! State: all that changes from step to step, and all that a snapshot must hold.

use crate::Error;
use crate::contact::Grip;
use crate::math::Scalar;
use crate::past::Past;
use crate::simd::Point;
use crate::tear::Tear;

/// Positions, velocities, the count of steps, the time and where pins were told to go.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S> {
    /// Positions \[m\]; the fourth number is the inverse mass [1/kg], zero where pinned.
    pub positions: Vec<Point<S>>,
    /// Velocities [m/s]; the fourth number is zero.
    pub velocities: Vec<Point<S>>,
    /// Steps taken.
    pub step: u64,
    /// Time \[s\].
    pub time: f64,
    /// Targets that the user gave to pins while running \[m\], by pin.
    pub(crate) targets: Vec<Option<[f64; 3]>>,
    /// The state before the last substep, for integrators of two steps.
    pub(crate) past: Past<S>,
    /// What elements remember of what happened to them: plastic deformation.
    pub(crate) memory: Vec<S>,
    /// What has torn or been cut, in its order.
    pub(crate) tears: Vec<Tear>,
    /// Whether surfaces are known not to cross each other: from a look at the start on, as long as nothing
    /// passed.
    pub(crate) apart: bool,
    /// How far contacts that friction holds have crept.
    pub(crate) grips: Vec<Grip>,
}

/// The first bytes of every snapshot; the last one is the version of the layout.
const MAGIC: [u8; 8] = *b"PLIANT\0\x07";

/// Bytes before the positions: magic, precision, vertices, step, time, pins, bodies with a past,
/// numbers that elements remember, tears, whether surfaces are apart, contacts that friction holds.
const HEADER: usize = 88;

/// Bytes of a contact that friction holds.
const GRIP: usize = 8 * Grip::WORDS;

/// Bytes of a snapshot: the header, positions and velocities, pin targets, the past (its step,
/// positions and velocities, prints of the bodies), what elements remember, contacts that friction holds, the tears, the
/// check sum.
fn length(
    vertices: usize,
    pins: usize,
    bodies_with_past: usize,
    memory: usize,
    grips: usize,
    tears: usize,
) -> usize {
    let past = if bodies_with_past == 0 { 0 } else { 8 + 48 * vertices + 8 * bodies_with_past };
    HEADER + 48 * vertices + 32 * pins + past + 8 * memory + GRIP * grips + 16 * tears + 8
}

/// A word of a snapshot.
fn word(bytes: &[u8], at: usize) -> u64 {
    let mut w = [0; 8];
    w.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(w)
}

/// Refuses what is no whole snapshot.
fn check(bytes: &[u8]) -> Result<(), Error> {
    let bad = |reason: &'static str| Err(Error::Snapshot { reason });
    if bytes.len() < HEADER + 8 || bytes[..8] != MAGIC {
        return bad("it is not a snapshot of this version");
    }
    let (content, sum) = bytes.split_at(bytes.len() - 8);
    let mut check = Fnv::new();
    check.bytes(content);
    if check.0 != word(sum, 0) { bad("its bytes are damaged or cut off") } else { Ok(()) }
}

/// The tears that a snapshot has.
pub(crate) fn tears_of<S: Scalar>(bytes: &[u8]) -> Result<Vec<Tear>, Error> {
    check(bytes)?;
    if word(bytes, 8) != S::PACK as u64 {
        return Err(Error::Snapshot { reason: "it was taken in another precision" });
    }
    let count = word(bytes, 64);
    let end = bytes.len() - 8;
    let start = usize::try_from(count).ok().and_then(|n| n.checked_mul(16));
    let start = start.and_then(|n| end.checked_sub(n)).filter(|&start| start >= HEADER);
    let bad = || Error::Snapshot { reason: "it has tears that make no sense" };
    let list = &bytes[start.ok_or_else(bad)?..end];
    let words = list.chunks_exact(16).map(|w| [word(w, 0), word(w, 8)]);
    words.map(|w| Tear::of_words(w).ok_or_else(bad)).collect()
}

/// The contacts that friction holds in a snapshot that has been checked, with a number of tears.
fn grips_of(bytes: &[u8], tears: usize) -> Result<Vec<Grip>, Error> {
    let end = bytes.len() - 8 - 16 * tears;
    let start = usize::try_from(word(bytes, 80)).ok().and_then(|n| n.checked_mul(GRIP));
    let start = start.and_then(|n| end.checked_sub(n)).filter(|&start| start >= HEADER);
    let bad = || Error::Snapshot { reason: "it has contacts that make no sense" };
    let list = bytes[start.ok_or_else(bad)?..end].chunks_exact(GRIP);
    list.map(|w| Grip::of_words([0, 1, 2, 3, 4, 5].map(|k| word(w, 8 * k))).ok_or_else(bad))
        .collect()
}

impl<S: Scalar> State<S> {
    /// A hash of every bit of the state (−0 counts as +0): equal states have equal hashes.
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv::new();
        hash.word(self.step);
        hash.word(self.time.to_bits());
        for p in self.positions.iter().chain(&self.velocities) {
            p[..3].iter().for_each(|c| hash.word(c.canonical_bits()));
        }
        for (pin, target) in self.targets.iter().enumerate() {
            if let Some(target) = target {
                hash.word(pin as u64);
                target.iter().for_each(|c| hash.word(c.canonical_bits()));
            }
        }
        if self.past.is_there() {
            hash.word(self.past.h.to_bits());
            for p in self.past.positions.iter().chain(&self.past.velocities) {
                p[..3].iter().for_each(|c| hash.word(c.canonical_bits()));
            }
            self.past.prints.iter().for_each(|&p| hash.word(p));
        }
        self.memory.iter().for_each(|c| hash.word(c.canonical_bits()));
        self.tears.iter().flat_map(Tear::words).for_each(|w| hash.word(w));
        self.grips.iter().flat_map(Grip::words).for_each(|w| hash.word(w));
        hash.0
    }

    /// The state as bytes: restoring them continues bit for bit.
    pub fn snapshot(&self) -> Vec<u8> {
        let past = if self.past.is_there() { self.past.prints.len() } else { 0 };
        let (n, pins, memory) = (self.positions.len(), self.targets.len(), self.memory.len());
        let (grips, tears) = (self.grips.len(), self.tears.len());
        let mut out = Vec::with_capacity(length(n, pins, past, memory, grips, tears));
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&(S::PACK as u64).to_le_bytes());
        out.extend_from_slice(&(self.positions.len() as u64).to_le_bytes());
        out.extend_from_slice(&self.step.to_le_bytes());
        out.extend_from_slice(&self.time.to_le_bytes());
        out.extend_from_slice(&(self.targets.len() as u64).to_le_bytes());
        out.extend_from_slice(&(past as u64).to_le_bytes());
        out.extend_from_slice(&(memory as u64).to_le_bytes());
        out.extend_from_slice(&(tears as u64).to_le_bytes());
        out.extend_from_slice(&u64::from(self.apart).to_le_bytes());
        out.extend_from_slice(&(grips as u64).to_le_bytes());
        for p in self.positions.iter().chain(&self.velocities) {
            p[..3].iter().for_each(|c| out.extend_from_slice(&c.to_f64().to_le_bytes()));
        }
        for target in &self.targets {
            out.extend_from_slice(&u64::from(target.is_some()).to_le_bytes());
            target.unwrap_or_default().iter().for_each(|c| out.extend_from_slice(&c.to_le_bytes()));
        }
        if past > 0 {
            out.extend_from_slice(&self.past.h.to_le_bytes());
            for p in self.past.positions.iter().chain(&self.past.velocities) {
                p[..3].iter().for_each(|c| out.extend_from_slice(&c.to_f64().to_le_bytes()));
            }
            self.past.prints.iter().for_each(|p| out.extend_from_slice(&p.to_le_bytes()));
        }
        self.memory.iter().for_each(|c| out.extend_from_slice(&c.to_f64().to_le_bytes()));
        let grips = self.grips.iter().flat_map(Grip::words);
        let last = grips.chain(self.tears.iter().flat_map(Tear::words));
        last.for_each(|w| out.extend_from_slice(&w.to_le_bytes()));
        let mut check = Fnv::new();
        check.bytes(&out);
        out.extend_from_slice(&check.0.to_le_bytes());
        out
    }

    /// Takes over a snapshot of the same model in the same precision, with the same tears. On an error
    /// nothing changes.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let bad = |reason: &'static str| Error::Snapshot { reason };
        let tears = tears_of::<S>(bytes)?;
        let (n, pins) = (self.positions.len(), self.targets.len());
        let word = |at: usize| word(bytes, at);
        if tears != self.tears {
            return Err(bad("it was taken with other tears; restore it into the simulation"));
        }
        let bodies = self.past.prints.len();
        let past = word(48) != 0;
        let memory = self.memory.len();
        let grips = grips_of(bytes, tears.len())?;
        let bodies_with_past = if past { bodies } else { 0 };
        let length = length(n, pins, bodies_with_past, memory, grips.len(), tears.len());
        let same = word(16) == n as u64 && word(40) == pins as u64 && word(56) == memory as u64;
        if !same || (past && word(48) != bodies as u64) || bytes.len() != length {
            return Err(bad(
                "it was taken of a model with another number of vertices, pins, bodies or plastic \
                 elements",
            ));
        }
        self.step = word(24);
        self.time = f64::from_bits(word(32));
        self.apart = word(72) != 0;
        for (i, p) in self.positions.iter_mut().chain(&mut self.velocities).enumerate() {
            for c in 0..3 {
                p[c] = S::from_f64(f64::from_bits(word(HEADER + 24 * i + 8 * c)));
            }
        }
        for (i, target) in self.targets.iter_mut().enumerate() {
            let at = HEADER + 48 * n + 32 * i;
            let point = [8, 16, 24].map(|c| f64::from_bits(word(at + c)));
            *target = (word(at) != 0).then_some(point);
        }
        let end_of_memory = length - 8 - 16 * tears.len() - GRIP * grips.len();
        for (m, number) in self.memory.iter_mut().enumerate() {
            *number = S::from_f64(f64::from_bits(word(end_of_memory - 8 * (memory - m))));
        }
        // Into the room there is.
        self.grips.clear();
        self.grips.extend_from_slice(&grips);
        self.past.forget();
        if past {
            let at = HEADER + 48 * n + 32 * pins;
            self.past.make_room(n, bodies);
            self.past.h = f64::from_bits(word(at));
            let points = self.past.positions.iter_mut().chain(&mut self.past.velocities);
            for (i, p) in points.enumerate() {
                for c in 0..3 {
                    p[c] = S::from_f64(f64::from_bits(word(at + 8 + 24 * i + 8 * c)));
                }
            }
            for (b, print) in self.past.prints.iter_mut().enumerate() {
                *print = word(at + 8 + 48 * n + 8 * b);
            }
        }
        Ok(())
    }
}

/// The FNV-1a hash, over words and bytes: short, and the same everywhere.
pub(crate) struct Fnv(pub(crate) u64);

impl Fnv {
    pub(crate) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 = (self.0 ^ b as u64).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    pub(crate) fn word(&mut self, w: u64) {
        self.bytes(&w.to_le_bytes());
    }
}
