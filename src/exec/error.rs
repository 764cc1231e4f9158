//! Why a statement gave no rows.

use crate::chunk::ChunkError;
use crate::types::Stopped;

/// Each variant asks something else of the caller.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// KILL, the client is gone, or the server stops.
    #[error("query was stopped")]
    Stopped,
    /// A part could not be read; the table is otherwise well.
    #[error("{part}: {source}")]
    Chunk {
        /// Which part.
        part: String,
        /// What is wrong with it.
        source: ChunkError,
    },
    /// Reading a part ended in a panic: its bytes contradict their checksums or a reader is wrong.
    #[error("{part}: chunk corrupt: {reason}")]
    Panicked {
        /// Which part.
        part: String,
        /// What the panic said.
        reason: String,
    },
    /// The statement cannot be answered.
    #[error("{0}")]
    Rejected(String),
}

impl From<Stopped> for ExecError {
    fn from(_: Stopped) -> ExecError {
        ExecError::Stopped
    }
}

impl ExecError {
    /// A failure to read `part`. A read that was stopped is no failure of the part.
    pub(crate) fn chunk(part: &str, source: ChunkError) -> ExecError {
        match source {
            ChunkError::Stopped => ExecError::Stopped,
            source => ExecError::Chunk { part: part.to_owned(), source },
        }
    }
}
