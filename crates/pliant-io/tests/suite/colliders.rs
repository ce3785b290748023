//! Contract: colliders and touch in scene files are read as they are written, wrong ones are refused with line,
//! column and name, and exports and caches hold colliders where they are.

use std::path::Path;

use pliant::prelude::*;
use pliant_io::cache::{CacheHeader, CacheReader, CacheWriter};
use pliant_io::export::{self, Timing, Track};
use pliant_io::scene_file::{self, SceneFile};
use pliant_io::skin::{Skin, SkinShape};
use pliant_scenes::describe::OLD_KEYS;

const CLOTH: &str =
    "[[cloth]]\nmesh.grid = { columns = 4, rows = 4, width = 0.3 }\nplace.move = [0.0, 1.0, 0.0]\n";

/// Every shape and every field.
const ALL: &str = r#"
[[cloth]]
mesh.grid = { columns = 4, rows = 4, width = 0.3 }
place.move = [0.0, 1.0, 0.0]
contact = { thickness = 0.002, friction = 0.3, restitution = 0.5, with = "itself" }

[[solid]]
mesh.sphere = { radius = 0.1, layers = 1 }
place.move = [0.0, 2.0, 0.0]
contact = "nothing"

[[strand]]
mesh.strand = { vertices = 5 }
place.move = [0.0, 2.0, 1.0]
contact.with = "bodies"

[[collider]]
name = "slope"
plane = { point = [0.0, -1.0, 0.0], normal = [0.2, 1.0, 0.0] }
friction = 0.7
restitution = 0.1

[[collider]]
sphere = { center = [1.0, 0.0, 0.0], radius = 0.2 }
path = { times = [0.0, 1.0], moves = [[0.0, 0.0, 0.0], [0.0, 0.5, 0.0]] }

[[collider]]
capsule = { from = [0.0, 0.0, 0.0], to = [0.0, 0.4, 0.0], radius = 0.1 }
turn = { axis = [0.0, 0.0, 1.0], degrees = 90.0 }

[[collider]]
box = { center = [3.0, 0.0, 0.0], size = [1.0, 0.5, 0.2] }
spin = { center = [3.0, 0.0, 0.0], axis = [0.0, 0.0, 1.0], rate = 1.5707963267948966 }

[[collider]]
convex = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
place = { scale = 0.1, move = [0.0, 0.0, 5.0] }

[[collider]]
name = "drum"
mesh.cylinder = { radius = 0.3, height = 0.5, around = 12, along = 1, closed = true }
hollow = true
place = { axis = [1.0, 0.0, 0.0], degrees = 90.0, move = [0.0, 0.0, 9.0] }

[[collider]]
heights = { corner = [-1.0, -3.0, -1.0], spacing = 1.0, columns = 3, values = [0.0, 0.1, 0.0, 0.0, 0.2, 0.0, 0.0, 0.1, 0.0] }
"#;

fn scene(text: &str) -> SceneFile {
    scene_file::parse("scene.toml", text.to_owned(), Path::new(".")).unwrap()
}

#[test]
fn every_shape_and_field_survives_writing() {
    let file = scene(ALL);
    let again = scene(&scene_file::write(&file.description).unwrap());
    assert_eq!(file.description, again.description);
    let model = file.build().unwrap().model;
    assert_eq!(model.colliders().len(), 7);
    let contact = model.bodies()[0].contact_material.unwrap();
    let expected = ContactMaterial {
        friction: 0.3,
        restitution: 0.5,
        ..ContactMaterial::of_thickness(0.002).with_self_collision()
    };
    assert_eq!(contact, expected);
    assert_eq!(model.bodies()[1].contact_material, None);
    // What is not given is what a body without `contact` has.
    let plain = scene(&ALL.replace("contact.with = \"bodies\"\n", "")).build().unwrap().model;
    let default = plain.bodies()[2].contact_material.unwrap();
    let expected = ContactMaterial { collides_with: CollidesWith::Bodies, ..default };
    assert_eq!(model.bodies()[2].contact_material, Some(expected));
    // A quarter turn lays the capsule along x, around its own middle.
    let x = |k: usize| {
        let skin = &Skin::of_model(&model)[3 + k];
        let mut positions = Vec::new();
        skin.positions::<f64>(1.0, &[], &mut positions);
        let low = positions.iter().fold([f32::MAX; 3], |m, p| [0, 1, 2].map(|c| m[c].min(p[c])));
        let high = positions.iter().fold([f32::MIN; 3], |m, p| [0, 1, 2].map(|c| m[c].max(p[c])));
        [low, high]
    };
    let near = |a: [f32; 3], b: [f32; 3]| (0..3).all(|c| (a[c] - b[c]).abs() < 1e-6);
    assert!(near(x(2)[0], [-0.3, 0.1, -0.1]) && near(x(2)[1], [0.3, 0.3, 0.1]), "{:?}", x(2));
    // After a second the ball is half a metre higher and the box has turned by a right angle.
    assert!((x(1)[1][1] - 0.7).abs() < 1e-3, "{:?}", x(1));
    assert!(near(x(3)[0], [2.75, -0.5, -0.1]) && near(x(3)[1], [3.25, 0.5, 0.1]), "{:?}", x(3));
    assert!(near(x(4)[0], [0.0, 0.0, 5.0]) && near(x(4)[1], [0.1, 0.1, 5.1]), "{:?}", x(4));
}

#[test]
fn what_is_hollow_holds_what_is_inside() {
    let text = "[[cloth]]\nmesh.grid = { columns = 4, rows = 4, width = 0.2 }\nplace.move = [-0.1, 0.2, -0.1]\n\
                [[collider]]\nhollow = true\nmesh.icosphere = { radius = 0.4, subdivisions = 2 }\n";
    let mut sim = Simulation::new(scene(text).build().unwrap().model, Xpbd::default()).unwrap();
    for _ in 0..90 {
        sim.step();
    }
    assert!(sim.report().contacts.colliders > 0);
    let x = &sim.state().positions;
    let away = |p: &[f32; 4]| (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
    let farthest = x.iter().map(away).fold(0.0, f32::max);
    let lowest = x.iter().map(|p| p[1]).fold(0.0, f32::min);
    assert!(farthest < 0.4 && lowest < -0.3, "{farthest} {lowest}");
}

#[test]
fn wrong_colliders_are_refused_with_place_and_name() {
    let cases = [
        ("[[collider]]\nbal = 3\n", "line 5, column 1", "unknown field `bal`"),
        (
            "[[collider]]\nname = \"ball\"\n",
            "line 4",
            "collider 0 (ball): no shape is present; add one of plane",
        ),
        (
            "[[collider]]\nname = \"both\"\nplane.point = [0, 0, 0]\nsphere = { center = [0, 0, 0], radius = 1 }\n",
            "line 4",
            "collider 0 (both): several shapes are present (plane, sphere)",
        ),
        (
            "[[collider]]\nsphere = { center = [0, 0, 0], radius = -1 }\n",
            "line 4",
            "collider 0 (sphere): the radius must be positive",
        ),
        (
            "[[collider]]\nsphere = { center = [0, nan, 0], radius = 1 }\n",
            "line 4",
            "position is not finite",
        ),
        ("[[collider]]\nplane = { point = [0, 0, 0], normal = [0, 0, 0] }\n", "line 4", "normal"),
        ("[[collider]]\nplane = { normal = [0, 1, 0] }\n", "line 5", "missing field `point`"),
        (
            "[[collider]]\nbox = { center = [0, 0, 0], size = [1, 0, 1] }\n",
            "line 4",
            "edge lengths must be positive",
        ),
        (
            "[[collider]]\nname = \"flat\"\nconvex = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\n",
            "line 6",
            "collider 0 (flat)",
        ),
        (
            "[[collider]]\nname = \"hill\"\nheights = { corner = [0, 0, 0], spacing = 1, columns = 3, values = [0, 0] }\n",
            "line 6",
            "collider 0 (hill): ",
        ),
        (
            "[[collider]]\nname = \"wall\"\nmesh.file.path = \"wall.obj\"\n",
            "line 6",
            "collider 0 (wall): \"wall.obj\" cannot be read",
        ),
        ("[[collider]]\nmesh.file.path = \"../wall.obj\"\n", "line 5", "wall.obj"),
        (
            "[[collider]]\nplane.point = [0, 0, 0]\nplace.move = [0, 1, 0]\n",
            "line 6",
            "place applies to mesh and convex",
        ),
        (
            "[[collider]]\nmesh.icosphere = { radius = 1, subdivisions = 1 }\nturn = { axis = [0, 1, 0], degrees = 3 }\n",
            "line 6",
            "turn does not apply to mesh and convex",
        ),
        (
            "[[collider]]\nplane.point = [0, 0, 0]\nhollow = true\n",
            "line 6",
            "hollow applies to mesh only",
        ),
        (
            "[[collider]]\nplane.point = [0, 0, 0]\nturn = { axis = [0, 0, 0], degrees = 3 }\n",
            "line 6",
            "axis is zero",
        ),
        (
            "[[collider]]\nplane.point = [0, 0, 0]\nfriction = -0.1\n",
            "line 4",
            "friction must not be negative",
        ),
        ("[[collider]]\nplane.point = [0, 0, 0]\nrestitution = 1.5\n", "line 4", "restitution"),
        (
            "[[collider]]\nplane.point = [0, 0, 0]\npath = { times = [0, 1], moves = [[0, 0, 0]] }\n",
            "line 6",
            "2 times and 1 moves",
        ),
        (
            "[[collider]]\nplane.point = [0, 0, 0]\npath = { times = [1, 0], moves = [[0, 0, 0], [0, 0, 0]] }\n",
            "line 4",
            "increasing times",
        ),
        (
            "[[collider]]\nplane.point = [0, 0, 0]\npath = { times = [], moves = [] }\nspin = { center = [0, 0, 0], axis = [0, 1, 0], rate = 1 }\n",
            "line 6",
            "a collider has both path and spin",
        ),
    ];
    for (text, place, words) in cases {
        refuses(&format!("{CLOTH}{text}"), place, words);
    }
    let touches = [
        ("contact = \"all\"\n", "line 4, column 11", "or \"nothing\""),
        ("contact = 3\n", "line 4, column 11", "a table such as"),
        ("contact = { thick = 1 }\n", "line 4", "unknown field `thick`"),
        ("contact = { with = \"walls\" }\n", "line 4", "`colliders`, `bodies`, `itself`"),
        ("contact.thickness = -0.1\n", "line 4", "thickness is -0.1"),
        ("contact.friction = inf\n", "line 4", "friction is inf"),
        ("contact.restitution = 1.1\n", "line 4", "from 0 to 1"),
    ];
    for (text, place, words) in touches {
        refuses(&format!("{CLOTH}{text}"), place, words);
        // The old name of the key, two characters shorter.
        let (text, place) =
            (text.replace("contact", "touch"), place.replace("column 11", "column 9"));
        refuses(&format!("{CLOTH}{text}"), &place, words);
    }
}

#[test]
fn keys_of_the_first_version_are_aliases() {
    let new = "intersection_free = true\n\
        [[rigid]]\nname = \"cube\"\nbox = { center = [0.0, 0.0, 0.0], size = [0.2, 0.2, 0.2] }\nmass = 0.5\ncontact = \"nothing\"\n\
        [[cloth]]\nmesh.grid = { columns = 4, rows = 4 }\nstart.jitter = 0.001\ncontact.thickness = 0.002\n\
        [[cloth.attach_to]]\nat.vertices = [1]\nto = \"cube\"\n\
        [[solid]]\nmesh.sphere = { radius = 0.1, layers = 1 }\nplace.move = [0.0, 2.0, 0.0]\n";
    let mut old = new.to_owned();
    for (key, was) in OLD_KEYS {
        assert!(old.contains(key), "{key} is part of the test");
        old = old.replace(key, was);
    }
    let read =
        |text: &str| scene_file::parse("scene.toml", text.to_owned(), Path::new(".")).unwrap();
    assert_eq!(read(&old).description, read(new).description);
}

fn refuses(text: &str, place: &str, words: &str) {
    let read = scene_file::parse("scene.toml", text.to_owned(), Path::new("."));
    let error = match read {
        Err(error) => error,
        Ok(file) => file.build().map(|_| ()).expect_err(text),
    };
    let said = error.to_string();
    println!("{said}");
    assert!(said.contains(place) && said.contains(words), "{text}\n{said}\n{place}: {words}");
}

/// The skins of a scene with one collider that stands still, one that moves and a plane.
fn skins() -> Vec<Skin> {
    let text = format!(
        "{CLOTH}[[collider]]\nname = \"still\"\nbox = {{ center = [0, 0, 0], size = [1, 1, 1] }}\n\
         [[collider]]\nname = \"lift\"\nbox = {{ center = [2, 0, 0], size = [1, 1, 1] }}\n\
         path = {{ times = [0, 1], moves = [[0, 0, 0], [0, 1, 0]] }}\n\
         [[collider]]\nname = \"ground\"\nplane.point = [0, -1, 0]\n"
    );
    Skin::of_model(&scene(&text).build().unwrap().model)
}

fn frame(skins: &[Skin], time: f64) -> Vec<Vec<[f32; 3]>> {
    let cloth = vec![[0.0_f64, time, 0.0, 1.0]; 16];
    let of = |skin: &Skin| {
        let mut positions = Vec::new();
        skin.positions(time, &cloth, &mut positions);
        positions
    };
    skins.iter().map(of).collect()
}

#[test]
fn a_cache_holds_colliders_and_wastes_no_room_on_those_that_stand_still() {
    let skins = skins();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.plc");
    let shapes: Vec<SkinShape> = skins.iter().map(|s| s.shape.clone()).collect();
    let header = CacheHeader { fps: 2.0, shapes };
    let mut cache = CacheWriter::create(&path, header.clone()).unwrap();
    let size = |path: &Path| std::fs::metadata(path).unwrap().len();
    for k in 0..3 {
        let frame = frame(&skins, 0.5 * f64::from(k));
        let slices: Vec<&[[f32; 3]]> = frame.iter().map(Vec::as_slice).collect();
        cache.sync().unwrap();
        let before = size(&path);
        cache.frame(0.5 * f64::from(k), &slices).unwrap();
        cache.sync().unwrap();
        // Time, checksum, sixteen vertices of the cloth and eight of the box that moves.
        assert_eq!(size(&path) - before, 16 + 12 * (16 + 8));
    }
    let mut reader = CacheReader::open(&path).unwrap();
    assert_eq!(reader.header(), &header);
    for k in 0..3 {
        let found = reader.frame(k).unwrap();
        assert_eq!(found.bodies, frame(&skins, 0.5 * k as f64), "{k}");
    }
    let collider_mesh = |k: usize| skins[k].shape.collider_mesh().unwrap();
    assert!(
        collider_mesh(1).still
            && collider_mesh(1).closed
            && !collider_mesh(2).still
            && collider_mesh(3).infinite
    );
    assert_eq!((collider_mesh(1).ground(), collider_mesh(3).ground()), (None, Some(-1.0)));
}

#[test]
fn exports_move_what_moves_and_keep_one_frame_of_what_stands_still() {
    let skins = skins();
    let folder = tempfile::tempdir().unwrap();
    for extension in ["glb", "usda", "obj", "ply", "pc2"] {
        let path = folder.path().join(format!("run.{extension}"));
        let tracks: Vec<Track> = skins[..3].iter().map(|s| s.shape.track()).collect();
        let mut export = export::create(&path, &tracks, Timing { fps: 2.0 }).unwrap();
        for k in 0..3 {
            let frame = frame(&skins, 0.5 * f64::from(k));
            let slices: Vec<&[[f32; 3]]> = frame[..3].iter().map(Vec::as_slice).collect();
            export.frame(0.5 * f64::from(k), &slices).unwrap();
        }
        export.finish().unwrap();
    }
    let glb = std::fs::read(folder.path().join("run.glb")).unwrap();
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let json: serde_json::Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    let targets = |k: usize| json["meshes"][k]["primitives"][0]["targets"].as_array().map(Vec::len);
    assert_eq!([targets(0), targets(1), targets(2)], [Some(2), None, Some(2)]);
    let nodes: Vec<u64> = json["animations"][0]["channels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["target"]["node"].as_u64().unwrap())
        .collect();
    assert_eq!(nodes, [0, 2]);
    assert_eq!(json["nodes"][2]["name"], "lift");
    let usd = std::fs::read_to_string(folder.path().join("run.usda")).unwrap();
    let samples = |name: &str| {
        let from = usd.find(&format!("def Mesh \"{name}\"")).unwrap();
        let points = &usd[from..][usd[from..].find("points.timeSamples").unwrap()..];
        points[..points.find("        }").unwrap()].lines().filter(|l| l.contains(": [")).count()
    };
    assert_eq!([samples("still"), samples("lift")], [1, 3]);
    let obj = std::fs::read_to_string(folder.path().join("run_0003.obj")).unwrap();
    // After a second the box is from a half to one and a half metres high.
    assert!(obj.contains("o lift\nv 1.5 0.5 -0.5\n"), "{obj}");
}
