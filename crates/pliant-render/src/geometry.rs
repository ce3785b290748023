//! One list of vertices and triangles for all that is in the scene, ready to be projected.

use crate::color::linear;
use crate::scene::{Mesh, Paint, Scene};
use crate::stage::Camera;
use crate::vector::{Vec3, add, cross, dot, is_finite, norm, scale, sub, unit};

/// A vertex with all that shading interpolates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vertex {
    pub position: Vec3,
    pub normal: Vec3,
    /// Linear light.
    pub color: Vec3,
    /// Positive in a valley of the front, negative on a ridge; about −1 to 1.
    pub hollow: f32,
}

/// What a triangle is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Material {
    /// The back's own colour, in linear light.
    pub back: Option<Vec3>,
    pub wire: f32,
    pub gloss: f32,
    /// Lines always face the eye.
    pub line: bool,
    /// Only fronts are there.
    pub one_sided: bool,
    pub casts: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub corners: [u32; 3],
    pub material: u32,
}

/// Everything in the scene.
#[derive(Default)]
pub(crate) struct Geometry {
    pub vertices: Vec<Vertex>,
    pub faces: Vec<Face>,
    pub materials: Vec<Material>,
}

impl Geometry {
    /// Gathers the scene. `size` \[m\] is that of the stage; `pixel` is a pixel's width at one metre.
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
            Paint::Sides { front, back } => (linear(front), Some(linear(back))),
            Paint::Vertices(_) => ([0.5; 3], None),
        };
        let (wire, gloss) = (mesh.wire.clamp(0.0, 1.0), mesh.gloss.clamp(0.0, 1.0));
        let (one_sided, casts) = (mesh.one_sided, mesh.casts);
        self.materials.push(Material { back, wire, gloss, line: false, one_sided, casts });

        let sound = |t: &[u32; 3]| {
            t.iter().all(|&v| mesh.positions.get(v as usize).is_some_and(|p| is_finite(*p)))
        };
        let mut triangles = mesh.triangles.iter().filter(|t| sound(t));
        let color_of = |v: usize| match mesh.paint {
            Paint::Vertices(colors) => colors.get(v).map_or(front, |c| linear(*c)),
            Paint::Sides { .. } => front,
        };
        if mesh.smooth {
            let normals = normals(mesh.positions, triangles.clone());
            let hollows = hollows(mesh.positions, &normals, triangles.clone(), size);
            for (v, position) in mesh.positions.iter().enumerate() {
                let (normal, hollow, color) = (normals[v], hollows[v], color_of(v));
                self.vertices.push(Vertex { position: *position, normal, color, hollow });
            }
            let faces = triangles.map(|t| Face { corners: t.map(|v| v + base as u32), material });
            self.faces.extend(faces);
        } else {
            for t in &mut triangles {
                let p = t.map(|v| mesh.positions[v as usize]);
                let normal = unit(cross(sub(p[1], p[0]), sub(p[2], p[0])), [0.0, 1.0, 0.0]);
                let first = self.vertices.len() as u32;
                for (k, &v) in t.iter().enumerate() {
                    let color = color_of(v as usize);
                    self.vertices.push(Vertex { position: p[k], normal, color, hollow: 0.0 });
                }
                self.faces.push(Face { corners: [first, first + 1, first + 2], material });
            }
        }
    }
}

/// Normals at vertices: the sum of the triangles' normals, weighted by area.
fn normals<'t>(positions: &[Vec3], triangles: impl Iterator<Item = &'t [u32; 3]>) -> Vec<Vec3> {
    let mut normals = vec![[0.0; 3]; positions.len()];
    for t in triangles {
        let p = t.map(|v| positions[v as usize]);
        let n = cross(sub(p[1], p[0]), sub(p[2], p[0]));
        for &v in t {
            normals[v as usize] = add(normals[v as usize], n);
        }
    }
    for n in &mut normals {
        *n = unit(*n, [0.0, 1.0, 0.0]);
    }
    normals
}

/// How much the surface around each vertex bends towards its normal: mean curvature times a
/// twentieth of the stage, averaged once over the neighbours. Valleys see less of the sky.
fn hollows<'t>(
    positions: &[Vec3],
    normals: &[Vec3],
    triangles: impl Iterator<Item = &'t [u32; 3]> + Clone,
    size: f32,
) -> Vec<f32> {
    // Curvature along an edge d at a vertex with normal n is 2 n·d / |d|².
    let mut sum = vec![(0.0_f32, 0.0_f32); positions.len()];
    for t in triangles.clone() {
        for k in 0..3 {
            let (a, b) = (t[k] as usize, t[(k + 1) % 3] as usize);
            let d = sub(positions[b], positions[a]);
            let l2 = dot(d, d).max(1e-20);
            for (v, bend) in [(a, dot(normals[a], d)), (b, -dot(normals[b], d))] {
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

/// The point and its normal on the way from `a` to `b`.
pub(crate) fn between(a: &Vertex, b: &Vertex, t: f32) -> Vertex {
    let mix = crate::vector::mix;
    let normal = mix(a.normal, b.normal, t);
    Vertex {
        position: mix(a.position, b.position, t),
        normal: if norm(normal) > 0.0 { normal } else { scale(a.normal, 1.0) },
        color: mix(a.color, b.color, t),
        hollow: a.hollow + t * (b.hollow - a.hollow),
    }
}
