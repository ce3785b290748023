//! Software rendering of pictures, films and charts, without a GPU.
//!
//! A [`Renderer`] draws a [`Scene`] of triangles and lines, as seen from a [`ViewSetup`], into a
//! [`Picture`]. Pictures are saved as PNG, arranged on a [`Sheet`] or combined into a [`Film`]. A
//! [`Chart`] draws curves as SVG and PNG.
//!
//! ```
//! use pliant_render::{Bounds, Mesh, Renderer, Scene, ViewSetup};
//!
//! let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
//! let triangles = [[0, 1, 2]];
//! let view = ViewSetup::around(Bounds::of(&positions));
//! let mut scene = Scene::default();
//! scene.meshes.push(Mesh::new(&positions, &triangles));
//! let picture = Renderer::new(320, 180).draw(&view, &scene);
//! assert_eq!((picture.width(), picture.height()), (320, 180));
//! ```
//!
//! Lengths are in metres with y up; colours are sRGB. The same input gives bit-identical output: no
//! threads, no clocks, no transcendental functions of the platform.

mod bounds;
mod canvas;
pub mod chart;
pub mod color;
mod colormap;
mod film;
mod font;
mod geometry;
mod ground;
mod palette;
mod pattern;
mod picture;
mod project;
mod raster;
mod renderer;
mod ribbon;
mod scene;
mod shade;
mod shadow;
mod sheet;
mod vector;
mod view_setup;

pub use bounds::{Bounds, WeightedBounds};
pub use canvas::{Align, Canvas};
pub use chart::Chart;
pub use color::Rgb;
pub use colormap::Colormap;
pub use film::{Film, FilmError};
pub use font::TYPEFACE;
pub use palette::Palette;
pub use pattern::{Motif, Pattern};
pub use picture::{Picture, PictureError};
pub use renderer::Renderer;
pub use scene::{Lines, Mesh, Paint, Path, Scene, Width};
pub use sheet::Sheet;
pub use view_setup::ViewSetup;
