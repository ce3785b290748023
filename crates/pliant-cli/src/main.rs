//! The `pliant` command-line tool.

mod args;
mod bench;
mod check;
mod compare;
mod contact_stats;
mod convert;
mod error;
mod explain;
mod film;
mod framing;
mod list;
mod render;
mod run;
mod sinks;
mod source;
mod ui;
#[cfg(feature = "viewer")]
mod view;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use ui::Ui;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ui = Ui::new(cli.ui);
    let done = |result: Result<(), error::CliError>| result.map(|()| ExitCode::SUCCESS);
    let result = match &cli.command {
        None => run::default_job(ui),
        Some(Command::Run(args)) => run::run(args, ui),
        Some(Command::Compare(args)) => done(compare::compare(args, ui)),
        Some(Command::Render(args)) => done(render::render(args, ui)),
        Some(Command::List(args)) => done(list::list(args, ui)),
        Some(Command::Check(args)) => check::check(args, ui),
        Some(Command::Convert(args)) => done(convert::convert(args, ui)),
        Some(Command::Bench(args)) => done(bench::bench(args, ui)),
        Some(Command::Explain(args)) => done(explain::explain(args, ui)),
        #[cfg(feature = "viewer")]
        Some(Command::View(args)) => done(view::view(args, ui)),
        Some(Command::Schema) => {
            ui.print(pliant_io::scene_file::schema());
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Completions { shell }) => {
            let mut command = Cli::command();
            clap_complete::generate(*shell, &mut command, "pliant", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    };
    result.unwrap_or_else(|failure| {
        ui.error(&failure.message);
        ExitCode::from(failure.code)
    })
}
