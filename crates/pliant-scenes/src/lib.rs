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
mod elements;
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
    contact::tablecloth 65 "a checked tablecloth falls over a ball and a soft ring, and slides into folds",
    cloth::hanging_cloth 32 "cotton pinned at two corners, with membrane and mean-curvature \
        bending elements",
    cloth::draped_cloth 48 "cotton folds between two pinned corners that approach each other",
    cloth::hanging_cloth_edges 32 "cotton pinned at two corners, with edge springs and dihedral \
        bending",
    cloth::tethered_curtains 32 "two curtains at ten iterations of PBD, one of them with tethers",
    cloth::flag_in_wind 24 "a silk flag on a mast in gusts",
    cloth::cylinder_shell 32 "a paper tube is compressed along its axis until it buckles",
    cloth::balloons 3 "three rubber balloons: without gas, with gas, inflated and deflated",
    cloth::rubber_can 24 "a closed rubber can whose lid is pulled up at its centre",
    cloth::stretched_sheets 9 "two soft sheets are stretched, one of them with area bounds",
    elements::elements 6 "one sheet or bar for each element that a mesh can have",
    tearing::torn_flag 32 "a flag tears in gusts",
    tearing::torn_sheet 33 "a sheet tears as the halves of its lower edge are pulled apart",
    tearing::cut_cloth 33 "a blade cuts a curtain, and the lower part falls",
    anisotropic_cloth::tight_skirt 32 "three tight skirts on spread legs: stiff, soft, soft around \
        the waist only",
    anisotropic_cloth::woven_sheets 17 "three sheets of the same irregular mesh: stiff, soft in \
        shear, soft along x",
    solids::cantilever 4 "a rubber bar clamped at one end",
    solids::twisting_bar 3 "a foam bar is twisted by its ends",
    solids::jelly_block 6 "a jelly block on a shaken plate",
    solids::pressed_cubes 5 "three cubes of equal stiffness and different energies are compressed \
        and released",
    solids::balls 3 "rubber balls on elastic tethers",
    solids::torus 3 "a soft ring pinned at one point",
    solids::green_torus 2 "a ring recovers from random positions by Green's strain and volume \
        elements",
    solids::pressed_blocks 5 "two soft blocks are compressed, one of them with volume bounds",
    solids::free_flight 4 "a sheet, a block and a strand tumble without gravity",
    materials::example_bars 2 "three bars: one elastic, two with a bent example shape",
    materials::plastic_bars 2 "two bars are bent and released, one of them plastic",
    materials::dented_foil 17 "a foil is dented and a wire stretched: plastic deformation",
    materials::fiber_bars 2 "three bars sag: without fibres, with fibres along, with fibres across",
    materials::stiffening_bars 2 "two soft bars hang, one of them stiffening beyond 10 % strain",
    materials::shape_jelly 5 "a jelly block of shape matching clusters on a shaken plate",
    springs::curtain 41 "the mass-spring curtain of Liu et al. 2013",
    springs::free_springs 9 "a mass-spring net tumbles without gravity",
    springs::ringing_net 6 "a mass-spring net vibrates without gravity: energy of integrators",
    springs::limited_net 11 "two weak mass-spring nets hang, one of them with a strain limit of 10 \
        %",
    strands::strand_pendulum 24 "a thread swings from one end",
    strands::rope 41 "a rope sags between two posts: a catenary",
    strands::telephone_cord 121 "a coiled cord stretches under the weight of a receiver",
    strands::twisted_rope 41 "a rope is twisted until it forms loops, beside one without twist \
        resistance",
    strands::heavy_chain 101 "a steel wire with a hanging weight of a thousand times the mass of \
        its vertices",
    contact::cloth_on_ball 29 "cotton falls on a ball above the ground",
    contact::needle_bed 21 "cotton falls on thin needles",
    contact::knife_edge 21 "cotton hangs over the edge of a thin wedge",
    contact::five_layers 13 "five cotton sheets fall on a ball and on each other",
    contact::folded_sheet 31 "a sheet is folded into four layers",
    contact::barrel 17 "cotton tumbles in a rotating barrel",
    contact::pressed_balls 3 "three soft balls are compressed and released",
    contact::brush 19 "a brush of a hundred bristles is dragged over a rod",
    contact::leaves 200 "two hundred leaves fall on the ground and on each other",
    contact::twist 11 "a strip of cotton is twisted into a roll",
    contact::bullet 21 "a ball at 100 m/s hits a cloth",
    contact::stripes 5 "rigid bodies hang from stripes of cloth and collide",
    contact::dress 72 "a dress of 3,500 vertices on an animated figure",
    contact::squeezed_figure 26 "an inflated figure is squeezed between two rotating gears",
    contact::ripped_cloth 25 "a sheet is torn by a cube and by a thrown ball",
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
