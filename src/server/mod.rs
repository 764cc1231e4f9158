//! Floor 7: the process. Puts the floors together at start and takes them apart at the end; decides nothing about tables.
//!
//! [`run`] is the whole life of a server: [`Server::start`], wait for a signal, [`Server::stop`]. The order of both is written down in
//! [`start`]; what they use is in [`listen`] (sockets), [`log`] (messages), [`query_log`], [`pid`] and [`engine`] (what all connections
//! share). [`check`] finds out what would keep a server from starting, without starting one.

mod check;
mod engine;
mod listen;
mod log;
mod pid;
mod query_log;
mod signals;
mod start;

pub use check::Findings;
pub use start::{Engine, OpenEngine, Server, StartError, check_config, read_config, run};
