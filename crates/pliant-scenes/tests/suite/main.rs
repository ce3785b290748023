//! The contracts of the physics, one file each, in one program: one compilation of the engine's generic code,
//! and tests that keep every core busy.

mod acceleration;
mod accuracy;
mod animated_scenes;
mod balloons;
mod closed_forms;
mod common;
mod conservation;
mod constrained;
mod contact_scenes;
mod damping;
mod decoupled_shear;
mod element_coverage;
mod energy;
mod example_materials;
mod extremes;
mod hierarchy;
mod hyperelastic;
mod intersection_free;
mod liu_iterates;
mod materials;
mod memory;
mod newton_convergence;
mod newton_reference;
mod pbd_chebyshev;
mod rigid_scenes;
mod rods;
mod solvers_agree;
mod squeezed_figure;
mod strain_based;
mod tethers;
mod tight_skirt;
mod vertex_descent;
