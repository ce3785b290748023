//! The contracts of a session, one file each, in one program.

mod common;
mod files;
mod in_a_thread;
mod reopened;
mod rivals;
mod soak;
mod time;
mod touch;
