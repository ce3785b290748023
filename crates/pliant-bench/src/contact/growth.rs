//! Growth of a cost: the exponent `p` of `c nᵖ` fitted to measured points.

/// Exponent of the best fit in logarithms; `None` for fewer than two points.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<[f64; 2]> =
        points.iter().map(|&(n, cost)| [libm::log(n), libm::log(cost)]).collect();
    let count = logs.len() as f64;
    let mean = [0, 1].map(|k| logs.iter().map(|p| p[k]).sum::<f64>() / count);
    let along: f64 = logs.iter().map(|p| (p[0] - mean[0]) * (p[1] - mean[1])).sum();
    let spread: f64 = logs.iter().map(|p| (p[0] - mean[0]) * (p[0] - mean[0])).sum();
    (spread > 0.0).then_some(along / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_has_its_own_exponent() {
        let points = [1e4, 3e4, 1e6].map(|n: f64| (n, 3e-7 * n * n.sqrt()));
        assert!((exponent(&points).unwrap() - 1.5).abs() < 1e-12);
        assert_eq!(exponent(&points[..1]), None);
    }
}
