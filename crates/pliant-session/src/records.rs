//! The recorded steps: as many as fit, the oldest go first.

use std::collections::VecDeque;

use crate::world::Record;

/// Steps that are kept, at most.
const STEPS: usize = 600;
/// Memory that they take, at most \[bytes\].
const BYTES: usize = 256 << 20;

/// Recorded steps, each one after the other.
#[derive(Default)]
pub(crate) struct Records {
    list: VecDeque<Record>,
    bytes: usize,
}

impl Records {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.list.clear();
        self.bytes = 0;
    }

    /// Adds the step that was just taken, instead of what was recorded from there on.
    pub fn push(&mut self, record: Record) {
        self.forget_after(record.step.wrapping_sub(1));
        if record.step == 0 {
            self.clear();
        }
        self.bytes += record.bytes();
        self.list.push_back(record);
        while self.list.len() > STEPS || (self.bytes > BYTES && self.list.len() > 1) {
            if let Some(old) = self.list.pop_front() {
                self.bytes -= old.bytes();
            }
        }
    }

    /// Forgets what comes after a step.
    pub fn forget_after(&mut self, step: u64) {
        while self.list.back().is_some_and(|r| r.step > step && step != u64::MAX) {
            if let Some(old) = self.list.pop_back() {
                self.bytes -= old.bytes();
            }
        }
    }

    /// The record of a step.
    pub fn at(&self, step: u64) -> Option<&Record> {
        let first = self.list.front()?.step;
        self.list.get(usize::try_from(step.checked_sub(first)?).ok()?).filter(|r| r.step == step)
    }

    /// The first and the last step.
    pub fn range(&self) -> Option<[u64; 2]> {
        Some([self.list.front()?.step, self.list.back()?.step])
    }

    /// The records up to a step, in their order.
    pub fn up_to(&self, step: u64) -> impl Iterator<Item = &Record> {
        self.list.iter().take_while(move |r| r.step <= step)
    }
}
