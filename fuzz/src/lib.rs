//! Checks that the fuzz targets share.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pliant::prelude::*;
use pliant_io::import::{Format, Imported, Limits, read_bytes};
use pliant_io::repair::{Options, cloth, solid};

/// Files beside a file, by their relative path.
pub type FilesBeside = BTreeMap<String, Vec<u8>>;

/// Small limits: a fuzzer needs many short runs.
fn limits() -> Limits {
    Limits { bytes: 1 << 20, vertices: 1 << 14, cells: 1 << 14 }
}

/// Reads a mesh in the format of the file's extension. The result is an error with a message, or a mesh with finite
/// positions and indices in range, which is sound after repair.
pub fn import(file: &str, bytes: &[u8], beside: &FilesBeside) {
    let format = Format::of_file(file).expect("an import format has this extension");
    let finite = |points: &[[f64; 3]]| points.as_flattened().iter().all(|x| x.is_finite());
    match read_bytes(file, bytes, format, &limits(), beside) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(Imported::Surfaces(surfaces)) => {
            assert!(!surfaces.is_empty());
            for surface in surfaces {
                let count = surface.positions.len() as u32;
                assert!(!surface.triangles.is_empty() && finite(&surface.positions));
                assert!(surface.triangles.as_flattened().iter().all(|&v| v < count));
                if let Some(uvs) = &surface.uvs {
                    let count = uvs.values.len() as u32;
                    assert_eq!(uvs.corners.len(), surface.triangles.len());
                    assert!(uvs.corners.as_flattened().iter().all(|&v| v < count));
                }
                if let Ok((mesh, _)) = cloth(&surface, &Options::default()) {
                    assert!(mesh.validate().is_ok());
                }
            }
        }
        Ok(Imported::Volume(volume)) => {
            let count = volume.positions.len() as u32;
            assert!(!volume.tets.is_empty() && finite(&volume.positions));
            assert!(volume.tets.as_flattened().iter().all(|&v| v < count));
            if let Ok((mesh, _)) = solid(&volume, &Options::default()) {
                assert!(mesh.validate().is_ok());
            }
        }
    }
}

/// Two parts of an input, before and after the first zero byte.
pub fn split_at_zero(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|&byte| byte == 0) {
        Some(at) => (&data[..at], &data[at + 1..]),
        None => (data, &[]),
    }
}

/// A file of this process, in memory where the system has a folder for that.
pub fn scratch_file(name: &str) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    folder.join(format!("pliant-fuzz-{}-{name}", std::process::id()))
}

/// Two steps, after which all positions and velocities are finite; a snapshot then restores the same state.
pub fn two_steps(sim: &mut Simulation<f32>) {
    for _ in 0..2 {
        sim.step();
        let state = sim.state();
        let points = state.positions.iter().chain(&state.velocities);
        assert!(
            points.flat_map(|p| &p[..3]).all(|c| c.is_finite()),
            "a step gave what is not finite"
        );
    }
    let (hash, snapshot) = (sim.hash(), sim.snapshot());
    sim.restore(&snapshot).expect("a snapshot of the same simulation");
    assert_eq!(sim.hash(), hash, "a restored state differs");
}
