//! Roots of polynomials in \[0, 1\], exactly.

use num_bigint::BigUint;

use super::Poly;

/// A root: the only one of `poly` in the open interval (m / 2^k, (m + 1) / 2^k), or the point
/// m / 2^k itself.
#[derive(Clone, Debug)]
pub struct Root {
    poly: Poly,
    m: BigUint,
    k: u32,
    exact: bool,
    /// The time within 2⁻⁴⁰, once it is known.
    near: Option<f64>,
    /// The sign at the left end of the interval, once it is known.
    left: Option<i32>,
}

impl Root {
    /// The times 0 and 1.
    pub fn ends() -> Vec<Self> {
        [0_u32, 1].map(|m| Self::at(&Poly::new(&[-i64::from(m), 1]), BigUint::from(m), 0)).into()
    }

    fn at(poly: &Poly, m: BigUint, k: u32) -> Self {
        Self { poly: poly.clone(), m, k, exact: true, near: None, left: None }
    }

    /// All roots in (0, 1) of a polynomial that is not zero.
    pub fn all_of(poly: &Poly) -> Vec<Self> {
        if poly.degree() == 0 || poly.has_one_sign_on_unit_interval() {
            return Vec::new();
        }
        // Without multiple roots.
        let poly = poly.quotient(&poly.common_divisor(&poly.derivative()));
        let mut chain = vec![poly.clone(), poly.derivative()];
        while chain.last().unwrap().degree() > 0 {
            let n = chain.len();
            let zero = Poly::new(&[]);
            let next = zero.minus(&chain[n - 2].remainder(&chain[n - 1]));
            chain.push(next);
        }
        let mut roots = Vec::new();
        let mut open = vec![(BigUint::ZERO, 0_u32)];
        while let Some((m, k)) = open.pop() {
            // Sturm's theorem counts the right end; what is at the ends is known already.
            let right = &m + 1_u32;
            let at_right = poly.sign_at(&right, k) == 0;
            let count = changes(&chain, &m, k) - changes(&chain, &right, k) - i32::from(at_right);
            if count == 1 && !at_right && poly.sign_at(&m, k) != 0 {
                roots.push(Self { poly: poly.clone(), m, k, exact: false, near: None, left: None });
            } else if count > 0 {
                let (left, middle) = (&m * 2_u32, &m * 2_u32 + 1_u32);
                if poly.sign_at(&middle, k + 1) == 0 {
                    roots.push(Self::at(&poly, middle.clone(), k + 1));
                }
                open.extend([(left, k + 1), (middle, k + 1)]);
            }
        }
        roots
    }

    fn right(&self) -> BigUint {
        &self.m + 1_u32
    }

    fn halve(&mut self) {
        // The sign at the left end stays the same while the interval shrinks.
        let left = *self.left.get_or_insert_with(|| self.poly.sign_at(&self.m, self.k));
        (self.m, self.k) = (&self.m * 2_u32, self.k + 1);
        let middle = self.poly.sign_at(&self.right(), self.k);
        if middle == 0 || middle == left {
            self.m = self.right();
        }
        self.exact = middle == 0;
    }

    /// The sign of a polynomial at this time.
    pub fn sign(&mut self, p: &Poly) -> i32 {
        if p.is_zero() {
            return 0;
        }
        if !self.exact {
            let near = self.near();
            if let Some(sign) = p.certain_sign_by_floats(near) {
                return sign;
            }
        }
        if !self.exact {
            let common = self.poly.common_divisor(p);
            let at_ends = [&self.m, &self.right()].map(|m| common.sign_at(m, self.k));
            if common.degree() > 0 && at_ends[0] * at_ends[1] < 0 {
                return 0;
            }
        }
        while !self.exact {
            if let Some(sign) = p.certain_sign(&self.m, self.k) {
                return sign;
            }
            self.halve();
        }
        p.sign_at(&self.m, self.k)
    }

    /// The time within 2⁻⁴⁰.
    pub fn near(&mut self) -> f64 {
        while !self.exact && self.k < 42 {
            self.halve();
        }
        *self.near.get_or_insert_with(|| quotient(&self.m, self.k))
    }

    /// True if this time is certainly before a time given as a float: within 2⁻⁵².
    pub fn is_certainly_before(&mut self, t: f64) -> bool {
        while !self.exact && self.k < 52 {
            self.halve();
        }
        let right = if self.exact { self.m.clone() } else { self.right() };
        let rounded = if self.k > 52 { f64::EPSILON } else { 0.0 };
        quotient(&right, self.k) + rounded < t
    }

    /// True if this time is before another one. Times within 2⁻⁴² of each other may count as equal.
    pub fn is_before(&mut self, other: &mut Self) -> bool {
        self.near() < other.near()
    }
}

/// `m / 2^k` in \[0, 1\], rounded down to 52 bits if there are more.
fn quotient(m: &BigUint, k: u32) -> f64 {
    let cut = k.saturating_sub(52);
    let top = u64::try_from(m >> cut).unwrap();
    top as f64 / (1_u64 << (k - cut)) as f64
}

/// Number of sign changes along a Sturm chain.
fn changes(chain: &[Poly], m: &BigUint, k: u32) -> i32 {
    let mut last = 0;
    let mut changes = 0;
    for poly in chain {
        let sign = poly.sign_at(m, k);
        if sign != 0 {
            changes += i32::from(sign * last < 0);
            last = sign;
        }
    }
    changes
}
