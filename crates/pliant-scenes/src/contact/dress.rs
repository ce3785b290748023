//! A dress on a walking figure.

use pliant::math::{atan2, cos, sin};
use pliant::mesh::TriMesh;
use std::f64::consts::TAU;

use super::{contact_spec, cotton};
use crate::describe::{
    AnimatedBody, Cloth, ColliderSpec, CollidesWithSpec, FrameSpec, SceneDescription, SolverSpec,
};
use crate::shapes::{Capsule, SmoothUnion, round_position, triangle_list};

/// Time between key frames \[s\].
const KEY_FRAME_INTERVAL: f64 = 0.1;
/// Number of key frames after the first.
const KEY_FRAMES: usize = 25;
/// Duration of two steps \[s\].
const STRIDE_DURATION: f64 = 1.1;
/// Heights of the hips, of the upper edge of the dress below the straps, and within the shoulders \[m\].
const HIP_HEIGHT: f64 = 0.95;
const DRESS_TOP: f64 = 1.32;
const SHOULDER_HEIGHT: f64 = 1.36;

/// A dress of cotton, `n` vertices around, on a figure of 1.75 m that walks and turns: hips, chest and legs
/// move independently.
///
/// Shows cloth on a body that deforms through key frames (Fast Simulation of Mass-Spring Systems, table 1
/// and figure 6: 3,505 vertices; here 3,500 for `n = 72`. Position Based Dynamics, figure 12).
pub fn dress(n: usize) -> SceneDescription {
    let figure = figure(&Pose::default());
    let mesh = figure.mesh(0.03);
    let frame = |k: usize| {
        let time = KEY_FRAME_INTERVAL * k as f64;
        let pose = Pose::at(time);
        let points = figure.skin_points(&mesh.positions, &self::figure(&pose).capsules);
        let turned = points.into_iter().map(|p| round_position(about_y(p, pose.heading)));
        FrameSpec { time, points: Some(turned.collect()), ..FrameSpec::default() }
    };
    let body = AnimatedBody {
        name: "figure".to_owned(),
        mesh: triangle_list(&mesh),
        frame: (0..=KEY_FRAMES).map(frame).collect(),
        ..AnimatedBody::default()
    };
    let dress = Cloth {
        name: "dress".to_owned(),
        mesh: triangle_list(&dress_mesh(&figure, n)),
        material: cotton(1.0),
        contact: contact_spec(3.0e-3, CollidesWithSpec::Itself),
        ..Cloth::default()
    };
    SceneDescription {
        cloth: vec![dress],
        animated: vec![body],
        collider: vec![ColliderSpec::ground(0.0)],
        solver: Some(SolverSpec::named("xpbd")),
        ..SceneDescription::default()
    }
}

/// Point clearly outside the figure, on a ray from a point inside it along a direction.
fn outside(figure: &SmoothUnion, from: [f64; 3], along: [f64; 3]) -> [f64; 3] {
    let at = |r: f64| [0, 1, 2].map(|c| from[c] + r * along[c]);
    let mut radius = 0.02;
    while figure.distance(at(radius)) < 0.012 {
        radius += 0.002;
    }
    at(radius)
}

/// Mesh of the dress: close to the figure down to the hips, increasingly wide below, with two straps.
fn dress_mesh(figure: &SmoothUnion, n: usize) -> TriMesh {
    let (low, flare) = (0.45, 0.32);
    let rows = (2 * n / 3).saturating_sub(3).max(2);
    let mut mesh = TriMesh::default();
    for j in 0..rows {
        let y = DRESS_TOP + (low - DRESS_TOP) * j as f64 / (rows - 1) as f64;
        for i in 0..n {
            let angle = TAU * i as f64 / n as f64;
            let (c, s) = (cos(angle), sin(angle));
            let close = y.max(HIP_HEIGHT);
            let [x, _, z] = outside(figure, [0.0, close, 0.0], [c, 0.0, s]);
            let out = flare * (close - y);
            mesh.positions.push([x + out * c, y, z + out * s]);
        }
    }
    let at = |j: usize, i: usize| (j * n + i % n) as u32;
    for j in 0..rows - 1 {
        for i in 0..n {
            add_quad(&mut mesh, [at(j, i), at(j, i + 1), at(j + 1, i + 1), at(j + 1, i)], i + j);
        }
    }
    // One strap runs from the front, an eighth of the way around, over a shoulder to the mirrored place at
    // the back; the other one on the other side.
    let half = (n / 36).max(1);
    for middle in [n / 8, n / 2 - n / 8] {
        strap(&mut mesh, figure, n, middle - half.min(middle)..=middle + half);
    }
    mesh
}

/// Adds a strap from some of the first `n` vertices over a shoulder to the vertices behind.
fn strap(
    mesh: &mut TriMesh,
    figure: &SmoothUnion,
    n: usize,
    columns: std::ops::RangeInclusive<usize>,
) {
    let rows = (3 * n / 8).max(2);
    let mut last: Vec<u32> = columns.clone().map(|c| c as u32).collect();
    for j in 1..=rows {
        let mut next = Vec::with_capacity(last.len());
        for column in columns.clone() {
            if j == rows {
                next.push(((n - column) % n) as u32);
                continue;
            }
            let [x, y, z] = mesh.positions[column];
            let begin = atan2(y - SHOULDER_HEIGHT, z);
            let angle = begin + (0.5 * TAU - 2.0 * begin) * j as f64 / rows as f64;
            next.push(mesh.positions.len() as u32);
            let along = [0.0, sin(angle), cos(angle)];
            mesh.positions.push(outside(figure, [x, SHOULDER_HEIGHT, 0.0], along));
        }
        for i in 0..last.len() - 1 {
            add_quad(mesh, [last[i], next[i], next[i + 1], last[i + 1]], i + j);
        }
        last = next;
    }
}

/// Adds a quad as two triangles with alternating diagonals.
fn add_quad(mesh: &mut TriMesh, [a, b, c, d]: [u32; 4], number: usize) {
    mesh.triangles.extend(if number.is_multiple_of(2) {
        [[a, b, c], [a, c, d]]
    } else {
        [[a, b, d], [b, c, d]]
    });
}

/// Pose of the figure: angles \[rad\] and lengths \[m\].
#[derive(Clone, Copy, Debug, Default)]
struct Pose {
    /// Swing of the left leg forwards and the right one backwards.
    swing: f64,
    /// Bend of the left and of the right knee.
    knees: [f64; 2],
    /// Turn of the hips to one side and of the chest to the other.
    twist: f64,
    /// Lateral displacement of the chest \[m\].
    lean: f64,
    /// Lowering of the figure from upright \[m\].
    low: f64,
    /// Heading of the whole figure.
    heading: f64,
}

impl Pose {
    fn at(time: f64) -> Self {
        // It starts upright and reaches full stride after half a second.
        let part = (2.0 * time).min(1.0);
        let phase = TAU * time / STRIDE_DURATION;
        let (s, c) = (sin(phase), cos(phase));
        Self {
            swing: 0.42 * part * s,
            knees: [0.5 * part * (1.0 + c) * 0.5, 0.5 * part * (1.0 - c) * 0.5],
            twist: 0.16 * part * s,
            lean: 0.03 * part * c,
            low: 0.02 * part * s * s,
            heading: 0.7 * (time - 0.5).max(0.0),
        }
    }
}

/// The figure in a pose.
fn figure(pose: &Pose) -> SmoothUnion {
    let limb = |from: [f64; 3], to: [f64; 3], radius: f64| Capsule { from, to, radius };
    let lower = |p: [f64; 3]| about_y([p[0], p[1] - pose.low, p[2]], pose.twist);
    let upper = |p: [f64; 3]| {
        let q = about_y([p[0], p[1] - pose.low, p[2]], -pose.twist);
        // The lean of the waist increases with the height.
        [q[0] + pose.lean * (p[1] - HIP_HEIGHT) / 0.4, q[1], q[2]]
    };
    let mut limbs = vec![
        limb(lower([-0.07, HIP_HEIGHT, 0.0]), lower([0.07, HIP_HEIGHT, 0.0]), 0.12),
        limb(lower([0.0, 1.0, 0.0]), upper([0.0, 1.2, 0.0]), 0.1),
        limb(upper([-0.06, 1.3, 0.0]), upper([0.06, 1.3, 0.0]), 0.115),
        limb(upper([-0.13, 1.43, 0.0]), upper([0.13, 1.43, 0.0]), 0.055),
        limb(upper([0.0, 1.45, 0.0]), upper([0.0, 1.54, 0.0]), 0.05),
        limb(upper([0.0, 1.62, 0.0]), upper([0.0, 1.67, 0.01]), 0.09),
    ];
    for (side, knee) in [(1.0, pose.knees[0]), (-1.0, pose.knees[1])] {
        let shoulder = upper([0.17 * side, 1.44, 0.0]);
        let hand = upper([0.54 * side, 1.4, -0.1 * side * pose.swing]);
        limbs.push(limb(shoulder, hand, 0.042));
        let (hip, angle) = ([0.11 * side, 0.9, 0.0], side * pose.swing);
        let down = |from: [f64; 3], length: f64, angle: f64| {
            [from[0], from[1] - length * cos(angle), from[2] + length * sin(angle)]
        };
        let joint = down(hip, 0.42, angle);
        let ankle = down(joint, 0.4, angle - knee);
        limbs.push(limb(lower(hip), lower(joint), 0.068));
        limbs.push(limb(lower(joint), lower(ankle), 0.052));
        let toe = [ankle[0], ankle[1] - 0.01, ankle[2] + 0.12];
        limbs.push(limb(lower(ankle), lower(toe), 0.045));
    }
    SmoothUnion { capsules: limbs, blend: 0.05 }
}

/// Rotates a point about the y axis by an angle \[rad\].
fn about_y([x, y, z]: [f64; 3], angle: f64) -> [f64; 3] {
    let (s, c) = (sin(angle), cos(angle));
    [c * x + s * z, y, c * z - s * x]
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::{measure, topology};

    #[test]
    fn the_figure_is_one_closed_surface() {
        let mesh = figure(&Pose::default()).mesh(0.03);
        mesh.validate().unwrap();
        assert!(topology::boundary_edges(&mesh).is_empty());
        assert_eq!(topology::euler_characteristic(&mesh), 2);
        assert!(measure::enclosed_volume(&mesh) > 0.03);
    }
}
