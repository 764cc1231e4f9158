//! The doer.

use std::process::ExitCode;
use std::thread;

use super::arguments::Arguments;
use super::load::Load;
use super::server::{Measured, measure};
use super::settings::play_all;
use super::{print, settings};

/// Runs the command line: the whole of `chimera tune`.
pub fn run(arguments: &Arguments) -> ExitCode {
    match answer(arguments) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn answer(arguments: &Arguments) -> Result<String, String> {
    let measured = arguments.from_table.as_deref().map_or(Ok(Measured::default()), |table| measure(arguments, table))?;
    let load = Load::new(arguments, &measured, thread::available_parallelism().map_or(1, usize::from));
    let outcomes: Vec<settings::Outcome> = play_all(&load, &arguments.slots, &arguments.fanin)?;
    Ok(format!("{}\n{}", print::heading(&load), print::table(&outcomes, load.cutoff)))
}
