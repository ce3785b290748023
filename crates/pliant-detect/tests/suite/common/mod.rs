//! Random numbers and a sheet, the same for tests and benchmarks.
#![allow(dead_code)] // each test uses a part

#[path = "../../../src/testing.rs"]
mod testing;

use pliant_detect::Aabb;
pub(crate) use testing::Random;

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
    let mut random = Random::new(side as u64);
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
