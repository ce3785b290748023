//! Polynomials with integer coefficients.

use num_bigint::{BigInt, BigUint, Sign};

/// `c₀ + c₁ t + c₂ t² + …`, the last coefficient not zero.
#[derive(Clone, Debug)]
pub struct Poly {
    c: Vec<BigInt>,
    /// The coefficients once more if all of them fit in 62 bits, for speed.
    small: Option<Vec<i64>>,
}

impl Poly {
    pub fn new(c: &[i64]) -> Self {
        Self::from_big(c.iter().map(|&c| BigInt::from(c)).collect())
    }

    pub fn from_big(mut c: Vec<BigInt>) -> Self {
        while c.last().is_some_and(|c| c.sign() == Sign::NoSign) {
            c.pop();
        }
        let fits = c.iter().all(|c| c.bits() < 62);
        let small = fits.then(|| c.iter().map(|c| i64::try_from(c).unwrap()).collect());
        Self { c, small }
    }

    pub fn is_zero(&self) -> bool {
        self.c.is_empty()
    }

    pub fn degree(&self) -> usize {
        self.c.len().saturating_sub(1)
    }

    pub fn plus(&self, other: &Self) -> Self {
        let n = self.c.len().max(other.c.len());
        let at = |p: &Self, i: usize| p.c.get(i).cloned().unwrap_or_default();
        Self::from_big((0..n).map(|i| at(self, i) + at(other, i)).collect())
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&Self::from_big(other.c.iter().map(|c| -c).collect()))
    }

    pub fn times(&self, other: &Self) -> Self {
        let mut product = vec![BigInt::default(); self.c.len() + other.c.len()];
        for (i, a) in self.c.iter().enumerate() {
            for (j, b) in other.c.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self::from_big(product)
    }

    pub fn derivative(&self) -> Self {
        Self::from_big(self.c.iter().enumerate().skip(1).map(|(i, c)| c * i).collect())
    }

    /// Divided by what all coefficients have in common. The sign stays.
    fn primitive(self) -> Self {
        let mut common = BigInt::default();
        for c in &self.c {
            common = gcd(common, c.clone());
        }
        if common <= BigInt::from(1) {
            return self;
        }
        Self::from_big(self.c.into_iter().map(|c| c / &common).collect())
    }

    /// A positive multiple of the remainder of the division by `d`.
    pub fn remainder(&self, d: &Self) -> Self {
        let mut r = self.c.clone();
        let lead = d.c.last().unwrap();
        let magnitude = if lead.sign() == Sign::Minus { -lead } else { lead.clone() };
        while r.len() >= d.c.len() {
            let top = r.pop().unwrap();
            let top = if lead.sign() == Sign::Minus { -top } else { top };
            let shift = r.len() + 1 - d.c.len();
            for c in &mut r {
                *c *= &magnitude;
            }
            for (i, c) in d.c[..d.c.len() - 1].iter().enumerate() {
                r[i + shift] -= &top * c;
            }
        }
        Self::from_big(r).primitive()
    }

    pub fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let r = a.remainder(&b);
            (a, b) = (b, r);
        }
        a.primitive()
    }

    /// The quotient of a division by a primitive `d` that leaves nothing.
    pub fn quotient(&self, d: &Self) -> Self {
        let mut r = self.c.clone();
        let mut q = vec![BigInt::default(); self.c.len() + 1 - d.c.len()];
        while r.len() >= d.c.len() {
            let factor = r.last().unwrap() / d.c.last().unwrap();
            let shift = r.len() - d.c.len();
            for (i, c) in d.c.iter().enumerate() {
                r[i + shift] -= &factor * c;
            }
            assert!(r.pop().unwrap().sign() == Sign::NoSign);
            q[shift] = factor;
        }
        assert!(r.iter().all(|c| c.sign() == Sign::NoSign));
        Self::from_big(q)
    }

    /// The value at `m / 2^k`, times `2^(k · degree)`.
    fn scaled_value(&self, m: &BigUint, k: u32) -> BigInt {
        let m = BigInt::from(m.clone());
        let mut value = BigInt::default();
        for (i, c) in self.c.iter().rev().enumerate() {
            value = value * &m + (c << (k as usize * i));
        }
        value
    }

    /// The sign at `m / 2^k`, which is in \[0, 1\].
    pub fn sign_at(&self, m: &BigUint, k: u32) -> i32 {
        if let Some(small) = &self.small {
            let bits = small.iter().map(|c| 64 - c.unsigned_abs().leading_zeros()).max();
            if bits.unwrap_or(0) + k * (self.degree() as u32).max(1) + 3 < 127 {
                let m = i128::try_from(m).unwrap();
                let mut value = 0_i128;
                for (i, &c) in small.iter().rev().enumerate() {
                    value = value * m + (i128::from(c) << (k as usize * i));
                }
                return value.signum() as i32;
            }
        }
        sign(&self.scaled_value(m, k))
    }

    /// The sign on all of \[m / 2^k, (m + 1) / 2^k\], if the value at the left end is larger than
    /// what the slope can change.
    pub fn certain_sign(&self, m: &BigUint, k: u32) -> Option<i32> {
        let slope: BigInt =
            self.c.iter().enumerate().map(|(i, c)| BigInt::from(c.magnitude().clone()) * i).sum();
        let value = self.scaled_value(m, k);
        let change = slope << (k as usize * self.degree()).saturating_sub(k as usize);
        (BigInt::from(value.magnitude().clone()) > change).then(|| sign(&value))
    }

    /// The same in floating point, if that is enough to be certain; `t` is within 2⁻⁴⁰ of the
    /// time.
    pub fn certain_sign_by_floats(&self, t: f64) -> Option<i32> {
        let small = self.small.as_ref()?;
        let mut value = 0.0;
        let mut size = 0.0;
        for &c in small.iter().rev() {
            value = value * t + c as f64;
            size += (c as f64).abs();
        }
        // Degrees are at most four here: the slope is at most four times the size.
        assert!(self.degree() <= 4);
        (value.abs() > size * 1e-11).then_some(if value > 0.0 { 1 } else { -1 })
    }

    /// True if the Bernstein coefficients on \[0, 1\] show one strict sign. For degrees up to 3.
    pub fn has_one_sign_on_unit_interval(&self) -> bool {
        if self.c.len() > 4 {
            return false;
        }
        let c = |i: usize| self.c.get(i).cloned().unwrap_or_default();
        let bernstein =
            [c(0), c(0) * 3 + c(1), c(0) * 3 + c(1) * 2 + c(2), c(0) + c(1) + c(2) + c(3)];
        let first = bernstein[0].sign();
        first != Sign::NoSign && bernstein.iter().all(|b| b.sign() == first)
    }
}

fn sign(value: &BigInt) -> i32 {
    match value.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

fn gcd(mut a: BigInt, mut b: BigInt) -> BigInt {
    while b.sign() != Sign::NoSign {
        let r = &a % &b;
        (a, b) = (b, r);
    }
    BigInt::from(a.magnitude().clone())
}
