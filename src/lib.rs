//! Chimera: an SQL-speaking real-time full-text table engine.

pub mod config;
pub mod sql;
pub mod storage;
pub mod text;
pub mod types;
