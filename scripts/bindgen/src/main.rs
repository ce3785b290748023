//! Makes a script and a module for browsers of a WebAssembly file: `bindgen FILE FOLDER`.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let (Some(file), Some(folder)) = (words.next(), words.next()) else {
        eprintln!("usage: bindgen FILE FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(file).typescript(false).remove_name_section(true);
    let made = bindgen.remove_producers_section(true).web(true).and_then(|b| b.generate(folder));
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why:#}");
            ExitCode::FAILURE
        }
    }
}
