//! Pointer interaction on the picture: dragging, pinning, throwing, cutting, and moving the camera.

use egui::{PointerButton, Pos2, Rect, Response, Vec2};
use glam::Vec3;
use pliant_session::Command;

use crate::action::Tool;
use crate::camera::Camera;
use crate::client_state::ClientState;
use crate::graphics::frame_data::VertexData;
use crate::pick::{PickTarget, Picked, pick};

/// Maximum movement of a click, in points.
const MAX_CLICK_TRAVEL: f32 = 5.0;
/// Maximum distance of a pointer or finger from a picked vertex, in points.
const PICK_RADIUS: f32 = 18.0;

/// A ball to throw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Radius as a fraction of the scene's size.
    pub radius: f32,
    /// Speed \[m/s\].
    pub speed: f32,
    /// Density \[kg/m³\].
    pub density: f32,
}

impl Default for Ball {
    fn default() -> Self {
        Self { radius: 0.05, speed: 4.0, density: 300.0 }
    }
}

/// Drag operation in progress.
#[derive(Clone, Debug, Default)]
enum DragState {
    #[default]
    Idle,
    /// Holds a vertex, since a press at this point.
    Grabbing { picked: Picked, pressed: Pos2, moved: bool },
    /// Rotates the view.
    Orbiting,
    /// Moves the view.
    Panning,
    /// Cuts along these points of the picture.
    Cutting(Vec<Pos2>),
}

/// Pointer state.
#[derive(Default)]
pub struct Pointer {
    /// Selected tool.
    pub tool: Tool,
    /// Properties of the thrown ball.
    pub ball: Ball,
    /// Number of vertices grabbed so far: the first grab hides the first hint.
    pub grab_count: u64,
    drag: DragState,
    active_view: Option<Rect>,
}

/// One of the views and its contents.
pub struct PickView<'a> {
    /// State of the simulation.
    pub client: &'a ClientState,
    /// Vertices of the bodies in this view.
    pub vertices: &'a VertexData,
    /// Rectangle of the view.
    pub rect: Rect,
    /// True if its vertices have the numbering of the simulation.
    pub pickable: bool,
}

impl Pointer {
    /// Points of the current cutting stroke.
    pub fn stroke(&self) -> &[Pos2] {
        match &self.drag {
            DragState::Cutting(points) => points,
            _ => &[],
        }
    }

    /// The grabbed vertex, with its position when it was grabbed.
    pub fn grabbed(&self) -> Option<Picked> {
        match &self.drag {
            DragState::Grabbing { picked, .. } => Some(*picked),
            _ => None,
        }
    }

    /// Ends the current operation.
    pub fn cancel(&mut self) -> Option<Command> {
        let was = std::mem::take(&mut self.drag);
        matches!(was, DragState::Grabbing { .. }).then_some(Command::Release)
    }

    /// Handles the pointer over one view; adds commands for the simulation.
    pub fn update(
        &mut self,
        response: &Response,
        scene: &PickView<'_>,
        camera: &mut Camera,
        out: &mut Vec<Command>,
    ) {
        let ctx = &response.ctx;
        let input = |f: &dyn Fn(&egui::InputState) -> bool| ctx.input(|i| f(i));
        let pointer = ctx.input(|i| i.pointer.latest_pos());

        // Two fingers pan and rotate the camera.
        if let Some(touch) = ctx.input(egui::InputState::multi_touch) {
            out.extend(self.cancel());
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
            out.extend(self.cancel());
            return;
        };
        let pressed = |button| input(&move |i| i.pointer.button_pressed(button));
        if response.contains_pointer() && matches!(self.drag, DragState::Idle) {
            let shift = ctx.input(|i| i.modifiers.shift);
            if pressed(PointerButton::Primary) {
                self.press(at, scene, camera, out);
                self.active_view = Some(scene.rect);
            } else if pressed(PointerButton::Middle) || (pressed(PointerButton::Secondary) && shift)
            {
                (self.drag, self.active_view) = (DragState::Panning, Some(scene.rect));
            } else if pressed(PointerButton::Secondary) {
                (self.drag, self.active_view) = (DragState::Orbiting, Some(scene.rect));
            }
        }
        if self.active_view == Some(scene.rect) {
            let by = ctx.input(|i| i.pointer.delta());
            self.drag(at, by, scene.rect, camera, out);
            if !ctx.input(|i| i.pointer.any_down()) {
                self.release(scene, camera, out);
            }
        }
    }

    fn press(&mut self, at: Pos2, scene: &PickView<'_>, camera: &Camera, out: &mut Vec<Command>) {
        let picked = pick_vertex(at, scene, camera);
        self.drag = match (self.tool, picked) {
            (Tool::Drag, Some(picked)) => {
                self.grab_count += 1;
                out.push(Command::Grab { vertex: picked.vertex, target: picked.position });
                DragState::Grabbing { picked, pressed: at, moved: false }
            }
            (Tool::Pin, Some(picked)) => {
                out.push(toggle_pin(scene.client, picked.vertex));
                DragState::Orbiting
            }
            (Tool::Ball, _) => {
                out.push(self.throw(at, scene, camera, picked));
                DragState::Idle
            }
            (Tool::Cut, _) => DragState::Cutting(vec![at]),
            _ => DragState::Orbiting,
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
        match &mut self.drag {
            DragState::Idle => {}
            DragState::Grabbing { picked, pressed, moved } => {
                *moved |= pressed.distance(at) > MAX_CLICK_TRAVEL;
                if *moved && by != Vec2::ZERO {
                    let target = camera.intersect_view_plane(camera.ray(at, rect), picked.position);
                    out.push(Command::Drag { target });
                }
            }
            DragState::Orbiting => camera.orbit(by),
            DragState::Panning => camera.pan(by, rect.height()),
            DragState::Cutting(points) => {
                if points.last().is_none_or(|last| last.distance(at) > 6.0) {
                    points.push(at);
                }
            }
        }
    }

    fn release(&mut self, scene: &PickView<'_>, camera: &Camera, out: &mut Vec<Command>) {
        match std::mem::take(&mut self.drag) {
            DragState::Grabbing { picked, moved, .. } => {
                out.push(Command::Release);
                if !moved {
                    out.push(toggle_pin(scene.client, picked.vertex));
                }
            }
            DragState::Cutting(points) => {
                let blade = |at: &Pos2| {
                    let ray = camera.ray(*at, scene.rect);
                    let far = camera.distance + 2.0 * camera.scene_size;
                    [0.02 * camera.distance, far].map(|t| (ray.origin + ray.direction * t).into())
                };
                for pair in simplify_stroke(&points).windows(2) {
                    out.push(Command::Cut { from: blade(&pair[0]), to: blade(&pair[1]) });
                }
            }
            _ => {}
        }
        self.active_view = None;
    }

    /// Throws a ball along the ray through the pointer, toward the point under it.
    fn throw(
        &self,
        at: Pos2,
        scene: &PickView<'_>,
        camera: &Camera,
        hit: Option<Picked>,
    ) -> Command {
        let ray = camera.ray(at, scene.rect);
        let radius = self.ball.radius * camera.scene_size;
        let reach = hit.map_or(camera.distance, |h| h.distance);
        // It starts a little before its target, so that its flight is visible.
        let start = (reach - 0.9 * camera.scene_size).max(0.25 * reach);
        let from: Vec3 = ray.origin + ray.direction * start;
        let velocity = ray.direction * self.ball.speed;
        Command::Throw {
            from: from.into(),
            velocity: velocity.into(),
            radius,
            density: self.ball.density,
        }
    }
}

/// The vertex under a point of a view, in the numbering of all drawn vertices.
pub fn pick_vertex(at: Pos2, scene: &PickView<'_>, camera: &Camera) -> Option<Picked> {
    use pliant_session::protocol::BodyKind;
    if !scene.pickable {
        return None;
    }
    let bodies = scene.client.bodies();
    let places = &scene.vertices.positions;
    let mut ranges = Vec::new();
    let mut local: Vec<Vec<[u32; 3]>> = Vec::new();
    for body in bodies {
        let (from, to) =
            (body.first_vertex as usize, (body.first_vertex + body.vertex_count) as usize);
        ranges.push(from.min(places.len())..to.min(places.len()));
        let first = body.first_vertex;
        local.push(body.triangles.iter().map(|t| t.map(|v| v.saturating_sub(first))).collect());
    }
    let candidates: Vec<PickTarget<'_>> = bodies
        .iter()
        .enumerate()
        .map(|(k, body)| PickTarget {
            positions: &places[ranges[k].clone()],
            triangles: &local[k],
            movable: body.kind != BodyKind::Animated,
        })
        .collect();
    let picked = pick(camera, at, scene.rect, &candidates, PICK_RADIUS)?;
    let vertex = picked.vertex + bodies[picked.body].first_vertex;
    Some(Picked { vertex, ..picked })
}

/// Simplifies a stroke to as few corners as stay within a few points of it.
fn simplify_stroke(points: &[Pos2]) -> Vec<Pos2> {
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
            let mut left = simplify_stroke(&points[..=k]);
            left.pop();
            left.extend(simplify_stroke(&points[k..]));
            left
        }
    }
}

fn toggle_pin(client: &ClientState, vertex: u32) -> Command {
    if client.settings.pinned.contains(&vertex) {
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
        assert_eq!(simplify_stroke(&line), [line[0], line[19]]);
        let mut bent = line.clone();
        bent.extend((1..10).map(|k| pos2(190.0, 20.0 * k as f32)));
        assert_eq!(simplify_stroke(&bent).len(), 3);
        assert_eq!(simplify_stroke(&line[..1]).len(), 1);
        assert_eq!(simplify_stroke(&[]).len(), 0);
    }
}
