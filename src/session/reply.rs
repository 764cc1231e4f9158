//! What a statement answers, and where it goes.

use crate::types::Value;

/// A column of a result set.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnMeta {
    /// Heading.
    pub name: String,
    /// Type on the wire.
    pub kind: ColumnType,
}

/// Types that a client distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// MYSQL_TYPE_LONG, unsigned.
    Uint,
    /// MYSQL_TYPE_LONGLONG, signed.
    Bigint,
    /// MYSQL_TYPE_LONGLONG, unsigned.
    BigUint,
    /// MYSQL_TYPE_FLOAT.
    Float,
    /// MYSQL_TYPE_DOUBLE.
    Double,
    /// MYSQL_TYPE_VAR_STRING, utf8mb4.
    Text,
}

/// The client cannot be written to any more: end the statement, drop its snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientGone;

/// End of a result set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// Number of warnings.
    pub warnings: u16,
    /// Another result follows.
    pub more: bool,
}

/// Success without rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ok {
    /// Rows that changed.
    pub affected: u64,
    /// Last id given.
    pub last_insert_id: u64,
    /// Number of warnings.
    pub warnings: u16,
    /// Text for people.
    pub info: String,
    /// Another result follows.
    pub more: bool,
}

/// Failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StatementError {
    /// MySQL error number; 1064 for most.
    pub code: u16,
    /// SQLSTATE.
    pub state: [u8; 5],
    /// Text for people.
    pub message: String,
}

impl StatementError {
    /// The dialect's usual error: 1064, 42000.
    pub fn new(message: impl Into<String>) -> StatementError {
        StatementError { code: 1064, state: *b"42000", message: message.into() }
    }

    /// Another error number.
    pub fn with_code(code: u16, state: &[u8; 5], message: impl Into<String>) -> StatementError {
        StatementError { code, state: *state, message: message.into() }
    }
}

/// Where answers go. Bounded memory: a sink writes out or blocks, it never piles up.
pub trait Sink {
    /// Begins a result set.
    fn columns(&mut self, columns: &[ColumnMeta]) -> Result<(), ClientGone>;
    /// One row, a value per column.
    fn row(&mut self, row: &[Value]) -> Result<(), ClientGone>;
    /// Ends the result set.
    fn end(&mut self, end: End) -> Result<(), ClientGone>;
    /// Success without rows.
    fn ok(&mut self, ok: Ok) -> Result<(), ClientGone>;
    /// Failure; no further result follows.
    fn error(&mut self, error: &StatementError) -> Result<(), ClientGone>;
}
