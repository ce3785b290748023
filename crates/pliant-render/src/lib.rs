//! Pictures, films and charts without a GPU.
//!
//! A [`Renderer`] draws a [`Scene`] of triangles and lines, as seen from a [`Stage`], into a
//! [`Picture`]. Pictures are written as PNG, arranged on a [`Sheet`] or strung into a [`Film`]. A
//! [`Chart`] draws curves as SVG and PNG.
//!
//! ```
//! use pliant_render::{Bounds, Mesh, Renderer, Scene, Stage};
//!
//! let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let triangles = [[0, 1, 2]];
//! let stage = Stage::around(Bounds::of(&positions));
//! let mut scene = Scene::default();
//! scene.meshes.push(Mesh::new(&positions, &triangles));
//! let picture = Renderer::new(320, 180).draw(&stage, &scene);
//! assert_eq!((picture.width(), picture.height()), (320, 180));
//! ```
//!
//! Lengths are in metres with y up; colours are sRGB. The same input gives the same bits: no
//! threads, no clocks, no transcendental functions of the platform.

mod bounds;
mod canvas;
pub mod chart;
pub mod color;
mod film;
mod font;
mod geometry;
mod glyphs;
mod ground;
mod heat;
mod palette;
mod picture;
mod project;
mod raster;
mod renderer;
mod ribbon;
mod scene;
mod shade;
mod shadow;
mod sheet;
mod stage;
mod vector;

pub use bounds::Bounds;
pub use canvas::{Align, Canvas};
pub use chart::Chart;
pub use color::Rgb;
pub use film::{Film, FilmError};
pub use heat::HeatMap;
pub use palette::Palette;
pub use picture::{Picture, PictureError};
pub use renderer::Renderer;
pub use scene::{Lines, Mesh, Paint, Path, Scene, Width};
pub use sheet::Sheet;
pub use stage::Stage;
