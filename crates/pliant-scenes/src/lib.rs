//! Built-in scenes, as functions of their size: used by tests, benchmarks, the command line and the viewer.
//!
//! A scene describes the simulated objects; its solver is only a default. Sizes are counts of vertices or
//! cells along one side, so that the same scene runs as a test in milliseconds and as a benchmark.
//!
//! ```
//! use pliant::prelude::*;
//!
//! let scene = pliant_scenes::by_name("rope").expect("a scene of that name");
//! let mut sim = Simulation::new((scene.build)(scene.default_size)?, Xpbd::default())?;
//! assert!(sim.step().warning().is_none());
//! # Ok::<(), pliant::Error>(())
//! ```

mod anisotropic_cloth;
mod cloth;
mod contact;
pub mod describe;
mod materials;
mod shapes;
mod solids;
mod springs;
mod strands;
mod tearing;

pub use describe::SceneDescription;

use pliant::{Error, Model};

/// A built-in scene.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInScene {
    /// Name, as users write it.
    pub name: &'static str,
    /// One-line summary.
    pub summary: &'static str,
    /// Size that runs in real time.
    pub default_size: usize,
    describe: fn(usize) -> SceneDescription,
    /// Builds its model at a size.
    pub build: fn(usize) -> Result<Model, Error>,
}

impl BuiltInScene {
    /// The scene as data, at a size: the contents of a scene file.
    pub fn describe(&self, size: usize) -> SceneDescription {
        SceneDescription {
            name: self.name.to_owned(),
            summary: self.summary.to_owned(),
            ..(self.describe)(size)
        }
    }
}

/// Declares the scenes: the list, and for each a function that builds its model.
macro_rules! scenes {
    ($($module:ident::$name:ident $size:literal $summary:literal),* $(,)?) => {
        $(
            #[doc = concat!("Builds the scene: ", $summary, ".")]
            pub fn $name(size: usize) -> Result<Model, Error> {
                Ok($module::$name(size).build()?)
            }
        )*

        const LIST: &[BuiltInScene] = &[$(BuiltInScene {
            name: stringify!($name),
            summary: $summary,
            default_size: $size,
            describe: $module::$name,
            build: $name,
        }),*];
    };
}

scenes! {
    cloth::hanging_cloth 32 "cotton held by two corners: membrane and mean curvature",
    cloth::draped_cloth 48 "cotton drapes in folds between two corners that come together",
    cloth::hanging_cloth_edges 32 "the same as a net of edges with dihedral bending",
    cloth::tethered_curtains 32 "two curtains under ten sweeps of PBD, one of them with tethers",
    cloth::flag_in_wind 24 "a silk flag on a mast in gusts",
    cloth::cylinder_shell 32 "a paper tube crushed from above until it buckles",
    cloth::balloons 3 "three balls of thin rubber: empty, full of air, blown up and let go again",
    cloth::rubber_can 24 "a closed can of rubber whose lid is pulled up in the middle",
    cloth::stretched_sheets 9 "two soft sheets pulled long, one of which keeps its area",
    tearing::torn_flag 32 "a flag in gusts that its edges do not bear",
    tearing::torn_sheet 33 "a sheet tears while the halves of its lower edge are pulled apart",
    tearing::cut_cloth 33 "a blade moves across a curtain, and what is below falls",
    anisotropic_cloth::tight_skirt 32 "three tight skirts in a wide pose: stiff, soft, soft around alone",
    anisotropic_cloth::woven_sheets 17 "three sheets on one irregular mesh: stiff, soft in shear, soft along x",
    solids::cantilever 4 "a rubber bar clamped at one end",
    solids::twisting_bar 3 "a foam bar whose ends turn against each other",
    solids::jelly_block 6 "a jelly on a plate that is shaken",
    solids::pressed_cubes 5 "three cubes of one stiffness and three energies, pressed and let go",
    solids::balls 3 "rubber balls on elastic tethers",
    solids::torus 3 "a soft ring held at one point",
    solids::green_torus 2 "a scrambled ring finds its shape: Green's strain and volumes",
    solids::pressed_blocks 5 "two soft blocks pressed flat, one of which keeps its volume",
    solids::free_flight 4 "a sheet, a block and a strand tumble in empty space",
    materials::example_bars 2 "three bars: plain, and two that may bend for nothing",
    materials::plastic_bars 2 "two bars bent and let go: one of them yields",
    materials::dented_foil 17 "a foil is pressed in and a wire pulled out: both yield",
    materials::fiber_bars 2 "three bars sag: plain, with fibres along, with fibres across",
    materials::stiffening_bars 2 "two soft bars hang: one stiffens beyond a tenth",
    materials::shape_jelly 5 "a jelly of matched shapes on a plate that is shaken",
    springs::curtain 41 "the mass-spring curtain of Liu et al. 2013",
    springs::free_springs 9 "a mass-spring net tumbles in empty space",
    springs::ringing_net 6 "a net rings in empty space: what integrators do to energy",
    springs::limited_net 11 "two weak nets hang, one with a strain limit of a tenth",
    strands::strand_pendulum 24 "a thread swings from one end",
    strands::rope 41 "a rope sags between two posts: a catenary",
    strands::telephone_cord 121 "a coiled cord stretches under a receiver and keeps its coils",
    strands::twisted_rope 41 "a rope is twisted until it writhes, while one without twist stays straight",
    strands::heavy_chain 101 "a steel wire with a weight of a thousand of its links",
    contact::cloth_on_ball 29 "cotton falls on a ball above the ground",
    contact::needle_bed 21 "cotton falls on needles and is not pierced",
    contact::knife_edge 21 "cotton hangs over the edge of a thin wedge",
    contact::five_layers 13 "five sheets of cotton fall on a ball and on each other",
    contact::folded_sheet 31 "a sheet is laid down in four layers on itself",
    contact::barrel 17 "cotton tumbles in a turning barrel",
    contact::pressed_balls 3 "three soft balls are pressed flat and find back",
    contact::brush 19 "a brush of a hundred bristles is dragged over a rod",
    contact::leaves 200 "two hundred leaves fall on the ground and on each other",
    contact::twist 11 "a strip of cotton is wound up on itself",
    contact::bullet 21 "a ball at 100 m/s does not pass a cloth",
    contact::stripes 5 "rigid bodies hang from stripes of cloth and strike each other",
    contact::dress 72 "a dress of 3,500 vertices on a figure that walks and turns",
    contact::squeezed_figure 26 "an inflated figure is squeezed through two turning gears",
    contact::ripped_cloth 25 "a sheet is torn open by a cube and ripped apart by a thrown ball",
}

/// All built-in scenes.
pub fn all() -> &'static [BuiltInScene] {
    LIST
}

/// The scene of that name; dashes count as underscores.
pub fn by_name(name: &str) -> Option<&'static BuiltInScene> {
    let name = name.replace('-', "_");
    all().iter().find(|s| s.name == name)
}

/// Velocities of a rigid motion about the centre of `positions`.
fn rigid_velocities(positions: &[[f64; 3]], velocity: [f64; 3], spin: [f64; 3]) -> Vec<[f64; 3]> {
    let n = positions.len().max(1) as f64;
    let center = [0, 1, 2].map(|c| positions.iter().map(|p| p[c]).sum::<f64>() / n);
    let of = |p: &[f64; 3]| {
        let r = [0, 1, 2].map(|c| p[c] - center[c]);
        [0, 1, 2].map(|c| {
            let (d, e) = ((c + 1) % 3, (c + 2) % 3);
            velocity[c] + spin[d] * r[e] - spin[e] * r[d]
        })
    };
    positions.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_builds_at_its_default_size_and_is_found_by_name() {
        for scene in all() {
            let model = (scene.build)(scene.default_size).expect(scene.name);
            assert!(model.len() > 1, "{}", scene.name);
            assert_eq!(by_name(&scene.name.replace('_', "-")).map(|s| s.name), Some(scene.name));
        }
        assert!(by_name("no such scene").is_none());
    }

    #[test]
    fn tumbling_is_a_rigid_motion() {
        let square = [[0.0; 3], [2.0, 0.0, 0.0], [2.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
        let v = rigid_velocities(&square, [1.0, 0.0, 0.0], [0.0, 0.0, 3.0]);
        assert_eq!(v[0], [4.0, -3.0, 0.0]);
        assert_eq!(v[2], [-2.0, 3.0, 0.0]);
    }
}
