//! `chimera`: arguments → configuration → server → exit code.

use std::path::PathBuf;
use std::process::ExitCode;

use chimera::{config, server};
use clap::Parser;

/// An SQL-speaking real-time full-text table engine: answers MySQL clients until SIGTERM or SIGINT.
///
/// Without a configuration it listens on 127.0.0.1:9306 and keeps its data in ./chimera-data.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// The configuration, in the form of manticore.conf
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Read the configuration, say what is wrong with it, and start nothing
    #[arg(long)]
    check: bool,
    /// Print every setting with its documentation and default, in the form of a configuration
    #[arg(long)]
    example: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.example {
        print!("{}", config::example());
        return ExitCode::SUCCESS;
    }
    let result = server::read_config(arguments.config.as_deref()).and_then(|config| {
        if arguments.check {
            config.warnings.iter().for_each(|warning| println!("warning: {warning}"));
            println!("the configuration is good");
            return Ok(());
        }
        server::run(config, arguments.config.is_none())
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
