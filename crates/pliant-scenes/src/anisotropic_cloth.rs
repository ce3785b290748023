//! Scenes of woven cloth, with separate stiffness along warp, along weft and in shear (Strain Based
//! Dynamics).

use pliant::math::{cos, sin};

use crate::describe::{
    Cloth, CylinderShape, DampingSpec, FabricSpec, GridShape, Orient, PatternSpec, Pin, Placement,
    SceneDescription, SheetMesh, SolverSpec, StretchSpec, WeaveSpec,
};

/// Name of a variant, and its stiffness along warp, along weft and in shear \[N/m\].
type Variant = (&'static str, [f64; 3]);

/// Stiffness of cloth that does not stretch visibly under its own weight, and of cloth that does \[N/m\].
const STIFF: f64 = 1000.0;
const SOFT: f64 = 3.0;

fn woven(preset: &str, stiffness: [f64; 3]) -> FabricSpec {
    let damping = DampingSpec { drag: Some(2.0), ..DampingSpec::default() };
    FabricSpec {
        stretch: Some(StretchSpec::Woven),
        weave: Some(WeaveSpec { stiffness: Some(stiffness), ..WeaveSpec::default() }),
        // An area term would couple warp and weft.
        poisson: Some(0.0),
        damping: Some(damping),
        ..FabricSpec::preset(preset)
    }
}

/// Solver for scenes of stiff cloth: ten iterations of the default solver are not enough.
fn small_steps() -> Option<SolverSpec> {
    Some(SolverSpec::named("xpbd").with("iterations", 4_usize).with("substeps", 20_usize))
}

/// Three tight skirts of 50 cm, `n` segments around (rounded up to a multiple of 16), pinned at the waist.
/// After half a second the thighs, two strips of pins that are an eighth of the tube each, spread by 15
/// degrees each.
///
/// Shows directional stiffness (Strain Based Dynamics, figure 1): stiff in all directions, the skirt
/// resists the pose; soft in all directions, it follows and sags; soft only around the tube, it follows and
/// keeps its length. The scene contains no body: nothing collides, and the pins define the pose.
pub fn tight_skirt(n: usize) -> SceneDescription {
    let around = n.div_ceil(16).max(1) * 16;
    let variants: [Variant; 3] = [
        ("stiff", [STIFF; 3]),
        ("soft", [SOFT; 3]),
        // The warp runs around the tube.
        ("soft around", [SOFT, STIFF, STIFF]),
    ];
    let skirts = variants.iter().enumerate().map(|(k, v)| skirt(around, k as f64, v));
    SceneDescription {
        cloth: skirts.collect(),
        frames: Some(150),
        solver: small_steps(),
        ..SceneDescription::default()
    }
}

fn skirt(around: usize, place: f64, &(name, stiffness): &Variant) -> Cloth {
    let (radius, height, along) = (0.16, 0.5, around / 2);
    let tube = CylinderShape { radius, height, around, along, closed: false };
    let row = |j: usize| j * around;
    let mut pin = vec![Pin::vertices(row(along)..row(along + 1))];
    for j in 0..along {
        let depth = height * (1.0 - j as f64 / along as f64);
        for (side, middle) in [(1.0, around), (-1.0, around / 2)] {
            let strip = middle - around / 16..=middle + around / 16;
            let vertices = strip.map(|i| i % around + row(j));
            pin.push(Pin::vertices(vertices).path(&thigh(side, depth)));
        }
    }
    Cloth {
        name: name.to_owned(),
        mesh: SheetMesh { cylinder: Some(tube), ..SheetMesh::default() },
        material: woven("denim", stiffness),
        place: Some(Placement { shift: Some([0.8 * place, 0.0, 0.0]), ..Placement::default() }),
        pin,
        ..Cloth::default()
    }
}

/// Path of the outside of a thigh at a depth \[m\] below the waist: it rotates outwards about the waist
/// (`side` 1 or −1) by 15 degrees between 0.5 s and 1.5 s.
fn thigh(side: f64, depth: f64) -> Vec<(f64, [f64; 3])> {
    let most = 15.0_f64.to_radians();
    // Ten straight segments approximate the arc to a few micrometres.
    let point = |k: usize| {
        let part = k as f64 / 10.0;
        let (s, c) = (sin(part * most), cos(part * most));
        (0.5 + part, [side * depth * s, depth * (1.0 - c), 0.0])
    };
    (0..=10).map(point).collect()
}

/// Three sheets of 60 cm on the same irregular mesh of `n` × `n` vertices hang by a corner: stiff, soft in
/// shear, and soft along x, which runs from that corner down to the right.
///
/// Shows that each stiffness follows its axis for any triangulation (Strain Based Dynamics, figure 3).
pub fn woven_sheets(n: usize) -> SceneDescription {
    let variants: [Variant; 3] = [
        ("stiff", [STIFF; 3]),
        ("soft in shear", [STIFF, STIFF, SOFT]),
        ("soft along x", [SOFT, STIFF, STIFF]),
    ];
    let sheet = |(k, &(name, stiffness)): (usize, &Variant)| {
        let grid = GridShape {
            columns: n,
            rows: n,
            width: Some(0.6),
            height: None,
            pattern: Some(PatternSpec::Irregular),
            seed: Some(3),
            orient: Some(Orient::Vertical),
        };
        Cloth {
            name: name.to_owned(),
            mesh: SheetMesh { grid: Some(grid), ..SheetMesh::default() },
            material: woven("denim", stiffness),
            place: Some(Placement {
                axis: Some([0.0, 0.0, 1.0]),
                degrees: Some(-45.0),
                shift: Some([k as f64, 0.0, 0.0]),
                ..Placement::default()
            }),
            pin: vec![Pin::corners(&[0])],
            ..Cloth::default()
        }
    };
    SceneDescription {
        cloth: variants.iter().enumerate().map(sheet).collect(),
        solver: small_steps(),
        frames: Some(200),
        ..SceneDescription::default()
    }
}
