//! Two charts as SVG and PNG: `cargo run --release -p pliant-render --example charts [folder]`.

use pliant_render::Chart;
use pliant_render::chart::{Axis, Series};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out".to_owned());
    std::fs::create_dir_all(&folder)?;

    // Errors that shrink by a constant factor per iteration, as those of most solvers do.
    let shrink = |rate: f64| {
        let mut error = 1.0;
        (0..=100).map(move |k| {
            let point = [f64::from(k), error];
            error *= rate;
            point
        })
    };
    let mut chart = Chart::new(
        "Error against iterations (made-up rates)",
        Axis::linear("iterations"),
        Axis::log("relative error |x − x*| / |x₀ − x*|"),
    );
    let rates = [("Newton", 0.55), ("Projective Dynamics", 0.86), ("XPBD, 1 iteration", 0.95)];
    for (name, rate) in rates {
        chart = chart.series(Series::new(name, shrink(rate)));
    }
    chart = chart.series(Series::new("reference, 0.9 per iteration", shrink(0.9)).dashed());
    chart.save(format!("{folder}/iterations.svg"))?;
    chart.save(format!("{folder}/iterations.png"))?;

    let sizes = [100.0, 400.0, 1600.0, 6400.0, 25_600.0];
    let cost = |per_vertex: f64| sizes.map(|n| [n, per_vertex * n * 1e-3]);
    let chart = Chart::new(
        "Time of a step against size (made-up costs)",
        Axis::log("vertices"),
        Axis::log("time per step [ms]"),
    )
    .series(Series::new("f64", cost(0.9)))
    .series(Series::new("f32", cost(0.4)))
    .size(640.0, 400.0);
    chart.save(format!("{folder}/sizes.svg"))?;
    chart.save(format!("{folder}/sizes.png"))?;
    Ok(())
}
