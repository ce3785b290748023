//! The elements, one file each, and their registry.
//!
//! An entry in [`registry`] makes an element available to scene files, to the command line and to the conformance
//! suite, which runs it under every solver.

mod determinant;
mod dihedral;
mod edge_strain;
mod enclosed_volume;
mod fiber_strain;
mod green;
pub(crate) mod inflation;
mod laplace_bending;
mod pin;
mod plastic;
pub(crate) mod point_attachment;
mod radial;
mod rod_frame;
mod rod_joint;
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
use crate::batch::{AnyElements, BodyExamples, Clusters, Elements};
use crate::elements::inflation::Inflation;

/// Description of an element type.
#[derive(Clone, Copy, Debug)]
pub struct ElementInfo {
    /// Name in scene files and reports.
    pub name: &'static str,
    /// One-line summary.
    pub summary: &'static str,
    /// Number of vertices.
    pub points: usize,
    /// Makes sample elements of this type, each on `points` consecutive entries of `vertices`, with the given rest
    /// positions \[m\] and weight.
    pub sample: fn(vertices: &[u32], rest: &[[f64; 3]], weight: f64) -> Sample,
}

/// Result of [`ElementInfo::sample`].
pub type Sample = Result<Box<dyn AnyElements>, Error>;

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

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let d = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
}

/// Uniform weights of a ring of four: the Laplacian of a point among four neighbours.
fn uniform_ring(x: &[[f64; 3]]) -> (Vec<f64>, f64) {
    let n = x.len() - 1;
    let coefficients: Vec<f64> = std::iter::once(-(n as f64)).chain(vec![1.0; n]).collect();
    let y = [0, 1, 2].map(|i| x.iter().zip(&coefficients).map(|(x, c)| x[i] * c).sum::<f64>());
    (coefficients, distance(y, [0.0; 3]))
}

/// The surface of an octahedron on six points, oriented so that its volume is positive.
fn octahedron(x: &[[f64; 3]]) -> Result<EnclosedVolume, Error> {
    let (poles, equator) = ([0, 3], [1, 5, 4, 2]);
    let side = |i: usize| {
        let (a, b) = (equator[i], equator[(i + 1) % 4]);
        [[a, b, poles[0]], [b, a, poles[1]]]
    };
    let triangles: Vec<[u32; 3]> = (0..4).flat_map(side).collect();
    let flipped = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    EnclosedVolume::new(x, triangles, Inflation::Constant(1.0))
        .or_else(|_| EnclosedVolume::new(x, flipped, Inflation::Constant(1.0)))
}

/// Two example shapes of a tetrahedron: one longer along x, one sheared.
fn two_examples(x: [[f64; 3]; 4]) -> Result<TetExample, Error> {
    let longer = x.map(|[x, y, z]| [1.3 * x, y, z]);
    let sheared = x.map(|[x, y, z]| [x, y + 0.2 * z, z + 0.2 * y]);
    TetExample::new(x, &[longer, sheared], [0.0, 1.0]).map(|(element, _)| element)
}

/// Returns the list of all elements.
// If inlined into another crate, all elements would be compiled there again.
#[inline(never)]
pub fn registry() -> &'static [ElementInfo] {
    const LIMITS: [f64; 2] = [0.9, 1.1];
    const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    &[
        ElementInfo {
            name: "pin",
            summary: "draws a vertex to a point",
            points: 1,
            sample: sample!(Elements::projective(), 1, |x: [[f64; 3]; 1]| Ok::<_, Error>(Pin {
                target: x[0]
            })),
        },
        ElementInfo {
            name: "tie",
            summary: "ties a vertex to a point that four others carry",
            points: 5,
            sample: sample!(Elements::projective(), 5, |x: [[f64; 3]; 5]| {
                PointAttachment::new(x[0], [x[1], x[2], x[3], x[4]])
            }),
        },
        ElementInfo {
            name: "spring",
            summary: "Hookean spring between two vertices",
            points: 2,
            sample: sample!(Elements::projective(), 2, |x: [[f64; 3]; 2]| Ok::<_, Error>(Spring {
                length: distance(x[0], x[1])
            })),
        },
        ElementInfo {
            name: "edge_strain",
            summary: "stretch of an edge within limits, weighted by its length",
            points: 2,
            sample: sample!(Elements::projective(), 2, |x: [[f64; 3]; 2]| {
                let length = distance(x[0], x[1]);
                if !(length > 0.0 && length.is_finite()) {
                    return Err(Error::DegenerateRest { name: "edge", measure: length });
                }
                Ok(EdgeStrain { length, limits: LIMITS })
            }),
        },
        ElementInfo {
            name: "triangle_strain",
            summary: "stretch and shear of a triangle within limits",
            points: 3,
            sample: sample!(Elements::projective(), 3, |x| TriangleStrain::new(x, [1.0, 1.0])
                .map(|(e, _)| e)),
        },
        ElementInfo {
            name: "tet_strain",
            summary: "deformation of a tetrahedron within limits",
            points: 4,
            sample: sample!(Elements::projective(), 4, |x| TetStrain::new(x, [1.0, 1.0])
                .map(|(e, _)| e)),
        },
        ElementInfo {
            name: "edge_plastic",
            summary: "stretch of an edge, which stays where it yields",
            points: 2,
            sample: sample!(Elements::projective(), 2, |x: [[f64; 3]; 2]| {
                let length = distance(x[0], x[1]);
                if !(length > 0.0 && length.is_finite()) {
                    return Err(Error::DegenerateRest { name: "edge", measure: length });
                }
                Ok(EdgePlastic { length, plasticity: Plasticity::new(0.1) })
            }),
        },
        ElementInfo {
            name: "triangle_plastic",
            summary: "stretch and shear of a triangle, which stay where it yields",
            points: 3,
            sample: sample!(Elements::projective(), 3, |x| {
                TrianglePlastic::new(x, Plasticity::new(0.1)).map(|(e, _)| e)
            }),
        },
        ElementInfo {
            name: "tet_plastic",
            summary: "deformation of a tetrahedron, which stays where it yields",
            points: 4,
            sample: sample!(Elements::projective(), 4, |x| {
                TetPlastic::new(x, Plasticity::new(0.1)).map(|(e, _)| e)
            }),
        },
        ElementInfo {
            name: "tet_example",
            summary: "deformation of a tetrahedron, free towards examples",
            points: 4,
            sample: sample!(Elements::projective(), 4, two_examples),
        },
        ElementInfo {
            name: "body_examples",
            summary: "deformation of tetrahedra, free towards examples that all follow alike",
            points: 4,
            sample: sample!(BodyExamples::new(), 4, two_examples),
        },
        ElementInfo {
            name: "fiber_strain",
            summary: "stretch along one direction of a triangle or tetrahedron within limits",
            points: 4,
            sample: sample!(Elements::projective(), 4, |x| {
                FiberStrain::in_tet(x, [0.6, 0.0, 0.8], LIMITS).map(|(e, _)| e)
            }),
        },
        ElementInfo {
            name: "tet_trace",
            summary: "sum of a tetrahedron's stretches: the volume term of corotational elasticity",
            points: 4,
            sample: sample!(Elements::projective(), 4, |x| TetCorotationalVolume::new(x)
                .map(|(e, _)| e)),
        },
        ElementInfo {
            name: "tet_neo_hookean",
            summary: "energy of a tetrahedron of rubber, smooth for every deformation",
            points: 4,
            sample: sample!(Elements::hyperelastic(), 4, |x| TetNeoHookean::new(x, 2.0)
                .map(|(e, _)| e)),
        },
        ElementInfo {
            name: "triangle_green",
            summary: "stretch along warp and weft, and shear, of a triangle, each on its own",
            points: 3,
            sample: sample!(Elements::constraint(), 3, |x| {
                TriangleGreen::new(x, None, [1.0; 2], [1.0, 0.5, 0.25], GreenMeasure::default())
                    .map(|(e, _)| e)
            }),
        },
        ElementInfo {
            name: "tet_green",
            summary: "stretch along three axes, and shear, of a tetrahedron, each on its own",
            points: 4,
            sample: sample!(Elements::constraint(), 4, |x| {
                let shares = [1.0, 0.8, 0.6, 0.5, 0.4, 0.3];
                TetGreen::new(x, AXES, [1.0; 3], shares, GreenMeasure::default()).map(|(e, _)| e)
            }),
        },
        ElementInfo {
            name: "dihedral",
            summary: "angle between two triangles",
            points: 4,
            sample: sample!(Elements::constraint(), 4, |x| Ok::<_, Error>(Dihedral::new(x))),
        },
        ElementInfo {
            name: "laplace_bending",
            summary: "mean curvature at a vertex of a surface",
            points: 5,
            sample: sample!(Elements::projective(), 5, |x: [[f64; 3]; 5]| {
                let (c, curvature) = uniform_ring(&x);
                Ok::<_, Error>(LaplaceBending::<5> {
                    coefficients: std::array::from_fn(|k| c[k]),
                    curvature,
                })
            }),
        },
        ElementInfo {
            name: "ring_bending",
            summary: "mean curvature at a vertex with any number of neighbours",
            points: 12,
            sample: |vertices, rest, weight| {
                let mut set = Clusters::new();
                for (v, x) in vertices.chunks_exact(12).zip(rest.chunks_exact(12)) {
                    let (coefficients, curvature) = uniform_ring(x);
                    set.push(v.to_vec(), weight, RingBending { coefficients, curvature });
                }
                Ok(Box::new(set))
            },
        },
        ElementInfo {
            name: "shape_matching",
            summary: "shape of a cluster of any number of vertices",
            points: 12,
            sample: |vertices, rest, weight| {
                let mut set = Clusters::new();
                for (v, x) in vertices.chunks_exact(12).zip(rest.chunks_exact(12)) {
                    set.push(v.to_vec(), weight, ShapeMatching::new(x, &[1.0; 12]));
                }
                Ok(Box::new(set))
            },
        },
        ElementInfo {
            name: "enclosed_volume",
            summary: "volume that a closed surface encloses: pressure",
            points: 6,
            sample: |vertices, rest, weight| {
                let mut set = Clusters::new();
                for (v, x) in vertices.chunks_exact(6).zip(rest.chunks_exact(6)) {
                    set.push(v.to_vec(), weight, octahedron(x)?);
                }
                Ok(Box::new(set))
            },
        },
        ElementInfo {
            name: "rod_frame",
            summary: "keeps the ghost that carries the frame of a rod's segment beside it",
            points: 3,
            sample: sample!(Elements::constraint(), 3, RodFrame::new),
        },
        ElementInfo {
            name: "rod_joint",
            summary: "bending about two axes and twist between two segments of a rod",
            points: 5,
            sample: sample!(Elements::constraint(), 5, |x| RodJoint::new(x, [1.0, 0.8, 0.6])),
        },
        ElementInfo {
            name: "tet_volume",
            summary: "volume of a tetrahedron, by its value",
            points: 4,
            sample: sample!(Elements::constraint(), 4, |x| TetVolume::new(x).map(|(e, _)| e)),
        },
        ElementInfo {
            name: "tet_volume_bounds",
            summary: "volume of a tetrahedron between bounds, by its deformation gradient",
            points: 4,
            sample: sample!(Elements::projective(), 4, |x| TetVolumeBounds::new(x, LIMITS)
                .map(|(e, _)| e)),
        },
        ElementInfo {
            name: "triangle_area",
            summary: "area of a triangle, by its value",
            points: 3,
            sample: sample!(Elements::constraint(), 3, |x| TriangleArea::new(x).map(|(e, _)| e)),
        },
        ElementInfo {
            name: "triangle_area_bounds",
            summary: "area of a triangle between bounds, by its deformation gradient",
            points: 3,
            sample: sample!(Elements::projective(), 3, |x| TriangleAreaBounds::new(x, LIMITS)
                .map(|(e, _)| e)),
        },
    ]
}
