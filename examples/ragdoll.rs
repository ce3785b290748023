//! A ragdoll hangs from one hand: fifteen rigid bodies, held by cones and hinges with limits. It
//! swings at thirty steps a second, and comes apart where loaded joints may turn freely in a step.

use pliant::rigid::{ArticulationBuilder, ArticulationSettings, Joint, Ragdoll};

/// Runs the example.
pub fn main() -> Result<(), pliant::Error> {
    for geometric in [true, false] {
        let mut scene = ArticulationBuilder::new();
        let doll = Ragdoll::default().add(&mut scene);
        scene.joint(Joint::ball(None, Some(doll.hands[0]), doll.fingers[0]));
        scene.settings(ArticulationSettings {
            geometric_stiffness: geometric,
            ..Default::default()
        });
        let mut ragdoll = scene.build()?;
        println!("geometric stiffness {}:", if geometric { "on" } else { "off" });
        let mut gap = 0.0_f64;
        for step in 1..=300 {
            ragdoll.step(1.0 / 30.0);
            gap = gap.max(ragdoll.max_joint_error());
            if step % 60 == 0 {
                let [x, y, _] = ragdoll.pose(doll.all[2]).position;
                let (time, energy) = (ragdoll.time(), ragdoll.kinetic_energy());
                println!("  {time:2.0} s: head at {x:9.2}, {y:9.2} m, moving with {energy:.1e} J");
            }
        }
        println!("  joints were never further apart than {:.1e} m", gap);
    }
    Ok(())
}
