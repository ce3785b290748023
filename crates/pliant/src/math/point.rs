//! Vector operations on arrays of three coordinates in double precision, the form of points and vectors in the public
//! interface. Kernels compute with [`Vec3`](crate::math::Vec3), over scalars and packs.

type Vector = crate::math::Vec3<f64>;

/// Returns `a + b`.
#[inline]
pub fn add(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    (Vector::of(a) + Vector::of(b)).lane(0)
}

/// Returns `a − b`.
#[inline]
pub fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    (Vector::of(a) - Vector::of(b)).lane(0)
}

/// Returns `s a`.
#[inline]
pub fn scale(a: [f64; 3], s: f64) -> [f64; 3] {
    Vector::of(a).scale(s).lane(0)
}

/// Returns the inner product `a · b`.
#[inline]
pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    Vector::of(a).dot(Vector::of(b))
}

/// Returns the cross product `a × b`.
#[inline]
pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    Vector::of(a).cross(Vector::of(b)).lane(0)
}

/// Returns the length of `a`.
#[inline]
pub fn norm(a: [f64; 3]) -> f64 {
    Vector::of(a).norm()
}
