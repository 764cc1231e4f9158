//! What a build is told and what it gives.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::DiskChunk;
use crate::chunk::tantivy_io::Compression;
use crate::chunk::{ChunkError, RowMap};
use crate::storage::Throttle;
use crate::types::{Progress, Schema, Spare, StopToken};

/// How a chunk is to be written.
pub struct BuildOptions {
    /// Folder that does not exist yet; created, filled, synced (its parent is synced by the caller).
    pub dir: PathBuf,
    /// Table that the chunk belongs to: no other opens it.
    pub table_uuid: u128,
    /// Columns of the inputs and of the output.
    pub schema: Arc<Schema>,
    /// `lz4`, `zstd` or `none`.
    pub compression: String,
    /// Level of zstd.
    pub compression_level: i32,
    /// Bytes of one block of stored text before compression.
    pub block_size: usize,
    /// Looked at every ≤ 1 MiB or 4 096 rows.
    pub stop: StopToken,
    /// Limits the bytes written and read; None for a flush.
    pub throttle: Option<Arc<Throttle>>,
    /// Bytes and rows written so far.
    pub progress: Arc<Progress>,
    /// The second core that may take a share while it is idle; asked again and again while the build lasts. None = there never is one.
    pub spare: Option<Arc<dyn Spare>>,
}

/// A chunk whose files are complete and synced, not yet visible to anyone.
pub struct Built {
    /// The chunk, open.
    pub chunk: Arc<DiskChunk>,
    /// Where each input row went.
    pub map: RowMap,
    /// Bytes of its files.
    pub bytes: u64,
    /// Where the time went.
    pub timings: Timings,
}

/// Time that the steps of a build took. Attributes, stored text and words are written piece by piece by the thread that builds and, while a
/// core is spare, by a second one: what is said of them is the time of their pieces added up, so that all steps together may come to
/// nearly twice the time that went by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timings {
    /// Checking every byte of the inputs, which also reads them.
    pub read: Duration,
    /// Attributes and ids.
    pub attributes: Duration,
    /// Stored text.
    pub stored: Duration,
    /// Words and lengths.
    pub words: Duration,
    /// Of all these, what the second thread did.
    pub helped: Duration,
    /// Waiting for the disk, and opening what was written.
    pub sync: Duration,
}

impl std::ops::AddAssign for Timings {
    fn add_assign(&mut self, other: Timings) {
        self.read += other.read;
        self.attributes += other.attributes;
        self.stored += other.stored;
        self.words += other.words;
        self.helped += other.helped;
        self.sync += other.sync;
    }
}

impl std::fmt::Display for Timings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [read, attributes, stored, words, helped, sync] =
            [self.read, self.attributes, self.stored, self.words, self.helped, self.sync].map(|time| time.as_secs_f64());
        write!(f, "read {read:.3}s, attributes {attributes:.3}s, stored {stored:.3}s, words {words:.3}s")?;
        write!(f, " (a second core did {helped:.3}s of these), sync {sync:.3}s")
    }
}

impl BuildOptions {
    /// The compression that was asked for.
    pub(super) fn compression(&self) -> Result<Compression, ChunkError> {
        match self.compression.as_str() {
            "none" => Ok(Compression::None),
            "lz4" => Ok(Compression::Lz4),
            "zstd" => Ok(Compression::Zstd(self.compression_level)),
            other => Err(ChunkError::Limit(format!("unknown docstore_compression '{other}'"))),
        }
    }
}
