//! Intersections are those of exact arithmetic.
//!
//! The reference is another theorem in integers: two convex sets are apart if and only if the
//! vector between their closest points separates them, and that vector is along a difference of
//! corners, a perpendicular from a corner to an edge, a common perpendicular of edges, or the
//! normal of a face.

use crate::common::{Random, Sheet, folded_sheet};
use pliant_detect::intersect::{
    EdgeTriangle, IntersectionCheck, segment_segment, segment_triangle,
};

type Integers = [i64; 3];

fn sub(a: Integers, b: Integers) -> Integers {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn dot(a: Integers, b: Integers) -> i64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

fn cross(a: Integers, b: Integers) -> Integers {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i])
}

fn edges(x: &[Integers]) -> Vec<[Integers; 2]> {
    let n = x.len();
    (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| [x[i], x[j]]).collect()
}

/// True if the hulls of two sets of up to three points have a point in common.
fn hulls_meet(a: &[Integers], b: &[Integers]) -> bool {
    let mut axes = Vec::new();
    let perpendicular = |p: Integers, [q, r]: [Integers; 2]| {
        let (d, e) = (sub(p, q), sub(r, q));
        [0, 1, 2].map(|k| dot(e, e) * d[k] - dot(d, e) * e[k])
    };
    for (x, y) in [(a, b), (b, a)] {
        for &p in x {
            axes.extend(y.iter().map(|&q| sub(p, q)));
            axes.extend(edges(y).into_iter().map(|e| perpendicular(p, e)));
        }
        if let &[p, q, r] = x {
            axes.push(cross(sub(q, p), sub(r, p)));
        }
    }
    for e in edges(a) {
        axes.extend(edges(b).into_iter().map(|f| cross(sub(e[1], e[0]), sub(f[1], f[0]))));
    }
    let separates = |n: Integers| {
        let range = |x: &[Integers]| {
            let along = x.iter().map(|&p| dot(n, p));
            (along.clone().min().unwrap(), along.max().unwrap())
        };
        let (a, b) = (range(a), range(b));
        a.1 < b.0 || b.1 < a.0
    };
    !axes.into_iter().any(separates)
}

#[test]
fn segments_meet_triangles_and_segments_as_in_exact_arithmetic() {
    let mut random = Random::new(3);
    let mut meeting = [0, 0];
    let queries = 400_000;
    for query in 0..queries {
        let radius = [1, 2, 3, 100][query % 4];
        let mut x = [(); 5].map(|_| [(); 3].map(|_| random.int(radius)));
        // All in a plane, all on a line, a collapsed triangle, an end on the triangle.
        match random.below(8) {
            0 => x.iter_mut().for_each(|p| p[2] = p[0] + p[1]),
            1 => x.iter_mut().for_each(|p| *p = [p[0], -p[0], 2 * p[0]]),
            2 => x[4] = [0, 1, 2].map(|k| 2 * x[3][k] - x[2][k]),
            3 => {
                let [_, _, a, b, c] = x.map(|p| p.map(|c| 3 * c));
                let (i, j) = (random.below(2) as i64, random.below(3) as i64);
                let on = |k: usize| a[k] + (i * (b[k] - a[k]) + j * (c[k] - a[k])) / 3;
                x = [[0, 1, 2].map(on), x[1], a, b, c];
            }
            _ => {}
        }
        // Sizes that are powers of two and an offset leave the floats exact.
        let offset = if random.below(3) == 0 { (1_i64 << 40) + 12_345 } else { 0 };
        let scale = [1.0, 1.0 / (1_u64 << 20) as f64, 1024.0][random.below(3)];
        let [p, q, a, b, c] = x.map(|p| p.map(|c| (c + offset) as f64 * scale));
        let expected = [hulls_meet(&x[..2], &x[2..]), hulls_meet(&x[..2], &x[2..4])];
        let found = [segment_triangle([p, q], [a, b, c]), segment_segment([p, q], [a, b])];
        assert_eq!(found, expected, "{x:?}");
        meeting[0] += usize::from(found[0]);
        meeting[1] += usize::from(found[1]);
    }
    println!("{meeting:?} of {queries} meet");
    assert!(meeting.iter().all(|m| (queries / 50..queries * 3 / 4).contains(m)), "{meeting:?}");
}

#[test]
fn a_hair_apart_is_apart() {
    let triangle = [[0.0, 0.0, 0.1], [1.0, 0.0, 0.1], [0.0, 1.0, 0.1]];
    let down_to = |z: f64| segment_triangle([[0.3, 0.3, 1.0], [0.3, 0.3, z]], triangle);
    assert!(down_to(0.1) && !down_to(0.1_f64.next_up()));
    // Past the hypotenuse, by one rounding.
    let at = |x: f64| segment_triangle([[x, 0.5, 1.0], [x, 0.5, -1.0]], triangle);
    assert!(at(0.5) && !at(0.5_f64.next_up()));
}

/// All edges against all triangles.
fn brute_force(edges: &[[u32; 2]], sheet: &Sheet, other: Option<&Sheet>) -> Vec<EdgeTriangle> {
    let mut found = Vec::new();
    let hit = other.unwrap_or(sheet);
    for &edge in edges {
        for (t, triangle) in hit.triangles.iter().enumerate() {
            let shares = other.is_none() && edge.iter().any(|v| triangle.contains(v));
            let segment = edge.map(|v| sheet.positions[v as usize]);
            let corners = triangle.map(|v| hit.positions[v as usize]);
            if !shares && segment_triangle(segment, corners) {
                found.push(EdgeTriangle { edge, triangle: t as u32 });
            }
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn a_mesh_is_checked_as_all_edges_against_all_triangles() {
    let mut sheet = folded_sheet(16);
    let mut other = folded_sheet(9);
    let mut check = IntersectionCheck::new(&sheet.triangles);
    let mut other_check = IntersectionCheck::new(&other.triangles);
    let mut found = Vec::new();
    check.self_intersections(&sheet.positions, &mut found);
    assert!(found.is_empty(), "layers apart do not intersect: {found:?}");

    // Crumpled more and more, in the same memory.
    let mut random = Random::new(5);
    for round in 0..4 {
        for p in sheet.positions.iter_mut().chain(&mut other.positions) {
            *p = p.map(|x| x + 0.02 * random.signed());
        }
        check.self_intersections(&sheet.positions, &mut found);
        assert!(!found.is_empty());
        assert_eq!(found, brute_force(check.edges(), &sheet, None), "round {round}");

        let mut both = [Vec::new(), Vec::new()];
        check.intersections(&sheet.positions, &mut other_check, &other.positions, &mut both);
        assert!(!both[0].is_empty() && !both[1].is_empty());
        assert_eq!(both[0], brute_force(check.edges(), &sheet, Some(&other)));
        assert_eq!(both[1], brute_force(other_check.edges(), &other, Some(&sheet)));
    }
}
