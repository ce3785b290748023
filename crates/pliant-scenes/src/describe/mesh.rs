//! Meshes in scene files: one generator, or a mesh from another file.

use pliant::mesh::{
    Curtain, Cylinder, Grid, Icosphere, Pattern, Section, SpringNetwork, Strand, TetBall, TetBlock,
    TetMesh, TetTorus, Torus, TriMesh,
};
use pliant::{Error, mesh};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The shape of a cloth: exactly one of its fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SheetMesh {
    /// A rectangular sheet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<GridShape>,
    /// A tube.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cylinder: Option<CylinderShape>,
    /// The surface of a ball.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icosphere: Option<IcosphereShape>,
    /// The surface of a torus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torus: Option<TorusShape>,
    /// Explicit vertices and triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<TriangleList>,
    /// A mesh from a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileShape>,
}

/// The shape of a solid: exactly one of its fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolidMesh {
    /// A block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<BlockShape>,
    /// A ball.
    #[serde(alias = "ball", skip_serializing_if = "Option::is_none")]
    pub sphere: Option<BallShape>,
    /// A ring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ring: Option<RingShape>,
    /// Tetrahedra from a file, or a closed surface to fill with tetrahedra.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<FileShape>,
}

/// The shape of a strand: exactly one of its fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StrandMesh {
    /// A straight strand or a helix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strand: Option<StrandShape>,
    /// Points along the strand \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<[f64; 3]>>,
}

/// The shape of a spring network: exactly one of its fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SpringsMesh {
    /// The curtain of Fast Simulation of Mass-Spring Systems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curtain: Option<CurtainShape>,
    /// A sheet: springs along its edges and across adjacent triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<SheetMesh>,
    /// A solid: springs along its edges.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solid: Option<SolidMesh>,
}

/// Triangulation of the quads of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PatternSpec {
    /// Every diagonal in the same direction.
    Regular,
    /// Diagonals alternate.
    Alternating,
    /// Randomly displaced vertices and diagonals, from the seed.
    Irregular,
}

/// Orientation of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Orient {
    /// In the x–z plane.
    Horizontal,
    /// In the x–y plane.
    Vertical,
}

/// A rectangular sheet with corner 0 at the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridShape {
    /// Vertices along its width.
    pub columns: usize,
    /// Vertices along its height.
    pub rows: usize,
    /// Width \[m\]; default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
    /// Height \[m\]; default: square cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Triangulation of the quads; default: regular.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<PatternSpec>,
    /// Seed of an irregular pattern; default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Orientation; default: horizontal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orient: Option<Orient>,
}

/// A tube around the y axis, standing on the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderShape {
    /// Radius \[m\].
    pub radius: f64,
    /// Height \[m\].
    pub height: f64,
    /// Segments around.
    pub around: usize,
    /// Segments along its height.
    pub along: usize,
    /// Close both ends.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
}

/// A closed surface of nearly equal triangles around the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IcosphereShape {
    /// Radius \[m\].
    pub radius: f64,
    /// Number of subdivisions of each icosahedron triangle into four.
    pub subdivisions: u32,
}

/// The surface of a torus around the y axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorusShape {
    /// Radius from the centre to the middle of the tube \[m\].
    pub major: f64,
    /// Radius of the tube \[m\].
    pub minor: f64,
    /// Segments around the ring.
    pub around: usize,
    /// Segments around the tube.
    pub across: usize,
}

/// A mesh with explicit vertices and triangles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TriangleList {
    /// Vertex positions \[m\].
    pub points: Vec<[f64; 3]>,
    /// Vertices of each triangle, by number from 0, counter-clockwise seen from its front.
    pub triangles: Vec<[u32; 3]>,
}

/// An axis-aligned block with a corner at the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockShape {
    /// Cells along x, y and z; five tetrahedra each.
    pub cells: [usize; 3],
    /// Size \[m\].
    pub size: [f64; 3],
}

/// A ball around the origin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BallShape {
    /// Radius \[m\].
    pub radius: f64,
    /// Layers of tetrahedra from the centre to the surface.
    pub layers: usize,
}

/// A solid ring around the y axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RingShape {
    /// Radius from the centre to the middle of the tube \[m\].
    pub major: f64,
    /// Radius of the tube, or half the side of a square one \[m\].
    pub minor: f64,
    /// Cells around the ring.
    pub around: usize,
    /// Layers from the middle of the tube to its surface.
    pub layers: usize,
    /// Use a square cross-section for the tube.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub square: bool,
}

/// A strand from the origin: straight, or a helix where `pitch` and `turns` are given.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrandShape {
    /// Number of vertices.
    pub vertices: usize,
    /// Length of a straight strand \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Radius of a helix \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Advance of a helix per turn \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
    /// Turns of a helix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<f64>,
    /// Direction; default: +x.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
}

/// The curtain: structural, shear and bend springs on a square of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurtainShape {
    /// Vertices along a side.
    pub vertices: usize,
    /// Width \[m\]; default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}

/// A mesh from a file inside the scene's folder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileShape {
    /// Path of the file, relative to the scene file.
    pub path: String,
    /// Name of an object in a file with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
    /// Lattice cells along the longest side, for a solid from a closed surface; default: 16. The
    /// surface is embedded in the lattice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<usize>,
}

fn scene_error<T>(problem: impl Into<String>) -> Result<T, Error> {
    Err(Error::Scene { problem: problem.into() })
}

/// Rejects zero or several given fields.
pub(super) fn exactly_one(given: &[(&str, bool)]) -> Result<(), Error> {
    let list = |only: Option<bool>| {
        let names = given.iter().filter(|(_, g)| only.is_none_or(|o| *g == o));
        names.map(|(n, _)| *n).collect::<Vec<_>>().join(", ")
    };
    match given.iter().filter(|(_, g)| *g).count() {
        1 => Ok(()),
        0 => scene_error(format!("no shape is present; add one of {}", list(None))),
        _ => scene_error(format!("several shapes are present ({}); keep one", list(Some(true)))),
    }
}

impl SheetMesh {
    /// Generates the mesh, or returns the file that contains it.
    pub(super) fn build(&self) -> Result<Result<TriMesh, &FileShape>, Error> {
        exactly_one(&[
            ("grid", self.grid.is_some()),
            ("cylinder", self.cylinder.is_some()),
            ("icosphere", self.icosphere.is_some()),
            ("torus", self.torus.is_some()),
            ("list", self.list.is_some()),
            ("file", self.file.is_some()),
        ])?;
        if let Some(list) = &self.list {
            return TriMesh::new(list.points.clone(), list.triangles.clone()).map(Ok);
        }
        if let Some(g) = self.grid {
            let width = g.width.unwrap_or(1.0);
            let mut grid = Grid::new(g.columns, g.rows);
            grid = match g.height {
                Some(height) => grid.size2(width, height),
                None => grid.size(width),
            };
            grid = grid.pattern(match g.pattern {
                None | Some(PatternSpec::Regular) => Pattern::Regular,
                Some(PatternSpec::Alternating) => Pattern::Alternating,
                Some(PatternSpec::Irregular) => {
                    Pattern::Irregular { seed: g.seed.unwrap_or_default() }
                }
            });
            if g.orient == Some(Orient::Vertical) {
                grid = grid.vertical();
            }
            return grid.build().map(Ok);
        }
        if let Some(c) = self.cylinder {
            let tube = Cylinder::new(c.radius, c.height).segments(c.around, c.along);
            return if c.closed { tube.closed().build() } else { tube.build() }.map(Ok);
        }
        if let Some(s) = self.icosphere {
            return Icosphere::new(s.subdivisions).radius(s.radius).build().map(Ok);
        }
        if let Some(t) = self.torus {
            return Torus::new(t.major, t.minor).segments(t.around, t.across).build().map(Ok);
        }
        Ok(Err(self.file.as_ref().expect("one shape was checked to be there")))
    }
}

impl SolidMesh {
    /// Generates the mesh, or returns the file that contains it.
    pub(super) fn build(&self) -> Result<Result<TetMesh, &FileShape>, Error> {
        exactly_one(&[
            ("block", self.block.is_some()),
            ("sphere", self.sphere.is_some()),
            ("ring", self.ring.is_some()),
            ("file", self.file.is_some()),
        ])?;
        if let Some(b) = self.block {
            let [nx, ny, nz] = b.cells;
            return TetBlock::new(nx, ny, nz).size(b.size).build().map(Ok);
        }
        if let Some(b) = self.sphere {
            return TetBall::new(b.layers).radius(b.radius).build().map(Ok);
        }
        if let Some(r) = self.ring {
            let section = if r.square { Section::Square } else { Section::Round };
            let ring = TetTorus::new(r.major, r.minor).cells(r.around, r.layers).section(section);
            return ring.build().map(Ok);
        }
        Ok(Err(self.file.as_ref().expect("one shape was checked to be there")))
    }
}

impl StrandMesh {
    pub(super) fn build(&self) -> Result<mesh::StrandMesh, Error> {
        exactly_one(&[("strand", self.strand.is_some()), ("points", self.points.is_some())])?;
        if let Some(points) = &self.points {
            return mesh::StrandMesh::new(points.clone());
        }
        let s = self.strand.expect("one shape was checked to be there");
        let mut strand = Strand::new(s.vertices);
        strand = match (s.length, s.radius, s.pitch, s.turns) {
            (length, None, None, None) => strand.length(length.unwrap_or(1.0)),
            (None, Some(radius), Some(pitch), Some(turns)) => strand.helix(radius, pitch, turns),
            _ => {
                return scene_error(
                    "a strand needs length, or radius, pitch and turns for a helix",
                );
            }
        };
        strand.direction(s.direction.unwrap_or([1.0, 0.0, 0.0])).build()
    }
}

impl SpringsMesh {
    /// Generates a network, which needs no file.
    pub(super) fn build(&self) -> Result<SpringNetwork, Error> {
        exactly_one(&[
            ("curtain", self.curtain.is_some()),
            ("sheet", self.sheet.is_some()),
            ("solid", self.solid.is_some()),
        ])?;
        if let Some(c) = self.curtain {
            return Curtain::new(c.vertices).size(c.width.unwrap_or(1.0)).build();
        }
        let file =
            "springs support generated meshes only; use a mesh file for a [[cloth]] or [[solid]]";
        if let Some(sheet) = &self.sheet {
            return match sheet.build()? {
                Ok(mesh) => Ok(SpringNetwork::from_tri_mesh(&mesh)),
                Err(_) => scene_error(file),
            };
        }
        match self.solid.as_ref().map(SolidMesh::build).transpose()? {
            Some(Ok(mesh)) => Ok(SpringNetwork::from_tet_mesh(&mesh)),
            _ => scene_error(file),
        }
    }
}
