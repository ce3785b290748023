//! Command-line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use pliant::solvers::SettingValue;
use pliant_io::import;

use crate::list::{setting_help, solver_help};
use crate::sinks::output_extensions;

const EXAMPLES: &str = "\
Examples:
  pliant                                        the default scene: a tablecloth falls into folds
  pliant run flag-in-wind --out flag.glb        simulate a scene and export it
  pliant run my_scene.toml --solver xpbd        simulate a scene file with another solver
  pliant compare twisting-bar --solvers projective,xpbd,newton
  pliant compare my_scene.toml --all            compare all solvers on one scene, with charts
  pliant view flag-in-wind                      open a scene in the interactive viewer
  pliant render flag-in-wind --out flag.gif     render a scene without a GPU
  pliant check dress.obj                        report the size and defects of a mesh
  pliant list scenes                            list the built-in scenes

Exit codes: 0 success, 1 failure, 2 invalid arguments or input, 130 interrupted (Ctrl-C).";

/// Simulates cloth, soft solids, strands and springs, with a choice of solvers.
#[derive(Debug, Parser)]
#[command(name = "pliant", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// Command to run; without one, the default scene is simulated
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub ui: UiArgs,
}

/// Output settings shared by all commands.
#[derive(Args, Debug, Clone, Copy, Default)]
pub struct UiArgs {
    /// Print only results and errors
    #[arg(long, short, global = true)]
    pub quiet: bool,
    /// Print results as JSON, one object per line, for scripts
    #[arg(long, global = true)]
    pub json: bool,
}

/// Subcommands of `pliant`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene and write the results
    Run(RunArgs),
    /// Run one scene with several solvers and measure their error against its motion
    Compare(CompareArgs),
    /// Render a scene, or the cache of a run, as PNG or GIF, without a GPU
    Render(RenderArgs),
    /// List scenes, solvers, elements, materials or formats of files
    List(ListArgs),
    /// Report the size and defects of a mesh or scene file, and the repairs made on import
    Check(CheckArgs),
    /// Convert the cache of a run, or a mesh, to another format
    Convert(ConvertArgs),
    /// Measure the time per frame of scenes and solvers on this machine
    Bench(BenchArgs),
    /// Print the parameters of a material, with units and sources
    Explain(ExplainArgs),
    /// Open the interactive viewer: drag, cut, throw balls, switch and compare solvers
    #[cfg(feature = "viewer")]
    View(ViewArgs),
    /// Print the JSON Schema of scene files
    Schema,
    /// Print a completion script for a shell
    Completions {
        /// Shell to complete for
        shell: clap_complete::Shell,
    },
}

/// Help on an output, with the available formats.
fn output_help(what: &str, has_reports: bool) -> String {
    format!(
        "{what}; the extension sets the format ({}; see `pliant list formats`)",
        output_extensions(has_reports)
    )
}

/// Extensions of the meshes that can be read.
fn mesh_extensions() -> String {
    import::extensions().collect::<Vec<_>>().join(", ")
}

/// Single or double precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrecisionArg {
    /// Single precision: fast
    F32,
    /// Double precision: for reference solutions
    F64,
}

/// A scene and its size.
#[derive(Args, Debug, Clone)]
pub struct SceneArgs {
    /// Scene file (.toml) or name of a built-in scene (see `pliant list scenes`)
    pub scene: String,
    /// Size of a built-in scene: vertices or cells along one side
    #[arg(long)]
    pub size: Option<usize>,
}

/// Reads `NAME=VALUE`.
pub fn setting(text: &str) -> Result<(String, SettingValue), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => {
            Ok((name.trim().replace('-', "_"), SettingValue::parse(value.trim())))
        }
        _ => Err("must be NAME=VALUE, such as tolerance=1e-6".to_owned()),
    }
}

/// Solver and run settings of a scene.
#[derive(Args, Debug, Clone)]
pub struct SolverArgs {
    /// Solver (see `pliant list solvers`); that of the scene by default
    #[arg(long, long_help = solver_help())]
    pub solver: Option<String>,
    /// Iterations per substep
    #[arg(long)]
    pub iterations: Option<usize>,
    /// Substeps per frame
    #[arg(long)]
    pub substeps: Option<usize>,
    /// Setting of the solver, such as tolerance=1e-6; repeatable (see `pliant list settings`)
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting, long_help = setting_help())]
    pub set: Vec<(String, SettingValue)>,
    /// Number of frames to simulate
    #[arg(long)]
    pub frames: Option<usize>,
    /// Time step of a frame in seconds
    #[arg(long, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Floating-point precision
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: PrecisionArg,
    /// Number of threads; the result is the same for any number
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// Guarantee intersection-free output (slow), verified exactly in every frame
    #[arg(long, alias = "offline")]
    pub intersection_free: bool,
}

/// `pliant run`.
#[derive(Args, Debug, Clone)]
pub struct RunArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub solver: SolverArgs,
    /// Files to write
    #[arg(long, short, num_args = 1.., help = output_help("Files to write", true))]
    pub out: Vec<PathBuf>,
    /// Exclude colliders from the output
    #[arg(long)]
    pub no_colliders: bool,
    /// Folder for checkpoints, from which --resume continues after a crash or Ctrl-C
    #[arg(long)]
    pub checkpoint: Option<PathBuf>,
    /// Number of frames between checkpoints
    #[arg(long, default_value_t = 20, requires = "checkpoint")]
    pub every: usize,
    /// Continue from the checkpoint, if there is one
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

/// Reference that solvers are measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReferenceArg {
    /// The motion: the limit of ever shorter time steps
    Motion,
    /// The implicit Euler step, solved
    Step,
}

/// `pliant compare`.
#[derive(Args, Debug, Clone)]
pub struct CompareArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Solvers, separated by commas, each with settings if needed: projective,xpbd:substeps=20:iterations=1
    #[arg(long, value_delimiter = ',', default_value = "projective,xpbd,pbd,newton")]
    pub solvers: Vec<String>,
    /// Compare all solvers and their accelerated variants
    #[arg(long, conflicts_with = "solvers")]
    pub all: bool,
    /// Reference of the errors
    #[arg(long, value_enum, default_value = "motion")]
    pub reference: ReferenceArg,
    /// Sweep iterations and substeps: the cheapest setting of each solver for 10, 3, 1 and 0.3 % of error
    #[arg(long, conflicts_with = "budget")]
    pub frontier: bool,
    /// Number of frames to simulate
    #[arg(long, default_value_t = 60)]
    pub frames: usize,
    /// Time step of a frame in seconds
    #[arg(long, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Time budget in milliseconds per frame; determines the iterations of each solver
    #[arg(long)]
    pub budget: Option<f64>,
    /// Output folder of the table and the charts
    #[arg(long, short, default_value = "out/compare")]
    pub out: PathBuf,
}

/// `pliant render`.
#[derive(Args, Debug, Clone)]
pub struct RenderArgs {
    /// Cache (.plc) of a run, scene file (.toml) or name of a built-in scene
    pub source: String,
    /// Size of a built-in scene
    #[arg(long)]
    pub size: Option<usize>,
    #[command(flatten)]
    pub solver: SolverArgs,
    /// Files to write: png (one frame or a contact sheet) or gif
    #[arg(long, short, num_args = 1.., default_value = "out/picture.png")]
    pub out: Vec<PathBuf>,
    /// Number of a single frame to render, instead of a contact sheet
    #[arg(long)]
    pub frame: Option<usize>,
    /// Width of a picture in pixels
    #[arg(long, default_value_t = 960)]
    pub width: usize,
    /// Height of a picture in pixels
    #[arg(long, default_value_t = 540)]
    pub height: usize,
}

/// Kinds of items that `pliant list` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListKind {
    /// Built-in scenes
    Scenes,
    /// Solvers
    Solvers,
    /// Settings of the solvers
    Settings,
    /// Elements
    Elements,
    /// Materials
    Materials,
    /// Formats of files: meshes that are read, outputs that are written
    Formats,
}

/// `pliant list`.
#[derive(Args, Debug, Clone)]
pub struct ListArgs {
    /// Kind of items to list
    #[arg(required_unless_present = "matrix")]
    pub what: Option<ListKind>,
    /// Print the compatibility matrix of elements and solvers, with reasons
    #[arg(long, conflicts_with = "what")]
    pub matrix: bool,
    /// With `scenes`: name of a built-in scene to write to a file
    #[arg(long, value_name = "NAME")]
    pub write: Option<String>,
    /// With --write: size of the scene
    #[arg(long, requires = "write")]
    pub size: Option<usize>,
    /// With --write: output file, NAME.toml by default, `-` for standard output
    #[arg(long, short, requires = "write")]
    pub out: Option<PathBuf>,
}

/// `pliant check`.
#[derive(Args, Debug, Clone)]
pub struct CheckArgs {
    /// Mesh files or scene files
    #[arg(required = true, help = format!("Mesh files ({}) or scene files (toml)", mesh_extensions()))]
    pub files: Vec<PathBuf>,
}

/// `pliant convert`.
#[derive(Args, Debug, Clone)]
pub struct ConvertArgs {
    /// Cache or mesh file
    #[arg(help = format!("Cache (plc) or mesh file ({})", mesh_extensions()))]
    pub from: PathBuf,
    /// Output file
    #[arg(help = output_help("Output file", false))]
    pub to: PathBuf,
    /// Exclude colliders from the output
    #[arg(long)]
    pub no_colliders: bool,
}

/// `pliant bench`.
#[derive(Args, Debug, Clone)]
pub struct BenchArgs {
    /// Names of built-in scenes; all by default
    pub scenes: Vec<String>,
    /// Solvers, separated by commas, each with settings if needed: projective,xpbd:substeps=20
    #[arg(long, value_delimiter = ',', default_value = "projective,xpbd,pbd")]
    pub solvers: Vec<String>,
    /// Number of threads
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// Number of frames to simulate
    #[arg(long, default_value_t = 60)]
    pub frames: usize,
}

/// `pliant view`.
#[cfg(feature = "viewer")]
#[derive(Args, Debug, Clone)]
pub struct ViewArgs {
    /// Name of a built-in scene, scene file (.toml), mesh file, saved state or link; by default a
    /// hanging cloth
    pub scene: Option<String>,
    /// Size of a built-in scene: vertices or cells along one side
    #[arg(long)]
    pub size: Option<usize>,
    /// Solver; that of the scene by default
    #[arg(long)]
    pub solver: Option<String>,
    /// Size of the window in points
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = window)]
    pub window: [f32; 2],
    /// Screenshot to save after a number of steps; the window is then closed
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// With --picture: number of steps before the screenshot
    #[arg(long, default_value_t = 60, requires = "picture")]
    pub after: u64,
}

/// Parses two numbers separated by an x.
#[cfg(feature = "viewer")]
fn window(text: &str) -> Result<[f32; 2], String> {
    let sizes: Vec<f32> = text.split('x').filter_map(|n| n.parse().ok()).collect();
    match sizes[..] {
        [width, height] if width >= 100.0 && height >= 100.0 => Ok([width, height]),
        _ => Err("must be WIDTHxHEIGHT with numbers of at least 100, such as 1280x720".to_owned()),
    }
}

/// `pliant explain`.
#[derive(Args, Debug, Clone)]
pub struct ExplainArgs {
    /// Name of a material (see `pliant list materials`)
    pub material: String,
}
