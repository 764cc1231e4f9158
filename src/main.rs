//! `chimera`: arguments → configuration → server → exit code; or a subcommand, which is a client.

use std::path::PathBuf;
use std::process::ExitCode;

use chimera::{config, load, server, tune};
use clap::{Parser, Subcommand};

/// An SQL-speaking real-time full-text table engine: answers MySQL clients until SIGTERM or SIGINT.
///
/// Without a configuration it listens on 127.0.0.1:9306 and keeps its data in ./chimera-data.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
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

#[derive(Subcommand)]
enum Command {
    /// Load a running server with made-up rows or queries, and measure it
    Load(load::Words),
    /// Play a load against merge settings in a simulator, and say which are best
    Tune(Box<tune::Arguments>),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command {
        Some(Command::Load(words)) => return load::run(words),
        Some(Command::Tune(arguments)) => return tune::run(&arguments),
        None => {}
    }
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
