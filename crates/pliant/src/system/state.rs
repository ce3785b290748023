//! State: everything that changes from step to step, with its hash and its snapshot format.

use crate::Error;
use crate::contact::FrictionAnchor;
use crate::math::Scalar;
use crate::math::hash::{Fnv1a, checksum};
use crate::model::tearing::Tear;
use crate::simd::Point;
use crate::system::history::StepHistory;

/// State of a simulation: positions, velocities, step count, time, pin targets, plastic deformation, tears and
/// friction.
#[derive(Clone, Debug, PartialEq)]
pub struct State<S> {
    /// Positions \[m\]; the fourth component is the inverse mass [1/kg], zero for pinned vertices.
    pub positions: Vec<Point<S>>,
    /// Velocities [m/s]; the fourth component is zero.
    pub velocities: Vec<Point<S>>,
    /// Number of steps taken.
    pub step: u64,
    /// Time \[s\].
    pub time: f64,
    /// Targets that the user gave to pins while running \[m\], in the order of the pins.
    pub(crate) pin_targets: Vec<Option<[f64; 3]>>,
    /// State before the last substep, for two-step integrators.
    pub(crate) history: StepHistory<S>,
    /// Plastic state of the elements, batch by batch.
    pub(crate) plastic_state: Vec<S>,
    /// Tears and cuts, in order.
    pub(crate) tears: Vec<Tear>,
    /// True if surfaces are known not to intersect: verified once, and valid as long as no crossing was missed
    /// since.
    pub(crate) intersection_free: bool,
    /// Tangential drift of sticking contacts.
    pub(crate) friction_anchors: Vec<FrictionAnchor>,
}

/// Magic number of snapshots; its last byte is the version of the layout.
const MAGIC: [u8; 8] = *b"PLIANT\0\x08";

/// Bytes before the positions: magic number, precision, vertices, step, time, pins, bodies with history, length
/// of the plastic state, tears, flag for intersection-free surfaces, friction anchors.
const HEADER_BYTES: usize = 88;

/// Bytes of a friction anchor.
const FRICTION_ANCHOR_BYTES: usize = 8 * FrictionAnchor::WORDS;

/// Bytes of a snapshot: header, positions and velocities, pin targets, history (its step, positions and
/// velocities, fingerprints of the bodies), plastic state, friction anchors, tears, checksum.
fn snapshot_len(
    vertices: usize,
    pins: usize,
    bodies_with_history: usize,
    plastic_state: usize,
    anchors: usize,
    tears: usize,
) -> usize {
    let history_bytes =
        if bodies_with_history == 0 { 0 } else { 8 + 48 * vertices + 8 * bodies_with_history };
    HEADER_BYTES
        + 48 * vertices
        + 32 * pins
        + history_bytes
        + 8 * plastic_state
        + FRICTION_ANCHOR_BYTES * anchors
        + 16 * tears
        + 8
}

/// Reads a word of a snapshot.
fn read_word(bytes: &[u8], at: usize) -> u64 {
    let mut w = [0; 8];
    w.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(w)
}

/// Returns an error unless the bytes are a complete, undamaged snapshot.
fn verify_snapshot(bytes: &[u8]) -> Result<(), Error> {
    let invalid = |reason: &'static str| Err(Error::Snapshot { reason });
    if bytes.len() < HEADER_BYTES + 8 || bytes[..8] != MAGIC {
        return invalid("it is not a snapshot of this version");
    }
    let (content, sum) = bytes.split_at(bytes.len() - 8);
    if checksum(content) != read_word(sum, 0) {
        invalid("its checksum is wrong, or it is truncated")
    } else {
        Ok(())
    }
}

/// Reads the tears of a snapshot.
pub(crate) fn read_tears<S: Scalar>(bytes: &[u8]) -> Result<Vec<Tear>, Error> {
    verify_snapshot(bytes)?;
    if read_word(bytes, 8) != S::PACK as u64 {
        return Err(Error::Snapshot { reason: "it has another precision" });
    }
    let count = read_word(bytes, 64);
    let end = bytes.len() - 8;
    let start = usize::try_from(count).ok().and_then(|n| n.checked_mul(16));
    let start = start.and_then(|n| end.checked_sub(n)).filter(|&start| start >= HEADER_BYTES);
    let invalid = || Error::Snapshot { reason: "its list of tears is invalid" };
    let list = &bytes[start.ok_or_else(invalid)?..end];
    let words = list.chunks_exact(16).map(|w| [read_word(w, 0), read_word(w, 8)]);
    words.map(|w| Tear::from_words(w).ok_or_else(invalid)).collect()
}

/// Reads the friction anchors of a verified snapshot with `tears` tears.
fn read_friction_anchors(bytes: &[u8], tears: usize) -> Result<Vec<FrictionAnchor>, Error> {
    let end = bytes.len() - 8 - 16 * tears;
    let start = usize::try_from(read_word(bytes, 80))
        .ok()
        .and_then(|n| n.checked_mul(FRICTION_ANCHOR_BYTES));
    let start = start.and_then(|n| end.checked_sub(n)).filter(|&start| start >= HEADER_BYTES);
    let invalid = || Error::Snapshot { reason: "its list of contacts is invalid" };
    let list = bytes[start.ok_or_else(invalid)?..end].chunks_exact(FRICTION_ANCHOR_BYTES);
    list.map(|w| {
        FrictionAnchor::from_words([0, 1, 2, 3, 4, 5].map(|k| read_word(w, 8 * k)))
            .ok_or_else(invalid)
    })
    .collect()
}

impl<S: Scalar> State<S> {
    /// Returns a hash of every bit of the state (−0 counts as +0): equal states have equal hashes.
    pub fn hash(&self) -> u64 {
        let mut hash = Fnv1a::default();
        hash.word(self.step);
        hash.word(self.time.to_bits());
        for p in self.positions.iter().chain(&self.velocities) {
            p[..3].iter().for_each(|c| hash.word(c.canonical_bits()));
        }
        for (pin, target) in self.pin_targets.iter().enumerate() {
            if let Some(target) = target {
                hash.word(pin as u64);
                target.iter().for_each(|c| hash.word(c.canonical_bits()));
            }
        }
        if self.history.is_available() {
            hash.word(self.history.h.to_bits());
            for p in self.history.positions.iter().chain(&self.history.velocities) {
                p[..3].iter().for_each(|c| hash.word(c.canonical_bits()));
            }
            self.history.fingerprints.iter().for_each(|&p| hash.word(p));
        }
        self.plastic_state.iter().for_each(|c| hash.word(c.canonical_bits()));
        self.tears.iter().copied().flat_map(Tear::to_words).for_each(|w| hash.word(w));
        self.friction_anchors
            .iter()
            .copied()
            .flat_map(FrictionAnchor::to_words)
            .for_each(|w| hash.word(w));
        hash.value()
    }

    /// Returns the state as bytes. A simulation restored from them continues bit for bit.
    pub fn snapshot(&self) -> Vec<u8> {
        let history_bodies =
            if self.history.is_available() { self.history.fingerprints.len() } else { 0 };
        let (n, pins, plastic_state) =
            (self.positions.len(), self.pin_targets.len(), self.plastic_state.len());
        let (anchors, tears) = (self.friction_anchors.len(), self.tears.len());
        let mut out = Vec::with_capacity(snapshot_len(
            n,
            pins,
            history_bodies,
            plastic_state,
            anchors,
            tears,
        ));
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&(S::PACK as u64).to_le_bytes());
        out.extend_from_slice(&(self.positions.len() as u64).to_le_bytes());
        out.extend_from_slice(&self.step.to_le_bytes());
        out.extend_from_slice(&self.time.to_le_bytes());
        out.extend_from_slice(&(self.pin_targets.len() as u64).to_le_bytes());
        out.extend_from_slice(&(history_bodies as u64).to_le_bytes());
        out.extend_from_slice(&(plastic_state as u64).to_le_bytes());
        out.extend_from_slice(&(tears as u64).to_le_bytes());
        out.extend_from_slice(&u64::from(self.intersection_free).to_le_bytes());
        out.extend_from_slice(&(anchors as u64).to_le_bytes());
        for p in self.positions.iter().chain(&self.velocities) {
            p[..3].iter().for_each(|c| out.extend_from_slice(&c.to_f64().to_le_bytes()));
        }
        for target in &self.pin_targets {
            out.extend_from_slice(&u64::from(target.is_some()).to_le_bytes());
            target.unwrap_or_default().iter().for_each(|c| out.extend_from_slice(&c.to_le_bytes()));
        }
        if history_bodies > 0 {
            out.extend_from_slice(&self.history.h.to_le_bytes());
            for p in self.history.positions.iter().chain(&self.history.velocities) {
                p[..3].iter().for_each(|c| out.extend_from_slice(&c.to_f64().to_le_bytes()));
            }
            self.history.fingerprints.iter().for_each(|p| out.extend_from_slice(&p.to_le_bytes()));
        }
        self.plastic_state.iter().for_each(|c| out.extend_from_slice(&c.to_f64().to_le_bytes()));
        let anchors = self.friction_anchors.iter().copied().flat_map(FrictionAnchor::to_words);
        let last = anchors.chain(self.tears.iter().copied().flat_map(Tear::to_words));
        last.for_each(|w| out.extend_from_slice(&w.to_le_bytes()));
        out.extend_from_slice(&checksum(&out).to_le_bytes());
        out
    }

    /// Restores a snapshot of the same model in the same precision, with the same tears. On an error nothing
    /// changes.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let invalid = |reason: &'static str| Error::Snapshot { reason };
        let tears = read_tears::<S>(bytes)?;
        let (n, pins) = (self.positions.len(), self.pin_targets.len());
        let word = |at: usize| read_word(bytes, at);
        if tears != self.tears {
            return Err(invalid("it has other tears; restore it with `Simulation::restore`"));
        }
        let bodies = self.history.fingerprints.len();
        let has_history = word(48) != 0;
        let plastic_state = self.plastic_state.len();
        let anchors = read_friction_anchors(bytes, tears.len())?;
        let bodies_with_history = if has_history { bodies } else { 0 };
        let length =
            snapshot_len(n, pins, bodies_with_history, plastic_state, anchors.len(), tears.len());
        let same =
            word(16) == n as u64 && word(40) == pins as u64 && word(56) == plastic_state as u64;
        if !same || (has_history && word(48) != bodies as u64) || bytes.len() != length {
            return Err(invalid(
                "its model has another number of vertices, pins, bodies or plastic elements",
            ));
        }
        self.step = word(24);
        self.time = f64::from_bits(word(32));
        self.intersection_free = word(72) != 0;
        for (i, p) in self.positions.iter_mut().chain(&mut self.velocities).enumerate() {
            for c in 0..3 {
                p[c] = S::from_f64(f64::from_bits(word(HEADER_BYTES + 24 * i + 8 * c)));
            }
        }
        for (i, target) in self.pin_targets.iter_mut().enumerate() {
            let at = HEADER_BYTES + 48 * n + 32 * i;
            let point = [8, 16, 24].map(|c| f64::from_bits(word(at + c)));
            *target = (word(at) != 0).then_some(point);
        }
        let end_of_memory = length - 8 - 16 * tears.len() - FRICTION_ANCHOR_BYTES * anchors.len();
        for (m, number) in self.plastic_state.iter_mut().enumerate() {
            *number = S::from_f64(f64::from_bits(word(end_of_memory - 8 * (plastic_state - m))));
        }
        // Reuses the memory of the list.
        self.friction_anchors.clear();
        self.friction_anchors.extend_from_slice(&anchors);
        self.history.clear();
        if has_history {
            let at = HEADER_BYTES + 48 * n + 32 * pins;
            self.history.resize(n, bodies);
            self.history.h = f64::from_bits(word(at));
            let points = self.history.positions.iter_mut().chain(&mut self.history.velocities);
            for (i, p) in points.enumerate() {
                for c in 0..3 {
                    p[c] = S::from_f64(f64::from_bits(word(at + 8 + 24 * i + 8 * c)));
                }
            }
            for (b, print) in self.history.fingerprints.iter_mut().enumerate() {
                *print = word(at + 8 + 48 * n + 8 * b);
            }
        }
        Ok(())
    }
}
