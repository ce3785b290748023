//! The elements, one file each, and their registry.
//!
//! An entry in [`registry`] makes an element available to scene files and [`ModelBuilder::add_elements`], to the lists and
//! the matrix of the command line, to the scene `elements`, and to the conformance suite, which runs it under every solver.
//!
//! [`ModelBuilder::add_elements`]: crate::ModelBuilder::add_elements

/// Fills elements from consecutive groups of `N` vertices and rest positions.
macro_rules! sample {
    ($set:expr, $n:literal, $make:expr) => {
        |vertices, rest, weight| {
            let mut set = $set;
            for (v, x) in vertices.as_chunks::<$n>().0.iter().zip(rest.as_chunks::<$n>().0) {
                set.push(*v, weight, $make(*x)?);
            }
            Ok(Box::new(set))
        }
    };
}

mod determinant;
mod dihedral;
mod edge_strain;
mod enclosed_volume;
mod fiber_strain;
mod green;
pub(crate) mod inflation;
mod isotropic;
mod laplace_bending;
mod pin;
mod plastic;
pub(crate) mod point_attachment;
mod radial;
mod rod_frame;
mod rod_joint;
pub(crate) mod rotation;
mod shape_matching;
mod spring;
mod strain;
mod symmetric;
pub(crate) mod tet_corotational_volume;
pub(crate) mod tet_example;
mod tet_green;
mod tet_neo_hookean;
mod tet_strain;
mod tet_volume;
mod tet_volume_bounds;
mod triangle_area;
mod triangle_area_bounds;
mod triangle_green;
mod triangle_strain;

pub use crate::elements::dihedral::Dihedral;
pub use crate::elements::edge_strain::EdgeStrain;
pub use crate::elements::enclosed_volume::EnclosedVolume;
pub use crate::elements::fiber_strain::FiberStrain;
pub use crate::elements::green::GreenMeasure;
pub use crate::elements::laplace_bending::{LaplaceBending, RingBending};
pub use crate::elements::pin::Pin;
pub use crate::elements::plastic::{EdgePlastic, Plasticity, TetPlastic, TrianglePlastic};
pub use crate::elements::point_attachment::PointAttachment;
pub use crate::elements::rod_frame::RodFrame;
pub use crate::elements::rod_joint::RodJoint;
pub use crate::elements::shape_matching::ShapeMatching;
pub use crate::elements::spring::Spring;
pub use crate::elements::tet_corotational_volume::TetCorotationalVolume;
pub use crate::elements::tet_example::{MAX_EXAMPLES, TetExample};
pub use crate::elements::tet_green::TetGreen;
pub use crate::elements::tet_neo_hookean::TetNeoHookean;
pub use crate::elements::tet_strain::TetStrain;
pub use crate::elements::tet_volume::TetVolume;
pub use crate::elements::tet_volume_bounds::TetVolumeBounds;
pub use crate::elements::triangle_area::TriangleArea;
pub use crate::elements::triangle_area_bounds::TriangleAreaBounds;
pub use crate::elements::triangle_green::{TriangleGreen, warp_direction};
pub use crate::elements::triangle_strain::TriangleStrain;

use crate::Error;
use crate::batch::AnyElements;
use crate::mesh::Stencil;

/// Description of an element type.
#[derive(Clone, Copy, Debug)]
pub struct ElementInfo {
    /// Name in scene files and reports.
    pub name: &'static str,
    /// One-line summary.
    pub summary: &'static str,
    /// Number of vertices.
    pub points: usize,
    /// Part of a mesh that it stands on.
    pub stencil: Stencil,
    /// Makes elements of this type, each on `points` consecutive entries of `vertices`, with the given rest positions
    /// \[m\] and weight.
    pub sample: fn(vertices: &[u32], rest: &[[f64; 3]], weight: f64) -> Sample,
}

/// Result of [`ElementInfo::sample`].
pub type Sample = Result<Box<dyn AnyElements>, Error>;

/// Returns the list of all elements.
// If inlined into another crate, all elements would be compiled there again.
#[inline(never)]
pub fn registry() -> &'static [ElementInfo] {
    &[
        pin::INFO,
        point_attachment::INFO,
        spring::INFO,
        edge_strain::INFO,
        triangle_strain::INFO,
        tet_strain::INFO,
        plastic::EDGE_INFO,
        plastic::TRIANGLE_INFO,
        plastic::TET_INFO,
        tet_example::INFO,
        tet_example::BODY_INFO,
        fiber_strain::INFO,
        tet_corotational_volume::INFO,
        tet_neo_hookean::INFO,
        triangle_green::INFO,
        tet_green::INFO,
        dihedral::INFO,
        laplace_bending::INFO,
        laplace_bending::RING_INFO,
        shape_matching::INFO,
        enclosed_volume::INFO,
        rod_frame::INFO,
        rod_joint::INFO,
        tet_volume::INFO,
        tet_volume_bounds::INFO,
        triangle_area::INFO,
        triangle_area_bounds::INFO,
    ]
}
