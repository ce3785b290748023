//! Patterns of two colours along texture coordinates, averaged over the footprint of a pixel.

use crate::color::Rgb;

/// Kind of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motif {
    /// Stripes across the direction of the periods.
    Stripes,
    /// A chessboard.
    Checks,
    /// Stripes along both directions; the colours are mixed where only one of them passes.
    Gingham,
}

/// A pattern on both sides of a mesh, between the colour of its paint and a second one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pattern<'a> {
    /// Kind of the pattern.
    pub motif: Motif,
    /// Second colour.
    pub color: Rgb,
    /// Periods along u and along v.
    pub repeat: [f32; 2],
    /// Texture coordinates.
    pub uvs: &'a [[f32; 2]],
    /// Texture coordinate of each corner of each triangle.
    pub corners: &'a [[u32; 3]],
}

impl Motif {
    /// Mean share of the second colour, from 0 to 1, around a point in periods, over a width along each direction.
    pub(crate) fn share(self, [u, v]: [f32; 2], [du, dv]: [f32; 2]) -> f32 {
        match self {
            Self::Stripes => 0.5 + 0.5 * square_wave(u + v, du + dv),
            Self::Checks => 0.5 - 0.5 * square_wave(u, du) * square_wave(v, dv),
            Self::Gingham => 0.5 + 0.25 * (square_wave(u, du) + square_wave(v, dv)),
        }
    }
}

/// Mean over a width of the wave that is −1 in the first half of each period and 1 in the second.
fn square_wave(at: f32, width: f32) -> f32 {
    // Integral of the wave.
    let integral = |x: f32| (x - x.floor() - 0.5).abs();
    let width = width.max(1e-4);
    ((integral(at + 0.5 * width) - integral(at - 0.5 * width)) / width).clamp(-1.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_is_averaged_over_its_width() {
        assert!((square_wave(0.25, 0.1) + 1.0).abs() < 1e-4);
        assert!((square_wave(3.75, 0.1) - 1.0).abs() < 1e-4);
        assert!(square_wave(0.5, 0.2).abs() < 1e-4);
        assert!(square_wave(0.3, 1.0).abs() < 1e-4);
        assert!(square_wave(-0.75, 40.3).abs() < 0.02);
    }

    #[test]
    fn far_away_every_motif_is_the_mean_of_its_colors() {
        for motif in [Motif::Stripes, Motif::Checks, Motif::Gingham] {
            assert!((motif.share([0.2, 0.7], [50.0, 50.0]) - 0.5).abs() < 0.02, "{motif:?}");
            let near = [[0.2, 0.2], [0.7, 0.9]].map(|uv| motif.share(uv, [0.01; 2]));
            let expected = match motif {
                Motif::Checks => [0.0, 0.0],
                Motif::Stripes | Motif::Gingham => [0.0, 1.0],
            };
            for (share, expected) in near.into_iter().zip(expected) {
                assert!((share - expected).abs() < 1e-3, "{motif:?}: {share}");
            }
        }
    }
}
