//! Floor 7: `chimera tune`, which says what merge settings do to a load without running it.
//!
//! ```text
//! arguments, or a running server → scenario → merge::simulate::play for each pair of settings → table, best pair, config lines
//! ```
//!
//! `arguments` is the command line, `server` asks a running table for its rates, `load` turns rates into flushes, `settings`
//! plays the pairs and chooses, `print` draws. Everything but `server` computes only.

mod arguments;
mod load;
mod print;
mod run;
mod server;
mod settings;

pub use arguments::Arguments;
pub use run::run;
