//! Floor 7: `chimera load`, a client that loads tables and measures. The server does not use it, and it uses no part of the engine:
//! it talks to any server of the dialect.
//!
//! ```text
//! arguments → grid → for each run:  init → workers make statements ahead → connections send them → report
//!                                                    monitor: SHOW TABLE t STATUS, a few times a second ↗
//! ```
//!
//! - `arguments` is the command line, `grid` the runs that it asks for.
//! - `statement`, `pattern`, `vocabulary` and `random` turn a template into statements; the same command line makes the same rows.
//! - `ahead` is the store of statements between the threads that make and those that send.
//! - `run` is the doer, `monitor` watches chunks and decides when a table is compacted, `progress` shows the live line.
//! - `report` is what is printed at the end.

mod ahead;
mod arguments;
mod errors;
mod grid;
mod monitor;
mod pattern;
mod progress;
mod random;
mod report;
mod run;
mod sending;
mod statement;
mod vocabulary;

pub use arguments::Words;
pub use run::run;
