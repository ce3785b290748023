//! Simulated motion in the forms that other tools play.
