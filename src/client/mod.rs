//! Floor 6: a client of the dialect over the MySQL protocol, with calls that block.
//!
//! What the subcommands `load` and `tune` talk to a server with, ours or another of the same dialect; the engine does not use it.
//! [`Client`] is one connection on the thread that calls it, [`TableState`] what SHOW TABLE t STATUS says of chunks and merges.

mod connection;
mod table_state;

pub use connection::{Address, Client, ClientError};
pub use table_state::TableState;
