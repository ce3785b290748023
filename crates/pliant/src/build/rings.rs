//! Mean-curvature elements of a mesh: one per vertex with its one-ring, grouped by the size of the ring.

use crate::batch::{Clusters, Elements};
use crate::build::{Body, ModelBuilder};
use crate::elements::{LaplaceBending, RingBending};

/// Mean-curvature elements, sorted by the size of their ring.
#[derive(Default)]
pub(super) struct Rings {
    list: Vec<(Vec<u32>, f64, Vec<f64>, f64)>,
}

impl Rings {
    pub fn push(&mut self, vertices: &[u32], weight: f64, coefficients: Vec<f64>, curvature: f64) {
        self.list.push((vertices.to_vec(), weight, coefficients, curvature));
    }

    pub fn finish(self, builder: &mut ModelBuilder, body: &Body, k: Option<f64>, rate: f64) {
        macro_rules! by_size {
            ($($n:literal),*) => {$(
                let mut set = Elements::projective();
                for (v, w, c, curvature) in self.list.iter().filter(|r| r.0.len() == $n) {
                    let element = LaplaceBending::<$n> {
                        coefficients: std::array::from_fn(|i| c[i]),
                        curvature: *curvature,
                    };
                    set.push(std::array::from_fn(|i| v[i]), *w, element);
                }
                builder.add_body_elements(body, set.pbd_stiffness(k).damping(rate));
            )*};
        }
        by_size!(4, 5, 6, 7, 8, 9);
        let mut large = Clusters::new();
        for (v, w, coefficients, curvature) in self.list {
            if v.len() > 9 {
                large.push(v, w, RingBending { coefficients, curvature });
            }
        }
        builder.add_body_elements(body, large.pbd_stiffness(k).damping(rate));
    }
}
