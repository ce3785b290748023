//! Torn bodies are exported torn: in every format that can, from a simulation and from a cache; what cannot is
//! refused by name.

use pliant::prelude::*;
use pliant_io::Surface;
use pliant_io::cache::{CacheHeader, CacheReader, CacheWriter};
use pliant_io::export::{self, ExportError, Timing};
use pliant_io::import::{self, Imported};
use pliant_io::skin::{Skin, SkinShape};

const TIMING: Timing = Timing { fps: 60.0 };

/// A curtain that a blade cuts off within ten steps.
fn curtain(n: usize) -> Simulation<f32> {
    let mut scene = ModelBuilder::new();
    let cloth = scene.cloth(Grid::square(n).size(1.0).vertical(), Fabric::cotton()).unwrap();
    scene.name(&cloth, "curtain");
    (0..n).for_each(|v| scene.pin(cloth.vertex(v)));
    let path = Motion::Path(vec![(0.0, [-0.2, -0.45, -1.0]), (0.15, [1.2, -0.45, -1.0])]);
    scene.blade(Blade::new([[-0.2, -0.45, -1.0], [-0.2, -0.45, 1.0]], path));
    Simulation::new(scene.build().unwrap(), Xpbd::default()).unwrap()
}

/// A net whose edges break as it is pulled long.
fn net(n: usize) -> Simulation<f32> {
    let mut scene = ModelBuilder::new();
    let net = scene.springs(Curtain::new(n), Springs::new(300.0, 0.3)).unwrap();
    scene.tear(&net, Tearing::breaking(1.2)).unwrap();
    for i in 0..n {
        for (v, way) in [(i * n, -1.0), (i * n + n - 1, 1.0)] {
            let start = scene.positions_mut(&net)[v];
            let path = vec![(0.0, start), (0.3, [start[0] + way, start[1], start[2]])];
            scene.pin_moving(net.vertex(v), Motion::Path(path));
        }
    }
    Simulation::new(scene.build().unwrap(), ProjectiveDynamics::default()).unwrap()
}

/// The positions of a body over some steps, the start among them.
fn frames(sim: &mut Simulation<f32>, skin: &Skin, steps: usize) -> Vec<Vec<[f32; 3]>> {
    let mut all = Vec::new();
    for step in 0..=steps {
        if step > 0 {
            sim.step();
        }
        let mut positions = Vec::new();
        skin.positions_in(sim, &mut positions);
        all.push(positions);
    }
    all
}

fn parts(surface: &Surface) -> usize {
    let mesh = TriMesh {
        positions: surface.positions.clone(),
        triangles: surface.triangles.clone(),
        ..TriMesh::default()
    };
    pliant::mesh::components::components(&mesh).count
}

fn surface_of(skin: &Skin) -> &Surface {
    let SkinShape::Surface(surface) = &skin.shape else { panic!("a surface") };
    surface
}

fn export(name: &str, skin: &Skin, frames: &[Vec<[f32; 3]>]) -> Vec<std::path::PathBuf> {
    let folder = tempfile::tempdir().unwrap().keep();
    let path = folder.join(name);
    let mut export = export::create(path, &[skin.shape.track()], TIMING).unwrap();
    for (k, positions) in frames.iter().enumerate() {
        export.frame(k as f64 / 60.0, &[positions]).unwrap();
    }
    export.finish().unwrap()
}

#[test]
fn sequences_have_the_topology_of_their_frame() {
    let mut sim = curtain(9);
    let skin = Skin::of_model(sim.model()).remove(0);
    let all = frames(&mut sim, &skin, 30);
    for name in ["cut.obj", "cut.ply"] {
        let files = export(name, &skin, &all);
        let read = |k: usize| match import::read(&files[k]).unwrap() {
            Imported::Surfaces(mut surfaces) => surfaces.remove(0),
            Imported::Volume(_) => panic!("a surface"),
        };
        let (first, last) = (read(0), read(30));
        assert_eq!((first.positions.len(), parts(&first)), (81, 1), "{name}");
        assert_eq!((last.positions.len(), parts(&last)), (sim.model().len(), 2), "{name}");
        assert_eq!((first.triangles.len(), last.triangles.len()), (128, 128));
        assert!(last.uvs.is_some_and(|uvs| uvs.corners.len() == 128), "{name}");
    }
}

#[test]
fn usd_samples_faces_where_they_change() {
    let mut sim = curtain(5);
    let skin = Skin::of_model(sim.model()).remove(0);
    let all = frames(&mut sim, &skin, 20);
    let text = std::fs::read_to_string(&export("cut.usda", &skin, &all)[0]).unwrap();
    let lists = |name: &str| -> Vec<usize> {
        let from = text.find(&format!("{name}.timeSamples")).expect(name);
        let block = &text[from..];
        let block = &block[..block.find("        }\n").unwrap()];
        block.lines().skip(1).map(|l| l.matches(',').count()).collect()
    };
    let (faces, points) = (lists("faceVertexIndices"), lists("points"));
    assert_eq!(points.len(), 21);
    // Each change of topology has a sample, and no other frame.
    assert!(faces.len() > 1 && faces.len() < 8, "{}", faces.len());
    assert!(points[20] > points[0]);
    assert!(!text.contains("faceVertexIndices = "));
}

#[test]
fn an_stl_sequence_leaves_removed_triangles_out() {
    let mut sim = net(7);
    let skin = Skin::of_model(sim.model()).remove(0);
    let all = frames(&mut sim, &skin, 25);
    let files = export("net.stl", &skin, &all);
    let count = |k: usize| match import::read(&files[k]).unwrap() {
        Imported::Surfaces(surfaces) => surfaces[0].triangles.len(),
        Imported::Volume(_) => panic!("a surface"),
    };
    assert_eq!((count(0), count(25)), (72, sim.model().bodies()[0].triangles.len()));
}

#[test]
fn fixed_formats_split_from_the_start_or_refuse() {
    let mut sim = curtain(5);
    let skin = Skin::of_model(sim.model()).remove(0);
    let all = frames(&mut sim, &skin, 20);
    assert_eq!(all[0].len(), 3 * 32);
    let glb = export("cut.glb", &skin, &all);
    assert!(std::fs::metadata(&glb[0]).unwrap().len() > 10_000);
    let folder = tempfile::tempdir().unwrap();
    let refused =
        export::create(folder.path().join("cut.pc2"), &[skin.shape.track()], TIMING).err();
    let Some(ExportError::Tears { name, .. }) = &refused else { panic!("{refused:?}") };
    assert_eq!(name, "curtain");
}

#[test]
fn a_cache_keeps_what_it_takes_to_show_tears() {
    let mut sim = curtain(7);
    let skin = Skin::of_model(sim.model()).remove(0);
    let all = frames(&mut sim, &skin, 25);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.plc");
    let header = CacheHeader { fps: 60.0, shapes: vec![skin.shape.clone()] };
    let mut cache = CacheWriter::create(&path, header).unwrap();
    for (k, positions) in all.iter().enumerate() {
        cache.frame(k as f64 / 60.0, &[positions]).unwrap();
    }
    cache.sync().unwrap();
    let mut cache = CacheReader::open(&path).unwrap();
    let SkinShape::Surface(surface) = cache.header().shapes[0].clone() else { panic!() };
    let frame = cache.frame(25).unwrap();
    let (torn, positions) = surface.as_torn(&frame.bodies[0]);
    assert_eq!((parts(&torn), positions.len()), (2, sim.model().len()));
}

#[test]
fn triangles_with_a_broken_edge_are_not_shown() {
    let mut sim = net(7);
    let skin = Skin::of_model(sim.model()).remove(0);
    let all = frames(&mut sim, &skin, 25);
    let here = sim.model().bodies()[0].triangles.len();
    let surface = surface_of(&skin);
    assert!(here < 72, "{here}");
    assert_eq!(surface.visible_triangles(&all[25]).len(), here);
    assert_eq!(surface.as_torn(&all[25]).0.triangles.len(), here);
    assert_eq!(surface.visible_triangles(&all[0]).len(), 72);
}
