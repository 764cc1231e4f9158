//! Chimera: an SQL-speaking real-time full-text table engine.

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

pub mod http;
pub mod wire;

pub mod server;
