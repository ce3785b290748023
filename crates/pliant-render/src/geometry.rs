//! Combined list of the vertices and triangles of a scene, ready for projection.

use std::collections::BTreeMap;

use crate::color::linear;
use crate::pattern::Motif;
use crate::scene::{Mesh, Paint, Scene};
use crate::vector::{Vec3, is_finite, mix, unit};
use crate::view_setup::Camera;

/// A vertex with all attributes that shading interpolates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    pub position: Vec3,
    pub normal: Vec3,
    /// Colour in linear light.
    pub color: Vec3,
    /// Positive in a valley of the front side, negative on a ridge; about −1 to 1.
    pub concavity: f32,
    /// Position in the pattern, in periods.
    pub pattern: [f32; 2],
}

/// Second colour of a material, in linear light, and its pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MaterialPattern {
    pub motif: Motif,
    pub color: Vec3,
}

/// Material of a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Material {
    /// Colour of the back, in linear light, if it differs.
    pub back: Option<Vec3>,
    pub pattern: Option<MaterialPattern>,
    pub wire: f32,
    pub gloss: f32,
    /// True for lines, which always face the camera.
    pub line: bool,
    /// True if only front faces are visible.
    pub one_sided: bool,
    pub casts_shadow: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub corners: [u32; 3],
    pub material: u32,
}

/// Geometry of the whole scene.
#[derive(Default)]
pub(crate) struct Geometry {
    pub vertices: Vec<Vertex>,
    pub faces: Vec<Face>,
    pub materials: Vec<Material>,
}

impl Geometry {
    /// Collects the geometry of the scene. `size` \[m\] is that of the view; `pixel` is the width of a pixel at
    /// a distance of one metre.
    pub(crate) fn gather(&mut self, scene: &Scene, camera: &Camera, size: f32, pixel: f32) {
        self.vertices.clear();
        self.faces.clear();
        self.materials.clear();
        for mesh in &scene.meshes {
            self.mesh(mesh, size);
        }
        for lines in &scene.lines {
            self.lines(lines, camera, pixel);
        }
    }

    fn mesh(&mut self, mesh: &Mesh, size: f32) {
        let base = self.vertices.len();
        let material = self.materials.len() as u32;
        let (front, back) = match mesh.paint {
            Paint::Sides { front, back } => (linear(front).into(), Some(linear(back).into())),
            Paint::Vertices(_) => (Vec3::splat(0.5), None),
        };
        let (wire, gloss) = (mesh.wire.clamp(0.0, 1.0), mesh.gloss.clamp(0.0, 1.0));
        let (one_sided, casts) = (mesh.one_sided, mesh.casts_shadow);
        let pattern = mesh.pattern.map(|p| {
            let color = linear(p.color).into();
            MaterialPattern { motif: p.motif, color }
        });
        self.materials.push(Material {
            back,
            pattern,
            wire,
            gloss,
            line: false,
            one_sided,
            casts_shadow: casts,
        });

        let sound =
            |t: &[u32; 3]| t.iter().all(|&v| mesh.positions.get(v as usize).is_some_and(is_finite));
        let triangles = mesh.triangles.iter().filter(|t| sound(t));
        let place = |triangle: usize, corner: usize| {
            let Some(p) = mesh.pattern else { return [0.0; 2] };
            let number = p.corners.get(triangle).map_or(0, |c| c[corner] as usize);
            let [u, v] = p.uvs.get(number).copied().unwrap_or_default();
            [u * p.repeat[0], v * p.repeat[1]]
        };
        let color_of = |v: usize| match mesh.paint {
            Paint::Vertices(colors) => colors.get(v).map_or(front, |c| linear(*c).into()),
            Paint::Sides { .. } => front,
        };
        if mesh.smooth {
            let normals = normals(mesh.positions, triangles.clone());
            let hollows = concavities(mesh.positions, &normals, triangles.clone(), size);
            for (v, position) in mesh.positions.iter().enumerate() {
                let (normal, hollow, color) = (normals[v], hollows[v], color_of(v));
                self.vertices.push(Vertex {
                    position: (*position).into(),
                    normal,
                    color,
                    concavity: hollow,
                    pattern: [0.0; 2],
                });
            }
            let first = self.faces.len();
            let faces = triangles.map(|t| Face { corners: t.map(|v| v + base as u32), material });
            self.faces.extend(faces);
            if mesh.pattern.is_some() {
                let numbers = (0..mesh.triangles.len()).filter(|&t| sound(&mesh.triangles[t]));
                self.place_pattern(first, numbers, place);
            }
        } else {
            for (number, t) in mesh.triangles.iter().enumerate().filter(|(_, t)| sound(t)) {
                let p = t.map(|v| Vec3::from(mesh.positions[v as usize]));
                let normal = unit((p[1] - p[0]).cross(p[2] - p[0]), Vec3::Y);
                let first = self.vertices.len() as u32;
                for (k, &v) in t.iter().enumerate() {
                    let (color, pattern) = (color_of(v as usize), place(number, k));
                    let (position, concavity) = (p[k], 0.0);
                    self.vertices.push(Vertex { position, normal, color, concavity, pattern });
                }
                self.faces.push(Face { corners: [first, first + 1, first + 2], material });
            }
        }
    }

    /// Sets the places of the vertices in the pattern, for the faces from `first` on, which are the triangles of
    /// these numbers. A vertex on a seam, with several places, is duplicated.
    fn place_pattern(
        &mut self,
        first: usize,
        triangles: impl Iterator<Item = usize>,
        place: impl Fn(usize, usize) -> [f32; 2],
    ) {
        let mut placed = vec![false; self.vertices.len()];
        let mut twins = BTreeMap::new();
        for (face, triangle) in self.faces[first..].iter_mut().zip(triangles) {
            for (corner, vertex) in face.corners.iter_mut().enumerate() {
                let (own, at) = (*vertex as usize, place(triangle, corner));
                if !placed[own] || self.vertices[own].pattern == at {
                    self.vertices[own].pattern = at;
                    placed[own] = true;
                    continue;
                }
                let vertices = &mut self.vertices;
                *vertex = *twins.entry((own, at.map(f32::to_bits))).or_insert_with(|| {
                    vertices.push(Vertex { pattern: at, ..vertices[own] });
                    vertices.len() as u32 - 1
                });
            }
        }
    }
}

/// Vertex normals: the area-weighted sum of the triangles' normals.
fn normals<'t>(positions: &[[f32; 3]], triangles: impl Iterator<Item = &'t [u32; 3]>) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for t in triangles {
        let p = t.map(|v| Vec3::from(positions[v as usize]));
        let n = (p[1] - p[0]).cross(p[2] - p[0]);
        for &v in t {
            normals[v as usize] += n;
        }
    }
    for n in &mut normals {
        *n = unit(*n, Vec3::Y);
    }
    normals
}

/// Concavity at each vertex, the bend of the surface towards its normal: mean curvature times a twentieth of
/// the view's size, averaged once over the neighbours. Valleys receive less light from the sky.
fn concavities<'t>(
    positions: &[[f32; 3]],
    normals: &[Vec3],
    triangles: impl Iterator<Item = &'t [u32; 3]> + Clone,
    size: f32,
) -> Vec<f32> {
    // Curvature along an edge d at a vertex with normal n is 2 n·d / |d|².
    let mut sum = vec![(0.0_f32, 0.0_f32); positions.len()];
    for t in triangles.clone() {
        for k in 0..3 {
            let (a, b) = (t[k] as usize, t[(k + 1) % 3] as usize);
            let d = Vec3::from(positions[b]) - Vec3::from(positions[a]);
            let l2 = d.length_squared().max(1e-20);
            for (v, bend) in [(a, normals[a].dot(d)), (b, -normals[b].dot(d))] {
                sum[v].0 += 2.0 * bend / l2;
                sum[v].1 += 1.0;
            }
        }
    }
    let raw: Vec<f32> =
        sum.iter().map(|(s, n)| (s / n.max(1.0) * 0.05 * size).clamp(-1.5, 1.5)).collect();
    let mut smooth: Vec<(f32, f32)> = raw.iter().map(|&r| (r, 1.0)).collect();
    for t in triangles {
        let mean = t.iter().map(|&v| raw[v as usize]).sum::<f32>();
        for &v in t {
            smooth[v as usize].0 += mean;
            smooth[v as usize].1 += 3.0;
        }
    }
    smooth.iter().map(|(s, n)| s / n).collect()
}

/// Interpolates the point and its normal from `a` to `b`.
pub(crate) fn interpolate(a: &Vertex, b: &Vertex, t: f32) -> Vertex {
    let normal = mix(a.normal, b.normal, t);
    Vertex {
        position: mix(a.position, b.position, t),
        normal: if normal.length() > 0.0 { normal } else { a.normal },
        color: mix(a.color, b.color, t),
        concavity: a.concavity + t * (b.concavity - a.concavity),
        pattern: [0, 1].map(|k| a.pattern[k] + t * (b.pattern[k] - a.pattern[k])),
    }
}
