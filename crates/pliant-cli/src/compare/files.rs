//! Tables and charts of a comparison as files.

use std::path::Path;

use pliant_render::Chart;
use pliant_render::chart::{Axis, Series};

use crate::error::CliError;
use crate::ui::Ui;

/// Number of distinct colours in a chart.
const SERIES_COLORS: usize = pliant_render::color::SERIES.len();

/// Writes tables, and charts as SVG and PNG.
pub fn write(
    folder: &Path,
    tables: &[(&str, String)],
    charts: &[(&str, Chart)],
    ui: Ui,
) -> Result<(), CliError> {
    let fail =
        |path: &Path, e: std::io::Error| CliError::failed(format!("{}: {e}", path.display()));
    std::fs::create_dir_all(folder).map_err(|e| fail(folder, e))?;
    for (name, text) in tables {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| fail(&path, e))?;
        ui.info(format!("wrote {}", path.display()));
    }
    for (name, chart) in charts {
        for extension in ["svg", "png"] {
            let path = folder.join(format!("{name}.{extension}"));
            chart.save(&path).map_err(CliError::failed)?;
            ui.info(format!("wrote {}", path.display()));
        }
    }
    Ok(())
}

/// Chart of curves; colours repeat after a while, and dashes distinguish the second round from the first.
pub fn chart(title: &str, [x, y]: [Axis; 2], curves: impl IntoIterator<Item = Series>) -> Chart {
    let curves: Vec<Series> = curves.into_iter().collect();
    let mut chart = Chart::new(title, x, y);
    if curves.len() > SERIES_COLORS {
        chart = chart.size(960.0, 600.0);
    }
    for (k, curve) in curves.into_iter().enumerate() {
        chart = chart.series(if k < SERIES_COLORS { curve } else { curve.dashed() });
    }
    chart
}
