//! Types and traits that most programs need: `use pliant::prelude::*`.

pub use crate::contact::{Collider, CollidesWith, ContactMaterial, ContactMode};
pub use crate::material::{
    Bend, Fabric, Fibers, Plasticity, Solid, Springs, Stiffening, Stretch, Thread,
};
pub use crate::mesh::{
    Bar, Curtain, Cylinder, Grid, Icosphere, Pattern, SpringNetwork, Strand, TetBall, TetBlock,
    TetMesh, TetTorus, Torus, TriMesh,
};
pub use crate::solvers::{
    AnySolver, Auto, Constrained, Explicit, Hpbd, MassSpring, Newton, Pbd, ProjectiveDynamics,
    Solver, Sweep, Vbd, Xpbd,
};
pub use crate::{
    Blade, Body, Damping, Inflation, Integrator, MassModel, Model, ModelBuilder, Motion, Precision,
    Pressure, Simulation, State, StepReport, StrainLimit, TearMode, Tearing, Tethers, Wind,
};
