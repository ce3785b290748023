//! A small random number generator with the same sequence on every machine: SplitMix64 (Steele, Lea and Flood, "Fast
//! splittable pseudorandom number generators", 2014).

/// A stream of random numbers, determined by its seed: the same on every machine and in every version. Not
/// cryptographic.
///
/// ```
/// use pliant::math::Random;
///
/// let mut random = Random::new(7);
/// assert!((2.0..3.0).contains(&random.range(2.0, 3.0)));
/// assert_eq!(Random::new(7).next_u64(), Random::new(7).next_u64());
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Difference of consecutive states: 2⁶⁴ divided by the golden ratio.
    const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Returns the stream of a seed. All seeds are equally good.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the stream of seed 0 after its first `count` numbers: random access by an index.
    pub fn after(count: u64) -> Self {
        Self(count.wrapping_mul(Self::GAMMA))
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::GAMMA);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `-1.0..1.0`, on a lattice of 2⁻⁵² so that the conversion is exact.
    pub fn signed_unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 52) as f64;
        (self.next_u64() >> 11) as f64 * STEP - 1.0
    }

    /// A number in `low..high`.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An index below `n`; zero if `n` is zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n.max(1) as u64) as usize
    }

    /// A random bit.
    pub fn next_bool(&mut self) -> bool {
        self.next_u64() >> 63 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_splitmix64() {
        // The published reference sequence for seed 1234567.
        let mut random = Random::new(1_234_567);
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn streams_are_entered_anywhere() {
        let mut stream = Random::new(0);
        for count in 0..100 {
            assert_eq!(Random::after(count).next_u64(), stream.next_u64());
        }
    }

    #[test]
    fn numbers_fill_the_interval_evenly() {
        let mut random = Random::new(7);
        let numbers: Vec<f64> = (0..10_000).map(|_| random.signed_unit()).collect();
        assert!(numbers.iter().all(|x| (-1.0..1.0).contains(x)));
        let mean = numbers.iter().sum::<f64>() / 1e4;
        assert!(mean.abs() < 0.02, "mean {mean}"); // three standard deviations: 0.017
        assert!((0..1000).all(|_| (3.0..5.0).contains(&random.range(3.0, 5.0))));
        assert!((0..1000).all(|k| random.below(k) < k.max(1)));
    }
}
