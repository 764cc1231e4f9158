//! Chimera: an SQL-speaking real-time full-text table engine.

pub mod catalog;
pub mod chunk;
pub mod config;
pub mod merge;
pub mod sql;
pub mod storage;
pub mod table;
pub mod text;
pub mod types;
