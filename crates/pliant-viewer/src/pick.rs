//! What is under the pointer: the vertex of a triangle or strand of the last frame that a ray meets.

use egui::{Pos2, Rect};
use glam::Vec3;

use crate::camera::{Camera, Ray};

/// Something that can be picked.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Where its shown vertices are \[m\].
    pub positions: &'a [[f32; 3]],
    /// Its triangles; none of a strand.
    pub triangles: &'a [[u32; 3]],
    /// Whether its vertices can be taken; what cannot still hides what is behind it.
    pub movable: bool,
}

/// What was picked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Picked {
    /// Which of the candidates.
    pub body: usize,
    /// Which of its shown vertices.
    pub vertex: u32,
    /// Where that is \[m\].
    pub place: [f32; 3],
    /// How far from the eye \[m\].
    pub distance: f32,
}

/// The nearest vertex of what the ray through `at` meets first. Where it meets nothing, a vertex within
/// `reach` points of it on the picture: strands are thin, and fingers are wide.
pub fn pick(
    camera: &Camera,
    at: Pos2,
    picture: Rect,
    candidates: &[Candidate<'_>],
    reach: f32,
) -> Option<Picked> {
    let ray = camera.ray(at, picture);
    let mut nearest = f32::INFINITY;
    let mut found = None;
    for (body, candidate) in candidates.iter().enumerate() {
        let Some((t, triangle)) = first_hit(ray, candidate) else { continue };
        if t < nearest {
            nearest = t;
            let hit = ray.from + ray.along * t;
            found = candidate.movable.then(|| {
                let corner = |v: &u32| Vec3::from(candidate.positions[*v as usize]);
                let away = |v: &u32| (corner(v) - hit).length_squared();
                let closest = triangle.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
                let vertex = *closest.unwrap_or(&triangle[0]);
                let place = candidate.positions[vertex as usize];
                Picked { body, vertex, place, distance: t }
            });
        }
    }
    found.or_else(|| near_point(camera, at, picture, candidates, reach, nearest))
}

/// How far along the ray the first triangle is, and which.
fn first_hit(ray: Ray, candidate: &Candidate<'_>) -> Option<(f32, [u32; 3])> {
    let mut best: Option<(f32, [u32; 3])> = None;
    for triangle in candidate.triangles {
        let at = |k: usize| candidate.positions.get(triangle[k] as usize).map(|p| Vec3::from(*p));
        let (Some(a), Some(b), Some(c)) = (at(0), at(1), at(2)) else { continue };
        if let Some(t) = meets(ray, a, b, c)
            && best.is_none_or(|(nearest, _)| t < nearest)
        {
            best = Some((t, *triangle));
        }
    }
    best
}

/// Möller and Trumbore's test, from both sides.
fn meets(ray: Ray, a: Vec3, b: Vec3, c: Vec3) -> Option<f32> {
    let (ab, ac) = (b - a, c - a);
    let across = ray.along.cross(ac);
    let det = ab.dot(across);
    if det.abs() < 1e-20 {
        return None;
    }
    let from = ray.from - a;
    let u = from.dot(across) / det;
    let turned = from.cross(ab);
    let v = ray.along.dot(turned) / det;
    let t = ac.dot(turned) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0).then_some(t)
}

/// The movable vertex nearest to a point of the picture, before what hides it.
fn near_point(
    camera: &Camera,
    at: Pos2,
    picture: Rect,
    candidates: &[Candidate<'_>],
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
                best = Some((away, Picked { body, vertex: vertex as u32, place, distance }));
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

    fn candidates(movable: bool) -> [Candidate<'static>; 2] {
        let triangles: &[[u32; 3]] = &[[0, 1, 2]];
        let front = Candidate { positions: &SQUARE, triangles: &[[0, 1, 2], [0, 2, 3]], movable };
        [Candidate { positions: &BEHIND, triangles, movable: true }, front]
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
        let strand = Candidate { positions: &SQUARE, triangles: &[], movable: true };
        let (at, _) = camera.project(SQUARE[3], rect).expect("seen");
        let near = at + Vec2::new(6.0, -5.0);
        assert_eq!(pick(&camera, near, rect, &[strand], 12.0).map(|p| p.vertex), Some(3));
        assert_eq!(pick(&camera, near, rect, &[strand], 4.0), None);
    }
}
