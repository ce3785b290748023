//! PNG and GIF read back as they were drawn; sheets, legends and charts hold what they are told.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use pliant_render::chart::{Axis, Series};
use pliant_render::{
    Align, Canvas, Chart, Colormap, Film, FilmError, Palette, Picture, Rgb, Sheet,
};

fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("render");
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder.join(name)
}

fn gradient(shift: u8) -> Picture {
    let mut picture = Picture::new(64, 40, [0; 3]);
    for y in 0..40 {
        for (x, pixel) in picture.row_mut(y).iter_mut().enumerate() {
            *pixel = [(3 * x) as u8, (5 * y) as u8, 90];
        }
    }
    for y in 10..20 {
        picture.row_mut(y)[usize::from(shift)..usize::from(shift) + 10].fill([250, 10, 10]);
    }
    picture
}

#[test]
fn a_png_reads_back_pixel_by_pixel() {
    let (picture, path) = (gradient(5), path("gradient.png"));
    picture.save_png(&path).expect("a file");
    let decoder = png::Decoder::new(BufReader::new(File::open(&path).expect("the file")));
    let mut reader = decoder.read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("pixels");
    assert_eq!((info.width, info.height), (64, 40));
    assert_eq!(bytes, picture.pixels().as_flattened());
}

#[test]
fn a_png_in_a_missing_folder_is_refused_by_name() {
    let missing = path("no such folder").join("a.png");
    let error = gradient(0).save_png(missing).expect_err("a refusal").to_string();
    assert!(error.contains("no such folder"), "{error}");
}

/// The frames of a GIF, composed.
fn frames(path: &PathBuf) -> Vec<(Vec<Rgb>, u16)> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut reader = options.read_info(File::open(path).expect("the file")).expect("a GIF");
    let width = usize::from(reader.width());
    let mut screen = vec![[0; 3]; width * usize::from(reader.height())];
    let mut out = Vec::new();
    while let Some(frame) = reader.read_next_frame().expect("a frame") {
        for (k, rgba) in frame.buffer.chunks_exact(4).enumerate() {
            let (x, y) = (k % usize::from(frame.width), k / usize::from(frame.width));
            let at = (usize::from(frame.top) + y) * width + usize::from(frame.left) + x;
            if rgba[3] > 0 {
                screen[at] = [rgba[0], rgba[1], rgba[2]];
            }
        }
        out.push((screen.clone(), frame.delay));
    }
    out
}

#[test]
fn a_film_shows_every_picture_within_the_palette() {
    let path = path("film.gif");
    let pictures: Vec<Picture> = (0..6).map(|k| gradient(8 * k)).collect();
    let palette = Palette::of(&pictures);
    let mut film = Film::create(&path, [64, 40], 30.0, palette).expect("a film");
    for picture in &pictures {
        film.push(picture).expect("a frame");
    }
    assert!(!path.exists(), "not before it is whole");
    film.finish().expect("a whole film");
    let read = frames(&path);
    assert_eq!(read.len(), 6);
    let mut worst = 0;
    for ((screen, _), picture) in read.iter().zip(&pictures) {
        for (a, b) in screen.iter().zip(picture.pixels()) {
            worst = worst.max((0..3).map(|c| a[c].abs_diff(b[c])).max().unwrap_or(0));
        }
    }
    // measured 13: 255 colours for a gradient in two channels, and the dither
    assert!(worst <= 40, "{worst}");
    // Thirty frames a second are 3⅓ hundredths each: what is rounded away comes back.
    assert_eq!(read.iter().map(|(_, delay)| u32::from(*delay)).sum::<u32>(), 20);
    std::fs::remove_file(&path).expect("the file");
}

#[test]
fn a_film_refuses_another_size_and_leaves_nothing_when_dropped() {
    let path = path("dropped.gif");
    let picture = gradient(0);
    let mut film = Film::create(&path, [64, 40], 25.0, Palette::of([&picture])).expect("a film");
    film.push(&picture).expect("a frame");
    let other = film.push(&Picture::new(10, 10, [0; 3]));
    assert!(matches!(other, Err(FilmError::Size { given: [10, 10], .. })));
    drop(film);
    assert!(!path.exists() && !path.with_extension("gif.part").exists());
}

#[test]
fn a_sheet_holds_all_pictures_and_captions() {
    let mut sheet = Sheet::new(2).title("Three frames");
    for k in 0..3 {
        sheet.push(Picture::new(100, 60, [10, 200, 10]), &format!("t = {k} s"));
    }
    let picture = sheet.picture();
    let green = picture.pixels().iter().filter(|c| **c == [10, 200, 10]).count();
    // All but the frames' lines.
    assert!((3 * 98 * 58..=3 * 100 * 60).contains(&green), "{green}");
    let dark = picture.pixels().iter().filter(|c| c.iter().all(|v| *v < 100)).count();
    assert!(dark > 200, "captions and title: {dark}");
    assert_eq!(Sheet::new(0).picture().height(), Sheet::new(1).picture().height());
}

#[test]
fn text_has_ink_where_it_is_put() {
    let mut picture = Picture::new(120, 40, [255; 3]);
    Canvas::new(&mut picture).text([60.0, 30.0], "Ag", 16.0, Align::Center, [0; 3]);
    let dark: Vec<usize> =
        (0..120 * 40).filter(|k| picture.pixels()[*k][0] < 128).map(|k| k % 120).collect();
    assert!(dark.len() > 60);
    let middle = dark.iter().sum::<usize>() as f64 / dark.len() as f64;
    assert!((middle - 60.0).abs() < 5.0, "{middle}");
    // Outside the picture nothing happens.
    let before = picture.clone();
    Canvas::new(&mut picture).text([-500.0, 900.0], "away", 16.0, Align::Left, [0; 3]);
    Canvas::new(&mut picture).line(&[[f32::NAN, 0.0], [1.0, 1.0]], 2.0, [0; 3], 1.0);
    assert_eq!(picture, before);
}

#[test]
fn a_legend_shows_the_scale_and_its_numbers() {
    let mut picture = Picture::new(1280, 720, [200; 3]);
    let heat = Colormap::new(0.0, 0.1, "strain");
    heat.legend(&mut picture);
    for value in [0.005, 0.05, 0.095] {
        assert!(picture.pixels().contains(&heat.color(value)) || value == 0.005);
    }
    assert_ne!(picture, Picture::new(1280, 720, [200; 3]));
}

fn chart() -> Chart {
    let curve = |rate: f64| (0..30).map(move |k| [f64::from(k), 1.0 / (1.0 + rate * f64::from(k))]);
    Chart::new("A & B", Axis::linear("iterations"), Axis::log("error <x>"))
        .series(Series::new("first", curve(1.0)))
        .series(Series::new("second", curve(9.0)).dashed())
}

#[test]
fn a_chart_in_svg_has_its_texts_and_curves() {
    let svg = chart().svg();
    for text in ["A &amp; B", "iterations", "error &lt;x&gt;", "first", "second", "10⁻²"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}");
    }
    assert_eq!(svg.matches("stroke-dasharray").count(), 2, "the curve and its legend");
    assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
}

#[test]
fn a_chart_as_a_picture_shows_every_series() {
    let picture = chart().picture(1.0);
    assert_eq!((picture.width(), picture.height()), (800, 480));
    for color in &pliant_render::color::SERIES[..2] {
        let pixels = picture.pixels().iter().filter(|c| *c == color).count();
        assert!(pixels > 100, "{color:?}: {pixels}");
    }
}

#[test]
fn points_that_have_no_place_break_the_curve() {
    let points = [[0.0, 1.0], [1.0, 0.5], [2.0, 0.0], [3.0, f64::NAN], [4.0, 0.2], [5.0, 0.1]];
    let svg =
        Chart::new("", Axis::linear("x"), Axis::log("y")).series(Series::new("s", points)).svg();
    let curves = svg.matches("stroke-width=\"2\"").count();
    assert_eq!(curves, 2, "one before and one after the gap");
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    let empty = Chart::new("", Axis::log("x"), Axis::linear("y")).svg();
    assert!(!empty.contains("NaN"));
}

#[test]
fn a_chart_is_saved_by_its_ending() {
    chart().save(path("chart.svg")).expect("an SVG");
    chart().save(path("chart.png")).expect("a PNG");
    let error = chart().save(path("chart.pdf")).expect_err("a refusal").to_string();
    assert!(error.contains(".svg or .png"), "{error}");
}
