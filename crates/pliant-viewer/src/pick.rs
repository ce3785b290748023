//! Picking: the vertex of a triangle or strand of the last frame under the pointer.

use egui::{Pos2, Rect};
use glam::Vec3;

use crate::camera::{Camera, Ray};

/// Geometry that can be picked.
#[derive(Clone, Copy, Debug)]
pub struct PickTarget<'a> {
    /// Positions of its drawn vertices \[m\].
    pub positions: &'a [[f32; 3]],
    /// Triangles; none for a strand.
    pub triangles: &'a [[u32; 3]],
    /// True if its vertices can be grabbed; other targets still occlude what is behind them.
    pub movable: bool,
}

/// A picked vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// Index of the target.
    pub body: usize,
    /// Index of the drawn vertex.
    pub vertex: u32,
    /// Position \[m\].
    pub position: [f32; 3],
    /// Distance from the eye \[m\].
    pub distance: f32,
}

/// The nearest vertex of the first target hit by the ray through `at`. If the ray hits nothing, a vertex
/// within `reach` points on the screen: strands are thin, and fingers are wide.
pub fn pick(
    camera: &Camera,
    at: Pos2,
    picture: Rect,
    candidates: &[PickTarget<'_>],
    reach: f32,
) -> Option<Picked> {
    let ray = camera.ray(at, picture);
    let mut nearest = f32::INFINITY;
    let mut found = None;
    for (body, candidate) in candidates.iter().enumerate() {
        let Some((t, triangle)) = first_triangle_hit(ray, candidate) else { continue };
        if t < nearest {
            nearest = t;
            let hit = ray.origin + ray.direction * t;
            found = candidate.movable.then(|| {
                let corner = |v: &u32| Vec3::from(candidate.positions[*v as usize]);
                let away = |v: &u32| (corner(v) - hit).length_squared();
                let closest = triangle.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
                let vertex = *closest.unwrap_or(&triangle[0]);
                let place = candidate.positions[vertex as usize];
                Picked { body, vertex, position: place, distance: t }
            });
        }
    }
    found.or_else(|| nearest_vertex_on_screen(camera, at, picture, candidates, reach, nearest))
}

/// Ray parameter of the first triangle hit, and its vertices.
fn first_triangle_hit(ray: Ray, candidate: &PickTarget<'_>) -> Option<(f32, [u32; 3])> {
    let mut best: Option<(f32, [u32; 3])> = None;
    for triangle in candidate.triangles {
        let at = |k: usize| candidate.positions.get(triangle[k] as usize).map(|p| Vec3::from(*p));
        let (Some(a), Some(b), Some(c)) = (at(0), at(1), at(2)) else { continue };
        if let Some(t) = intersect_triangle(ray, a, b, c)
            && best.is_none_or(|(nearest, _)| t < nearest)
        {
            best = Some((t, *triangle));
        }
    }
    best
}

/// Möller–Trumbore intersection test, two-sided.
fn intersect_triangle(ray: Ray, a: Vec3, b: Vec3, c: Vec3) -> Option<f32> {
    let (ab, ac) = (b - a, c - a);
    let across = ray.direction.cross(ac);
    let det = ab.dot(across);
    if det.abs() < 1e-20 {
        return None;
    }
    let from = ray.origin - a;
    let u = from.dot(across) / det;
    let turned = from.cross(ab);
    let v = ray.direction.dot(turned) / det;
    let t = ac.dot(turned) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0).then_some(t)
}

/// The movable vertex nearest to a point on the screen, unless it is occluded.
fn nearest_vertex_on_screen(
    camera: &Camera,
    at: Pos2,
    picture: Rect,
    candidates: &[PickTarget<'_>],
    reach: f32,
    hidden_from: f32,
) -> Option<Picked> {
    let mut best: Option<(f32, Picked)> = None;
    for (body, candidate) in candidates.iter().enumerate().filter(|(_, c)| c.movable) {
        for (vertex, &place) in candidate.positions.iter().enumerate() {
            let Some((shown, distance)) = camera.project(place, picture) else { continue };
            let away = shown.distance(at);
            if away > reach || distance > 1.02 * hidden_from {
                continue;
            }
            if best.is_none_or(|(nearest, _)| away < nearest) {
                best =
                    Some((away, Picked { body, vertex: vertex as u32, position: place, distance }));
            }
        }
    }
    best.map(|(_, picked)| picked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Vec2, pos2};

    const SQUARE: [[f32; 3]; 4] =
        [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    const BEHIND: [[f32; 3]; 3] = [[-1.0, -1.0, -1.0], [1.0, -1.0, -1.0], [0.0, 1.0, -1.0]];

    fn view() -> (Camera, Rect) {
        let rect = Rect::from_min_size(pos2(0.0, 0.0), Vec2::new(640.0, 480.0));
        let mut camera = Camera { yaw: 0.0, pitch: 0.0, ..Camera::default() };
        camera.frame([-1.0, -1.0, -1.0], [1.0; 3], rect.aspect_ratio());
        (camera, rect)
    }

    fn candidates(movable: bool) -> [PickTarget<'static>; 2] {
        let triangles: &[[u32; 3]] = &[[0, 1, 2]];
        let front = PickTarget { positions: &SQUARE, triangles: &[[0, 1, 2], [0, 2, 3]], movable };
        [PickTarget { positions: &BEHIND, triangles, movable: true }, front]
    }

    #[test]
    fn the_corner_under_the_pointer_is_taken_from_the_body_in_front() {
        let (camera, rect) = view();
        let (at, _) = camera.project([0.9, 0.8, 0.0], rect).expect("seen");
        let picked = pick(&camera, at, rect, &candidates(true), 10.0).expect("hit");
        assert_eq!((picked.body, picked.vertex), (1, 2));
    }

    #[test]
    fn what_cannot_be_moved_hides_what_is_behind() {
        let (camera, rect) = view();
        assert_eq!(pick(&camera, rect.center(), rect, &candidates(false), 10.0), None);
    }

    #[test]
    fn a_thin_strand_is_found_near_the_pointer() {
        let (camera, rect) = view();
        let strand = PickTarget { positions: &SQUARE, triangles: &[], movable: true };
        let (at, _) = camera.project(SQUARE[3], rect).expect("seen");
        let near = at + Vec2::new(6.0, -5.0);
        assert_eq!(pick(&camera, near, rect, &[strand], 12.0).map(|p| p.vertex), Some(3));
        assert_eq!(pick(&camera, near, rect, &[strand], 4.0), None);
    }
}
