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
    /// Read the configuration, try its addresses and folders, say what is wrong, and start nothing
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
    let config = server::read_config(arguments.config.as_deref());
    if arguments.check {
        return check(config);
    }
    let result = config.and_then(|config| server::run(config, arguments.config.is_none()));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Says what is wrong with a configuration, a line each.
fn check(config: Result<config::Config, server::StartError>) -> ExitCode {
    let config = match config {
        Ok(config) => config,
        Err(error) => {
            error.to_string().lines().for_each(|line| eprintln!("error: {line}"));
            return ExitCode::FAILURE;
        }
    };
    let found = server::check_config(&config);
    config.warnings.iter().for_each(|warning| println!("warning: {warning}"));
    found.notes.iter().for_each(|note| println!("note: {note}"));
    if !found.problems.is_empty() {
        found.problems.iter().for_each(|problem| eprintln!("error: {problem}"));
        return ExitCode::FAILURE;
    }
    println!("the configuration is good");
    ExitCode::SUCCESS
}
