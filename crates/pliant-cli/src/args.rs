//! Command-line arguments.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

const EXAMPLES: &str = "\
Examples:
  pliant                                        the default scene: a cloth falls and drapes
  pliant run flag-in-wind --out flag.glb        simulate a scene and export it
  pliant run my_scene.toml --solver xpbd        the same scene under another solver
  pliant compare twisting-bar --solvers projective,xpbd,newton
  pliant compare my_scene.toml --all            every solver on one scene, with charts
  pliant view flag-in-wind                      look at it, and pull at it
  pliant render flag-in-wind --out flag.gif     pictures without a GPU
  pliant check dress.obj                        what is wrong with a mesh, in words
  pliant list scenes                            what there is to try

Exit codes: 0 done, 1 failed, 2 wrong arguments or input, 130 interrupted (Ctrl-C).";

/// Simulates cloth, soft solids, strands and springs: one scene, any solver.
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
    /// Run one scene under several solvers and measure them against the converged solution
    Compare(CompareArgs),
    /// Draw a scene, or the cache of a run, as PNG or GIF; no GPU needed
    Render(RenderArgs),
    /// List scenes, solvers, elements or materials
    List(ListArgs),
    /// Inspect a mesh or scene file: sizes, defects, and the repairs that an import would make
    Check(CheckArgs),
    /// Convert the cache of a run, or a mesh, to another format
    Convert(ConvertArgs),
    /// Time the scenes under the solvers on this machine
    Bench(BenchArgs),
    /// Explain a material: its parameters, their units and sources
    Explain(ExplainArgs),
    /// Open the interactive window: drag, cut, throw, switch solvers, compare
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

/// Single or double precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PrecisionArg {
    /// Single: fast
    F32,
    /// Double: the reference
    F64,
}

/// A scene and its size.
#[derive(Args, Debug, Clone)]
pub struct SceneArgs {
    /// A scene file (.toml), or the name of a built-in scene (see `pliant list scenes`)
    pub scene: String,
    /// Size of a built-in scene: vertices or cells along one side
    #[arg(long)]
    pub size: Option<usize>,
}

/// Solver and run settings of a scene.
#[derive(Args, Debug, Clone)]
pub struct SolverArgs {
    /// Solver: projective, mass-spring, xpbd, pbd, newton, or an accelerated form such as
    /// projective+anderson; the scene's own, or else projective
    #[arg(long)]
    pub solver: Option<String>,
    /// Iterations per substep
    #[arg(long)]
    pub iterations: Option<usize>,
    /// Substeps per frame
    #[arg(long)]
    pub substeps: Option<usize>,
    /// Frames to simulate
    #[arg(long)]
    pub frames: Option<usize>,
    /// Time step from one frame to the next, in seconds
    #[arg(long, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Floating-point precision
    #[arg(long, value_enum, default_value = "f32")]
    pub precision: PrecisionArg,
    /// Number of threads; the result is the same for any number
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// Guarantee intersection-free output (slow); verify every frame exactly
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
    /// Files to write; the extension sets the format: glb, usda, pc2, obj, ply (animations), plc (cache),
    /// csv (report), png (contact sheet), gif
    #[arg(long, short, num_args = 1..)]
    pub out: Vec<PathBuf>,
    /// Exclude colliders from animations, caches and pictures
    #[arg(long)]
    pub no_colliders: bool,
    /// Folder for checkpoints, from which --resume continues after a crash or Ctrl-C
    #[arg(long)]
    pub checkpoint: Option<PathBuf>,
    /// Frames between checkpoints
    #[arg(long, default_value_t = 20, requires = "checkpoint")]
    pub every: usize,
    /// Continue from the checkpoint, if there is one
    #[arg(long, requires = "checkpoint")]
    pub resume: bool,
}

/// `pliant compare`.
#[derive(Args, Debug, Clone)]
pub struct CompareArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// Solvers, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "projective,xpbd,pbd,newton")]
    pub solvers: Vec<String>,
    /// Compare every solver and every accelerated form; reports which are left out, and why
    #[arg(long, conflicts_with = "solvers")]
    pub all: bool,
    /// Frames to simulate
    #[arg(long, default_value_t = 60)]
    pub frames: usize,
    /// Time step from one frame to the next, in seconds
    #[arg(long, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Time budget in milliseconds per frame; every solver gets as many iterations as fit
    #[arg(long)]
    pub budget: Option<f64>,
    /// Folder for the table and the charts
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
    /// Pictures to write: png (one frame, or a sheet of several) or gif
    #[arg(long, short, num_args = 1.., default_value = "out/picture.png")]
    pub out: Vec<PathBuf>,
    /// Draw only this frame instead of a contact sheet
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
    /// Elements
    Elements,
    /// Materials
    Materials,
}

/// `pliant list`.
#[derive(Args, Debug, Clone)]
pub struct ListArgs {
    /// Kind of items to list
    #[arg(required_unless_present = "matrix")]
    pub what: Option<ListKind>,
    /// Print the compatibility matrix of elements and solvers, with the reason for each refusal
    #[arg(long, conflicts_with = "what")]
    pub matrix: bool,
    /// With scenes: write this scene to a file instead of listing
    #[arg(long, value_name = "NAME")]
    pub write: Option<String>,
    /// With --write: size of the scene
    #[arg(long, requires = "write")]
    pub size: Option<usize>,
    /// With --write: output file; the scene's name unless given, `-` for standard output
    #[arg(long, short, requires = "write")]
    pub out: Option<PathBuf>,
}

/// `pliant check`.
#[derive(Args, Debug, Clone)]
pub struct CheckArgs {
    /// Mesh files: obj, ply, stl, gltf, glb, msh, node, ele, vtk, vtu; or scene files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
}

/// `pliant convert`.
#[derive(Args, Debug, Clone)]
pub struct ConvertArgs {
    /// A cache (.plc) or a mesh file
    pub from: PathBuf,
    /// Output file; the extension sets the format
    pub to: PathBuf,
    /// Exclude the colliders of a cache
    #[arg(long)]
    pub no_colliders: bool,
}

/// `pliant bench`.
#[derive(Args, Debug, Clone)]
pub struct BenchArgs {
    /// Scenes to time; all unless given
    pub scenes: Vec<String>,
    /// Solvers, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "projective,xpbd,pbd")]
    pub solvers: Vec<String>,
    /// Number of threads
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// Frames to time
    #[arg(long, default_value_t = 60)]
    pub frames: usize,
}

/// `pliant view`.
#[cfg(feature = "viewer")]
#[derive(Args, Debug, Clone)]
pub struct ViewArgs {
    /// Name of a built-in scene, scene file (.toml), mesh, saved state, or link; a hanging cloth unless
    /// given
    pub scene: Option<String>,
    /// Size of a built-in scene: vertices or cells along one side
    #[arg(long)]
    pub size: Option<usize>,
    /// Solver; the scene's own unless given
    #[arg(long)]
    pub solver: Option<String>,
    /// Size of the window in points
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1280x720", value_parser = window)]
    pub window: [f32; 2],
    /// Save a picture of the window after a number of steps, then close the window
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// With --picture: number of steps before the picture is saved
    #[arg(long, default_value_t = 60, requires = "picture")]
    pub after: u64,
}

/// Parses two numbers separated by an x.
#[cfg(feature = "viewer")]
fn window(text: &str) -> Result<[f32; 2], String> {
    let sizes: Vec<f32> = text.split('x').filter_map(|n| n.parse().ok()).collect();
    match sizes[..] {
        [width, height] if width >= 100.0 && height >= 100.0 => Ok([width, height]),
        _ => Err("two numbers of at least 100 with an x between them, as in 1280x720".to_owned()),
    }
}

/// `pliant explain`.
#[derive(Args, Debug, Clone)]
pub struct ExplainArgs {
    /// Material, as `pliant list materials` names it
    pub material: String,
}
