//! Chimera: an SQL-speaking real-time full-text table engine. This page is the map of the house.
//!
//! Rows arrive over the MySQL protocol, are searchable at once in a RAM chunk, flush to immutable disk chunks, and an optimizer merges
//! those chunks N at a time, several merges in parallel, while reads and writes go on.
//!
//! # Floors
//!
//! Imports point down only; neighbours on one floor do not know each other. The test `.ci/floors.rs` holds it.
//!
//! ```text
//! 7  server  load  tune         listeners, signals, order of start and stop · clients that load tables and size merge settings
//! 6  wire  http  client         MySQL packets · a listener that answers 501 · what `load` and `tune` talk to servers with
//! 5  session                    one client: variables, transactions, dispatch
//! 4  catalog  exec              name → table · bound plan × snapshot → rows
//! 3  table                      snapshot, writer, RAM chunk, flush, log, manifest, recovery
//! 2  chunk  merge  plan         one part · what to merge when · statement + schema → bound plan
//! 1  storage config text sql query    files · settings · tokens · statements · the MATCH language
//! 0  types                      plain data
//! ```
//!
//! # The three flows
//!
//! - **INSERT**: [`wire`] reads a packet → [`session::Session`] parses ([`sql`]) and binds ([`plan`]) it → [`table::Table::commit`] builds
//!   a [`chunk::RamSegment`] outside any lock, then, under the writer lock, appends to the log and publishes a new [`table::Snapshot`].
//! - **SELECT**: [`session::Session`] loads one [`table::Snapshot`] → [`plan::select`] binds → [`exec::select`] walks over the
//!   snapshot's parts ([`chunk::Part`]) → match ([`exec::matching`]), filter, rank, group, sort → rows go to the socket as they are fetched.
//! - **OPTIMIZE**: [`table::Table::optimize`] asks the [`merge::MergePool`] → [`merge::plan`] decides, a job runs [`chunk::disk::merge`] from a
//!   pinned snapshot without locks → the table publishes: files synced, manifest written, snapshot swapped, inputs retired.
//!
//! # Glossary
//!
//! *Part*: a RAM segment or a disk chunk. *Row*: a document inside one part, numbered by [`types::RowId`]. *Document*: what the user knows
//! by its [`types::DocId`]. *Dead row*: killed by DELETE or REPLACE, not yet merged away. *Snapshot*: the immutable list of parts that one
//! statement reads. *Manifest*: the durable list. *Seal*: to take the RAM chunk's segments out of the writers' hands for a flush.
//! Merge ladder: goal → plan → job → run → publish → retire.
//!
//! # Invariants
//!
//! - An acknowledged write is in the log or in files that the manifest names.
//! - An alive document is alive in exactly one part of a snapshot.
//! - Published files never change; a manifest never moves the replay position past rows that are only in RAM.
//! - Readers take no lock; nothing is built or synced under the writer lock.
//! - Every order is total: what a statement asks for, then id ascending.
//!
//! # Deliberately absent
//!
//! No `async`: a connection has a thread, which keeps a one-row statement free of hand-overs between threads. No second copy of the
//! settings: [`config`] has one table of them. No distributed tables, no replication.

pub mod types;

pub mod config;
pub mod query;
pub mod sql;
pub mod storage;
pub mod text;

pub mod chunk;
pub mod merge;
pub mod plan;

pub mod table;

pub mod catalog;
pub mod exec;

pub mod session;

pub mod client;
pub mod http;
pub mod wire;

pub mod load;
pub mod server;
pub mod tune;
