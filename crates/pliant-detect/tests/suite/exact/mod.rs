//! An exact reference for the continuous tests, in integers of any length.
//!
//! Points move on straight lines between integer positions, so every quantity is a polynomial of
//! time with integer coefficients. Times of interest are roots of such polynomials, kept as a
//! polynomial and an interval that holds one root (Sturm 1829), and the sign of another polynomial
//! at such a root is decided exactly: it is zero if the greatest common divisor has the root, else
//! the interval is halved until the sign is certain. Nothing is shared with the crate.

mod poly;
mod root;

use std::cell::LazyCell;

pub use poly::Poly;
pub use root::Root;

type Vector = [Poly; 3];

fn sub(a: &Vector, b: &Vector) -> Vector {
    [0, 1, 2].map(|i| a[i].minus(&b[i]))
}

fn dot(a: &Vector, b: &Vector) -> Poly {
    a[0].times(&b[0]).plus(&a[1].times(&b[1])).plus(&a[2].times(&b[2]))
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i].times(&b[j]).minus(&a[j].times(&b[i])))
}

fn moving(start: &[[i64; 3]; 4], end: &[[i64; 3]; 4]) -> [Vector; 4] {
    [0, 1, 2, 3].map(|p| [0, 1, 2].map(|i| Poly::new(&[start[p][i], end[p][i] - start[p][i]])))
}

fn is_zero_at(v: &Vector, at: &mut Root) -> bool {
    v.iter().all(|p| at.sign(p) == 0)
}

/// True if `p` is on the segment from `a` to `b`.
fn on_segment(p: &Vector, a: &Vector, b: &Vector, at: &mut Root) -> bool {
    let (a, b) = (sub(a, p), sub(b, p));
    at.sign(&dot(&a, &b)) <= 0 && is_zero_at(&cross(&a, &b), at)
}

/// Times at which `p` may come upon the segment from `a` to `b`, all in one plane.
fn arrivals(p: &Vector, a: &Vector, b: &Vector, times: &mut Vec<Root>) {
    let (a, b) = (sub(a, p), sub(b, p));
    let across = cross(&a, &b);
    match across.iter().find(|c| !c.is_zero()) {
        Some(c) => times.extend(Root::all_of(c)),
        None => times.extend(Root::all_of(&dot(&a, &b))),
    }
}

/// The first of these times at which there is contact.
fn first(mut times: Vec<Root>, mut contact: impl FnMut(&mut Root) -> bool) -> Option<Root> {
    let mut found: Option<Root> = None;
    for time in &mut times {
        if found.as_mut().is_none_or(|f| time.is_before(f)) && contact(time) {
            found = Some(time.clone());
        }
    }
    found
}

/// When a vertex first touches a triangle.
pub fn vertex_triangle(start: &[[i64; 3]; 4], end: &[[i64; 3]; 4]) -> Option<Root> {
    let [p, a, b, c] = moving(start, end);
    let corners = [sub(&a, &p), sub(&b, &p), sub(&c, &p)];
    let volume = dot(&corners[0], &cross(&corners[1], &corners[2]));
    if volume.has_one_sign_on_unit_interval() {
        return None;
    }
    let sides = [(&a, &b), (&b, &c), (&c, &a)];
    let mut times = Root::ends();
    if volume.is_zero() {
        sides.iter().for_each(|(a, b)| arrivals(&p, a, b, &mut times));
    } else {
        times.extend(Root::all_of(&volume));
    }
    let normal = LazyCell::new(|| cross(&sub(&b, &a), &sub(&c, &a)));
    let areas = LazyCell::new(|| {
        [(0, 1), (1, 2), (2, 0)].map(|(i, j)| dot(&cross(&corners[i], &corners[j]), &normal))
    });
    first(times, |at| {
        if at.sign(&volume) != 0 {
            return false;
        }
        if is_zero_at(&normal, at) {
            return sides.iter().any(|(a, b)| on_segment(&p, a, b, at));
        }
        areas.iter().all(|area| at.sign(area) >= 0)
    })
}

/// When two edges first touch.
pub fn edge_edge(start: &[[i64; 3]; 4], end: &[[i64; 3]; 4]) -> Option<Root> {
    let [a, b, c, d] = moving(start, end);
    let (along, other, between) = (sub(&b, &a), sub(&d, &c), sub(&c, &a));
    let normal = cross(&along, &other);
    let volume = dot(&between, &normal);
    if volume.has_one_sign_on_unit_interval() {
        return None;
    }
    let ends = [(&a, &c, &d), (&b, &c, &d), (&c, &a, &b), (&d, &a, &b)];
    let mut times = Root::ends();
    if volume.is_zero() {
        ends.iter().for_each(|(p, a, b)| arrivals(p, a, b, &mut times));
    } else {
        times.extend(Root::all_of(&volume));
    }
    // Feet on the two lines and what is left beyond them, times the squared length of the normal.
    let feet = LazyCell::new(|| {
        let [s, t] = [&other, &along].map(|d| dot(&cross(&between, d), &normal));
        let whole = dot(&normal, &normal);
        let rests = [whole.minus(&s), whole.minus(&t)];
        [[s, t], rests]
    });
    first(times, |at| {
        if at.sign(&volume) != 0 {
            return false;
        }
        if is_zero_at(&normal, at) {
            return ends.iter().any(|(p, a, b)| on_segment(p, a, b, at));
        }
        feet.iter().flatten().all(|f| at.sign(f) >= 0)
    })
}
