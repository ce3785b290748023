//! Random numbers and a sheet, the same for tests and benchmarks.
#![allow(dead_code)] // each test uses a part

use pliant_detect::Aabb;

/// A generator of random numbers (SplitMix64, Steele, Lea and Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// An integer in \[-r, r\].
    pub fn int(&mut self, r: i64) -> i64 {
        (self.next() % (2 * r + 1) as u64) as i64 - r
    }

    /// An integer in \[0, n).
    pub fn below(&mut self, n: i64) -> i64 {
        (self.next() % n as u64) as i64
    }

    /// Evenly in \[0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly in \[-1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}

/// A triangle mesh.
pub struct Sheet {
    pub positions: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Sheet {
    /// The boxes of the triangles, larger by a margin \[m\].
    pub fn boxes(&self, margin: f64) -> Vec<Aabb> {
        let at = |v: u32| self.positions[v as usize];
        self.triangles.iter().map(|t| Aabb::from_points(&t.map(at)).grown(margin)).collect()
    }
}

/// A sheet of one metre, `side` quads along each side, folded four times into layers that lie half
/// a quad apart, and ruffled a little.
pub fn folded_sheet(side: usize) -> Sheet {
    let step = 1.0 / side as f64;
    let mut random = Random(side as u64);
    let mut positions = Vec::new();
    for i in 0..=side {
        for j in 0..=side {
            // Back and forth along x, one layer higher each time.
            let along = 4.0 * i as f64 * step;
            let layer = along.floor().min(3.0);
            let x = if layer % 2.0 == 0.0 { along - layer } else { 1.0 - (along - layer) };
            let ruffle = 0.1 * step;
            positions.push([
                0.25 * x + ruffle * random.signed(),
                j as f64 * step + ruffle * random.signed(),
                0.5 * step * layer + ruffle * random.signed(),
            ]);
        }
    }
    let mut triangles = Vec::new();
    let at = |i: usize, j: usize| (i * (side + 1) + j) as u32;
    for i in 0..side {
        for j in 0..side {
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    Sheet { positions, triangles }
}
