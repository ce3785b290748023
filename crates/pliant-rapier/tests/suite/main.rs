//! The contracts of the link, one file each, in one program.

mod examples;
mod link;
