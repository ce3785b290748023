//! The contracts of collision detection, one file each, in one program.

mod common;
mod continuous;
mod exact;
mod intersect;
mod pairs;
