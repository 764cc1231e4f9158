//! Why a chunk could not be read or built.

/// Each variant asks something else of the caller.
#[derive(Debug, thiserror::Error)]
pub enum ChunkError {
    /// Bytes contradict checksum or format: stop using the chunk and report it.
    #[error("chunk corrupt: {file}: {reason}")]
    Corrupt {
        /// Path of the file.
        file: String,
        /// What was expected and where.
        reason: String,
    },
    /// Written by a newer program: refuse to open, change nothing.
    #[error("{file}: format {found}, newest known is {known}")]
    TooNew {
        /// Path of the file.
        file: String,
        /// Version found.
        found: u32,
        /// Newest version that this program reads.
        known: u32,
    },
    /// The system failed us: the statement or job fails, the next one may succeed.
    #[error("{file}: {source}")]
    Io {
        /// Path of the file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A limit of the format: too many rows, say.
    #[error("{0}")]
    Limit(String),
    /// The build was asked to stop.
    #[error("stopped")]
    Stopped,
}

impl From<crate::types::Stopped> for ChunkError {
    fn from(_: crate::types::Stopped) -> ChunkError {
        ChunkError::Stopped
    }
}
