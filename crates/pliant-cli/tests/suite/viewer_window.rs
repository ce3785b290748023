//! Contract: `pliant view` opens a window on an X display with software graphics, draws the scene and its
//! panels, and says in words where there is no display. Without Xvfb the first part is passed over.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{fails, pliant};

/// An X server without a screen. It ends with this.
struct Display {
    server: Child,
    name: String,
}

impl Display {
    fn start() -> Option<Self> {
        let number = 90 + std::process::id() % 400;
        let name = format!(":{number}");
        let args = [&name, "-screen", "0", "1400x900x24", "-nolisten", "tcp"];
        let quiet = || Stdio::null();
        let server =
            Command::new("Xvfb").args(args).stdout(quiet()).stderr(quiet()).spawn().ok()?;
        let display = Self { server, name };
        let socket = format!("/tmp/.X11-unix/X{number}");
        let end = Instant::now() + Duration::from_secs(20);
        while !Path::new(&socket).exists() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(display)
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A picture's width, height and pixels.
fn read(path: &Path) -> (usize, usize, Vec<[u8; 3]>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("a picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut bytes).expect("pixels");
    let pixels = bytes.as_chunks::<3>().0.to_vec();
    (info.width as usize, info.height as usize, pixels)
}

/// Parts of a region in which a colour test holds.
fn color_fraction(
    picture: &(usize, usize, Vec<[u8; 3]>),
    x: [f64; 2],
    y: [f64; 2],
    is: fn(&[u8; 3]) -> bool,
) -> f64 {
    let (width, height, pixels) = picture;
    let span = |r: [f64; 2], n: usize| (r[0] * n as f64) as usize..(r[1] * n as f64) as usize;
    let (mut hits, mut all) = (0, 0);
    for j in span(y, *height) {
        for i in span(x, *width) {
            hits += usize::from(is(&pixels[j * width + i]));
            all += 1;
        }
    }
    f64::from(hits as u32) / f64::from(all.max(1) as u32)
}

#[test]
fn a_window_shows_the_cloth_and_the_panels() {
    let Some(display) = Display::start() else {
        eprintln!("passed over: there is no Xvfb");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let output = pliant(folder.path())
        .args(["view", "hanging-cloth", "--picture", "window.png", "--after", "40"])
        .env("DISPLAY", &display.name)
        .env("LIBGL_ALWAYS_SOFTWARE", "1")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let picture = read(&folder.path().join("window.png"));
    assert_eq!((picture.0, picture.1), (1280, 720));

    // The cloth is red, in the middle, and nowhere over the panel at the right.
    let red = |p: &[u8; 3]| p[0] > 140 && i16::from(p[0]) - i16::from(p[1]) > 60;
    let middle = color_fraction(&picture, [0.25, 0.75], [0.12, 0.8], red);
    assert!((0.05..0.7).contains(&middle), "cloth covers {middle:.3} of the middle");
    assert!(color_fraction(&picture, [0.82, 1.0], [0.0, 1.0], red) < 0.01);
    // The gallery at the left has pictures with red things.
    let gallery = color_fraction(&picture, [0.0, 0.19], [0.1, 0.95], red);
    assert!(gallery > 0.01, "thumbnails: {gallery:.3}");
    // Panels are light, with dark letters on them.
    let dark = |p: &[u8; 3]| p.iter().all(|c| *c < 120);
    for (what, x, y) in [
        ("the toolbar", [0.0, 0.6], [0.0, 0.05]),
        ("the solvers", [0.79, 1.0], [0.15, 0.6]),
        ("the curves", [0.2, 0.78], [0.88, 1.0]),
    ] {
        let letters = color_fraction(&picture, x, y, dark);
        assert!((0.002..0.4).contains(&letters), "{what}: {letters:.4} of it is dark");
    }
}

// Windows and macOS need no variable to find the display.
#[cfg(target_os = "linux")]
#[test]
fn without_a_display_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = pliant(folder.path())
        .args(["view"])
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .output()
        .expect("the command starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("window"), "{said}");
}

#[test]
fn a_scene_that_there_is_not_is_named() {
    let folder = tempfile::tempdir().unwrap();
    assert!(fails(folder.path(), 2, &["view", "no-such-thing"]).contains("no-such-thing"));
    assert!(fails(folder.path(), 2, &["view", "--window", "huge"]).contains("1280x720"));
}
