//! The contracts of the link, one file each, in one program.

mod coupling;
mod examples;
