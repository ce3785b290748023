//! The pointer on the picture: pulling, pinning, throwing, cutting, and moving the eye.

use egui::{PointerButton, Pos2, Rect, Response, Vec2};
use glam::Vec3;
use pliant_session::Command;

use crate::action::Tool;
use crate::camera::Camera;
use crate::graphics::shot::Shape;
use crate::pick::{Candidate, Picked, pick};
use crate::world::World;

/// A press that moves less than this is a click, in points.
const CLICK: f32 = 5.0;
/// How near a pointer or a finger must be to a vertex, in points.
const REACH: f32 = 18.0;

/// A ball to be thrown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its radius in parts of the scene's size.
    pub radius: f32,
    /// Its speed \[m/s\].
    pub speed: f32,
    /// Its density \[kg/m³\].
    pub density: f32,
}

impl Default for Ball {
    fn default() -> Self {
        Self { radius: 0.05, speed: 4.0, density: 300.0 }
    }
}

/// What the pointer is doing.
#[derive(Clone, Debug, Default)]
enum Doing {
    #[default]
    Nothing,
    /// Holds a vertex, since it was pressed here.
    Pulling { picked: Picked, pressed: Pos2, moved: bool },
    /// Turns the view.
    Turning,
    /// Moves the view.
    Moving,
    /// Cuts along these points of the picture.
    Cutting(Vec<Pos2>),
}

/// The pointer and what it does.
#[derive(Default)]
pub struct Hand {
    /// The tool that is chosen.
    pub tool: Tool,
    /// What is thrown.
    pub ball: Ball,
    /// Vertices that were taken so far: the first hint goes away with the first.
    pub grabs: u64,
    doing: Doing,
    picture: Option<Rect>,
}

/// One of the pictures, and what is in it.
pub struct Scene<'a> {
    /// What is known.
    pub world: &'a World,
    /// Where the bodies are in this picture.
    pub shape: &'a Shape,
    /// Where the picture is.
    pub rect: Rect,
    /// Whether its vertices have the numbers that the simulation knows them by.
    pub known: bool,
}

impl Hand {
    /// The points of the stroke that is being cut.
    pub fn stroke(&self) -> &[Pos2] {
        match &self.doing {
            Doing::Cutting(points) => points,
            _ => &[],
        }
    }

    /// The vertex that is held, and where it was when it was taken.
    pub fn held(&self) -> Option<Picked> {
        match &self.doing {
            Doing::Pulling { picked, .. } => Some(*picked),
            _ => None,
        }
    }

    /// Lets go of everything.
    pub fn open(&mut self) -> Option<Command> {
        let was = std::mem::take(&mut self.doing);
        matches!(was, Doing::Pulling { .. }).then_some(Command::Release)
    }

    /// Follows the pointer over one picture; adds what the simulation must be told.
    pub fn follow(
        &mut self,
        response: &Response,
        scene: &Scene<'_>,
        camera: &mut Camera,
        out: &mut Vec<Command>,
    ) {
        let ctx = &response.ctx;
        let input = |f: &dyn Fn(&egui::InputState) -> bool| ctx.input(|i| f(i));
        let pointer = ctx.input(|i| i.pointer.latest_pos());

        // Two fingers move and turn the eye.
        if let Some(touch) = ctx.input(egui::InputState::multi_touch) {
            out.extend(self.open());
            if response.rect.contains(touch.center_pos) {
                camera.zoom(touch.zoom_delta);
                camera.orbit(touch.translation_delta);
            }
            return;
        }
        if response.contains_pointer() {
            let scroll = ctx.input(|i| i.smooth_scroll_delta.y);
            let pinch = ctx.input(egui::InputState::zoom_delta);
            if scroll != 0.0 || pinch != 1.0 {
                camera.zoom((0.0025 * scroll).exp() * pinch);
            }
        }
        let Some(at) = pointer else {
            out.extend(self.open());
            return;
        };
        let pressed = |button| input(&move |i| i.pointer.button_pressed(button));
        if response.contains_pointer() && matches!(self.doing, Doing::Nothing) {
            let shift = ctx.input(|i| i.modifiers.shift);
            if pressed(PointerButton::Primary) {
                self.press(at, scene, camera, out);
                self.picture = Some(scene.rect);
            } else if pressed(PointerButton::Middle) || (pressed(PointerButton::Secondary) && shift)
            {
                (self.doing, self.picture) = (Doing::Moving, Some(scene.rect));
            } else if pressed(PointerButton::Secondary) {
                (self.doing, self.picture) = (Doing::Turning, Some(scene.rect));
            }
        }
        if self.picture == Some(scene.rect) {
            let by = ctx.input(|i| i.pointer.delta());
            self.drag(at, by, scene.rect, camera, out);
            if !ctx.input(|i| i.pointer.any_down()) {
                self.release(scene, camera, out);
            }
        }
    }

    fn press(&mut self, at: Pos2, scene: &Scene<'_>, camera: &Camera, out: &mut Vec<Command>) {
        let picked = under(at, scene, camera);
        self.doing = match (self.tool, picked) {
            (Tool::Drag, Some(picked)) => {
                self.grabs += 1;
                out.push(Command::Grab { vertex: picked.vertex, target: picked.place });
                Doing::Pulling { picked, pressed: at, moved: false }
            }
            (Tool::Pin, Some(picked)) => {
                out.push(toggle_pin(scene.world, picked.vertex));
                Doing::Turning
            }
            (Tool::Ball, _) => {
                out.push(self.throw(at, scene, camera, picked));
                Doing::Nothing
            }
            (Tool::Cut, _) => Doing::Cutting(vec![at]),
            _ => Doing::Turning,
        };
    }

    fn drag(
        &mut self,
        at: Pos2,
        by: Vec2,
        rect: Rect,
        camera: &mut Camera,
        out: &mut Vec<Command>,
    ) {
        match &mut self.doing {
            Doing::Nothing => {}
            Doing::Pulling { picked, pressed, moved } => {
                *moved |= pressed.distance(at) > CLICK;
                if *moved && by != Vec2::ZERO {
                    let target = camera.on_plane(camera.ray(at, rect), picked.place);
                    out.push(Command::Drag { target });
                }
            }
            Doing::Turning => camera.orbit(by),
            Doing::Moving => camera.pan(by, rect.height()),
            Doing::Cutting(points) => {
                if points.last().is_none_or(|last| last.distance(at) > 6.0) {
                    points.push(at);
                }
            }
        }
    }

    fn release(&mut self, scene: &Scene<'_>, camera: &Camera, out: &mut Vec<Command>) {
        match std::mem::take(&mut self.doing) {
            Doing::Pulling { picked, moved, .. } => {
                out.push(Command::Release);
                if !moved {
                    out.push(toggle_pin(scene.world, picked.vertex));
                }
            }
            Doing::Cutting(points) => {
                let blade = |at: &Pos2| {
                    let ray = camera.ray(*at, scene.rect);
                    let far = camera.distance + 2.0 * camera.size;
                    [0.02 * camera.distance, far].map(|t| (ray.from + ray.along * t).into())
                };
                for pair in straightened(&points).windows(2) {
                    out.push(Command::Cut { from: blade(&pair[0]), to: blade(&pair[1]) });
                }
            }
            _ => {}
        }
        self.picture = None;
    }

    /// A ball from beside the eye toward what is under the pointer.
    fn throw(&self, at: Pos2, scene: &Scene<'_>, camera: &Camera, hit: Option<Picked>) -> Command {
        let ray = camera.ray(at, scene.rect);
        let radius = self.ball.radius * camera.size;
        let reach = hit.map_or(camera.distance, |h| h.distance);
        // It starts a little before what it is thrown at, so that it is seen to fly.
        let start = (reach - 0.9 * camera.size).max(0.25 * reach);
        let from: Vec3 = ray.from + ray.along * start;
        let velocity = ray.along * self.ball.speed;
        Command::Throw {
            from: from.into(),
            velocity: velocity.into(),
            radius,
            density: self.ball.density,
        }
    }
}

/// The vertex under a point of a picture, numbered as all drawn vertices are.
pub fn under(at: Pos2, scene: &Scene<'_>, camera: &Camera) -> Option<Picked> {
    use pliant_session::protocol::BodyKind;
    if !scene.known {
        return None;
    }
    let bodies = scene.world.bodies();
    let places = &scene.shape.positions;
    let mut ranges = Vec::new();
    let mut local: Vec<Vec<[u32; 3]>> = Vec::new();
    for body in bodies {
        let (from, to) = (body.first as usize, (body.first + body.count) as usize);
        ranges.push(from.min(places.len())..to.min(places.len()));
        let first = body.first;
        local.push(body.triangles.iter().map(|t| t.map(|v| v.saturating_sub(first))).collect());
    }
    let candidates: Vec<Candidate<'_>> = bodies
        .iter()
        .enumerate()
        .map(|(k, body)| Candidate {
            positions: &places[ranges[k].clone()],
            triangles: &local[k],
            movable: body.kind != BodyKind::Animated,
        })
        .collect();
    let picked = pick(camera, at, scene.rect, &candidates, REACH)?;
    let vertex = picked.vertex + bodies[picked.body].first;
    Some(Picked { vertex, ..picked })
}

/// A stroke with as few corners as come within a few points of it.
fn straightened(points: &[Pos2]) -> Vec<Pos2> {
    let [first, .., last] = *points else { return points.to_vec() };
    let along = last - first;
    let away = |p: &Pos2| {
        let d = *p - first;
        let across = (d.x * along.y - d.y * along.x).abs();
        if along.length() > 1.0 { across / along.length() } else { d.length() }
    };
    let inner = 1..points.len() - 1;
    let farthest = inner.max_by(|&a, &b| away(&points[a]).total_cmp(&away(&points[b])));
    match farthest.filter(|&k| away(&points[k]) > 6.0) {
        None => vec![first, last],
        Some(k) => {
            let mut left = straightened(&points[..=k]);
            left.pop();
            left.extend(straightened(&points[k..]));
            left
        }
    }
}

fn toggle_pin(world: &World, vertex: u32) -> Command {
    if world.settings.pinned.contains(&vertex) {
        Command::Unpin { vertex }
    } else {
        Command::Pin { vertex }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::pos2;

    #[test]
    fn a_stroke_keeps_its_corners_alone() {
        let line: Vec<Pos2> = (0..20).map(|k| pos2(10.0 * k as f32, (k % 2) as f32)).collect();
        assert_eq!(straightened(&line), [line[0], line[19]]);
        let mut bent = line.clone();
        bent.extend((1..10).map(|k| pos2(190.0, 20.0 * k as f32)));
        assert_eq!(straightened(&bent).len(), 3);
        assert_eq!(straightened(&line[..1]).len(), 1);
        assert_eq!(straightened(&[]).len(), 0);
    }
}
