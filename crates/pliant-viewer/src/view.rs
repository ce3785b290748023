//! How the world is shown: layers, the eye, and the shot that is drawn.

use egui::Rect;
use glam::Vec3;

use crate::action::Layer;
use crate::camera::Camera;
use crate::graphics::shot::{Dot, Ghost, Segment, Shape, Shot, Strokes};
use crate::theme::{self, Look};
use crate::world::World;
use pliant_session::protocol::{BodyKind, DrawnBody};

/// Where two solvers are seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pairing {
    /// In two pictures side by side.
    #[default]
    Beside,
    /// One through the other.
    Over,
}

/// What is shown, and from where.
pub struct View {
    /// Where it is seen from.
    pub camera: Camera,
    /// By night.
    pub dark: bool,
    /// Whether it is night when the system says so.
    pub follows_system: bool,
    /// Surfaces.
    pub surface: bool,
    /// Edges.
    pub wire: bool,
    /// Strain as colour.
    pub strain: bool,
    /// Contacts.
    pub contacts: bool,
    /// Normals.
    pub normals: bool,
    /// Pins.
    pub pins: bool,
    /// The grid.
    pub grid: bool,
    /// The strain at the ends of the colours.
    pub strain_limit: f32,
    /// How two solvers are shown.
    pub pairing: Pairing,
    /// Whether pictures are drawn quickly rather than finely.
    lean: bool,
    /// Seconds in which pictures came slowly, or quickly again where it is below zero.
    slow: f32,
    /// The scene that the eye was set up for.
    framed: u64,
    /// How many pictures it was set up for.
    pictures: usize,
}

impl View {
    /// What is shown at first.
    pub fn new() -> Self {
        Self {
            camera: Camera::default(),
            dark: false,
            follows_system: true,
            surface: true,
            wire: false,
            strain: false,
            contacts: false,
            normals: false,
            pins: true,
            grid: true,
            strain_limit: 0.1,
            pairing: Pairing::Beside,
            lean: false,
            slow: 0.0,
            framed: 0,
            pictures: 1,
        }
    }

    /// Whether a layer is shown.
    pub fn shows(&mut self, layer: Layer) -> &mut bool {
        match layer {
            Layer::Surface => &mut self.surface,
            Layer::Wire => &mut self.wire,
            Layer::Strain => &mut self.strain,
            Layer::Contacts => &mut self.contacts,
            Layer::Normals => &mut self.normals,
            Layer::Pins => &mut self.pins,
            Layer::Grid => &mut self.grid,
        }
    }

    /// Draws less finely where pictures come slowly for a second, and finely again where they have come
    /// quickly for a while.
    pub fn pace(&mut self, fps: f32, dt: f32) {
        let by = dt.min(0.25);
        self.slow = match fps {
            f if f < 20.0 => self.slow.max(0.0) + by,
            f if f > 50.0 => self.slow.min(0.0) - by,
            _ => 0.0,
        };
        if self.slow > 1.0 {
            self.lean = true;
        } else if self.slow < -8.0 {
            self.lean = false;
        }
    }

    /// Looks at a scene that was not seen before, or in another number of pictures.
    pub fn meet(&mut self, world: &World, pictures: usize, aspect: f32) {
        if world.scene.is_some() && self.framed != world.loaded {
            self.framed = world.loaded;
            self.camera = Camera { yaw: 0.4, pitch: 0.3, ..self.camera };
            self.fit(world, aspect);
        } else if self.pictures != pictures && world.scene.is_some() {
            self.fit(world, aspect);
        }
        self.pictures = pictures;
    }

    /// Looks at everything.
    pub fn fit(&mut self, world: &World, aspect: f32) {
        let Some(scene) = &world.scene else { return };
        let [mut low, high] = scene.bounds;
        let now = world.bounds();
        let size = |b: [[f32; 3]; 2]| (Vec3::from(b[1]) - Vec3::from(b[0])).length();
        if !world.places().is_empty()
            && world.frame.step > 0
            && size(now) < 2.0 * size(scene.bounds)
        {
            return self.camera.frame(now[0], now[1], aspect);
        }
        // What will hang down belongs to the picture, and a little of the ground, above the first hint.
        let wide = (high[0] - low[0]).max(high[2] - low[2]);
        low[1] = low[1].min(world.ground.max(low[1] - 1.2 * wide));
        low[1] -= 0.15 * (high[1] - low[1]);
        self.camera.frame(low, high, aspect);
    }

    /// The picture of one of two solvers, or of the only one.
    pub fn shot(&self, world: &mut World, side: usize, picture: Rect) -> Shot {
        let rival = world.rival.clone();
        let over = self.pairing == Pairing::Over;
        let second = side == 1 && !over && rival.is_some();
        let shape = match &rival {
            Some(rival) if second => rival.clone(),
            _ => world.shape.clone(),
        };
        let mut look = Look::new(self.dark);
        look.grid = self.grid;
        let limit = self.strain_limit.max(1e-6);
        Shot {
            side,
            camera: self.camera,
            look,
            topology: world.topology(second),
            ghost: rival
                .filter(|_| over)
                .map(|shape| Ghost { topology: world.topology(true), shape }),
            props: world.props.clone(),
            moved: world.frame.colliders.clone(),
            ground: world.ground,
            bounds: world.bounds(),
            heat: self.strain.then_some([-limit, limit]),
            surfaces: self.surface,
            lean: self.lean,
            strokes: self.strokes(world, &shape, second, picture),
            dots: self.dots(world, &shape, second),
            shape,
        }
    }

    fn strokes(
        &self,
        world: &mut World,
        shape: &Shape,
        second: bool,
        picture: Rect,
    ) -> Vec<Strokes> {
        let mut strokes = Vec::new();
        if self.wire || !self.surface {
            let color = if self.dark { [230, 235, 245, 110] } else { [28, 34, 48, 120] };
            let edges = world.edges(second);
            let at = |v: u32| shape.positions.get(v as usize).copied();
            let line = |&[a, b]: &[u32; 2]| Some(Segment { ends: [at(a)?, at(b)?], color });
            let segments = edges.iter().filter_map(line).collect();
            strokes.push(Strokes { segments, width: 1.0, on_top: false });
        }
        if self.normals {
            let length = 0.03 * self.camera.size;
            let drawn = world.places().len();
            let every = (drawn / 4000).max(1);
            let arrow = |v: usize| {
                let (p, n) = (Vec3::from(shape.positions[v]), Vec3::from(shape.normals[v]));
                Segment { ends: [p.into(), (p + n * length).into()], color: [40, 164, 196, 255] }
            };
            let count = drawn.min(shape.positions.len());
            let segments = (0..count).step_by(every).map(arrow).collect();
            strokes.push(Strokes { segments, width: 1.5, on_top: false });
        }
        if self.contacts {
            let length = 0.04 * self.camera.size;
            let arrow = |c: &pliant_session::protocol::ContactPoint| {
                let (p, n) = (Vec3::from(c.point), Vec3::from(c.normal));
                let color = [36, 150, 104, 255];
                Segment { ends: [p.into(), (p + n * length).into()], color }
            };
            let segments = world.frame.contacts.iter().map(arrow).collect();
            strokes.push(Strokes { segments, width: 2.0, on_top: true });
        }
        if !(second && world.differs())
            && let Some(spring) = self.spring(world, shape, picture)
        {
            strokes.push(spring);
        }
        strokes
    }

    /// The spring between the vertex in the hand and the pointer: a coil that stretches.
    fn spring(&self, world: &World, shape: &Shape, picture: Rect) -> Option<Strokes> {
        let grabbed = world.frame.grabbed?;
        let from = Vec3::from(*shape.positions.get(grabbed.vertex as usize)?);
        let to = Vec3::from(grabbed.target);
        let (right, up, _) = self.camera.axes();
        let per_point = self.camera.meters_per_point(grabbed.target, picture);
        let length = (to - from).length();
        let radius = (5.0 * per_point).min(0.12 * length);
        let turns = 7.0;
        let axis = if length > 1e-9 { (to - from) / length } else { up };
        let side = axis.cross(self.camera.axes().2);
        let side = if side.length_squared() > 1e-9 { side.normalize() } else { right };
        let other = axis.cross(side);
        let steps = 84;
        let point = |k: usize| {
            let t = k as f32 / steps as f32;
            // Straight at both ends, coiled between them.
            let coil = ((t - 0.1) / 0.8).clamp(0.0, 1.0);
            let swell = (4.0 * coil * (1.0 - coil)).min(1.0).sqrt();
            let (sin, cos) = (std::f32::consts::TAU * turns * coil).sin_cos();
            from + (to - from) * t + (side * sin + other * cos) * (radius * swell)
        };
        let color = [232, 150, 40, 255];
        let line = |k: usize| Segment { ends: [point(k).into(), point(k + 1).into()], color };
        Some(Strokes { segments: (0..steps).map(line).collect(), width: 2.0, on_top: true })
    }

    fn dots(&self, world: &World, shape: &Shape, second: bool) -> Vec<Dot> {
        let mut dots = Vec::new();
        // Pins and the hand are known by the first solver's numbers.
        if second && world.differs() {
            return dots;
        }
        let at = |v: u32| shape.positions.get(v as usize).copied();
        let [r, g, b] = theme::AZURE;
        if self.pins {
            let pin = |place| Dot { place, radius: 4.5, color: [r, g, b, 255] };
            // Bodies that move as they are told are held everywhere: that says nothing.
            let told = |v: &u32| {
                let holds = |b: &DrawnBody| (b.first..b.first + b.count).contains(v);
                let body = world.bodies().iter().find(|b| holds(b));
                body.is_some_and(|b| b.kind == BodyKind::Animated)
            };
            let held = world.settings.pinned.iter().filter(|v| !told(v));
            dots.extend(held.filter_map(|&v| at(v)).map(pin));
        }
        if self.contacts && !second {
            let contact = |c: &pliant_session::protocol::ContactPoint| Dot {
                place: c.point,
                radius: 2.5,
                color: [36, 150, 104, 255],
            };
            dots.extend(world.frame.contacts.iter().map(contact));
        }
        if let Some(grabbed) = world.frame.grabbed {
            let color = [232, 150, 40, 255];
            dots.extend(at(grabbed.vertex).map(|place| Dot { place, radius: 5.5, color }));
            dots.push(Dot { place: grabbed.target, radius: 5.5, color });
        }
        dots
    }
}
