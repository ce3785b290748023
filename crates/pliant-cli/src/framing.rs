//! Bounds for the camera: what the pictures of an animation must show.
//!
//! Debris does not count. Of a torn body, the pieces count that are near the place of the whole body, as far as they
//! are near, and the main piece as a whole if a part of it is; and of everything, what is near the main part of the area (see [`WeightedBounds`]).

use pliant_io::Surface;
use pliant_io::skin::SkinShape;
use pliant_render::{Bounds, WeightedBounds};

use crate::film::Frame;

/// Share of a body's area from which a piece of it is not debris.
const MIN_PIECE: f32 = 0.05;
/// Share of a body's area from which a piece of it counts as a whole.
const MAIN_PIECE: f32 = 0.5;
/// Distance from the box of the whole body, relative to its diagonal, up to which its pieces count.
const PIECE_REACH: f32 = 0.35;
/// Width of lines as ribbons, whose area is compared with that of surfaces \[m\].
const LINE_WIDTH: f32 = 0.02;

/// Bounds of the bodies and bounded colliders in all frames, without debris.
pub fn bounds(shapes: &[SkinShape], frames: &[Frame]) -> Bounds {
    let mut bounds = WeightedBounds::default();
    for (k, shape) in shapes.iter().enumerate() {
        match shape {
            SkinShape::ColliderMesh(prop) if prop.infinite => {}
            SkinShape::ColliderMesh(prop) => {
                let weights = vertex_areas(&prop.surface, &prop.surface.triangles);
                frames.iter().for_each(|frame| bounds.extend(&frame.bodies[k], &weights));
            }
            SkinShape::Surface(surface) if surface.may_tear() => {
                for frame in frames {
                    add_pieces(surface, &frame.bodies[k], &mut bounds);
                }
            }
            SkinShape::Surface(surface) => {
                let weights = vertex_areas(surface, &surface.triangles);
                frames.iter().for_each(|frame| bounds.extend(&frame.bodies[k], &weights));
            }
            SkinShape::Strands(_) => {
                for frame in frames {
                    let points = &frame.bodies[k];
                    let box_of_all = Bounds::of(points);
                    let length = if box_of_all.is_empty() { 0.0 } else { box_of_all.diagonal() };
                    let weight = LINE_WIDTH * length / points.len().max(1) as f32;
                    bounds.extend(points, &vec![weight; points.len()]);
                }
            }
        }
    }
    bounds.bounds()
}

/// Adds the pieces of a body that may have torn.
fn add_pieces(surface: &Surface, positions: &[[f32; 3]], bounds: &mut WeightedBounds) {
    let triangles = surface.visible_triangles(positions);
    let weights = vertex_areas(surface, &triangles);
    let pieces = pieces(positions.len(), &triangles);
    let mut areas = vec![0.0; positions.len()];
    for (v, &piece) in pieces.iter().enumerate() {
        areas[piece as usize] += weights[v];
    }
    let total: f32 = areas.iter().sum();
    let largest = (0..areas.len()).max_by(|&a, &b| areas[a].total_cmp(&areas[b])).unwrap_or(0);
    // The untorn body, wherever it went.
    if areas.get(largest).is_none_or(|area| *area > (1.0 - 1e-4) * total) {
        return bounds.extend(positions, &weights);
    }
    let rest: Vec<[f32; 3]> = surface.positions.iter().map(|p| p.map(|c| c as f32)).collect();
    let home = Bounds::of(&rest);
    let home = home.inflated(PIECE_REACH * home.diagonal());
    let near = |p: &[f32; 3]| (0..3).all(|c| home.min[c] <= p[c] && p[c] <= home.max[c]);
    let (mut points, mut kept) = (Vec::new(), Vec::new());
    let part_is_near = || {
        let of_main = (0..positions.len()).filter(|&v| pieces[v] as usize == largest);
        of_main.map(|v| &positions[v]).any(near)
    };
    let main = (areas[largest] >= MAIN_PIECE * total && part_is_near()).then_some(largest as u32);
    for (v, &piece) in pieces.iter().enumerate() {
        let counts = areas[piece as usize] >= MIN_PIECE * total && near(&positions[v]);
        if counts || main == Some(piece) {
            points.push(positions[v]);
            kept.push(weights[v]);
        }
    }
    if points.is_empty() {
        let main = (0..positions.len()).filter(|&v| pieces[v] as usize == largest);
        (points, kept) = main.map(|v| (positions[v], weights[v])).unzip();
    }
    bounds.extend(&points, &kept);
}

/// Area of the rest shape around each vertex \[m²\].
fn vertex_areas(surface: &Surface, triangles: &[[u32; 3]]) -> Vec<f32> {
    let mut areas = vec![0.0; surface.positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|v| surface.positions[v as usize]);
        let (d, e): ([f64; 3], [f64; 3]) =
            (std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k]));
        let n = [d[1] * e[2] - d[2] * e[1], d[2] * e[0] - d[0] * e[2], d[0] * e[1] - d[1] * e[0]];
        let area = 0.5 * (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        triangle.iter().for_each(|&v| areas[v as usize] += (area / 3.0) as f32);
    }
    areas
}

/// The piece of each vertex: the smallest of the vertices that triangles connect with it.
fn pieces(vertices: usize, triangles: &[[u32; 3]]) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for &[a, b, c] in triangles {
        for other in [b, c] {
            let (p, q) = (root(&mut parent, a), root(&mut parent, other));
            parent[p.max(q) as usize] = p.min(q);
        }
    }
    (0..vertices as u32).map(|v| root(&mut parent, v)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A strip of `cells` unit squares along x, whose triangles may separate.
    fn strip(cells: usize) -> Surface {
        let mut surface = Surface::default();
        for k in 0..cells {
            let (l, r) = (k as f64, k as f64 + 1.0);
            for (corner, weld) in [
                ([l, 0.0, 0.0], 2 * k),
                ([r, 0.0, 0.0], 2 * k + 2),
                ([l, 1.0, 0.0], 2 * k + 1),
                ([r, 0.0, 0.0], 2 * k + 2),
                ([r, 1.0, 0.0], 2 * k + 3),
                ([l, 1.0, 0.0], 2 * k + 1),
            ] {
                surface.positions.push(corner);
                surface.welds.push(weld as u32);
            }
        }
        let corners = surface.positions.len() as u32;
        surface.triangles = (0..corners / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        surface
    }

    fn frame(surface: &Surface, moved: impl Fn(usize) -> [f32; 3]) -> Frame {
        let at = |(v, p): (usize, &[f64; 3])| {
            let by = moved(v / 6);
            [0, 1, 2].map(|c| p[c] as f32 + by[c])
        };
        let body = surface.positions.iter().enumerate().map(at).collect();
        Frame { number: 0, time: 0.0, bodies: vec![body] }
    }

    #[test]
    fn an_untorn_body_is_framed_wherever_it_goes() {
        let surface = strip(10);
        let shapes = [SkinShape::Surface(surface.clone())];
        let away = frame(&surface, |_| [0.0, -50.0, 0.0]);
        assert_eq!(
            bounds(&shapes, &[away]),
            Bounds { min: [0.0, -50.0, 0.0], max: [10.0, -49.0, 0.0] }
        );
    }

    #[test]
    fn debris_of_a_torn_body_does_not_count() {
        let surface = strip(40);
        let shapes = [SkinShape::Surface(surface.clone())];
        let start = frame(&surface, |_| [0.0; 3]);
        // A single square blows away, and then almost everything does.
        let gust = frame(&surface, |cell| [if cell == 39 { 900.0 } else { 0.0 }, 0.0, 0.0]);
        let storm = frame(&surface, |cell| match cell {
            0..10 => [0.0; 3],
            _ => [70.0 * cell as f32, -300.0, 0.0],
        });
        let whole = Bounds { min: [0.0; 3], max: [40.0, 1.0, 0.0] };
        let framed = bounds(&shapes, &[start, gust, storm.clone()]);
        assert_eq!(framed, whole);
        // A picture of the end alone shows what is left.
        assert_eq!(bounds(&shapes, &[storm]), Bounds { max: [10.0, 1.0, 0.0], ..whole });
    }

    #[test]
    fn the_main_piece_counts_as_a_whole() {
        let surface = strip(10);
        let shapes = [SkinShape::Surface(surface.clone())];
        // Stretched by the wind to twice its length, after it lost a square.
        let positions = |v: usize, p: &[f64; 3]| match v / 6 {
            9 => [500.0 + p[0] as f32, p[1] as f32, 0.0],
            _ => [2.0 * p[0] as f32, p[1] as f32, 0.0],
        };
        let body = surface.positions.iter().enumerate().map(|(v, p)| positions(v, p)).collect();
        let stretched = Frame { number: 0, time: 0.0, bodies: vec![body] };
        assert_eq!(bounds(&shapes, &[stretched]).max, [18.0, 1.0, 0.0]);
    }

    #[test]
    fn a_large_piece_counts_while_it_is_near() {
        let surface = strip(10);
        let shapes = [SkinShape::Surface(surface.clone())];
        let cut = |drop: f32| {
            let half = frame(&surface, |cell| [0.0, if cell < 5 { 0.0 } else { -drop }, 0.0]);
            bounds(&shapes, &[half])
        };
        assert_eq!(cut(2.0).min[1], -2.0);
        assert_eq!(cut(200.0), Bounds { min: [0.0; 3], max: [5.0, 1.0, 0.0] });
    }
}
