//! Why a table did not do what was asked.

use crate::types::DocId;

/// Each variant asks something else of the caller.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// INSERT of an id that exists: reject the statement.
    #[error("duplicate id '{0}'")]
    DuplicateId(DocId),
    /// Not while the table is frozen: the operator decides.
    #[error("{0}")]
    Frozen(String),
    /// Read-only until restart; the text says why.
    #[error("{0}")]
    Poisoned(String),
    /// Disk, chunk or limit: this statement fails, the next one may succeed.
    #[error("{0}")]
    Failed(String),
    /// KILL, client gone, shutdown, DROP.
    #[error("{0}")]
    Stopped(String),
    /// The table's files contradict themselves: it stays closed, others are open.
    #[error("{0}")]
    Corrupt(String),
}

impl TableError {
    /// A failure of the system while doing `what`.
    pub(super) fn io(what: &str, error: std::io::Error) -> TableError {
        TableError::Failed(format!("{what}: {error}"))
    }
}

impl From<crate::chunk::ChunkError> for TableError {
    fn from(error: crate::chunk::ChunkError) -> TableError {
        match error {
            crate::chunk::ChunkError::Corrupt { .. } | crate::chunk::ChunkError::TooNew { .. } => TableError::Corrupt(error.to_string()),
            crate::chunk::ChunkError::Stopped => TableError::Stopped("stopped".into()),
            other => TableError::Failed(other.to_string()),
        }
    }
}
