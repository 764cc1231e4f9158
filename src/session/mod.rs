//! Floor 5: one client: variables, transactions, dispatch. Speaks to `wire` and `http` through [`Sink`].
//!
//! ```text
//! wire ─ text ─▶ Session::run ─▶ sql::statements ─▶ one file per family (ddl, dml, select, show, set, optimize, admin) ─▶ Sink
//!                     │ a panic becomes error 1815, the connection lives
//!                     ├ registry: what runs, since when, and the token that KILL stops
//!                     └ locks: what may not be written now
//! ```
//!
//! [`Engine`] is what all sessions share; a [`Session`] is one client and is used by one thread at a time. Dropping it rolls back.
//!
//! Invariants: statement n has ended before n + 1 is parsed; after an error nothing more of the text runs; every statement ends in exactly one
//! of OK, end of rows, or error; what a statement holds (snapshot, registry entry) is gone when it ends, on every path.

mod admin;
mod answer;
mod client;
mod ddl;
mod dispatch;
mod dml;
mod engine;
mod failure;
mod information_schema;
mod like;
mod locks;
mod merges;
mod mysql_tools;
mod optimize;
mod prepared;
mod registry;
mod reply;
mod select;
mod sending;
mod set;
mod show;
mod table_settings;
#[cfg(test)]
mod tests;
mod transaction;
mod variables;

pub use client::{NetworkTimeouts, Session};
pub use engine::{Engine, Parts};
pub use prepared::Prepared;
pub use reply::{ClientGone, ColumnMeta, ColumnType, End, Ok, Sink, StatementError};
