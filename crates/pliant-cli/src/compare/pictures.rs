//! Picture of a comparison: the end of every run and of the reference, all seen by one camera.

use std::path::Path;

use pliant_io::skin::{Skin, SkinShape};
use pliant_render::Sheet;

use crate::error::CliError;
use crate::film::{Frame, FrameRenderer};
use crate::ui::Ui;

/// Size of a picture on the sheet \[pixels\].
const PICTURE_SIZE: [usize; 2] = [480, 300];

/// Writes a sheet of the bodies at positions \[m\] at a time \[s\], each with a caption. The first one, which is the
/// reference, determines the camera.
pub fn write(
    path: &Path,
    title: &str,
    skins: &[Skin],
    time: f64,
    ends: &[(&str, &[[f64; 3]])],
    ui: Ui,
) -> Result<(), CliError> {
    let shapes: Vec<SkinShape> = skins.iter().map(|skin| skin.shape.clone()).collect();
    let frames: Vec<Frame> =
        ends.iter().map(|(_, positions)| frame(skins, time, positions)).collect();
    let Some(reference) = frames.first() else { return Ok(()) };
    let mut camera = FrameRenderer::new(&shapes, std::slice::from_ref(reference), PICTURE_SIZE);
    let mut sheet = Sheet::new(3).title(title);
    for (frame, (caption, _)) in frames.iter().zip(ends) {
        sheet.push(camera.draw(frame), caption);
    }
    sheet.picture().save_png(path).map_err(CliError::failed)?;
    ui.info(format!("wrote {}", path.display()));
    Ok(())
}

/// Visible vertices of all bodies and colliders, without tears.
fn frame(skins: &[Skin], time: f64, positions: &[[f64; 3]]) -> Frame {
    let model: Vec<[f64; 4]> = positions.iter().map(|&[x, y, z]| [x, y, z, 0.0]).collect();
    let bodies = skins.iter().map(|skin| {
        let mut visible = Vec::new();
        skin.positions(time, &model, &mut visible);
        visible
    });
    Frame { number: 0, time, bodies: bodies.collect() }
}
