//! Scenes as pictures: `cargo run --release -p pliant-render --example gallery [folder]`.

use std::error::Error;
use std::time::Instant;

use pliant::prelude::*;
use pliant_render::{
    Bounds, Colormap, Film, Lines, Mesh, Paint, Palette, Path, Picture, Renderer, Scene, Sheet,
    ViewSetup, Width, color,
};

type Frame = Vec<[f32; 3]>;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out".to_owned());
    std::fs::create_dir_all(&folder)?;
    cloth(&folder)?;
    sheet(&folder)?;
    film(&folder)?;
    rope(&folder)
}

/// Every `stride`-th state of a scene.
fn run(model: Model, steps: usize, stride: usize) -> Result<Vec<Frame>, Box<dyn Error>> {
    let mut sim = Simulation::new(model, ProjectiveDynamics::default())?;
    let mut frames = Vec::new();
    for step in 0..steps {
        if step % stride == 0 {
            frames.push(sim.state().positions.iter().map(|p| [p[0], p[1], p[2]]).collect());
        }
        sim.step();
    }
    Ok(frames)
}

fn stage(frames: &[Frame]) -> ViewSetup {
    let mut bounds = Bounds::default();
    frames.iter().for_each(|frame| bounds.extend(frame));
    ViewSetup::around(bounds)
}

/// A cloth of 12,800 triangles, with the time that a picture takes.
fn cloth(folder: &str) -> Result<(), Box<dyn Error>> {
    let frames = run(pliant_scenes::hanging_cloth(81)?, 90, 15)?;
    let triangles = Grid::square(81).size(1.0).build()?.triangles;
    let stage = stage(&frames);
    let mut renderer = Renderer::new(1280, 720);
    for (k, frame) in frames.iter().enumerate() {
        let mut scene = Scene::default();
        scene.meshes.push(Mesh::new(frame, &triangles));
        let mut best = f64::MAX;
        for _ in 0..20 {
            let start = Instant::now();
            renderer.draw(&stage, &scene);
            best = best.min(start.elapsed().as_secs_f64());
        }
        println!("cloth {k}: {} triangles in {:.1} ms", triangles.len(), best * 1e3);
        renderer.draw(&stage, &scene).save_png(format!("{folder}/cloth_{k}.png"))?;
    }
    Ok(())
}

/// A cloth in two colours: a sheet of frames, and its depth as a heat map.
fn sheet(folder: &str) -> Result<(), Box<dyn Error>> {
    let frames = run(pliant_scenes::hanging_cloth(41)?, 72, 12)?;
    let triangles = Grid::square(41).size(1.0).build()?.triangles;
    let stage = stage(&frames);
    let mut sheet = Sheet::new(3).title("Cotton, 1 m × 1 m, pinned at two corners");
    let mut renderer = Renderer::new(480, 300);
    for (k, frame) in frames.iter().enumerate() {
        let mut scene = Scene::default();
        let paint = Paint::Sides { front: color::AZURE, back: color::HONEY };
        scene.meshes.push(Mesh::new(frame, &triangles).paint(paint));
        sheet.push(renderer.draw(&stage, &scene), &format!("t = {:.2} s", k as f64 / 5.0));
    }
    sheet.picture().save_png(format!("{folder}/fall_sheet.png"))?;

    let Some(last) = frames.last() else { return Ok(()) };
    let heat = Colormap::new(-0.4, 0.4, "depth z [m]");
    let values: Vec<f32> = last.iter().map(|p| p[2]).collect();
    let colors = heat.colors(&values);
    let mut scene = Scene::default();
    let mesh = Mesh::new(last, &triangles).paint(Paint::Vertices(&colors)).wire(0.35);
    scene.meshes.push(mesh);
    let mut picture = Renderer::new(1280, 720).draw(&stage, &scene);
    heat.legend(&mut picture);
    picture.save_png(format!("{folder}/fall_heat.png"))?;
    Ok(())
}

/// The fall of a cloth as an animated GIF.
fn film(folder: &str) -> Result<(), Box<dyn Error>> {
    let frames = run(pliant_scenes::hanging_cloth(41)?, 120, 2)?;
    let triangles = Grid::square(41).size(1.0).build()?.triangles;
    let stage = stage(&frames);
    let mut renderer = Renderer::new(480, 300);
    let mut picture = |frame: &Frame| {
        let mut scene = Scene::default();
        scene.meshes.push(Mesh::new(frame, &triangles));
        renderer.draw(&stage, &scene)
    };
    let some: Vec<Picture> = frames.iter().step_by(20).map(&mut picture).collect();
    let mut film =
        Film::create(format!("{folder}/fall.gif"), [480, 300], 30.0, Palette::of(&some))?;
    for frame in &frames {
        film.push(&picture(frame))?;
    }
    Ok(film.finish()?)
}

/// A rope and the springs of a curtain.
fn rope(folder: &str) -> Result<(), Box<dyn Error>> {
    let frames = run(pliant_scenes::rope(41)?, 60, 59)?;
    let net = Curtain::new(21).build()?;
    let points: Frame = net.positions.iter().map(|p| p.map(|c| c as f32)).collect();
    let points: Frame = points.iter().map(|p| [p[0], p[1], p[2] - 0.5]).collect();
    let mut bounds = Bounds::of(&points);
    frames.iter().for_each(|frame| bounds.extend(frame));
    let mut scene = Scene::default();
    let last = frames.last().map_or(&[][..], |f| f);
    let rope = Lines::new(last, Path::Chain);
    scene.lines.push(Lines { color: color::CORAL, width: Width::Meters(0.02), ..rope });
    let springs: Vec<[u32; 2]> = net.springs.clone();
    let springs = Lines::new(&points, Path::Pairs(&springs));
    scene.lines.push(Lines { color: color::AZURE, width: Width::Pixels(2.0), ..springs });
    let picture = Renderer::new(1280, 720).draw(&ViewSetup::around(bounds), &scene);
    picture.save_png(format!("{folder}/rope.png"))?;
    Ok(())
}
