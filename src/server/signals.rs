//! Signals as the server hears them.
//!
//! SIGTERM and SIGINT ask for an orderly stop; a second one ends the process at once. SIGUSR1 opens the log files anew, for programs that
//! rotate logs. SIGHUP, by which the dialect's server looks for rebuilt tables, changes nothing; nor do the others that would end a process that
//! does not listen for them.

use std::io;
use std::sync::Arc;
use std::thread;

use signal_hook::consts::{SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM};
use signal_hook::iterator::Signals;

/// Heard, so that they end nothing.
const IDLE: [libc::c_int; 7] = [SIGHUP, SIGQUIT, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO];

/// Hears signals from its making on.
pub(super) struct Heard(Signals);

impl Heard {
    pub(super) fn new() -> io::Result<Heard> {
        // A file that may grow no further is a failed write, told to the statement; the signal that comes with it would end the process.
        signal_hook::flag::register(libc::SIGXFSZ, Arc::default())?;
        Signals::new([SIGTERM, SIGINT, SIGUSR1].into_iter().chain(IDLE)).map(Heard)
    }

    /// Returns when a stop is asked for, and gives the signal's name. `rotate` is called for each SIGUSR1.
    pub(super) fn wait_for_stop(&mut self, rotate: impl Fn()) -> &'static str {
        for signal in self.0.forever() {
            match signal {
                SIGTERM => return "SIGTERM",
                SIGINT => return "SIGINT",
                SIGUSR1 => rotate(),
                SIGHUP => tracing::info!("SIGHUP: there is nothing to rotate"),
                other => {
                    let name = signal_hook::low_level::signal_name(other).unwrap_or("signal");
                    tracing::info!("{name}: it means nothing here; SIGTERM stops the server, SIGUSR1 opens its logs anew");
                }
            }
        }
        "the end of signals"
    }

    /// From now on another request for a stop ends the process at once.
    pub(super) fn exit_on_next(mut self) {
        let spawned = thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in self.0.forever() {
                if matches!(signal, SIGTERM | SIGINT) {
                    tracing::warn!("a second signal: ending at once, the log is replayed at the next start");
                    // The shell's convention for a process that a signal ended.
                    std::process::exit(128 + signal);
                }
            }
        });
        if let Err(error) = spawned {
            tracing::warn!("no thread for signals: {error}");
        }
    }
}
