//! The table and the charts of a comparison as files.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use pliant_render::Chart;
use pliant_render::chart::{Axis, Series};

use super::Row;
use super::steps::Curve;
use crate::error::CliError;

/// Smallest plotted error: values below are rounding and would stretch the axis.
const MIN_PLOTTED_ERROR: f64 = 1e-12;

/// Number of distinct colours in a chart.
const SERIES_COLORS: usize = pliant_render::color::SERIES.len();

/// Writes `table.csv`, `curves.csv` and the charts as SVG and PNG.
pub fn write(
    folder: &Path,
    title: &str,
    rows: &[Row],
    curves: &[Curve],
) -> Result<Vec<PathBuf>, CliError> {
    let fail =
        |path: &Path, e: std::io::Error| CliError::failed(format!("{}: {e}", path.display()));
    std::fs::create_dir_all(folder).map_err(|e| fail(folder, e))?;
    let mut written = Vec::new();
    for (name, text) in [("table.csv", table_csv(rows)), ("curves.csv", curves_csv(curves))] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| fail(&path, e))?;
        written.push(path);
    }
    for (name, chart) in
        [("error-iterations", by_iterations(title, curves)), ("error-time", by_time(title, curves))]
    {
        for ending in ["svg", "png"] {
            let path = folder.join(format!("{name}.{ending}"));
            chart.save(&path).map_err(CliError::failed)?;
            written.push(path);
        }
    }
    Ok(written)
}

fn table_csv(rows: &[Row]) -> String {
    let mut text = "solver,iterations,ms_per_frame,relative_energy_error,max_position_error_m,\
                    energy_drift,stretch\n"
        .to_owned();
    for r in rows {
        let _ = writeln!(
            text,
            "{},{},{:.5},{:e},{:e},{:e},{:e}",
            r.solver, r.iterations, r.ms, r.error, r.distance, r.energy_difference, r.stretch
        );
    }
    text
}

fn curves_csv(curves: &[Curve]) -> String {
    let mut text = "solver,iterations,ms,relative_energy_error\n".to_owned();
    for curve in curves {
        for (n, ms, error) in &curve.points {
            let _ = writeln!(text, "{},{n},{ms:.5},{error:e}", curve.solver);
        }
    }
    text
}

fn by_iterations(title: &str, curves: &[Curve]) -> Chart {
    let (x, y) = (Axis::log("iterations"), Axis::log("relative energy error"));
    draw(&format!("{title}: error by iterations"), [x, y], curves, |(n, ..)| *n as f64)
}

fn by_time(title: &str, curves: &[Curve]) -> Chart {
    let (x, y) = (Axis::log("time of a step [ms]"), Axis::log("relative energy error"));
    draw(&format!("{title}: error by time"), [x, y], curves, |(_, ms, _)| *ms)
}

/// Chart of the error over the quantity that `along` reads from a point.
fn draw(
    title: &str,
    [x, y]: [Axis; 2],
    curves: &[Curve],
    along: fn(&(usize, f64, f64)) -> f64,
) -> Chart {
    let mut chart = Chart::new(title, x, y);
    if curves.len() > SERIES_COLORS {
        chart = chart.size(960.0, 600.0);
    }
    for (k, c) in curves.iter().enumerate() {
        let series =
            Series::new(&c.solver, c.points.iter().map(|p| [along(p), p.2.max(MIN_PLOTTED_ERROR)]));
        // Colours repeat after a while; dashes distinguish the second round from the first.
        chart = chart.series(if k < SERIES_COLORS { series } else { series.dashed() });
    }
    chart
}
