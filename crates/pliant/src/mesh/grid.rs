//! Rectangular sheets: the cloth of most scenes.
//!
//! ```text
//!   0 ——— u ———> 1        Vertex (i, j) is number i + j·nx, at u = i/(nx−1), v = j/(ny−1).
//!   |  \ |  \ |  \        Horizontal (the default): u along +x, v along +z, facing +y.
//!   v ——————————          Vertical: u along +x, v along −y (hanging down from corners 0 and 1),
//!   |  \ |  \ |  \        facing +z.
//!   3 ——————————— 2
//! ```

use crate::Error;
use crate::math::{Random, Vec3};
use crate::mesh::tri::quad;
use crate::mesh::validate::{checked_vertex_count, require_at_least, require_positive};
use crate::mesh::{MeshError, TriMesh};

/// Triangulation pattern of a grid's quads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pattern {
    /// Every diagonal in the same direction, as drawn above.
    #[default]
    Regular,
    /// Diagonals alternate in a checkerboard pattern: no preferred direction.
    Alternating,
    /// Interior vertices are displaced by up to a fifth of a cell along either axis, and diagonals are chosen at
    /// random. With square cells no angle is below 15°.
    Irregular {
        /// Seed of the displacements and the diagonals: the same seed gives the same mesh.
        seed: u64,
    },
}

/// A generator of rectangular sheets, by default 1 m wide with square cells, horizontal, with
/// corner 0 at the origin.
///
/// The corners of the mesh are, in (u, v): (0, 0), (1, 0), (1, 1), (0, 1).
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Grid {
    nx: usize,
    ny: usize,
    width: f64,
    height: Option<f64>,
    pattern: Pattern,
    vertical: bool,
    origin: [f64; 3],
}

/// The largest displacement of an irregular grid's vertex, in cells.
const MAX_JITTER: f64 = 0.2;
/// A random diagonal is taken only if no angle has a larger cosine than this: 15°. The better diagonal of a cell has no
/// angle below 19.5° for any displacements.
const MAX_CORNER_COSINE: f64 = 0.965_925_826_289_068_3;

impl Grid {
    /// A sheet of `nx` × `ny` vertices, along u and v.
    pub fn new(nx: usize, ny: usize) -> Self {
        Self {
            nx,
            ny,
            width: 1.0,
            height: None,
            pattern: Pattern::Regular,
            vertical: false,
            origin: [0.0; 3],
        }
    }

    /// A square sheet of `n` × `n` vertices.
    pub fn square(n: usize) -> Self {
        Self::new(n, n)
    }

    /// The width \[m\] along u; the cells are square.
    pub fn size(mut self, width: f64) -> Self {
        self.width = width;
        self.height = None;
        self
    }

    /// The width \[m\] along u and the height \[m\] along v.
    pub fn size2(mut self, width: f64, height: f64) -> Self {
        self.width = width;
        self.height = Some(height);
        self
    }

    /// Sets the triangulation pattern of the quads.
    pub fn pattern(mut self, pattern: Pattern) -> Self {
        self.pattern = pattern;
        self
    }

    /// Puts the sheet into the xy plane, hanging down from the side v = 0.
    pub fn vertical(mut self) -> Self {
        self.vertical = true;
        self
    }

    /// The position \[m\] of corner 0.
    pub fn at(mut self, origin: [f64; 3]) -> Self {
        self.origin = origin;
        self
    }

    /// Makes the mesh.
    pub fn build(self) -> Result<TriMesh, Error> {
        let count = self.validate()?;
        let mut random = match self.pattern {
            Pattern::Irregular { seed } => Some(Random::new(seed)),
            _ => None,
        };
        let uvs = self.uvs(count, random.as_mut());
        let positions: Vec<_> = uvs.iter().map(|&uv| self.position(uv)).collect();
        let triangles = self.triangles(&positions, random.as_mut());
        let corner = |i: usize, j: usize| (i + j * self.nx) as u32;
        let (right, far) = (self.nx - 1, self.ny - 1);
        let corners = vec![corner(0, 0), corner(right, 0), corner(right, far), corner(0, far)];
        let mesh = TriMesh { positions, triangles, uvs: Some(uvs), corners };
        mesh.validate()?;
        Ok(mesh)
    }

    /// Returns the number of vertices, or an error if they cannot be generated.
    fn validate(&self) -> Result<usize, MeshError> {
        require_at_least(2, "the grid's number of vertices along u", self.nx)?;
        require_at_least(2, "the grid's number of vertices along v", self.ny)?;
        require_positive("the grid's width", self.width)?;
        require_positive("the grid's height", self.height())?;
        checked_vertex_count(&[self.nx, self.ny])
    }

    fn height(&self) -> f64 {
        let square_cells = self.width * (self.ny - 1) as f64 / (self.nx - 1) as f64;
        self.height.unwrap_or(square_cells)
    }

    fn uvs(&self, count: usize, mut random: Option<&mut Random>) -> Vec<[f64; 2]> {
        let (right, far) = (self.nx - 1, self.ny - 1);
        let mut uvs = Vec::with_capacity(count);
        for j in 0..self.ny {
            for i in 0..self.nx {
                let (mut x, mut y) = (i as f64, j as f64);
                let interior = i > 0 && i < right && j > 0 && j < far;
                if let Some(random) = random.as_mut().filter(|_| interior) {
                    x += MAX_JITTER * random.signed_unit();
                    y += MAX_JITTER * random.signed_unit();
                }
                uvs.push([x / right as f64, y / far as f64]);
            }
        }
        uvs
    }

    fn position(&self, [u, v]: [f64; 2]) -> [f64; 3] {
        let [x, y, z] = self.origin;
        let (along_u, along_v) = (u * self.width, v * self.height());
        if self.vertical { [x + along_u, y - along_v, z] } else { [x + along_u, y, z + along_v] }
    }

    fn triangles(&self, positions: &[[f64; 3]], mut random: Option<&mut Random>) -> Vec<[u32; 3]> {
        let mut triangles = Vec::with_capacity(2 * (self.nx - 1) * (self.ny - 1));
        for j in 0..self.ny - 1 {
            for i in 0..self.nx - 1 {
                let a = (i + j * self.nx) as u32;
                let d = a + self.nx as u32;
                let cell = [a, a + 1, d + 1, d];
                let rising = match (self.pattern, random.as_mut()) {
                    (Pattern::Irregular { .. }, Some(random)) => {
                        random_diagonal(positions, cell, random)
                    }
                    (Pattern::Alternating, _) => (i + j) % 2 == 0,
                    _ => true,
                };
                triangles.extend(quad(cell, rising));
            }
        }
        triangles
    }
}

/// Chooses a random diagonal, or the other one if that makes too sharp an angle.
fn random_diagonal(positions: &[[f64; 3]], cell: [u32; 4], random: &mut Random) -> bool {
    let sharpest = |rising: bool| {
        let pair = quad(cell, rising).map(|t| t.map(|v| positions[v as usize]));
        sharpest_cosine(pair[0]).max(sharpest_cosine(pair[1]))
    };
    let rising = random.next_bool();
    let cosine = sharpest(rising);
    if cosine > MAX_CORNER_COSINE && sharpest(!rising) < cosine { !rising } else { rising }
}

/// Returns the cosine of a triangle's smallest angle.
fn sharpest_cosine(points: [[f64; 3]; 3]) -> f64 {
    let p = points.map(Vec3::<f64>::of);
    let cosine = |k: usize| {
        let (u, v) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
        u.dot(v) / (u.norm() * v.norm())
    };
    cosine(0).max(cosine(1)).max(cosine(2))
}

impl TryFrom<Grid> for TriMesh {
    type Error = Error;
    fn try_from(grid: Grid) -> Result<Self, Error> {
        grid.build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::acos;
    use crate::mesh::measure::{triangle_areas, triangle_normal};

    const ALL: [Pattern; 3] =
        [Pattern::Regular, Pattern::Alternating, Pattern::Irregular { seed: 42 }];

    #[test]
    fn counts_areas_corners_and_uvs() {
        for pattern in ALL {
            let mesh = Grid::new(7, 4).size2(3.0, 2.0).pattern(pattern).build().unwrap();
            assert_eq!((mesh.positions.len(), mesh.triangles.len()), (28, 36));
            let areas = triangle_areas(&mesh);
            assert!((areas.iter().sum::<f64>() - 6.0).abs() < 1e-14);
            assert_eq!(mesh.corners, [0, 6, 27, 21]);
            let uvs = mesh.uvs.as_ref().unwrap();
            let corner_uvs: Vec<_> = mesh.corners.iter().map(|&c| uvs[c as usize]).collect();
            assert_eq!(corner_uvs, [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]);
            for (p, uv) in mesh.positions.iter().zip(uvs) {
                assert_eq!(*p, [3.0 * uv[0], 0.0, 2.0 * uv[1]]);
            }
        }
    }

    #[test]
    fn horizontal_faces_up_and_vertical_hangs_down() {
        for pattern in ALL {
            let grid = Grid::square(5).size(2.0).pattern(pattern).at([1.0, 2.0, 3.0]);
            let mesh = grid.clone().build().unwrap();
            let corner = |mesh: &TriMesh, k: usize| mesh.positions[mesh.corners[k] as usize];
            assert_eq!(corner(&mesh, 0), [1.0, 2.0, 3.0]);
            assert_eq!(corner(&mesh, 1), [3.0, 2.0, 3.0]);
            assert_eq!(corner(&mesh, 2), [3.0, 2.0, 5.0]);
            let hung = grid.vertical().build().unwrap();
            assert_eq!(corner(&hung, 1), [3.0, 2.0, 3.0]);
            assert_eq!(corner(&hung, 2), [3.0, 0.0, 3.0]);
            for t in 0..mesh.triangles.len() {
                assert_eq!(triangle_normal(mesh.triangle_points(t)), [0.0, 1.0, 0.0]);
                assert_eq!(triangle_normal(hung.triangle_points(t)), [0.0, 0.0, 1.0]);
            }
        }
    }

    #[test]
    fn one_size_makes_square_cells() {
        let mesh = Grid::new(5, 3).size(2.0).build().unwrap();
        assert_eq!(mesh.positions[mesh.corners[2] as usize], [2.0, 0.0, 1.0]);
    }

    #[test]
    fn alternating_diagonals_form_a_chessboard() {
        let mesh = Grid::square(3).pattern(Pattern::Alternating).build().unwrap();
        let centre = mesh.triangles.iter().filter(|t| t.contains(&4)).count();
        assert_eq!(centre, 8); // all four diagonals meet in the middle
    }

    #[test]
    fn irregular_grids_depend_on_the_seed_alone_and_have_no_sharp_angles() {
        let grid = |seed| Grid::square(20).pattern(Pattern::Irregular { seed });
        assert_eq!(grid(1).build(), grid(1).build());
        assert_ne!(grid(1).build(), grid(2).build());
        let mut sharpest = -1.0_f64;
        for seed in 0..40 {
            let mesh = grid(seed).build().unwrap();
            for t in 0..mesh.triangles.len() {
                sharpest = sharpest.max(sharpest_cosine(mesh.triangle_points(t)));
            }
        }
        let degrees = acos(sharpest).to_degrees();
        assert!(degrees > 15.0, "{degrees}°"); // measured 15.9
    }

    #[test]
    fn impossible_grids_are_refused() {
        let refusal = |grid: Grid| match grid.build() {
            Err(Error::Mesh(error)) => error,
            other => panic!("{other:?}"),
        };
        assert!(matches!(
            refusal(Grid::square(1)),
            MeshError::Resolution { found: 1, least: 2, .. }
        ));
        assert!(matches!(refusal(Grid::new(3, 0)), MeshError::Resolution { found: 0, .. }));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(refusal(Grid::square(3).size(bad)), MeshError::Size { .. }));
            assert!(matches!(refusal(Grid::square(3).size2(1.0, bad)), MeshError::Size { .. }));
        }
        assert!(matches!(
            refusal(Grid::square(usize::MAX)),
            MeshError::TooManyVertices { vertices: None, .. }
        ));
        assert!(matches!(
            refusal(Grid::square(3).at([f64::NAN, 0.0, 0.0])),
            MeshError::NotFinite { vertex: 0 }
        ));
        // So small that areas vanish in double precision.
        assert!(matches!(
            refusal(Grid::square(3).size(1e-200)),
            MeshError::DegenerateTriangle { triangle: 0, .. }
        ));
    }
}
