//! The contracts of pictures, one file each, in one program.

mod files;
mod pictures;
