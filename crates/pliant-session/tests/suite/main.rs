//! The contracts of a session, one file each, in one program.

mod common;
mod comparison;
mod files;
mod grab_and_pin;
mod replace_model;
mod replay;
mod session_thread;
mod soak;
