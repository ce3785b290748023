//! Icons of buttons, drawn with lines: icon fonts would make a page half a megabyte larger.

use std::f32::consts::{PI, TAU};

use egui::{Color32, Mesh, Painter, Pos2, Rect, Shape, Stroke, vec2};

/// Shape of an icon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// Back to the start.
    Restart,
    /// One step back.
    Back,
    /// Play.
    Play,
    /// Pause.
    Pause,
    /// One step forward.
    Step,
    /// A hand that drags.
    Hand,
    /// A pin.
    Pin,
    /// A ball.
    Ball,
    /// Scissors.
    Scissors,
    /// A turning arrow.
    Turn,
    /// The corners of a frame.
    Frame,
    /// Light mode.
    Sun,
    /// Dark mode.
    Moon,
    /// Panels.
    Menu,
}

impl Icon {
    /// Draws the icon in a square.
    pub fn paint(self, painter: &Painter, square: Rect, color: Color32) {
        let pen = Pen { painter, square, color, width: 0.09 * square.width() };
        match self {
            Self::Restart => {
                pen.line(&[[0.1, 0.15], [0.1, 0.85]]);
                pen.fill(&[[0.5, 0.15], [0.5, 0.85], [0.15, 0.5]]);
                pen.fill(&[[0.9, 0.15], [0.9, 0.85], [0.55, 0.5]]);
            }
            Self::Back => {
                pen.fill(&[[0.68, 0.15], [0.68, 0.85], [0.1, 0.5]]);
                pen.line(&[[0.85, 0.15], [0.85, 0.85]]);
            }
            Self::Step => {
                pen.fill(&[[0.32, 0.15], [0.9, 0.5], [0.32, 0.85]]);
                pen.line(&[[0.15, 0.15], [0.15, 0.85]]);
            }
            Self::Play => pen.fill(&[[0.2, 0.08], [0.92, 0.5], [0.2, 0.92]]),
            Self::Pause => {
                pen.fill(&[[0.18, 0.1], [0.4, 0.1], [0.4, 0.9], [0.18, 0.9]]);
                pen.fill(&[[0.6, 0.1], [0.82, 0.1], [0.82, 0.9], [0.6, 0.9]]);
            }
            Self::Hand => pen.hand(),
            Self::Pin => {
                pen.disc([0.5, 0.28], 0.23);
                pen.line(&[[0.5, 0.5], [0.5, 0.98]]);
            }
            Self::Ball => pen.disc([0.5, 0.5], 0.38),
            Self::Scissors => {
                pen.line(&[[0.3, 0.05], [0.68, 0.68]]);
                pen.line(&[[0.7, 0.05], [0.32, 0.68]]);
                pen.arc([0.24, 0.8], 0.15, [0.0, TAU]);
                pen.arc([0.76, 0.8], 0.15, [0.0, TAU]);
            }
            Self::Turn => {
                pen.arc([0.5, 0.52], 0.36, [-0.35 * PI, 1.2 * PI]);
                pen.fill(&[[0.5, 0.02], [0.92, 0.12], [0.62, 0.42]]);
            }
            Self::Frame => {
                for (x, y) in [(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)] {
                    let inward = |c: f32| c + 0.28 * (0.5 - c).signum();
                    pen.line(&[[inward(x), y], [x, y], [x, inward(y)]]);
                }
            }
            Self::Sun => {
                pen.disc([0.5, 0.5], 0.2);
                for k in 0..8 {
                    let (sin, cos) = (TAU * k as f32 / 8.0).sin_cos();
                    pen.line(&[0.32, 0.46].map(|r| [0.5 + r * cos, 0.5 + r * sin]));
                }
            }
            Self::Moon => pen.crescent(),
            Self::Menu => [0.2, 0.5, 0.8].into_iter().for_each(|y| pen.line(&[[0.1, y], [0.9, y]])),
        }
    }
}

/// Draws in unit square coordinates.
struct Pen<'a> {
    painter: &'a Painter,
    square: Rect,
    color: Color32,
    width: f32,
}

impl Pen<'_> {
    fn at(&self, [x, y]: [f32; 2]) -> Pos2 {
        self.square.min + vec2(x, y) * self.square.width()
    }

    fn line(&self, points: &[[f32; 2]]) {
        let line = points.iter().map(|p| self.at(*p)).collect();
        self.painter.add(Shape::line(line, Stroke::new(self.width, self.color)));
    }

    /// Fills a convex polygon.
    fn fill(&self, corners: &[[f32; 2]]) {
        let corners = corners.iter().map(|p| self.at(*p)).collect();
        self.painter.add(Shape::convex_polygon(corners, self.color, Stroke::NONE));
    }

    fn disc(&self, middle: [f32; 2], radius: f32) {
        let radius = radius * self.square.width();
        self.painter.circle_filled(self.at(middle), radius, self.color);
    }

    fn arc(&self, [x, y]: [f32; 2], radius: f32, [from, to]: [f32; 2]) {
        let point = |k: usize| {
            let (sin, cos) = (from + (to - from) * k as f32 / 24.0).sin_cos();
            [x + radius * cos, y + radius * sin]
        };
        self.line(&(0..=24).map(point).collect::<Vec<_>>());
    }

    /// Four fingers, a thumb and the palm.
    fn hand(&self) {
        let finger = Stroke::new(0.13 * self.square.width(), self.color);
        for (x, tip) in [(0.3, 0.2), (0.46, 0.08), (0.62, 0.12), (0.78, 0.26)] {
            self.painter.line_segment([self.at([x, tip]), self.at([x, 0.62])], finger);
        }
        self.painter.line_segment([self.at([0.06, 0.52]), self.at([0.3, 0.8])], finger);
        self.fill(&[[0.24, 0.55], [0.845, 0.55], [0.845, 0.75], [0.7, 0.98], [0.42, 0.98]]);
    }

    /// Disc minus another disc, as a strip from one tip to the other.
    fn crescent(&self) {
        let mut mesh = Mesh::default();
        for k in 0..=24_u32 {
            let turn = PI * (0.5 + k as f32 / 24.0);
            let (sin, cos) = turn.sin_cos();
            for depth in [0.42, 0.16] {
                mesh.colored_vertex(
                    self.at([0.66 + depth * 1.3 * cos, 0.5 + 0.42 * sin]),
                    self.color,
                );
            }
            if k > 0 {
                let b = 2 * k;
                mesh.add_triangle(b - 2, b - 1, b);
                mesh.add_triangle(b - 1, b + 1, b);
            }
        }
        self.painter.add(mesh);
    }
}
