//! Statistics of the last steps, for the curves.

use std::collections::VecDeque;

use pliant_session::protocol::Frame;

/// Maximum number of stored steps.
const MAX_SAMPLES: usize = 600;

/// Statistics of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Number of the step.
    pub step: u64,
    /// Kinetic, elastic and potential energy \[J\].
    pub energy: [f64; 3],
    /// Norm of the residual force \[N\].
    pub residual: f64,
    /// Time of the step \[ms\].
    pub ms: f64,
    /// Residual and time of the second solver, if there is one.
    pub second: Option<[f64; 2]>,
    /// Maximum distance between the two solvers \[m\].
    pub separation: Option<f64>,
}

/// The last steps, in order.
#[derive(Clone, Debug, Default)]
pub struct StatsHistory {
    samples: VecDeque<Sample>,
    /// Compared steps, with the errors of both solvers against the converged solution.
    errors: VecDeque<(u64, [f64; 2])>,
    /// Remarks on these errors.
    pub note: String,
    /// Second solver to which they belong.
    second_solver: String,
}

impl StatsHistory {
    /// Adds the statistics of a frame; those of its step and of later ones are replaced.
    pub fn add(&mut self, frame: &Frame) {
        while self.samples.back().is_some_and(|last| last.step >= frame.step) {
            self.samples.pop_back();
        }
        let second = frame.second_sim.as_deref();
        let comparison = second.and_then(|r| r.comparison.as_ref());
        self.samples.push_back(Sample {
            step: frame.step,
            energy: [frame.energy.kinetic, frame.energy.elastic, frame.energy.potential],
            residual: frame.residual,
            ms: frame.ms,
            second: second.map(|r| [r.residual, r.ms]),
            separation: second.map(|r| r.max_separation),
        });
        let name = second.map_or("", |r| r.solver.as_str());
        if name != self.second_solver {
            self.second_solver = name.to_owned();
            self.errors.clear();
            self.note.clear();
        }
        // The converged solution of a step may be available only many steps later.
        self.errors.retain(|(step, _)| *step <= frame.step);
        if let Some(known) = comparison {
            self.errors.push_back((known.step, known.errors));
            self.note.clone_from(&known.note);
        }
        while self.samples.len() > MAX_SAMPLES {
            self.samples.pop_front();
        }
        let first = self.samples.front().map_or(0, |s| s.step);
        self.errors.retain(|(step, _)| *step >= first);
    }

    /// Removes all statistics.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Latest errors of both solvers against the converged solution.
    pub fn errors(&self) -> Option<[f64; 2]> {
        self.errors.back().map(|(_, errors)| *errors)
    }

    /// Curve of one solver's error.
    pub fn error_curve(&self, solver: usize) -> Vec<[f64; 2]> {
        let points = self.errors.iter().map(|(step, e)| [*step as f64, e[solver]]);
        points.filter(|p| p[1] > 0.0 && p[1].is_finite()).collect()
    }

    /// Curve of a quantity over steps; values that are not numbers are skipped.
    pub fn curve(&self, of: impl Fn(&Sample) -> Option<f64>) -> Vec<[f64; 2]> {
        let point = |s: &Sample| of(s).filter(|v| v.is_finite()).map(|v| [s.step as f64, v]);
        self.samples.iter().filter_map(point).collect()
    }

    /// Mean time of the last steps \[ms\].
    pub fn mean_ms(&self) -> f64 {
        let last: Vec<f64> = self.samples.iter().rev().take(30).map(|s| s.ms).collect();
        if last.is_empty() { 0.0 } else { last.iter().sum::<f64>() / last.len() as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(step: u64, residual: f64) -> Frame {
        Frame { step, residual, ms: 2.0, ..Frame::default() }
    }

    #[test]
    fn going_back_forgets_what_was_after_it() {
        let mut history = StatsHistory::default();
        (0..5).for_each(|k| history.add(&frame(k, k as f64)));
        history.add(&frame(2, 20.0));
        let curve = history.curve(|s| Some(s.residual));
        assert_eq!(curve, [[0.0, 0.0], [1.0, 1.0], [2.0, 20.0]]);
        assert_eq!(history.mean_ms(), 2.0);
    }

    #[test]
    fn an_error_belongs_to_the_step_that_was_compared() {
        use pliant_session::protocol::{Comparison, SecondSimFrame};
        let mut history = StatsHistory::default();
        (0..5).for_each(|k| history.add(&frame(k, 1.0)));
        let comparison = Comparison { step: 3, errors: [0.1, 0.2], ..Comparison::default() };
        let second = SecondSimFrame { comparison: Some(comparison), ..SecondSimFrame::default() };
        history.add(&Frame { second_sim: Some(Box::new(second)), ..frame(5, 1.0) });
        assert_eq!(history.error_curve(1), [[3.0, 0.2]]);
        let other = SecondSimFrame { solver: "another".into(), ..SecondSimFrame::default() };
        history.add(&Frame { second_sim: Some(Box::new(other)), ..frame(6, 1.0) });
        assert!(history.error_curve(1).is_empty());
    }

    #[test]
    fn what_is_not_a_number_is_no_point() {
        let mut history = StatsHistory::default();
        history.add(&frame(0, f64::NAN));
        assert!(history.curve(|s| Some(s.residual)).is_empty());
    }

    #[test]
    fn only_the_last_steps_are_kept() {
        let mut history = StatsHistory::default();
        (0..2000).for_each(|k| history.add(&frame(k, 1.0)));
        assert_eq!(history.curve(|s| Some(s.ms)).len(), MAX_SAMPLES);
    }
}
