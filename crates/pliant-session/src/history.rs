//! Recorded steps, within a memory limit; the oldest are dropped first.

use std::collections::VecDeque;

use crate::live_simulation::Record;

/// Maximum number of recorded steps.
const MAX_RECORDED_STEPS: usize = 600;
/// Maximum memory of the recorded steps \[bytes\].
const MAX_RECORDED_BYTES: usize = 256 << 20;

/// Consecutive recorded steps.
#[derive(Default)]
pub(crate) struct History {
    records: VecDeque<Record>,
    bytes: usize,
}

impl History {
    /// Removes all records.
    pub fn clear(&mut self) {
        self.records.clear();
        self.bytes = 0;
    }

    /// Appends the step that was just taken, and drops the records from that step on.
    pub fn push(&mut self, record: Record) {
        self.truncate_after(record.step.wrapping_sub(1));
        if record.step == 0 {
            self.clear();
        }
        self.bytes += record.bytes();
        self.records.push_back(record);
        while self.records.len() > MAX_RECORDED_STEPS
            || (self.bytes > MAX_RECORDED_BYTES && self.records.len() > 1)
        {
            if let Some(old) = self.records.pop_front() {
                self.bytes -= old.bytes();
            }
        }
    }

    /// Drops the records after a step.
    pub fn truncate_after(&mut self, step: u64) {
        while self.records.back().is_some_and(|r| r.step > step && step != u64::MAX) {
            if let Some(old) = self.records.pop_back() {
                self.bytes -= old.bytes();
            }
        }
    }

    /// The record of a step.
    pub fn get(&self, step: u64) -> Option<&Record> {
        let first = self.records.front()?.step;
        self.records.get(usize::try_from(step.checked_sub(first)?).ok()?).filter(|r| r.step == step)
    }

    /// First and last recorded step.
    pub fn range(&self) -> Option<[u64; 2]> {
        Some([self.records.front()?.step, self.records.back()?.step])
    }

    /// Records up to a step, in order.
    pub fn up_to(&self, step: u64) -> impl Iterator<Item = &Record> {
        self.records.iter().take_while(move |r| r.step <= step)
    }
}
