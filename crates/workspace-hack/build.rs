//! Without a build script cargo leaves the build dependencies of the manifest out.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
}
