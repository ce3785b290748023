//! A window with OpenGL: four samples per pixel, 24-bit depth.
#![allow(unsafe_code)] // OpenGL functions are called through pointers

use std::error::Error;
use std::ffi::CString;
use std::num::NonZeroU32;
use std::sync::Arc;

use egui_glow::glow;
use glutin::config::{ConfigTemplateBuilder, GlConfig as _};
use glutin::context::{ContextApi, ContextAttributesBuilder, PossiblyCurrentContext};
use glutin::display::GetGlDisplay as _;
use glutin::prelude::{GlDisplay as _, NotCurrentGlContext as _};
use glutin::surface::{GlSurface as _, SurfaceAttributesBuilder, SwapInterval, WindowSurface};
use glutin_winit::{ApiPreference, DisplayBuilder, GlWindow as _};
use winit::event_loop::ActiveEventLoop;
use winit::raw_window_handle::HasWindowHandle as _;
use winit::window::{Window, WindowAttributes};

/// Samples per pixel.
const SAMPLES: u8 = 4;

/// A window for drawing. Fields are dropped in this order.
pub struct Surface {
    surface: glutin::surface::Surface<WindowSurface>,
    context: PossiblyCurrentContext,
    /// The window.
    pub window: Window,
    /// Functions of OpenGL.
    pub gl: Arc<glow::Context>,
}

impl Surface {
    /// Opens a window and makes its context current on this thread.
    pub fn open(
        events: &ActiveEventLoop,
        attributes: WindowAttributes,
    ) -> Result<Self, Box<dyn Error>> {
        let builder = DisplayBuilder::new()
            .with_preference(ApiPreference::FallbackEgl)
            .with_window_attributes(Some(attributes));
        let template = ConfigTemplateBuilder::new()
            .prefer_hardware_accelerated(None)
            .with_depth_size(24)
            .with_transparency(false);
        let (window, config) = builder.build(events, template, |configs| {
            // Among equally good configurations, the driver's first.
            let best = configs.min_by_key(|c| c.num_samples().abs_diff(SAMPLES));
            best.expect("a driver lists at least one configuration")
        })?;
        let window = window.ok_or("the window system provided no window")?;
        let display = config.display();
        let handle = window.window_handle()?.as_raw();
        let core = ContextAttributesBuilder::new().build(Some(handle));
        let embedded = ContextAttributesBuilder::new()
            .with_context_api(ContextApi::Gles(None))
            .build(Some(handle));
        // SAFETY: the handle is that of a window that lives as long as the context.
        let context = unsafe {
            display
                .create_context(&config, &core)
                .or_else(|_| display.create_context(&config, &embedded))?
        };
        let attributes = window.build_surface_attributes(SurfaceAttributesBuilder::new())?;
        // SAFETY: the handle is that of a window that lives as long as the surface.
        let surface = unsafe { display.create_window_surface(&config, &attributes)? };
        let context = context.make_current(&surface)?;
        // Without vertical synchronisation, frames are drawn that are never displayed; nothing else
        // changes.
        let _ = surface.set_swap_interval(&context, SwapInterval::Wait(NonZeroU32::MIN));
        // SAFETY: the context is current, and its functions are called on this thread alone.
        let gl = unsafe {
            glow::Context::from_loader_function(|name| match CString::new(name) {
                Ok(name) => display.get_proc_address(&name),
                Err(_) => std::ptr::null(),
            })
        };
        Ok(Self { surface, context, window, gl: Arc::new(gl) })
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        self.window.inner_size().into()
    }

    /// Adapts to the size of the window.
    pub fn resize(&self) {
        self.window.resize_surface(&self.surface, &self.context);
    }

    /// Presents the drawn frame.
    pub fn present(&self) -> Result<(), Box<dyn Error>> {
        Ok(self.surface.swap_buffers(&self.context)?)
    }
}
